"""Whole tensors of elements of 6 and 4 bits, which lie packed in memory."""

import types

import numpy as np
import pytest
from support import packed_elements as packed

import fairlead
from fairlead import Float32, Uint8, cute
from fairlead.cute import _conversion


@pytest.mark.parametrize("name", packed.NAMES)
def test_rows(name):
    packed.check_conversion(packed.device_rows, name)


@pytest.mark.parametrize("name", packed.NAMES)
def test_slices_and_tiles(name):
    packed.check_conversion(packed.device_matrix, name)


def test_int4():
    packed.check_int4()


def compile_body(body):
    @cute.kernel
    def device(a: cute.Tensor):
        body(a)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=(1,), block=(1,))

    fake = cute.runtime.make_fake_compact_tensor(Uint8, (4, 16), stride_order=(1, 0))
    return cute.compile(host, fake, options="--target cpu")


@pytest.mark.parametrize("kind", [fairlead.Float6E2M3FN, fairlead.Float4E2M1FN])
def test_parts_of_bytes(kind):
    def elements(a, shape, stride):
        pointer = cute.recast_ptr(a.iterator, dtype=kind)
        return cute.make_tensor(pointer, cute.make_layout(shape, stride=stride))

    message = f"elements of {kind.__name__} have {kind.width} bits and are packed"
    for refused in (
        lambda a: elements(a, (4, 8), (8, 1))[None, 1].load(),
        lambda a: elements(a, 3, 1).fill(1.0),  # the rest of the last byte is not this tensor's
        lambda a: elements(a, 8, 2).fill(1.0),
        lambda a: elements(a, (8, 2), (1, 0)).fill(1.0),
        lambda a: elements(a, (2, 8), (cute.arch.thread_idx()[0], 1)).load(),
    ):
        with pytest.raises(TypeError, match=message):
            compile_body(refused)
    # Memory that is only read may be anywhere.
    compile_body(lambda a: elements(a, 8, 2).load())
    compile_body(lambda a: elements(a, 3, 1).load())
    compile_body(lambda a: elements(a, 16, 1)[3])
    compile_body(lambda a: elements(a, (2, 8), (4 * cute.arch.thread_idx()[0], 1)).fill(1.0))


def test_slices_know_their_alignment():
    def body(a):
        pointer = cute.recast_ptr(a.iterator, dtype=fairlead.Float6E2M3FN).align(16)
        tensor = cute.make_tensor(pointer, cute.make_layout((8, 64), stride=(64, 1)))
        assert tensor[1, None].iterator.alignment == 16  # 48 bytes
        tensor = cute.make_tensor(pointer, cute.make_layout((8, 16), stride=(16, 1)))
        assert tensor[1, None].iterator.alignment == 4  # 12 bytes

    compile_body(body)


def test_size_in_bytes():
    sizes = [cute.size_in_bytes(fairlead.Float6E2M3FN, cute.make_layout(n)) for n in (1, 3, 4, 16)]
    assert sizes == [1, 3, 3, 12]
    assert cute.size_in_bytes(Float32, cute.make_layout((4, 3), stride=(8, 1))) == 4 * (24 + 2 + 1)


def test_values_of_registers():
    """Register tensors hold an element in a byte of its own."""

    def body(a):
        part = cute.make_rmem_tensor((5,), fairlead.Float6E2M3FN)
        part[3] = fairlead.Float6E2M3FN(1.5)
        assert part[3].to(Float32).dtype is Float32

    compile_body(body)


@pytest.mark.parametrize("shape, stride", [((24, 6, 3), (1, 24, 144)), ((6, 24, 3), (24, 1, 144))])
@pytest.mark.parametrize("kind", [fairlead.Float4E2M1FN, fairlead.Float6E3M2FN, fairlead.Int4])
def test_testing_convert_of_gpus(kind, shape, stride, monkeypatch):
    """There each thread writes whole bytes; the bytes are those that the CPU's program writes."""
    numbers = np.random.default_rng(0).integers(-3, 4, shape).astype(np.float32)

    def converted():
        @cute.jit
        def host(source: cute.Tensor, memory: cute.Tensor):
            pointer = cute.recast_ptr(memory.iterator, dtype=kind)
            layout = cute.make_layout(shape, stride=stride)
            _conversion.convert(source, cute.make_tensor(pointer, layout))

        memory = np.zeros(numbers.size * kind.width // 8, np.uint8)
        tensors = [cute.runtime.from_dlpack(each, assumed_align=4) for each in (numbers, memory)]
        cute.compile(host, *tensors, options="--target cpu")(*tensors)
        return memory

    expected = converted()
    monkeypatch.setattr(
        _conversion, "current_target", lambda: types.SimpleNamespace(capability=100)
    )
    np.testing.assert_array_equal(converted(), expected)
    fakes = []
    for dtype in (Float32, kind):
        strides = [cute.sym_int64(), 1]
        fakes.append(
            cute.make_fake_tensor(dtype, (cute.sym_int(), cute.sym_int()), stride=tuple(strides))
        )
    text = cute.compile(_conversion.convert, *fakes, options="--target cuda:sm_100a").__ptx__
    assert "st.global.b8" in text or "st.global.u8" in text
