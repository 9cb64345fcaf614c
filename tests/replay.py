"""Process replay: shows that a change of the compiler changes no program that the tests compile.

    python tests/replay.py record before.jsonl tests/python/dsl [arguments of pytest...]
    python tests/replay.py record before.jsonl build/bin/FairleadDslTests
    python tests/replay.py compare before.jsonl after.jsonl [--again before_again.jsonl] [--show 3]

`record` runs pytest, or executables of C++ tests, and writes a line for each program that they compile: the test, the
signature, the targets, the PTX, and a digest of the host's objects, which hold the CPU's kernels. `compare` lists the
programs that differ, and exits with 1 if there are any. Comments and empty lines of PTX are not compared; LLVM writes
some around inline PTX and none around intrinsics. Programs that differ between two records of one build (`--again`)
are counted and not compared: tests that compile constants of the moment, such as addresses and times.

Use it for commits that say "refactor". Both records need the same machine, Python, tools and tests.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

#: What identifies a program, and what of it is compared.
KEY = ("label", "signature", "targets")
CODE = ("ptx", "objects")
MOST_SHOWN = 100
Key = tuple[str, ...]
COMMENT = re.compile(r"\s*//.*")


def seed() -> None:
    """Make random numbers the same in each run."""
    random.seed(0)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(0)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


def pytest_runtest_setup(item) -> None:
    os.environ["FAIRLEAD_CODE_LABEL"] = item.nodeid
    seed()


def commands(arguments: list[str]) -> list[tuple[str, list[str]]]:
    """Return the label and the command of each run: every executable is one, pytest takes the other arguments."""
    executables = [each for each in arguments if Path(each).is_file() and os.access(each, os.X_OK)]
    others = [each for each in arguments if each not in executables]
    runs = [(Path(each).name, [each]) for each in executables]
    if others:
        pytest = [sys.executable, "-m", "pytest", "-p", "replay", "-p", "no:cacheprovider", "-q"]
        runs.append(("", [*pytest, *others]))
    return runs


def record(file: Path, arguments: list[str]) -> None:
    """Run the tests and write what they compile to the file."""
    file.unlink(missing_ok=True)
    path = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
    for label, command in commands(arguments):
        environment = {
            **os.environ,
            "FAIRLEAD_CODE_RECORD": str(file.resolve()),
            "FAIRLEAD_CODE_LABEL": label,
            "FAIRLEAD_NO_CACHE": "1",
            "FAIRLEAD_RANDOM_SEED": "0",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": path,
        }
        finished = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )
        output = finished.stdout.strip() or finished.stderr.strip()
        print(f"{label or 'pytest'}: {output.splitlines()[-1] if output else 'no output'}")
    print(f"{sum(map(Counter.total, Record(file).programs.values()))} programs in {file}")


class Record:
    """The programs of a file."""

    def __init__(self, file: Path) -> None:
        #: How often each code of a program was made: digests of PTX and objects.
        self.programs: dict[Key, Counter[Key]] = defaultdict(Counter)
        #: Texts of PTX by their digests.
        self.texts: dict[str, str] = {}
        with open(file, encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                ptx = "\n".join(
                    filter(None, (COMMENT.sub("", each) for each in line["ptx"].split("\n")))
                )
                digest = hashlib.sha256(ptx.encode()).hexdigest()
                self.texts[digest] = ptx
                self.programs[tuple(line[name] for name in KEY)][digest, line["objects"]] += 1


def differing(before: Record, after: Record) -> dict[Key, str]:
    """Return the programs that differ, and what differs in them."""
    differences = {}
    for key in sorted(before.programs.keys() | after.programs.keys()):
        old, new = (each.programs.get(key, Counter()) for each in (before, after))
        if old == new:
            continue
        if not old or not new:
            differences[key] = "only before" if old else "only after"
            continue
        parts = [
            name
            for place, name in enumerate(CODE)
            if sorted(code[place] for code in old.elements())
            != sorted(code[place] for code in new.elements())
        ]
        differences[key] = ", ".join(parts) or "which objects belong to which PTX"
    return differences


def show(before: Record, after: Record, key: Key) -> None:
    """Print how the PTX of a program differs."""
    old, new = (
        sorted({ptx for ptx, _ in each.programs.get(key, Counter())}) for each in (before, after)
    )
    for one, other in zip(old, new, strict=False):
        lines = difflib.unified_diff(
            before.texts[one].split("\n"), after.texts[other].split("\n"), lineterm="", n=2
        )
        print("\n".join(f"    {line}" for line in lines))


def compare(options: argparse.Namespace) -> int:
    """Print the differences of two records, and return their number."""
    before, after = Record(options.before), Record(options.after)
    unsteady = differing(before, Record(options.again)) if options.again else {}
    differences = {
        key: what for key, what in differing(before, after).items() if key not in unsteady
    }
    for index, (key, what) in enumerate(list(differences.items())[:MOST_SHOWN]):
        label, signature, targets = key
        print(f"  {label}: {signature} for {targets}: {what}")
        if index < options.show:
            show(before, after, key)
    numbers = [sum(map(Counter.total, each.programs.values())) for each in (before, after)]
    kinds = "".join(f"; {what}: {number}" for what, number in Counter(differences.values()).items())
    print(
        f"{numbers[0]} programs before, {numbers[1]} after; of {len(before.programs)} different ones "
        f"{len(unsteady)} are not compared, {len(differences)} differ{kinds}"
    )
    return len(differences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    recording = verbs.add_parser("record", help="run tests and write what they compile")
    recording.add_argument("file", type=Path)
    comparing = verbs.add_parser("compare", help="list the programs that differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--again", type=Path, help="a second record of the first build")
    comparing.add_argument(
        "--show", type=int, default=0, help="of so many programs, the changes in PTX"
    )
    options, arguments = parser.parse_known_args()
    if options.verb == "record":
        record(options.file, arguments)
    else:
        sys.exit(compare(options) > 0)


if __name__ == "__main__":
    main()
