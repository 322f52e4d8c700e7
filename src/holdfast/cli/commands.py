"""What the commands do, but for those of the ledger."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from holdfast.foundation.progress import Bar
from holdfast.publication.checking.verify import verify as verify_folder
from holdfast.publication.demo.demo import demonstrate
from holdfast.publication.forecast.forecast_text import table_of, words_of
from holdfast.publication.plan.reading import read_plan
from holdfast.publication.preview import budget_needed
from holdfast.publication.preview import preview as preview_plan
from holdfast.publication.publish import publish as publish_plan
from holdfast.publication.publish import rehearse


def demo(asked: argparse.Namespace) -> int:
    """Run the whole street on bundled data."""
    for line in demonstrate(Path(asked.out), Bar(sys.stderr)):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return 0


def publish(asked: argparse.Namespace) -> int:
    """Publish what a plan asks."""
    plan, out = read_plan(Path(asked.plan)), Path(asked.out)
    key = Path(asked.key) if asked.key else None
    if asked.rehearse:
        done = rehearse(plan, out, Bar(sys.stderr))
    else:
        done = publish_plan(plan, out, key, Bar(sys.stderr))
    sys.stdout.write(f"{done.said()}\n")
    return 0


def preview(asked: argparse.Namespace) -> int:
    """Show the error to expect."""
    plan, bar = read_plan(Path(asked.plan)), Bar(sys.stderr)
    if asked.error:
        needed = budget_needed(plan, asked.error, bar)
        text = json.dumps(needed.words(), indent=2) if asked.json else needed.said()
    else:
        streets = preview_plan(plan, bar)
        text = json.dumps(words_of(streets), indent=2) if asked.json else table_of(streets)
    sys.stdout.write(f"{text}\n")
    return 0


def verify(asked: argparse.Namespace) -> int:
    """Check a release."""
    findings = verify_folder(Path(asked.folder))
    holds = all(finding.holds for finding in findings)
    if asked.json:
        words = {"holds": holds, "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(words, indent=2, ensure_ascii=False) + "\n")
        return 0 if holds else 1
    for finding in findings:
        sign = "ok   " if finding.holds else "WRONG"
        sys.stdout.write(f"{sign} {finding.check}: {finding.found}\n")
    sys.stdout.write("All holds.\n" if holds else "Something is wrong: see above.\n")
    return 0 if holds else 1
