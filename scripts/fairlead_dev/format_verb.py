"""./run format: clang-format and ruff over the tracked sources."""

import argparse
import subprocess

from . import environment, steps

TOOLS = ("clang-format", "ruff check", "ruff format")
_CPP = (".h", ".hpp", ".c", ".cc", ".cpp", ".cu")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run format", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, only look")
    parser.add_argument("--verbose", action="store_true", help="show the output of every step")
    options = parser.parse_args(arguments)
    steps.verbose = options.verbose
    failures = run(check=options.check)
    for name, output in failures:
        print(f"{name}:\n{excerpt(output)}")
    return 1 if failures else 0


def run(check: bool) -> list[tuple[str, str]]:
    """Formats, or with `check` only looks. Returns (tool, output) of each that found something."""
    environment.ensure("format", name=".venv-format")
    tools = steps.ROOT / ".venv-format" / "bin"
    commands = {}
    cpp = sources(_CPP)
    if cpp:
        mode = ["--dry-run", "--Werror"] if check else ["-i"]
        commands["clang-format"] = [tools / "clang-format", *mode, *cpp]
    concise = "--output-format=concise"
    commands["ruff check"] = [tools / "ruff", "check", concise, *([] if check else ["--fix"]), "."]
    commands["ruff format"] = [
        tools / "ruff",
        "format",
        *(["--check", concise] if check else []),
        ".",
    ]
    failures = []
    for name, command in commands.items():
        status, output = steps.run(name, command, check=False)
        if status:
            failures.append((name, _files(output) if name == "clang-format" else output))
    return failures


def _files(output: str) -> str:
    """The files that clang-format would change, one line each; other lines as they are."""
    lines = output.splitlines()
    changed = [line.split(":")[0] for line in lines if "[-Wclang-format-violations]" in line]
    return "\n".join(f"{file}: not formatted" for file in dict.fromkeys(changed)) or output


def excerpt(output: str, lines: int = 40) -> str:
    """The first lines of a tool's findings; the log holds all."""
    lines_shown = output.splitlines()
    if len(lines_shown) > lines:
        lines_shown = [
            *lines_shown[:lines],
            f"... {len(lines_shown) - lines} more lines in {steps.LOGS.name}/",
        ]
    return "\n".join(lines_shown)


def sources(suffixes: tuple[str, ...]) -> list[str]:
    """Files that git tracks or would track, with one of the suffixes."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=steps.ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    return [name for name in listed if name.endswith(suffixes) and (steps.ROOT / name).exists()]
