"""Operations of the 32 threads of a warp: products on tensor cores, and copies of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairlead import _compiler
from fairlead._hints import missing
from fairlead.cute.nvgpu._operations import CopyOp, Operation
from fairlead.errors import make_error

__all__ = [
    "LdMatrix8x8x16bOp",
    "LdMatrix8x16x8bOp",
    "LdMatrix16x16x8bOp",
    "MmaF16BF16Op",
    "MmaF64Op",
    "MmaFP8Op",
    "MmaI4Op",
    "MmaI8Op",
    "MmaMXF4NVF4Op",
    "MmaMXF4Op",
    "MmaMXF8F6F4Op",
    "MmaMXF8Op",
    "MmaTF32Op",
    "StMatrix8x8x16bOp",
]


class _MmaOp(Operation):
    """``mma.sync`` of A (M, K), B (N, K) and an accumulator (M, N)."""

    def __init__(
        self,
        ab_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        shape_mnk: tuple[int, int, int],
    ) -> None:
        super().__init__(ab_dtype=ab_dtype, acc_dtype=acc_dtype, shape_mnk=tuple(shape_mnk))
        self.ab_dtype, self.acc_dtype, self.shape_mnk = ab_dtype, acc_dtype, tuple(shape_mnk)
        self._mma_atom()

    def _mma_atom(self) -> Any:
        return _compiler.make_warp_mma_atom(
            self, self.ab_dtype, self.ab_dtype, self.acc_dtype, list(self.shape_mnk)
        )


class MmaF16BF16Op(_MmaOp):
    """MMA of Float16 with Float16 or Float32 accumulators, or BFloat16 with Float32; (16, 8, 8) and (16, 8, 16)."""


class MmaFP8Op(_MmaOp):
    """MMA of Float8E4M3FN or Float8E5M2 with Float16 or Float32 accumulators; (16, 8, 16) and (16, 8, 32)."""


class MmaTF32Op(_MmaOp):
    """MMA of TFloat32 with Float32 accumulators; (16, 8, 4) and (16, 8, 8)."""

    def __init__(self, shape_mnk: tuple[int, int, int]) -> None:
        super().__init__(_compiler.TFloat32, _compiler.Float32, shape_mnk)


class _MixedOp(Operation):
    """``mma.sync`` of A and B of element types of their own."""

    def __init__(
        self,
        a_dtype: type[_compiler.Numeric],
        b_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        shape_mnk: tuple[int, int, int],
    ) -> None:
        shape = tuple(shape_mnk)
        super().__init__(a_dtype=a_dtype, b_dtype=b_dtype, acc_dtype=acc_dtype, shape_mnk=shape)
        self.a_dtype, self.b_dtype, self.acc_dtype, self.shape_mnk = (
            a_dtype,
            b_dtype,
            acc_dtype,
            shape,
        )
        self._mma_atom()

    def _mma_atom(self) -> Any:
        return _compiler.make_warp_mma_atom(
            self, self.a_dtype, self.b_dtype, self.acc_dtype, list(self.shape_mnk)
        )


class MmaI8Op(_MixedOp):
    """MMA of Int8 and Uint8 with Int32 accumulators that wrap around; (16, 8, 16) of one type, (16, 8, 32) of two."""

    def __init__(
        self,
        a_dtype: type[_compiler.Numeric],
        b_dtype: type[_compiler.Numeric],
        shape_mnk: tuple[int, int, int],
    ) -> None:
        super().__init__(a_dtype, b_dtype, _compiler.Int32, shape_mnk)


class MmaI4Op(_MmaOp):
    """MMA of Int4 with Int32 accumulators, which wrap around; (16, 8, 32) or (16, 8, 64)."""

    def __init__(self, shape_mnk: tuple[int, int, int] = (16, 8, 64)) -> None:
        super().__init__(_compiler.Int4, _compiler.Int32, shape_mnk)


class MmaF64Op(_MmaOp):
    """MMA of Float64; (8, 8, 4), and from compute capability 9.0 (16, 8, 4), (16, 8, 8) or (16, 8, 16)."""

    def __init__(self, shape_mnk: tuple[int, int, int] = (8, 8, 4)) -> None:
        super().__init__(_compiler.Float64, _compiler.Float64, shape_mnk)


class _ScaledOp(Operation):
    """``mma.sync`` of (16, 8) with Float32 accumulators and a scale factor for each ``sf_vec_size`` neighbours along K
    of a row of A or B. ``cute.gemm`` takes pairs: A with its scale factors in registers, and B with its own."""

    _kind = ""

    def _set(
        self,
        dtypes: tuple[type[_compiler.Numeric], type[_compiler.Numeric]],
        acc_dtype: type[_compiler.Numeric],
        sf_dtype: type[_compiler.Numeric],
        sf_vec_size: int,
    ) -> None:
        if acc_dtype is not _compiler.Float32:
            raise make_error(
                "AtomUse", expected=f"Float32 as acc_dtype of {type(self).__name__}", got=acc_dtype
            )
        self.a_dtype, self.b_dtype = dtypes
        self.acc_dtype, self.sf_dtype, self.sf_vec_size = acc_dtype, sf_dtype, sf_vec_size
        self.shape_mnk = (16, 8, 32 if self._kind == "mxf8f6f4" else 64)
        self._mma_atom()

    def _mma_atom(self) -> Any:
        return _compiler.make_scaled_warp_mma_atom(
            self, self._kind, self.a_dtype, self.b_dtype, self.sf_dtype, self.sf_vec_size
        )


class _ScaledOfOneType(_ScaledOp):
    _vector = 32
    _dtypes: tuple[type[_compiler.Numeric], ...] = (_compiler.Float4E2M1FN,)

    def __init__(
        self,
        ab_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        sf_dtype: type[_compiler.Numeric],
    ) -> None:
        super().__init__(ab_dtype=ab_dtype, acc_dtype=acc_dtype, sf_dtype=sf_dtype)
        self.ab_dtype = ab_dtype
        if ab_dtype not in self._dtypes:
            names = " or ".join(dtype.__name__ for dtype in self._dtypes)
            raise make_error(
                "AtomUse",
                expected=f"{names} as ab_dtype of {type(self).__name__}",
                got=repr(ab_dtype),
            )
        self._set((ab_dtype, ab_dtype), acc_dtype, sf_dtype, self._vector)


class MmaMXF4Op(_ScaledOfOneType):
    """MMA of Float4E2M1FN with a Float8E8M0FNU for each 32: K is 64."""

    _kind = "mxf4"


class MmaMXF4NVF4Op(_ScaledOfOneType):
    """MMA of Float4E2M1FN with a Float8E4M3FN for each 16, whose sign is ignored: K is 64."""

    _kind, _vector = "mxf4nvf4", 16


class MmaMXF8Op(_ScaledOfOneType):
    """MMA of Float8E4M3FN or Float8E5M2 with a Float8E8M0FNU for each 32: K is 32."""

    _kind = "mxf8f6f4"
    _dtypes = (_compiler.Float8E4M3FN, _compiler.Float8E5M2)


class MmaMXF8F6F4Op(_ScaledOp):
    """MMA of floats of 4, 6 and 8 bits with a Float8E8M0FNU for each 32: K is 32. Registers are those of Int8 for
    fewer than 8 bits: of 6 bits they have the lowest ones, of 4 bits those from bit 2 on."""

    _kind = "mxf8f6f4"

    def __init__(
        self,
        a_dtype: type[_compiler.Numeric],
        b_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        sf_dtype: type[_compiler.Numeric],
    ) -> None:
        super().__init__(a_dtype=a_dtype, b_dtype=b_dtype, acc_dtype=acc_dtype, sf_dtype=sf_dtype)
        self._set((a_dtype, b_dtype), acc_dtype, sf_dtype, 32)


class _MatrixOp(CopyOp):
    """A copy of 1, 2 or 4 matrices, whose rows have 16 bytes, between shared memory and registers."""

    _kind = "ldmatrix"
    #: The widths of elements that an operation unpacks.
    _widths: tuple[int, ...] = ()

    def __init__(
        self, transpose: bool = False, num_matrices: int = 1, unpack_bits: int | None = None
    ) -> None:
        super().__init__(transpose=transpose, num_matrices=num_matrices, unpack_bits=unpack_bits)
        self.transpose, self.num_matrices, self.unpack_bits = transpose, num_matrices, unpack_bits
        if unpack_bits is not None and unpack_bits not in self._widths:
            widths = " or ".join(["None", *map(str, self._widths)])
            raise make_error(
                "ArgumentValue",
                function=type(self).__name__,
                expected=f"{widths} as unpack_bits",
                got=unpack_bits,
            )

    def _copy_op(self) -> Any:
        return _compiler.CopyOp(self._kind, 0, bool(self.transpose), self.num_matrices)


class LdMatrix8x8x16bOp(_MatrixOp):
    """``ldmatrix`` of 8x8 elements of 16 bits, each matrix perhaps transposed."""


class LdMatrix8x16x8bOp(_MatrixOp):
    """``ldmatrix`` of 8x16 elements of 8 bits. With `unpack_bits`, a row in shared memory is 16 elements of 4 or 6
    bits and then padding, 16 bytes in all: they become the low bits of bytes, whose other bits are 0. The atom's type
    has 8 bits. Supported for compute capability 10.0 and 12.0, and on the CPU."""

    _widths = (4, 6)

    def __init__(
        self, transpose: bool = False, num_matrices: int = 1, unpack_bits: int | None = None
    ) -> None:
        if transpose:
            raise make_error(
                "AtomUse",
                expected="transpose=False of LdMatrix8x16x8bOp: ldmatrix transposes matrices of 16x16 bytes",
                got="transpose=True",
            )
        super().__init__(transpose, num_matrices, unpack_bits)

    def _copy_op(self) -> Any:
        if self.unpack_bits is None:
            return super()._copy_op()
        return _compiler.CopyOp._of_bytes(False, self.num_matrices, self.unpack_bits)


class LdMatrix16x16x8bOp(_MatrixOp):
    """``ldmatrix`` of 1 or 2 matrices of 16x16 elements of 8 bits, transposed. Lane 4 i + c gets rows 4 c to 4 c + 3 of
    column i, and then of column i + 8. `unpack_bits`: see LdMatrix8x16x8bOp. Supported for compute capability 10.0
    and 12.0, and on the CPU."""

    _widths = (4, 6)

    def __init__(
        self, transpose: bool = True, num_matrices: int = 1, unpack_bits: int | None = None
    ) -> None:
        if not transpose:
            raise make_error(
                "AtomUse",
                expected="transpose=True of LdMatrix16x16x8bOp: LdMatrix8x16x8bOp does not transpose",
                got="transpose=False",
            )
        super().__init__(transpose, num_matrices, unpack_bits)

    def _copy_op(self) -> Any:
        return _compiler.CopyOp._of_bytes(True, self.num_matrices, self.unpack_bits or 8)


class StMatrix8x8x16bOp(_MatrixOp):
    """``stmatrix`` of 8x8 elements of 16 bits, each matrix perhaps transposed."""

    _kind = "stmatrix"

    def __init__(self, transpose: bool = False, num_matrices: int = 1) -> None:
        super().__init__(transpose, num_matrices)


if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
