"""Narrow elements in registers: packed in a register tensor of wider elements that is recast, a byte each otherwise."""

import numpy as np
import pytest

from fairlead import Float4E2M1FN, Int4, Int32, Uint8, Uint16, cute


@cute.kernel
def unpack_kernel(words: cute.Tensor, out: cute.Tensor, back: cute.Tensor):
    bytes = cute.make_rmem_tensor((4,), Uint8)
    for i in cute.range_constexpr(4):
        bytes[i] = words[i]
    elements = cute.recast_tensor(bytes, Int4)
    for i in cute.range_constexpr(8):
        out[i] = elements[i].to(Int32)
    for i in range(cute.size(elements)):  # an index of the run
        out[8 + i] = elements[i].to(Int32)
    whole = elements.load().to(Int32)
    for i in cute.range_constexpr(8):
        out[16 + i] = whole[i]
    elements[1] = Int4(-1)
    halves = cute.recast_tensor(elements, Uint16)
    for i in cute.range_constexpr(2):
        back[i] = halves[i]


@cute.jit
def unpack(words: cute.Tensor, out: cute.Tensor, back: cute.Tensor):
    unpack_kernel(words, out, back).launch(grid=1, block=1)


def test_bytes_hold_packed_elements():
    words = np.array([0x21, 0x43, 0x65, 0x87], np.uint8)
    out, back = np.zeros(24, np.int32), np.zeros(2, np.uint16)
    unpack(words, out, back)
    assert out.tolist() == 3 * [1, 2, 3, 4, 5, 6, 7, -8]
    assert [hex(word) for word in back] == ["0x43f1", "0x8765"]


@cute.kernel
def pack_kernel(values: cute.Tensor, out: cute.Tensor, kind: cute.Constexpr):
    bytes = cute.make_rmem_tensor((4,), Uint8)
    cute.recast_tensor(bytes, kind).store(values.load().to(kind))
    for i in cute.range_constexpr(4):
        out[i] = bytes[i]


@cute.jit
def pack(values: cute.Tensor, out: cute.Tensor, kind: cute.Constexpr):
    pack_kernel(cute.make_tensor(values.iterator, 8), out, kind).launch(grid=1, block=1)


@pytest.mark.parametrize(
    "kind, values, expected",
    [
        (Int4, np.array([1, 2, 3, 4, 5, 6, 7, -8], np.int32), [0x21, 0x43, 0x65, 0x87]),
        (Float4E2M1FN, np.float32([0, 0.5, 1, 1.5, 2, 3, 4, -6]), [0x10, 0x32, 0x54, 0xF6]),
    ],
)
def test_whole_tensors_are_stored_packed(kind, values, expected):
    out = np.zeros(4, np.uint8)
    pack(values, out, kind)
    assert out.tolist() == expected


@cute.kernel
def widen_kernel(out: cute.Tensor):
    elements = cute.make_rmem_tensor((8,), Int4)
    elements.fill(1)
    out[0] = cute.recast_tensor(elements, Uint8)[0]


@cute.jit
def widen(out: cute.Tensor):
    widen_kernel(out).launch(grid=1, block=1)


def test_elements_with_a_byte_each_are_no_wider_elements():
    message = "expected a register tensor of Uint8, which packs Int4 .*, but got one of Int4"
    with pytest.raises(TypeError, match=message):
        widen(np.zeros(1, np.uint8))
