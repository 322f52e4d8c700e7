"""Plans are read whole or refused whole: every fault at once, each with what to do.

If this failed, a slip in a plan would cost budget, or cost an afternoon fault by fault.
"""

from fractions import Fraction
from pathlib import Path

import pytest

from holdfast.foundation.errors import BadPlan
from holdfast.noise.budget import Concentrated, Pure
from holdfast.publication.plan.reading import plan_of, read_plan
from tests.publication.samples import FULL, PLAN, changed

HERE = Path("somewhere")


def refused(text: str) -> list[str]:
    with pytest.raises(BadPlan) as error:
        plan_of(text, HERE)
    assert all(f.subject and f.asked and f.found and f.remedy for f in error.value.faults)
    return [str(fault) for fault in error.value.faults]


def test_a_full_plan():
    plan = plan_of(FULL, HERE)
    assert plan.data.key == (("PULocationID", "LocationID"),)
    assert plan.data.person.column == "rider_id"
    assert plan.data.person.rows == 3
    assert plan.privacy.budget == Pure(Fraction(1))
    assert dict(plan.privacy.split)["root"] == Fraction(1, 5)
    assert plan.rules.total == 2979431
    assert plan.method.street == ("revise sums", "update nonnegative")
    assert plan.release.interval == "0.95"
    assert plan.at("x.csv") == HERE / "x.csv"


def test_what_is_left_out_has_its_default():
    plan = plan_of(PLAN, HERE)
    assert plan.privacy.neighbours == "add-remove"
    assert plan.privacy.split == "equal"
    assert plan.data.outside == "drop"
    assert plan.data.person is None
    assert plan.method.noise == "discrete-laplace"
    assert plan.method.sampler == "auto"
    assert plan.release.interval == "0.95"
    without = changed(PLAN, ("nonnegative = true\n", "nonnegative = false\n"))
    assert plan_of(without, HERE).method.street == ("revise sums",)


def test_rho():
    text = changed(PLAN, ('epsilon = "1"', 'rho = "0.06"'))
    text += '[method]\nnoise = "discrete-gaussian"\n'
    assert plan_of(text, HERE).privacy.budget == Concentrated(Fraction(3, 50))


def test_the_digest_is_of_what_is_asked():
    """Comments, spaces and the order of keys do not count; every value does."""
    plan = plan_of(FULL, HERE)
    same = plan_of(
        changed(FULL, ('root = "NYC"\n', ""), ("[data]\n", '[data]  # x\nroot="NYC"\n')), HERE
    )
    assert plan.digest("d") == same.digest("d")
    assert plan.digest("d") != plan.digest("e")
    others = [
        ('epsilon = "1"', 'epsilon = "2"'),
        ("total = 2979431", "total = 2979432"),
        ('root = "0.2", Borough = "0.3"', 'root = "0.3", Borough = "0.2"'),
        ("rows = 3", "rows = 4"),
        ('interval = "0.95"', 'interval = "0.9"'),
        ('"trips.parquet"', '"other.parquet"'),
    ]
    digests = {plan_of(changed(FULL, pair), HERE).digest("d") for pair in others}
    assert len(digests | {plan.digest("d")}) == len(others) + 1


WRONG = {
    "misspelt": (("domain = ", "domian = "), "Did you mean domain?"),
    "unknown section": (("[rules]", "[rulez]"), "Did you mean rules?"),
    "float": (('epsilon = "1"', "epsilon = 0.5"), 'Write "0.5"'),
    "not a number": (('epsilon = "1"', 'epsilon = "one"'), "an exact decimal"),
    "exponent": (('epsilon = "1"', 'epsilon = "1e99999999"'), "an exact decimal"),
    "zero": (('epsilon = "1"', "epsilon = 0"), "above 0"),
    "true": (('epsilon = "1"', "epsilon = true"), "number"),
    "negative": (('epsilon = "1"', 'epsilon = "-1"'), "an exact decimal"),
    "both": (('epsilon = "1"', 'epsilon = "1"\nrho = "1"'), "Leave it out"),
    "no budget": (('epsilon = "1"\n', ""), "[privacy] epsilon"),
    "relation": (('"replace-one"', '"swap"'), "add-remove"),
    "person": (("rows = 3", "rows = 0"), "[privacy.unit] rows"),
    "person without rows": ((", rows = 3", ""), "[privacy.unit] rows"),
    "person in words": (('{ column = "rider_id", rows = 3 }', '"rider_id"'), "[privacy.unit]"),
    "split": (('root = "0.2"', 'root = "x"'), "[privacy] split"),
    "split in a word": (
        ('{ root = "0.2", Borough = "0.3", LocationID = "0.5" }', '"bset"'),
        "Did you mean best?",
    ),
    "no sums": (("sums = true", "sums = false"), "[rules] sums"),
    "total of halves": (("2979431", "2979431.5"), "a whole number"),
    "total under add-remove": (('"replace-one"', '"add-remove"'), "[rules] total"),
    "noise": (('"discrete-laplace"', '"laplace"'), "Floats carry no certificate"),
    "unknown noise": (('"discrete-laplace"', '"laplce"'), "[method] noise"),
    "rho for laplace": (('epsilon = "1"', 'rho = "1"'), "[privacy] epsilon"),
    "street": (('["revise sums", "update nonnegative"]', '["update", "revise"]'), "street"),
    "street without rule": (("nonnegative = true", "nonnegative = false"), "[method] street"),
    "sampler": (('sampler = "auto"', 'sampler = "metropolis"'), "[method] sampler"),
    "name": (('"trips-2022-02"', '"../../etc/passwd"'), "[release] name"),
    "long name": (('"trips-2022-02"', f'"{"x" * 65}"'), "[release] name"),
    "confidence": (('interval = "0.95"', 'interval = "95"'), "[release] interval"),
    "levels": (('["Borough", "LocationID"]', '["Borough", "Borough"]'), "each text once"),
    "levels in a word": (('["Borough", "LocationID"]', '"Borough"'), "a list of texts"),
    "a text with a bell": (('root = "NYC"', 'root = "\\u0007"'), "printable text"),
    "a number for text": (('source = "trips.parquet"', "source = 3"), "printable text"),
    "section is a word": (("[release]", "release = 3\n[other]"), "[release]"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_fault_is_named_with_its_place_and_remedy(case):
    pair, expected = WRONG[case]
    assert any(expected in fault for fault in refused(changed(FULL, pair)))


def test_all_faults_are_told_at_once():
    text = changed(
        FULL,
        ("domain = ", "domian = "),
        ('epsilon = "1"', "epsilon = 0.5"),
        ("rows = 3", "rows = 0"),
        ('"auto"', '"exakt"'),
        ('"trips-2022-02"', '"a b"'),
    )
    assert len(refused(text)) == 6  # domain is missing, and domian unknown


@pytest.mark.parametrize(
    "text", ["", "x", "[data", "a = 1\na = 2", "\ufeff[data]", "x = " + "[" * 3000, "[data]\n" * 2]
)
def test_what_is_no_toml_is_refused(text):
    assert refused(text)


def test_files(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    assert read_plan(path).folder == tmp_path
    for content in (b"", b"\xff\xfe\x00", b"#" * (1 << 20) + b"##"):
        path.write_bytes(content)
        with pytest.raises(BadPlan, match="plan"):
            read_plan(path)
    with pytest.raises(BadPlan, match="FileNotFoundError"):
        read_plan(tmp_path / "none.toml")
    with pytest.raises(BadPlan, match="IsADirectoryError"):
        read_plan(tmp_path)
