"""Results of published libraries over Fairlead: measuring, the table of an earlier run, and the part of
docs/migrate.md.

    ./run test --only libraries              compares with the table; fetches the packages
    python tests/libraries/table.py          measures again and writes table.json and docs/migrate.md
    python tests/libraries/table.py --again  imports only modules that failed in the table
    python tests/libraries/table.py --docs   writes docs/migrate.md only

Measuring needs build/python on PYTHONPATH. The table may only grow: a run that lost something writes nothing.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TABLE = HERE / "table.json"
DOCS = HERE.parents[1] / "docs" / "migrate.md"
FETCHED = Path(os.environ.get("FAIRLEAD_BUILD_DIR", HERE.parents[1] / "build")) / "libraries"
#: Seconds for the modules of a package, and for its kernels.
LIMIT = 3600
_START, _END = "<!-- libraries: start -->\n", "<!-- libraries: end -->\n"
#: The outcome of a kernel that agrees with its reference.
AGREES = "agrees"


#: Why modules that are no templates do not import, by package.
_CANNOT_IMPORT = {
    "flashinfer-python": "import modules that the wheel does not have, refuse to be imported beside another one, or "
    "take names of the CUDA driver for kernels in CUDA C++",
    "quack-kernels": "says that it was removed",
}
#: Why names are missing, by parts of the names; the first that fits counts.
_CANNOT_HAVE = {
    "compute capability 10.7, which Fairlead has no target for": (
        "FloatNV8E5M3FNU CollectorOp NEGATE_A NEGATE_B smem_desc_v2"
    ),
    "names that no public program of the language uses, in branches that are not reached": (
        "cutlass.FloatE4M3FN cutlass.FloatE5M2 cute.atomic_add"
    ),
    "the other compiler's IR, its loader of machine code, its description of arguments": (
        "cuda_jit_executor tvm_ffi_provider _tvm_ffi_args_spec_converter StringAttr WalkResult _cute_ir LoopUnroll "
        "unrealized_conversion_cast atom_get_value atom_set_value insertvalue get_tma_desc_addr "
        "G2STrait G2SMulticastTrait _FIELD_NAME _build_kernel_attrs _TO_DIALECT _to_dialect _assert_tensor_mem ._nvvm"
    ),
    "device code that a linker adds": "cute.ffi",
    "task scheduling with tensor memory, and the steps of its tasks": "task_scheduling",
    "copies of boxes by im2col, and gathers of rows": "im2col Im2Col gather4 GatherScatter increment_coord",
    "products and copies by instructions, with operands in tensor memory or described by words": (
        "tcgen05 wgmma WGMMA WgmmaSmemDesc nvvm.MMA nvvm.ScaleVecSize mma_block_scale arch_mma StMatrix16x8x8bOp"
    ),
}


def read() -> dict[str, Any]:
    return json.loads(TABLE.read_text(encoding="utf-8"))


def packages() -> list[str]:
    """Return the fetched packages, as ``name==version``."""
    return sorted(path.name for path in FETCHED.glob("packages/*==*") if path.suffix != ".part")


def _run(program: str, *arguments: Any) -> dict[str, Any]:
    """Run a program, and return the JSON that it writes to the file named by its last argument."""
    environment = dict(os.environ)
    environment |= {"QUACK_CACHE_ENABLED": "0", "FLASH_ATTENTION_CUTE_DSL_CACHE_ENABLED": "0"}
    with tempfile.TemporaryDirectory() as scratch:
        # What an earlier run compiled does not count.
        environment["FLASHINFER_WORKSPACE_BASE"] = scratch
        environment["ATTN_GYM_CUTE_CACHE_DIR"] = scratch
        path = Path(scratch) / "found.json"
        command = [sys.executable, HERE / program, *arguments, "--json", path]
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            timeout=LIMIT,
            env=environment,
            cwd=scratch,  # a library may write what it compiled
        )
        if not path.exists():
            raise RuntimeError(
                f"{program} wrote nothing:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
            )
        return json.loads(path.read_text(encoding="utf-8"))


def _needed(package: str) -> list[Path]:
    """Return the folders of the packages that a package needs: other libraries, and packages without kernels."""
    quack = [path for path in FETCHED.glob("packages/quack-kernels==*") if path.name != package]
    return [*quack, *sorted(FETCHED.glob("dependencies/*==*"))]


def measure(package: str, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """The row of a package: its modules, and its kernels that a driver of ours runs.

    With an earlier row, modules that imported then are not imported again.
    """
    folder, needed = FETCHED / "packages" / package, _needed(package)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as earlier:
        json.dump(before, earlier)
        earlier.flush()
        again = ["--again", earlier.name] if before is not None else []
        row = _run("probe.py", folder, *again, "--path", *needed)
    driver = package.partition("==")[0].replace("-", "_")
    today = datetime.date.today().isoformat()
    row |= {"date": today, "again": before is not None, "kernels": {}, "machine_code": {}}
    if (HERE / "drivers" / f"{driver}_driver.py").exists():
        row |= _run("run_kernels.py", driver, "--path", folder, *needed)
    return row


def losses(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return a sentence for each thing that a package could do in an earlier run and cannot do now."""
    lost = []
    if now["modules"] != before["modules"]:
        lost.append(f"{now['modules']} modules name the language, in the table {before['modules']}")
    for module, reason in now["failing"].items():
        if module not in before["failing"]:
            lost.append(f"{module} does not import: {reason}")
    for name, count in now["missing"].items():
        # If a part of the name was missing, the rest of it was not looked up.
        parts = name.split(".")
        earlier = sum(
            before["missing"].get(".".join(parts[:end]), 0) for end in range(1, len(parts) + 1)
        )
        if count > earlier:
            lost.append(f"{name} is missing (modules that use it: {count})")
    for kernel, outcome in before["kernels"].items():
        found = now["kernels"].get(kernel, "it has no driver")
        if outcome == AGREES and found != AGREES:
            lost.append(f"kernel {kernel}: {found}")
    for kernel, outcome in before["machine_code"].items():
        found = now["machine_code"].get(kernel, "it has no driver")
        if outcome.startswith("sm_") and found != outcome:
            lost.append(f"machine code of kernel {kernel}: {found}")
    return lost


