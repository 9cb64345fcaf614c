"""Products of matrices with what is done to them before they are stored."""

from __future__ import annotations

from typing import Any

import fairlead
from fairlead import Boolean, Float32, cute
from fairlead.cute.nvgpu import CopyUniversalOp, LoadCacheMode, cpasync, warp
from fairlead.ops._arrays import Described, checked, expect, reject_out, run

__all__ = ["matmul"]

_ACTIVATIONS = {
    None: lambda x: x,
    "relu": lambda x: cute.arch.fmax(x, 0.0),
    "silu": lambda x: x / (1.0 + cute.math.exp(-x)),
    "gelu": lambda x: 0.5 * x * (1.0 + cute.math.erf(x * 0.7071067811865476)),
    "gelu_tanh": lambda x: (
        0.5 * x * (1.0 + cute.math.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    ),
}


class _Epilogue:
    """``activation(alpha * product + bias) + beta * residual`` of the elements that a thread holds."""

    def __init__(self, alpha: float, activation: str | None, bias: bool, beta: float) -> None:
        self.alpha, self.activation, self.bias, self.beta = alpha, activation, bias, beta

    def apply(self, value: Any, others: tuple, m: Any, n: Any, batch: Any) -> Any:
        """``others``: the bias and the residual, as far as there are."""
        if self.alpha != 1:
            value = value * self.alpha
        if self.bias:
            value = value + Float32(others[0][n])
        value = _ACTIVATIONS[self.activation](value)
        if self.beta:
            value = value + self.beta * Float32(others[-1][m, n, batch])
        return value


class _WarpGemm:
    """C (M, N, L) = A (M, K, L) * B (N, K, L) of 16 bits a number, by tiles of 128 x 128 x 32 and ``mma.sync``.

    Tiles come by ``cp.async`` into ``stages`` stages of shared memory while others are multiplied.
    """

    def __init__(
        self, dtype: type, a: tuple[str, int], b: tuple[str, int], epilogue: _Epilogue,
        tile: tuple[int, int], stages: int = 3,
    ) -> None:  # fmt: skip
        """``a``, ``b``: the contiguous mode of the operand, and how many neighbours move together."""
        self.dtype, self.a, self.b, self.epilogue = dtype, a, b, epilogue
        self.tile, self.stages = (*tile, 32), stages

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
        memory = fairlead.utils.SmemAllocator()
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
        gC = cute.local_tile(c[None, None, batch], self.tile[:2], (x, y))
        cC = cute.local_tile(
            cute.make_identity_tensor((c.shape[0], c.shape[1])), self.tile[:2], (x, y)
        )
        tCgC, tCcC = part.partition_C(gC), part.partition_C(cC)
        sums = mma.make_fragment_C(tCgC)
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
        read, write = fairlead.Int32(0), fairlead.Int32(self.stages - 1)
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

        result = cute.make_rmem_tensor(sums.shape, c.element_type)
        for i in cute.range_constexpr(cute.size(sums)):
            m, n = tCcC[i]
            if (m < c.shape[0]) & (n < c.shape[1]):
                value = self.epilogue.apply(sums[i], others[:-1], m, n, batch)
                result[i] = value.to(c.element_type)
                tCgC[i] = result[i]

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
            if fairlead.const_expr(not isinstance(copy.op, cpasync.CopyG2SOp)):
                here.fill(0)
            cute.copy(copy, source[None, None, None, tile], here, pred=inside)


class _ScalarGemm:
    """The same of float32, multiplied as float32: blocks of 64 x 64, 4 x 4 elements a thread."""

    def __init__(self, epilogue: _Epilogue) -> None:
        self.epilogue = epilogue

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor):
        c = others[-1]
        grid = (cute.ceil_div(c.shape[0], 64), cute.ceil_div(c.shape[1], 64), c.shape[2])
        self.kernel(a, b, others).launch(grid=grid, block=(256, 1, 1))

    @cute.kernel
    def kernel(self, a, b, others):
        thread, _, _ = cute.arch.thread_idx()
        x, y, batch = cute.arch.block_idx()
        c = others[-1]
        memory = fairlead.utils.SmemAllocator()
        layout = cute.make_layout((64, 16), stride=(1, 65))
        sA = memory.allocate_tensor(Float32, layout, 16)
        sB = memory.allocate_tensor(Float32, layout, 16)
        row, column = thread // 16, thread % 16
        sums = cute.make_rmem_tensor((4, 4), Float32)
        sums.fill(0.0)
        depth = a.shape[1]
        for tile in range(cute.ceil_div(depth, 16)):
            for step in cute.range_constexpr(4):
                i, k = row + 16 * step, tile * 16 + column
                for operand, shared, place in ((a, sA, x), (b, sB, y)):
                    value = Float32(0)
                    if (place * 64 + i < operand.shape[0]) & (k < depth):
                        value = operand[place * 64 + i, k, batch]
                    shared[i, column] = value
            cute.arch.sync_threads()
            for k in cute.range_constexpr(16):
                for i in cute.range_constexpr(4):
                    for j in cute.range_constexpr(4):
                        sums[i, j] += sA[row + 16 * i, k] * sB[column + 16 * j, k]
            cute.arch.sync_threads()
        for i in cute.range_constexpr(4):
            for j in cute.range_constexpr(4):
                m, n = x * 64 + row + 16 * i, y * 64 + column + 16 * j
                if (m < c.shape[0]) & (n < c.shape[1]):
                    value = self.epilogue.apply(sums[i, j], others[:-1], m, n, batch)
                    c[m, n, batch] = value.to(c.element_type)


