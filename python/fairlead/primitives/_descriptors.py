"""Descriptors that products in tensor memory take, and addresses of tensor memory, by their bits in the PTX ISA."""

from __future__ import annotations

from typing import Any, Self

from fairlead import _compiler
from fairlead.cute._types import DType, Int
from fairlead.errors import make_error
from fairlead.primitives._operands import shared
from fairlead.primitives._pointer import Pointer, inttoptr

__all__ = [
    "Tcgen05InstrDesc",
    "Tcgen05MxInstrDesc",
    "Tcgen05MxOmmaInstrDesc",
    "Tcgen05SmemDesc",
    "TmemAddr",
]

#: Numbers of accumulators' classes, and of operands' classes.
_RESULTS = {"Float16": 0, "Float32": 1, "Int32": 2}
_OPERANDS = {
    "Float16": 0,
    "BFloat16": 1,
    "TFloat32": 2,
    "Float32": 2,
    "Float8E4M3FN": 0,
    "Float8E5M2": 1,
    "Float6E2M3FN": 3,
    "Float6E3M2FN": 4,
    "Float4E2M1FN": 5,
    "Uint8": 0,
    "Int8": 1,
}
_NARROW = {
    name: number
    for name, number in _OPERANDS.items()
    if name.startswith(("Float8", "Float6", "Float4"))
}


def _number(name: str, value: object, most: int, step: int = 1) -> int:
    """A field of a descriptor; ValueError (ArgumentValue) unless it is an integer of 0 to most in steps."""
    number = int(value) if isinstance(value, bool) else getattr(value, "value", value)
    if type(number) is not int or not 0 <= number <= most or number % step:
        steps = f" in steps of {step}" if step > 1 else ""
        raise make_error(
            "ArgumentValue",
            function="build",
            expected=f"an integer of 0 to {most}{steps} as {name}",
            got=repr(value),
        )
    return number


def _type_number(name: str, dtype: object, numbers: dict[str, int]) -> int:
    """The number of an operand's class; a number, or a member of an enumeration, is taken as it is."""
    number = numbers.get(getattr(dtype, "__name__", ""))
    if number is None and isinstance(dtype, type):
        raise make_error(
            "ArgumentValue",
            function="build",
            expected=f"one of {', '.join(numbers)} as {name}",
            got=dtype.__name__,
        )
    return _number(name, dtype, 7) if number is None else number


#: The numbers of scale factors in an instruction descriptor.
_SF_IDS = 3 << 29 | 3 << 4


def described_bits(descriptor: Int, changing: int = 0) -> int | None:
    """Return the bits of an instruction descriptor, without those of `changing`; None if unknown while tracing."""
    if isinstance(descriptor, int):
        return descriptor & 0xFFFFFFFF & ~changing
    if descriptor.is_static:
        return int(descriptor) & 0xFFFFFFFF & ~changing
    others: int | None = getattr(descriptor, "_others", None)
    return others if changing else None


class Tcgen05SmemDesc(_compiler.Int64):
    """An operand in shared memory of a product in tensor memory."""

    @classmethod
    def build(
        cls,
        start_address: Int,
        leading_byte_offset: int = 0,
        stride_byte_offset: int = 0,
        version: int = 1,
        base_offset: int = 0,
        layout: object = 0,
    ) -> Self:
        """Make a descriptor.

        Args:
            start_address: Address in shared memory in bytes, a multiple of 16 below 256 KiB; or an Array or pointer.
            leading_byte_offset, stride_byte_offset: Bytes between groups of rows or columns, multiples of 16.
            version: 1, for GPUs of compute capability 10.0.
            base_offset: Offset of a swizzle's pattern, 0 to 7.
            layout: A Tcgen05SmemSwizzle.

        Raises ValueError (ArgumentValue) for other numbers.
        """
        most = 0x3FFF << 4
        fields = _number("leading_byte_offset", leading_byte_offset, most, 16) >> 4 << 16
        fields |= _number("stride_byte_offset", stride_byte_offset, most, 16) >> 4 << 32
        fields |= _number("version", version, 7) << 46
        fields |= _number("base_offset", base_offset, 7) << 49
        fields |= _number("layout", layout, 7) << 61
        fields -= (fields >> 63) << 64
        if type(start_address) is int:
            return cls(fields | _number("start_address", start_address, most, 16) >> 4)
        if not isinstance(start_address, _compiler.Numeric):
            start_address = shared(start_address, "build", "start_address").toint()
        address = _compiler.Int64(start_address)
        return cls(((address >> 4) & 0x3FFF) | fields)

    def advance_start_address(self, offset: Int) -> Tcgen05SmemDesc:
        """Return the descriptor of memory that begins ``offset`` bytes later, a multiple of 16."""
        return type(self)(self + (_compiler.Int64(offset) >> 4))


