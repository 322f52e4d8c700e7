"""Whatever is changed in a release is found, and named, without the data.

If this failed, a forged table would carry our name.
"""

import csv
import hashlib
import io
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import holdfast as hf
from holdfast.publication.checking import verify as room
from holdfast.publication.checking.verify import verify
from holdfast.publication.writing.record import signature_of
from tests.publication.released import TREE, record_in, release_to
from tests.publication.samples import PLAN, changed

REPLACED = changed(
    PLAN,
    ('"add-remove"', '"replace-one"'),
    ("nonnegative = true\n", "nonnegative = true\ntotal = 60\n"),
)
PLANS = {
    "the street": PLAN,
    "sums alone": changed(PLAN, ("nonnegative = true", "nonnegative = false")),
    "a public total": REPLACED,
    "messages": PLAN + '[method]\nsampler = "messages"\n',
    "rho": changed(PLAN, ('epsilon = "1"', 'rho = "0.1"'))
    + '[method]\nnoise = "discrete-gaussian"\n',
}


def wrong(folder) -> list[str]:
    return [finding.check for finding in verify(folder) if not finding.holds]


@pytest.mark.parametrize("name", PLANS)
def test_a_release_holds(tmp_path, name):
    release_to(tmp_path / "out", PLANS[name])
    findings = verify(tmp_path / "out")
    assert [finding for finding in findings if not finding.holds] == []
    checks = {finding.check for finding in findings}
    assert {"record", "table", "rules", "intervals", "certificate", "derivation"} <= checks


def rewrite(folder, change) -> None:
    """Change the table's rows, and the digest in the record with them: a consistent forgery."""
    path = folder / "table.csv"
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))
    change(rows)
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    path.write_bytes(text.getvalue().encode())
    redigest(folder)


def redigest(folder, change=lambda record: None) -> None:
    """Change the record, and have its digests be those of the files."""
    record = record_in(folder)
    for name in record["files"]:
        content = (folder / name).read_bytes()
        record["files"][name] = {
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    change(record)
    (folder / "record.json").write_text(json.dumps(record))


VALUE = 2


def _one_more(rows):
    rows[-1][VALUE] = str(int(rows[-1][VALUE]) + 1)


def _moved(rows):
    """Keep every sum that is above, and break none but the signs."""
    below = [row for row in rows[1:] if row[0] == "A" and row[1]]
    first, second = below
    first[VALUE] = str(int(first[VALUE]) + int(second[VALUE]) + 5)
    second[VALUE] = "-5"


def _no_root(rows):
    del rows[1]


def _no_leaf(rows):
    del rows[-1]


def _twice(rows):
    rows.append(rows[-1])


def _a_node_more(rows):
    rows.append(["Z", "z", "0", "0", "0", "0"])


def _half(rows):
    rows[-1][VALUE] += ".5"


def _far_interval(rows):
    rows[-1][VALUE + 1], rows[-1][VALUE + 2] = "100000", "100001"


FORGERIES = {
    _one_more: "rules",
    _moved: "rules",
    _no_root: "table",
    _no_leaf: "table",
    _twice: "table",
    _a_node_more: "table",
    _half: "table",
    _far_interval: "intervals",
}


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda f: f.__name__)
def test_a_table_that_was_rewritten_with_its_digest_is_found(tmp_path, forgery):
    """By the sums themselves, not by digests."""
    release_to(tmp_path / "out")
    rewrite(tmp_path / "out", forgery)
    assert FORGERIES[forgery] in wrong(tmp_path / "out")


def _epsilon(record):
    record["certificate"]["epsilon"] = "0.5"


def _calibration(record):
    return record["certificate"]["reason"]["of"][0]["of"][0]


def _costs(record, epsilon):
    record["certificate"]["epsilon"] = epsilon
    node = record["certificate"]["reason"]
    while True:
        node["cost"]["epsilon"] = epsilon
        if not node["of"]:
            return
        node = node["of"][0]


def _fewer_touched(record):
    noise = _calibration(record)
    noise["numbers"]["touched"] = [1, 1, 0]
    _costs(record, "2/3")


def _other_laws(record):
    noise = _calibration(record)
    for law in noise["numbers"]["laws"]:
        law["scale"] = "6"
    _costs(record, "0.5")


