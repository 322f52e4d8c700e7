"""Draw docs/pictures/first_table.svg from a run of examples/first_table.py with a seed.

Run: python -m docs.pictures.first_table
"""

from pathlib import Path

from examples.first_table import noisy_table

import holdfast as hf

ROW, WIDTH, LEFT, RIGHT = 22, 720, 260, 590
SCALE = 1.1  # pixels a trip of noise
INK, PALE, RED = "#1d2733", "#c9d1d9", "#b3341f"


def bar(top: float, noise: int) -> str:
    """Return the bar of one node's noise, from the middle line."""
    middle = (LEFT + RIGHT) / 2
    start, length = min(middle, middle + noise * SCALE), abs(noise) * SCALE
    return (
        f'<rect x="{start:.1f}" y="{top + 5:.1f}" width="{length:.1f}" height="11" fill="{INK}"/>'
    )


def text(x: float, y: float, words: str, anchor: str = "start", style: str = "") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {style}>{words}</text>'


def picture() -> str:
    """Return the noisy table as a drawing: a bar for each node's noise, the counts beside it."""
    tree, table, noisy = noisy_table(hf.seeded(7))
    height = ROW * (tree.size + 5)
    middle = (LEFT + RIGHT) / 2
    bold = 'font-weight="600"'
    rows = [
        text(12, 24, "Taxi trips with exact discrete Laplace noise, epsilon 0.1", style=bold),
        text(12, 46, "the bars are the noise; the numbers are what would be seen"),
        f'<line x1="{middle}" x2="{middle}" y1="{2.8 * ROW}" y2="{ROW * (tree.size + 3)}" '
        f'stroke="{PALE}"/>',
    ]
    for number, (path, count, seen) in enumerate(zip(tree.paths, table, noisy, strict=True)):
        top = ROW * (number + 3)
        name = ", ".join(map(str, path)) or tree.root
        rows.append(text(12 + 16 * len(path), top + 15, f"{name}", style="" if path else bold))
        rows.append(bar(top, seen - count))
        rows.append(text(WIDTH - 20, top + 15, f"{seen:,}", "end"))
    boroughs = sum(noisy[1:8])
    gap = noisy[0] - boroughs
    words = f"the total misses the sum of its boroughs by {gap:+,}: it does not add up yet"
    rows.append(text(12, ROW * (tree.size + 4), words, style=f'fill="{RED}" {bold}'))
    body = "\n".join(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="system-ui, sans-serif" font-size="14" fill="{INK}" role="img" '
        f'aria-label="A noisy table of taxi trips">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), encoding="utf-8")
