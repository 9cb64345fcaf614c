"""Primitives compute the same on the GPU as on the CPU."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "python" / "primitives"))
torch = pytest.importorskip("torch")
import test_arithmetic_functions  # noqa: E402
import test_barrier_functions  # noqa: E402
import test_copy_functions  # noqa: E402
import test_mbarriers  # noqa: E402
from support.functions_support import compiled, run  # noqa: E402

from fairlead import Int32, primitives  # noqa: E402
from fairlead.primitives import AddressSpace, Array  # noqa: E402


def of_a_warp(t, a, out):
    x = a[t]
    out[t, 0], valid = primitives.shfl_sync(-1, x, 3, 0x1800, "up", return_value_and_is_valid=True)
    out[t, 1] = valid.to(Int32)
    out[t, 2] = primitives.redux_sync(x, "MAX", -1)
    out[t, 3] = primitives.vote_sync(-1, x > 0, "ballot")
    out[t, 4] = primitives.match_sync(-1, x % 4, "any")
    out[t, 5], every = primitives.match_sync(-1, x, "all")
    out[t, 6] = primitives.vote_sync(-1, primitives.elect_sync(), "ballot").to(Int32) != 0
    out[t, 7] = primitives.barrier_cta_red(x > 5, 0, "popc")
    out[t, 8] = primitives.prmt(x, 0x3120, hi=t)
    out[t, 9] = primitives.dot_accumulate_4way(x, "signed", t, "unsigned", 1)


def in_memory(t, a, out):
    counts = Array(Int32, 4, space=AddressSpace.smem)
    if t < 4:
        counts[t] = 0
    primitives.barrier_cta_sync()
    primitives.red("add", "s32", counts.data_ptr(t % 4), a[t], mem_scope="cta")
    primitives.red("max", "s32", out.iterator, a[t])
    primitives.atomicrmw("xor", out.iterator + 1, a[t])
    primitives.barrier_cta_sync()
    if t < 4:
        primitives.store_ext(counts[t], primitives.Pointer(out) + 2 + t, order="release")


def matrices(t, a, out):
    test = test_copy_functions
    first, second = test.shared(Int32, (8, 4)), test.shared(Int32, (8, 4))
    first[t] = a[t]
    primitives.barrier_cta_sync()
    row = (t % 8, 0)
    words = primitives.ldmatrix(first.data_ptr(row), 1, "col")
    primitives.stmatrix(second.data_ptr(row), words, "row")
    primitives.barrier_cta_sync()
    out[t] = second[t]


INTS = np.random.default_rng(4).integers(-9, 9, 32).astype(np.int32)
FLOATS = np.arange(6 * 32, dtype=np.float32).reshape(6, 32)
#: The body, its arrays, options of the launch, and the least compute capability.
PROGRAMS = {
    "warp": (of_a_warp, [INTS, np.zeros((32, 10), np.int32)], {}, 90),
    "memory": (in_memory, [INTS, np.zeros(6, np.int32)], {}, 80),
    "matrices": (matrices, [INTS, np.zeros(32, np.int32)], {}, 90),
    "barriers": (
        test_barrier_functions.handed_over,
        [np.zeros(32, np.int32)],
        {"threads": 64},
        80,
    ),
    "cluster": (
        test_barrier_functions.in_cluster,
        [np.zeros((4, 32), np.int32)],
        {"cluster": 2},
        90,
    ),
    "pipeline": (test_mbarriers.filled, [FLOATS, np.zeros_like(FLOATS)], {"threads": 64}, 90),
    "signals": (test_mbarriers.signalled, [np.zeros(2, np.int32)], {"cluster": 2}, 90),
    "bytes": (
        test_copy_functions.moved,
        [np.arange(64, dtype=np.float32), np.ones(128, np.float32)],
        {"threads": 64},
        90,
    ),
    "other block": (
        test_copy_functions.to_the_other_block,
        [np.zeros((2, 32), np.int32)],
        {"cluster": 2},
        90,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    body, arrays, options, least = PROGRAMS[name]
    major, minor = torch.cuda.get_device_capability()
    if 10 * major + minor < least:
        pytest.skip(f"needs compute capability {least / 10}")
    expected = [array.copy() for array in arrays]
    run(body, *expected, **options)
    tensors = [torch.from_numpy(array.copy()).cuda() for array in arrays]
    compiled(body, tensors, target="cuda", **options)(tensors)
    for tensor, array in zip(tensors, expected):
        np.testing.assert_array_equal(tensor.cpu().numpy(), array)


def test_selectors_of_bytes():
    words = torch.from_numpy(test_arithmetic_functions.WORDS.view(np.int32)).cuda()
    out = torch.zeros(32, 6, dtype=torch.int32, device="cuda")

    def body(t, words, out):
        for place, mode in enumerate(test_arithmetic_functions.BYTES):
            out[t, place] = primitives.prmt(words[t], t & 3, mode, hi=words[31 - t])

    expected = np.zeros((32, 6), np.int32)
    run(body, test_arithmetic_functions.WORDS.view(np.int32), expected)
    compiled(body, [words, out], target="cuda")([words, out])
    np.testing.assert_array_equal(out.cpu().numpy(), expected)
