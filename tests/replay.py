"""Process replay: shows that a change of the compiler changes no program that the tests compile.

    python tests/replay.py record before.jsonl --build OLD/build tests/python/dsl [arguments of pytest...]
    python tests/replay.py record after.jsonl tests/python/dsl
    python tests/replay.py record after.jsonl build/bin/FairleadDslTests
    python tests/replay.py compare before.jsonl after.jsonl [--again before_again.jsonl] [--show 3]

`record` runs pytest, or executables of C++ tests, and writes a line for each program that they compile: the test, the
signature, the targets, the PTX, and a digest of the host's objects, which hold the CPU's kernels. `compare` lists the
programs that differ, and exits with 1 if there are any. It ignores comments and white space of PTX: LLVM writes
other ones around inline PTX than around intrinsics. How often a test compiles a program is not compared either: threads
may compile more of them on another day.

Use it for commits that say "refactor". Both records need the same machine, Python, tools, and the same tests at the
same path, which checked programs hold: run the older build with the tests of the newer one (`--build`). Programs that
differ between two records of one build (`--again`) are counted and not compared. Make one record at a time: all use one
folder for temporary files.
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
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Programs that checks have instrumented hold the paths of the tests' temporary files.
BASE_TEMP = Path(tempfile.gettempdir()) / "fairlead-replay"
#: The identity of a program, and the parts that are compared.
KEY = ("label", "signature", "targets")
CODE = ("ptx", "objects")
MOST_SHOWN = 100
Key = tuple[str, ...]
COMMENT = re.compile(r"\s*//.*")
#: In names of tests whose parameters are objects.
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


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
        runs.append(("", [*pytest, f"--basetemp={BASE_TEMP}", *others]))
    return runs


def record(file: Path, build: Path, arguments: list[str]) -> None:
    """Run the tests. Write their programs to the file, and their output to a log next to it."""
    file.unlink(missing_ok=True)
    log = file.with_suffix(".log")
    log.write_text("")
    folders = (
        str(Path(__file__).parent),
        str(build.resolve() / "python"),
        os.environ.get("PYTHONPATH"),
    )
    for label, command in commands(arguments):
        environment = {
            **os.environ,
            "FAIRLEAD_CODE_RECORD": str(file.resolve()),
            "FAIRLEAD_CODE_LABEL": label,
            "FAIRLEAD_BUILD_DIR": str(build.resolve()),
            "FAIRLEAD_NO_CACHE": "1",
            "FAIRLEAD_RANDOM_SEED": "0",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, folders)),
        }
        finished = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )
        output = finished.stdout + finished.stderr
        with open(log, "a", encoding="utf-8") as lines:
            lines.write(output)
        print(
            f"{label or 'pytest'}: {output.strip().splitlines()[-1] if output.strip() else 'no output'}"
        )
    print(f"{Record(file).compiles} compiles in {file}")


def without_layout(ptx: str) -> str:
    """Return PTX without comments and empty lines, and with single spaces."""
    lines = (" ".join(COMMENT.sub("", line).split()) for line in ptx.split("\n"))
    return "\n".join(filter(None, lines))


class Record:
    """The programs of a file."""

    def __init__(self, file: Path) -> None:
        #: Every code of a program: digests of PTX and objects.
        self.programs: dict[Key, set[Key]] = defaultdict(set)
        #: Number of compiles.
        self.compiles = 0
        #: Texts of PTX by their digests.
        self.texts: dict[str, str] = {}
        with open(file, encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                ptx = without_layout(line["ptx"])
                digest = hashlib.sha256(ptx.encode()).hexdigest()
                self.texts[digest] = ptx
                line["label"] = ADDRESS.sub("0x", line["label"])
                self.programs[tuple(line[name] for name in KEY)].add((digest, line["objects"]))
                self.compiles += 1


def differing(before: Record, after: Record) -> dict[Key, str]:
    """Return the programs that differ, and what differs in them."""
    differences = {}
    for key in sorted(before.programs.keys() | after.programs.keys()):
        old, new = (each.programs.get(key, set()) for each in (before, after))
        if old == new:
            continue
        if not old or not new:
            differences[key] = "only before" if old else "only after"
            continue
        parts = [
            name
            for place, name in enumerate(CODE)
            if {code[place] for code in old} != {code[place] for code in new}
        ]
        differences[key] = ", ".join(parts) or "which objects belong to which PTX"
    return differences


def show(before: Record, after: Record, key: Key) -> None:
    """Print how the PTX of a program differs."""
    old, new = (
        sorted({ptx for ptx, _ in each.programs.get(key, set())}) for each in (before, after)
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
    kinds = "".join(f"; {what}: {number}" for what, number in Counter(differences.values()).items())
    print(
        f"{before.compiles} compiles before, {after.compiles} after; of {len(before.programs)} programs "
        f"{len(unsteady)} are not compared, {len(differences)} differ{kinds}"
    )
    return len(differences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    recording = verbs.add_parser("record", help="run tests and write what they compile")
    recording.add_argument("file", type=Path)
    recording.add_argument("--build", type=Path, default=ROOT / "build", help="the build to run")
    comparing = verbs.add_parser("compare", help="list the programs that differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--again", type=Path, help="a second record of the first build")
    comparing.add_argument(
        "--show", type=int, default=0, help="of so many programs, the changes in PTX"
    )
    options, arguments = parser.parse_known_args()
    if options.verb == "record":
        record(options.file, options.build, arguments)
    else:
        sys.exit(compare(options) > 0)


if __name__ == "__main__":
    main()
