"""The look of a report: one column, two schemes of colour, cards on a phone, plain in print.

Every rule stands under one class, so that a notebook's own look stays as it is.

Checked by. tests/publication/report/test_stylesheet.py
"""

SCOPE = ".holdfast"
LIGHT = {
    "paper": "#ffffff",
    "ink": "#1d2733",
    "dim": "#56616e",
    "line": "#d3d9df",
    "pale": "#f3f5f7",
    "mean": "#1b5fa8",
    "half": "#9a4a00",
    "good": "#1d6b3a",
    "bad": "#a8201a",
}
DARK = {
    "paper": "#14181d",
    "ink": "#e6e9ec",
    "dim": "#a7b1bb",
    "line": "#3a434d",
    "pale": "#1e242b",
    "mean": "#86b7f0",
    "half": "#f0a860",
    "good": "#7fce98",
    "bad": "#ff9a8d",
}
RULES = """
§{background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",
"Noto Sans","DejaVu Sans",sans-serif;max-width:62rem;margin:0 auto;padding:1rem;
overflow-wrap:anywhere;font-variant-numeric:tabular-nums lining-nums;text-align:left;
-webkit-text-size-adjust:100%;text-size-adjust:100%;box-sizing:border-box}
§ *{box-sizing:border-box}
§ h1{font-size:1.75rem;line-height:1.2;margin:.6rem 0;color:inherit}
§ h2{font-size:1.3rem;line-height:1.25;margin:2.4rem 0 .6rem;padding-top:.8rem;
border-top:1px solid var(--line);color:inherit}
§ h3{font-size:1.05rem;margin:1.6rem 0 .4rem;color:inherit}
§ p,§ ul,§ ol,§ dl{max-width:44rem;margin:.6rem 0}
§ ul,§ ol{padding-left:1.3rem}
§ li{margin:.35rem 0}
§ a{color:var(--mean)}
§ code{font:.9em ui-monospace,"DejaVu Sans Mono",monospace;background:none;color:inherit}
§ .first{font-size:1.15rem;font-weight:600}
§ .kind{color:var(--dim);font-size:.9em}
§ .held{color:var(--good)}
§ .broken{color:var(--bad)}
§ dl div{display:grid;grid-template-columns:9rem 1fr;gap:.2rem .8rem;padding:.3rem 0;
border-bottom:1px solid var(--line)}
§ dt{color:var(--dim);font-weight:400}
§ dd{margin:0}
§ .contents ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem}
§ .stamp{position:sticky;top:0;z-index:2;background:var(--paper);color:var(--bad);
border:3px solid var(--bad);padding:.5rem .8rem;font-weight:700;text-align:center;
letter-spacing:.04em;max-width:none;margin:0 0 1rem}
§ figure{margin:1rem 0;max-width:44rem}
§ figcaption{color:var(--dim);font-size:.9em}
§ .picture{display:block;font-size:13px;overflow:hidden}
§ .inner{overflow:visible}
§ .picture text{fill:var(--ink);unicode-bidi:plaintext}
§ .picture .name{font-weight:600}
§ .picture .tick{fill:var(--dim);font-size:12px}
§ .grid{stroke:var(--line)}
§ .stem{stroke:var(--dim)}
§ .mean{fill:var(--mean)}
§ .half{fill:var(--half)}
§ .scroll{overflow-x:auto;margin:1rem 0}
§ table{border-collapse:collapse;width:100%;font-size:.93rem;margin:0;color:inherit;border:0}
§ caption{text-align:left;font-weight:600;padding:.4rem 0;color:inherit}
§ th,§ td{padding:.3rem .6rem .3rem 0;text-align:left;vertical-align:top;
border:0;border-bottom:1px solid var(--line);background:none;font-weight:400;white-space:normal}
§ thead th{font-weight:600;border-bottom:2px solid var(--dim);vertical-align:bottom}
§ tbody th{font-weight:600}
§ .nodes th,§ .label,§ .above{min-width:5.5rem}
§ .n{text-align:right;overflow-wrap:normal;padding-right:0;padding-left:.6rem}
§ td.n{white-space:nowrap}
§ .value{font-weight:600}
§ .above,§ .lower,§ .upper{color:var(--dim)}
§ .note,§ thead .n+th:not(.n){padding-left:1rem}
§ .note{color:var(--half)}
§ .derivation,§ .derivation ul{list-style:none;padding-left:.9rem;border-left:2px solid var(--line)}
§ .derivation ul ul ul ul ul ul{padding-left:0;border-left:0}
@media screen and (max-width:640px){
§ dl div{grid-template-columns:1fr}
§ .figures thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
§ .figures,§ .figures tbody,§ .figures caption{display:block}
§ .figures tr{display:block;padding:.4rem 0;border-bottom:1px solid var(--line)}
§ .figures tbody th,§ .figures td{display:flex;justify-content:space-between;border:0;padding:0}
§ .figures td::before{content:attr(data-name);color:var(--dim)}
}
@media print{
§{max-width:none;padding:0;font-size:10.5pt}
§ .scroll{overflow:visible}
§ h2,§ h3,§ caption{break-after:avoid}
§ tr,§ figure,§ li{break-inside:avoid}
§ thead{display:table-header-group}
§ .nodes th,§ .nodes .label,§ .nodes .above{min-width:4rem}
§ .figures{break-inside:avoid}
§ .contents{display:none}
§ .stamp{position:static}
}
"""
CARDS = """
§ thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
§,§ tbody,§ caption{display:block}
§ tr{display:flex;flex-wrap:wrap;align-items:baseline;column-gap:.5rem;padding:.4rem 0;
border-bottom:1px solid var(--line)}
§ tbody th,§ td{border:0;padding:0;min-width:0}
§ tbody th{flex:1 1 auto;max-width:100%}
§ tr::before{content:"";flex-basis:100%;order:3}
§ .none{display:none}
§ .above::after{content:" \\203a"}
§ .value{order:1;margin-left:auto}
§ .label{order:2;flex-basis:100%;color:var(--dim)}
§ td.lower,§ td.upper{order:4;padding:0}
§ .upper::before{content:"to "}
§ .note{order:5;padding:0;margin-left:auto}
"""
PAGE = """
@page{size:A4;margin:16mm 14mm}
§ .watermark{position:fixed;top:45%;left:0;right:0;text-align:center;white-space:nowrap;
font:700 min(6vw,3.4rem)/1 sans-serif;color:var(--bad);opacity:.16;transform:rotate(-24deg);
pointer-events:none;z-index:1}
"""


def colours(scheme: dict[str, str]) -> str:
    """Return a scheme as properties that rules refer to."""
    return ";".join(f"--{name}:{value}" for name, value in scheme.items())


def scoped() -> str:
    """Return the rules that stand under one class."""
    light = f"§{{color-scheme:light dark;{colours(LIGHT)}}}"
    dark = f"@media screen and (prefers-color-scheme:dark){{§{{{colours(DARK)}}}}}"
    phone = f"@media screen and (max-width:640px){{{cards('.nodes')}}}\n"
    return f"{light}\n{dark}{RULES}".replace("§", SCOPE) + phone + cards(".deep")


def cards(kind: str) -> str:
    """Return the rules that make cards of the rows of one kind of table.

    They serve a narrow screen, and a tree of many levels anywhere.
    """
    return CARDS.replace("§", f"{SCOPE} {kind}")


def of_page() -> str:
    """Return all rules of a page of its own."""
    return f"{scoped()}{PAGE}".replace("§", SCOPE)
