"""The record of a release: all that a stranger needs, and nothing private.

If this failed, a release could not be checked, or would say what it must not.
"""

import json

from holdfast.publication.writing.record import laws_of, with_files
from tests.publication.released import COUNTS, record_in, release_to


def test_it_says_what_a_stranger_needs(tmp_path):
    release_to(tmp_path / "out")
    record = record_in(tmp_path / "out")
    wanted = {
        "format", "version", "name", "rehearsal", "software", "plan", "tree", "laws",
        "certificate", "interval", "levels", "moved", "files",
    }  # fmt: skip
    assert set(record) == wanted
    assert record["tree"] == {"root": "NYC", "levels": ["Borough", "Zone"], "nodes": 8, "leaves": 4}
    assert len(record["laws"]) == 3
    assert record["certificate"]["epsilon"] == "1"


def test_it_holds_no_seed_no_noise_and_no_path_of_the_machine(tmp_path):
    release = release_to(tmp_path / "out")
    text = json.dumps(record_in(tmp_path / "out"))
    assert str(tmp_path) not in text
    assert "seed" not in text
    noise = [int(n) for n in release.value[-4:] - COUNTS]
    assert str(noise) not in text


def test_digests_are_of_the_files():
    words = json.loads(with_files({"a": 1}, {"x": b"abc"}))
    assert words["files"]["x"]["bytes"] == 3
    assert words["files"]["x"]["sha256"].startswith("ba7816bf")


def test_laws_are_those_drawn_from():
    import holdfast as hf
    from tests.publication.released import TREE

    mechanism = hf.Mechanism.calibrate(TREE, "discrete-laplace", epsilon=1)
    revised = mechanism.revise(TREE.sums(), method="messages")
    assert laws_of(revised.update(TREE.sums())) == revised.mechanism.laws != mechanism.laws
    assert laws_of(mechanism.update(TREE.sums())) == mechanism.laws
