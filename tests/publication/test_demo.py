"""The demo runs from bundled data, twice to the same bytes.

If this failed, the first thing that a newcomer tries would not work.
"""

import pytest

from holdfast.foundation.errors import BadPlan
from holdfast.publication.demo.demo import demonstrate


def test_the_demo_tells_what_it_does_and_repeats_itself(tmp_path):
    out = tmp_path / "demo"
    first = list(demonstrate(out))
    assert sum("checks hold, 0 fail" in line for line in first) == 2
    assert any("report.html" in line for line in first)
    files = [out / f"{name}-release" / "table.csv" for name in ("taxi", "counties")]
    before = [path.read_bytes() for path in files]
    again = list(demonstrate(out))
    assert [path.read_bytes() for path in files] == before
    assert sum("sealed before" in line for line in again) == 2
    assert first[-2] == again[-2]  # the ledger has not moved


def test_files_of_others_are_left_alone(tmp_path):
    (tmp_path / "taxi.toml").write_text("mine")
    with pytest.raises(BadPlan, match="--out"):
        list(demonstrate(tmp_path))
    assert (tmp_path / "taxi.toml").read_text() == "mine"
    with pytest.raises(BadPlan, match="--out"):
        list(demonstrate(tmp_path / "taxi.toml"))
