"""Bindings of Fairlead's C++ DSL and compiler."""

import enum
from collections.abc import Callable, Mapping, Sequence
from types import EllipsisType
from typing import Any, ClassVar, Literal, SupportsFloat, SupportsIndex, TypeAlias

from typing_extensions import TypeIs

_Number: TypeAlias = SupportsFloat | SupportsIndex
_Operand: TypeAlias = _Number | TensorExpr
_Shape: TypeAlias = SupportsIndex | Numeric | ScaledBasis | Sequence[Any]
_Coord: TypeAlias = SupportsIndex | Numeric | slice | EllipsisType | None | Sequence[Any]
_Tile: TypeAlias = SupportsIndex | Numeric | Layout | ComposedLayout | None | Sequence[Any]



def make_error(id: str, **params: object) -> Any:
    """
    Return the exception of the diagnostic `id`, its places filled from keyword arguments.
    """

def diagnostics() -> list[Any]:
    """Every diagnostic as (id, exception name, text)."""

def set_dialect(dialect: object) -> None:
    """
    Set the dialect of names of what this thread traces from now on, None for the native one. The caller keeps it alive.
    """

class Numeric:
    """
    Base of the numeric types. A class is an annotation, a dtype and a constructor; an instance is a number known when the compiled program runs.
    """

    width: ClassVar[int]
    is_integer: ClassVar[bool]
    is_float: ClassVar[bool]
    signed: ClassVar[bool]
    zero: ClassVar[Any]

    def __init__(self, number: _Number) -> None: ...

    @staticmethod
    def is_same_kind(other: object) -> bool: ...

    @staticmethod
    def from_mlir_type(mlir_type: object) -> Any:
        """The class of numbers of an IR type, which is the class itself."""

    def __add__(self, arg: _Number) -> Any: ...

    def __radd__(self, arg: _Number) -> Any: ...

    def __sub__(self, arg: _Number) -> Any: ...

    def __rsub__(self, arg: _Number) -> Any: ...

    def __mul__(self, arg: _Number) -> Any: ...

    def __rmul__(self, arg: _Number) -> Any: ...

    def __truediv__(self, arg: _Number) -> Any: ...

    def __rtruediv__(self, arg: _Number) -> Any: ...

    def __floordiv__(self, arg: _Number) -> Any: ...

    def __rfloordiv__(self, arg: _Number) -> Any: ...

    def __mod__(self, arg: _Number) -> Any: ...

    def __rmod__(self, arg: _Number) -> Any: ...

    def __and__(self, arg: _Number) -> Any: ...

    def __rand__(self, arg: _Number) -> Any: ...

    def __or__(self, arg: _Number) -> Any: ...

    def __ror__(self, arg: _Number) -> Any: ...

    def __xor__(self, arg: _Number) -> Any: ...

    def __rxor__(self, arg: _Number) -> Any: ...

    def __lshift__(self, arg: _Number) -> Any: ...

    def __rlshift__(self, arg: _Number) -> Any: ...

    def __rshift__(self, arg: _Number) -> Any: ...

    def __rrshift__(self, arg: _Number) -> Any: ...

    def __divmod__(self, arg: _Number) -> Any: ...

    def __rdivmod__(self, arg: _Number) -> Any: ...

    def __pow__(self, arg0: _Number, arg1: _Number | None = None) -> Any: ...

    def __rpow__(self, arg0: _Number, arg1: _Number | None = None) -> Any: ...

    def __eq__(self, arg: object) -> Any: ...

    def __ne__(self, arg: object) -> Any: ...

    def __lt__(self, arg: _Number) -> Any: ...

    def __le__(self, arg: _Number) -> Any: ...

    def __gt__(self, arg: _Number) -> Any: ...

    def __ge__(self, arg: _Number) -> Any: ...

    def __neg__(self) -> Any: ...

    def __pos__(self) -> Any: ...

    def __abs__(self) -> Any: ...

    def __invert__(self) -> Any: ...

    def __extract_mlir_values__(self) -> list[Any]: ...

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> Any: ...

    __fairlead_argument__: bool = True

    def __get_mlir_types__(self) -> list[Any]: ...

    def __c_pointers__(self) -> Any: ...

    def ir_value(self) -> Any:
        """The run-time value: itself."""

    def __bool__(self) -> bool: ...

    def __int__(self) -> Any: ...

    def __float__(self) -> float: ...

    def _own_text(self) -> str: ...

    def __hash__(self) -> int: ...

    def to(self, type: type[Numeric]) -> Any:
        """
        Conversion: floats to integers truncate, narrower integers wrap, narrower floats round to nearest even.
        """

    def bitcast(self, type: type[Numeric]) -> Any:
        """
        The same bits as a number of another type of as many bits; floats of 6 and 4 bits take 8.
        """

    @property
    def dtype(self) -> type[Numeric]:
        """The numeric class of the number."""

    @property
    def is_static(self) -> bool:
        """True where the number is known while tracing."""

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

class Integer(Numeric):
    """Base of the integer types."""

    def __index__(self) -> Any: ...

class Float(Numeric):
    """Base of the types of floating-point numbers."""

    zero: ClassVar[float]

class Boolean(Integer):
    """A number of the compiled program: a truth value."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Int8(Integer):
    """A number of the compiled program: a signed integer of 8 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    max: int = 127

    min: int = -128

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Int16(Integer):
    """A number of the compiled program: a signed integer of 16 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    max: int = 32767

    min: int = -32768

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Int32(Integer):
    """A number of the compiled program: a signed integer of 32 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    max: int = 2147483647

    min: int = -2147483648

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Int64(Integer):
    """A number of the compiled program: a signed integer of 64 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    max: int = 9223372036854775807

    min: int = -9223372036854775808

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Uint8(Integer):
    """A number of the compiled program: an unsigned integer of 8 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    max: int = 255

    min: int = 0

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Uint16(Integer):
    """A number of the compiled program: an unsigned integer of 16 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    max: int = 65535

    min: int = 0

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Uint32(Integer):
    """A number of the compiled program: an unsigned integer of 32 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    max: int = 4294967295

    min: int = 0

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Uint64(Integer):
    """A number of the compiled program: an unsigned integer of 64 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    max: int = 18446744073709551615

    min: int = 0

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Float16(Float):
    """A number of the compiled program: a float of 16 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class BFloat16(Float):
    """A number of the compiled program: a float of 16 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Float32(Float):
    """A number of the compiled program: a float of 32 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Float64(Float):
    """A number of the compiled program: a float of 64 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class TFloat32(Float):
    """A number of the compiled program: a float of 32 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Float8E5M2(Float):
    """A number of the compiled program: a float of 8 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Float8E4M3(Float):
    """A number of the compiled program: a float of 8 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Float8E4M3FN(Float):
    """A number of the compiled program: a float of 8 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Float8E4M3B11FNUZ(Float):
    """A number of the compiled program: a float of 8 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Float8E8M0FNU(Float):
    """A number of the compiled program: a float of 8 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Float6E3M2FN(Float):
    """A number of the compiled program: a float of 6 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Float6E2M3FN(Float):
    """A number of the compiled program: a float of 6 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Float4E2M1FN(Float):
    """A number of the compiled program: a float of 4 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    inf: ClassVar[float]

    neg_inf: ClassVar[float]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[float]

class Int4(Integer):
    """A number of the compiled program: a signed integer of 4 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    max: int = 7

    min: int = -8

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Int128(Integer):
    """A number of the compiled program: a signed integer of 128 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

