"""The words of `holdfast ledger`."""

import argparse
from collections.abc import Callable

Act = Callable[[argparse.Namespace], int]
Commands = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the ledger's commands."""
    ledger = commands.add_parser("ledger", help="make, show, keep and move a budget")
    inner = ledger.add_subparsers(title="ledger commands", metavar="COMMAND", required=True)
    create = inner.add_parser("create", help="make a ledger with a budget")
    create.add_argument("file", metavar="FILE", help="where the ledger is kept")
    create.add_argument("--epsilon", metavar="E", help="the budget, an exact decimal")
    create.add_argument("--rho", metavar="R", help="the budget in zCDP, instead of epsilon")
    create.add_argument("--delta", metavar="D", help="beside it; 0.000000000001 where left out")
    relations = ("add-remove", "replace-one")
    create.add_argument("--neighbours", choices=relations, help="else the first debit's")
    create.add_argument("--unit", choices=("row", "person"), help="else the first debit's")
    create.set_defaults(act=_run("create"))
    show = inner.add_parser("show", help="what was spent, what is left, and on what")
    show.add_argument("file", metavar="FILE")
    show.add_argument("--json", action="store_true", help="one JSON object on standard output")
    show.set_defaults(act=_run("show"))
    backup = inner.add_parser("backup", help="write a verified copy, without the key")
    backup.add_argument("file", metavar="FILE")
    backup.add_argument("folder", metavar="DIR", help="a new folder")
    backup.set_defaults(act=_run("backup"))
    restore = inner.add_parser("restore", help="bring a backup back; nothing spent is forgotten")
    restore.add_argument("folder", metavar="DIR", help="the folder of a backup")
    restore.add_argument("file", metavar="FILE", help="where the ledger shall be")
    restore.set_defaults(act=_run("restore"))
    move = inner.add_parser("move", help="close a ledger here and go on there")
    move.add_argument("file", metavar="FILE")
    move.add_argument("target", metavar="NEW")
    move.set_defaults(act=_run("move"))


def _run(name: str) -> Act:
    """Return what a command does; its room is imported when it is asked for."""

    def act(asked: argparse.Namespace) -> int:
        from holdfast.cli import ledger_commands

        code: int = getattr(ledger_commands, name)(asked)
        return code

    return act
