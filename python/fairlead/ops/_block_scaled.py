"""Products of floats of 8 and 4 bits with a scale factor for each 16 or 32 elements: mxfp8, mxfp4 and nvfp4."""

from __future__ import annotations

from typing import Any, NamedTuple

from fairlead import cute
from fairlead.ops._arrays import FLOATS, Described, checked, expect, numeric, reject_out, run
from fairlead.ops._blackwell_gemm import BlackwellGemm
from fairlead.ops._epilogue import Epilogue
from fairlead.ops._gemm import NARROW, Arranged

__all__ = ["FACTORS", "PACKED", "block_scaled_product"]

#: torch's type of pairs of floats of 4 bits.
PACKED = "float4_e2m1fn_x2"
#: The types of scale factors.
FACTORS = ("float8_e8m0fnu", "float8_e4m3fn")
#: Rows, and factors of each row, that lie together.
_ROWS, _FACTORS = 128, 4
#: Elements of a result that has enough tiles of 128 x 256 for all multiprocessors of a B200.
_WIDE_TILES = 148 * 128 * 256


class _Format(NamedTuple):
    """The types of elements and of scale factors, and the elements along K that share a factor."""

    elements: str
    factors: str
    vector: int


_FORMATS = (
    *(_Format(elements, "float8_e8m0fnu", 32) for elements in (*NARROW, PACKED)),
    _Format(PACKED, "float8_e4m3fn", 16),
)


