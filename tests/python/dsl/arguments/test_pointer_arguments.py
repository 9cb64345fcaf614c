"""Addresses as arguments: made from ints, ctypes and objects; compiled, called, checked."""

import ctypes

import numpy as np
import pytest
from support.dsl_support import vector

from fairlead import Float32, Int32, Int64, Uint8, cute

CPU = "--target cpu"
generic = cute.AddressSpace.generic


def aligned(n=8, dtype=np.float32):
    store = np.zeros(n + 64, dtype)
    offset = -(store.ctypes.data // store.itemsize) % (64 // store.itemsize)
    return store[offset : offset + n]


@cute.kernel
def device_add(source: cute.Pointer, target: cute.Pointer, n: Int32):
    thread, _, _ = cute.arch.thread_idx()
    if thread < n:
        tensor = cute.make_tensor(target, cute.make_layout(n))
        tensor[thread] = (source + thread).load() + 1.0


@cute.jit
def add_one(source: cute.Pointer, target: cute.Pointer, n: Int32):
    device_add(source, target, n).launch(grid=1, block=32)


def pointer(array, **options):
    return cute.runtime.make_ptr(Float32, array.ctypes.data, generic, **options)


def compiled():
    null = cute.runtime.nullptr(Float32, generic, assumed_align=16)
    return cute.compile(add_one, null, null, 1, options=CPU)


class Holder:
    """An object of another package with the protocol of pointers."""

    def __init__(self, array):
        self.array = array

    def __tvm_ffi_opaque_ptr__(self):
        return self.array.ctypes.data


FORMS = {
    "make_ptr": pointer,
    "int": lambda array: array.ctypes.data,
    "c_void_p": lambda array: ctypes.c_void_p(array.ctypes.data),
    "object": Holder,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_address(form):
    function = compiled()
    assert str(function.signature) == (
        "add_one(source: Pointer(float32, align=16), out target: Pointer(float32, align=16), n: int32)"
    )
    a, b = aligned(), aligned()
    a[:] = np.arange(8)
    function(FORMS[form](a), FORMS[form](b), 6)
    assert b.tolist() == [1, 2, 3, 4, 5, 6, 0, 0]


def test_make_ptr_of_everything():
    store = (ctypes.c_float * 4)()
    address = ctypes.addressof(store)
    typed = ctypes.cast(store, ctypes.POINTER(ctypes.c_float))
    for value in (address, ctypes.c_void_p(address), typed):
        made = cute.runtime.make_ptr(Float32, value, generic, assumed_align=4)
        assert int(made) == address and isinstance(made, cute.runtime.Pointer)
    assert made.dtype is Float32 and made.memspace == generic and made.alignment == 4
    assert made.size_in_bytes() == 8 and int(made + 2) == address + 8
    assert repr(made) == f"Ptr<0x{address:016x}@generic>"
    assert int(made.align(64)) % 64 == 0 and made.align(64).alignment == 64
    other = cute.make_ptr(Float32, typed, generic, 4)
    assert other.__cache_key__ == made.__cache_key__
    (cell,) = made.__c_pointers__()
    assert ctypes.c_void_p.from_address(cell).value == address


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: cute.make_ptr(Float32, "text"), TypeError, "make_ptr takes an address: an int, .*, but got str"),
        (lambda: cute.make_ptr(Float32, -4), TypeError, "but got -4"),
        (lambda: cute.make_ptr(Float32, True), TypeError, "but got True"),
        (lambda: cute.make_ptr(Float32, 6), ValueError, "divisible by 4, but got 0x6"),
        (lambda: cute.make_ptr(Float32, 8, assumed_align=16), ValueError, "divisible by 16, but got 0x8"),
        (lambda: cute.make_ptr(Float32, 8, assumed_align=3), ValueError, "a power of two from 4 on"),
        (lambda: cute.make_ptr(float, 8), TypeError, "expected a numeric class"),
    ],
)  # fmt: skip
def test_addresses_that_are_none(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda a: 0, ValueError, "Null pointer on argument #1"),
        (lambda a: None, ValueError, "Null pointer on argument #1"),
        (lambda a: cute.runtime.nullptr(Float32), ValueError, "Null pointer on argument #1"),
        (lambda a: a.ctypes.data + 4, ValueError, "=16 bytes, but the address is 4 bytes past a multiple of it"),
        (lambda a: a, TypeError, "expected Pointer, but got"),
        (lambda a: 1.5, TypeError, "expected Pointer, but got float"),
    ],
)  # fmt: skip
def test_calls_that_are_rejected(make, kind, message):
    function, a = compiled(), aligned()
    with pytest.raises(kind, match=message):
        function(a.ctypes.data, make(a), 4)


