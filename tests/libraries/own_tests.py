"""Run a sample of a package's own tests on the CPU, unmodified, and note the outcome in table.json and docs/migrate.md.

    python tests/libraries/own_tests.py PACKAGE CHECKOUT [--ran 60] [--limit 60] [--budget 600]
    python tests/libraries/own_tests.py PACKAGE CHECKOUT --outcomes FILE...

CHECKOUT has the package's tests: its repository or its source distribution, at the version that was fetched or near to
it. Tests are drawn by tests/gpu/library_suite.py with seed 0. torch.compile is off: it needs a GPU's driver. A test
that takes more than ``--limit`` seconds of processor time counts as slow. With ``--outcomes`` nothing runs: the
outcomes are those of runs of library_suite.py that were made with ``--json``; of a test in several files the last
counts.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import table


@dataclasses.dataclass(frozen=True)
class Suite:
    """Test files of a package, relative to its checkout, and the GPU that they are told about."""

    files: tuple[str, ...]
    architecture: str = "sm_90a"
    #: Files are skipped whose names contain one of these: helpers, and tests of other software.
    without: tuple[str, ...] = ()
    #: The package's version that the checkout's tests belong to, if it is not the fetched one.
    version: str | None = None


_QUACK = "rmsnorm layernorm softmax cross_entropy topk rotary rounding fast_math"
_FLASHINFER = """attention/test_cute_dsl_decode attention/test_cute_dsl_mla_decode
    attention/test_modular_fmha_prefill gdn/test_decode_delta_rule
    gdn/test_decode_pretranspose_bf16_padded_pool gdn/test_fused_decode
    gemm/test_cute_dsl_blockscaled_gemm kda/test_fused_kda_decode kda/test_packed_kda_decode_cute
    kda/test_recurrent_kda norm/test_rmsnorm_fp4_quant_cute_dsl topk_varlen/test_topk_varlen
    utils/test_fp8_quantize utils/test_norm"""
SUITES = {
    # The test files whose kernels are for sm_90 or older GPUs.
    "quack-kernels": Suite(tuple(f"tests/test_{name}.py" for name in _QUACK.split())),
    "flash-attn-4": Suite(("tests/cute/test_*.py",)),
    "flashlib": Suite(("tests/test_*.py",), without=("test_advantage",)),  # they measure times
    "dist-moe": Suite(
        ("tests/test_*.py",),
        "sm_100a",
        ("test_examples", "test_routing"),  # need more processes
    ),
    # Its tests import flash_attn.cute: a folder that gives sgl_fa4.cute this name has to come before the checkout, so
    # that outcomes come from library_suite.py.
    "sgl-fa4": Suite(("tests/cute/test_*.py",)),
    # The test files of kernels in this language.
    "flashinfer-python": Suite(
        tuple(f"tests/{name}.py" for name in _FLASHINFER.split()),
        "sm_100a",
    ),
    "nvidia-cudnn-frontend": Suite(
        ("test/python/fe_api/test_*.py", "test/python/fe_api/nsa/test_*.py"),
        "sm_100a",
        ("_utils",),
        "1.23.0",
    ),
}
RUNNER = table.HERE.parent / "gpu" / "library_suite.py"

#: What tests need that a machine without a GPU lacks, by parts of their names or output.
REASONS = {
    "libcuda.so cannot found": "Triton, which has no CPU target",
    "_semantic` argument must be": "Triton, which has no CPU target",
    "SymmetricMemory": "torch's symmetric memory of CUDA",
    "have NCCL built in": "NCCL",
    "CUmemAllocationProp": "virtual memory of the CUDA driver",
    "cudnnCreate": "the cuDNN library",
    "info_does_not_import_torch": "a process that has not imported torch",
    "Ninja build failed": "kernels in CUDA C++",
    "frozen Cake GDN sources": "kernels in CUDA C++",
    "test_grouped_gemm_wgrad": "scaled_grouped_mm of torch, which the CPU lacks",
}


def files_of(suite: Suite, checkout: Path) -> list[Path]:
    """The suite's test files."""
    return [
        path.relative_to(checkout)
        for pattern in suite.files
        for path in sorted(checkout.glob(pattern))
        if not any(part in path.name for part in suite.without)
    ]


def outcomes(package: str, checkout: Path, ran: int, limit: int, budget: int) -> dict[str, Any]:
    """Outcome and output of each test that was drawn, by its name."""
    suite = SUITES[package.partition("==")[0]]
    folder = table.FETCHED / "packages" / package
    if suite.version:
        folder = table.FETCHED / "older" / f"{package.partition('==')[0]}=={suite.version}"
    files = files_of(suite, checkout)
    helpers = {checkout / path.parent for path in files} | {
        checkout / path.parents[1] for path in files
    }
    folders = [folder, *table._needed(package), *sorted(helpers)]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "outcomes.json"
        command = [sys.executable, RUNNER, *files, "--path", *folders]
        command += ["--device", "cpu", "--jobs", 1, "--ran", ran, "--limit", limit]
        command += ["--each", 50, "--budget", budget, "--json", path]
        subprocess.run(
            [str(part) for part in command],
            cwd=checkout,
            env={
                **os.environ,
                "TORCHDYNAMO_DISABLE": "1",
                "CUTE_DSL_ARCH": suite.architecture,
                "FLASH_ATTENTION_CUTE_DSL_CACHE_ENABLED": "0",
            },
            check=False,  # it fails if a test does
        )
        return json.loads(path.read_text(encoding="utf-8"))


def row(revision: str, suite: Suite, found: dict[str, Any]) -> dict[str, Any]:
    """Return the table's row for a sample."""
    counts: collections.Counter[str] = collections.Counter()
    needs: collections.Counter[str] = collections.Counter()
    others = {}
    for name, (outcome, output) in sorted(found.items()):
        reasons = [reason for part, reason in REASONS.items() if part in output or part in name]
        if outcome == "failed" and reasons:
            needs[reasons[0]] += 1
            continue
        counts[outcome] += 1
        if outcome not in ("passed", "skipped", "expected"):
            others[name] = outcome
    return {
        "revision": revision,
        "version": suite.version,
        "architecture": suite.architecture,
        "counts": dict(sorted(counts.items())),
        "needs": dict(sorted(needs.items())),
        "others": others,
    }


def _revision(checkout: Path) -> str:
    """The commit of a repository, or the name of a source distribution's folder."""
    if not (checkout / ".git").exists():
        return checkout.resolve().name
    command = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", choices=sorted(SUITES))
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--outcomes", nargs="*", type=Path, default=[])
    parser.add_argument("--revision", help="of the checkout, if it is not a repository")
    for name, default in (("ran", 60), ("limit", 60), ("budget", 600)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    package = next(name for name in table.packages() if name.startswith(options.package + "=="))
    found: dict[str, Any] = {}
    for path in options.outcomes:
        found |= json.loads(path.read_text(encoding="utf-8"))
    if not options.outcomes:
        checkout = options.checkout.resolve()
        found = outcomes(package, checkout, options.ran, options.limit, options.budget)
    rows = table.read()
    revision = options.revision or _revision(options.checkout)
    rows["packages"][package]["own_tests"] = row(revision, SUITES[options.package], found)
    table.write(rows)
    print(rows["packages"][package]["own_tests"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
