"""Certificates as JSON: there and back, and nothing changed on the way is believed.

If this failed, an edited record would be read as proof.
"""

import contextlib
import copy
import json
import pickle
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.foundation.errors import HoldfastError
from holdfast.noise.discrete_gaussian import DiscreteGaussian
from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.privacy.certificate.certificate import Certificate
from holdfast.privacy.certificate.cost import EpsilonCost
from holdfast.privacy.certificate.joint_reasons import Composition, DisjointUnion, Mixture
from holdfast.privacy.certificate.noise_reasons import (
    Calibration,
    Doubling,
    EqualityConditioning,
    InequalityConditioning,
)
from holdfast.privacy.certificate.reasons import walked
from holdfast.privacy.certificate.record import REASONS
from holdfast.privacy.certificate.step_reasons import (
    Conversion,
    InexactDraw,
    PostProcessing,
    Update,
)
from holdfast.privacy.certificate.written import text_of
from holdfast.worlds.rules import Kind, Statement
from tests.privacy.samples import SUMS, of_reason

NUMBERS = st.fractions(Fraction(1, 50), 50, max_denominator=1000)
CHANCES = st.fractions(Fraction(1, 10**6), Fraction(1, 2), max_denominator=10**7)
KNOWN = ("sums", "nonnegative", "Zürich ≥ 3")
RULES = st.lists(st.sampled_from(KNOWN), min_size=1).map(tuple)
LAPLACES = st.one_of(
    NUMBERS.map(lambda scale: DiscreteLaplace(scale=scale)),
    CHANCES.map(lambda ratio: DiscreteLaplace(ratio=ratio)),
)


@st.composite
def noise(draw, laws=LAPLACES):
    listed = draw(st.lists(laws, min_size=1, max_size=4))
    last = draw(st.integers(1, len(listed)))
    touched = tuple(int(level < last) for level in range(len(listed)))
    return Calibration(tuple(listed), touched, draw(st.integers(1, 3)))


def _steps(reasons):
    """Return reasons that rest on pure ones."""
    conditioned = st.builds(EqualityConditioning, noise(), RULES)
    odds = st.fractions(1, 3, max_denominator=100)
    priced = noise().flatmap(
        lambda n: st.builds(InequalityConditioning, st.just(n), RULES, st.just(n.touched), odds)
    )
    return st.one_of(
        conditioned,
        priced,
        st.builds(Doubling, conditioned, RULES),
        st.builds(InexactDraw, reasons, CHANCES, CHANCES),
        st.builds(Update, reasons, RULES),
        st.builds(PostProcessing, reasons, st.just("rounded to tens")),
        st.builds(Composition, st.lists(reasons, min_size=1, max_size=3).map(tuple)),
        st.builds(lambda a, b, w: Mixture((a, b), (w, 1 - w)), reasons, reasons, CHANCES),
        st.builds(lambda a, b, r: DisjointUnion((a, b), r, r), reasons, reasons, odds),
    )


GAUSSIANS = NUMBERS.map(DiscreteGaussian)
IN_EPSILON = st.recursive(noise(), _steps, max_leaves=4)
IN_RHO = st.one_of(
    noise(GAUSSIANS),
    st.builds(InexactDraw, noise(GAUSSIANS), CHANCES, CHANCES),
    st.builds(Conversion, noise(), st.just(Fraction(0))),
)
EVERY = st.one_of(IN_EPSILON, IN_RHO, st.builds(Conversion, noise(GAUSSIANS), CHANCES))


def rules_named(reason) -> tuple[Statement, ...]:
    """Return the rules that the reasons name, so that the certificate agrees with itself."""
    named = [rule for each in walked(reason) for rule in getattr(each, "rules", ())]
    return tuple(Statement(rule, Kind.STRUCTURAL) for rule in dict.fromkeys(named))


def certificates():
    return EVERY.flatmap(
        lambda reason: st.builds(
            of_reason,
            st.just(reason),
            unit=st.sampled_from(["row", "person"]),
            rules=st.just(rules_named(reason)),
        )
    )


@settings(max_examples=200, deadline=None, derandomize=True)
@given(certificates())
def test_there_and_back(certificate):
    """The same certificate, the same cost, the same text."""
    text = certificate.to_json()
    back = Certificate.from_json(text)
    assert back == certificate
    assert back.cost == certificate.cost
    assert back.to_json() == text
    assert pickle.loads(pickle.dumps(certificate)) == certificate


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.sampled_from(["0.1", "0.5", "1", "2", "7.25"]), st.integers(1, 4), st.booleans())
def test_calibrated_and_back(epsilon, rows, replaced):
    """Calibration, certificate and JSON agree on the budget to the last digit."""
    tree = hf.Hierarchy.from_paths([("a", 1), ("a", 2), ("b", 3)])
    relation = "replace-one" if replaced else "add-remove"
    mechanism = hf.Mechanism.calibrate(
        tree, "discrete-laplace", relation, rows=rows, epsilon=epsilon
    )
    certificate = mechanism.revise(tree.sums(), method="exact").certificate
    assert Certificate.from_json(certificate.to_json()) == certificate
    assert certificate.epsilon <= Fraction(epsilon)
    assert certificate.epsilon == Fraction(epsilon) or (replaced and rows > 1)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.fractions(0, 10**6, max_denominator=10**9))
