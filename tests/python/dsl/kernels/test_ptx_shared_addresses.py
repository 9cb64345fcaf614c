"""Inline PTX on the CPU takes addresses of 32 bits that a kernel computes from those of its shared memory."""

import numpy as np
import pytest

from fairlead import Int32, Uint32, cute
from fairlead.cute._assembly import inline_asm
from fairlead.utils import SmemAllocator

_COPY = "{ .reg .u64 a; mad.wide.u32 a, $2, 2, $1; cp.async.ca.shared.global [$0], [a], 16; }"


def _sum(base, lane):
    return base + lane * 16


def _swizzled(base, lane):
    return base + ((lane * 16) ^ 0x30)


def _two_sums(base, lane):
    return (base + 4 * lane) + (lane * 8 + 4 * lane)


def _carried(base, lane):
    address = base
    for _ in range(lane):
        address = address + 16
    return address


def _chosen(base, lane):
    address = base
    if lane % 2 == 1:
        address = base + lane * 16
    else:
        address = base + 16 * lane
    return address


def _unsigned(base, lane):
    return Uint32(base) + Uint32(lane) * 16


@pytest.mark.parametrize(
    "address", [_sum, _swizzled, _two_sums, cute.jit(_carried), cute.jit(_chosen), _unsigned]
)
def test_copies_to_computed_addresses(address):
    @cute.kernel
    def kernel(rows: cute.Tensor, out: cute.Tensor):
        lane = cute.arch.thread_idx()[0]
        allocator = SmemAllocator()
        allocator.allocate_tensor(Int32, cute.make_layout(8), 16)  # something before it
        shared = allocator.allocate_tensor(Int32, cute.make_layout((32, 4), stride=(4, 1)), 128)
        base = Int32(shared.iterator.toint())
        operands = [address(base, lane), rows.iterator.toint(), Int32(lane * 8)]
        inline_asm(None, operands, _COPY, "r,l,r", has_side_effects=True)
        inline_asm(None, [], "cp.async.wait_all;", "", has_side_effects=True)
        cute.arch.sync_threads()
        for i in range(4):
            out[lane, i] = shared[lane, i]

    @cute.jit
    def host(rows: cute.Tensor, out: cute.Tensor):
        kernel(rows, out).launch(grid=1, block=32)

    rows, out = np.arange(128, dtype=np.int32).reshape(32, 4), np.zeros((32, 4), np.int32)
    cute.compile(host, rows, out, options="--target cpu")(rows, out)
    lanes = np.arange(32)
    expected = rows[lanes ^ 3] if address is _swizzled else rows
    np.testing.assert_array_equal(out, expected)


def test_words_computed_from_addresses_in_shared_memory():
    """The low word of an address, changed by sums and swizzles and carried through a loop, names shared memory."""

    @cute.kernel
    def device(out: cute.Tensor):
        lane = cute.arch.thread_idx()[0]
        shared = SmemAllocator().allocate_tensor(Uint32, cute.make_layout(64), byte_alignment=128)
        word = shared.iterator.toint().to(Int32)
        store = "st.shared.u32 [$0], $1;"
        inline_asm(None, [word + (lane ^ 5) * 4, lane], store, "r,r", has_side_effects=True)
        end = word + 128
        for step in cute.range(8):
            if lane == step:
                inline_asm(None, [end, lane * 100], store, "r,r", has_side_effects=True)
            end = end + 4
        cute.arch.sync_threads()
        load = "ld.shared.u32 $0, [$1+128];"
        out[lane, 0] = shared[lane]
        out[lane, 1] = inline_asm(Uint32, [(word | 64) ^ 64 | (lane % 8) * 4], load, "=r,r")

    @cute.jit
    def run(out: cute.Tensor):
        device(out).launch(grid=1, block=32)

    out = np.zeros((32, 2), np.uint32)
    cute.compile(run, out, options="--target cpu")(out)
    lanes = np.arange(32, dtype=np.uint32)
    np.testing.assert_array_equal(out, np.stack([lanes ^ 5, lanes % 8 * 100], 1))


def test_a_number_that_is_no_address_is_not_one():
    @cute.kernel
    def kernel(out: cute.Tensor):
        number = cute.arch.thread_idx()[0] * 4
        inline_asm(None, [number, out[0]], "st.shared.b32 [$0], $1;", "r,r", has_side_effects=True)

    @cute.jit
    def host(out: cute.Tensor):
        kernel(out).launch(grid=1, block=32)

    with pytest.raises(Exception, match="only GPUs run its inline PTX"):
        cute.compile(host, np.zeros(4, np.int32), options="--target cpu")