class _InstrDesc(_compiler.Int32):
    """A product's shape, types and majors."""

    @classmethod
    def _build(
        cls,
        types: tuple[int, int],
        n_dim: int,
        majors: tuple[Any, Any],
        negations: tuple[Any, Any],
        fields: int,
    ) -> Self:
        fields |= types[0] << 7 | types[1] << 10
        fields |= (
            _number("a_negate", negations[0], 1) << 13 | _number("b_negate", negations[1], 1) << 14
        )
        fields |= _number("a_major", majors[0], 1) << 15 | _number("b_major", majors[1], 1) << 16
        fields |= _number("n_dim", n_dim, 256, 8) >> 3 << 17
        return cls(fields - ((fields >> 31) << 32))


class Tcgen05InstrDesc(_InstrDesc):
    """The instruction descriptor of products of the kinds f16, tf32, f8f6f4 and i8."""

    @classmethod
    def build(
        cls,
        c_dtype: DType | int = _compiler.Float32,
        a_dtype: DType | int = _compiler.Float16,
        b_dtype: DType | int = _compiler.Float16,
        n_dim: int = 0,
        m_dim: int = 0,
        a_major: object = 0,
        b_major: object = 0,
        a_negate: object = 0,
        b_negate: object = 0,
        saturate: object = 0,
        sparsity_selector: int = 0,
        sparsity: object = 0,
        k_dim: int = 0,
        max_shift: int = 0,
    ) -> Self:
        """Make a descriptor.

        Args:
            c_dtype, a_dtype, b_dtype: Numeric classes of the accumulator and operands, or their numbers.
            n_dim, m_dim: Columns and rows of the product.
            a_major, b_major: 0 if an operand's contiguous dimension is K, else 1.
            a_negate, b_negate: Whether an operand is negated.
            saturate: Whether integers saturate.
            sparsity_selector, sparsity: Which metadata to read, and whether A is sparse.
            k_dim: 0, the default extent of K.
            max_shift: Largest shift of rows: 0 to 3 for none, 8, 16, 32.

        Raises ValueError (ArgumentValue) for other numbers.
        """
        types = (
            _type_number("a_dtype", a_dtype, _OPERANDS),
            _type_number("b_dtype", b_dtype, _OPERANDS),
        )
        fields = _type_number("c_dtype", c_dtype, _RESULTS) << 4
        fields |= _number("sparsity_selector", sparsity_selector, 3)
        fields |= _number("sparsity", sparsity, 1) << 2 | _number("saturate", saturate, 1) << 3
        fields |= _number("m_dim", m_dim, 256, 16) >> 4 << 24 | _number("k_dim", k_dim, 0)
        fields |= _number("max_shift", max_shift, 3) << 30
        return cls._build(types, n_dim, (a_major, b_major), (a_negate, b_negate), fields)


class _ScaledInstrDesc(_InstrDesc):
    """The instruction descriptor of products with scale factors.

    Attributes:
        _others: its bits but for the numbers of scale factors, if only those are not known while tracing.
    """

    _others: int | None = None

    @classmethod
    def _build_scaled(
        cls,
        m_dim: int,
        scale_format: Any,
        sf_ids: tuple[Any, Any],
        sparsity: Any,
        fields: int,
        **others: Any,
    ) -> Self:
        fields |= _number("sparsity", sparsity, 1) << 2 | _number("b_sf_id", sf_ids[1], 3) << 4
        fields |= _number("scale_format", scale_format, 1) << 23
        fields |= (
            _number("m_dim", m_dim, 256, 128) >> 7 << 27 | _number("a_sf_id", sf_ids[0], 3) << 29
        )
        return cls._build(fields=fields, **others)

    def set_sf_ids(self, a_sf_id: Int, b_sf_id: Int) -> _ScaledInstrDesc:
        """Return the descriptor with other scale factors: the numbers of their bytes, 0 to 3."""
        a, b = _compiler.Int32(a_sf_id), _compiler.Int32(b_sf_id)
        changed = type(self)((self & ~_SF_IDS) | (a << 29) | (b << 4))
        changed._others = described_bits(self, _SF_IDS)
        return changed


