"""Products of matrices with what is done to them before they are stored."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler, cute
from fairlead.cute.nvgpu import CopyUniversalOp, LoadCacheMode, cpasync, warp
from fairlead.ops._arrays import (
    FLOATS,
    Described,
    checked,
    describe,
    expect,
    numeric,
    reject_out,
    run,
)
from fairlead.ops._epilogue import ACTIVATIONS, Epilogue
from fairlead.ops._hopper_gemm import HopperGemm
from fairlead.ops._tiles import Tiles, choose

__all__ = ["matmul"]

Boolean, Float32 = _compiler.Boolean, _compiler.Float32
_NARROW = ("float8_e4m3fn", "float8_e5m2")


class _WarpGemm:
    """C (M, N, L) = A (M, K, L) * B (N, K, L) of 16 bits a number, by tiles of 128 x 128 x 32 and ``mma.sync``.

    Tiles come by ``cp.async`` into ``stages`` stages of shared memory while others are multiplied.
    """

    def __init__(
        self, dtype: type, a: tuple[str, int], b: tuple[str, int], epilogue: Epilogue,
        tile: tuple[int, int], together: int, stages: int = 3,
    ) -> None:  # fmt: skip
        """``a``, ``b``: the contiguous mode of the operand, and how many neighbours move together; ``together``: how
        many of the result do, 1 or 2."""
        self.dtype, self.a, self.b, self.epilogue = dtype, a, b, epilogue
        self.tile, self.together, self.stages = (*tile, 32), together, stages

    def shared_layout(self, operand: tuple[str, int], rows: int) -> Any:
        """The layout in shared memory, and the swizzle of its addresses."""
        shape = (rows, 32, self.stages)
        if operand[0] == "k":
            atom = cute.make_layout((8, 32), stride=(32, 1))
            return cute.make_swizzle(2, 4, 3), cute.tile_to_shape(atom, shape, (0, 1, 2))
        atom = cute.make_layout((64, 8), stride=(1, 64))
        return cute.make_swizzle(3, 4, 3), cute.tile_to_shape(atom, shape, (0, 1, 2))

    def global_copy(self, operand: tuple[str, int]) -> Any:
        """128 threads, neighbours along the contiguous mode."""
        major, width = operand
        bits = width * self.dtype.width
        if bits == 128:
            op = cpasync.CopyG2SOp(cache_mode=LoadCacheMode.GLOBAL)
        else:
            op = cpasync.CopyG2SOp() if bits >= 32 else CopyUniversalOp()
        atom = cute.make_copy_atom(op, self.dtype, num_bits_per_copy=bits)
        if major == "k":
            chunks = 32 // width
            threads = cute.make_layout((128 // chunks, chunks), stride=(chunks, 1))
            return cute.make_tiled_copy_tv(atom, threads, cute.make_layout((1, width)))
        chunks = 64 // width
        threads = cute.make_layout((chunks, 128 // chunks), stride=(1, chunks))
        return cute.make_tiled_copy_tv(atom, threads, cute.make_layout((width, 1)))

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor):
        op = warp.MmaF16BF16Op(self.dtype, Float32, (16, 8, 16))
        mma = cute.make_tiled_mma(op, cute.make_layout((2, 2, 1)), permutation_mnk=(32, 32, 16))
        c = others[-1]
        grid = (
            cute.ceil_div(c.shape[0], self.tile[0]),
            cute.ceil_div(c.shape[1], self.tile[1]),
            c.shape[2],
        )
        layouts = self.shared_layout(self.a, self.tile[0]), self.shared_layout(self.b, self.tile[1])
        copies = self.global_copy(self.a), self.global_copy(self.b)
        self.kernel(a, b, others, mma, layouts, copies).launch(grid=grid, block=(128, 1, 1))

    @cute.kernel
    def kernel(self, a, b, others, mma, layouts, copies):
        thread, _, _ = cute.arch.thread_idx()
        x, y, batch = cute.arch.block_idx()
        c = others[-1]
        memory = cute.SmemAllocator()
        sA = memory.allocate_tensor(self.dtype, layouts[0][1], 1024, swizzle=layouts[0][0])
        sB = memory.allocate_tensor(self.dtype, layouts[1][1], 1024, swizzle=layouts[1][0])
        parts = []
        for operand, shared, copy, rows, place in (
            (a, sA, copies[0], self.tile[0], x),
            (b, sB, copies[1], self.tile[1], y),
        ):
            mine = copy.get_slice(thread)
            tiler = (rows, 32)
            source = cute.local_tile(operand[None, None, batch], tiler, (place, None))
            shape = (operand.shape[0], operand.shape[1])
            places = cute.local_tile(cute.make_identity_tensor(shape), tiler, (place, 0))
            parts.append(
                (
                    copy,
                    mine.partition_S(source),
                    mine.partition_D(shared),
                    mine.partition_S(places),
                    shape,
                )
            )

        part = mma.get_slice(thread)
        tCrA = mma.make_fragment_A(part.partition_A(sA)[None, None, None, 0])
        tCrB = mma.make_fragment_B(part.partition_B(sB)[None, None, None, 0])
        cC = cute.local_tile(
            cute.make_identity_tensor((c.shape[0], c.shape[1])), self.tile[:2], (x, y)
        )
        tCcC = part.partition_C(cC)
        sums = cute.make_rmem_tensor(part.partition_shape_C(self.tile[:2]), Float32)
        sums.fill(0.0)
        load_a = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(self.a[0] != "k", 4), self.dtype)
        load_b = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(self.b[0] != "k", 4), self.dtype)
        copy_a, copy_b = cute.make_tiled_copy_A(load_a, mma), cute.make_tiled_copy_B(load_b, mma)
        from_a, to_a = copy_a.get_slice(thread).partition_S(sA), copy_a.retile(tCrA)
        from_b, to_b = copy_b.get_slice(thread).partition_S(sB), copy_b.retile(tCrB)

        k_tiles = cute.ceil_div(a.shape[1], 32)
        for stage in cute.range_constexpr(self.stages - 1):
            self.load(parts, stage, stage)
            cute.arch.cp_async_commit_group()
        read, write = cute.Int32(0), cute.Int32(self.stages - 1)
        for tile in range(k_tiles):
            cute.arch.cp_async_wait_group(self.stages - 2)
            cute.arch.sync_threads()
            self.load(parts, tile + self.stages - 1, write)
            cute.arch.cp_async_commit_group()
            cute.copy(copy_a, from_a[None, None, None, read], to_a)
            cute.copy(copy_b, from_b[None, None, None, read], to_b)
            cute.gemm(mma, sums, tCrA, tCrB, sums)
            read = 0 if read == self.stages - 1 else read + 1
            write = 0 if write == self.stages - 1 else write + 1
        cute.arch.cp_async_wait_group(0)

        # Neighbours of a row go together where rows begin at multiples of two elements.
        piece = cute.make_rmem_tensor(self.together, c.element_type)
        for i in cute.range_constexpr(0, cute.size(sums), self.together):
            m, n = tCcC[i]
            if (m < c.shape[0]) & (n < c.shape[1]):
                for j in cute.range_constexpr(self.together):
                    value = self.epilogue.apply(sums[i + j], others[:-1], m, n + j, batch)
                    piece[j] = value.to(c.element_type)
                place = batch * c.stride[2] + m * c.stride[0] + n
                pointer = c.iterator + cute.assume(place, divby=self.together)
                target = cute.make_tensor(pointer, cute.make_layout(self.together))
                cute.autovec_copy(piece, target)

    @cute.jit
    def load(self, parts, tile, stage):
        """Starts a tile on its way. What is beyond the matrix is 0."""
        for copy, source, target, places, shape in parts:
            here = target[None, None, None, stage]
            inside = cute.make_rmem_tensor(
                cute.make_layout((1, cute.size(here, mode=[1]), cute.size(here, mode=[2]))), Boolean
            )
            for k in cute.range_constexpr(cute.size(here, mode=[2])):
                for m in cute.range_constexpr(cute.size(here, mode=[1])):
                    row, column = places[(0, 0), m, k]
                    inside[0, m, k] = (row < shape[0]) & (column + tile * 32 < shape[1])
            if cute.const_expr(not isinstance(copy.op, cpasync.CopyG2SOp)):
                here.fill(0)
            cute.copy(copy, source[None, None, None, tile], here, pred=inside)


class _ScalarGemm:
    """The same of float32, multiplied as float32: 16 x 16 threads, of which each has ``each`` rows and columns."""

    def __init__(self, epilogue: Epilogue, each: tuple[int, int]) -> None:
        self.epilogue, self.each, self.tile = epilogue, each, (16 * each[0], 16 * each[1])

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor):
        c = others[-1]
        grid = (
            cute.ceil_div(c.shape[0], self.tile[0]),
            cute.ceil_div(c.shape[1], self.tile[1]),
            c.shape[2],
        )
        self.kernel(a, b, others).launch(grid=grid, block=(256, 1, 1))

    @cute.kernel
    def kernel(self, a, b, others):
        thread, _, _ = cute.arch.thread_idx()
        x, y, batch = cute.arch.block_idx()
        c = others[-1]
        memory = cute.SmemAllocator()
        sA, sB = (
            memory.allocate_tensor(Float32, cute.make_layout((rows, 16), stride=(1, rows + 1)), 16)
            for rows in self.tile
        )
        row, column = thread // 16, thread % 16
        rows, columns = self.each
        sums = cute.make_rmem_tensor(self.each, Float32)
        sums.fill(0.0)
        depth = a.shape[1]
        for tile in range(cute.ceil_div(depth, 16)):
            k = tile * 16 + column
            for operand, shared, place, steps in ((a, sA, x, rows), (b, sB, y, columns)):
                for step in cute.range_constexpr(steps):
                    i = row + 16 * step
                    value = Float32(0)
                    if (place * 16 * steps + i < operand.shape[0]) & (k < depth):
                        value = operand[place * 16 * steps + i, k, batch]
                    shared[i, column] = value
            cute.arch.sync_threads()
            for k in cute.range_constexpr(16):
                for i in cute.range_constexpr(rows):
                    for j in cute.range_constexpr(columns):
                        sums[i, j] += sA[row + 16 * i, k] * sB[column + 16 * j, k]
            cute.arch.sync_threads()
        for i in cute.range_constexpr(rows):
            for j in cute.range_constexpr(columns):
                m, n = x * self.tile[0] + row + 16 * i, y * self.tile[1] + column + 16 * j
                if (m < c.shape[0]) & (n < c.shape[1]):
                    value = self.epilogue.apply(sums[i, j], others[:-1], m, n, batch)
                    c[m, n, batch] = value.to(c.element_type)


def _operand(given: Described) -> tuple[Described, int]:
    """The matrix and its contiguous mode, 0 or 1; a copy of one that has none."""
    rows, columns = given.strides[-2:]
    if columns == 1:
        return given, 1
    return (given, 0) if rows == 1 else (given.row_major(), 1)


def _width(given: Described, contiguous: int) -> int:
    """Neighbours along the contiguous mode that move together: what extents and strides are multiples of."""
    width = 16 // (given.numeric.width // 8)
    others = [
        stride
        for mode, stride in enumerate(given.strides)
        if mode != len(given.strides) - 2 + contiguous and given.shape[mode] != 1
    ]
    offset = _offset(given)
    while width > 1 and (
        given.shape[-2 + contiguous] % width
        or any(stride % width for stride in others)
        or offset % width
    ):
        width //= 2
    return width


def _offset(given: Described) -> int:
    """The address in elements, as far as it is known: arrays of JAX begin at multiples of 16 bytes."""
    if given.framework == "torch":
        return given.array.data_ptr() // (given.numeric.width // 8)
    if given.framework == "numpy":
        return given.array.ctypes.data // (given.numeric.width // 8)
    return 0


def matmul(
    a: Any, b: Any, *, bias: Any = None, activation: str | None = None, residual: Any = None,
    alpha: float = 1.0, beta: float = 1.0, scale_a: Any = None, scale_b: Any = None,
    out_dtype: str | None = None, out: Any = None,
) -> Any:  # fmt: skip
    """``activation(alpha * a @ b + bias) + beta * residual`` in one kernel; sums are float32.

    Args:
        a: (M, K) or (L, M, K), float16, bfloat16 or float32; rows or columns may be contiguous. Or float8_e4m3fn or
            float8_e5m2 with contiguous rows, K and N in multiples of 16, on CPUs and GPUs of compute capability 9.0.
        b: (K, N) or (L, K, N), like ``a``; ``weight.T`` of a row-major weight is read as it is, and the form of floats
            of 8 bits.
        bias: (N,).
        activation: None, "relu", "silu", "gelu" or "gelu_tanh".
        residual: of the result's shape.
        alpha, beta: part of the program: each value compiles once.
        scale_a, scale_b: of floats of 8 bits, float32 that the product is multiplied with before all else: both of one
            element, or (M,) and (N,).
        out_dtype: "float16", "bfloat16" or "float32": the result's type; default that of ``a``, or "bfloat16" for
            floats of 8 bits.
        out: row-major, of the result's shape and type; default a new one.

    Returns (M, N) or (L, M, N). Raises TypeError, ValueError for other arguments.
    """
    left = checked(a, "a", dtypes=(*FLOATS, *_NARROW))
    narrow = left.dtype in _NARROW
    right = checked(b, "b", left, _NARROW if narrow else (left.dtype,))
    expect(
        activation in ACTIVATIONS,
        "activation",
        "relu, silu, gelu, gelu_tanh or None",
        repr(activation),
    )
    expect(len(left.shape) in (2, 3), "a", "two or three dimensions", left.text())
    expect(len(right.shape) == len(left.shape), "b", f"{len(left.shape)} dimensions", right.text())
    *batch, m, k = left.shape
    n = right.shape[-1]
    wanted = (*batch, k, n)
    expect(right.shape == wanted, "b", f"the shape {list(wanted)}", right.text())
    expect(
        m > 0 and n > 0 and k > 0 and 0 not in batch,
        "a",
        "elements",
        f"{left.text()} and {right.text()}",
    )
    expect(
        out_dtype in (None, *FLOATS), "out_dtype", f"one of {', '.join(FLOATS)}", repr(out_dtype)
    )
    reject_out(out, left)
    shape, dtype = (*batch, m, n), out_dtype or ("bfloat16" if narrow else left.dtype)
    scales = _scales(scale_a, scale_b, left, n)
    others = [each.row_major() for each in scales]
    if bias is not None:
        given = checked(bias, "bias", left)
        expect(given.shape == (n,), "bias", f"the shape [{n}]", given.text())
        others.append(given.row_major())
    if residual is not None:
        given = checked(residual, "residual", left)
        expect(given.shape == shape, "residual", f"the shape {list(shape)}", given.text())
        others.append(given.row_major())
    if out is None:
        result = left.empty(shape, dtype)
    else:
        given = checked(out, "out", left, (dtype,))
        expect(given.shape == shape, "out", f"the shape {list(shape)}", given.text())
        expect(given.is_row_major(), "out", "a row-major array", f"strides {list(given.strides)}")
        result = out
    kind = None if not scales else "tensor" if scales[0].shape in ((), (1,)) else "rows"
    epilogue = Epilogue(
        float(alpha),
        activation,
        bias is not None,
        float(beta) if residual is not None else 0.0,
        kind,
    )
    product = _Product(left, right, others, result, out is not None, epilogue)
    return product.run()


def _scales(scale_a: Any, scale_b: Any, left: Described, n: int) -> list[Described]:
    """Both or none, of one element or of as many as there are rows and columns."""
    if scale_a is None and scale_b is None:
        return []
    m, found = left.shape[-2], []
    expect(
        left.dtype in _NARROW,
        "scale_a",
        "None for elements that are no floats of 8 bits",
        left.text(),
    )
    for value, name in ((scale_a, "scale_a"), (scale_b, "scale_b")):
        expect(value is not None, name, "a scale, as the other matrix has one", "None")
        found.append(checked(value, name, left, ("float32",)))
    if all(each.shape in ((), (1,)) for each in found):
        return [each.row_major().reshaped(1) for each in found]
    for each, name, extent in zip(found, ("scale_a", "scale_b"), (m, n), strict=True):
        expect(each.shape == (extent,), name, f"one element, or the shape [{extent}]", each.text())
    return found


class _Product:
    """A product of checked operands: which kernel multiplies them, and how it is compiled."""

    def __init__(
        self, left: Described, right: Described, others: list[Described], result: Any, given: bool,
        epilogue: Epilogue,
    ) -> None:  # fmt: skip
        """``given``: the result is the caller's array."""
        self.batched = len(left.shape) == 3
        (self.left, self.a_mode), (self.right, self.b_mode) = _operand(left), _operand(right)
        self.others, self.result, self.epilogue = others, result, epilogue
        self.out = describe(result, "out") if given else None
        self.widths = _width(self.left, self.a_mode), _width(self.right, self.b_mode)
        self.majors = (
            ("k" if self.a_mode else "m", self.widths[0]),
            ("n" if self.b_mode else "k", self.widths[1]),
        )
        # New arrays begin at multiples of 16 bytes.
        self.n = right.shape[-1]
        self.together = 1 if self.n % 2 or (self.out is not None and _offset(self.out) % 2) else 2
        self.tiles = self.for_warpgroups()

    def for_warpgroups(self) -> Tiles | None:
        """The tiles, where warpgroups multiply: what TMA copies begins at multiples of 16 bytes, as rows do."""
        left, dtype = self.left, str(self.result.dtype).rpartition(".")[2]
        narrow, bytes_ = left.dtype in _NARROW, 2 if dtype != "float32" else 4
        element = left.numeric.width // 8
        outputs = [each for each in self.others if len(each.shape) == len(left.shape)]
        if self.out is not None:
            outputs.append(self.out)
        whole = (
            all(width * element == 16 for width in self.widths)
            and self.n * bytes_ % 16 == 0
            and all(_offset(each) % (16 // (each.numeric.width // 8)) == 0 for each in outputs)
        )
        if narrow:
            expect(self.a_mode == 1, "a", "contiguous rows of floats of 8 bits", left.text())
            expect(
                self.b_mode == 0, "b", "contiguous columns of floats of 8 bits", self.right.text()
            )
            expect(whole, "a", "K and N in multiples of 16, from addresses that are", left.text())
            if left.device == "cpu":
                return Tiles(64, 64)
            expect(left.capability == (9, 0), "a", "a GPU of compute capability 9.0", left.device)
        elif (
            left.device == "cpu"
            or not whole
            or left.dtype == "float32"
            or left.capability != (9, 0)
        ):
            return None
        *batch, m, k = left.shape
        bits = left.numeric.width
        return choose(m, self.n, k, batch[0] if batch else 1, left.multiprocessors, bits)

    def program(self) -> Any:
        if self.tiles is not None:
            blocks = 4 if self.left.device == "cpu" else self.left.multiprocessors
            inner: Any = HopperGemm(self.epilogue, self.tiles, blocks)
        elif self.left.dtype == "float32":
            inner = _ScalarGemm(self.epilogue, self.each())
        else:
            inner = _WarpGemm(
                self.left.numeric, *self.majors, self.epilogue, self.tile(), self.together
            )
        return _Arranged(inner, self.batched)

    def each(self) -> tuple[int, int]:
        """Elements of a thread that multiplies float32. Vectors of a CPU are used better by more of them."""
        shape = (self.left.shape[-2], self.n)
        many = self.left.device == "cpu"
        return 8 if many and shape[0] > 64 else 4, 8 if many and shape[1] > 64 else 4

    def tile(self) -> tuple[int, int]:
        """Of warps."""
        small = self.left.shape[-2] * self.n <= 512 * 512
        return (64, 64) if small else (128, 128)

    def fakes(self) -> list[Any]:
        rows, depth, count = (cute.sym_int() for _ in range(3))
        aligned = 16 if self.tiles is not None else 0
        columns = cute.sym_int(divisibility=8 if aligned else self.together)
        outer = (count,) if self.batched else ()

        def fake(each: Any, extents: tuple, contiguous: int, width: int) -> Any:
            strides = [cute.sym_int64(divisibility=width) for _ in extents]
            strides[len(extents) - 2 + contiguous] = 1
            bytes_ = width * each.numeric.width // 8
            return cute.make_fake_tensor(
                each.numeric, extents, stride=tuple(strides), assumed_align=bytes_
            )

        def compact(dtype: type, extents: tuple, align: int) -> Any:
            order = tuple(reversed(range(len(extents))))
            return cute.make_fake_compact_tensor(
                dtype, extents, stride_order=order, assumed_align=align or dtype.width // 8
            )

        made = [
            fake(self.left, (*outer, rows, depth), self.a_mode, self.widths[0]),
            fake(self.right, (*outer, depth, columns), self.b_mode, self.widths[1]),
        ]
        kinds = {"tensor": [(1,), (1,)], "rows": [(rows,), (columns,)], None: []}
        vectors = [*kinds[self.epilogue.scales], (columns,)]
        for index, each in enumerate(self.others):
            matrix = len(each.shape) > 1
            extents = (*outer, rows, columns) if matrix else vectors[index]
            made.append(compact(each.numeric, extents, aligned if matrix else 0))
        dtype = self.result_type()
        bytes_ = dtype.width // 8 * (1 if self.left.dtype == "float32" else self.together)
        return [*made, compact(dtype, (*outer, rows, columns), aligned or bytes_)]

    def result_type(self) -> type:
        return numeric(str(self.result.dtype).rpartition(".")[2])

    def run(self) -> Any:
        inputs = [self.left, self.right, *self.others]
        key = (
            "matmul", tuple(each.dtype for each in inputs), self.result_type(), self.batched, self.majors,
            self.tiles or self.tile(), self.each(), self.together, self.epilogue.key(),
        )  # fmt: skip
        return run(key, self.program, self.fakes, inputs, self.result)


class _Arranged:
    """The arrays as their frameworks have them, as the kernels want them: (M, K, L), (N, K, L), (M, N, L)."""

    def __init__(self, inner: Any, batched: bool) -> None:
        self.inner, self.batched = inner, batched

    def turned(self, tensor: Any, swapped: bool = False) -> Any:
        shape, stride = list(tensor.shape), list(tensor.stride)
        batch = (shape.pop(0), stride.pop(0)) if self.batched else (1, 0)
        if swapped:
            shape.reverse()
            stride.reverse()
        layout = cute.make_layout((*shape, batch[0]), stride=(*stride, batch[1]))
        return cute.make_tensor(tensor.iterator, layout)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor):
        turned = [each if len(each.shape) == 1 else self.turned(each) for each in others]
        self.inner(self.turned(a), self.turned(b, True), *turned)
