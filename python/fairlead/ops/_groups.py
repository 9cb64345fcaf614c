"""Kernels of products of several problems of different sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from fairlead import cute
from fairlead._compiler import Int32, Int64
from fairlead.cute._types import Int, Number
from fairlead.cute.nvgpu import cpasync
from fairlead.ops._hopper_gemm import HopperGemm
from fairlead.ops._tiles import Tiles, place_of
from fairlead.utils import TensorMapManager, TensorMapUpdateMode

if TYPE_CHECKING:
    from fairlead._compiler import Pointer, Tensor

__all__ = ["ROW", "GroupedGemm", "HopperGroups", "OneByOne", "Others", "table_fake"]


#: A row of the table has 64 words of 8 bytes: three tensor maps, then the description of the problem. ``_BEGIN`` is the
#: number of its first tile; the row after the last problem has the number of all tiles there. The words from
#: ``_OTHERS`` on are addresses of the arrays that the epilogue reads.
ROW = 64
_A, _B, _C, _M, _N, _K, _A_STEP, _B_STEP, _BEGIN, _OTHERS = range(48, 58)
#: Tensors of one launch that writes rows: a kernel's parameters have room for so many.
_TOGETHER = 48

#: The arrays that the epilogue of each problem reads besides its product: names ("scale_a", "scale_b", "bias" and
#: "residual", in this order) and types. Scales have one element, or one for each row of A and each column of B.
Others: TypeAlias = tuple[tuple[str, type[cute.Numeric]], ...]


def table_fake() -> Any:
    """The memory of a table, for compiling."""
    extents = cute.sym_int(), 2 * ROW
    return cute.make_fake_compact_tensor(Int32, extents, stride_order=(1, 0), assumed_align=16)


def _matrix(pointer: Pointer, rows: object, columns: object, step: object, by_rows: bool) -> Any:
    stride = (step, 1, 0) if by_rows else (1, step, 0)
    return cute.make_tensor(pointer, cute.make_layout((rows, columns, 1), stride=stride))


class Problems:
    """The tiles of all problems, by number: of one problem after the other. Told by the table."""

    def __init__(
        self, table: Tensor, tiles: Tiles, operands: Sequence[Any], others: Others
    ) -> None:
        """``operands``: of A, B and C: the type, whether rows of (M, K), (N, K), (M, N) are contiguous, and how many
        neighbours begin at a multiple of their size."""
        self.table, self.tiles, self.operands, self.read = table, tiles, operands, others
        self.count = table.shape[0] - 1

    def number(self, problem: object, field: int) -> Any:
        return cute.arch.make_warp_uniform(self.table[problem, field].to(Int32))

    def total(self) -> Any:
        return self.number(self.count, _BEGIN)

    @cute.jit
    def problem(self, number: object, before: Int) -> Any:
        problem = max(before, Int32(0))
        while self.number(problem + 1, _BEGIN) <= number:
            problem = problem + 1
        if cute.const_expr(self.maps(problem)[0] is not None):
            if problem != before:
                for tensor_map in self.maps(problem):
                    cpasync.fence_tma_desc_acquire(tensor_map)
        return problem

    def place(self, number: object, problem: object) -> tuple[Any, Any, Any]:
        m = cute.ceil_div(self.number(problem, _M), self.tiles.m)
        n = cute.ceil_div(self.number(problem, _N), self.tiles.n)
        x, y = place_of(number - self.number(problem, _BEGIN), m, n, self.tiles.group)
        return x, y, Int32(0)

    def maps(self, problem: Int) -> tuple[Any, Any, Any]:
        return None, None, None

    def matrices(self, problem: Sequence[Any]) -> list[Any]:
        """A, B and C of a problem."""
        m, n, k = (self.number(problem, field) for field in (_M, _N, _K))
        steps = self.table[problem, _A_STEP], self.table[problem, _B_STEP], n
        tensors = []
        for (dtype, by_rows, width), field, shape, step in zip(
            self.operands, (_A, _B, _C), ((m, k), (n, k), (m, n)), steps, strict=True
        ):
            pointer = cute.make_ptr(
                dtype, self.table[problem, field], cute.AddressSpace.gmem, width * dtype.width // 8
            )
            tensors.append(_matrix(pointer, *shape, cute.assume(step, divby=width), by_rows))
        return tensors

    def others(self, problem: Sequence[Any]) -> list[Any]:
        """The operands of the epilogue, with C last."""
        c, tensors = self.matrices(problem)[2], []
        for index, (name, dtype) in enumerate(self.read):
            aligned = dtype.width // 8
            if name == "residual":
                aligned *= self.operands[2][2]
            address = self.table[problem, _OTHERS + index]
            pointer = cute.make_ptr(dtype, address, cute.AddressSpace.gmem, aligned)
            layout = (
                c.layout if name == "residual" else cute.make_layout(c.shape[name != "scale_a"])
            )
            tensors.append(cute.make_tensor(pointer, layout))
        return [*tensors, c]


class _MappedProblems(Problems):
    """Problems for warpgroups: with tensor maps, and depths in tiles."""

    def __init__(
        self, table: Tensor, tiles: Tiles, operands: Sequence[Any], others: Others, depth: int
    ) -> None:
        super().__init__(table, tiles, operands, others)
        self.of_tile = depth

    def maps(self, problem: Int) -> tuple[Any, Any, Any]:
        row = self.table.iterator + problem * ROW
        return tuple(
            _maps.get_tensormap_ptr(row + 16 * i, cute.AddressSpace.generic) for i in range(3)
        )

    def depth(self, problem: object) -> Any:
        return cute.ceil_div(self.number(problem, _K), self.of_tile)


_maps = TensorMapManager(TensorMapUpdateMode.GMEM, 128)


class HopperGroups(HopperGemm):
    """The product by warpgroups of problems that a table tells."""

    operands: Any = None
    read: Others = ()

    def works(
        self, others: Any, clusters: Sequence[Int], place: Sequence[Int], k_tiles: Number
    ) -> Any:
        return _MappedProblems(others[0], self.tiles, self.operands, self.read, self.tile[2])


class _Given:
    """Problems as they are given: matrices one by one, or rows of A that offsets divide. A problem is A, B, what its
    epilogue reads, and C."""

    def __init__(
        self, inner: Any, operands: Sequence[Any], count: int | None, others: Others = ()
    ) -> None:
        """``inner``: what multiplies; ``operands``: as of ``Problems``; ``count``: of matrices that are given one by
        one, None for offsets."""
        self.inner, self.operands, self.count, self.read = inner, operands, count, others

    def listed(self, tensors: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Each problem of matrices that are given one by one: all of A, then all of B, ..."""
        count: Any = self.count  # a number: matrices are given one by one
        by_rows = self.operands[0][1]
        groups = []
        for i in range(count):
            a, b, *others, c = tensors[i::count]
            shape = c.shape
            if self.read and self.read[-1][0] == "residual":
                others[-1] = _matrix(others[-1].iterator, shape[0], shape[1], shape[1], True)
            groups.append((
                _matrix(a.iterator, a.shape[0], a.shape[1], a.stride[0 if by_rows else 1], by_rows),
                self.second(b.iterator, b.shape, b.stride),
                *others,
                _matrix(c.iterator, shape[0], shape[1], shape[1], True),
            ))  # fmt: skip
        return groups

    def divided(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        """Return all of A, the first matrix of B, all arrays that the epilogue reads, and all of C."""
        a, b, _, *others, c = tensors
        return (
            _matrix(a.iterator, a.shape[0], a.shape[1], a.stride[0], True),
            self.second(b.iterator, b.shape[1:], b.stride[1:]),
            *others,
            _matrix(c.iterator, c.shape[0], c.shape[1], c.shape[1], True),
        )

    def second(self, pointer: Pointer, shape: Sequence[Any], stride: tuple[Int, ...]) -> Any:
        """B as (N, K)."""
        by_rows = self.operands[1][1]
        return _matrix(pointer, shape[1], shape[0], stride[1 if by_rows else 0], by_rows)

    def part(
        self, matrix: Sequence[Any], b_stride: Int, number: Int, start: Int, count: Int
    ) -> Any:
        """Problem ``number``, whose rows begin at ``start``."""
        a, b, *others, c = matrix
        k, n = a.shape[1], c.shape[1]
        mine = []
        for (name, _), array in zip(self.read, others, strict=True):
            if name == "residual":
                mine.append(_matrix(array.iterator + Int64(start) * n, count, n, n, True))
                continue
            # One for each row of A or column of a problem; or one for A and one for each problem.
            one = name != "bias" and self.inner.epilogue.scales == "tensor"
            if name == "scale_a":
                begin, along = (0, 1) if one else (start, count)
            else:
                along = 1 if one else n
                begin = Int64(number) * along
            mine.append(cute.make_tensor(array.iterator + begin, cute.make_layout(along)))
        return (
            _matrix(a.iterator + start * a.stride[0], count, k, a.stride[0], True),
            cute.make_tensor(b.iterator + number * b_stride, b.layout),
            *mine,
            _matrix(c.iterator + Int64(start) * n, count, n, n, True),
        )


class OneByOne(_Given):
    """C_i (M_i, N_i) = A_i (M_i, K_i) * B_i (K_i, N_i) on the CPU: a launch for each problem, of blocks that all
    processors take."""

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        if cute.const_expr(self.count is None):
            matrix, offsets = self.divided(tensors), tensors[2]
            b_stride, start = tensors[1].stride[0], Int32(0)
            for i in range(offsets.shape[0]):
                end = max(min(offsets[i], Int32(matrix[0].shape[0])), start)
                self.inner(*self.part(matrix, b_stride, i, start, end - start))
                start = end
        else:
            for problem in self.listed(tensors):
                self.inner(*problem)


class GroupedGemm(_Given):
    """Grouped products on GPUs. A first kernel writes a table of the problems; the blocks of a second one share all
    tiles, with a fixed step between the tiles of one block."""

    def __init__(
        self, inner: Any, operands: Sequence[Any], blocks: int, count: int | None, others: Others = ()
    ) -> None:  # fmt: skip
        """``blocks``: of the grid at most."""
        super().__init__(inner, operands, count, others)
        self.blocks = blocks
        self.mapped = isinstance(inner, HopperGemm)
        self.tiles = inner.tiles if self.mapped else Tiles(*inner.tile[:2])

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        *arrays, space = tensors
        table = cute.make_tensor(
            cute.recast_ptr(space.iterator, dtype=Int64),
            cute.make_layout((space.shape[0], ROW), stride=(ROW, 1)),
        )
        if cute.const_expr(self.count is None):
            matrix, offsets = self.divided(arrays), arrays[2]
            planned = self.plan(matrix)
            self.divide(matrix, arrays[1].stride[0], offsets, table, self.atoms(planned)).launch(
                grid=(offsets.shape[0], 1, 1), block=(32, 1, 1)
            )
            c = matrix[-1]
            down = cute.ceil_div(c.shape[0], self.tiles.m) + offsets.shape[0]
            tiles = down * cute.ceil_div(c.shape[1], self.tiles.n)
        else:
            problems, begins, tiles = self.listed(arrays), [], Int32(0)
            for *_, c in problems:
                begins.append(tiles)
                m, n = (
                    cute.ceil_div(c.shape[0], self.tiles.m),
                    cute.ceil_div(c.shape[1], self.tiles.n),
                )
                tiles = tiles + m * n
            planned = self.plan(problems[0])
            together = _TOGETHER // len(problems[0])
            for i in cute.range_constexpr(0, self.count, together):
                part = problems[i : i + together]
                self.describe(
                    part, begins[i : i + together], i, tiles, table, self.atoms(planned)
                ).launch(grid=(len(part), 1, 1), block=(32, 1, 1))
        count = min(tiles, self.blocks)
        if cute.const_expr(self.mapped):
            self.inner.launch(planned, (table,), (1, 1), count)
        else:
            self.multiply(table, planned).launch(
                grid=(count, 1, 1), block=(self.inner.threads, 1, 1)
            )

    def plan(self, matrices: Sequence[Any]) -> Any:
        if not self.mapped:
            return self.inner.plan()
        self.inner.operands, self.inner.read = self.operands, self.read
        a, b, *_, c = matrices
        return self.inner.plan(a, b, c)

    def atoms(self, planned: tuple[Any, ...]) -> Any:
        """How boxes are copied, by maps that are copied and changed."""
        return [plan[0] for plan in planned[0]] if self.mapped else None

    @cute.kernel
    def describe(
        self,
        problems: Sequence[Any],
        begins: Sequence[Any],
        first: cute.Constexpr,
        tiles: Any,
        table: Tensor,
        atoms: Sequence[Any] | None,
    ) -> None:
        block, _, _ = cute.arch.block_idx()
        for i in cute.range_constexpr(len(problems)):
            if block == i:
                self.write(table, first + i, problems[i], begins[i], atoms)
        if cute.const_expr(first + len(problems) == self.count):
            if block == 0:
                table[self.count, _BEGIN] = Int64(tiles)

    @cute.kernel
    def divide(
        self, matrix: Sequence[Any], b_stride: Int, offsets: Tensor, table: Tensor, atoms: object
    ) -> None:
        """Rows of A and C from one offset to the next, times the matrix of that number."""
        block, _, _ = cute.arch.block_idx()
        rows, start, down = Int32(matrix[0].shape[0]), Int32(0), Int32(0)
        for i in range(block):
            end = max(min(offsets[i], rows), start)
            down = down + cute.ceil_div(end - start, self.tiles.m)
            start = end
        count = max(min(offsets[block], rows), start) - start
        along = cute.ceil_div(matrix[-1].shape[1], self.tiles.n)
        mine = self.part(matrix, b_stride, block, start, count)
        self.write(table, block, mine, down * along, atoms)
        if block == offsets.shape[0] - 1:
            down = down + cute.ceil_div(count, self.tiles.m)
            table[block + 1, _BEGIN] = Int64(down * along)

    @cute.jit
    def write(
        self,
        table: Tensor,
        row: Int,
        matrices: Sequence[Any],
        begin: Number,
        atoms: Any,
    ) -> None:
        """Write the description of a problem, by one warp."""
        a, b, *others, c = matrices
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
                *((_OTHERS + i, array.iterator.toint()) for i, array in enumerate(others)),
            ):
                table[row, field] = Int64(value)
        if cute.const_expr(atoms is not None):
            targets = [
                _maps.get_tensormap_ptr(table.iterator + row * ROW + 16 * i) for i in range(3)
            ]
            for atom, target in zip(atoms, targets, strict=True):
                _maps.init_tensormap_from_atom(atom, target, 0)
            _maps.fence_tensormap_initialization()
            _maps.update_tensormap((a, b, c), atoms, targets, 0, ())

    @cute.kernel
    def multiply(self, table: Tensor, planned: Sequence[Any]) -> None:
        inner = self.inner
        memory = inner.memory(planned)
        problems = Problems(table, self.tiles, self.operands, self.read)
        first, _, _ = cute.arch.block_idx()
        step, _, _ = cute.arch.grid_dim()
        problem = Int32(-1)
        for number in range(first, problems.total(), step):
            problem = problems.problem(number, problem)
            a, b, _ = problems.matrices(problem)
            cute.arch.sync_threads()
            others = tuple(problems.others(problem))
            inner.multiply(a, b, others, problems.place(number, problem), planned, memory)
