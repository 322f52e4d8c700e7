"""The written rules as functions from source text to what is wrong with it."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "holdfast"

FLOORS: tuple[frozenset[str], ...] = (
    frozenset({"foundation", "kernels"}),
    frozenset({"worlds"}),
    frozenset({"noise", "solvers"}),
    frozenset({"privacy", "revision", "update", "data"}),
    frozenset({"mechanism"}),
    frozenset({"publication"}),
    frozenset({"cli", "page", "paper"}),
)
KEEPERS = {
    "cryptography": {"foundation/keystream.py", "foundation/signature.py"},
    "narwhals": {"worlds/frames.py"},
    "decimal": {"foundation/bounds.py", "foundation/exact.py", "noise/normal.py"},
    "random": set(),
    "secrets": set(),
    "pickle": set(),
    "time": set(),
    "datetime": set(),
    "scipy": {"solvers/gram.py", "solvers/quadratic.py", "solvers/whole_programme.py"},
    "piqp": {"solvers/quadratic.py"},
    "dp_accounting": set(),  # privacy/accounting.py loads it by name, where it is installed
    "pandas": set(),
    "polars": set(),
    "pyarrow": set(),
    "duckdb": {"data/duckdb_engine.py", "data/parquet_file.py"},
    "pyspark": {"data/spark_engine.py"},
    "py4j": {"data/spark_engine.py"},
    "numba": set(),
    "threading": {"foundation/randomness.py"},
    "os": {
        "foundation/randomness.py",
        "privacy/ledger/private_files.py",
        "data/spill.py",
        "publication/writing/folder.py",
    },
    "fcntl": {"privacy/ledger/private_files.py", "data/spill.py"},
    "sqlite3": {"privacy/ledger/sqlite_store.py"},
    "psycopg": {"privacy/ledger/postgres_store.py", "data/postgres_engine.py"},
    "hmac": {"privacy/ledger/chain.py"},
    "hashlib": {
        "foundation/randomness.py",
        "data/domain.py",
        "publication/plan/plan.py",
        "publication/writing/record.py",
        "publication/checking/verify.py",
    },
}
BROAD = {"worlds/frames.py", "cli/main.py"}  # docs/decisions/0003-one-broad-except.md
FORBIDDEN_NAMES = {"utils", "util", "misc", "common", "base", "core", "helpers", "manager"}
FORBIDDEN_WORDS = re.compile(
    r"\b(reconcil\w*|utils|helpers?|simply|obviously|TODO|FIXME|XXX|"
    r"cutting-edge|state[- ]of[- ]the[- ]art|seamless\w*|robust|leverag\w*)\b"
)
MOST_LINES, MOST_FUNCTION_LINES, MOST_PARAMETERS = 300, 40, 6


@dataclass(frozen=True)
class Module:
    """A source file by its path below the package, and its text."""

    path: str
    text: str

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def room(self) -> str:
        return self.path.split("/")[0].removesuffix(".py")


def modules() -> list[Module]:
    return [
        Module(str(path.relative_to(SOURCE)), path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    ]


def floor_of(room: str) -> int:
    for number, rooms in enumerate(FLOORS):
        if room in rooms:
            return number
    raise LookupError(f"the room {room!r} stands on no floor")


def imports(module: Module) -> Iterator[tuple[str, bool]]:
    """Yield each imported module, and whether it is imported for types only."""
    for_types = {
        child
        for node in ast.walk(module.tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for child in map(ast.dump, node.body)
    }
    for node in ast.walk(module.tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            yield name, ast.dump(node) in for_types


def layers(module: Module) -> list[str]:
    """Imports that do not point down."""
    if module.path == "__init__.py":
        return []
    wrong = []
    for name, _ in imports(module):
        parts = name.split(".")
        if parts[0] != "holdfast" or len(parts) < 2:
            continue
        room = parts[1]
        if room != module.room and floor_of(room) >= floor_of(module.room):
            wrong.append(f"{module.path} imports {name}")
    return wrong


def keepers(module: Module) -> list[str]:
    """Outside libraries imported elsewhere than by their keeper."""
    found = {name.split(".")[0] for name, _ in imports(module)}
    return [
        f"{module.path} imports {library}, kept by {sorted(KEEPERS[library]) or 'nobody'}"
        for library in sorted(found & set(KEEPERS))
        if module.path not in KEEPERS[library]
    ]


def sizes(module: Module) -> list[str]:
    """Modules, functions and parameter lists that have outgrown their noun."""
    wrong = []
    if module.text.count("\n") > MOST_LINES:
        wrong.append(f"{module.path}: more than {MOST_LINES} lines")
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            names = [a.arg for a in every if a.arg not in ("self", "cls")]
            if lines > MOST_FUNCTION_LINES:
                wrong.append(f"{module.path}: {node.name} has {lines} lines")
            if len(names) + (node.args.kwarg is not None) > MOST_PARAMETERS:
                wrong.append(f"{module.path}: {node.name} has {len(names)} parameters")
    return wrong


def words(module: Module) -> list[str]:
    """Names and words that the house does not use."""
    stems = set(Path(module.path).with_suffix("").parts)
    wrong = [f"{module.path}: the name {name}" for name in sorted(stems & FORBIDDEN_NAMES)]
    return wrong + [
        f"{module.path}: the word {match.group()!r}"
        for match in FORBIDDEN_WORDS.finditer(module.text)
    ]


def habits(module: Module) -> list[str]:
    """Broad excepts, asserts that -O removes, and work done at import."""
    wrong = []
    for node in ast.walk(module.tree):
        broad = isinstance(node, ast.ExceptHandler) and (
            node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException")
        )
        if broad and module.path not in BROAD:
            wrong.append(f"{module.path}: a broad except")
        if isinstance(node, ast.Assert):
            wrong.append(f"{module.path}: an assert, which -O removes")
        if isinstance(node, ast.Name) and node.id in ("print", "eval", "exec", "open"):
            wrong.append(f"{module.path}: {node.id}")
    for node in module.tree.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call):
            wrong.append(f"{module.path}: work at import")
    return wrong


def anchors(text: str) -> set[str]:
    """The addresses of a Markdown page's headings."""
    return {
        re.sub(r"[^a-z0-9 _-]", "", title.lower()).strip().replace(" ", "-")
        for title in re.findall(r"^#+\s+(.*)$", text, flags=re.MULTILINE)
    }


def broken(address: str) -> bool:
    """Whether a link to a page, a heading or a test leads nowhere."""
    page, _, heading = address.partition("#")
    path = ROOT / page
    return not path.exists() or bool(heading and heading not in anchors(path.read_text()))


LINK = re.compile(r"\b((?:docs|tests|benchmarks)/[\w/.-]+\.(?:md|py)(?:#[\w-]+)?)")


def links(module: Module) -> list[str]:
    """Addresses in the text that do not exist; claims without reason and test."""
    wrong = [
        f"{module.path}: {address}"
        for address in LINK.findall(module.text)
        if broken(address.rstrip("."))
    ]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node) or ""
            whole = all(word in text for word in ("Reason.", "Checked by."))
            if "Claim." in text and not whole:
                wrong.append(f"{module.path}: a claim without a reason or a test")
    return wrong


RULES = {rule.__name__: rule for rule in (layers, keepers, sizes, words, habits, links)}