def _operand(given: Described, name: str, contiguous: int) -> tuple[Described, int]:
    """The matrix as (rows, columns, batch), and its contiguous mode: 0 or 1. A copy of one that has none."""
    rows, columns = given.strides[-2:]
    if contiguous < 0:
        contiguous = 1 if columns == 1 else 0 if rows == 1 else -1
    if contiguous < 0:
        given, contiguous = given.row_major(), 1
    return given, contiguous


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
    alpha: float = 1.0, beta: float = 1.0, out: Any = None,
) -> Any:  # fmt: skip
    """``activation(alpha * a @ b + bias) + beta * residual`` in one kernel; sums are float32.

    Args:
        a: (M, K) or (L, M, K), float16, bfloat16 or float32; rows or columns may be contiguous.
        b: (K, N) or (L, K, N), like ``a``; ``weight.T`` of a row-major weight is read as it is.
        bias: (N,).
        activation: None, "relu", "silu", "gelu" or "gelu_tanh".
        residual: of the result's shape.
        alpha, beta: part of the program: each value compiles once.
        out: row-major, of the result's shape and type; default a new one.

    Returns (M, N) or (L, M, N) of the type of ``a``. Raises TypeError, ValueError for other arguments.
    """
    left = checked(a, "a")
    right = checked(b, "b", left, (left.dtype,))
    expect(
        activation in _ACTIVATIONS,
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
    reject_out(out, left)
    shape = (*batch, m, n)
    inputs = [left, right]
    if bias is not None:
        given = checked(bias, "bias", left)
        expect(given.shape == (n,), "bias", f"the shape [{n}]", given.text())
        inputs.append(given.row_major())
    if residual is not None:
        given = checked(residual, "residual", left)
        expect(given.shape == shape, "residual", f"the shape {list(shape)}", given.text())
        inputs.append(given.row_major())
    if out is None:
        result = left.empty(shape)
    else:
        given = checked(out, "out", left, (left.dtype,))
        expect(given.shape == shape, "out", f"the shape {list(shape)}", given.text())
        expect(given.is_row_major(), "out", "a row-major array", f"strides {list(given.strides)}")
        result = out
    epilogue = _Epilogue(
        float(alpha), activation, bias is not None, float(beta) if residual is not None else 0.0
    )

    (left, a_mode), (right, b_mode) = _operand(left, "a", -1), _operand(right, "b", -1)
    inputs[:2] = left, right
    a_width, b_width = _width(left, a_mode), _width(right, b_mode)
    majors = ("k" if a_mode else "m", a_width), ("n" if b_mode else "k", b_width)
    small = m * n <= 512 * 512
    tile = (64, 64) if small else (128, 128)

    def program() -> Any:
        inner = (
            _ScalarGemm(epilogue)
            if left.dtype == "float32"
            else _WarpGemm(left.numeric, *majors, epilogue, tile)
        )
        return _Arranged(inner, len(batch), bias is not None)

    def fakes() -> list[Any]:
        rows, columns, depth, count = (cute.sym_int() for _ in range(4))
        outer = (count,) if batch else ()

        def fake(each: Any, extents: tuple, contiguous: int, width: int) -> Any:
            strides = [cute.sym_int64(divisibility=width) for _ in extents]
            strides[len(extents) - 2 + contiguous] = 1
            bytes_ = width * each.numeric.width // 8
            return cute.make_fake_tensor(
                each.numeric, extents, stride=tuple(strides), assumed_align=bytes_
            )

        made = [
            fake(left, (*outer, rows, depth), a_mode, a_width),
            fake(right, (*outer, depth, columns), b_mode, b_width),
        ]
        for each in inputs[2:]:
            extents = (columns,) if len(each.shape) == 1 else (*outer, rows, columns)
            order = tuple(reversed(range(len(extents))))
            made.append(cute.make_fake_compact_tensor(each.numeric, extents, stride_order=order))
        order = tuple(reversed(range(len(shape))))
        return [
            *made,
            cute.make_fake_compact_tensor(
                left.numeric, (*outer, rows, columns), stride_order=order
            ),
        ]

    key = (
        "matmul", left.dtype, len(batch), majors, tile, tuple(each.dtype for each in inputs[2:]),
        epilogue.alpha, activation, bias is not None, epilogue.beta,
    )  # fmt: skip
    return run(key, program, fakes, inputs, result)


class _Arranged:
    """The arrays as their frameworks have them, as the kernels want them: (M, K, L), (N, K, L), (M, N, L)."""

    def __init__(self, inner: Any, batched: int, bias: bool) -> None:
        self.inner, self.batched, self.bias = inner, batched, bias

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
        turned = [
            each if index == 0 and self.bias else self.turned(each)
            for index, each in enumerate(others)
        ]
        self.inner(self.turned(a), self.turned(b, True), *turned)