class Tcgen05MxInstrDesc(_ScaledInstrDesc):
    """The instruction descriptor of products of the kind mxf8f6f4."""

    @classmethod
    def build(
        cls,
        a_dtype: DType | int = _compiler.Float8E4M3FN,
        b_dtype: DType | int = _compiler.Float8E4M3FN,
        n_dim: int = 0,
        m_dim: int = 0,
        a_major: object = 0,
        b_major: object = 0,
        a_negate: object = 0,
        b_negate: object = 0,
        scale_format: object = 1,
        a_sf_id: int = 0,
        b_sf_id: int = 0,
        sparsity: object = 0,
        k_dim: int = 0,
    ) -> Self:
        """Make a descriptor.

        Args:
            scale_format: 1 for scale factors of Float8E8M0FNU, 0 for Float8E4M3FN.
            a_sf_id, b_sf_id: The bytes of the scale factors, 0 to 3.
            others: As of Tcgen05InstrDesc.

        Raises ValueError (ArgumentValue) for other numbers.
        """
        types = _type_number("a_dtype", a_dtype, _NARROW), _type_number("b_dtype", b_dtype, _NARROW)
        return cls._build_scaled(
            m_dim,
            scale_format,
            (a_sf_id, b_sf_id),
            sparsity,
            _number("k_dim", k_dim, 0),
            types=types,
            n_dim=n_dim,
            majors=(a_major, b_major),
            negations=(a_negate, b_negate),
        )


class Tcgen05MxOmmaInstrDesc(_ScaledInstrDesc):
    """The instruction descriptor of products of the kinds mxf4 and mxf4nvf4."""

    @classmethod
    def build(
        cls,
        a_dtype: DType | int = _compiler.Float4E2M1FN,
        b_dtype: DType | int = _compiler.Float4E2M1FN,
        n_dim: int = 0,
        m_dim: int = 0,
        a_negate: object = 0,
        b_negate: object = 0,
        scale_format: object = 1,
        a_sf_id: int = 0,
        b_sf_id: int = 0,
        sparsity: object = 0,
        sparsity_version: int = 1,
        k_dim: int = 0,
    ) -> Self:
        """Make a descriptor.

        Args:
            scale_format: 1 for scale factors of Float8E8M0FNU, 0 for Float8E4M3FN.
            a_sf_id, b_sf_id: The first bytes of the scale factors, 0 or 2.
            k_dim: 0 for K of 64, 1 for K of 96.
            others: As of Tcgen05InstrDesc.

        Raises ValueError (ArgumentValue) for other numbers.
        """
        numbers = {"Float4E2M1FN": 1}
        types = _type_number("a_dtype", a_dtype, numbers), _type_number("b_dtype", b_dtype, numbers)
        fields = _number("sparsity_version", sparsity_version, 1) << 12
        return cls._build_scaled(
            m_dim,
            scale_format,
            (a_sf_id, b_sf_id),
            sparsity,
            fields | _number("k_dim", k_dim, 1) << 31,
            types=types,
            n_dim=n_dim,
            majors=(0, 0),
            negations=(a_negate, b_negate),
        )


class TmemAddr(_compiler.Int32):
    """An address of tensor memory: its row (lane) in the upper half, its column in the lower half."""

    def as_ptr(self, dtype: DType) -> Pointer:
        """Return the pointer to this address as elements of a numeric class."""
        return inttoptr(self, "tmem", dtype)

    @classmethod
    def from_row_col(cls, row: Int, column: Int) -> TmemAddr:
        """Make the address of a row and a column."""
        if type(row) is int and type(column) is int:
            return cls(row << 16 | column)
        return cls((_compiler.Int32(row) << 16) | _compiler.Int32(column))

    @property
    def row_id(self) -> _compiler.Int32:
        """The row, 0 to 127."""
        row: _compiler.Int32 = self >> 16
        return row

    @property
    def col_id(self) -> _compiler.Int32:
        """The column, 0 to 511."""
        column: _compiler.Int32 = self & 0xFFFF
        return column
