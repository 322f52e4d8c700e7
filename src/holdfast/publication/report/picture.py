"""The error to expect by level, as a drawing within the page.

Places across are shares of the width and places down are pixels, so that letters keep their size
on a narrow screen. Its words are those of the table beside it, for who cannot see it.

Checked by. tests/publication/report/test_picture.py
"""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.publication.level_error import LevelError
from holdfast.publication.report.markup import Html, cell, joined, tag
from holdfast.publication.report.numerals import measure, power_of_ten
from holdfast.publication.report.reported import Reported

SPAN = 60  # per cent of the width from the smallest to the largest place
TOP, BLOCK, FOOT = 52, 68, 30  # pixels above the levels, of each, and below them
RADIUS = 5
MOST_RATIO = 30  # beyond it a common scale hides the small ones
MOST_TICKS = 4
TINY = 0.01  # smaller sizes stand where this one does, or nearer to 0
LONGEST = 30  # columns of type in a level's name; the whole name is in the words beside
WIDE = ("W", "F")


@dataclass(frozen=True, slots=True)
class Scale:
    """Where a size stands across: on a common scale, or by its powers of ten."""

    ticks: tuple[float, ...]
    logarithmic: bool

    def place(self, size: float) -> float:
        """Return the place of a size, in per cent of the width."""
        low, high = self.ticks[0], self.ticks[-1]
        if not self.logarithmic:
            return SPAN * size / high
        if size <= low:
            return 0.0
        return SPAN * math.log(size / low) / math.log(high / low)

    def named(self, tick: float) -> str:
        """Return a tick in words."""
        return power_of_ten(round(math.log10(tick))) if self.logarithmic else measure(tick)


def scale_of(sizes: Sequence[float]) -> Scale:
    """Return a scale on which all sizes can be read."""
    positive = [max(size, TINY) for size in sizes if size > 0] or [1.0]
    least, most = min(positive), max(positive)
    if most / least <= MOST_RATIO:
        return Scale(_even(most), logarithmic=False)
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most))
    step = math.ceil((high - low) / (MOST_TICKS - 1))
    exponents = range(low, low + step * math.ceil((high - low) / step) + 1, step)
    return Scale(tuple(10.0**exponent for exponent in exponents), logarithmic=True)


def _even(most: float) -> tuple[float, ...]:
    """Return 0, one step, and so on, up to the largest size or a little more."""
    unit = 10.0 ** math.floor(math.log10(most))
    steps = (unit * factor for factor in (0.2, 0.5, 1, 2, 5, 10))
    step = next(step for step in steps if most <= step * (MOST_TICKS - 1))
    return tuple(step * count for count in range(math.ceil(most / step) + 1))


def picture(reported: Reported) -> Html:
    """Return the drawing: for each level a disc (mean error) and a square (half-width)."""
    levels = reported.levels
    scale = scale_of([size for level in levels for size in (level.mean_error, level.half_width)])
    height = TOP + BLOCK * len(levels) + FOOT
    blocks = [_block(reported, scale, number) for number in range(len(levels))]
    inner = tag("svg", _grid(scale, height), *blocks, x=RADIUS + 2, y=0, class_="inner")
    return tag(
        "svg",
        tag("title", f"Error to expect by level, {len(levels)} levels"),
        tag("desc", "; ".join(_said(reported, level) for level in levels)),
        _legend(),
        inner,
        role="img",
        width="100%",
        height=height,
        class_="picture",
    )


def _said(reported: Reported, level: LevelError) -> str:
    """Return one level in words."""
    name = cell(reported.named(level.level))
    mean, half = measure(level.mean_error), measure(level.half_width)
    return f"{name}: mean absolute error {mean}, interval half-width {half}"


def _legend() -> Html:
    """Return what the two marks stand for, one above the other."""
    middle = RADIUS + 2
    return joined(
        [
            _disc(middle, 10),
            _text(24, 15, "mean absolute error"),
            _square(middle, 32),
            _text(24, 37, "half-width of the interval"),
        ]
    )


def _grid(scale: Scale, height: int) -> Html:
    """Return a line for each tick with its number at the foot."""
    last = len(scale.ticks) - 1
    parts = []
    for number, tick in enumerate(scale.ticks):
        across = f"{scale.place(tick):.2f}%"
        anchor = "start" if number == 0 else "end" if number == last else "middle"
        parts.append(tag("line", x1=across, x2=across, y1=TOP - 4, y2=height - FOOT, class_="grid"))
        parts.append(_text(across, height - 10, scale.named(tick), "tick", anchor=anchor))
    return joined(parts)


def _block(reported: Reported, scale: Scale, number: int) -> Html:
    """Return one level: its name, and below it a line with a mark for each size."""
    level = reported.levels[number]
    top = TOP + BLOCK * number
    mean, half = scale.place(level.mean_error), scale.place(level.half_width)
    return joined(
        [
            _text(0, top + 14, shortened(cell(reported.named(level.level))), "name"),
            _stem(mean, top + 30),
            _disc(f"{mean:.2f}%", top + 30),
            _text(f"{mean:.2f}%", top + 35, _size(level.mean_error), dx=RADIUS + 6),
            _stem(half, top + 52),
            _square(f"{half:.2f}%", top + 52),
            _text(f"{half:.2f}%", top + 57, _size(level.half_width), dx=RADIUS + 6),
        ]
    )


def _size(size: float) -> str:
    """Return a size beside its mark; none at all is said in words."""
    return measure(size) if size else "0 (no noise)"


def shortened(name: str) -> str:
    """Return a name cut to what fits; a wide letter takes two columns."""
    room = LONGEST
    for place, char in enumerate(name):
        room -= 2 if unicodedata.east_asian_width(char) in WIDE else 1
        if room < 0:
            return f"{name[: place - 1]}\N{HORIZONTAL ELLIPSIS}"
    return name


def _text(
    x: object, y: int, words: str, class_: str | None = None, anchor: str | None = None, dx: int = 0
) -> Html:
    return tag("text", words, x=x, y=y, dx=dx or None, text_anchor=anchor, class_=class_)


def _stem(across: float, y: int) -> Html:
    return tag("line", x1=0, x2=f"{across:.2f}%", y1=y, y2=y, class_="stem")


def _disc(x: object, y: int) -> Html:
    return tag("circle", cx=x, cy=y, r=RADIUS, class_="mean")


def _square(x: object, y: int) -> Html:
    """Return a square around a place: it is moved by half its side, which no share can say."""
    shape = tag(
        "rect",
        x=-RADIUS + 1,
        y=y - RADIUS + 1,
        width=2 * RADIUS - 2,
        height=2 * RADIUS - 2,
        class_="half",
    )
    return tag("svg", shape, x=x, y=0, class_="inner")
