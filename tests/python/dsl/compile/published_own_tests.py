"""What the own tests of published libraries expect of names that programs rarely use."""

import inspect

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
import cutlass.cute.tensor as cute_tensor
from cutlass import BFloat16, Float32, Int32
from cutlass._mlir.dialects import llvm
from cutlass.cute.nvgpu import warpgroup
from cutlass.cutlass_dsl import T

SM90 = "--target cuda:sm_90a"


def host_of(kernel, threads=32):
    @cute.jit
    def host(*tensors: cute.Tensor):
        kernel(*tensors).launch(grid=(1, 1, 1), block=(threads, 1, 1))

    return host


def fake(dtype, *shape):
    order = tuple(reversed(range(len(shape))))
    return cute.runtime.make_fake_compact_tensor(dtype, shape, stride_order=order, assumed_align=16)


def run(kernel, *arrays):
    fakes = [fake(getattr(cutlass, str(a.dtype).capitalize()), *a.shape) for a in arrays]
    cute.compile(host_of(kernel), *fakes)(*arrays)


def test_decorated_functions_show_what_they_are_made_of():
    """Libraries identify a function by its code, its defaults and what it reads."""
    offset = 3

    @cute.jit
    def shifted(x, scale=2, *, bias=4):
        return x * scale + bias + offset

    assert (shifted.__defaults__, shifted.__kwdefaults__) == ((2,), {"bias": 4})
    assert shifted.__code__ is shifted.__wrapped__.__code__
    assert shifted.__globals__ is globals()
    assert [cell.cell_contents for cell in shifted.__closure__] == [3]
    assert list(inspect.signature(shifted).parameters) == ["x", "scale", "bias"]


@cute.kernel
def add_vectors(sums: cute.Tensor):
    t = cute.arch.thread_idx()[0]
    part = cute.make_rmem_tensor(4, Float32)
    for i in cutlass.range_constexpr(4):
        part[i] = Float32(t + i)
    for row in cutlass.range_constexpr(2):
        cute.arch.red(
            sums[row, None].iterator,
            part.load().ir_value(),
            op="add",
            dtype="f32",
            sem="relaxed",
            scope="gpu",
        )


def test_reductions_of_vectors():
    sums = np.zeros((2, 4), np.float32)
    run(add_vectors, sums)
    np.testing.assert_array_equal(sums, np.tile(32 * np.arange(4) + 31 * 16, (2, 1)))


def test_reductions_of_vectors_take_one_instruction():
    ptx = cute.compile(host_of(add_vectors), fake(Float32, 2, 4), options=SM90).__ptx__
    assert ptx.count("red.relaxed.gpu.global.add.v4.f32 [") == 2
    assert ".version 8.1" in ptx
    old = cute.compile(host_of(add_vectors), fake(Float32, 2, 4), options="--target cuda:sm_80")
    assert old.__ptx__.count("atom.global.add.f32") == 8
    unaligned = cute.runtime.make_fake_compact_tensor(Float32, (2, 4), stride_order=(1, 0))
    scalars = cute.compile(host_of(add_vectors), unaligned, options=SM90).__ptx__
    assert scalars.count("atom.global.add.f32") == 8


@pytest.mark.parametrize(
    ("instruction", "version"),
    [
        ("cvt.rz.satfinite.f16x2.f32 $0, $1, $1;", "8.1"),
        ("{ .reg .b32 a; @!p cvt.rn.satfinite.bf16x2.f32 a, $1, $1; mov.b32 $0, a; }", "8.1"),
        ("cvt.rz.f16x2.f32 $0, $1, $1;", "8.0"),
        ("{ .reg .b32 a, b; ld.shared.v2.b32 {a, b}, [0]; cvt.rz.f16x2.f32 $0, $1, $1; }", "8.0"),
    ],
)
def test_ptx_has_the_version_of_its_instructions(instruction, version):
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        out[0] = llvm.inline_asm(T.i32(), [a[0]], instruction, "=r,f")

    fakes = fake(Float32, 4), fake(Int32, 4)
    assert f".version {version}" in cute.compile(host_of(kernel), *fakes, options=SM90).__ptx__


def test_reductions_of_vectors_of_halves():
    """Each half of a pair is added to its own element."""

    @cute.kernel
    def kernel(sums: cute.Tensor):
        part = cute.make_rmem_tensor(2, cutlass.Float16)
        part[0], part[1] = cutlass.Float16(1.0), cutlass.Float16(2.0)
        cute.arch.red(sums.iterator, part.load().ir_value(), op="add", dtype="f16x2")

    sums = np.zeros(2, np.float16)
    run(kernel, sums)
    np.testing.assert_array_equal(sums, [32, 64])


