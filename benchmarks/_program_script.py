"""The programs that `program_compile.py` and `machine_code.py` measure, with published names alone, compiled by either
implementation.

Its first line lists the programs. It answers requests on its standard input, one JSON list each: `["compile", PROGRAM]`
with the seconds of one compile, with a GPU to loaded code, without one to machine code for $CUTE_DSL_ARCH, by default
`sm_90a`;
`["machine code", PROGRAM]` with the path of a CUBIN that it writes.
"""

import contextlib
import importlib.util
import json
import os
import sys
import types
from pathlib import Path
from time import perf_counter

try:
    import torch

    LOADS = torch.cuda.is_available()
except ImportError:  # compiling needs none: its names are only in annotations and tables
    sys.modules["torch"] = types.ModuleType("torch")
    sys.modules["torch"].__getattr__ = lambda name: object
    LOADS = False
if not LOADS:
    os.environ.setdefault("CUTE_DSL_ARCH", "sm_90a")

try:
    import cuda.bindings.driver  # noqa: F401
except ImportError:  # programs name the type of streams
    for name in ("cuda", "cuda.bindings", "cuda.bindings.driver"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["cuda.bindings.driver"].CUstream = type("CUstream", (), {})
    sys.modules["cuda"].bindings = sys.modules["cuda.bindings"]
    sys.modules["cuda.bindings"].driver = sys.modules["cuda.bindings.driver"]

import cutlass
import cutlass.cute as cute

PUBLISHED = Path(__file__).resolve().parents[1] / "tests" / "python" / "published"


def load(path):
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def tensor(dtype, *extents):
    """Row-major, of unknown extents but those given, at an address of 16 bytes."""
    shape = tuple(extent or cute.sym_int() for extent in extents)
    order = tuple(reversed(range(len(shape))))
    make = cute.runtime.make_fake_compact_tensor
    return make(dtype, shape, stride_order=order, assumed_align=16)


def of_batches(rows_contiguous):
    """A tensor (rows, columns, batch) of float16, rows or columns of it contiguous."""
    order = (0, 1, 2) if rows_contiguous else (1, 0, 2)
    aligned = cute.sym_int(divisibility=8)
    shape = (aligned, cute.sym_int()) if rows_contiguous else (cute.sym_int(), aligned)
    make = cute.runtime.make_fake_compact_tensor
    return make(cutlass.Float16, (*shape, cute.sym_int()), stride_order=order, assumed_align=16)


def attention():
    """Keys in tiles of 64, by 128 threads, without masks of the past."""
    program = load(PUBLISHED / "flash_attention.py").FlashAttention(128, 128, 64, 128, False)
    return program, *(tensor(cutlass.BFloat16, None, None, None, 128) for _ in range(4)), 0.125


def gemm():
    """A and B with contiguous K, a bias."""
    types = (cutlass.Float16, cutlass.Float32, cutlass.Float16)
    program = load(PUBLISHED / "tensor_core_gemm.py").Gemm(*types, (128, 128, 32), stages=4)
    return program, *(of_batches(False) for _ in range(3)), tensor(cutlass.Float32, None)


def tensorop_gemm():
    """A and B with contiguous M and N, as the program's options have it where none are given."""
    program = load(EXAMPLES / "ampere/kernel/dense_gemm/tensorop_gemm.py")
    types = (cutlass.Float16, cutlass.Float16, cutlass.Float32)
    return program.TensorOpGemm(*types, (2, 2, 1)), *(of_batches(order) for order in (1, 1, 0))


def elementwise_add():
    """Matrices of unknown alignment, as `mark_layout_dynamic` leaves them."""
    program = load(EXAMPLES / "ampere/kernel/elementwise/elementwise_add.py")
    make = cute.runtime.make_fake_tensor
    shapes = [(cute.sym_int(), cute.sym_int()) for _ in range(3)]
    strides = [(cute.sym_int64(), 1) for _ in shapes]
    tensors = [make(cutlass.Float32, *each) for each in zip(shapes, strides, strict=True)]
    return program.elementwise_add, *tensors


def dense_gemm_persistent():
    """Tiles of 128 x 128 of single blocks, for Blackwell."""
    program = load(EXAMPLES / "blackwell/kernel/dense_gemm/dense_gemm_persistent.py")
    kernel = program.PersistentDenseGemmKernel(cutlass.Float32, False, (128, 128), (1, 1), True)
    return kernel, *(of_batches(False) for _ in range(3)), 148


PROGRAMS = {"FlashAttention 2": attention, "GEMM on tensor cores": gemm}
if os.environ.get("FAIRLEAD_DSL_EXAMPLES"):
    EXAMPLES = Path(os.environ["FAIRLEAD_DSL_EXAMPLES"])
    PROGRAMS |= {"tensorop_gemm.py": tensorop_gemm, "elementwise_add.py": elementwise_add}
    if os.environ.get("CUTE_DSL_ARCH", "").startswith("sm_10"):
        PROGRAMS = {"dense_gemm_persistent.py": dense_gemm_persistent}
#: Programs that take a stream after their tensors.
ON_A_STREAM = {
    "FlashAttention 2",
    "GEMM on tensor cores",
    "tensorop_gemm.py",
    "dense_gemm_persistent.py",
}


def compiled(case, given, keep):
    stream = [cute.runtime.make_fake_stream()] if case in ON_A_STREAM else []
    options = {"options": "--keep-cubin"} if keep else {}
    return cute.compile(*given, *stream, **options)


def answer(kind, case, given):
    if kind == "compile":
        start = perf_counter()
        made = compiled(case, given, keep=not LOADS)
        assert LOADS or made.__cubin__
        return perf_counter() - start
    path = Path(f"{case} {os.getpid()}.cubin").resolve()
    path.write_bytes(compiled(case, given, keep=True).__cubin__)
    return str(path)


def main():
    # Programs print while they are imported and traced; that is not an answer.
    with contextlib.redirect_stdout(sys.stderr):
        given = {name: make() for name, make in PROGRAMS.items()}
    print(json.dumps(list(given)), flush=True)
    for line in sys.stdin:
        kind, case = json.loads(line)
        with contextlib.redirect_stdout(sys.stderr):
            result = answer(kind, case, given[case])
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
