"""Mistakes in a kernel for compute capability 10.0, one each: an error or a finding has the line and says what was
expected. The kernel is that of docs/blackwell.md, which runs on the CPU."""

import importlib.util
import re
from pathlib import Path
from typing import NamedTuple

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "blackwell.md"
PROGRAM = "".join(re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)).replace(
    "from fairlead import Float16", "from fairlead import BFloat16, Float16"
)


class Mistake(NamedTuple):
    """A text of the program that is replaced, and parts of the message, divided by dots. ``line``: a text of the line
    that the message shows; default the new text."""

    old: str
    new: str
    message: str
    line: str = ""


MISTAKES = {
    # The product
    "dtype of the product": Mistake(
        "mma(Float16,",
        "mma(BFloat16,",
        "shared memory of BFloat16 ... as A of the MMA atom ... got tensor<ptr<f16",
        "fa, fb =",
    ),
    "sums": Mistake("k_major, Float32, one", "k_major, Int32, one", "Int32"),
    "rows": Mistake("one, TILE[:2])", "one, (96, 64))", "96"),
    "pair": Mistake(
        "tcgen05.CtaGroup.ONE,",
        "tcgen05.CtaGroup.TWO,",
        "make_cotiled_copy is not defined",
        "copy = tcgen05.make_tmem_copy(",
    ),
    "major": Mistake(
        "OperandMajorMode.K",
        "OperandMajorMode.MN",
        "expected a mode that is contiguous",
        "a_atom, a_places =",
    ),
    "field": Mistake("Field.ACCUMULATE, False", "Field.SFA, False", "expected Field.ACCUMULATE"),
    "value of a field": Mistake(
        "Field.ACCUMULATE, False", "Field.ACCUMULATE, None", "(value) to be a value, but got None"
    ),
    "no tensor": Mistake(
        "make_fragment_A(sa)", "make_fragment_A(None)", "(input) to be a value, but got None"
    ),
    "operands exchanged": Mistake(
        "fa[None, None, k, 0], fb",
        "fb[None, None, k, 0], fa",
        "a descriptor of shared memory that leads to byte 25600 of the block's 25600",
    ),
    "sums in other tensors": Mistake(
        "retrieve_ptr(Float32)", "retrieve_ptr(Int32)", "tensor memory of Float32 as C", "cute.gemm"
    ),
    # Shared memory
    "no swizzle": Mistake(
        "1024, a_staged.inner)",
        "1024)",
        "shared memory whose addresses S<3,4,3> swizzles",
        "cute.copy(a_atom",
    ),
    "alignment": Mistake(
        "a_staged.outer, 1024",
        "a_staged.outer, 0",
        "a power of two from 1 to 1024 bytes, but got 0",
    ),
    "odd alignment": Mistake(
        "b_staged.outer, 1024",
        "b_staged.outer, 96",
        "a power of two from 1 to 1024 bytes, but got 96",
    ),
    "layouts exchanged": Mistake(
        "a_staged, b_staged).launch",
        "b_staged, a_staged).launch",
        "one static size for tma_partition",
        "to_a, from_a = ",
    ),
    # TMA
    "arguments exchanged": Mistake(
        "cute.select(a_staged, mode=[0, 1, 2]), TILE",
        "TILE, cute.select(a_staged, mode=[0, 1, 2])",
        "(smem_layout) to be a layout",
        "a_atom, a_places =",
    ),
    "tiled MMA": Mistake(
        "b_staged, mode=[0, 1, 2]), TILE, mma, (1, 1, 1, 1)",
        "b_staged, mode=[0, 1, 2]), TILE, (1, 1, 1, 1), mma",
        "(tiled_mma) to be a tiled MMA",
        "b_atom, b_places =",
    ),
    "cluster": Mistake(
        "a_staged, mode=[0, 1, 2]), TILE, mma, (1, 1, 1, 1)",
        "a_staged, mode=[0, 1, 2]), TILE, mma, (1, 1, 0, 1)",
        "four extents of 1 or more",
        "a_atom, a_places =",
    ),
    "store": Mistake(
        "CopyBulkTensorTileG2SOp(one)", "CopyBulkTensorTileS2GOp()", "expected", "cute.copy(a_atom"
    ),
    "bytes": Mistake(
        "TILE[2] * 2)",
        "TILE[2] * 4)",
        "lacks 0 arrivals and 24576 bytes",
        "mbarrier_wait(loaded, 0)",
    ),
    "phase": Mistake(
        "mbarrier_wait(loaded, 0)",
        "mbarrier_wait(loaded, 2)",
        "expected 0 to 1 as phase, but got 2",
    ),
    # Tensor memory
    "columns": Mistake(
        "memory.allocate(64)", "memory.allocate(48)", "a power of two from 32 to 512"
    ),
    "too many columns": Mistake(
        "memory.allocate(64)", "memory.allocate(1024)", "a power of two from 32 to 512"
    ),
    "too few columns": Mistake(
        "memory.allocate(64)",
        "memory.allocate(32)",
        "columns 0 to 63 of tensor memory",
        "cute.gemm",
    ),
    "barrier": Mistake(
        "pipeline.NamedBarrier(1, 128)",
        "None",
        "(barrier_for_retrieve) to be a NamedBarrier, but got None",
    ),
    "number of a barrier": Mistake(
        "NamedBarrier(1, 128)", "NamedBarrier(16, 128)", "barrier_id from 0 to 15"
    ),
    "threads of a barrier": Mistake(
        "NamedBarrier(1, 128)", "NamedBarrier(1, 100)", "num_threads in multiples of 32"
    ),
    "store for a load": Mistake(
        "Ld32x32bOp(", "St32x32bOp(", "expected rmem as the source", "cute.copy(copy, mine"
    ),
    "columns that stay": Mistake(
        "memory.free(pointer)", "pass", "ends without freeing 64 columns", "memory.allocate(64)"
    ),
    "columns that are freed": Mistake(
        "memory.free(pointer)",
        "memory.free(pointer, 128)",
        "frees 128 columns of tensor memory at column 0",
    ),
    "blocks of a commit": Mistake(
        "tcgen05.commit(multiplied)",
        "tcgen05.commit(multiplied, 2)",
        "blocks that its cluster of 1 has not",
    ),
    # Order
    "no commit": Mistake(
        "tcgen05.commit(multiplied)",
        "pass",
        "which lacks 1 arrival",
        "mbarrier_wait(multiplied, 0)",
    ),
    "no wait for products": Mistake(
        "cute.arch.mbarrier_wait(multiplied, 0)",
        "pass",
        "race: columns 0 to 63 of tensor memory",
        "cute.gemm",
    ),
    "no wait for loads": Mistake(
        "cute.arch.mbarrier_wait(loaded, 0)", "pass", "race: shared memory", "cute.gemm"
    ),
    # The launch
    "blocks": Mistake("grid=1", "grid=(1, -1, 1)", "extents of 0 or more, but got (1, -1, 1)"),
    "threads": Mistake(
        "block=128",
        "block=(128, 0, 1)",
        "expected 1 to 1024 threads, but got (128, 0, 1)",
        ".launch(",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake(name, tmp_path):
    mistake = MISTAKES[name]
    assert PROGRAM.count(mistake.old) == 1, "the page has changed"
    text = PROGRAM.replace(mistake.old, mistake.new)
    path = tmp_path / "program.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("program", path)
    with pytest.raises(Exception) as error:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    message = str(error.value)
    for part in mistake.message.split(" ... "):
        assert part in message, message
    line = mistake.line or mistake.new
    at = next(number for number, each in enumerate(text.split("\n"), 1) if line in each)
    assert f"program.py:{at}" in message, (at, message)
