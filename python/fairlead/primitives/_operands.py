"""Checks of the primitives' operands, and the instructions that they emit."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler
from fairlead._hints import did_you_mean
from fairlead.cute._ir_types import IRValue
from fairlead.cute._target import current_target
from fairlead.cute._types import Int
from fairlead.errors import DSLError, make_error

__all__ = [
    "FULL_MASK",
    "address",
    "boolean",
    "checked",
    "device",
    "dtype",
    "emit",
    "int32",
    "is_remote",
    "lane_mask",
    "like",
    "member",
    "needs",
    "on_gpu",
    "plain",
    "only_on",
    "pointer",
    "policy",
    "real",
    "shared",
    "type_name",
    "word32",
]

FULL_MASK = 0xFFFFFFFF
_SPACE = _compiler.AddressSpace
#: The first GPUs that have a feature, for messages.
_GPUS = {
    "clc": "sm_100 and newer GPUs",
    "cp_async": "sm_80 and newer GPUs",
    "mbarrier": "sm_90 and newer GPUs",
    "clusters": "sm_90 and newer GPUs",
    "tma": "sm_90 and newer GPUs",
    "stmatrix": "sm_90 and newer GPUs",
    "tensormap": "sm_90a and newer GPUs",
    "f32x2": "sm_100 and newer GPUs",
    "tcgen05": "sm_100a and its family",
    "tcgen05_i8": "sm_100a and sm_110a",
    "ldmatrix_b8": "sm_100a, sm_120a and their families",
}


def _error(id: str, function: str, name: str, expected: str, got: str, help: str = "") -> Exception:
    error: DSLError = _compiler.make_error(
        id, function=function, expected=f"{expected} as {name}", got=got
    )
    if help:
        error.help = help
    return error


def type_name(value: object) -> str:
    """The type of an operand, for messages."""
    return value.__name__ if isinstance(value, type) else type(value).__name__


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a primitive that checks its flags, and that integers without a default are not None."""
    parameters = inspect.signature(function).parameters
    flags = {
        name for name, each in parameters.items() if each.annotation in ("bool", "bool | None")
    }
    required = {
        name
        for name, each in parameters.items()
        if each.annotation == "Int" and each.default is inspect.Parameter.empty
    }
    if not flags and not required:
        return function
    names = tuple(parameters)

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            if name in flags and not (value is None or isinstance(value, int)):
                raise _error(
                    "ArgumentKind", function.__name__, name, "True or False", type_name(value)
                )
            if name in required and value is None:
                raise _error("ArgumentKind", function.__name__, name, "an integer", "None")
        return function(*args, **kwargs)

    return call


#: Targets.


def on_gpu() -> bool:
    """True if the program is traced for a GPU, False if it is for the CPU."""
    return bool(current_target().capability)


def only_on(function: str, gpus: str) -> Exception:
    """The error of a primitive that the target lacks."""
    return make_error("AtomFamily", what=f"`{function}`", archs=gpus, target=str(current_target()))


def needs(function: str, feature: str, *, cpu: bool = True) -> None:
    """Check that the target has a feature.

    Args:
        function: the primitive, for the message.
        feature: the name of a feature of GPUs, as ``current_target().has`` takes it.
        cpu: False if the CPU has no form of the primitive.

    Raises:
        ValueError (AtomFamily): the target lacks it.
    """
    target = current_target()
    if not (target.has(feature) if target.capability else cpu):
        raise only_on(function, _GPUS[feature])


#: Numbers.


def int32(
    value: object, function: str, name: str, *, least: int | None = None, most: int | None = None,
    multiple: int = 1,
) -> Any:  # fmt: skip
    """Check an integer operand of 32 bits. Python's numbers stay as they are.

    Args:
        value: an int, or a run-time integer, which is converted to Int32.
        function, name: the primitive and its parameter, for messages.
        least, most, multiple: requirements of a number that is known while tracing.

    Raises:
        TypeError (ArgumentKind): `value` is no integer.
        ValueError (ArgumentValue): it is out of range.
    """
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, bool) or not isinstance(value, int):
        if isinstance(value, _compiler.Numeric) and type(value).is_integer:
            return value if isinstance(value, _compiler.Int32) else value.to(_compiler.Int32)
        raise _error("ArgumentKind", function, name, "an integer of 32 bits", type_name(value))
    low = -(1 << 31) if least is None else least
    high = FULL_MASK if most is None else most
    if not low <= value <= high:
        raise _error("ArgumentValue", function, name, f"{low} to {high}", str(value))
    if value % multiple:
        raise _error("ArgumentValue", function, name, f"a multiple of {multiple}", str(value))
    return value