def block_scaled_product(
    left: Described, right: Described, scale_a: object, scale_b: object, out_dtype: str | None, out: object
) -> Any:  # fmt: skip
    """The product of matrices (M, K) and (N, K), whose types and number of dimensions are checked; see
    ``scaled_matmul``."""
    factors_a, whole_a = _parts(scale_a, "scale_a")
    factors_b, whole_b = _parts(scale_b, "scale_b")
    factors = checked(factors_a, "scale_a", left, FACTORS)
    vector = _vector(left, right, factors)
    fits = left.device == "cpu" or left.has("tcgen05")
    expect(fits, "a", "a CPU or a GPU of compute capability 10.0 or 10.3", left.device)
    packing = 2 if left.dtype == PACKED else 1
    (m, width), n = left.shape, right.shape[0]
    k = width * packing
    expect(k > 0 and k % 32 == 0, "a", "a K in multiples of 32 elements", left)
    for matrix, name in ((left, "a"), (right, "b")):
        is_whole = matrix.strides[1] == 1 and matrix.strides[0] % 16 == 0 and _is_aligned(matrix)
        expect(is_whole, name, "contiguous rows that begin at multiples of 16 bytes", matrix)
    inputs = [left, right]
    for value, name, rows in ((factors_a, "scale_a", m), (factors_b, "scale_b", n)):
        inputs.append(_tiles_of_factors(value, name, left, factors.dtype, rows, k // vector))
    kind = None
    if whole_a is not None or whole_b is not None:
        kind = "tensor"
        for value, name in ((whole_a, "scale_a"), (whole_b, "scale_b")):
            inputs.append(_whole_scale(value, name, left))
    result, width = _result(left, (m, n), out_dtype, out)
    columns = 256 if m * n >= _WIDE_TILES else 128
    c_dtype = numeric(str(result.dtype).rpartition(".")[2])
    program = lambda: Arranged(  # noqa: E731
        BlackwellGemm(Epilogue(1.0, None, False, 0.0, kind), columns, vector=vector),
        batched=False,
        rows_of_b=True,
    )
    key = ("block_scaled", left.dtype, right.dtype, factors.dtype, kind, c_dtype, width, columns)
    return run(key, program, lambda: _fakes(inputs, c_dtype, width), inputs, result)


def _parts(scale: object, name: str) -> tuple[object, object]:
    """Return the scale factors of blocks, and the scale of the whole matrix or None."""
    if not isinstance(scale, (tuple, list)):
        return scale, None
    expected = "an array of scale factors, or [scale factors, scale of the whole matrix]"
    expect(len(scale) == 2, name, expected, f"{len(scale)} arrays")
    return scale[0], scale[1]


def _vector(left: Described, right: Described, factors: Described) -> int:
    """Return the number of elements that share a factor."""
    forms = [form for form in _FORMATS if form.elements == left.dtype]
    expected = (
        f"elements of {PACKED}, as a has"
        if left.dtype == PACKED
        else f"elements of {', '.join(NARROW)}"
    )
    expect((right.dtype == PACKED) == (left.dtype == PACKED), "b", expected, right)
    names = " or ".join(form.factors for form in forms)
    same = [form for form in forms if form.factors == factors.dtype]
    expect(bool(same), "scale_a", f"{names} for elements of {left.dtype}", factors)
    return same[0].vector


def _is_aligned(array: Described) -> bool:
    """True if a torch or NumPy array begins at a multiple of 16 bytes. Arrays of JAX do."""
    if array.framework == "torch":
        return bool(array.array.data_ptr() % 16 == 0)
    return array.framework != "numpy" or array.array.ctypes.data % 16 == 0


def _tiles_of_factors(
    value: object, name: str, like: Described, dtype: str, rows: int, along_k: int
) -> Described:  # fmt: skip
    """Return the checked scale factors of blocks."""
    factors = checked(value, name, like, (dtype,))
    count = -(-rows // _ROWS) * _ROWS * -(-along_k // _FACTORS) * _FACTORS
    expected = f"the shape [{count}]: tiles of {_ROWS} rows and {_FACTORS} factors (SWIZZLE_32_4_4), {rows} and"
    expect(
        factors.shape == (count,), name, f"{expected} {along_k} rounded up to whole ones", factors
    )
    is_whole = factors.is_row_major() and _is_aligned(factors)
    expect(is_whole, name, "contiguous elements from a multiple of 16 bytes on", factors)
    return factors


def _whole_scale(value: object, name: str, like: Described) -> Described:
    """Return the checked scale of a matrix."""
    expect(
        value is not None,
        name,
        "[scale factors, scale of the whole matrix], as the other has",
        "none of the matrix",
    )
    scale = checked(value, name, like, ("float32",))
    expect(scale.shape in ((), (1,)), name, "one element as the scale of the whole matrix", scale)
    return scale.row_major().reshaped(1)


def _result(
    like: Described, shape: tuple[int, int], out_dtype: str | None, out: object
) -> tuple[Any, int]:  # fmt: skip
    """Return the result, and the number of neighbours in it that lie together in 16 bytes."""
    expect(
        out_dtype in (None, *FLOATS), "out_dtype", f"one of {', '.join(FLOATS)}", repr(out_dtype)
    )
    dtype = out_dtype or "bfloat16"
    reject_out(out, like)
    width = 128 // numeric(dtype).width
    if out is None:
        return like.empty(shape, dtype), 1 if shape[1] % width else width
    result = checked(out, "out", like, (dtype,))
    expect(result.shape == shape, "out", f"the shape {list(shape)}", result)
    expect(result.strides[1] == 1 or shape[1] == 1, "out", "contiguous rows", result)
    is_whole = result.strides[0] % width == 0 and _is_aligned(result)
    return out, width if is_whole else 1


def _fakes(inputs: list[Described], c_dtype: type[cute.Numeric], width: int) -> list[Any]:
    """Return example arguments with any extents."""
    rows, columns, depth = cute.sym_int(), cute.sym_int(), cute.sym_int(divisibility=32)

    def matrix(dtype: type[cute.Numeric], extents: tuple[Any, ...], together: int) -> Any:
        strides = (cute.sym_int64(divisibility=together), 1)
        bytes_ = together * dtype.width // 8
        return cute.make_fake_tensor(dtype, extents, stride=strides, assumed_align=bytes_)

    left, right, *vectors = inputs
    arguments = [
        matrix(_element(operand), (extent, depth), 128 // _element(operand).width)
        for operand, extent in ((left, rows), (right, columns))
    ]
    for vector in vectors:
        align = 4 if vector.dtype == "float32" else 16
        arguments.append(
            cute.make_fake_compact_tensor(vector.numeric, (cute.sym_int(),), assumed_align=align)
        )
    return [*arguments, matrix(c_dtype, (rows, columns), width)]


def _element(array: Described) -> type[cute.Numeric]:
    """Return the class of an element."""
    return cute.Float4E2M1FN if array.dtype == PACKED else array.numeric
