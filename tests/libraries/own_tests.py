"""Run a sample of a package's own tests on the CPU, unmodified, and note the outcome in table.json and docs/migrate.md.

    python tests/libraries/own_tests.py PACKAGE CHECKOUT [--ran 60] [--limit 60] [--budget 600]

CHECKOUT is the package's repository, at the version that was fetched or near to it. Tests are drawn by
tests/gpu/library_suite.py with seed 0. torch.compile is off: it needs a GPU's driver. A test that runs for more than
``--limit`` seconds counts as hung.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import table

#: The test files whose kernels are for sm_90 or older GPUs.
FILES = {
    "quack-kernels": [
        f"tests/test_{name}.py"
        for name in (
            "rmsnorm layernorm softmax cross_entropy topk rotary rounding fast_math".split()
        )
    ]
}
SUITE = table.HERE.parent / "gpu" / "library_suite.py"


def outcomes(package: str, checkout: Path, ran: int, limit: int, budget: int) -> dict[str, Any]:
    """Outcome and output of each test that was drawn, by its name."""
    folders = [table.FETCHED / "packages" / package, *table._needed(package)]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "outcomes.json"
        command = [sys.executable, SUITE, *FILES[package.partition("==")[0]], "--path", *folders]
        command += ["--device", "cpu", "--jobs", 1, "--ran", ran, "--limit", limit]
        command += ["--budget", budget, "--json", path]
        subprocess.run(
            [str(part) for part in command],
            cwd=checkout,
            env={**os.environ, "TORCHDYNAMO_DISABLE": "1"},
            check=False,  # it fails if a test does
        )
        return json.loads(path.read_text(encoding="utf-8"))


def row(revision: str, found: dict[str, Any]) -> dict[str, Any]:
    """Return the table's row for a sample."""
    counts = collections.Counter(outcome for outcome, _ in found.values())
    others = {
        name: outcome
        for name, (outcome, _) in sorted(found.items())
        if outcome not in ("passed", "skipped", "expected")
    }
    return {"revision": revision, "counts": dict(sorted(counts.items())), "others": others}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", choices=sorted(FILES))
    parser.add_argument("checkout", type=Path)
    for name, default in (("ran", 60), ("limit", 60), ("budget", 600)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    package = next(name for name in table.packages() if name.startswith(options.package + "=="))
    revision = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=options.checkout,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    found = outcomes(package, options.checkout, options.ran, options.limit, options.budget)
    rows = table.read()
    rows["packages"][package]["own_tests"] = row(revision, found)
    table.write(rows)
    print(rows["packages"][package]["own_tests"]["counts"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
