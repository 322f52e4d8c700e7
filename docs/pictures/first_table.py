"""Draw docs/pictures/first_table.svg from a run of examples/first_table.py with a seed.

Run: python -m docs.pictures.first_table
"""

from pathlib import Path

from examples.first_table import BOROUGHS, TABLE, TREE, two_tables

import holdfast as hf

ROW, WIDTH, LEFT, RIGHT = 22, 760, 240, 540
NOISY, REVISED_AT = 650, WIDTH - 14
SCALE = 1.1  # pixels a trip of noise
INK, PALE, RED = "#1d2733", "#c9d1d9", "#b3341f"


def bar(top: float, noise: int, fill: str) -> str:
    """Return the bar of one node's noise, from the middle line."""
    middle = (LEFT + RIGHT) / 2
    start, length = min(middle, middle + noise * SCALE), abs(noise) * SCALE
    return (
        f'<rect x="{start:.1f}" y="{top + 2:.1f}" width="{length:.1f}" height="6" fill="{fill}"/>'
    )


def text(x: float, y: float, words: str, anchor: str = "start", style: str = "") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {style}>{words}</text>'


def picture() -> str:
    """Return both tables as a drawing: plain noise pale, revised noise dark, the counts beside."""
    noisy, revised = two_tables(hf.seeded(7))
    height = ROW * (TREE.size + 6)
    middle = (LEFT + RIGHT) / 2
    bold = 'font-weight="600"'
    rows = [
        text(12, 24, "Taxi trips with exact discrete Laplace noise, epsilon 0.1", style=bold),
        text(12, 46, "the bars are the noise: pale as drawn, dark as revised on the sums"),
        text(NOISY, 2.9 * ROW, "noisy", "end", f'fill="{RED}"'),
        text(REVISED_AT, 2.9 * ROW, "revised", "end", bold),
        f'<line x1="{middle}" x2="{middle}" y1="{3.2 * ROW}" y2="{ROW * (TREE.size + 3.2)}" '
        f'stroke="{PALE}"/>',
    ]
    for node, path in enumerate(TREE.paths):
        top = ROW * (node + 3)
        name = ", ".join(map(str, path)) or TREE.root
        style = "" if path else bold
        rows.append(text(12 + 16 * len(path), top + 15, name, style=style))
        rows.append(bar(top + 1, noisy[node] - TABLE[node], PALE))
        rows.append(bar(top + 8, revised[node] - TABLE[node], INK))
        rows.append(text(NOISY, top + 15, f"{noisy[node]:,}", "end", f'fill="{RED}"'))
        rows.append(text(REVISED_AT, top + 15, f"{revised[node]:,}", "end", style))
    gap = noisy[0] - sum(noisy[BOROUGHS])
    words = f"the noisy total misses the sum of its boroughs by {gap:+,}"
    rows.append(text(12, ROW * (TREE.size + 4.2), words, style=f'fill="{RED}"'))
    missed = revised[0] - sum(revised[BOROUGHS])
    words = f"the revised one misses it by {missed:,}: every sum holds, at the same epsilon"
    rows.append(text(12, ROW * (TREE.size + 5.2), words, style=bold))
    body = "\n".join(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="system-ui, sans-serif" font-size="14" fill="{INK}" role="img" '
        f'aria-label="A noisy and a revised table of taxi trips">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), encoding="utf-8")