def _own_tests(table: dict[str, Any]) -> list[str]:
    """A table of samples of packages' own tests."""
    rows = {
        package: row["own_tests"]
        for package, row in table["packages"].items()
        if "own_tests" in row
    }
    lines = [
        "Seeded samples of the packages' own tests, unmodified, on the CPU (`tests/libraries/own_tests.py`):",
        "",
        "| package | tests of | as a GPU of | run | passed | failed as expected | failed | slow, hung "
        "| not run here: they need |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for package, row in rows.items():
        name, _, version = package.partition("==")
        counts = row["counts"]
        numbers = [counts.get(key, 0) for key in ("passed", "expected")]
        numbers.append(counts.get("failed", 0) + counts.get("died", 0))
        numbers.append(counts.get("slow", 0) + counts.get("hung", 0))
        needs = "; ".join(f"{reason}: {count}" for reason, count in row.get("needs", {}).items())
        shown = " | ".join(str(number) for number in (sum(numbers), *numbers))
        lines.append(
            f"| {name} {row.get('version') or version} | {row['revision']} "
            f"| {row.get('architecture', 'sm_90a')} | {shown} | {needs or '-'} |"
        )
    return [
        *lines,
        "",
        "Tests that skip themselves are not counted. A test is slow or hung if it takes more processor time or time",
        "than the run allowed, 60 to 120 seconds of processor time. The tests are those of a commit of the package's",
        "repository or of its source distribution; torch.compile is off. `table.json` lists those that did not pass.",
        *_explained(rows),
    ]


#: Why tests do not pass, by package and part of their name.
_DOES_NOT_PASS = {
    "dist-moe": {
        "clip_statistics": "they expect an error for a tensor in the CPU's memory, where all tensors are here",
        "storage_membership": "it resizes the storage of a tensor whose memory is aligned as a GPU's is",
    },
    "flashinfer-python": {
        "reuses_compile": "it replaces `cute.compile` by a function, which the package subscripts",
        "mla_decode": "warps 2 and 3 store to lanes 0 to 63 of tensor memory, which PTX allows warps 0 and 1 alone; "
        "CuTe DSL 4.8.1 has the same addresses",
        "topk_varlen": "a block of several rows, as on the two multiprocessors of this device, loads the next row "
        "before all threads have read the last one",
    },
    "sgl-fa4": {
        "varlen_output": "the package has no local attention for sm_90",
    },
    "flashlib": {
        "without_extras": "it expects that `cutlass` cannot be imported",
    },
    "nvidia-cudnn-frontend": {
        "gemm_swiglu_compile_execute": "operands of Float32 are cut to TF32, those of the reference are not: "
        "cut alike, both agree within 5e-5",
        "hadamard": "the kernel never releases a stage, and waits for it; CuTe DSL 4.8.1 loses the state that a called "
        "function advances in a branch, so that its kernel never waits",
        "rmsnorm_rht_amax": "the kernel has a race, which `--check race` reports: a warp writes sums of the next "
        "row before others have read those of the row before; 1.32.0 keeps two buffers and passes",
    },
}


def _explained(rows: dict[str, Any]) -> list[str]:
    """A line for each reason for which tests of a package do not pass."""
    lines = []
    for package, row in rows.items():
        reasons = _DOES_NOT_PASS.get(package.partition("==")[0], {})
        for part, reason in reasons.items():
            count = sum(part in name for name, how in row["others"].items() if how == "failed")
            if count:
                name = package.partition("==")[0]
                lines.append(_wrapped(f"- {name}, {count} of `{part}`: {reason}."))
    return ["", "Tests that fail:", "", *lines] if lines else []


def _tried_again(table: dict[str, Any]) -> str:
    """Return a sentence on packages whose run imported only modules that had failed before."""
    names = [
        package.partition("==")[0] for package, row in table["packages"].items() if row["again"]
    ]
    if not names:
        return ""
    text = (
        f"Of {', '.join(names)} only those were imported that an earlier run had failed to import."
    )
    return "\n" + textwrap.indent(_wrapped(text), "  ").replace("\n    ", "\n  ")


def _machine_code(row: dict[str, Any]) -> str:
    """How many kernels have machine code, by architecture."""
    done = [row["machine_code"].get(kernel, "") for kernel in row["kernels"]]
    architectures = sorted({text for text in done if text.startswith("sm_")}, reverse=True)
    return ", ".join(f"{done.count(name)} for {name}" for name in architectures) or "-"


def _wrapped(item: str) -> str:
    """An item of a list, in lines of the page's width."""
    return textwrap.fill(
        item, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _cannot_import(table: dict[str, Any]) -> list[str]:
    """A line for each package with modules that do not import and are no templates."""
    lines = []
    for package, row in table["packages"].items():
        name = package.partition("==")[0]
        count = len(row["failing"]) - row["templates"]
        if count:
            reason = _CANNOT_IMPORT.get(name, "see table.json")
            lines.append(_wrapped(f"- {name}: {count}, which {reason}."))
    return ["Modules that do not import, beside templates:", "", *lines, ""] if lines else []


def _differing(table: dict[str, Any]) -> list[str]:
    """A line for each kernel that does not agree."""
    lines = [
        _wrapped(f"- {package.partition('==')[0]}, {kernel}: {outcome}.")
        for package, row in table["packages"].items()
        for kernel, outcome in row["kernels"].items()
        if outcome != AGREES
    ]
    return ["Kernels that do not agree:", "", *lines, ""] if lines else []


def _cannot_have(table: dict[str, Any]) -> list[str]:
    """A line for each reason, with the last parts of the names that are missing for it."""
    missing = {name for row in table["packages"].values() for name in row["missing"]}
    lines = []
    for reason, parts in {**_CANNOT_HAVE, "not done": ""}.items():
        fitting = {name for name in missing if any(part in name for part in parts.split() or [""])}
        missing -= fitting
        if fitting:
            words = ", ".join(sorted({f"`{name.rpartition('.')[2]}`" for name in fitting}))
            lines.append(_wrapped(f"- {reason}: {words}."))
    return ["Names that are missing, by reason:", "", *lines, ""] if lines else []


def as_text(table: dict[str, Any]) -> str:
    """The table as Markdown."""
    dates = sorted({row["date"] for row in table["packages"].values()})
    counted = f"on {dates[0]}" if len(dates) == 1 else f"from {dates[0]} to {dates[-1]}"
    lines = [
        f"Counted {counted} (`./run test --only libraries`), on the CPU, with the packages unmodified:",
        "",
        "| package | modules that name `cutlass` | import | templates | every name is there "
        "| kernels that agree with float64 | as machine code |",
        "|---|---|---|---|---|---|---|",
    ]
    for package, row in table["packages"].items():
        name, _, version = package.partition("==")
        agree = [kernel for kernel, outcome in row["kernels"].items() if outcome == AGREES]
        kernels = (
            f"{len(agree)} of {len(row['kernels'])}: {'; '.join(agree)}" if agree else "none run"
        )
        if not row["modules"] and not row["kernels"]:
            continue
        counts = f"{row['modules']} | {row['imports']} | {row['templates']} | {row['complete']}"
        code = _machine_code(row)
        lines.append(f"| {name} {version} | {counts} | {kernels} | {code} |")
    lines += [
        "",
        "How it is counted:",
        "",
        "- A module counts if its text names `cutlass`; nine of ten import it themselves. It imports if Python does,",
        "  in a process with the packages that it needs; modules share processes."
        + _tried_again(table),
        "- Modules that stop without parameters are loaded with some, by their package's own loader: cudnn-frontend's",
        "  attention of float8.",
        "- Templates are among the modules that do not import: their text reads a name that it never binds, which the",
        "  package fills in when it makes a module of them. They import with CuTe DSL as little.",
        "- Names: the names that a module's text imports from `cutlass` or reads from its modules. A placeholder that",
        "  raises when it is used counts as missing; most belong to Blackwell.",
        "- Kernels: the kernels for which `tests/libraries/drivers` has a function. They run with small shapes, and",
        "  their results are compared with the computation in float64. The packages have more kernels than these.",
        "- As machine code: how many of them are also compiled for a GPU, by ptxas, in the same process; they are not",
        "  executed there.",
        "",
        *_cannot_import(table),
        *_differing(table),
        *_cannot_have(table),
        "`tests/libraries/table.json` lists the missing names and the failed imports, with reasons.",
    ]
    lines += ["", *_own_tests(table)]
    return "\n".join(lines) + "\n"


def with_table(page: str, table: dict[str, Any]) -> str:
    """The page with the table between its marks."""
    before, rest = page.split(_START)
    after = rest.split(_END)[1]
    return before + _START + "\n" + as_text(table) + "\n" + _END + after


def write(table: dict[str, Any]) -> None:
    """Write table.json and docs/migrate.md."""
    table["packages"] = dict(sorted(table["packages"].items()))
    TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    _write_docs(table)


def _write_docs(table: dict[str, Any]) -> None:
    DOCS.write_text(with_table(DOCS.read_text(encoding="utf-8"), table), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", action="store_true", help="write docs/migrate.md only")
    parser.add_argument("--again", action="store_true", help="import what failed only")
    parser.add_argument("--only", nargs="*", default=[], help="names of packages")
    options = parser.parse_args()
    table = read() if TABLE.exists() else {"packages": {}}
    if not options.docs:
        lost = []
        for package in packages():
            if options.only and package.partition("==")[0] not in options.only:
                continue
            before = table["packages"].get(package)
            row = measure(package, before if options.again else None)
            agree = list(row["kernels"].values()).count(AGREES)
            counts = (
                f"{row['modules']} modules, {row['imports']} import, {row['complete']} complete"
            )
            kernels = f"{agree} of {len(row['kernels'])} kernels agree"
            print(f"{package}: {counts}; {kernels}; {_machine_code(row)}", flush=True)
            if before is not None:
                lost += losses(before, row)
                row |= {key: before[key] for key in ("own_tests",) if key in before}
            table["packages"][package] = row
        if lost:
            print("\n".join(lost))
            return 1
        write(table)
    else:
        _write_docs(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
