"""The written rules run over the whole house, and each catches a planted violation."""

import pytest

from tests.house.houses import RULES, Module, modules

HOUSE = modules()


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_the_house_keeps_the_rule(rule):
    assert [fault for module in HOUSE for fault in rule(module)] == []


def test_the_whole_house_is_looked_at():
    assert len(HOUSE) > 100
    rooms = "foundation kernels worlds noise solvers privacy revision update mechanism"
    assert set(rooms.split()) <= {module.room for module in HOUSE}


PLANTED = {
    "layers": [
        ("worlds/x.py", "from holdfast.noise.law import Law"),
        ("kernels/x.py", "from holdfast.foundation.errors import Fault"),
        ("noise/x.py", "import holdfast.mechanism"),
        ("worlds/x.py", "def f():\n    from holdfast.mechanism import Mechanism"),
    ],
    "keepers": [
        ("noise/x.py", "import random"),
        ("noise/x.py", "import os"),
        ("worlds/x.py", "import narwhals as nw"),
        ("noise/x.py", "def f():\n    from scipy.stats import norm"),
        ("foundation/x.py", "from cryptography.hazmat import primitives"),
    ],
    "sizes": [
        ("noise/x.py", "\n" * 301),
        ("noise/x.py", "def f():\n" + "    x = 1\n" * 41),
        ("noise/x.py", "def f(a, b, c, d, *, e, f, g): ..."),
    ],
    "words": [
        ("noise/utils.py", ""),
        ("noise/x.py", '"""We reconcile the table."""'),
        ("noise/x.py", "# TODO later"),
        ("noise/x.py", "# simply add"),
    ],
    "habits": [
        ("noise/x.py", "try:\n    x = 1\nexcept Exception:\n    pass"),
        ("noise/x.py", "try:\n    x = 1\nexcept:\n    pass"),
        ("noise/x.py", "def f(x):\n    assert x"),
        ("noise/x.py", "start()"),
        ("noise/x.py", "def f():\n    print(1)"),
    ],
    "links": [
        ("noise/x.py", '"""Reason. docs/theory/nowhere.md"""'),
        ("noise/x.py", '"""Reason. docs/theory/noise.md#nowhere"""'),
        ("noise/x.py", '"""Checked by. tests/noise/test_nothing.py"""'),
        ("noise/x.py", '"""Claim. All is well."""'),
    ],
}


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [(rule, path, text) for rule, cases in PLANTED.items() for path, text in cases],
)
def test_a_planted_violation_is_caught(rule, path, text):
    assert RULES[rule](Module(path, text)) != []


def test_every_rule_has_a_planted_violation():
    assert set(PLANTED) == set(RULES)


def test_a_room_on_no_floor_is_caught():
    with pytest.raises(LookupError, match="stands on no floor"):
        RULES["layers"](Module("noise/x.py", "from holdfast.attic import Box"))
