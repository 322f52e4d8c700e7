"""The command `holdfast`: its words, and what it answers to the shell.

Exit codes: 0 done; 1 `verify` found something wrong; 2 the plan or the command line is wrong;
3 the budget does not allow it; 4 it could not be done.

Claim.      Nothing that a row holds reaches standard output or standard error.
Reason.     docs/theory/confidentiality.md#errors
Checked by. tests/cli/test_main.py
"""

import argparse
import sys
from collections.abc import Sequence

import holdfast
from holdfast.cli import ledger_words
from holdfast.cli.failure import code_of, said

DESCRIPTION = """\
Publish differentially private tables that add up, and certify what that costs.

First steps:
  holdfast demo                          the whole street on real data, in a few seconds
  holdfast ledger create budget.sqlite --epsilon 10
  holdfast preview plan.toml             the error to expect; no data is read
  holdfast publish plan.toml --out DIR   count, draw, certify, book, write
  holdfast verify DIR                    check a release without the data
"""
CODES = "exit codes: 0 done, 1 verify found a fault, 2 wrong plan or words, 3 over budget, 4 failed"


def main(words: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    parser = _parser()
    asked = parser.parse_args(words)
    if not hasattr(asked, "act"):
        parser.print_help()
        return 2
    try:
        code: int = asked.act(asked)
    except KeyboardInterrupt:
        sys.stderr.write("holdfast: stopped\n")
        return 4
    except Exception as error:  # noqa: BLE001  # no traceback may show what a row holds
        failure = error
    else:
        return code
    sys.stderr.write(said(failure))
    return code_of(failure)


def _parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="holdfast",
        description=DESCRIPTION,
        epilog=CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"holdfast {holdfast.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _demo(commands)
    _preview(commands)
    _publish(commands)
    _verify(commands)
    ledger_words.add(commands)
    return parser


def _demo(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    demo = commands.add_parser("demo", help="everything on bundled real data, no argument needed")
    demo.add_argument("--out", metavar="DIR", default="holdfast-demo", help="where to write")
    demo.set_defaults(act=_run("demo"))


def _preview(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    preview = commands.add_parser("preview", help="the error to expect, without reading the data")
    preview.add_argument("plan", metavar="PLAN", help="a plan in TOML")
    preview.add_argument("--json", action="store_true", help="one JSON object on standard output")
    preview.add_argument("--error", metavar='"LEVEL<=N"', help="the budget that this error needs")
    preview.set_defaults(act=_run("preview"))


def _publish(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    publish = commands.add_parser("publish", help="count, draw, constrain, certify, book, write")
    publish.add_argument("plan", metavar="PLAN", help="a plan in TOML")
    publish.add_argument("--out", metavar="DIR", required=True, help="a new folder")
    publish.add_argument(
        "--rehearse", action="store_true", help="invented counts, no data, no debit"
    )
    publish.add_argument("--key", metavar="FILE", help="an Ed25519 key (PEM) that signs the record")
    publish.set_defaults(act=_run("publish"))


def _verify(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    verify = commands.add_parser("verify", help="check a release without the data")
    verify.add_argument("folder", metavar="DIR", help="the folder of a release")
    verify.add_argument("--json", action="store_true", help="one JSON object on standard output")
    verify.set_defaults(act=_run("verify"))


def _run(name: str) -> "ledger_words.Act":
    """Return what a command does; its room is imported when it is asked for."""

    def act(asked: argparse.Namespace) -> int:
        from holdfast.cli import commands

        code: int = getattr(commands, name)(asked)
        return code

    return act
