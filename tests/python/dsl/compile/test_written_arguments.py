"""Accesses of a program to its tensors, as the compiler finds them: all of them, and no others unless an address
escapes."""

import copy
import pickle

import numpy as np
import pytest
from support.hopper_programs import EditedMap, PersistentGemm, bulk_copies

from fairlead import Float16, Float32, Int32, Int64, cute, utils
from fairlead._compiler import Signature
from fairlead.cute.nvgpu import cpasync

CPU, HOPPER = "--target cpu", "--target cuda:sm_90a"


def vector(dtype=Float32, align=16):
    return cute.runtime.make_fake_compact_tensor(dtype, (cute.sym_int(),), assumed_align=align)


def matrix(dtype=Float32):
    extents = (cute.sym_int(), cute.sym_int())
    return cute.runtime.make_fake_compact_tensor(
        dtype, extents, stride_order=(1, 0), assumed_align=16
    )


def written(function, *arguments, options=CPU):
    return cute.compile(function, *arguments, options=options).signature.written_arguments


@cute.kernel
def add_kernel(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    out[i] = a[i] + b[i]


def by_kernel(a, b, out):
    add_kernel(a, b, out).launch(grid=1, block=32)


def by_two_launches(a, b, out):
    add_kernel(a, b, out).launch(grid=1, block=32)
    add_kernel(a, out, b).launch(grid=1, block=32)


def by_store(a, b, out):
    for i in range(a.shape[0]):
        if a[i] > b[i]:
            out[i] = a[i]


def by_expression(a, b, out):
    out[:] = a[:] + b[:] * 2.0


def by_copy(a, b, out):
    cute.autovec_copy(cute.local_tile(a, (4,), (0,)), cute.local_tile(out, (4,), (0,)))


def by_view(a, b, out):
    view = cute.make_tensor(out.iterator + 2, cute.make_layout((2, 2)))
    view[0, 1] = b[0]


def by_other_type(a, b, out):
    cute.recast_tensor(out, Int32)[0] = cute.recast_tensor(a, Int32)[0]


def by_chosen_tensor(a, b, out):
    chosen = out if b[0] > 0.0 else a
    chosen[0] = 1.0


def by_carried_tensor(a, b, out):
    here, there = a, out
    for _ in range(3):
        there[0] = here[0] + 1.0
        here, there = there, here


def by_carried_address(a, b, out):
    at = out.iterator
    i = Int32(0)
    while i < 3:
        at.store(b[i])
        at = at + 1
        i += 1


def by_address_in_memory(a, b, out):
    places = cute.make_rmem_tensor(cute.make_layout(1), Int64)
    places[0] = out.iterator.toint()
    b[0] = a[0]


def by_print(a, b, out):
    cute.printf("{} {}", a[0], b.iterator.toint())
    cute.testing.assert_(out.shape[0] > 0, "empty")


def nothing(a, b, out):
    pass


def by_update(a, b, out):
    out[0] += a[0]


HOST = [
    (by_kernel, "in in out"),
    (by_two_launches, "in inout inout"),
    (by_store, "in in out"),
    (by_expression, "in in out"),
    (by_copy, "in none out"),
    (by_view, "none in out"),
    (by_other_type, "in none out"),
    (by_chosen_tensor, "out in out"),
    (by_carried_tensor, "inout none inout"),
    (by_carried_address, "none in out"),
    (by_address_in_memory, "in out unknown"),
    (by_print, "in none none"),
    (by_update, "in none inout"),
    (nothing, "none none none"),
]


@pytest.mark.parametrize("options", [CPU, CPU + " --check all", CPU + " --opt-level 0"])
@pytest.mark.parametrize("function, expected", HOST, ids=lambda each: getattr(each, "__name__", ""))
def test_host_functions(function, expected, options):
    compiled = cute.compile(cute.jit(function), vector(), vector(), vector(), options=options)
    accesses = compiled.signature.accesses
    changed = [i for i, word in enumerate(expected.split()) if word not in ("in", "none")]
    assert (list(accesses), " ".join(accesses.values())) == (["a", "b", "out"], expected)
    assert compiled.signature.written_arguments == changed


@cute.kernel
def atomic_kernel(a: cute.Tensor, count: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    cute.arch.atomic_add(count.iterator, a[i])


@cute.kernel
def ptx_kernel(a: cute.Tensor, out: cute.Tensor):
    cute.arch.inline_ptx(
        "st.global.f32 [{$r0}], {$r1};", read_only_args=[out.iterator, Float32(a[0])]
    )


@cute.kernel
def shared_kernel(a: cute.Tensor, out: cute.Tensor):
    """``a`` is read by an asynchronous copy."""
    i = cute.arch.thread_idx()[0]
    memory = utils.SmemAllocator()
    tile = memory.allocate_tensor(Float32, cute.make_layout(128), 16)
    atom = cute.make_copy_atom(cpasync.CopyG2SOp(), Float32, num_bits_per_copy=128)
    part = cute.local_tile(a, (4,), (i,))
    cute.copy(atom, part, cute.local_tile(tile, (4,), (i,)))
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(0)
    cute.arch.sync_threads()
    out[i] = tile[i]


def launched(kernel):
    def host(a, out):
        kernel(a, out).launch(grid=1, block=32)

    return cute.jit(host)


@pytest.mark.parametrize(
    "kernel, access", [(atomic_kernel, "unknown"), (ptx_kernel, "unknown"), (shared_kernel, "out")]
)
@pytest.mark.parametrize("options", [CPU, HOPPER])
def test_kernels(kernel, access, options):
    if kernel is ptx_kernel:
        options = HOPPER
    signature = cute.compile(launched(kernel), vector(), vector(), options=options).signature
    assert list(signature.accesses.values()) == ["in", access]
    assert signature.written_arguments == [1]


def tensor(leading, dtype=Float16):
    order = (0, 1, 2) if leading == 0 else (1, 0, 2)
    extents = tuple(cute.sym_int() for _ in range(3))
    return cute.make_fake_compact_tensor(dtype, extents, stride_order=order, assumed_align=16)


@pytest.mark.parametrize("options", [CPU, HOPPER])
def test_tensor_maps(options):
    """Loads by tensor maps read, stores by them write."""
    gemm = cute.compile(PersistentGemm(), tensor(1), tensor(1), tensor(1), options=options)
    # A store by a tensor map also reads the map, which counts as a read of the tensor.
    assert list(gemm.signature.accesses.values()) == ["in", "in", "inout"]
    floats = cute.runtime.make_fake_compact_tensor(Float32, (256,), assumed_align=16)
    assert written(bulk_copies, floats, floats, options=options) == [1]


def test_a_map_that_is_changed_may_be_of_any_tensor():
    mode = utils.TensorMapUpdateMode.SMEM
    square = cute.runtime.make_fake_compact_tensor(
        Float32, (128, 128), stride_order=(1, 0), assumed_align=128
    )
    space = cute.runtime.make_fake_compact_tensor(Int64, (16,), assumed_align=128)
    found = written(EditedMap(mode), square, square, square, space, options=HOPPER)
    assert {1, 2, 3} <= set(found)


def test_one_of_several_targets_writes():
    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor):
        b[0] = a[0]

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        kernel(a, b).launch(grid=1, block=1)

    assert written(host, vector(), vector(), options="--target cuda:sm_80,cuda:sm_90a,cpu") == [1]


def test_pointers():
    @cute.jit
    def host(source: cute.Pointer, target: cute.Pointer, total: cute.Pointer):
        target.store(source.load())
        total.store(total.load() + 1.0)

    pointer = cute.runtime.make_ptr(Float32, 16, assumed_align=4)
    signature = cute.compile(host, pointer, pointer, pointer, options=CPU).signature
    assert signature.accesses == {"source": "in", "target": "out", "total": "inout"}
    assert signature.written_arguments == []  # calls do not know what memory an address is in
    assert str(signature) == (
        "host(source: Pointer(float32), out target: Pointer(float32), inout total: Pointer(float32))"
    )


def test_printed_signatures_are_read():
    compiled = cute.compile(cute.jit(by_update), vector(), vector(), vector(), options=CPU)
    printed = str(compiled.signature)
    assert printed.startswith("by_update(a: Tensor([n0], float32, align=16), b: ")
    assert ", inout out: Tensor(" in printed and "inout" not in compiled.signature.text
    again = Signature.parse(printed)
    assert str(again) == printed and again.accesses["out"] == "inout"
    assert str(Signature.parse("f(out: Tensor([n], int8))")) == "f(out: Tensor([n], int8))"
    assert Signature.parse("f(out out: Tensor([n], int8))").accesses == {"out": "out"}
    with pytest.raises(ValueError, match="`out` is for tensors, and `n` is none"):
        Signature.parse("f(x: Tensor([m], int8), out n: int32)")


def test_accesses_of_files():
    """Names and words of newer releases are left out."""
    signature = Signature.parse("f(a: Tensor([n], int8), b: Tensor([n], int8), m: int32)")
    signature.note_accesses({"a": "in", "b": "a new word", "m": "out", "c": "out"})
    assert signature.accesses == {"a": "in", "b": "none"}


def test_structures_and_numbers_count_as_they_are_passed():
    @cute.jit
    def host(parts, n: Int32, out: cute.Tensor, stream):
        out[0] = parts[0][0] + n

    stream = cute.runtime.make_fake_stream(use_tvm_ffi_env_stream=True)
    assert written(host, (vector(), vector()), Int32(1), vector(), stream) == [3]


def test_it_survives(tmp_path, cache_dir):
    """The cache, pickles, copies and exported files."""

    def compiled():
        return cute.compile(cute.jit(by_kernel), vector(), vector(), vector(), options=CPU)

    first, second = compiled(), compiled()
    assert not first.cached and second.cached
    for each in (first, second, pickle.loads(pickle.dumps(first)), copy.deepcopy(first)):
        assert each.signature.written_arguments == [2]
        assert list(each.signature.accesses.values()) == ["in", "in", "out"]
    first.export_to_c(str(tmp_path / "f.o"), function_name="f")
    first.export_library(tmp_path / "f.so", function_name="f")
    first.export_to_c(file_path=str(tmp_path), file_name="plain", function_prefix="f")
    for file in ("f.o", "f.so", "plain.o"):
        module = cute.runtime.load_module(tmp_path / file)
        details = module.get_function_metadata("f")["fairlead"]
        assert details["writes"] == [2], file
        assert details["accesses"] == {"a": "in", "b": "in", "out": "out"}, file
        out = np.zeros(32, np.float32)
        module.f(np.ones(32, np.float32), np.ones(32, np.float32), out)
        assert (out == 2).all()