def test_direct_calls_and_recasts():
    @cute.jit
    def first_byte(source: cute.Pointer, out: cute.Tensor):
        out[0] = cute.recast_ptr(source, dtype=Uint8).load()
        out[1] = cute.make_ptr(Uint8, source.toint() + 1).load()

    a, out = aligned(4, np.uint32), np.zeros(2, np.int32)
    a[0] = 0x0201
    for _ in range(2):
        first_byte(cute.runtime.make_ptr(cute.Uint32, a.ctypes.data), out)
        assert out.tolist() == [1, 2]
    assert len(first_byte.compiled) == 1


def test_inside_tuples():
    @cute.jit
    def copy(pointers: tuple, out: cute.Tensor):
        out[0] = pointers[0].load() + pointers[1].load()

    a, out = aligned(), np.zeros(1, np.float32)
    a[:2] = 1, 2
    null = cute.runtime.nullptr(Float32)
    cute.compile(copy, (null, null), vector(Float32), options=CPU)(
        (pointer(a), a.ctypes.data + 4), out
    )
    assert out[0] == 3


def test_the_annotation_is_checked():
    null = cute.runtime.nullptr(Float32)
    with pytest.raises(TypeError, match=r"argument #0 \(source\) to be Pointer, but got a tensor"):
        cute.compile(add_one, vector(Float32), null, 1, options=CPU)

    @cute.jit
    def tensor(a: cute.Tensor):
        pass

    with pytest.raises(TypeError, match=r"to be Tensor, but got RuntimePointer"):
        cute.compile(tensor, null, options=CPU)


def test_exported_functions_take_addresses(tmp_path):
    function = compiled()
    function.export_to_c(str(tmp_path / "f.o"), function_name="add_one")
    a, b = aligned(), aligned()
    cute.runtime.load_module(str(tmp_path / "f.o")).add_one(a.ctypes.data, b.ctypes.data, 2)
    assert b.tolist()[:3] == [1, 1, 0]
    function.export_to_c(file_path=str(tmp_path), file_name="plain", function_prefix="plain")
    header = (tmp_path / "plain.h").read_text()
    assert (
        "const void *source" in header
        and "  void *target" in header
        and "aligned to 16 bytes" in header
    )


@cute.kernel
def add_by_address(number: Int64, space: cute.Constexpr):
    shared = cute.arch.shuffle_sync(Int32(number), 0)  # hides what the address comes from
    pointer = cute.make_ptr(Float32, Int64(shared), space, assumed_align=4)
    values = cute.make_tensor(pointer, (2,))
    values[1] = values[0] + 1


@pytest.mark.parametrize("space", ["gmem", "generic"])
def test_accesses_have_the_space_of_an_address(space):
    @cute.jit
    def host(number: Int64):
        add_by_address(number, getattr(cute.AddressSpace, space)).launch(grid=1, block=32)

    ptx = cute.compile(host, Int64(0), options="--target cuda:sm_90a").__ptx__
    in_space = ".global" if space == "gmem" else ""
    assert f"ld{in_space}.b32" in ptx and f"st{in_space}.b32" in ptx
