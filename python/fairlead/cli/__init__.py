"""``fairlead``: the command line, also ``python -m fairlead``.

One module of this package per command, of the command's name. It offers::

    HELP = "one line, for the list of commands"
    def register(parser: argparse.ArgumentParser) -> None   # adds the arguments
    def run(options: argparse.Namespace) -> int             # returns the exit status

Exit status: 0 done, 1 the command failed (its message is on standard error), 2 wrong usage. A module is
imported only for its own command or for the help, so none may import the compiler or a framework at its top.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
from typing import Any

from fairlead import __version__
from fairlead._hints import did_you_mean


class _Parser(argparse.ArgumentParser):
    """A parser whose errors name the command or option nearest to an unknown one."""

    def parsed(self, arguments: list[str]) -> argparse.Namespace:
        """Return the options, like parse_args."""
        options, unknown = self.parse_known_args(arguments)
        if unknown:
            option = unknown[0].partition("=")[0]
            hint = did_you_mean(option, self._options()) if option.startswith("--") else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return options

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            listed = ", ".join(map(repr, names))
            text = (
                f"invalid choice: {value!r} (choose from {listed}){did_you_mean(str(value), names)}"
            )
            raise argparse.ArgumentError(action, text)

    def _options(self) -> list[str]:
        return [option for parser in self._all() for option in parser._option_string_actions]

    def _all(self) -> list[argparse.ArgumentParser]:
        """This parser and those of the commands."""
        parsers: list[argparse.ArgumentParser] = [self]
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
        return parsers


class CommandError(Exception):
    """Ends a command with exit status 1; its text is shown without a traceback."""


def commands() -> list[str]:
    """Names of the commands, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name[0] != "_")


def parser_of(arguments: list[str]) -> _Parser:
    """The parser of the command line: of all commands, or only of the one that `arguments` begin with."""
    parser = _Parser(
        prog="fairlead", description="Compute kernels written once, called from anywhere."
    )
    parser.add_argument("--version", action="version", version=f"fairlead {_version()}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    names = [name for name in commands() if name in arguments[:1]] or commands()
    for name in names:
        module = importlib.import_module(f"{__name__}.{name}")
        command = subparsers.add_parser(name, help=module.HELP, description=module.__doc__)
        command.formatter_class = argparse.RawDescriptionHelpFormatter
        module.register(command)
        command.set_defaults(run=module.run)
    _complete(parser)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line `arguments` (the process's, if None); returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = parser_of(arguments)
    options = parser.parsed(arguments)
    if options.command is None:
        parser.print_help()
        return 2
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except CommandError as error:
        print(f"fairlead {options.command}: {error}", file=sys.stderr)
    except OSError as error:
        # Output that was not written yet would raise again at the end of the process.
        if sys.__stdout__ is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
        if not isinstance(
            error, BrokenPipeError
        ):  # `head` and the like stop reading: no error of theirs
            print(f"fairlead {options.command}: {error}", file=sys.stderr)
    return 1


def _complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell that asks for completions of a line, if argcomplete is installed."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser)


def _version() -> str:
    return __version__
