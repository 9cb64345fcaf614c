"""Machine code that runs is whole-program code: as many registers as ptxas gives the same PTX, not those of relocatable
code, which may take a third more."""

import re
import subprocess

import pytest

from fairlead import Float16, Float32, _compiler, cute, range_constexpr

pytestmark = pytest.mark.gpu
THREADS = 256
VECTOR = 8  # elements that are loaded at once
VECTORS = 4  # of a thread
SIZE = THREADS * VECTOR * VECTORS


@cute.kernel
def normalise(x: cute.Tensor, y: cute.Tensor, w: cute.Tensor):
    """Rows of SIZE elements; each thread keeps its part in registers: relocatable code takes 56, whole code 48."""
    row, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    lanes = cute.make_layout(VECTOR)
    x_row, y_row = (
        cute.logical_divide(x[row, None], lanes),
        cute.logical_divide(y[row, None], lanes),
    )
    weights = cute.logical_divide(w, lanes)
    parts = []
    total, squares = Float32(0), Float32(0)
    for i in range_constexpr(VECTORS):
        part = x_row[(None, i * THREADS + thread)].load().to(Float32)
        parts.append(part)
        total += part.reduce(cute.ReductionOp.ADD, 0.0, 0)
        squares += (part * part).reduce(cute.ReductionOp.ADD, 0.0, 0)
    mean = cute.arch.warp_reduction_sum(total) / (VECTORS * 256)
    variance = cute.arch.warp_reduction_sum(squares) / (VECTORS * 256) - mean * mean
    scale = cute.math.rsqrt(variance + 1e-5)
    for i in range_constexpr(VECTORS):
        at = (None, i * THREADS + thread)
        y_row[at].store(((parts[i] - mean) * scale * weights[at].load()).to(Float16))


@cute.jit
def normalise_rows(x: cute.Tensor, y: cute.Tensor, w: cute.Tensor):
    normalise(x, y, w).launch(grid=(x.shape[0], 1, 1), block=(THREADS, 1, 1))


def ptxas_registers(ptx: str, tmp_path, *options: str) -> dict[str, int]:
    assembler = _compiler.ptx_assembler()
    if not assembler:
        pytest.skip("there is no ptxas to compare with")
    source = tmp_path / "kernel.ptx"
    source.write_text(ptx)
    arch = _compiler.device_arch(0)
    said = subprocess.run(
        [assembler, "-v", *options, f"-arch={arch}", source, "-o", tmp_path / "kernel.cubin"],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    names = re.findall(r"Compiling entry function '(\w+)'", said)
    counts = [int(count) for count in re.findall(r"Used (\d+) registers", said)]
    assert names and len(names) == len(counts), said
    return dict(zip(names, counts))


def test_registers_are_those_of_whole_programs(tmp_path):
    rows = cute.sym_int()
    fake = cute.runtime.make_fake_compact_tensor
    matrix = [fake(Float16, (rows, SIZE), stride_order=(1, 0), assumed_align=16) for _ in range(2)]
    compiled = cute.compile(normalise_rows, *matrix, fake(Float32, (SIZE,), assumed_align=16))
    expected = ptxas_registers(compiled.__ptx__, tmp_path)
    loaded = {kernel["name"]: kernel["registers"] for kernel in compiled.kernel_attributes()}
    assert loaded == expected
    relocatable = ptxas_registers(compiled.__ptx__, tmp_path, "-c")
    assert relocatable != expected, "this kernel does not tell the two kinds of code apart"
