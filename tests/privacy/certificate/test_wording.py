"""A certificate in words: the first line says what is protected, and nothing is rounded down.

If this failed, a reader would be told less than a release costs.
"""

from fractions import Fraction

from holdfast.noise.discrete_laplace import DiscreteLaplace
from holdfast.privacy.certificate.noise_reasons import Calibration, EqualityConditioning
from holdfast.privacy.certificate.step_reasons import InexactDraw, Update
from holdfast.privacy.certificate.wording import number
from holdfast.worlds.rules import Kind, Statement
from tests.privacy.samples import SUMS, TOTAL, gaussian, modelled, of_reason, pure_noise

LAW = DiscreteLaplace(scale=Fraction(2))
EXCHANGED = Calibration((LAW, LAW), (0, 2), 1)
STREET = of_reason(
    Update(EqualityConditioning(EXCHANGED, ("sums", "total = 3")), ("sums",)),
    neighbours="replace-one",
    rules=(SUMS, TOTAL),
)
GOLDEN = """\
Certificate: each row is protected, epsilon 1, replace-one
  neighbours   one row exchanged, the facts unchanged
  holds        sums
  given        total = 3: these are not protected,
               and the promise is for pairs of data sets that share them
  sampler      independent draws: Exact()
  one state is released; the reasons:
  - update: epsilon 1
      moved to the nearest table with sums: no cost
      docs/theory/certificates.md#post-processing
    - equality conditioning: epsilon 1
      the noise given sums, total = 3: the same cost"""


def test_it_reads_well():
    text = str(STREET)
    for line in GOLDEN.splitlines():
        assert line.strip() in text
    assert text.splitlines()[:8] == GOLDEN.splitlines()[:8]
    assert repr(STREET) == "<certificate: each row is protected, epsilon 1, replace-one>"


def test_numbers_are_rounded_up():
    assert number(Fraction(1)) == "1"
    assert number(Fraction(1, 3)) == "1/3"
    long = Fraction(2 * 10**40 + 1, 10**40)
    assert Fraction(number(long)) >= long
    assert Fraction(number(Fraction(10**40 - 1, 10**40))) == 1


def test_every_kind_of_cost_is_told():
    assert "rho 1/10 (zCDP)" in str(gaussian("0.1"))
    near = of_reason(InexactDraw(pure_noise(1), Fraction(1, 10**9), Fraction(0)))
    assert "numerical delta 3.72e-9" in str(near)
    assert "delta 0.01," in str(modelled("0.1", "0.01")).replace("delta 0.01\n", "delta 0.01,\n")
    far = of_reason(InexactDraw(gaussian("0.1").reason, Fraction(1, 10**9), Fraction(0)))
    assert "within 1.01e-9 in total variation" in str(far) or "within 1e-9" in str(far)


def test_labels_are_escaped_in_a_notebook():
    nasty = Statement("<img onerror=x> = 3", Kind.FACT)
    moved = Update(EXCHANGED, (nasty.name,))
    page = of_reason(moved, "replace-one", rules=(nasty,))._repr_html_()
    assert "<img" not in page
    assert "&lt;img" in page
