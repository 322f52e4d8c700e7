"""Weights on all whole numbers that are sums of geometric pieces, kept and convolved exactly.

A `Series` holds a(s) for every whole s as two quotients of polynomials in fractions,

    a(0) + a(1) t + a(2) t**2 + ...  = right(t),      a(-1) t + a(-2) t**2 + ... = left(t),

so that nothing is cut off and no sum is approximate. The weights of discrete Laplace noise, of
sums of it, of such noise kept above a bound, and all of these times ratio**|s|, are of this kind.

`times` is the convolution. Of its four products two lie on one side. For right(t) left'(1/t) put
m the larger degree of left' = M/E, and M*, E* the polynomials t**m M(1/t), t**m E(1/t). The poles
of right = N/D lie outside the unit circle and the zeros of E* inside, so D and E* have no common
factor, and there is one Q of degree below m with Q D = N M* modulo E*. Then

    N M* / (D E*) = P/D + Q/E*,    P = (N M* - Q D) / E*  a polynomial,

and the first part has powers t**0, t**1, ... only, the second t**-1, t**-2, ... only. On the
circle both converge, and a Laurent series there is unique.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Polynomial = list[Fraction]  # by rising powers
ONE = [Fraction(1)]


@dataclass(frozen=True)
class Quotient:
    """A polynomial over another whose value at 0 is 1, for the weights of one side."""

    above: Polynomial
    below: Polynomial

    def __add__(self, other: "Quotient") -> "Quotient":
        if self.below == other.below:
            return Quotient(plus(self.above, other.above), self.below)
        if not any(other.above):
            return self
        shared = common(self.below, other.below)
        mine, yours = divided(self.below, shared)[0], divided(other.below, shared)[0]
        above = plus(times(self.above, yours), times(other.above, mine))
        below = times(self.below, yours)
        return Quotient([x / below[0] for x in above], [x / below[0] for x in below])

    def __mul__(self, other: "Quotient") -> "Quotient":
        return Quotient(times(self.above, other.above), times(self.below, other.below))

    def scaled(self, ratio: Fraction) -> "Quotient":
        """Return this with t replaced by ratio t."""
        return Quotient(powers(self.above, ratio), powers(self.below, ratio))

    def first(self, count: int) -> Polynomial:
        """Return the weights of t**0, ..., t**(count - 1)."""
        found: Polynomial = []
        for place in range(count):
            start = self.above[place] if place < len(self.above) else Fraction(0)
            pairs = zip(self.below[1 : place + 1], reversed(found), strict=False)
            found.append(start - sum((b * a for b, a in pairs), Fraction(0)))
        return found

    def total(self) -> Fraction:
        """Return the sum of all weights."""
        return sum(self.above, Fraction(0)) / sum(self.below, Fraction(0))


NOTHING = Quotient([Fraction(0)], ONE)


@dataclass(frozen=True)
class Series:
    right: Quotient
    left: Quotient

    def __add__(self, other: "Series") -> "Series":
        return Series(self.right + other.right, self.left + other.left)

    def __mul__(self, other: "Series") -> "Series":
        right, left = self.right * other.right, self.left * other.left
        for one, another in ((self, other), (other, self)):
            upper, lower = apart(one.right, another.left)
            right, left = right + upper, left + lower
        return Series(right, left)

    def scaled(self, ratio: Fraction) -> "Series":
        """Return these weights times ratio**|s|."""
        return Series(self.right.scaled(ratio), self.left.scaled(ratio))

    def by(self, factor: Fraction) -> "Series":
        """Return these weights times a number."""
        sides = (self.right, self.left)
        return Series(*(Quotient([factor * x for x in s.above], s.below) for s in sides))

    def at(self, place: int) -> Fraction:
        side = self.right if place >= 0 else self.left
        return side.first(abs(place) + 1)[-1]

    def total(self) -> Fraction:
        return self.right.total() + self.left.total()

    def mirrored(self) -> "Series":
        """Return the weights of -s."""
        centre = Quotient([self.at(0)], ONE)
        minus = Quotient([-self.at(0)], ONE)
        return Series(self.left + centre, self.right + minus)

    def up_to_zero(self) -> "Series":
        return Series(Quotient([self.at(0)], ONE), self.left)

    def only(self, place: int) -> "Series":
        """Return the weight at one place of at least 0, and 0 elsewhere."""
        return Series(Quotient([Fraction(0)] * place + [self.at(place)], ONE), NOTHING)

    def from_on(self, place: int) -> "Series":
        """Return the weights of all s of at least this place, itself at least 0."""
        minus = Quotient([-x for x in self.right.first(place)] or [Fraction(0)], ONE)
        return Series(self.right + minus, NOTHING)


def point(weight: Fraction = Fraction(1)) -> Series:
    """Return one weight, at 0."""
    return Series(Quotient([weight], ONE), NOTHING)


def geometric(ratio: Fraction, lowest: int | None = None) -> Series:
    """Return ratio**|s| for all s, or for all s from -lowest on."""
    right = Quotient(ONE, [Fraction(1), -ratio])
    if lowest is None:
        return Series(right, Quotient([Fraction(0), ratio], [Fraction(1), -ratio]))
    return Series(right, Quotient([Fraction(0)] + [ratio**k for k in range(1, lowest + 1)], ONE))


def apart(right: Quotient, left: Quotient) -> tuple[Quotient, Quotient]:
    """Return the two sides of right(t) left(1/t); see above."""
    if not any(left.above):
        return NOTHING, NOTHING
    size = max(degree(left.above), degree(left.below))
    over, under = turned(left.above, size), turned(left.below, size)
    product = times(right.above, over)
    rest = divided(times(divided(product, under)[1], inverse(right.below, under)), under)[1]
    upper, nought = divided(minus(product, times(rest, right.below)), under)
    assert not any(nought)
    return Quotient(upper, right.below), Quotient(turned(rest, size), left.below)


def plus(one: Sequence[Fraction], other: Sequence[Fraction]) -> Polynomial:
    long, short = (one, other) if len(one) >= len(other) else (other, one)
    return [*(a + b for a, b in zip(long, short, strict=False)), *long[len(short) :]]


def minus(one: Polynomial, other: Polynomial) -> Polynomial:
    return plus(one, [-x for x in other])


def times(one: Polynomial, other: Polynomial) -> Polynomial:
    found = [Fraction(0)] * (len(one) + len(other) - 1)
    for place, a in enumerate(one):
        if a:
            for further, b in enumerate(other):
                found[place + further] += a * b
    return found


def powers(polynomial: Polynomial, ratio: Fraction) -> Polynomial:
    return [x * ratio**k for k, x in enumerate(polynomial)]


def degree(polynomial: Polynomial) -> int:
    return max((k for k, x in enumerate(polynomial) if x), default=0)


def turned(polynomial: Polynomial, size: int) -> Polynomial:
    """Return t**size times the polynomial at 1/t."""
    padded = polynomial[: size + 1] + [Fraction(0)] * (size + 1 - len(polynomial))
    return padded[::-1]


def divided(one: Polynomial, other: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return quotient and remainder."""
    top = degree(other)
    rest, found = list(one), [Fraction(0)] * max(1, len(one) - top)
    for place in range(len(one) - 1 - top, -1, -1):
        factor = rest[place + top] / other[top]
        found[place] = factor
        if factor:
            for k in range(top + 1):
                rest[place + k] -= factor * other[k]
    return found, rest[:top] or [Fraction(0)]


def common(one: Polynomial, other: Polynomial) -> Polynomial:
    """Return the largest common factor."""
    while any(other):
        one, other = other[: degree(other) + 1], divided(one, other)[1]
    return one


def inverse(one: Polynomial, modulus: Polynomial) -> Polynomial:
    """Return the polynomial whose product with this one is 1 modulo another."""
    high, low = modulus[: degree(modulus) + 1], divided(one, modulus)[1]
    before, after = [Fraction(0)], ONE
    while degree(low) > 0:
        quotient, rest = divided(high, low)
        high, low = low[: degree(low) + 1], rest
        before, after = after, minus(before, times(quotient, after))
    return [x / low[0] for x in after]
