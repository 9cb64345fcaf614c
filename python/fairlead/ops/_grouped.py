"""Products of several problems of different sizes in one kernel."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler, cute
from fairlead.cute.nvgpu import cpasync
from fairlead.ops._arrays import FLOATS, Described, checked, expect, numeric, reject_out, run
from fairlead.ops._epilogue import ACTIVATIONS, Epilogue
from fairlead.ops._gemm import neighbours, offset_of, operand_of
from fairlead.ops._hopper_gemm import HopperGemm
from fairlead.ops._tiles import Tiles, choose, place_of
from fairlead.ops._warp_gemm import ScalarGemm, WarpGemm
from fairlead.utils import TensorMapManager, TensorMapUpdateMode

__all__ = ["GroupedGemm", "HopperGroups", "OneByOne", "grouped_matmul", "table_fake"]

Int32, Int64 = _compiler.Int32, _compiler.Int64

#: A row of the table has 64 words of 8 bytes: three tensor maps, then what the problem is. ``_BEGIN`` is the number of
#: its first tile; the row after the last problem has the number of tiles there.
_ROW = 64
_A, _B, _C, _M, _N, _K, _A_STEP, _B_STEP, _BEGIN = range(48, 57)
#: Problems of one launch that writes rows: what a kernel's parameters have room for.
_TOGETHER = 16


def table_fake() -> Any:
    """The memory of a table, for compiling."""
    extents = cute.sym_int(), 2 * _ROW
    return cute.make_fake_compact_tensor(Int32, extents, stride_order=(1, 0), assumed_align=16)


def _matrix(pointer: Any, rows: Any, columns: Any, step: Any, by_rows: bool) -> Any:
    stride = (step, 1, 0) if by_rows else (1, step, 0)
    return cute.make_tensor(pointer, cute.make_layout((rows, columns, 1), stride=stride))


class Problems:
    """The tiles of all problems, by number: of one problem after the other. Told by the table."""

    def __init__(self, table: Any, tiles: Tiles, operands: Any) -> None:
        """``operands``: of A, B and C: the type, whether rows of (M, K), (N, K), (M, N) are contiguous, and how many
        neighbours begin at a multiple of their size."""
        self.table, self.tiles, self.operands = table, tiles, operands
        self.count = table.shape[0] - 1

    def number(self, problem: Any, field: int) -> Any:
        return cute.arch.make_warp_uniform(self.table[problem, field].to(Int32))

    def total(self) -> Any:
        return self.number(self.count, _BEGIN)

    @cute.jit
    def problem(self, number, before):
        found = max(before, Int32(0))
        while self.number(found + 1, _BEGIN) <= number:
            found = found + 1
        if cute.const_expr(self.maps(found)[0] is not None):
            if found != before:
                for each in self.maps(found):
                    cpasync.fence_tma_desc_acquire(each)
        return found

    def place(self, number: Any, problem: Any) -> tuple[Any, Any, Any]:
        m = cute.ceil_div(self.number(problem, _M), self.tiles.m)
        n = cute.ceil_div(self.number(problem, _N), self.tiles.n)
        x, y = place_of(number - self.number(problem, _BEGIN), m, n, self.tiles.group)
        return x, y, Int32(0)

    def maps(self, problem: Any) -> tuple[Any, Any, Any]:
        return None, None, None

    def matrices(self, problem: Any) -> list[Any]:
        """A, B and C of a problem."""
        m, n, k = (self.number(problem, field) for field in (_M, _N, _K))
        steps = self.table[problem, _A_STEP], self.table[problem, _B_STEP], n
        found = []
        for (dtype, by_rows, width), field, shape, step in zip(
            self.operands, (_A, _B, _C), ((m, k), (n, k), (m, n)), steps, strict=True
        ):
            pointer = cute.make_ptr(
                dtype, self.table[problem, field], cute.AddressSpace.gmem, width * dtype.width // 8
            )
            found.append(_matrix(pointer, *shape, cute.assume(step, divby=width), by_rows))
        return found


class _MappedProblems(Problems):
    """The same for warpgroups: with tensor maps, and depths in tiles."""

    def __init__(self, table: Any, tiles: Tiles, operands: Any, depth: int) -> None:
        super().__init__(table, tiles, operands)
        self.of_tile = depth

    def maps(self, problem: Any) -> tuple[Any, Any, Any]:
        row = self.table.iterator + problem * _ROW
        return tuple(
            _maps.get_tensormap_ptr(row + 16 * i, cute.AddressSpace.generic) for i in range(3)
        )

    def depth(self, problem: Any) -> Any:
        return cute.ceil_div(self.number(problem, _K), self.of_tile)

    def others(self, problem: Any) -> Any:
        return self.matrices(problem)[2:]


_maps = TensorMapManager(TensorMapUpdateMode.GMEM, 128)


class HopperGroups(HopperGemm):
    """The product by warpgroups of problems that a table tells."""

    operands: Any = None

    def works(self, others: Any, clusters: Any, place: Any, k_tiles: Any) -> Any:
        return _MappedProblems(others[0], self.tiles, self.operands, self.tile[2])


class _Given:
    """Problems as they are given: matrices one by one, or rows of A that offsets divide."""

    def __init__(self, operands: Any, count: int | None) -> None:
        """``operands``: as of ``Problems``; ``count``: of matrices that are given one by one; None for offsets."""
        self.operands, self.count = operands, count

    def listed(self, tensors: Any) -> list[tuple[Any, Any, Any]]:
        """A, B and C of each problem."""
        count, by_rows = self.count, self.operands[0][1]
        return [
            (
                _matrix(a.iterator, *a.shape, a.stride[0 if by_rows else 1], by_rows),
                self.second(b.iterator, b.shape, b.stride),
                _matrix(c.iterator, *c.shape, c.shape[1], True),
            )
            for a, b, c in zip(
                tensors[:count], tensors[count : 2 * count], tensors[2 * count :], strict=True
            )
        ]

    def divided(self, tensors: Any) -> tuple[Any, Any, Any]:
        """All of A and C, and the first of B."""
        a, b, _, c = tensors
        return (
            _matrix(a.iterator, *a.shape, a.stride[0], True),
            self.second(b.iterator, b.shape[1:], b.stride[1:]),
            _matrix(c.iterator, *c.shape, c.shape[1], True),
        )

    def second(self, pointer: Any, shape: Any, stride: Any) -> Any:
        """B as (N, K)."""
        by_rows = self.operands[1][1]
        return _matrix(pointer, shape[1], shape[0], stride[1 if by_rows else 0], by_rows)

    def part(self, whole: Any, b_stride: Any, number: Any, start: Any, count: Any) -> Any:
        """A, B and C of problem ``number``, whose rows begin at ``start``."""
        a, b, c = whole
        k, n = a.shape[1], c.shape[1]
        return (
            _matrix(a.iterator + start * a.stride[0], count, k, a.stride[0], True),
            cute.make_tensor(b.iterator + number * b_stride, b.layout),
            _matrix(c.iterator + Int64(start) * n, count, n, n, True),
        )


class OneByOne(_Given):
    """C_i (M_i, N_i) = A_i (M_i, K_i) * B_i (K_i, N_i) on the CPU: a launch for each problem, of blocks that all
    processors take."""

    def __init__(self, inner: Any, operands: Any, count: int | None) -> None:
        """``inner``: what multiplies."""
        super().__init__(operands, count)
        self.inner = inner

    @cute.jit
    def __call__(self, *tensors: cute.Tensor):
        if cute.const_expr(self.count is None):
            whole, offsets = self.divided(tensors), tensors[2]
            b_stride, start = tensors[1].stride[0], Int32(0)
            for i in range(offsets.shape[0]):
                end = max(min(offsets[i], Int32(whole[0].shape[0])), start)
                self.inner(*self.part(whole, b_stride, i, start, end - start))
                start = end
        else:
            for problem in self.listed(tensors):
                self.inner(*problem)


class GroupedGemm(_Given):
    """The same on GPUs: a kernel writes what the problems are into a table, a second one has blocks that work on every
    so many of their tiles."""

    def __init__(self, inner: Any, operands: Any, blocks: int, count: int | None) -> None:
        """``inner``: what multiplies a tile; ``blocks``: of the grid at most."""
        super().__init__(operands, count)
        self.inner, self.blocks = inner, blocks
        self.mapped = isinstance(inner, HopperGemm)
        self.tiles = inner.tiles if self.mapped else Tiles(*inner.tile[:2])

    @cute.jit
    def __call__(self, *tensors: cute.Tensor):
        *given, space = tensors
        table = cute.make_tensor(
            cute.recast_ptr(space.iterator, dtype=Int64),
            cute.make_layout((space.shape[0], _ROW), stride=(_ROW, 1)),
        )
        if cute.const_expr(self.count is None):
            whole, offsets = self.divided(given), given[2]
            planned = self.plan(whole)
            self.divide(whole, given[1].stride[0], offsets, table, self.atoms(planned)).launch(
                grid=(offsets.shape[0], 1, 1), block=(32, 1, 1)
            )
            c = whole[2]
            down = cute.ceil_div(c.shape[0], self.tiles.m) + offsets.shape[0]
            tiles = down * cute.ceil_div(c.shape[1], self.tiles.n)
        else:
            problems, begins, tiles = self.listed(given), [], Int32(0)
            for _, _, c in problems:
                begins.append(tiles)
                m, n = (
                    cute.ceil_div(c.shape[0], self.tiles.m),
                    cute.ceil_div(c.shape[1], self.tiles.n),
                )
                tiles = tiles + m * n
            planned = self.plan(problems[0])
            for i in cute.range_constexpr(0, self.count, _TOGETHER):
                part = problems[i : i + _TOGETHER]
                self.describe(
                    part, begins[i : i + _TOGETHER], i, tiles, table, self.atoms(planned)
                ).launch(grid=(len(part), 1, 1), block=(32, 1, 1))
        count = min(tiles, self.blocks)
        if cute.const_expr(self.mapped):
            self.inner.launch(planned, (table,), (1, 1), count)
        else:
            self.multiply(table, planned).launch(
                grid=(count, 1, 1), block=(self.inner.threads, 1, 1)
            )

    def plan(self, matrices: Any) -> Any:
        if not self.mapped:
            return self.inner.plan()
        self.inner.operands = self.operands
        return self.inner.plan(*matrices)

    def atoms(self, planned: Any) -> Any:
        """How boxes are copied, by maps that are copied and changed."""
        return [each[0] for each in planned[0]] if self.mapped else None

    @cute.kernel
    def describe(self, problems, begins, first: cute.Constexpr, tiles, table, atoms):
        block, _, _ = cute.arch.block_idx()
        for i in cute.range_constexpr(len(problems)):
            if block == i:
                self.write(table, first + i, problems[i], begins[i], atoms)
        if cute.const_expr(first + len(problems) == self.count):
            if block == 0:
                table[self.count, _BEGIN] = Int64(tiles)

    @cute.kernel
    def divide(self, whole, b_stride, offsets, table, atoms):
        """Rows of A and C from one offset to the next, times the matrix of that number."""
        block, _, _ = cute.arch.block_idx()
        rows, start, down = Int32(whole[0].shape[0]), Int32(0), Int32(0)
        for i in range(block):
            end = max(min(offsets[i], rows), start)
            down = down + cute.ceil_div(end - start, self.tiles.m)
            start = end
        count = max(min(offsets[block], rows), start) - start
        along = cute.ceil_div(whole[2].shape[1], self.tiles.n)
        mine = self.part(whole, b_stride, block, start, count)
        self.write(table, block, mine, down * along, atoms)
        if block == offsets.shape[0] - 1:
            down = down + cute.ceil_div(count, self.tiles.m)
            table[block + 1, _BEGIN] = Int64(down * along)

    @cute.jit
    def write(self, table, row, matrices, begin, atoms):
        """What a problem is, by one warp."""
        a, b, c = matrices
        thread, _, _ = cute.arch.thread_idx()
        if thread == 0:
            for field, value in (
                (_A, a.iterator.toint()),
                (_B, b.iterator.toint()),
                (_C, c.iterator.toint()),
                (_M, c.shape[0]),
                (_N, c.shape[1]),
                (_K, a.shape[1]),
                (_A_STEP, a.stride[0 if self.operands[0][1] else 1]),
                (_B_STEP, b.stride[0 if self.operands[1][1] else 1]),
                (_BEGIN, begin),
            ):
                table[row, field] = Int64(value)
        if cute.const_expr(atoms is not None):
            targets = [
                _maps.get_tensormap_ptr(table.iterator + row * _ROW + 16 * i) for i in range(3)
            ]
            for atom, target in zip(atoms, targets, strict=True):
                _maps.init_tensormap_from_atom(atom, target, 0)
            _maps.fence_tensormap_initialization()
            _maps.update_tensormap(matrices, atoms, targets, 0, ())

    @cute.kernel
    def multiply(self, table, planned):
        inner = self.inner
        memory = inner.memory(planned)
        problems = Problems(table, self.tiles, self.operands)
        first, _, _ = cute.arch.block_idx()
        step, _, _ = cute.arch.grid_dim()
        problem = Int32(-1)
        for number in range(first, problems.total(), step):
            problem = problems.problem(number, problem)
            a, b, c = problems.matrices(problem)
            cute.arch.sync_threads()
            inner.multiply(a, b, (c,), problems.place(number, problem), planned, memory)


def grouped_matmul(
    a: Any, b: Any, offsets: Any = None, *, alpha: float = 1.0, activation: str | None = None,
    out_dtype: str | None = None, out: Any = None,
) -> Any:  # fmt: skip
    """``activation(alpha * a_i @ b_i)`` for several problems i of different sizes, in one kernel; sums are float32.

    Either ``a`` and ``b`` are sequences of matrices, or rows of one ``a`` belong to one matrix of ``b`` each, as tokens
    belong to experts:

        c = grouped_matmul([a0, a1], [b0, b1])                 # [a0 @ b0, a1 @ b1]
        y = grouped_matmul(x, weights, offsets)                # y[start:end] = x[start:end] @ weights[i]

    Args:
        a: matrices (M_i, K_i); or (rows, K). float16, bfloat16 or float32.
        b: as many matrices (K_i, N_i); or (problems, K, N). Of the type of ``a``.
        offsets: (problems,) int32, on the device of ``a``: the row after the last one of each problem, none less than
            the one before. Rows from the last offset on have no result: what is there in the returned array is
            undefined.
        activation, alpha, out_dtype: as of ``matmul``.
        out: row-major: a sequence of (M_i, N_i), or (rows, N); default new ones.

    Returns a list of (M_i, N_i), or (rows, N). Raises TypeError, ValueError for other arguments.
    """
    expected = "relu, silu, gelu, gelu_tanh or None"
    expect(activation in ACTIVATIONS, "activation", expected, repr(activation))
    expected = f"one of {', '.join(FLOATS)}"
    expect(out_dtype in (None, *FLOATS), "out_dtype", expected, repr(out_dtype))
    one_by_one = isinstance(a, (list, tuple))
    left = [checked(each, f"a[{i}]" if one_by_one else "a") for i, each in enumerate(a)] if (
        one_by_one
    ) else [checked(a, "a")]  # fmt: skip
    expect(len(left) > 0, "a", "at least one matrix", "none")
    first = left[0]
    if one_by_one:
        left, right, shapes = _listed(left, b, offsets)
    else:
        left, right, shapes = _divided(first, b, offsets)
    dtype = out_dtype or first.dtype
    epilogue = Epilogue(float(alpha), activation, False, 0.0)
    outs = _results(out, shapes, dtype, first, one_by_one)
    problem = _Problem(left, right, offsets, outs, out is not None, epilogue)
    found = problem.run()
    return list(found) if one_by_one else found[0]


def _listed(left: list[Described], b: Any, offsets: Any) -> tuple[Any, Any, Any]:
    expect(offsets is None, "offsets", "None for sequences of matrices", type(offsets).__name__)
    expected = f"a sequence of {len(left)} matrices"
    right_form = isinstance(b, (list, tuple)) and len(b) == len(left)
    expect(
        right_form, "b", expected, f"{len(b) if isinstance(b, (list, tuple)) else type(b).__name__}"
    )
    first, right, shapes = left[0], [], []
    for i, (each, given) in enumerate(zip(left, b, strict=True)):
        checked(each.array, f"a[{i}]", first, (first.dtype,))
        other = checked(given, f"b[{i}]", first, (first.dtype,))
        expect(len(each.shape) == 2, f"a[{i}]", "two dimensions", each.text())
        expect(0 not in each.shape, f"a[{i}]", "elements", each.text())
        fits = len(other.shape) == 2 and other.shape[0] == each.shape[1] and other.shape[1] > 0
        expect(fits, f"b[{i}]", f"the shape [{each.shape[1]}, columns]", other.text())
        right.append(other)
        shapes.append((each.shape[0], other.shape[1]))
    return left, right, shapes


def _divided(first: Described, b: Any, offsets: Any) -> tuple[Any, Any, Any]:
    expect(len(first.shape) == 2, "a", "two dimensions, or a sequence of matrices", first.text())
    expect(0 not in first.shape, "a", "elements", first.text())
    other = checked(b, "b", first, (first.dtype,))
    fits = len(other.shape) == 3 and other.shape[1] == first.shape[1] and 0 not in other.shape
    expect(fits, "b", f"the shape [problems, {first.shape[1]}, columns]", other.text())
    expected = f"the ends of {other.shape[0]} problems' rows"
    expect(offsets is not None, "offsets", expected, "None")
    ends = checked(offsets, "offsets", first, ("int32",))
    expect(ends.shape == other.shape[:1], "offsets", f"the shape [{other.shape[0]}]", ends.text())
    return [first.row_major()], [other], [(first.shape[0], other.shape[2])]


def _results(
    out: Any, shapes: list, dtype: str, like: Described, one_by_one: bool
) -> tuple[Any, ...]:  # fmt: skip
    reject_out(out, like)
    if out is None:
        return tuple(like.empty(shape, dtype) for shape in shapes)
    given = list(out) if one_by_one and isinstance(out, (list, tuple)) else [out]
    expect(len(given) == len(shapes), "out", f"{len(shapes)} matrices", str(len(given)))
    for i, (each, shape) in enumerate(zip(given, shapes, strict=True)):
        name = f"out[{i}]" if one_by_one else "out"
        found = checked(each, name, like, (dtype,))
        expect(found.shape == shape, name, f"the shape {list(shape)}", found.text())
        expect(found.is_row_major(), name, "a row-major array", f"strides {list(found.strides)}")
    return tuple(given)


class _Problem:
    """Checked operands: which kernel multiplies them, and how it is compiled."""

    def __init__(
        self, left: list[Described], right: list[Described], offsets: Any, outs: tuple, given: bool,
        epilogue: Epilogue,
    ) -> None:  # fmt: skip
        """``given``: the results are the caller's arrays."""
        self.left, self.a_mode = self.alike(left)
        self.right, self.b_mode = self.alike(right)
        self.first, self.outs, self.epilogue = left[0], outs, epilogue
        self.offsets = None if offsets is None else checked(offsets, "offsets", dtypes=("int32",))
        self.count = len(left) if offsets is None else None
        widths = [
            min(neighbours(each, mode) for each in matrices)
            for matrices, mode in ((self.left, self.a_mode), (self.right, self.b_mode))
        ]
        self.out_dtype = numeric(str(outs[0].dtype).rpartition(".")[2])
        columns = [each.shape[-1] for each in outs]
        places = [
            0 if not given or each is None else offset_of(checked(each, "out")) for each in outs
        ]
        together = 128 // self.out_dtype.width
        while together > 1 and any(each % together for each in (*columns, *places)):
            together //= 2
        # B is (N, K) for the kernels.
        self.operands = (
            (self.first.numeric, self.a_mode == 1, widths[0]),
            (self.first.numeric, self.b_mode == 0, widths[1]),
            (self.out_dtype, True, together),
        )

    def alike(self, matrices: list[Described]) -> tuple[list[Described], int]:
        """The matrices with one contiguous mode: perhaps copies."""
        found = [operand_of(each) for each in matrices]
        modes = {mode for _, mode in found}
        if len(modes) == 1:
            return [each for each, _ in found], modes.pop()
        return [each.row_major() for each in matrices], 1

    def tiles(self) -> Tiles | None:
        """For warpgroups, where all begins at multiples of 16 bytes."""
        first = self.first
        whole = all(width * dtype.width == 128 for dtype, _, width in self.operands)
        if (
            first.device == "cpu"
            or first.capability != (9, 0)
            or first.dtype == "float32"
            or not whole
        ):
            return None
        # As if the problems were of one size.
        shapes = [each.shape for each in self.outs]
        problems = self.count or self.right[0].shape[0]
        m = sum(shape[0] for shape in shapes) // problems
        n = sum(shape[1] for shape in shapes) // len(shapes)
        found = choose(max(m, 1), n, self.left[0].shape[1], problems, first.multiprocessors)
        return found._replace(cluster=(1, 1), group=8)

    def run(self) -> Any:
        first, on_cpu = self.first, self.first.device == "cpu"
        tiles = self.tiles()
        (dtype, a_rows, a_width), (_, b_rows, b_width), (_, _, together) = self.operands
        small = all(each.shape[0] * each.shape[1] <= 512 * 512 for each in self.outs)
        tile = (64, 64) if small else (128, 128)
        processors = 0 if on_cpu else first.multiprocessors

        def program() -> Any:
            if tiles is not None:
                mapped = HopperGroups(self.epilogue, tiles, processors)
                return GroupedGemm(mapped, self.operands, processors, self.count)
            inner: Any = ScalarGemm(self.epilogue)
            if first.dtype != "float32":
                inner = WarpGemm(
                    dtype, ("k" if a_rows else "m", a_width), ("k" if b_rows else "n", b_width),
                    self.epilogue, tile, min(together, 2),
                )  # fmt: skip
            if on_cpu:
                return OneByOne(inner, self.operands, self.count)
            return GroupedGemm(inner, self.operands, 2 * processors, self.count)

        key = (
            "grouped_matmul", self.operands, self.count, tiles or tile, processors,
            self.epilogue.key(),
        )  # fmt: skip
        inputs = [*self.left, *self.right, *([self.offsets] if self.offsets else [])]
        if on_cpu:
            return run(key, program, self.fakes, inputs, self.outs)
        rows = (self.count or self.right[0].shape[0]) + 1
        space = first.empty((rows, 2 * _ROW), "int32")
        fakes = lambda: [*self.fakes(), table_fake()]  # noqa: E731
        return run(key, program, fakes, inputs, (*self.outs, space))[:-1]

    def fakes(self) -> list[Any]:
        def matrix(operand: tuple, contiguous: int, batch: tuple = ()) -> Any:
            dtype, _, width = operand
            extents = (*batch, cute.sym_int(), cute.sym_int())
            stride = [cute.sym_int64(divisibility=width) for _ in extents]
            stride[len(batch) + contiguous] = 1
            return cute.make_fake_tensor(
                dtype, extents, stride=tuple(stride), assumed_align=width * dtype.width // 8
            )

        def compact(dtype: type, extents: tuple, align: int) -> Any:
            order = tuple(reversed(range(len(extents))))
            return cute.make_fake_compact_tensor(
                dtype, extents, stride_order=order, assumed_align=align
            )

        of_a, of_b, (out_dtype, _, together) = self.operands
        count, problems = self.count or 1, cute.sym_int()
        batch = () if self.count else (problems,)
        made = [matrix(of_a, self.a_mode) for _ in range(count)]
        made += [matrix(of_b, self.b_mode, batch) for _ in range(count)]
        if not self.count:
            made.append(compact(Int32, (problems,), 4))
        for _ in range(count):
            extents = cute.sym_int(), cute.sym_int(divisibility=together)
            made.append(compact(out_dtype, extents, together * out_dtype.width // 8))
        return made
