"""Products of several problems of different sizes in one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler, cute
from fairlead._compiler import Int32
from fairlead.ops._arrays import (
    FLOATS,
    Described,
    checked,
    expect,
    number,
    numeric,
    offset_of,
    reject_out,
    run,
)
from fairlead.ops._autograd import reject_gradient
from fairlead.ops._cpu_gemm import CpuGemm, tile_of
from fairlead.ops._epilogue import Epilogue, expect_activation
from fairlead.ops._gemm import NARROW, neighbours, operand_of
from fairlead.ops._groups import ROW, GroupedGemm, HopperGroups, OneByOne, table_fake
from fairlead.ops._tiles import Tiles, choose
from fairlead.ops._warp_gemm import ScalarGemm, WarpGemm
from fairlead.plans import planned

__all__ = ["grouped_matmul"]


@planned(written="out", in_place=("residual",))
def grouped_matmul(
    a: Any, b: Any, offsets: object = None, *, bias: object = None, activation: str | None = None,
    residual: object = None, alpha: float = 1.0, beta: float = 1.0, scale_a: object = None,
    scale_b: object = None, out_dtype: str | None = None, out: object = None,
) -> Any:  # fmt: skip
    """``activation(alpha * a_i @ b_i + bias_i) + beta * residual_i`` for several problems i of different sizes, in one
    kernel; sums are float32.

    Either ``a`` and ``b`` are sequences of matrices, or rows of one ``a`` belong to one matrix of ``b`` each, as tokens
    belong to experts:

        c = grouped_matmul([a0, a1], [b0, b1])                 # [a0 @ b0, a1 @ b1]
        y = grouped_matmul(x, weights, offsets)                # y[start:end] = x[start:end] @ weights[i]

    Args:
        a: matrices (M_i, K_i); or (rows, K). float16, bfloat16 or float32; or float8_e4m3fn or float8_e5m2 as of
            ``matmul``.
        b: as many matrices (K_i, N_i); or (problems, K, N). Of the type of ``a``, or both of floats of 8 bits.
        offsets: (problems,) int32, on the device of ``a``: the row after the last one of each problem, none less than
            the one before. Rows from the last offset on have no result: in the returned array they are undefined.
        bias: a sequence of (N_i,); or (problems, N).
        residual: a sequence of (M_i, N_i); or (rows, N).
        scale_a, scale_b: of floats of 8 bits, float32 that products are multiplied with before all else: sequences of
            one element each, or of (M_i,) and (N_i,); or one element and (problems,), or (rows,) and (problems, N).
        activation, alpha, beta, out_dtype: as of ``matmul``.
        out: row-major: a sequence of (M_i, N_i), or (rows, N); default new ones.

    Returns a list of (M_i, N_i), or (rows, N). Raises TypeError, ValueError for other arguments.
    """
    expect_activation(activation)
    reject_gradient("grouped_matmul", a=a, b=b, bias=bias, residual=residual)
    expected = f"one of {', '.join(FLOATS)}"
    expect(out_dtype in (None, *FLOATS), "out_dtype", expected, repr(out_dtype))
    one_by_one = isinstance(a, (list, tuple))
    types = (*FLOATS, *NARROW)
    left = [
        checked(matrix, f"a[{i}]" if one_by_one else "a", dtypes=types)
        for i, matrix in enumerate(a if one_by_one else [a])
    ]
    expect(len(left) > 0, "a", "at least one matrix", "none")
    first = left[0]
    if one_by_one:
        left, right, shapes = _listed(left, b, offsets)
    else:
        left, right, shapes = _divided(first, b, offsets)
    narrow = first.dtype in NARROW
    dtype = out_dtype or ("bfloat16" if narrow else first.dtype)
    count = None if one_by_one else right[0].shape[0]
    others, kind = _scales(scale_a, scale_b, first, shapes, count)
    for name, value in (("bias", bias), ("residual", residual)):
        if value is not None:
            expected_shapes = [shape if name == "residual" else shape[1:] for shape in shapes]
            if name == "bias" and count is not None:
                expected_shapes = [(count, *expected_shapes[0])]
            others.append((name, _each(value, name, first, expected_shapes, one_by_one, FLOATS)))
    of_residual = number(beta, "beta")  # checked without a residual, too
    epilogue = Epilogue(
        number(alpha, "alpha"), activation, bias is not None, of_residual if residual is not None else 0.0, kind
    )  # fmt: skip
    outs = _results(out, shapes, dtype, first, one_by_one)
    problem = _Problem(left, right, offsets, others, outs, out is not None, epilogue)
    return problem.run()


def _each(
    value: object, name: str, like: Described, shapes: Sequence[tuple[Any, ...]] | None, one_by_one: bool,
    dtypes: Sequence[str],
) -> list[Described]:  # fmt: skip
    """Return the arrays of an argument: a sequence, or one array for all problems; checked against ``shapes``, if
    any."""
    values = list(value) if one_by_one and isinstance(value, (list, tuple)) else [value]
    if one_by_one:
        expected = f"a sequence of {len(shapes or ())} arrays"
        sequence = isinstance(value, (list, tuple)) and len(values) == len(shapes or ())
        expect(sequence, name, expected, len(values) if sequence else type(value).__name__)
    arrays: list[Described] = []
    for i, element in enumerate(values):
        part = f"{name}[{i}]" if one_by_one else name
        now = checked(element, part, like, dtypes if i == 0 else (arrays[0].dtype,))
        shape = (shapes or ())[i]
        fits = shape is None or now.shape == shape
        expect(fits, part, f"the shape {list(shape or ())}", now)
        arrays.append(now.row_major())
    return arrays


def _scales(
    scale_a: object,
    scale_b: object,
    like: Described,
    shapes: list[tuple[int, int]],
    count: int | None,
) -> tuple[list[tuple[str, list[Described]]], str | None]:
    """Return the scales of A and B, and their kind: "tensor", "rows" or None. ``count``: of problems, for offsets."""
    if scale_a is None and scale_b is None:
        return [], None
    narrow = like.dtype in NARROW
    expect(narrow, "scale_a", "None for elements that are no floats of 8 bits", like)
    of_any: list[Any] = [None] * len(shapes)
    factors = []
    for name, value in (("scale_a", scale_a), ("scale_b", scale_b)):
        expect(value is not None, name, "scales, as the other matrices have them", "None")
        factors.append(_each(value, name, like, of_any, count is None, ("float32",)))
    ones = ((), (1,))
    if all(
        factor.shape in ones for factor in (*factors[0], *(factors[1] if count is None else ()))
    ) and (count is None or factors[1][0].shape == (count,)):
        one = [[factor.reshaped(1) for factor in factors[0]], factors[1]]
        if count is None:
            one[1] = [factor.reshaped(1) for factor in factors[1]]
        return list(zip(("scale_a", "scale_b"), one, strict=True)), "tensor"
    for name, factor, along in zip(("scale_a", "scale_b"), factors, (0, 1), strict=True):
        for i, (vector, shape) in enumerate(zip(factor, shapes, strict=True)):
            expected_shape: tuple[Any, ...] = (shape[along],)
            if along and count is not None:
                expected_shape = (count, shape[1])
            part = f"{name}[{i}]" if count is None else name
            one_or = (
                "one element, or " if not along or count is None else f"the shape [{count}], or "
            )
            expect(
                vector.shape == expected_shape,
                part,
                f"{one_or}the shape {list(expected_shape)}",
                vector,
            )
    return list(zip(("scale_a", "scale_b"), factors, strict=True)), "rows"


def _listed(left: list[Described], b: Any, offsets: object) -> tuple[Any, Any, Any]:
    expect(offsets is None, "offsets", "None for sequences of matrices", type(offsets).__name__)
    expected = f"a sequence of {len(left)} matrices"
    right_form = isinstance(b, (list, tuple)) and len(b) == len(left)
    expect(
        right_form, "b", expected, f"{len(b) if isinstance(b, (list, tuple)) else type(b).__name__}"
    )
    first = left[0]
    right: list[Any] = []
    shapes: list[Any] = []
    for i, (matrix, weight) in enumerate(zip(left, b, strict=True)):
        checked(matrix.array, f"a[{i}]", first, (first.dtype,))
        types = NARROW if first.dtype in NARROW else (first.dtype,)
        other = checked(weight, f"b[{i}]", first, (right[0].dtype,) if right else types)
        expect(len(matrix.shape) == 2, f"a[{i}]", "two dimensions", matrix)
        expect(0 not in matrix.shape, f"a[{i}]", "elements", matrix)
        fits = len(other.shape) == 2 and other.shape[0] == matrix.shape[1] and other.shape[1] > 0
        expect(fits, f"b[{i}]", f"the shape [{matrix.shape[1]}, columns]", other)
        right.append(other)
        shapes.append((matrix.shape[0], other.shape[1]))
    return left, right, shapes


def _divided(first: Described, b: object, offsets: object) -> tuple[Any, Any, Any]:
    expect(len(first.shape) == 2, "a", "two dimensions, or a sequence of matrices", first)
    expect(0 not in first.shape, "a", "elements", first)
    other = checked(b, "b", first, NARROW if first.dtype in NARROW else (first.dtype,))
    fits = len(other.shape) == 3 and other.shape[1] == first.shape[1] and 0 not in other.shape
    expect(fits, "b", f"the shape [problems, {first.shape[1]}, columns]", other)
    expected = f"the ends of {other.shape[0]} problems' rows"
    expect(offsets is not None, "offsets", expected, "None")
    ends = checked(offsets, "offsets", first, ("int32",))
    expect(ends.shape == other.shape[:1], "offsets", f"the shape [{other.shape[0]}]", ends)
    return [first.row_major()], [other], [(first.shape[0], other.shape[2])]


def _results(
    out: object, shapes: list[Any], dtype: str, like: Described, one_by_one: bool
) -> tuple[Any, ...]:  # fmt: skip
    reject_out(out, like)
    if out is None:
        return tuple(like.empty(shape, dtype) for shape in shapes)
    outs = list(out) if one_by_one and isinstance(out, (list, tuple)) else [out]
    expect(len(outs) == len(shapes), "out", f"{len(shapes)} matrices", str(len(outs)))
    for i, (target, shape) in enumerate(zip(outs, shapes, strict=True)):
        name = f"out[{i}]" if one_by_one else "out"
        result = checked(target, name, like, (dtype,))
        expect(result.shape == shape, name, f"the shape {list(shape)}", result)
        expect(result.is_row_major(), name, "a row-major array", f"strides {list(result.strides)}")
    return tuple(outs)


class _Problem:
    """Checked operands: which kernel multiplies them, and how it is compiled."""

    def __init__(
        self, left: list[Described], right: list[Described], offsets: object,
        others: list[tuple[str, list[Described]]], outs: tuple[Any, ...], are_callers: bool, epilogue: Epilogue,
    ) -> None:  # fmt: skip
        """``others``: the arrays that the epilogue reads, by name; ``are_callers``: True if the caller made
        ``outs``."""
        self.left, self.a_mode = self.alike(left)
        self.right, self.b_mode = self.alike(right)
        self.first, self.outs, self.epilogue = left[0], outs, epilogue
        self.offsets = None if offsets is None else checked(offsets, "offsets", dtypes=("int32",))
        self.count = len(left) if offsets is None else None
        self.others = [array for _, all_of in others for array in all_of]
        self.read = tuple((name, all_of[0].numeric) for name, all_of in others)
        widths = [
            min(neighbours(array, mode) for array in matrices)
            for matrices, mode in ((self.left, self.a_mode), (self.right, self.b_mode))
        ]
        self.out_dtype = numeric(str(outs[0].dtype).rpartition(".")[2])
        columns = [array.shape[-1] for array in outs]
        places = [offset_of(checked(array, "out")) for array in outs] if are_callers else []
        places += [
            offset_of(array) for name, all_of in others if name == "residual" for array in all_of
        ]
        together = 128 // self.out_dtype.width
        while together > 1 and any(array % together for array in (*columns, *places)):
            together //= 2
        # B is (N, K) for the kernels.
        self.operands = (
            (self.first.numeric, self.a_mode == 1, widths[0]),
            (self.right[0].numeric, self.b_mode == 0, widths[1]),
            (self.out_dtype, True, together),
        )

    def alike(self, matrices: list[Described]) -> tuple[list[Described], int]:
        """The matrices with one contiguous mode: perhaps copies."""
        arranged = [operand_of(matrix) for matrix in matrices]
        modes = {mode for _, mode in arranged}
        if len(modes) == 1:
            return [matrix for matrix, _ in arranged], modes.pop()
        return [matrix.row_major() for matrix in matrices], 1

    def tiles(self) -> Tiles | None:
        """For warpgroups, where all begins at multiples of 16 bytes."""
        first = self.first
        are_whole = all(width * dtype.width == 128 for dtype, _, width in self.operands)
        if first.dtype in NARROW:
            (_, a_rows, _), (_, b_rows, _), _ = self.operands
            expect(a_rows, "a", "contiguous rows of floats of 8 bits", first)
            expect(b_rows, "b", "contiguous columns of floats of 8 bits", self.right[0])
            expect(are_whole, "a", "K and N in multiples of 16, from addresses that are", first)
            if first.device == "cpu":
                return Tiles(64, 64)
            expect(first.has("wgmma"), "a", "a GPU of compute capability 9.0", first.device)
        elif not first.has("wgmma") or first.dtype == "float32" or not are_whole:
            return None
        # Tiles are chosen for problems of one size.
        shapes = [array.shape for array in self.outs]
        problems = self.count or self.right[0].shape[0]
        m = max(sum(shape[0] for shape in shapes) // problems, 1)
        n = sum(shape[1] for shape in shapes) // len(shapes)
        bits = first.numeric.width
        form = choose(m, n, self.left[0].shape[1], problems, first.multiprocessors, bits, False)
        return form._replace(cluster=(1, 1), group=8)

    def run(self) -> Any:
        first, on_cpu = self.first, self.first.device == "cpu"
        tiles = self.tiles()
        (dtype, a_rows, a_width), (_, b_rows, b_width), (_, _, together) = self.operands
        small = all(array.shape[0] * array.shape[1] <= 512 * 512 for array in self.outs)
        tile = (64, 64) if small else (128, 128)
        if on_cpu:
            tile = self.tile_of_cpus()
        processors = 4 if on_cpu else first.multiprocessors

        def program() -> Any:
            if tiles is not None:
                mapped = HopperGroups(self.epilogue, tiles, processors)
                return GroupedGemm(mapped, self.operands, processors, self.count, self.read)
            if on_cpu:
                gemm = CpuGemm(self.a_mode, 1 - self.b_mode, self.epilogue, tile)
                return OneByOne(gemm, self.operands, self.count, self.read)
            inner: Any = ScalarGemm(self.epilogue)
            if first.dtype != "float32":
                inner = WarpGemm(
                    dtype, ("k" if a_rows else "m", a_width), ("k" if b_rows else "n", b_width),
                    self.epilogue, tile, min(together, 2),
                )  # fmt: skip
            return GroupedGemm(inner, self.operands, 2 * processors, self.count, self.read)

        key = (
            "grouped_matmul", self.operands, self.count, self.read, tiles or tile, processors,
            self.epilogue.key(),
        )  # fmt: skip
        inputs = [*self.left, *self.right, *([self.offsets] if self.offsets else []), *self.others]
        outs = list(self.outs) if self.count else self.outs[0]
        if on_cpu and tiles is None:
            return run(key, program, self.fakes, inputs, outs)
        rows = (self.count or self.right[0].shape[0]) + 1
        space = first.empty((rows, 2 * ROW), "int32")
        fakes = lambda: [*self.fakes(), table_fake()]  # noqa: E731
        return run(key, program, fakes, inputs, outs, space)

    def tile_of_cpus(self) -> tuple[int, int]:
        """Return the tile of processors, which take one problem after the other."""
        rows, columns = (sum(array.shape[i] for array in self.outs) for i in range(2))
        problems = self.count or self.right[0].shape[0]
        return tile_of(rows // max(problems, 1), columns // len(self.outs))

    def fakes(self) -> list[Any]:
        def matrix(operand: tuple[Any, ...], contiguous: int, batch: tuple[Any, ...] = ()) -> Any:
            dtype, _, width = operand
            extents = (*batch, cute.sym_int(), cute.sym_int())
            stride: list[Any] = [cute.sym_int64(divisibility=width) for _ in extents]
            stride[len(batch) + contiguous] = 1
            return cute.make_fake_tensor(
                dtype, extents, stride=tuple(stride), assumed_align=width * dtype.width // 8
            )

        def compact(dtype: type[_compiler.Numeric], extents: tuple[Any, ...], align: int) -> Any:
            order = tuple(reversed(range(len(extents))))
            return cute.make_fake_compact_tensor(
                dtype, extents, stride_order=order, assumed_align=align
            )

        def result(dtype: type[_compiler.Numeric]) -> Any:
            extents = cute.sym_int(), cute.sym_int(divisibility=together)
            return compact(dtype, extents, together * dtype.width // 8)

        of_a, of_b, (out_dtype, _, together) = self.operands
        count, problems = self.count or 1, cute.sym_int()
        batch = () if self.count else (problems,)
        arguments = [matrix(of_a, self.a_mode) for _ in range(count)]
        arguments += [matrix(of_b, self.b_mode, batch) for _ in range(count)]
        if not self.count:
            arguments.append(compact(Int32, (problems,), 4))
        index = 0
        for name, dtype in self.read:
            for _ in range(count):
                rank = len(self.others[index].shape)
                extents = tuple(cute.sym_int() for _ in range(rank))
                arguments.append(
                    result(dtype)
                    if name == "residual"
                    else compact(dtype, extents, dtype.width // 8)
                )
                index += 1
        return [*arguments, *(result(out_dtype) for _ in range(count))]