class Uint128(Integer):
    """A number of the compiled program: an unsigned integer of 128 bits."""

    def __init__(self, number: _Number) -> None:
        """A number of this type; a traced value of another type is converted."""

    width: ClassVar[int]

    bytes: ClassVar[int]

    is_integer: ClassVar[bool]

    is_float: ClassVar[bool]

    signed: ClassVar[bool]

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Whether both are integers, floats, or Boolean."""

    zero: ClassVar[int]

def select(condition: _Number, a: _Operand, b: _Operand) -> Any:
    """condition ? a : b without a branch."""

def ceil_div(a: _Operand, b: _Operand) -> Any:
    """ceil(a / b) of integers, b positive."""

def is_dynamic(object: object) -> bool:
    """
    True for values whose number is known only when the compiled program runs.
    """

def is_dtype(object: object) -> TypeIs[type[Numeric]]: ...

def dtype_by_name(name: str) -> type[Numeric]:
    """The numeric class called "Float32" or "float32"."""

def dtype_name(type: type[Numeric]) -> str: ...

class AddressSpace(enum.IntEnum):
    """Where memory is: that of the device, of a block, or of a thread."""

    def __str__(self) -> Any: ...

    generic = 0

    gmem = 1

    smem = 3

    cmem = 4

    rmem = 5

    tmem = 6

    dsmem = 7

class TensorExpr:
    """
    A whole-tensor expression, evaluated element by element where it is assigned.
    """

    def __init__(self, value: TensorExpr | tuple[Any, ...], shape: _Shape, dtype: type[Numeric]) -> None:
        """
        The elements of a whole-tensor value in registers, or a sequence of numbers, mode 0 fastest, in the shape `shape`. They are of the class `dtype`, or integers of as many bits.
        """

    def __add__(self, arg: _Operand) -> Any: ...

    def __radd__(self, arg: _Operand) -> Any: ...

    def __sub__(self, arg: _Operand) -> Any: ...

    def __rsub__(self, arg: _Operand) -> Any: ...

    def __mul__(self, arg: _Operand) -> Any: ...

    def __rmul__(self, arg: _Operand) -> Any: ...

    def __truediv__(self, arg: _Operand) -> Any: ...

    def __rtruediv__(self, arg: _Operand) -> Any: ...

    def __floordiv__(self, arg: _Operand) -> Any: ...

    def __rfloordiv__(self, arg: _Operand) -> Any: ...

    def __mod__(self, arg: _Operand) -> Any: ...

    def __rmod__(self, arg: _Operand) -> Any: ...

    def __and__(self, arg: _Operand) -> Any: ...

    def __rand__(self, arg: _Operand) -> Any: ...

    def __or__(self, arg: _Operand) -> Any: ...

    def __ror__(self, arg: _Operand) -> Any: ...

    def __xor__(self, arg: _Operand) -> Any: ...

    def __rxor__(self, arg: _Operand) -> Any: ...

    def __lshift__(self, arg: _Operand) -> Any: ...

    def __rlshift__(self, arg: _Operand) -> Any: ...

    def __rshift__(self, arg: _Operand) -> Any: ...

    def __rrshift__(self, arg: _Operand) -> Any: ...

    def __divmod__(self, arg: _Operand) -> Any: ...

    def __rdivmod__(self, arg: _Operand) -> Any: ...

    def __pow__(self, arg0: _Operand, arg1: _Operand | None = None) -> Any: ...

    def __rpow__(self, arg0: _Operand, arg1: _Operand | None = None) -> Any: ...

    def __eq__(self, arg: object) -> Any: ...

    def __ne__(self, arg: object) -> Any: ...

    def __lt__(self, arg: _Operand) -> Any: ...

    def __le__(self, arg: _Operand) -> Any: ...

    def __gt__(self, arg: _Operand) -> Any: ...

    def __ge__(self, arg: _Operand) -> Any: ...

    def __neg__(self) -> Any: ...

    def __pos__(self) -> Any: ...

    def __abs__(self) -> Any: ...

    def __invert__(self) -> Any: ...

    def ir_value(self) -> Any:
        """The value itself, which functions of the IR take."""

    def to(self, type: type[Numeric]) -> TensorExpr:
        """Elements converted to a numeric class."""

    @property
    def shape(self) -> Any:
        """Extents, nested as those of the tensors that it is computed of."""

    @property
    def dtype(self) -> type[Numeric]:
        """The numeric class of its elements."""

    @property
    def element_type(self) -> type[Numeric]:
        """The numeric class of its elements."""

    def __getitem__(self, coordinate: _Coord) -> Any:
        """
        One element, by a coordinate known while tracing; with None in it, the elements along the modes that it leaves open.
        """

    def _own_text(self) -> str: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def _leaves(self) -> Any: ...

    def _with_leaves(self, arg: list[Any], /) -> TensorExpr: ...

    def reduce(self, op: ReductionOp, init_val: _Operand, reduction_profile: _Tile = 0) -> Any:
        """
        All elements, one after the other, by ADD, MUL, MAX or MIN; or those along the modes whose entry in a profile such as (None, 1) is not None, where the others are left.
        """

    def broadcast_to(self, shape: _Shape) -> TensorExpr:
        """Repeated along modes of extent 1 and modes in front, as NumPy does."""

    def reshape(self, shape: _Shape) -> TensorExpr:
        """
        The same elements in the same order, of another shape known while tracing.
        """

    def maybe_downcast(self) -> Any:
        """
        The value itself. Published programs ask it for the vector of its elements.
        """

    def bitcast(self, dtype: type[Numeric]) -> TensorExpr:
        """
        The bits of each element as a number of another type of the same width.
        """

    def __iter__(self) -> Any: ...

    def __bool__(self) -> bool: ...

class ReductionOp(enum.Enum):
    """How ``reduce`` combines elements."""

    def __str__(self) -> Any: ...

    ADD = 0

    MUL = 1

    MAX = 2

    MIN = 3

class Tensor:
    """
    A tensor of a traced program: a view of memory with an element type, a shape and strides (in elements).
    """

    def __extract_mlir_values__(self) -> list[Any]: ...

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> Any: ...

    def __getitem__(self, key: _Coord) -> Any:
        """
        t[i], t[i, j]: an element, of a tensor of coordinates the coordinate there; t[None, j]: a view without the indexed modes; t[:], t[...]: all elements.
        """

    def __setitem__(self, key: _Coord, value: _Operand | Tensor) -> None: ...

    def load(self) -> TensorExpr:
        """All elements as they are now, as a whole-tensor expression."""

    def store(self, value: _Operand | Tensor) -> None:
        """t[:] = value"""

    def fill(self, value: _Number) -> None:
        """Sets every element to a scalar."""

    @property
    def shape(self) -> Any:
        """
        Extents: Python ints where static, else Int32 or Int64 values; nested as the layout is.
        """

    @property
    def stride(self) -> Any:
        """In elements."""

    @property
    def layout(self) -> Any:
        """The layout; of a tensor whose elements are swizzled a ComposedLayout."""

    @property
    def iterator(self) -> Pointer:
        """The address of the first element."""

    @property
    def element_type(self) -> type[Numeric]:
        """The numeric class of its elements."""

    @property
    def dtype(self) -> type[Numeric]:
        """The numeric class of its elements."""

    @property
    def memspace(self) -> AddressSpace:
        """Where its elements are: an AddressSpace."""

    @property
    def type(self) -> Any:
        """Its type, as text."""

    @property
    def ndim(self) -> int:
        """The number of modes."""

    @property
    def leading_dim(self) -> Any:
        """The first mode whose stride is 1 for sure; None without one."""

    @property
    def size(self) -> Any:
        """Product of the extents."""

    @property
    def alignment(self) -> int:
        """Bytes by which the address is known to be divisible."""

    def __repr__(self) -> str: ...

    def _leaves(self) -> Any: ...

    def _with_leaves(self, arg: list[Any], /) -> Tensor: ...

    def _with_alignment(self, bytes: int) -> Tensor: ...

    def _weaken(self, bytes: int) -> None: ...

    def _structure(self) -> str: ...

    def __bool__(self) -> bool: ...

    def __iter__(self) -> Any: ...

    def __len__(self) -> int: ...

def exp(x: _Operand, fastmath: bool = False) -> Any: ...

def exp2(x: _Operand, fastmath: bool = False) -> Any: ...

def log(x: _Operand, fastmath: bool = False) -> Any: ...

def log2(x: _Operand, fastmath: bool = False) -> Any: ...

def log10(x: _Operand, fastmath: bool = False) -> Any: ...

def sin(x: _Operand, fastmath: bool = False) -> Any: ...

def cos(x: _Operand, fastmath: bool = False) -> Any: ...

def tan(x: _Operand, fastmath: bool = False) -> Any: ...

def tanh(x: _Operand, fastmath: bool = False) -> Any: ...

def sqrt(x: _Operand, fastmath: bool = False) -> Any: ...

def rsqrt(x: _Operand, fastmath: bool = False) -> Any: ...

def erf(x: _Operand, fastmath: bool = False) -> Any: ...

def floor(x: _Operand, fastmath: bool = False) -> Any: ...

def ceil(x: _Operand, fastmath: bool = False) -> Any: ...

def abs(x: _Operand, fastmath: bool = False) -> Any: ...

def not_(x: _Operand, fastmath: bool = False) -> Any: ...

def select_values(arg0: _Number, arg1: _Number, arg2: object, /) -> TensorExpr: ...

def make_rmem_tensor(layout: Layout, dtype: type[Numeric]) -> Tensor: ...

def settled(tensor: Tensor) -> Tensor:
    """
    A part of a swizzled tensor as a plain tensor from its first element on; itself where that is not possible.
    """

def min(a: _Operand, b: _Operand) -> Any: ...

def max(a: _Operand, b: _Operand) -> Any: ...

class OpenLoop:
    """A loop whose body is being traced."""

    @property
    def variable(self) -> Any:
        """The variable of a `for`."""

    @property
    def arguments(self) -> Any:
        """The carried values in an iteration."""

    def close(self, ends: list[Any]) -> Any:
        """
        Ends the body with these carried values; the result is the list of those after it.
        """

    def abandon(self) -> None:
        """Takes the loop out of the program."""

class OpenBranch:
    """
    A branch without `else` whose body is being traced. It carries no values; otherwise it is used as an OpenLoop is.
    """

    @property
    def arguments(self) -> list[Any]:
        """No values."""

    def close(self, ends: list[Any]) -> list[Any]:
        """Ends the body."""

    def abandon(self) -> None:
        """Takes the branch out of the program."""

def open_branch(condition: _Number) -> OpenBranch: ...

def open_for(start: _Number, stop: _Number, step: _Number, names: Sequence[str], values: list[Any]) -> OpenLoop: ...

def open_while(names: Sequence[str], values: list[Any], condition: Callable[..., Any]) -> OpenLoop:
    """`condition(carried)` returns a Boolean."""

def conditional(condition: _Number, then: Callable[..., Any], otherwise: Callable[..., Any]) -> Any:
    """
    The list of values that `then()` returns where the condition holds, else that of `otherwise()`; only one of them runs.
    """

def branch(condition: _Number, then: Callable[..., Any], otherwise: Callable[..., Any], ends: Callable[..., Any], may_compute: bool) -> Any:
    """
    `conditional` whose values are told once both sides are traced: `ends()` returns the list of each. `may_compute`: cheap sides are both computed, without a branch.
    """

def attempt(code: Callable[..., Any]) -> None:
    """
    Traces `code()`, and takes what it has added out of the program again if it returns False.
    """

def are_identical(owner: object, content: dict[str, Any]) -> bool:
    """
    True if a dict, or the attributes of a class, and another dict hold the same objects, keys and values, in the same order.
    """

def if_else(condition: _Number, names: Sequence[str], values: list[Any], then: Callable[..., Any], otherwise: Callable[..., Any]) -> Any:
    """
    Both regions take nothing and return the carried values at their end; the result is the list of those after the branch.
    """

def for_loop(start: _Number, stop: _Number, step: _Number, names: Sequence[str], values: list[Any], body: Callable[..., Any], unroll: int = 0, unroll_full: bool = False, vectorize: bool = False, prefetch_stages: int = 0) -> Any:
    """
    `body(variable, carried)` returns the carried values after one iteration.
    """

def while_loop(names: Sequence[str], values: list[Any], condition: Callable[..., Any], body: Callable[..., Any]) -> Any:
    """
    `condition(carried)` returns a Boolean, `body(carried)` the carried values after one iteration.
    """

class Signature:
    """The parameter list of a function with its constraints."""

    def __init__(self, name: str) -> None: ...

    @property
    def name(self) -> str: ...

    def add_symbol(self, width: int, divisibility: int, name: str = '') -> int:
        """The index of a new symbol, by default named n0, n1, ... in order."""

    def add_tensor(self, name: str, dtype: type[Numeric], shape: Sequence[tuple[int, Sequence[int]]], strides: Sequence[tuple[int, Sequence[int]]], alignment: int, space: AddressSpace, no_alias: bool = False) -> None:
        """
        Extents and strides (in elements) are pairs (coefficient, [symbol indices]); alignment in bytes.
        """

    def add_scalar(self, name: str, dtype: type[Numeric], symbol: int = -1) -> None:
        """symbol: index of the one whose value it is."""

    def add_pointer(self, name: str, dtype: type[Numeric], alignment: int, space: AddressSpace) -> None:
        """alignment in bytes."""

    def add_stream(self, name: str, environment: bool) -> None: ...

    @staticmethod
    def parse(text: str) -> Signature:
        """The signature that a text is (docs/kernels.md has the grammar)."""

    @property
    def text(self) -> str:
        """The whole signature, as parse reads it."""

    @property
    def parameters(self) -> list[Any]:
        """
        Of each parameter a tuple: ("tensor", name, dtypes, shape, strides, alignment, dtype variable), ("scalar", name, dtypes, symbol, dtype variable), ("stream", name, environment) or ("pointer", name). Extents are as add_tensor takes them; several dtypes: each call chooses; -1 is no symbol and no variable.
        """

    @property
    def symbols(self) -> list[Any]:
        """Of each symbol (name, width, divisibility)."""

    @property
    def num_arguments(self) -> int:
        """Number of arguments that a caller passes."""

    @property
    def written_arguments(self) -> list[int]:
        """
        The numbers of the arguments, counted as a caller passes them, that are tensors which the traced program writes, or may write.
        """

    @property
    def accesses(self) -> dict[str, str]:
        """
        By the name of each tensor and pointer, the access of the program to its memory: "in" (only read), "out" (only written), "inout", "none", or "unknown" if an address goes into inline assembly, into memory or into a call of other code. A signature that no program has says "none" for all.
        """

    def note_accesses(self, accesses: Mapping[str, str]) -> None:
        """
        Set the accesses of the named parameters, as `accesses` returns them. Other names and texts are left out: files may be of newer releases.
        """

    @property
    def short_text(self) -> str:
        """
        The arguments as messages of calls show them: without strides that a call may choose, alignment and constraints.
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Stream:
    """A stream argument of the host program."""