def word32(value: object, function: str, name: str) -> Any:
    """Check an operand that is a number of 32 bits, and return it as a run-time number of its type."""
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, int):
        int32(value, function, name)
        return _compiler.Uint32(value) if value >= 1 << 31 else _compiler.Int32(value)
    if isinstance(value, float):
        return _compiler.Float32(value)
    if isinstance(value, _compiler.Numeric) and type(value).width == 32:
        return value
    raise _error("ArgumentKind", function, name, "a number of 32 bits", type_name(value))


def real(value: object, function: str, name: str) -> Any:
    """Check an operand that is a float, of Python or of the run."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, _compiler.Numeric) and type(value).is_float:
        return value
    raise _error("ArgumentKind", function, name, "a float", type_name(value))


def policy(hint: object, function: str, name: str = "l2_cache_hint") -> list[Any]:
    """A policy of caches as a list of one Int64; an empty list for None."""
    if hint is None:
        return []
    if isinstance(hint, int) and not isinstance(hint, bool):
        return [_compiler.Int64(hint - (1 << 64) if hint >> 63 else hint)]
    if isinstance(hint, _compiler.Numeric) and type(hint).is_integer and type(hint).width == 64:
        return [hint]
    expected = "a cache policy, an integer of 64 bits,"
    raise _error("ArgumentKind", function, name, expected, type_name(hint))


def dtype(cls: object, function: str, name: str, width: int = 0) -> Any:
    """Check a numeric class, of ``width`` bits if that is not 0."""
    if not _compiler.is_dtype(cls) or (width and cls.width != width):
        bits = f" of {width} bits" if width else ""
        raise _error("ArgumentKind", function, name, f"a numeric class{bits}", type_name(cls))
    return cls


def boolean(value: object, function: str, name: str) -> Any:
    """Check a condition, and return it as a Boolean."""
    if isinstance(value, (bool, int)):
        return _compiler.Boolean(bool(value))
    if isinstance(value, _compiler.Boolean):
        return value
    if isinstance(value, _compiler.Numeric) and type(value).is_integer:
        return value != 0
    raise _error("ArgumentKind", function, name, "a Boolean or an integer", type_name(value))


def lane_mask(mask: Int, function: str, name: str) -> Any:
    """Check a mask of the lanes of a warp, and return it as the signed number that has its bits."""
    mask = int32(mask, function, name, least=-(1 << 31), most=FULL_MASK)
    return mask - (1 << 32) if isinstance(mask, int) and mask >= 1 << 31 else mask


def member(cls: Any, value: object, function: str, name: str) -> Any:
    """The member of an enumeration that an operand names.

    Args:
        cls: the enumeration.
        value: a member, its value or name as text, or a member of the same name of another enumeration.
        function, name: the primitive and its parameter, for messages.

    Raises:
        ValueError (ArgumentValue): `cls` has no such member; the message names the nearest one.
        TypeError (ArgumentKind): `value` is neither a member nor text.
    """
    if isinstance(value, cls):
        return value
    word = value.name if isinstance(value, enum.Enum) else value
    if not isinstance(word, str):
        raise _error(
            "ArgumentKind", function, name, f"a member of {cls.__name__}", type_name(value)
        )
    candidates = {str(option.value): option for option in cls.__members__.values()}
    candidates |= {key.lower(): option for key, option in cls.__members__.items()}
    if word in candidates or word.lower() in candidates:
        return candidates.get(word) or candidates[word.lower()]
    words = ", ".join(str(option.value) for option in cls)
    hint = did_you_mean(word, candidates)
    raise _error("ArgumentValue", function, name, f"one of {words}", repr(value), hint)


#: Addresses.


def plain(pointer: _compiler.Pointer) -> _compiler.Pointer:
    """Return a pointer of the same address without a swizzle: instructions take addresses as they are."""
    if pointer._swizzle.num_bits == 0:
        return pointer
    return pointer._swizzled(_compiler.Swizzle(0, 4, 3))


def pointer(value: object, function: str, name: str) -> Any:
    """The ``cute.Pointer`` of an address operand: a pointer, an array, or a tensor in memory.

    Raises:
        TypeError (ArgumentKind): `value` is no address.
    """
    if isinstance(value, _compiler.Pointer):
        return plain(value)
    if isinstance(value, IRValue):
        held = value.leaves()
        if len(held) == 1:
            return pointer(held[0], function, name)
    for attribute in ("pointer", "iterator"):
        inner = getattr(value, attribute, None)
        if isinstance(inner, _compiler.Pointer):
            return plain(inner)
    raise _error("ArgumentKind", function, name, "a pointer or an array", type_name(value))


def shared(value: object, function: str, name: str) -> Any:
    """The pointer of an address operand in shared memory, of this block or of one of its cluster.

    Raises:
        TypeError (ArgumentKind): `value` is no address, or one in other memory.
    """
    ptr = pointer(value, function, name)
    if ptr.memspace not in (_SPACE.smem, _SPACE.dsmem):
        expected = "an address in shared memory"
        raise _error("ArgumentKind", function, name, expected, f"{ptr!r}")
    return ptr


def device(value: object, function: str, name: str) -> Any:
    """The pointer of an address operand in global memory, or of a generic address.

    Raises:
        TypeError (ArgumentKind): `value` is no address, or one in other memory.
    """
    ptr = pointer(value, function, name)
    if ptr.memspace not in (_SPACE.gmem, _SPACE.generic):
        expected = "an address in global memory"
        raise _error("ArgumentKind", function, name, expected, f"{ptr!r}")
    return ptr


def is_remote(ptr: _compiler.Pointer) -> bool:
    """True if a pointer may be in another block of the cluster, as `mapa` returns it."""
    return ptr._in_cluster


def like(value: object, ptr: _compiler.Pointer) -> Any:
    """An address operand with another pointer: an array or a pointer of the same kind as `value`."""
    if isinstance(value, _compiler.Pointer):
        return ptr
    view = getattr(value, "_at", None)
    kind: Any = type(value)
    return kind(ptr) if view is None else view(ptr)


def address(ptr: _compiler.Pointer) -> Any:
    """The address of a pointer as a register of PTX: 32 bits in shared memory, 64 elsewhere."""
    number = ptr.toint()
    return number.to(_compiler.Int32) if ptr.memspace in (_SPACE.smem, _SPACE.dsmem) else number


#: Instructions.


def _letter(cls: Any) -> str:
    if cls.is_float and cls.width >= 32:
        return "f" if cls.width == 32 else "d"
    return {16: "h", 64: "l"}.get(cls.width, "r")


def emit(text: str, results: Sequence[Any] = (), operands: Sequence[Any] = ()) -> Any:
    """Emit PTX in a kernel for a GPU.

    Args:
        text: instructions. ``$0``, ``$1`` ... are the results and then the operands.
        results: the numeric class of each result.
        operands: run-time numbers, pointers, or ints of 32 bits.

    Returns:
        None, the result, or a tuple of results.
    """
    passed = []
    for operand in operands:
        if isinstance(operand, _compiler.Pointer):
            operand = address(operand)
        elif isinstance(operand, bool):
            operand = _compiler.Boolean(operand)
        elif isinstance(operand, int):
            operand = word32(operand, text, "operand")
        passed.append(operand)
    constraints = [f"={_letter(cls)}" for cls in results]
    constraints += [_letter(type(operand)) for operand in passed]
    constraints.append("~{memory}")
    values = _compiler.inline_assembly(list(results), passed, text, ",".join(constraints), True)
    return None if not values else values[0] if len(values) == 1 else tuple(values)
