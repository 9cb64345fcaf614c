"""Passes and checks ask the interfaces of operations: they name no operation of GPUs, unless they lower it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Files that may name any operation: what GPUs, the CPU and the model of pipelines do for each one.
LOWERING = (
    "lib/check/compile/Pipeline",
    "lib/lower/nvidia/ops/AsyncOps.cpp",
    "lib/lower/nvidia/ops/AtomOps.cpp",
    "lib/lower/nvidia/ops/TensorMemoryOps.cpp",
    "lib/lower/cpu/collective/",
)
#: Operations that another file names, and why.
NAMED = {
    # tracing
    "lib/dsl/block/Assembly.cpp": {"MapaOp"},  # reads an address back into a pointer and a block
    "lib/dsl/verify/BarrierCheck.cpp": {
        "TensorLoadOp"
    },  # loads of pairs are of no group of tensor memory
    "lib/dsl/atom/TensorMap.cpp": {
        "TensorMapOp",
        "MapPrefetchOp",
    },  # a map with other boxes, and its prefetches
    "lib/dsl/launch/Launch.cpp": {"TensorMapOp"},  # arguments of kernels that are tensor maps
    # the instruction of an operation, for its lowerings
    "lib/dsl/atom/WarpMma.cpp": {"MmaOp"},
    "lib/dsl/atom/WarpMma.h": {"MmaOp"},
    # lowering patterns of operations that are not collective
    "lib/lower/host/LowerLaunches.cpp": {"GuardOp", "LaunchExtrasOp", "TensorMapOp"},
    "lib/lower/host/AssertCalls.cpp": {"GuardOp"},
    "lib/lower/nvidia/Nvidia.cpp": {"SetMaxRegisterOp"},  # bounds of kernels that change registers
    "lib/check/compile/CheckedIndices.cpp": {"IndexOp", "TensorOp"},
    "lib/check/compile/CudaChecks.cpp": {"CpAsyncOp", "IndexOp", "TensorOp"},
    "lib/lower/host/MathCalls.cpp": {"DotPairsOp"},
    "lib/lower/cpu/memory/PackedSums.cpp": {"DotPairsOp"},  # sums of products, as multiply-adds
    # guards are made, merged, proven and lowered
    "lib/check/compile/DryRun.cpp": {"GuardOp"},
    "lib/check/compile/DryRun.h": {"GuardOp"},
    "lib/check/compile/Guards.cpp": {"GuardOp", "TensorOp"},
    "lib/check/compile/Guards.h": {"GuardOp", "TensorOp"},
    "lib/check/compile/HostGuards.cpp": {"GuardOp", "TensorOp"},
    "lib/check/compile/MergedGuards.cpp": {"GuardOp"},
    "lib/check/compile/LaunchRanges.cpp": {"GuardOp", "LaneIdOp"},  # lanes are below 32
    "lib/check/compile/LaunchRanges.h": {"GuardOp"},
    "lib/lower/common/Coverage.cpp": {"CoverOp"},  # lowered for CPUs, removed for GPUs
}
DEFINITION = re.compile(r"^def Fairlead_(\w+Op) :", re.MULTILINE)
NAME = re.compile(r"\b(ir|NVVM)::(\w+Op)\b")
#: Files of lib/dsl and passes create operations.
CREATION = re.compile(
    r"\b(?:emit\w*Op|createOp|instructionName)<ir::\w+Op>|\b(?:ir|NVVM)::\w+Op::create\(|\breadThree<[^>]*>\("
)
COMMENT = re.compile(r"//.*")


def defined() -> set[str]:
    """Return the names of the operations in the tables of lib/ir."""
    tables = (ROOT / "lib/ir").glob("*.td")
    return {name for table in tables for name in DEFINITION.findall(table.read_text())}


def named(text: str, operations: set[str]) -> set[str]:
    """Return the operations that C++ names other than to create them."""
    text = CREATION.sub("", COMMENT.sub("", text))
    return {name for space, name in NAME.findall(text) if space == "NVVM" or name in operations}


def files() -> list[Path]:
    folders = (ROOT / "lib/check", ROOT / "lib/dsl", ROOT / "lib/lower")
    return [
        path for folder in folders for path in folder.rglob("*") if path.suffix in (".h", ".cpp")
    ]


def test_passes_and_checks_name_no_operation():
    operations = defined()
    assert len(operations) > 20, "the tables of lib/ir were not read"
    found = {}
    for path in files():
        name = str(path.relative_to(ROOT))
        if not name.startswith(LOWERING) and (names := named(path.read_text(), operations)):
            found[name] = names
    assert found == NAMED


def test_lowering_names_operations():
    """The search finds names at all."""
    text = (ROOT / "lib/lower/nvidia/ops/AsyncOps.cpp").read_text()
    assert {"TensorLoadOp", "MapReplaceOp", "CpAsyncOp"} <= named(text, defined())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("isa<ir::MmaOp>(op)", {"MmaOp"}),
        ("[](NVVM::BarrierOp barrier) {}", {"BarrierOp"}),
        ("ir::MmaOp::create(b, loc)", set()),
        ("emitOp<ir::MmaOp>(impl)", set()),
        ("// ir::MmaOp", set()),
        ("dyn_cast<ir::CollectiveOp>(op)", set()),
    ],
)
def test_search(text, names):
    assert named(text, {"MmaOp"}) == names