class Kernel:
    @property
    def symbol(self) -> str: ...

    @property
    def rest_offset(self) -> int: ...

class Program:
    """The IR under construction. Traced by one thread."""

    def __init__(self, signature: Signature, targets: Sequence[Target]) -> None: ...

    @property
    def targets(self) -> list[Target]:
        """What the program is compiled for."""

    @property
    def target(self) -> Target:
        """
        The first of them; from then on the program is for targets of its family alone.
        """

    def arguments(self) -> list[Any]:
        """
        The host function's parameters as traced values, environment streams included.
        """

    def enter(self) -> None:
        """Makes the program current on this thread."""

    def exit(self, finished: bool) -> None: ...

    def begin_kernel(self, name: str, actuals: list[Any]) -> list[Any]:
        """The same values as seen inside the kernel."""

    def end_kernel(self) -> Kernel: ...

    def abandon_kernel(self) -> None: ...

    def in_kernel(self) -> bool: ...

    @property
    def host_reads(self) -> bool:
        """
        Whether the host function reads tensors itself, as all of them lie in host memory.
        """

    @host_reads.setter
    def host_reads(self, arg: bool, /) -> None: ...

    def launch(self, kernel: Kernel, grid: _Shape, block: _Shape, stream: object, smem: _Number | None, cluster: _Shape | None = None, cooperative: bool = False, programmatic: bool = False, min_blocks: int = 0, max_threads: Sequence[int] = [0, 0, 0], preferred_cluster: _Shape | None = None, carveout: int = -1, completion_event: object = None, completion_flags: int = 0, programmatic_event: object = None, programmatic_flags: int = 0, trigger_at_start: bool = False) -> None: ...

    def record_locations(self, own_folder: str) -> None:
        """
        Notes the line of every operation from now on, outside of files below `own_folder`.
        """

    def record_accesses(self, own_folder: str) -> None:
        """
        Notes the line of every access of memory, outside of files below `own_folder`.
        """

    def record_reads(self, own_folder: str) -> None:
        """Notes the lines that read memory, for errors of a kernel as a whole."""

    @property
    def assertions(self) -> bool:
        """Whether assertions are to be checked."""

    @assertions.setter
    def assertions(self, arg: bool, /) -> None: ...

    def set_schedule(self, schedule: str) -> None:
        """The order of blocks and threads on the CPU: "backward"."""

    def set_checks(self, checks: str, warns_of_reads: bool = False) -> None:
        """What is checked while the program runs on the CPU: "bounds,race"."""

    def check_pipelines(self) -> tuple[Any, ...]:
        """
        Follows the pipelines of the program's kernels: (findings, reasons why some were not decided, launches).
        """

    def __str__(self) -> str: ...

def check_findings() -> str:
    """
    What the last checked call of this thread found, as fairlead/CheckCpu.h says.
    """

def cover_arcs() -> str:
    """
    The lines that threads executed one after the other, as fairlead/Coverage.h says.
    """

def cover_threads() -> str:
    """How many threads executed each line, as fairlead/Coverage.h says."""

def assert_that(condition: _Number, message: str) -> None:
    """Checks a Boolean when the program runs."""

def tracing() -> bool:
    """True while this thread traces a program."""

def thread_idx() -> tuple[Int32, Int32, Int32]: ...

def block_idx() -> tuple[Int32, Int32, Int32]: ...

def block_dim() -> tuple[Int32, Int32, Int32]: ...

def grid_dim() -> tuple[Int32, Int32, Int32]: ...

def cluster_idx() -> tuple[Int32, Int32, Int32]: ...

def cluster_dim() -> tuple[Int32, Int32, Int32]: ...

