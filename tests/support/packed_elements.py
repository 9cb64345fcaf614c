"""Whole tensors of 6-bit and 4-bit elements, read, converted, computed with and written: for the CPU and the GPU."""

import functools

import numpy as np

import fairlead
from fairlead import Float32, Int4, Int32, Uint8, cute
from support import narrow_programs as narrow

NAMES = ("Float6E3M2FN", "Float6E2M3FN", "Float4E2M1FN")
ELEMENTS = 16  # of a row: 12 bytes, or 8


def packed(codes, bits):
    """Rows of codes as bytes, the first in the lowest bits."""
    places = (codes[..., None] >> np.arange(bits)) & 1
    stream = places.reshape(*codes.shape[:-1], -1).astype(np.uint8)
    return np.packbits(stream, axis=-1, bitorder="little")


def row_of(kind, tensor, row):
    """A row of bytes as elements."""
    pointer = cute.recast_ptr(tensor[row, None].iterator, dtype=kind)
    return cute.make_tensor(pointer, cute.make_layout(ELEMENTS))


@cute.kernel
def device_rows(kind: fairlead.Constexpr, a: cute.Tensor, wide: cute.Tensor, b: cute.Tensor):
    row, _, _ = cute.arch.thread_idx()
    values = row_of(kind, a, row).load()
    wide[row, None].store(values.to(Float32))
    row_of(kind, b, row).store((values.to(Float32) * Float32(-1.5)).to(kind))


@cute.kernel
def device_matrix(kind: fairlead.Constexpr, a: cute.Tensor, wide: cute.Tensor, b: cute.Tensor):
    """Copy by slices of a matrix of elements, and by tiles of half a row."""
    row, _, _ = cute.arch.thread_idx()
    source, target = cute.recast_tensor(a, kind), cute.recast_tensor(b, kind)
    wide[row, None].store(source[row, None].load().to(Float32))
    for half in range(2):
        part = cute.local_tile(source, (1, ELEMENTS // 2), (row, half))
        goal = cute.local_tile(target, (1, ELEMENTS // 2), (row, half))
        goal.store((part.load().to(Float32) * Float32(-1.5)).to(kind))


@cute.jit
def convert(
    kernel: fairlead.Constexpr,
    kind: fairlead.Constexpr,
    a: cute.Tensor,
    wide: cute.Tensor,
    b: cute.Tensor,
):
    kernel(kind, a, wide, b).launch(grid=(1,), block=(a.shape[0],))


@functools.cache
def compiled(kernel, name, target):
    kind = getattr(fairlead, name)
    rows, width = cute.sym_int(), ELEMENTS * kind.width // 8
    fake = cute.runtime.make_fake_compact_tensor
    return cute.compile(
        convert,
        kernel,
        kind,
        fake(Uint8, (rows, width), stride_order=(1, 0)),
        fake(Float32, (rows, ELEMENTS), stride_order=(1, 0)),
        fake(Uint8, (rows, width), stride_order=(1, 0)),
        options=target,
    )


def check_conversion(kernel, name, on_device=None):
    """Every code in every place of a row."""
    bits = getattr(fairlead, name).width
    rows = 1 << bits
    codes = (np.arange(rows)[:, None] + 5 * np.arange(ELEMENTS)) % rows
    a = packed(codes, bits)
    wide, b = np.full((rows, ELEMENTS), np.nan, np.float32), np.full(a.shape, 0xA5, np.uint8)
    if on_device is None:
        compiled(kernel, name, "--target cpu")(a, wide, b)
    else:
        moved, out = on_device(wide), on_device(b)
        compiled(kernel, name, "")(on_device(a), moved, out)
        wide, b = moved.cpu().numpy(), out.cpu().numpy()
    numbers = narrow.decode(name).astype(np.float32)[codes]
    np.testing.assert_array_equal(wide, numbers)
    np.testing.assert_array_equal(np.signbit(wide), np.signbit(numbers))
    expected = narrow.encode(name, (numbers * np.float32(-1.5)).ravel()).reshape(codes.shape)
    np.testing.assert_array_equal(b, packed(expected.astype(np.int64), bits))


@cute.kernel
def device_int4(a: cute.Tensor, wide: cute.Tensor, b: cute.Tensor):
    row, _, _ = cute.arch.thread_idx()
    values = row_of(Int4, a, row).load()
    wide[row, None].store(values.to(Int32))
    row_of(Int4, b, row).store((values.to(Int32) * 3).to(Int4))


@cute.jit
def int4(a: cute.Tensor, wide: cute.Tensor, b: cute.Tensor):
    device_int4(a, wide, b).launch(grid=(1,), block=(a.shape[0],))


def check_int4():
    rows = 16
    codes = (np.arange(rows)[:, None] + 3 * np.arange(ELEMENTS)) % 16
    a = packed(codes, 4)
    wide, b = np.full((rows, ELEMENTS), -99, np.int32), np.full(a.shape, 0xA5, np.uint8)
    fakes = [
        cute.runtime.make_fake_compact_tensor(dtype, (cute.sym_int(), width), stride_order=(1, 0))
        for dtype, width in ((Uint8, 8), (Int32, ELEMENTS), (Uint8, 8))
    ]
    cute.compile(int4, *fakes, options="--target cpu")(a, wide, b)
    signed = (codes ^ 8) - 8
    np.testing.assert_array_equal(wide, signed)
    np.testing.assert_array_equal(b, packed((signed * 3) & 15, 4))


@cute.kernel
def device_single(kind: fairlead.Constexpr, a: cute.Tensor, out: cute.Tensor):
    x, _, _ = cute.arch.block_idx()
    t, _, _ = cute.arch.thread_idx()
    count = out.shape[0]
    i = x * 32 + t
    if i < count:
        pointer = cute.recast_ptr(a.iterator, dtype=kind)
        out[count - 1 - i] = cute.make_tensor(pointer, cute.make_layout(count))[i].to(Float32)


@cute.jit
def single(kind: fairlead.Constexpr, a: cute.Tensor, out: cute.Tensor):
    device_single(kind, a, out).launch(grid=cute.ceil_div(out.shape[0], 32), block=32)


def numbers(kind, codes):
    """Return the numbers of codes."""
    if kind is Int4:
        return ((codes ^ 8) - 8).astype(np.float32)
    return narrow.decode(kind.__name__).astype(np.float32)[codes]


def check_single(kind, on_device=None):
    """Elements read one by one, at places that only the run knows, the last of the memory among them."""
    fake = cute.runtime.make_fake_compact_tensor
    function = cute.compile(
        single,
        kind,
        fake(Uint8, (cute.sym_int(),)),
        fake(Float32, (cute.sym_int(),)),
        options="" if on_device else "--target cpu",
    )
    for count in (4, 20, 64, 132):
        codes = (7 * np.arange(count)) % (1 << kind.width)
        a, out = packed(codes, kind.width), np.full(count, np.nan, np.float32)
        if on_device is None:
            function(a, out)
        else:
            moved = on_device(out)
            function(on_device(a), moved)
            out = moved.cpu().numpy()
        np.testing.assert_array_equal(out[::-1], numbers(kind, codes))
