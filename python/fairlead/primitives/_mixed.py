"""Arithmetic on pairs of floats of different types."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute import _instructions
from fairlead.cute._types import Choice, DType
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import member, type_name

_TYPES: dict[str, Any] = {
    "f32x2": _compiler.Float32,
    "f16x2": _compiler.Float16,
    "bf16x2": _compiler.BFloat16,
}
#: The operation, and the types of the result and of each operand.
_FUNCTIONS = """
add_packed_bf16x2_f32x2_f32x2 add_packed_f16x2_f32x2_f32x2
add_packed_f32x2_bf16x2_f32x2 add_packed_f32x2_f16x2_f32x2
sub_packed_bf16x2_f32x2_f32x2 sub_packed_f16x2_f32x2_f32x2
sub_packed_f32x2_bf16x2_f32x2 sub_packed_f32x2_f16x2_f32x2
mul_packed_bf16x2_bf16x2_f16x2 mul_packed_bf16x2_f32x2_f32x2
mul_packed_f16x2_f16x2_bf16x2 mul_packed_f16x2_f32x2_f32x2
fma_packed_f32x2_bf16x2_f32x2_f32x2 fma_packed_f32x2_f16x2_f32x2_f32x2
""".split()
_SYMBOLS = {"add": "src_a + src_b", "sub": "src_a - src_b", "mul": "src_a * src_b"}
_SYMBOLS["fma"] = "src_a * src_b + src_c"


def _pair(value: object, dtype: DType, function: str, name: str) -> tuple[Any, ...]:
    """The two numbers of an operand as Float32."""
    parts = getattr(value, "to_elements", None)
    numbers: Any = parts() if parts is not None else value
    is_pair = isinstance(numbers, (tuple, list)) and len(numbers) == 2
    if not is_pair or any(not isinstance(number, (dtype, int, float)) for number in numbers):
        expected = f"a pair of {dtype.__name__} (a tuple, or a Vector of 2) as {name}"
        raise make_error("ArgumentKind", function=function, expected=expected, got=type_name(value))
    return tuple(dtype(number).to(_compiler.Float32) for number in numbers)


def _function(name: str) -> Any:
    operation, _, types = name.partition("_packed_")
    result, *operands = (_TYPES[kind] for kind in types.split("_"))

    def compute(sources: tuple[object, ...], rnd: Choice | None) -> Any:
        rounding = "rn" if rnd is None else member(_enums.FPRoundingMode, rnd, name, "rnd").value
        pairs = [
            _pair(source, dtype, name, f"src_{letter}")
            for letter, source, dtype in zip("abc", sources, operands)
        ]
        packed = getattr(_instructions, f"{operation}_packed_f32x2")(
            *pairs, rnd=rounding, ftz=False
        )
        numbers = [number.to(result) for number in packed]
        vector: Any = next((type(each) for each in sources if hasattr(each, "to_elements")), None)
        return tuple(numbers) if vector is None else vector.from_elements(numbers, result)

    def of_three(src_a: object, src_b: object, src_c: object, *, rnd: Choice | None = None) -> Any:
        return compute((src_a, src_b, src_c), rnd)

    def of_two(src_a: object, src_b: object, *, rnd: Choice | None = None) -> Any:
        return compute((src_a, src_b), rnd)

    def converted(src_a: object, src_b: object) -> Any:
        return compute((src_a, src_b), None)

    function: Any = (
        of_three if len(operands) == 3 else of_two if result is _compiler.Float32 else converted
    )
    kinds = ", ".join(dtype.__name__ for dtype in operands)
    rounded = "" if result is _compiler.Float32 else f", and round it to {result.__name__}"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Return ``{_SYMBOLS[operation]}`` of pairs of {kinds}: compute it in Float32{rounded}.\n\n"
        "    Operands are tuples of two numbers, or Vectors of 2; the result is a Vector if one of them is. No target\n"
        "    has it as one instruction: operands are converted first.\n    "
    )
    return function


__all__ = list(_FUNCTIONS)
globals().update({name: _function(name) for name in _FUNCTIONS})