def block_in_cluster_idx() -> tuple[Int32, Int32, Int32]: ...

def block_in_cluster_dim() -> tuple[Int32, Int32, Int32]: ...

def block_rank_in_cluster() -> Any: ...

def cluster_size() -> Any: ...

def cluster_arrive(relaxed: bool) -> None: ...

def cluster_wait() -> None: ...

def map_to_block(pointer: Pointer, rank: _Number) -> Pointer: ...

def elect_one() -> Any: ...

def wait_for_previous() -> None: ...

def launch_dependents() -> None: ...

class Pointer:
    """
    The address of elements of one type in a memory space. ``p + i`` is that of the i-th element from there.
    """

    def __extract_mlir_values__(self) -> list[Any]: ...

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> Any: ...

    __iter__: None = None

    def __add__(self, arg: _Number) -> Any:
        """The address that many elements further."""

    def __radd__(self, arg: _Number) -> Any: ...

    def __sub__(self, arg: _Number) -> Any: ...

    def load(self) -> Any:
        """The element at the address."""

    def __getitem__(self, index: _Coord) -> Any:
        """The element `index` elements from the address."""

    def __setitem__(self, index: _Coord, value: _Number) -> None:
        """
        Stores a number `index` elements from the address, converted to the type of the elements.
        """

    def store(self, value: _Number) -> None:
        """Stores a number, converted to the type of the elements."""

    def align(self, min_align: int) -> Pointer:
        """
        The same address, which the caller knows to be divisible by `min_align` bytes.
        """

    def toint(self) -> Any:
        """
        The address as Int64. Published programs get an Int32 of tensor memory and, on GPUs, of shared memory and registers.
        """

    def _recast(self, arg: type[Numeric], /) -> Pointer: ...

    @property
    def _in_cluster(self) -> bool: ...

    @property
    def _swizzle(self) -> Swizzle: ...

    def _swizzled(self, swizzle: Swizzle) -> Pointer: ...

    @property
    def dtype(self) -> type[Numeric]:
        """The numeric class of its elements."""

    @property
    def value_type(self) -> type[Numeric]:
        """The numeric class of its elements."""

    @property
    def llvm_ptr(self) -> Pointer:
        """The pointer itself."""

    @property
    def ptr(self) -> Pointer:
        """The pointer itself."""

    @property
    def alignment(self) -> int:
        """Bytes by which the address is known to be divisible."""

    @property
    def max_alignment(self) -> int:
        """The same as alignment."""

    @property
    def memspace(self) -> AddressSpace:
        """Where it points: an AddressSpace."""

    def __repr__(self) -> str: ...

    def __bool__(self) -> bool: ...

def pointer_from_int(dtype: type[Numeric], address: _Number, space: AddressSpace, alignment: int) -> Pointer: ...

def pointer_of(tensor: Tensor, coordinate: list[Any]) -> Pointer:
    """The address of an element."""

def allocate_shared(dtype: type[Numeric], bytes: int, alignment: int) -> Pointer: ...

def shared_bytes() -> int: ...

def merge_shared_of_branches() -> None: ...

def dynamic_shared_bytes() -> Any: ...

def sync_threads() -> None: ...

def barrier(id: _Number, threads: _Number | None = None) -> None: ...

def sync_warp(mask: _Number | None) -> None: ...

def lane_idx() -> Any: ...

def warp_idx() -> Any: ...

class Shuffle(enum.Enum):
    Index = 0

    Up = 1

    Down = 2

    Butterfly = 3

def shuffle(kind: Shuffle, value: _Number, offset: _Number, mask: _Number | None, clamp: _Number) -> Any: ...

class Vote(enum.Enum):
    Any = 0

    All = 1

    Uniform = 2

    Ballot = 3

def vote(kind: Vote, predicate: _Number, mask: _Number | None) -> Any: ...

def operation(name: str, operands: list[Any], attributes: dict[str, Any] = {}, results: list[Any] = []) -> list[Any]:
    """
    Emits an operation of the dialect, and returns its results. Operands are numbers and pointers; attributes True, an int, a list of ints or an enumerator's name; results the numeric classes of results that are not inferred. See fairlead/dsl/Operation.h.
    """

class AtomicOp(enum.Enum):
    Add = 0

    And = 1

    Or = 2

    Xor = 3

    Min = 4

    Max = 5

    Exchange = 6

class AtomicOrder(enum.Enum):
    Relaxed = 0

    Acquire = 1

    Release = 2

    AcquireRelease = 3

class AtomicScope(enum.Enum):
    Block = 0

    Device = 1

    System = 2

def atomic(op: AtomicOp, pointer: Pointer, value: _Number, order: AtomicOrder, scope: AtomicScope) -> Any: ...

def atomic_cas(pointer: Pointer, expected: _Number, value: _Number, order: AtomicOrder, scope: AtomicScope) -> Any: ...

def atomic_count(pointer: Pointer, last: _Number, up: bool, order: AtomicOrder, scope: AtomicScope) -> Any:
    """See fairlead/dsl/Instructions.h."""

def fence(scope: AtomicScope) -> None: ...

def directed(operation: str, rounding: str, operands: list[Any]) -> Any:
    """
    The Float32 result of an operation, rounded toward zero (rz), down (rm) or up (rp). See fairlead/dsl/Instructions.h.
    """

def multiply_add(a: _Operand, b: _Operand, c: _Operand) -> Any:
    """See fairlead/dsl/Instructions.h."""

def inline_assembly(results: list[Any], operands: list[Any], assembly: str, constraints: str, effects: bool) -> list[Any]: ...

def print_formatted(format: str, values: list[Any]) -> None:
    """C's format and the numbers that it takes."""

def cover(event: int, file: str, frame: int, line: int) -> None:
    """
    Reports a step of a thread to the coverage of the program, as fairlead/Coverage.h says.
    """

def record_event(kind: int, name: str, payload: list[Any]) -> None:
    """
    Records an event of a warp for a timeline, as fairlead/Timeline.h says.
    """

def stop(format: str, values: list[Any]) -> None:
    """
    A breakpoint of a checked kernel, which hands this text to "fairlead.checks.stop".
    """

def print_values(texts: list[Any], values: list[Any]) -> None:
    """Texts with the values between them."""

def print_tensor(tensor: object, verbose: bool = False) -> None: ...

class Layout:
    """
    A function from coordinates to indices: a shape and strides, nested alike. Coordinates count with mode 0 fastest.
    """

    @property
    def shape(self) -> Any:
        """Extents: Python ints where static, else Int32 or Int64 values; nested."""

    @property
    def stride(self) -> Any:
        """Strides, nested as the shape is."""

    @property
    def size(self) -> Any:
        """Product of the extents."""

    @property
    def max_alignment(self) -> int:
        """
        Elements of which pieces of the mode of stride 1 begin at multiples: a common factor of its extent and of the other strides, as far as it is known.
        """

    def __call__(self, coordinate: _Coord) -> Any:
        """The index of a coordinate: linear, flat or nested."""

    def get_hier_coord(self, arg0: _Number) -> Any:
        """The coordinate of an index of the layout, nested as its shape."""

    def get_flat_coord(self, arg0: _Number) -> Any:
        """The coordinate of an index of the layout, one number for each mode."""

    def __eq__(self, arg: object) -> bool: ...

    def __getitem__(self, arg: int, /) -> Layout: ...

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

def make_layout(shape: _Shape, stride: _Shape | None) -> Layout: ...

def make_ordered_layout(shape: _Shape, order: _Shape) -> Layout: ...

def group_layouts(arg: list[Any], /) -> Layout: ...

def cosize(arg: Layout, /) -> Any: ...

def depth(arg: _Number, /) -> int: ...

def idx2crd(index: _Coord, shape: _Shape) -> Any: ...

class ScaledBasis:
    """A stride of so many steps along one mode of a coordinate."""

    def __init__(self, value: _Number, mode: _Coord) -> None: ...

    @property
    def value(self) -> Any:
        """The factor of the basis vector."""

    @property
    def mode(self) -> list[int]:
        """The mode, from the outermost tuple on."""

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object) -> bool: ...

    def __mul__(self, arg: _Number, /) -> ScaledBasis: ...

    def __rmul__(self, arg: _Number, /) -> ScaledBasis: ...

    def __hash__(self) -> int: ...

class CoordTensor(Tensor):
    """A tensor of coordinates: nothing is stored; elements are tuples."""

    @property
    def iterator(self) -> Any:
        """The coordinate of its first element."""

def make_identity_tensor(shape: _Shape) -> CoordTensor:
    """The tensor whose element at every coordinate is that coordinate."""

def make_identity_layout(shape: _Shape) -> Layout:
    """The layout whose value at every coordinate is that coordinate."""

def make_coord_tensor(origin: _Coord, layout: Layout) -> Tensor: ...