def test_numbers_are_written_exactly(number):
    text = text_of(number)
    assert Fraction(text) == number
    assert ("/" in text) == (10**40 % number.denominator != 0)


NOISE = Calibration((DiscreteLaplace(scale=Fraction(3)),) * 3, (1, 1, 1), 1)
NONNEGATIVE = Statement("nonnegative", Kind.STRUCTURAL)
STREET = of_reason(
    Update(EqualityConditioning(NOISE, ("sums",)), ("sums", "nonnegative")),
    rules=(SUMS, NONNEGATIVE),
)


def edits():
    """Yield a path to every value of a record, and another value for it."""

    def walk(words, path):
        if isinstance(words, dict):
            for key, value in words.items():
                yield from walk(value, (*path, key))
        elif isinstance(words, list):
            for place, value in enumerate(words):
                yield from walk(value, (*path, place))
        else:
            yield path, words

    yield from walk(json.loads(STREET.to_json()), ())


PLACES = [path for path, _ in edits()]
# words that a certificate says and does not derive from anything
FREE = {"sampler"}


@pytest.mark.parametrize("path", PLACES, ids=lambda path: "/".join(map(str, path)))
@pytest.mark.parametrize("other", ["0", "0.5", 7, None, True, [], {}, "sums "])
def test_no_edit_lowers_a_cost(path, other):
    """Each value in turn; what is still read has the same cost, or what was said only in words."""
    words = json.loads(STREET.to_json())
    place = words
    for step in path[:-1]:
        place = place[step]
    if place[path[-1]] == other:
        return
    place[path[-1]] = other
    read = read_or_none(json.dumps(words))
    if read is not None:
        assert read.cost == EpsilonCost(Fraction(1))
        assert FREE & set(path)


def read_or_none(text: str) -> Certificate | None:
    """Return the certificate of a text, or None where it is refused."""
    with contextlib.suppress(HoldfastError):
        return Certificate.from_json(text)
    return None


def edited(change) -> str:
    words = json.loads(STREET.to_json())
    change(words)
    return json.dumps(words)


def _unknown(words):
    words["reason"]["name"] = "blessing"


def _cheaper(words):
    words["epsilon"] = "0.5"


def _cheaper_everywhere(words):
    words["epsilon"] = "0.5"
    node = words["reason"]
    while True:
        node["cost"]["epsilon"] = "0.5"
        if not node["of"]:
            return
        node = node["of"][0]


def _no_reason(words):
    words["reason"]["of"] = []


def _two_reasons(words):
    words["reason"]["of"] *= 2


def _extra(words):
    words["blessed"] = True


def _extra_number(words):
    words["reason"]["numbers"]["gamma"] = "0"


def _float(words):
    words["epsilon"] = 1.0


def _padded(words):
    words["epsilon"] = "1.0"


def _other_proof(words):
    words["reason"]["proof"] = "docs/nowhere.md"


def _deep(words):
    for _ in range(80):
        outer = copy.deepcopy(words["reason"])
        outer["of"] = [words["reason"]]
        words["reason"] = outer


def _missing(words):
    del words["sampler"]


def _later(words):
    words["version"] = 2


CHANGES = [
    _unknown, _cheaper, _cheaper_everywhere, _no_reason, _two_reasons, _extra, _extra_number,
    _float, _padded, _other_proof, _deep, _missing, _later,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_changed_records_are_refused(change):
    with pytest.raises(HoldfastError, match="certificate record"):
        Certificate.from_json(edited(change))


TEXTS = ["", "null", "[]", "{", '{"a": 1, "a": 2}', "NaN", "[" * 100_000, "x" * (1 << 21), "{}"]


@pytest.mark.parametrize("text", [*TEXTS, None, 3, b"{}"], ids=lambda text: repr(text)[:20])
def test_what_is_no_record_is_refused(text):
    with pytest.raises(HoldfastError, match="certificate record"):
        Certificate.from_json(text)


def test_a_key_that_comes_twice_is_refused():
    text = STREET.to_json().replace('"rows": 1,', '"rows": 1, "rows": 1,', 1)
    with pytest.raises(HoldfastError, match="certificate record"):
        Certificate.from_json(text)


def test_every_reason_can_be_recorded():
    kinds = {Calibration, EqualityConditioning, InequalityConditioning, Doubling, InexactDraw}
    kinds |= {Update, PostProcessing, Composition, Mixture, DisjointUnion, Conversion}
    assert set(REASONS.values()) == kinds
