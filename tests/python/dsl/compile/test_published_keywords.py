"""``loc`` and ``ip``, which published programs hand from helper to helper, and the symbols of their kernels."""

import numpy as np
import pytest
from support.dsl_support import published

import fairlead as cutlass
from fairlead import cute as native
from fairlead.cute import cuda
from fairlead.cute.runtime import from_dlpack

cute, arch, math, llvm = published("_cute", "_arch", "_math", "_mlir.dialects.llvm")


@cutlass.dsl_user_op
def twice(x, *, loc=None, ip=None):
    chosen = cute.where(x > 0.0, math.exp2(x, loc=loc, ip=ip), cute.exp2(x), loc=loc, ip=ip)
    return chosen.to(cutlass.Float32, loc=loc, ip=ip)


@cutlass.dsl_user_op
def multiply_high(a, b, *, loc=None, ip=None):
    return cutlass.Int32(
        llvm.inline_asm(
            cutlass.Int32.mlir_type,
            [cutlass.Int32(a).ir_value(loc=loc, ip=ip), cutlass.Int32(b).ir_value()],
            "mul.hi.s32 $0, $1, $2;",
            "=r,r,r",
            has_side_effects=False,
            is_align_stack=False,
            asm_dialect=llvm.AsmDialect.AD_ATT,
            loc=loc,
            ip=ip,
        )
    )


def test_operations_take_them():
    @cute.kernel
    def device(x: cute.Tensor, out: cute.Tensor, loc=None, ip=None):
        t = arch.thread_idx(loc=loc, ip=ip)[0]
        shape = cute.make_layout((2, 4), loc=loc, ip=ip)
        row, column = shape.get_hier_coord(t, loc=loc, ip=ip)
        same = (
            shape.get_flat_coord(t, loc=loc, ip=ip)[0]
            - row
            + shape((row, column), loc=loc, ip=ip)
            - t
        )
        mine = cute.make_rmem_tensor(shape, cutlass.Float32, loc=loc, ip=ip)
        mine.fill(0.0, loc=loc, ip=ip)
        mine.store(mine.load(loc=loc, ip=ip) + x[t], loc=loc, ip=ip)
        total = mine.load().reduce(cute.ReductionOp.ADD, 0.0, reduction_profile=0, loc=loc, ip=ip)
        arch.sync_threads(loc=loc, ip=ip)
        place = x.iterator + t
        value = place.align(4, loc=loc, ip=ip).load(loc=loc, ip=ip)
        address = place.toint(loc=loc, ip=ip)
        again = cute.make_ptr(cutlass.Float32, address, cute.AddressSpace.gmem, loc=loc, ip=ip)
        sums = twice(again.load() + value - value) + total.ir_value(loc=loc, ip=ip)
        out[t] = sums + same

    @cute.jit
    def host(x: cute.Tensor, out: cute.Tensor):
        device(x, out).launch(grid=cute.ceil_div(8, 8, loc=None, ip=None), block=8)

    x = np.arange(8, dtype=np.float32)
    out = np.zeros_like(x)
    host(from_dlpack(x), from_dlpack(out))
    np.testing.assert_array_equal(out, np.exp2(x) + 8 * x)


def test_assembly_takes_options_of_llvm():
    @cute.jit
    def host(x: cute.Tensor):
        device(x).launch(block=1, smem_merge_branch_allocs=True)

    @cute.kernel
    def device(x: cute.Tensor):
        x[0] = multiply_high(x[0], 77)

    x = np.array([1 << 30], np.int32)
    host(from_dlpack(x))
    assert x[0] == 77 >> 2


def test_other_keywords_are_errors_still():
    @cute.kernel
    def device():
        arch.sync_threads(location=None)

    @cute.jit
    def host():
        device().launch(grid=1, block=1)

    with pytest.raises(TypeError, match="location"):
        cute.compile(host)


def test_bytes_of_shared_memory_are_known_once_launched():
    said = []

    @cute.kernel
    def device(pieces: cutlass.Constexpr):
        allocator = cutlass.utils.SmemAllocator()
        for _ in cutlass.range_constexpr(pieces):
            allocator.allocate_array(cutlass.Int32, 5)

    @cute.jit
    def host():
        for pieces in cutlass.range_constexpr(3):
            call = device(pieces)
            if pieces == 0:
                with pytest.raises(RuntimeError, match="`device` is known once it is launched"):
                    call.smem_usage()
            call.launch(grid=1, block=1)
            said.append(call.smem_usage())

    cute.compile(host)
    assert said == [0, 20, 40]


def test_streams_of_the_cpu_are_always_done(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu:x86-64-v3")
    stream = cuda.default_stream()
    assert int(stream) == 0 and cuda.stream_sync(stream) is None


def test_pointers_tell_their_address():
    data = np.zeros(4, np.float32)
    pointer = cute.runtime.make_ptr(cutlass.Float32, data.ctypes.data, cute.AddressSpace.gmem)
    assert pointer._pointer == data.ctypes.data == int(pointer)


def test_assembly_has_operands_by_two_names():
    @cute.kernel
    def device(x: cute.Tensor):
        for index, name in enumerate(("operands", "operands_")):
            keywords = {name: [x[index].ir_value()]}
            bits = llvm.inline_asm(
                res=cutlass.Int32.mlir_type,
                asm_string="popc.b32 $0, $1;",
                constraints="=r,r",
                **keywords,
            )
            x[index] = cutlass.Int32(bits)

    @cute.jit
    def host(x: cute.Tensor):
        device(x).launch(grid=1, block=1)

    x = np.array([7, 15], np.int32)
    host(from_dlpack(x))
    assert x.tolist() == [3, 4]


def test_functions_of_linked_code_are_declared_and_not_called():
    function = cute.ffi(name="next_rank", params_types=[cutlass.Int32])
    with pytest.raises(NotImplementedError, match="`next_rank` is a function of linked device"):
        function(3)


def test_kernels_have_published_symbols():
    def symbol(kernel, jit):
        def device(x: cute.Tensor):
            x[0] = 1.0

        launched = kernel(device)

        @jit
        def host(x: cute.Tensor):
            launched(x).launch(grid=1, block=1)

        fake = native.runtime.make_fake_compact_tensor(cutlass.Float32, (8,))
        compiled = native.compile(host, fake, options="--target cuda:sm_90a,cpu")
        return compiled.__ptx__.partition(".visible .entry ")[2].partition("(")[0]

    assert symbol(cute.kernel, cute.jit) == "kernel_cutlass_device"
    assert symbol(native.kernel, native.jit) == "device"