def _no_reason(record):
    record["certificate"]["reason"]["of"] = []


def _unknown_reason(record):
    record["certificate"]["reason"]["name"] = "blessing"


def _other_relation(record):
    record["certificate"]["promise"]["neighbours"] = "replace-one"


def _rule_gone(record):
    record["plan"]["rules"]["nonnegative"] = False


def _no_plan(record):
    del record["plan"]


def _words_for_rules(record):
    record["plan"]["rules"] = "sums"


def _other_tree(record):
    record["tree"]["nodes"] += 1


def _version(record):
    record["version"] = 2


RECORDS = {
    _epsilon: "certificate",
    _fewer_touched: "derivation",
    _other_laws: "derivation",
    _no_reason: "certificate",
    _unknown_reason: "certificate",
    _other_relation: "certificate",
    _rule_gone: "rules",
    _no_plan: "rules",
    _words_for_rules: "rules",
    _other_tree: "table",
    _version: "record",
}


@pytest.mark.parametrize("change", RECORDS, ids=lambda change: change.__name__)
def test_a_changed_record_is_found(tmp_path, change):
    release_to(tmp_path / "out")
    redigest(tmp_path / "out", change)
    assert RECORDS[change] in wrong(tmp_path / "out")


def test_damaged_and_missing_files_are_found(tmp_path):
    out = tmp_path / "out"
    release_to(out)
    good = (out / "table.csv").read_bytes()
    (out / "table.csv").write_bytes(good.replace(b"NYC", b"") + b"\r\n")
    assert "file table.csv" in wrong(out)
    (out / "table.csv").unlink()
    assert {"file table.csv", "table"} <= set(wrong(out))
    (out / "table.csv").write_bytes(good)
    assert wrong(out) == []
    (out / "more.csv").write_text("1")
    assert wrong(out) == ["no other file"]
    (out / "more.csv").unlink()
    (out / "table.csv").unlink()
    (tmp_path / "elsewhere.csv").write_bytes(good)
    (out / "table.csv").symlink_to(tmp_path / "elsewhere.csv")
    assert "file table.csv" in wrong(out)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'{"files": 3}', b"[" * 10**5])
def test_what_is_no_record_is_found(tmp_path, content):
    (tmp_path / "record.json").write_bytes(content)
    assert wrong(tmp_path) == ["record"]


def test_no_folder_is_found(tmp_path):
    assert wrong(tmp_path / "none") == ["record"]
    assert wrong(tmp_path) == ["record"]


def test_a_name_that_leads_elsewhere_is_found(tmp_path):
    out = tmp_path / "out"
    release_to(out)
    redigest(out, lambda record: record["files"].update({"../x": {"bytes": 1, "sha256": ""}}))
    assert "file ../x" in wrong(out)


def test_a_signature_is_checked(tmp_path):
    out, key_file = tmp_path / "out", tmp_path / "key.pem"
    key = Ed25519PrivateKey.generate()
    key_file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    release_to(out)
    (out / "signature.json").write_bytes(signature_of((out / "record.json").read_bytes(), key_file))
    assert wrong(out) == []
    redigest(out, lambda record: record["software"].update(holdfast="9"))
    assert wrong(out) == ["signature"]


def test_a_priced_revision_is_priced_again_on_the_tree(tmp_path):
    """Not published today; the derivation's walk is ready for it."""
    from holdfast.publication.checking.derivation import check_derivation

    rules = TREE.sums() & hf.nonnegative()
    given = hf.Mechanism.calibrate(TREE, "discrete-laplace", epsilon=1).revise(rules)
    from holdfast.privacy.certificate.written import write_number

    laws = [write_number(law) for law in given.mechanism.laws]
    assert "reasons" in check_derivation(given.certificate, TREE, rules, laws)


def test_verify_that_trusts_digests_is_caught(tmp_path, monkeypatch):
    """A twin that does not look at the numbers passes the forgery."""
    release_to(tmp_path / "out")
    rewrite(tmp_path / "out", _one_more)
    assert wrong(tmp_path / "out") != []
    monkeypatch.setattr(room._Checks, "_check_rules", lambda self: "trusted")
    assert "rules" not in wrong(tmp_path / "out")