def assume(x: _Operand, divby: int) -> Any:
    """The value, taken to be a multiple of divby."""

def elem_less(a: _Shape, b: _Shape) -> Any:
    """True when every integer of a is less than b's."""

class Swizzle:
    """
    The ``bits`` bits from bit ``base`` on are xored with those ``shift`` further up (down, for a negative shift). The lowest ``base`` bits stay: so many neighbouring elements stay neighbours.
    """

    def __init__(self, bits: _Number, base: _Number, shift: _Number) -> None: ...

    @property
    def num_bits(self) -> int:
        """How many bits are changed."""

    @property
    def num_base(self) -> int:
        """The lowest bit that is changed."""

    @property
    def num_shift(self) -> int:
        """How many positions higher the bits are that they are xored with."""

    @property
    def _period(self) -> int:
        """Numbers after which its pattern repeats."""

    def __call__(self, index: _Coord) -> Any: ...

    def __eq__(self, arg: object) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class ComposedLayout:
    """
    The function ``c -> inner(offset + outer(c))``. The functions on layouts (``zipped_divide``, ``select``, ``size``, ...) work on ``outer``, and keep the rest.
    """

    def __init__(self, inner: object, offset: _Number, outer: _Tile) -> None: ...

    def __str__(self) -> str: ...

    @property
    def inner(self) -> Any:
        """A swizzle, a layout, or a function of what ``outer`` yields."""

    @property
    def offset(self) -> Any:
        """A number, or a coordinate where ``outer`` yields coordinates."""

    @property
    def outer(self) -> Layout:
        """The layout that maps coordinates to what `inner` takes."""

    @property
    def shape(self) -> Any:
        """Extents of `outer`."""

    @property
    def size(self) -> Any:
        """Product of the extents of `outer`."""

    @property
    def is_normal(self) -> bool:
        """True where the offset is 0."""

    @property
    def max_alignment(self) -> int:
        """
        Elements that stay neighbours wherever they are: a power of two; 1 for functions of Python.
        """

    @property
    def _span(self) -> Any:
        """Elements of memory that it may lie in."""

    def __call__(self, coordinate: _Coord) -> Any: ...

    def __getitem__(self, arg: int, /) -> ComposedLayout: ...

    def __len__(self) -> int: ...

    def __eq__(self, arg: object) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

def composition(x: object, other: object) -> Any: ...

def logical_divide(x: object, other: object) -> Any: ...

def zipped_divide(x: object, other: object) -> Any: ...

def tiled_divide(x: object, other: object) -> Any: ...

def flat_divide(x: object, other: object) -> Any: ...

def logical_product(x: object, other: object) -> Any: ...

def zipped_product(x: object, other: object) -> Any: ...

def tiled_product(x: object, other: object) -> Any: ...

def flat_product(x: object, other: object) -> Any: ...

def blocked_product(x: object, other: object) -> Any: ...

def raked_product(x: object, other: object) -> Any: ...

def coalesce(x: object, other: object) -> Any: ...

def complement(x: object, other: object) -> Any: ...

def select_modes(x: object, other: object) -> Any: ...

def get_mode(x: object, other: object) -> Any: ...

def group_modes(x: object, other: object) -> Any: ...

def flatten_layout(x: object, other: object) -> Any: ...

def filter_zeros(x: object, other: object) -> Any: ...

def filter_layout(x: object, other: object) -> Any: ...

def append_mode(x: object, other: object) -> Any: ...

def prepend_mode(x: object, other: object) -> Any: ...

def dice_modes(x: object, other: object) -> Any: ...

def recast_layout(new_bits: int, old_bits: int, layout: _Tile) -> Any: ...

def make_layout_image_mask(layout: Layout, coordinate: _Coord, mode: int) -> Any: ...

def tile_to_shape(atom: object, shape: _Shape, order: _Shape) -> Any: ...

def make_layout_tv(threads: Layout, values: Layout) -> tuple[Any, ...]: ...

def layout_like(layout: Layout) -> Layout: ...

def fragment_layout(layout: Layout) -> Layout: ...

def max_common_layout(a: Layout, b: Layout) -> Any: ...

def right_inverse(arg: Layout, /) -> Any: ...

def left_inverse(arg: Layout, /) -> Any: ...

def slice_layout(layout: _Tile, coordinate: _Coord) -> Any: ...

def local_tile(tensor: Tensor, tiler: _Tile, coordinate: _Coord) -> Tensor: ...

def local_partition(tensor: Tensor, threads: Layout, index: _Coord) -> Tensor: ...

def domain_offset(coordinate: _Coord, tensor: Tensor) -> Tensor: ...

def make_tensor(pointer: Pointer, layout: _Tile) -> Tensor: ...

def extend_allocation(tensor: Tensor) -> int | None: ...

class MemoryOrder(enum.Enum):
    """
    How the loads or stores of a copy are ordered with accesses of other threads.
    """

    WEAK = 0

    RELAXED = 1

    ACQUIRE = 2

    RELEASE = 3

    ACQ_REL = 4

    SC = 5

    MMIO = 6

    VOLATILE = 7

class MemoryScope(enum.Enum):
    """The threads that see a MemoryOrder."""

    CTA = 0

    CLUSTER = 1

    GPU = 2

    SYS = 3

class CopyOp:
    def __init__(self, kind: str, cache: int = 0, transposed: bool = False, matrices: int = 1, reduction: int = 0, prefetched: int = 0) -> None: ...

    @staticmethod
    def _of_bytes(transposed: bool, matrices: int, bits: int) -> CopyOp: ...

    @staticmethod
    def _of_tensor_memory(kind: str, repetition: int, lanes: int, bits: int, halves: bool) -> CopyOp: ...

    def _of_pair(self) -> CopyOp: ...

    def _ordered(self, order: MemoryOrder, scope: MemoryScope) -> CopyOp: ...

class CopyAtom:
    """
    An instruction that copies: of one thread, or of the threads of a warp.
    """

    def __init__(self, op: object, kind: CopyOp, dtype: type[Numeric], bits: int) -> None: ...

    def __str__(self) -> str: ...

    @property
    def op(self) -> Any:
        """The operation that the atom was made of."""

    @property
    def value_type(self) -> type[Numeric]:
        """The numeric class of the elements that it copies."""

    @property
    def _type_name(self) -> str: ...

    @property
    def num_elements(self) -> int:
        """Elements of one thread in one instruction."""

    @property
    def thr_id(self) -> Layout:
        """The layout of the threads that execute one instruction."""

    @property
    def layout_src_tv(self) -> Layout:
        """
        (thread, value) to the place of an element of the source of one instruction.
        """

    @property
    def layout_dst_tv(self) -> Layout:
        """
        (thread, value) to the place of an element of the destination of one instruction.
        """

    def _same(self) -> str: ...

    def _parts(self) -> list[Any]: ...

    def _with_parts(self, arg: list[Any], /) -> CopyAtom: ...

    def __repr__(self) -> str: ...

class TiledCopy(CopyAtom):
    """A copy atom, and which elements of a tile each thread works on."""

    @property
    def layout_tv_tiled(self) -> Layout:
        """(thread, value) to the index of an element in the tile, column-major."""

    @property
    def tiler_mn(self) -> Any:
        """The tile, a layout for each of its modes."""

    @property
    def layout_src_tv_tiled(self) -> Layout:
        """As layout_tv_tiled, of the source."""

    @property
    def layout_dst_tv_tiled(self) -> Layout:
        """As layout_tv_tiled, of the destination."""

    @property
    def size(self) -> Any:
        """The number of threads."""

    def get_slice(self, thr_idx: _Number) -> ThrCopy:
        """The part of one thread."""

    def retile(self, src: Tensor) -> Tensor:
        """A fragment of another partition, nested as those of this copy."""

    def _parts(self) -> list[Any]: ...

    def _with_parts(self, arg: list[Any], /) -> TiledCopy: ...

    def __repr__(self) -> str: ...

class ThrCopy(TiledCopy):
    """One thread's part of a tiled copy."""

    @property
    def thr_idx(self) -> Any:
        """The thread that the slice is of."""

    def partition_S(self, src: Tensor) -> Tensor:
        """
        The thread's elements of a source: ((values of the atom, atoms), tiles of mode 0, ...).
        """

    def partition_D(self, dst: Tensor) -> Tensor:
        """The thread's elements of a destination; see partition_S."""

    def _parts(self) -> list[Any]: ...

    def _with_parts(self, arg: list[Any], /) -> ThrCopy: ...

    def __repr__(self) -> str: ...

def make_tiled_copy(atom: CopyAtom, layout_tv: Layout, tiler_mn: _Tile) -> TiledCopy: ...

def make_tiled_copy_tv(atom: CopyAtom, thr_layout: Layout, val_layout: Layout) -> TiledCopy: ...

