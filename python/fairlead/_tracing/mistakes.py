"""Mistakes that neither Python nor the compiler sees, found while a function is traced.

Rewritten code calls these methods where its syntax is doubtful (doubtful.py); the values decide.
"""

from __future__ import annotations

import numbers
import sys
import types
import warnings

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.errors import DSLError, DSLUserWarning, make_error

#: The largest number of a type, and the largest number that rounds to 0.
_RANGES = {
    "Float16": (65504.0, 2.0**-25),
    "BFloat16": (3.3895313892515355e38, 2.0**-134),
    "Float32": (3.4028234663852886e38, 2.0**-150),
}
#: Halfway to the next number beyond the largest: smaller ones are rounded down.
_ROUNDED = {"Float16": 65520.0, "BFloat16": 3.3961775292304957e38, "Float32": 3.4028235677973366e38}


def _is_run_time(value: object) -> bool:
    return _compiler.is_dynamic(value) and not value.is_static  # type: ignore[attr-defined]


#: The warnings that were given, by file.
_said: dict[str, dict[str | tuple[str, type[Warning], int], int]] = {}


def is_uncalled(value: object) -> bool:
    """True for functions of Python, of the compiler and of the language."""
    functions = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
    names = ("nb_func", "nb_method", "JitFunction", "KernelFunction")
    return isinstance(value, functions) or type(value).__name__ in names


def warn(error: DSLError) -> None:
    """Warn of a mistake at the line of the user's code that called the caller."""
    assert isinstance(error, DSLUserWarning), error
    frame = sys._getframe(2)
    filename = frame.f_code.co_filename
    # In a registry of our own: that of the module is state of the program, which must not change while it is traced.
    warnings.warn_explicit(
        error,
        DSLUserWarning,
        filename,
        frame.f_lineno,
        module=frame.f_globals.get("__name__"),
        registry=_said.setdefault(filename, {}),
    )


def _out_of_range(type_name: str, number: float, text: str) -> DSLError | None:
    """Return the warning that a constant becomes infinity or 0 in a type; None if it does not."""
    largest, least = _RANGES[type_name]
    if abs(number) >= _ROUNDED[type_name]:
        value, limit = "infinity", f"largest number is {largest:g}"
    elif 0 < abs(number) <= least:
        value, limit = "0", f"least positive number is {least * 2:g}"
    else:
        return None
    return make_error(
        "ConstantRange", text=text, constant=number, value=value, type=type_name, limit=limit
    )


class Mistakes:
    """Methods of the helper object of a rewritten function. Each returns the value that it looks at."""

    def unused(
        self, value: object, text: str, kind: str, left: str = "", right: str = ""
    ) -> object:
        """The value of a statement that is an expression without an effect."""
        if kind == "function":
            if is_uncalled(value):
                raise make_error(
                    "UncalledFunction", text=text, use=", so the statement has no effect"
                )
        elif _is_run_time(value):
            raise make_error("StatementWithoutEffect", text=text, kind=kind, left=left, right=right)
        return value

    def uncalled(self, value: object, text: str) -> object:
        """A condition that is a function of a module."""
        if is_uncalled(value):
            raise make_error("UncalledFunction", text=text, use=", so the condition always holds")
        return value

    def formatted(self, value: object, text: str, function: str) -> object:
        """A value that Python formats into the text of ``printf``."""
        if _is_run_time(value):
            raise make_error(
                "FormattedValue", text=text, type=type(value).__name__, function=function
            )
        return value

    def once(self, value: object, text: str, what: str, function: str) -> object:
        """The result of a call of Python that is meant for each thread."""
        program = state.program
        is_constant = isinstance(value, numbers.Number) or what == "sleep"
        # Host functions may measure how long they are traced.
        matters = what == "random" or (program is not None and program.in_kernel())
        if program is not None and matters and is_constant:
            warn(make_error("PythonConstant", text=text, function=function, what=what))
        return value

    def dividend(self, value: object, text: str, is_true_division: bool) -> object:
        """A value that is divided by the constant 0."""
        if isinstance(value, _compiler.Numeric) and (value.is_float or is_true_division):
            raise make_error("FloatDivisionByZero", text=text, type=type(value).__name__)
        return value

    def beside(self, value: object, number: float, text: str) -> object:
        """An operand whose type the constant at its side takes."""
        name = type(value).__name__
        if name in _RANGES and isinstance(value, _compiler.Numeric):
            if (error := _out_of_range(name, number, text)) is not None:
                warn(error)
        return value

    def conversion(self, function: object, number: float, text: str) -> object:
        """A type that is called with a constant."""
        name = getattr(function, "__name__", "")
        if _compiler.is_dtype(function) and name in _RANGES:
            if (error := _out_of_range(name, number, text)) is not None:
                warn(error)
        return function

    def indexed(self, value: object, coefficient: int, text: str, variable: str) -> object:
        """Return a factor of an index that is multiplied with a large constant; warn if the product can overflow."""
        if isinstance(value, _compiler.Numeric) and not value.is_static and value.is_integer:
            if value.width > 32:
                return value
            most = (1 << (value.width - 1 if value.signed else value.width)) - 1
            error = make_error(
                "IndexOverflow",
                text=text,
                type=type(value).__name__,
                variable=variable,
                first=most // abs(coefficient) + 1,
            )
            warn(error)
        return value

    def shifted(self, value: object, count: int, text: str) -> object:
        """A value that is shifted by a constant."""
        if isinstance(value, _compiler.Numeric) and value.is_integer and count >= value.width:
            error = make_error(
                "ShiftRange",
                text=text,
                type=type(value).__name__,
                bits=value.width,
                count=count,
            )
            warn(error)
        return value

    def beside_nan(self, value: object, text: str, result: bool) -> object:
        """A value that is compared with NaN."""
        if isinstance(value, _compiler.Numeric):
            warn(make_error("NanComparison", text=text, result=result))
        return value

    def identity(
        self, left: object, right: object, text: str, operator: str, left_text: str, right_text: str
    ) -> bool:
        """``left is right`` or ``left is not right``."""
        # Two run-time values may be compared as objects, by code that works on programs.
        if (_is_run_time(left) and isinstance(right, (int, float))) or (
            _is_run_time(right) and isinstance(left, (int, float))
        ):
            raise make_error(
                "IdentityComparison", text=text, operator=operator, left=left_text, right=right_text
            )
        return left is right if operator == "==" else left is not right