def test_rounding_errors_of_products():
    """A sum has the rounded product that the error was computed of: it is not fused with it."""

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        product = a[t] * b[t]
        error = cute.math.fma(a[t], b[t], -product)
        nearest = cute.math.fma(product, 1.0, 12582912.0) - 12582912.0
        out[t] = (product - nearest) + error

    rng = np.random.default_rng(4)
    a, b = (rng.random((2, 32)) * 1000).astype(np.float32)
    out = np.zeros(32, np.float32)
    run(kernel, a, b, out)
    exact = a.astype(np.float64) * b
    np.testing.assert_allclose(out, exact - np.rint((a * b).astype(np.float64)), atol=1e-6)


def test_greatest_absolute_value():
    """It has the product of the signs."""

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        out[t, 0] = cute.arch.fmax(a[t], b[t], abs=True)
        out[t, 1] = cute.arch.fmax(a[t], b[t], abs=False)

    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 32)).astype(np.float32)
    out = np.zeros((32, 2), np.float32)
    run(kernel, a, b, out)
    sizes = np.maximum(np.abs(a), np.abs(b))
    np.testing.assert_array_equal(out[:, 0], np.sign(a * b) * sizes)
    np.testing.assert_array_equal(out[:, 1], np.maximum(a, b))


def test_operand_in_registers_has_no_major_mode():
    """Programs pass the major mode of the tensor that A is read from."""

    @cute.jit
    def host(out: cute.Tensor):
        layouts = []
        for mode in (warpgroup.OperandMajorMode.K, warpgroup.OperandMajorMode.MN):
            atom = warpgroup.MmaF16BF16Op(
                BFloat16,
                Float32,
                (64, 128, 16),
                warpgroup.OperandSource.RMEM,
                mode,
                warpgroup.OperandMajorMode.K,
            )
            layouts.append(str(cute.make_tiled_mma(atom).tv_layout_A))
        assert layouts[0] == layouts[1]

    cute.compile(host, fake(Float32, 4), options=SM90)


class Staged:
    """Sets its tensors where a thread first needs them."""

    def __init__(self):
        self.part = None

    @cute.jit
    def set_up(self, a, t):
        self.part = cute.local_tile(a, (4,), (t,))

    @cute.jit
    def sum(self):
        return self.part[0] + self.part[3]


def test_attributes_that_are_set_in_a_branch():
    """They are the branch's own: another branch or loop sets them again, as do the statements after it."""

    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        staged = Staged()
        if t < 8:
            staged.set_up(a, t)
            if t < 4:
                out[t] = staged.sum()
        if t >= 16:
            staged.set_up(a, t - 1)
            out[t] = staged.sum()
        for i in cutlass.range(t, unroll=1):
            if t == 9:
                staged.set_up(a, i)
                out[t] = staged.sum()
        staged.set_up(a, 0)
        if t == 8:
            out[t] = staged.sum()

    a, out = np.arange(128, dtype=np.float32), np.zeros(32, np.float32)
    run(kernel, a, out)
    sums = a[::4] + a[3::4]
    expected = [*sums[:4], *[0] * 4, sums[0], sums[8], *[0] * 6, *sums[15:31]]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    "use",
    [
        lambda part: part[0],
        lambda part: part.iterator,
        lambda part: 1.0 if part == 3 else 2.0,
        lambda part: 1.0 if part else 2.0,
    ],
)
def test_attributes_of_a_branch_after_it(use):
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        staged = Staged()
        if t < 8:
            staged.set_up(a, t)
        out[t] = use(staged.part)

    @cute.kernel
    def loop(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        staged = Staged()
        for i in cutlass.range(t, unroll=1):
            if cutlass.const_expr(staged.part is not None):
                out[t] = use(staged.part)
            staged.set_up(a, i)

    for function, construct in ((kernel, "if"), (loop, "for")):
        with pytest.raises(NameError, match=f"staged.part' has no value .* run-time `{construct}`"):
            cute.compile(host_of(function), fake(Float32, 128), fake(Float32, 32))


def test_alignment_of_placeholders():
    assert fake(Float32, 4)._assumed_align == 16


def test_a_changed_index_reaches_tensors_of_coordinates(monkeypatch):
    """Libraries give the class of tensors an index of their own; tensors of coordinates are of that class, too."""
    original = cute_tensor._Tensor.__getitem__

    def item(self, index, **places):
        full = tuple(None if part == slice(None) else part for part in index)
        return original(self, full, **places)

    monkeypatch.setattr(cute_tensor._Tensor, "__getitem__", item)
    seen = []

    @cute.jit
    def look():
        tensor = cute.make_identity_tensor((2, 3, 4))
        seen.append((str(tensor[:, 1, 2]), str(tensor[None, 1, 2]), tensor[1, 2, 3]))

    cute.compile(look)
    ((sliced, open_, element),) = seen
    assert sliced == open_ and element == (1, 2, 3)


def test_the_files_of_the_language_are_told_apart():
    from cutlass._mlir_helpers import op

    assert op._is_framework_frame(fairlead.compat.__file__) and not op._is_framework_frame(__file__)
    assert op._DSL_PACKAGE_ROOTS is not None