def make_tiled_copy_A(atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy: ...

def make_tiled_copy_B(atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy: ...

def make_tiled_copy_C(atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy: ...

def make_tiled_copy_C_atom(atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy: ...

def make_tiled_copy_S(atom: CopyAtom, tiled_copy: TiledCopy) -> TiledCopy: ...

def make_tiled_copy_D(atom: CopyAtom, tiled_copy: TiledCopy) -> TiledCopy: ...

def make_cotiled_copy(atom: CopyAtom, atom_layout_tv: Layout, data_layout: Layout) -> TiledCopy: ...

def copy(atom: CopyAtom, src: Tensor, dst: Tensor, pred: Tensor | None) -> None: ...

def copy_atom_call(atom: CopyAtom, src: Tensor, dst: Tensor) -> None: ...

def copy_vectors(src: Tensor, dst: Tensor) -> None: ...

def commit_copies() -> None: ...

def wait_copies(groups: int) -> None: ...

class MmaAtom:
    """An instruction that adds the product of two small tiles to a third."""

    def __str__(self) -> str: ...

    @property
    def op(self) -> Any:
        """The operation that the atom was made of."""

    @property
    def shape_mnk(self) -> tuple[Any, ...]:
        """Extents (M, N, K) of one instruction."""

    @property
    def thr_id(self) -> Layout:
        """The layout of the threads that execute one instruction."""

    @property
    def tv_layout_A(self) -> Layout:
        """
        (thread, value) to the index of an element of A (M, K) in one instruction, column-major.
        """

    @property
    def tv_layout_B(self) -> Layout:
        """
        (thread, value) to the index of an element of B (N, K) in one instruction, column-major.
        """

    @property
    def tv_layout_C(self) -> Layout:
        """
        (thread, value) to the index of an element of C (M, N) in one instruction, column-major.
        """

    @property
    def _name(self) -> str: ...

    def make_fragment_A(self, input: object) -> Tensor:
        """
        Registers for a thread's part of A, in the layout that `gemm` takes.

        `input` is what `partition_A` returned, a tensor, or its shape. For MMAs that read A from shared memory the result is a tensor of descriptors of `input`, and for those that read it from tensor memory one without memory in the layout that A has there; no registers are used.
        """

    def make_fragment_B(self, input: object) -> Tensor:
        """
        Registers for a thread's part of B; see make_fragment_A. `input` is what `partition_B` returned, or its shape.
        """

    def make_fragment_C(self, input: object) -> Tensor:
        """
        Registers for a thread's accumulators, with the accumulator's element type. `input` is what `partition_C` or `partition_shape_C` returned. They are uninitialised: `fill(0.0)` them.
        """

    def set(self, field: object, value: _Number) -> None:
        """
        Sets a field of the MMAs that follow. Field.ACCUMULATE: whether products are added to the accumulators (True) or overwrite them. The default is True for warpgroup, and False for tcgen05. Field.SFA and Field.SFB, of MMAs with block scaling: pointers to the scale factors of A and B in tensor memory.
        """

    def get(self, field: object) -> Any:
        """
        The value of Field.ACCUMULATE, a Boolean; see set. Of other fields the address.
        """

    @property
    def _accumulate(self) -> Any: ...

    @_accumulate.setter
    def _accumulate(self, arg: _Number, /) -> None: ...

    @property
    def _scales_a(self) -> Any: ...

    @_scales_a.setter
    def _scales_a(self, arg: _Number, /) -> None: ...

    @property
    def _scales_b(self) -> Any: ...

    @_scales_b.setter
    def _scales_b(self, arg: _Number, /) -> None: ...

    def _set_scales(self, arg0: _Number, arg1: _Number, /) -> None: ...

    @staticmethod
    def _is_one_value(arg0: _Number, arg1: _Number, /) -> bool: ...

    @property
    def _has_scales(self) -> bool: ...

    @property
    def _has_scale_fragments(self) -> bool: ...

    @property
    def _carries(self) -> bool: ...

    def _same(self) -> str: ...

    def _parts(self) -> list[Any]: ...

    def _with_parts(self, arg: list[Any], /) -> MmaAtom: ...

    def __repr__(self) -> str: ...

class TiledMma(MmaAtom):
    """An MMA atom, repeated over threads and values."""

    @property
    def _own_permutation(self) -> Any: ...

    @property
    def permutation_mnk(self) -> Any:
        """The permutation of M, N and K that it was made with."""

    @property
    def thr_layout_vmnk(self) -> Layout:
        """
        The layout of the threads: those of an atom, and the atoms along M, N and K.
        """

    @property
    def size(self) -> Any:
        """The number of threads."""

    def get_tile_size(self, mode_idx: int) -> Any:
        """
        The extent of the tile along M, N or K, for `mode_idx` 0, 1 or 2. IndexError for others.
        """

    def get_slice(self, thr_idx: _Number) -> ThrMma:
        """The part of one thread."""

    def _parts(self) -> list[Any]: ...

    def _with_parts(self, arg: list[Any], /) -> TiledMma: ...

    def __repr__(self) -> str: ...

    @property
    def tv_layout_A_tiled(self) -> Layout:
        """
        (thread, value) to the index of an element of the operand's tile, column-major.
        """

    def partition_shape_A(self, shape: _Shape) -> Any:
        """
        The shape of a thread's part of a tile of the extents `shape`: ((values of the atom), atoms along mode 0, atoms along mode 1).
        """

    def _thrfrg_A(self, layout: Layout) -> Layout: ...

    @property
    def tv_layout_B_tiled(self) -> Layout:
        """
        (thread, value) to the index of an element of the operand's tile, column-major.
        """

    def partition_shape_B(self, shape: _Shape) -> Any:
        """
        The shape of a thread's part of a tile of the extents `shape`: ((values of the atom), atoms along mode 0, atoms along mode 1).
        """

    def _thrfrg_B(self, layout: Layout) -> Layout: ...

    @property
    def tv_layout_C_tiled(self) -> Layout:
        """
        (thread, value) to the index of an element of the operand's tile, column-major.
        """

    def partition_shape_C(self, shape: _Shape) -> Any:
        """
        The shape of a thread's part of a tile of the extents `shape`: ((values of the atom), atoms along mode 0, atoms along mode 1).
        """

    def _thrfrg_C(self, layout: Layout) -> Layout: ...

class ThrMma(TiledMma):
    """One thread's part of a tiled MMA."""

    def partition_A(self, input: Tensor) -> Tensor:
        """
        The elements of a tensor that this thread holds as this operand, without a copy: ((values of the atom), tiles of mode 0, tiles of mode 1, ...). A is (M, K), B (N, K), C (M, N). Raises ValueError (TiledFormCover) for a tensor that the tile does not divide.
        """

    def partition_B(self, input: Tensor) -> Tensor:
        """
        The elements of a tensor that this thread holds as this operand, without a copy: ((values of the atom), tiles of mode 0, tiles of mode 1, ...). A is (M, K), B (N, K), C (M, N). Raises ValueError (TiledFormCover) for a tensor that the tile does not divide.
        """

    def partition_C(self, input: Tensor) -> Tensor:
        """
        The elements of a tensor that this thread holds as this operand, without a copy: ((values of the atom), tiles of mode 0, tiles of mode 1, ...). A is (M, K), B (N, K), C (M, N). Raises ValueError (TiledFormCover) for a tensor that the tile does not divide.
        """

    @property
    def thr_idx(self) -> Any:
        """The thread that the slice is of."""

    def _parts(self) -> list[Any]: ...

    def _with_parts(self, arg: list[Any], /) -> ThrMma: ...

    def __repr__(self) -> str: ...

def make_universal_mma_atom(op: object, dtype: type[Numeric], compute_dtype: type[Numeric]) -> MmaAtom: ...

def make_warp_mma_atom(op: object, a: type[Numeric], b: type[Numeric], accumulator: type[Numeric], shape: Sequence[int]) -> MmaAtom: ...

def make_warpgroup_mma_atom(op: object, a: type[Numeric], b: type[Numeric], accumulator: type[Numeric], shape: Sequence[int], a_in_registers: bool, a_transposed: bool, b_transposed: bool) -> MmaAtom: ...

def make_tensor_memory_mma_atom(op: object, a: type[Numeric], b: type[Numeric], accumulator: type[Numeric], shape: Sequence[int], a_transposed: bool, b_transposed: bool, of_pair: bool, a_in_tensor_memory: bool) -> MmaAtom: ...

def make_scaled_mma_atom(op: object, kind: str, a: type[Numeric], b: type[Numeric], scale_type: type[Numeric], vector: int, shape: Sequence[int], a_transposed: bool, b_transposed: bool, of_pair: bool) -> MmaAtom: ...

def make_scaled_warp_mma_atom(op: object, kind: str, a: type[Numeric], b: type[Numeric], scale_type: type[Numeric], vector: int) -> MmaAtom: ...

def warpgroup_fence() -> None: ...

def warpgroup_commit() -> None: ...

def warpgroup_wait(groups: int) -> None: ...

def make_tiled_mma(atom: MmaAtom, atom_layout_mnk: _Tile, permutation_mnk: _Tile) -> TiledMma: ...

def gemm(atom: MmaAtom, d: Tensor, a: Tensor, b: Tensor, c: Tensor) -> None: ...

def scaled_gemm(atom: MmaAtom, d: Tensor, a: Tensor, b: Tensor, c: Tensor, scales_a: Tensor, scales_b: Tensor) -> None: ...

def mma_atom_call(atom: MmaAtom, d: Tensor, a: Tensor, b: Tensor, c: Tensor) -> None: ...

class TensorCopyAtom(CopyAtom):
    """A copy atom of boxes of one tensor, whose tensor map it has."""

    @property
    def _has_map(self) -> bool: ...

    def _parts(self) -> list[Any]: ...

    def _with_parts(self, arg: list[Any], /) -> TensorCopyAtom: ...

    def _share_tile(self, op: object, kind: CopyOp, blocks: int) -> TensorCopyAtom | None: ...

    def with_(self) -> TensorCopyAtom:
        """
        The atom with what copies by it take besides source and destination: tma_bar_ptr and the like.
        """

    @property
    def _given(self) -> dict[str, Any]: ...

def make_tensor_atom(op: object, kind: CopyOp, tensor: Tensor, shared: Layout, swizzle: Swizzle, tiler: _Tile, multicast: int, internal: object) -> tuple[Any, ...]: ...

def make_tensor_map(address: Pointer, extents: list[Any], strides: list[Any], box: Sequence[int], type: int, element_bytes: int, swizzle: int) -> Pointer:
    """
    The 128 bytes of a tensor map, for kernels. Strides are in bytes, of all dimensions but the first.
    """

def partition_boxes(atom: TensorCopyAtom, block: _Number | None, blocks: Layout, shared: Tensor, coordinates: Tensor) -> tuple[Tensor, Tensor]: ...

def copy_boxes(atom: TensorCopyAtom, src: Tensor, dst: Tensor, barrier: Pointer | None, mask: _Number | None, map: Pointer | None, policy: _Number | None) -> None: ...

def prefetch_boxes(atom: TensorCopyAtom, src: Tensor, map: Pointer | None, policy: _Number | None) -> None: ...

def copy_bulk(atom: CopyAtom, src: Tensor, dst: Tensor, barrier: Pointer | None, mask: _Number | None, policy: _Number | None, block: _Number | None) -> None: ...

def prefetch_map(atom: TensorCopyAtom) -> None: ...

def copy_map(atom: TensorCopyAtom, map: Pointer) -> None: ...

def copy_map_word(atom: TensorCopyAtom, map: Pointer, word: _Number) -> None: ...

def update_map(atom: TensorCopyAtom, tensor: Tensor, map: Pointer) -> None: ...

def release_map() -> None: ...

def publish_map(global_map: Pointer, shared_map: Pointer) -> None: ...

def acquire_map(map: Pointer) -> None: ...

def commit_bulk() -> None: ...

def wait_bulk(groups: int, read: bool) -> None: ...

def allocate_tensor_memory(place: object, columns: _Number, of_pair: bool) -> None: ...

def free_tensor_memory(memory: object, columns: _Number, of_pair: bool) -> None: ...

def relinquish_tensor_memory(of_pair: bool) -> None: ...

def commit_tensor_products(barrier: Pointer | None, mask: _Number | None, by_one: bool, of_pair: bool) -> None: ...

def row_descriptors(atom: CopyAtom, part: Tensor) -> Tensor: ...

def copy_rows_to_tensor_memory(atom: CopyAtom, src: Tensor, dst: Tensor) -> None: ...

def copy_extremes(atom: CopyAtom, src: Tensor, dst: Tensor, found: Tensor) -> None: ...

def operand_descriptor(part: Tensor, transposed: bool, next: object) -> Tensor: ...

def wait_tensor_loads() -> None: ...

def wait_tensor_stores() -> None: ...

def fence_tensor_before() -> None: ...

def fence_tensor_after() -> None: ...

def mbarrier_arrive(barrier: Pointer | None, number: _Number, block: _Number | None) -> None: ...

def mbarrier_arrive_expecting(barrier: Pointer | None, number: _Number, block: _Number | None) -> None: ...

def mbarrier_expect(barrier: Pointer | None, number: _Number, block: _Number | None) -> None: ...

def mbarrier_init(barrier: Pointer | None, arrivals: _Number) -> None: ...

def mbarrier_arrive_after_reading(barrier: Pointer | None, block: _Number | None) -> None: ...

def store_async(target: object, value: _Number, barrier: Pointer | None, block: _Number | None) -> None: ...

def fence_mbarriers() -> None: ...

def mbarrier_arrive_after_copies(barrier: Pointer | None) -> None: ...

def mbarrier_wait(barrier: Pointer | None, parity: _Number) -> None: ...

def mbarrier_try_wait(barrier: Pointer | None, parity: _Number) -> Any: ...

def mbarrier_test_wait(barrier: Pointer | None, parity: _Number) -> Any: ...

def fence_proxy(kind: str, space: str) -> None: ...

def fence_cluster() -> None: ...

def try_cancel_cluster(response: Pointer | None, barrier: Pointer | None, multicast: bool) -> None: ...

def query_cancelled_cluster(response: Pointer | None) -> tuple[Any, ...]: ...

def barrier_arrive(id: _Number, threads: _Number) -> None: ...

def set_registers(count: int, more: bool) -> None: ...

class Target:
    """
    Where device code runs: "cpu", "cpu:x86-64-v3", "cuda:sm_90a" or "ptx:compute_90".
    """

    @staticmethod
    def parse(text: str, origin: str) -> Target: ...

    @staticmethod
    def parse_list(text: str, origin: str) -> list[Target]:
        """Several, joined by commas."""

    @staticmethod
    def detect() -> Target:
        """
        FAIRLEAD_TARGET, else CUTE_DSL_ARCH, else this machine's GPU, else the CPU.
        """

    @property
    def is_cpu(self) -> bool: ...

    @property
    def arch(self) -> str: ...

    @property
    def capability(self) -> int:
        """
        Of CUDA: the compute capability, 10 * major + minor: 90 for "sm_90a"; else 0.
        """

    def has(self, feature: str) -> bool:
        """
        Return whether it is a GPU with a feature of `gpu_architecture`, such as "tma". Raises ValueError for the name of none.
        """

    @property
    def family(self) -> str:
        """What a program is traced alike for: "90a" of CUDA, else "cpu"."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def gpu_architecture(name: str) -> Any:
    """
    Return what is known of a GPU architecture such as "sm_90a", or None: its `name`, whether this compiler `compiles` for it, its `family`, the PTX ISA (`ptx`, 10 * major + minor), the `llvm` and the ptxas (`cuda`, as text) that have it, the `shared_bytes` of a block (0: not known) and its `features`.
    """

def cpu_level() -> int:
    """
    Return the highest level of x86-64 that this processor has, 1 to 4 (AVX-512); 0 for other processors. FAIRLEAD_CPU_LEVEL can lower it.
    """

def cpu_has_dot_pairs() -> bool:
    """
    Return whether code for this processor has the instruction of `fairlead.dot_pairs`.
    """

def gpu_architectures() -> list[Any]:
    """Return what `gpu_architecture` returns, of all, from the oldest on."""

class Code:
    """Code in this process. It is unloaded with the last of these."""

    @property
    def address(self) -> int:
        """Of `__tvm_ffi_<name>`, valid as long as this object."""

def unload_retired_modules() -> int:
    """
    Waits for the GPUs, and unloads the device code of functions that are gone, but for what graphs hold. How many modules that were.
    """

class Artifact:
    """What a compile makes: immutable."""

    @property
    def signature(self) -> Signature: ...

    @property
    def target(self) -> Target:
        """The first target."""

    @property
    def targets(self) -> list[Target]: ...

    @property
    def cached(self) -> bool:
        """Whether the code came from the cache on disk."""

    @property
    def object(self) -> bytes:
        """A relocatable ELF object that defines `__tvm_ffi_<name>`."""

    @property
    def ptx(self) -> str: ...

    @property
    def ir(self) -> str: ...

    def cubin(self) -> bytes:
        """Machine code of the first CUDA target; empty without one."""

    def sass(self, options: str = '-g -c') -> str:
        """What nvdisasm makes of it."""

    def assembly(self) -> str:
        """Assembly text of the CPU's code."""

    @property
    def phases(self) -> list[Any]:
        """(stage, milliseconds)"""

    def entry(self) -> int:
        """
        Loads the object into the process; the address of `__tvm_ffi_<name>`. The code then stays for the life of the process.
        """

    def code(self) -> Code:
        """
        Loads the object into the process; its code, which stays as long as what is returned, or the artifact.
        """

    def save(self) -> bytes:
        """The artifact as bytes, for restore."""

    @staticmethod
    def restore(bytes: bytes) -> Artifact:
        """What save gave, in a process with the same build of Fairlead."""

    def load(self, device: int = -1) -> None:
        """
        Loads the device code on a GPU, or (-1) on each, so that no call has to.
        """

    def kernel_attributes(self, device: int = 0) -> list[Any]:
        """
        What the driver says of the kernels that it has loaded for a GPU: dicts of name, registers, shared_bytes, local_bytes, max_threads.
        """

    @property
    def shared_memory(self) -> dict[str, Any]:
        """
        Of each GPU kernel the most bytes of dynamic shared memory that a launch asks for; None if a launch computes them.
        """

    def export_object(self, path: str, function_name: str, facts: Sequence[tuple[str, str]] = []) -> None: ...

    def export_c(self, folder: str, file_name: str, prefix: str, facts: Sequence[tuple[str, str]] = []) -> None:
        """Writes `<file_name>.o` and `.h` with the plain C ABI."""

def trace_all(targets: Sequence[Target], host: Target | None, trace: Callable[..., Any]) -> list[Any]:
    """
    Traces a function as often as it takes: once, or for each family of targets. `trace` gets targets and whether host code reads tensors, and gives an object with a `program` and the number of `kernels` that it launches. `host`: the target of a function without kernels.
    """

def compile(programs: Sequence[Program], opt_level: int = 3, host: str = '', cache: bool = True, line_info: bool = False, assembler_options: str = '', fmad: bool = True) -> Artifact:
    """
    Lowers and compiles what one function was traced to, for each family of its targets or for all at once, or finds the result in the cache on disk; the programs cannot be compiled again. Other Python threads run meanwhile.
    """

class KernelLaunch:
    """Grid, block and the rest of a launch, as texts."""

    def __init__(self) -> None: ...

    @staticmethod
    def parse(text: str) -> KernelLaunch:
        """From `grid=(ceil_div(n, 256),), block=256`."""

    @property
    def grid(self) -> list[str]: ...

    @grid.setter
    def grid(self, arg: Sequence[str], /) -> None: ...

    @property
    def block(self) -> list[str]: ...

    @block.setter
    def block(self, arg: Sequence[str], /) -> None: ...

    @property
    def cluster(self) -> list[str]: ...

    @cluster.setter
    def cluster(self, arg: Sequence[str], /) -> None: ...

    @property
    def shared(self) -> str: ...

    @shared.setter
    def shared(self, arg: str, /) -> None: ...

    @property
    def cooperative(self) -> bool: ...

    @cooperative.setter
    def cooperative(self, arg: bool, /) -> None: ...

    @property
    def programmatic(self) -> bool: ...

    @programmatic.setter
    def programmatic(self, arg: bool, /) -> None: ...

    @property
    def args(self) -> list[str] | None: ...

    @args.setter
    def args(self, arg: Sequence[str] | None) -> None: ...

def parse_signature(text: str) -> Signature:
    """A signature from its text."""

def signature_text(signature: Signature) -> str:
    """The whole signature, as parse_signature reads it."""

def argument_names(signature: Signature) -> list[str]: ...

def kernel(sources: Sequence[bytes], name: str, signature: Signature, launch: KernelLaunch, archs: Sequence[str], compiler_options: Sequence[str], source_name: str, doc: str, cache: bool) -> Artifact:
    """
    The artifact of a kernel in CUDA C++, PTX, CUBIN or fatbin. Other Python threads run meanwhile.
    """

def retype_dlpack(capsule: object, dtype: type[Numeric]) -> None:
    """
    Gives what an unused DLPack capsule holds another element type of the same width.
    """

def describe_dlpack(producer: object) -> tuple[Any, ...]:
    """
    (numeric class, shape, strides in elements, address, DLPack device type, device id) of a tensor.
    """

def nvrtc_compile(source: str, arch: str, name: str = 'kernel.cu', extra: Sequence[str] = [], name_expressions: Sequence[str] = []) -> tuple[Any, ...]:
    """
    CUDA C++ to (image, log, symbols): a CUBIN for "sm_90a", PTX for "compute_90". Other Python threads run meanwhile. RuntimeError with the compiler's log, or with how to get NVRTC.
    """

def nvrtc_version() -> str:
    """"13.0"; "" without NVRTC."""

def read_image(image: bytes) -> dict[str, Any]:
    """
    What a CUBIN, fatbin or PTX tells: kind and parts, each with its architecture and kernels. Executes nothing. ValueError for other bytes.
    """

def image_fit(image_arch: str, device_arch: str) -> int:
    """
    0: does not run there; 1: PTX that the driver compiles; 2: same major; 3: same family; 4: the very architecture.
    """

def images_for(image_archs: Sequence[str], device_arch: str) -> list[int]:
    """
    Return the indices of the images that run on a device, in the order in which they are tried.
    """

def ptx_assembler() -> str:
    """The ptxas that makes machine code of PTX; "" without one."""

def device_count() -> int:
    """CUDA devices that the driver shows."""

def device_arch(index: int) -> str:
    """
    What to compile for on a CUDA device, as "sm_90a"; "" when there is no such device.
    """

class ElfSection:
    @property
    def name(self) -> str: ...

    @property
    def type(self) -> int: ...

    @property
    def file_offset(self) -> int | None:
        """None for memory without content."""

    @property
    def size(self) -> int: ...

class ElfSymbol:
    @property
    def name(self) -> str: ...

    @property
    def is_defined(self) -> bool: ...

    @property
    def is_function(self) -> bool: ...

    @property
    def is_local(self) -> bool: ...

    @property
    def file_offset(self) -> int | None:
        """None where the file does not hold its bytes."""

class ElfFile:
    @property
    def type(self) -> int:
        """1 an object, 2 a program, 3 a shared library."""

    @property
    def machine(self) -> int:
        """62 x86-64, 183 AArch64, 190 CUDA."""

    @property
    def sections(self) -> list[ElfSection]: ...

    @property
    def symbols(self) -> list[ElfSymbol]:
        """Those that have names, of both tables."""

    @property
    def size(self) -> int:
        """Bytes from its start to its end; others may follow."""

    @property
    def is_sealed(self) -> bool:
        """It ends in the checksum of an export, which is right."""

    @property
    def signer(self) -> str:
        """
        The public key that has signed it, 64 hexadecimal digits; empty where none has.
        """

def sealed(data: bytes, sign: str = '') -> bytes:
    """
    A file with its checksum behind it, which whoever loads the file verifies; signed by the key in the file `sign`, where one is named.
    """

def new_key_pair() -> tuple[str, str]:
    """
    A new key that signs: the lines of the public file and of the secret one.
    """

def listed_keys(path: str) -> list[str]:
    """
    The public keys that a file lists, 64 hexadecimal digits each. ValueError for other files.
    """

def read_elf(data: bytes, offset: int = 0) -> ElfFile:
    """
    The tables of the ELF file that begins at an offset. Executes nothing. ValueError for other bytes.
    """

class ProductTrees:
    def __init__(self, table: bytes) -> None: ...

def product_tiles(m: int, n: int, k: int, batch: int, blocks: int, element_bits: int, majors: str, split: bool, swap: bool, most: int, times: dict[str, Any], trees: ProductTrees | None) -> list[tuple[float, int, int, tuple[int, int], int, int, bool, bool, bool]]: ...

def product_features(m: int, n: int, k: int, batch: int, blocks: int, majors: str, times: dict[str, Any]) -> list[tuple[tuple[float, int, int, tuple[int, int], int, int, bool, bool, bool], list[float]]]: ...

def cache_fetch(kind: str, digest: str) -> str:
    """
    Looks for an entry as a compile does, but patiently, and keeps what the remote cache has of it in the folder: "local: hit", "remote: hit" or why there is none.
    """

def cache_publish(kind: str, digest: str) -> str:
    """
    Puts an entry of the folder into the remote cache: "stored", or why not.
    """

def cache_read_remote(kind: str, digest: str) -> tuple[bytes | None, str]:
    """
    Returns an entry of the remote cache, or None, and "hit" or why there is none.
    """

def cache_update_remote(kind: str, digest: str, label: str, seconds: float, merge: Callable[[bytes | None], bytes | None]) -> str:
    """
    Replaces an entry of the remote cache by what `merge` makes of it (None: it stays), while no other machine does: "stored", "hit" if it stays, or why not.
    """
