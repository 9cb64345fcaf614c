"""PTX of one's own in kernels."""

import re

import numpy as np
import pytest

import fairlead as cutlass
from fairlead import cute
from fairlead.cute import _ir_types as llvm
from fairlead.cute._assembly import inline_asm
from fairlead.cute.runtime import make_fake_compact_tensor


def vector(dtype=cutlass.Int32):
    return make_fake_compact_tensor(dtype, (cute.sym_int(),))


def ptx_of(device, *tensors):
    @cute.jit
    def host(tensors):
        device(*tensors).launch(grid=1, block=32)

    compiled = cute.compile(host, tensors, options="--gpu-arch sm_90a")
    assert compiled.__cubin__  # The assembler has taken it.
    return compiled.__ptx__


def multiply_high(a, b):
    return cutlass.Int32(
        inline_asm(
            cutlass.Int32.mlir_type,
            [cutlass.Int32(a).ir_value(), cutlass.Int32(b).ir_value()],
            "mul.hi.s32 $0, $1, $2;",
            "=r,r,r",
            has_side_effects=False,
        )
    )


def test_one_result():
    @cute.kernel
    def device(x: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        x[t] = multiply_high(x[t], 77) + 1

    assert "mul.hi.s32" in ptx_of(device, vector())


def test_booleans_are_words():
    @cute.kernel
    def device(x: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        all_below = inline_asm(
            cutlass.Boolean.mlir_type,
            [(x[t] < 10).ir_value(), cutlass.Int32(-1).ir_value()],
            "{ .reg .pred p, q; setp.ne.b32 p, $1, 0; vote.sync.all.pred q, p, $2; selp.b32 $0, 1, 0, q; }",
            "=r,r,i",
            has_side_effects=True,
        )
        if cutlass.Boolean(all_below):
            x[t] = 5

    text = ptx_of(device, vector())
    assert re.search(r"vote\.sync\.all\.pred q, p, -1;", text)


def test_several_results_come_in_a_struct():
    @cute.kernel
    def device(x: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        i32 = cutlass.Int32.mlir_type
        both = inline_asm(
            llvm.StructType.get_literal([i32, i32]),
            [x[t].ir_value()],
            "{ mov.u32 $0, %smid; add.s32 $1, $2, 3; }",
            "=r,=r,r",
            has_side_effects=True,
        )
        x[t] = llvm.extractvalue(i32, both, [0]) * llvm.extractvalue(i32, both, [1])

    assert "%smid" in ptx_of(device, vector())


def test_no_result_and_pointers():
    @cute.kernel
    def device(x: cute.Tensor):
        shared = cutlass.utils.SmemAllocator().allocate_array(cutlass.Int32, 32)
        t = cute.arch.thread_idx()[0]
        asm = "st.shared.s32 [$0], $1; st.global.s32 [$2], $1;"
        value = inline_asm(
            None,
            [(shared + t).toint().ir_value(), t.ir_value(), x.iterator + t],
            asm,
            "r,r,l",
            has_side_effects=True,
        )
        assert value is None

    text = ptx_of(device, vector())
    assert re.search(r"st\.shared\.s32 \[%r\d+\]", text)
    assert re.search(r"st\.global\.s32 \[%rd\d+\]", text)


def test_assembly_without_effects_may_go():
    @cute.kernel
    def device(x: cute.Tensor):
        multiply_high(x[0], 77)
        x[0] = 1

    assert "mul.hi" not in ptx_of(device, vector())


def test_the_cpu_has_not_all_of_it():
    @cute.kernel
    def device(x: cute.Tensor):
        x[0] = inline_asm(cutlass.Int32, [], "mov.u32 $0, %pm0;", "=r")

    @cute.jit
    def host(x: cute.Tensor):
        device(x).launch(grid=1, block=1)

    expected = r"for the CPU failed: only GPUs run its inline PTX `mov\.u32 \$0, %pm0;`"
    with pytest.raises(RuntimeError, match=expected):
        cute.compile(host, vector(), options="--target cpu")


def test_host_functions_have_none_of_it():
    @cute.jit
    def host(n: cutlass.Int32):
        multiply_high(n, n)

    with pytest.raises(RuntimeError, match="inline assembly is only known inside a kernel"):
        cute.compile(host, 1)


# --- inline_ptx


@cute.kernel
def with_inline_ptx(x: cute.Tensor, y: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    added = cute.arch.inline_ptx(
        "add.rn.f32 {$w0}, {$r0}, {$r1};",
        write_only_types=[cutlass.Float32],
        read_only_args=[x[t], 1.0],
    )
    more, less = cute.arch.inline_ptx(
        "{ .reg .f32 k; mov.f32 k, {$r1}; add.f32 {$w0}, {$r0}, k; sub.f32 {$w1}, {$r0}, k; }",
        write_only_types=[cutlass.Float32, cutlass.Float32],
        read_only_args=[added, x[t]],
    )
    word = cute.arch.inline_ptx(
        "xor.b32 $0, $1, $2;", write_only_types=[cutlass.Int32], read_only_args=[t, 5]
    )
    bits = cute.arch.inline_ptx(
        "mov.b16 {$w0}, {$r0};",
        write_only_types=[cutlass.Uint16],
        read_only_args=[cutlass.Float16(more)],
    )
    wide = cute.arch.inline_ptx(
        "mov.b64 {$w0}, {{$r0}, {$r1}};",
        write_only_types=[cutlass.Int64],
        read_only_args=[cutlass.Int32(word), cutlass.Int32(bits)],
    )
    y[t] = less + cutlass.Float32(wide)
    assert cute.arch.inline_ptx("nanosleep.u32 {$r0};", read_only_args=[1], predicate=t < 3) is None


@cute.jit
def run_inline_ptx(x: cute.Tensor, y: cute.Tensor):
    with_inline_ptx(x, y).launch(grid=1, block=32)


def test_inline_ptx_on_the_cpu():
    x = np.arange(32, dtype=np.float32) / 4
    y = np.zeros(32, np.float32)
    cute.compile(run_inline_ptx, x, y, options="--target cpu")(x, y)
    bits = (x + 1 + x).astype(np.float16).view(np.uint16).astype(np.int64)
    words = (np.arange(32) ^ 5) | (bits << 32)
    np.testing.assert_array_equal(y, 1 + words.astype(np.float32))


def test_inline_ptx_assembles():
    ptx = ptx_of(with_inline_ptx, vector(cutlass.Float32), vector(cutlass.Float32))
    for text in ("add.rn.f32", "xor.b32", "mov.b16", "@taken nanosleep.u32"):
        assert text in ptx


def test_operands_that_inline_ptx_has_not():
    @cute.kernel
    def device(x: cute.Tensor):
        cute.arch.inline_ptx("nanosleep.u32 {$r1};", read_only_args=[1])

    with pytest.raises(TypeError, match=r"inline_ptx with \{\$r1\}, but got 1 read_only_args"):
        ptx_of(device, vector())


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("red.global.add.v2.f32 [$0], {$1, $1};", "8.1"),
        ("multimem.red.relaxed.sys.global.add.f32 [$0], $1;", "8.1"),
        ("{ .reg .b32 w; cvt.rn.satfinite.bf16x2.f32 w, $1, $1; st.global.b32 [$0], w; }", "8.1"),
        ("{ .reg .b32 w; cvt.rz.satfinite.f16x2.f32 w, $1, $1; st.global.b32 [$0], w; }", "8.1"),
        ("{ .reg .b128 q; ld.global.b128 q, [$0]; }", "8.3"),
        ("{ .reg .b32 w; cvt.rn.f16x2.f32 w, $1, $1; st.global.b32 [$0], w; }", "8.0"),
        ("st.global.v2.f32 [$0], {$1, $1};", "8.0"),
        ("red.global.add.f32 [$0], $1;", "8.0"),
    ],
)
def test_the_version_that_an_instruction_needs(text, version):
    """Old drivers load PTX of low versions: the version is raised for the instructions that need it alone."""

    @cute.kernel
    def device(x: cute.Tensor):
        operands = [x.iterator.toint(), cutlass.Float32(1)]
        inline_asm(None, operands, text, "l,f", has_side_effects=True)

    assert f".version {version}\n" in ptx_of(device, vector(cutlass.Float32))
