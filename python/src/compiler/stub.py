"""Writes python/fairlead/_compiler.pyi from the built module: python python/src/compiler/stub.py [FILE]

Needs nanobind, and fairlead of the build tree on the path. tests/python/dsl/compile/test_stub.py fails when the file is
old.
"""

import re
import sys
from pathlib import Path

#: Imports and definitions before the first class of the stub.
HEADER = """
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
"""
#: Types of parameters that the bindings take as Python objects, by their names. The core decides while tracing.
PARAMETERS = {
    "_Number": (
        "address arrivals base bits clamp columns condition expected id number offset parity predicate rank shift "
        "start step stop thr_idx threads value word last"
    ),
    "_Operand": "a b c init_val x",
    "_Number | None": "block mask policy smem",
    "_Shape": "cluster grid order preferred_cluster shape",
    "_Shape | None": "stride",
    "_Coord": "coordinate index key mode origin",
    "_Tile": "layout tiler tiler_mn atom_layout_mnk permutation_mnk outer reduction_profile",
    "type[Numeric]": "dtype compute_dtype type accumulator",
    "Pointer": "pointer",
    "Pointer | None": "barrier map response",
}
#: Parameters, as "function(parameter" or "Class.function(parameter", whose name says too little.
SPECIAL = {
    "TensorExpr.__init__(value": "TensorExpr | tuple[Any, ...]",
    "Program.launch(block": "_Shape",
    "Tensor.__setitem__(value": "_Operand | Tensor",
    "Tensor.store(value": "_Operand | Tensor",
    "make_warp_mma_atom(a": "type[Numeric]",
    "make_warp_mma_atom(b": "type[Numeric]",
    "make_warpgroup_mma_atom(a": "type[Numeric]",
    "make_warpgroup_mma_atom(b": "type[Numeric]",
    "make_tensor_memory_mma_atom(a": "type[Numeric]",
    "make_tensor_memory_mma_atom(b": "type[Numeric]",
    "make_scaled_mma_atom(a": "type[Numeric]",
    "make_scaled_mma_atom(b": "type[Numeric]",
    "make_scaled_mma_atom(scale_type": "type[Numeric]",
    "make_scaled_warp_mma_atom(a": "type[Numeric]",
    "make_scaled_warp_mma_atom(b": "type[Numeric]",
    "make_scaled_warp_mma_atom(scale_type": "type[Numeric]",
    "elem_less(a": "_Shape",
    "elem_less(b": "_Shape",
}
#: Attributes that every numeric class has, declared for their base.
NUMERIC = """
    width: ClassVar[int]
    is_integer: ClassVar[bool]
    is_float: ClassVar[bool]
    signed: ClassVar[bool]
    zero: ClassVar[Any]

    def __init__(self, number: _Number) -> None: ...

    @staticmethod
    def is_same_kind(other: object) -> bool: ...
"""
#: Results of functions and properties, by their names.
RESULTS = {
    **dict.fromkeys(("dtype", "element_type", "value_type", "dtype_by_name"), "type[Numeric]"),
    **dict.fromkeys(
        [
            *("thread_idx", "block_idx", "block_dim", "grid_dim", "cluster_idx", "cluster_dim"),
            *("block_in_cluster_idx", "block_in_cluster_dim"),
        ],
        "tuple[Int32, Int32, Int32]",
    ),
    "is_dtype": "TypeIs[type[Numeric]]",
    "make_identity_tensor": "CoordTensor",
}
#: Annotations of the bindings that need parameters of their own.
PLAIN = {
    "list": "list[Any]",
    "tuple": "tuple[Any, ...]",
    "dict": "dict[str, Any]",
    "Callable": "Callable[..., Any]",
    "Sequence": "Sequence[Any]",
}


def stub() -> str:
    """Return the stub's text."""
    from nanobind.stubgen import StubGen

    from fairlead import _compiler

    generator = StubGen(_compiler, include_private=True)
    generator.put(_compiler)
    return typed(generator.get())


def typed(text: str) -> str:
    """Return a stub of nanobind with types in place of ``object``, lists, tuples and functions of anything."""
    text = re.sub(r"^(from|import) .*\n", "", text, flags=re.M)
    text = re.sub(
        r"^(class Numeric:\n(?:.*\n)*?    \"\"\"\n(?:.*\n)*?    \"\"\"\n)",
        rf"\1{NUMERIC}",
        text,
        flags=re.M,
    )
    # Native programs do not have the additions of dialects (Dialect.h).
    text = re.sub(r", \*\*keywords\b", "", text)
    text = re.sub(
        r"^    def __getattr__\(self, name: str\) -> \w+: \.\.\.\n\n", "", text, flags=re.M
    )
    owner, lines = "", []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            owner = ""
        if match := re.match(r"class (\w+)", line):
            owner = f"{match[1]}."
        lines.append(_typed_line(owner, line.rstrip()))
    docstring, _, body = "\n".join(lines).partition('"""\n')
    return f'{docstring}"""\n{HEADER}{body}\n'


def _typed_line(owner: str, line: str) -> str:
    constant = re.match(
        r"    (width|bytes|is_integer|is_float|signed|zero|inf|neg_inf): (\w+) = ", line
    )
    if constant:
        return f"    {constant[1]}: ClassVar[{constant[2]}]"
    match = re.match(r"( *def (\w+))\((.*)\) -> (.*?)(:.*)$", line)
    if not match:
        return line
    head, name, parameters, result, end = match.groups()
    result = RESULTS.get(name, result)
    divides = "fastmath" not in parameters and name != "assume"

    def with_type(match: re.Match[str]) -> str:
        parameter, default = match.groups("")
        kind = SPECIAL.get(f"{owner}{name}({parameter}") or _kind(owner, name, parameter, divides)
        if "None" in default and kind != "object" and "None" not in kind:
            kind += " | None"
        return f"{parameter}: {kind}{default}"

    parameters = re.sub(r"\b(\w+): object(?: \| None)?( = \w+)?", with_type, parameters)
    parameters = re.sub(r"(\*\w+)(?=[,)]|$)", r"\1: object", parameters)
    result = re.sub(r"\bobject\b", "Any", result)
    for plain, full in PLAIN.items():
        parameters = re.sub(rf"(?<=: ){plain}\b(?!\[)", full, parameters)
        result = re.sub(rf"^{plain}$", full, result)
    return f"{head}({parameters}) -> {result}{end}"


def _kind(owner: str, function: str, parameter: str, divides: bool) -> str:
    """Return the type of a parameter that the binding takes as a Python object."""
    if function in ("__eq__", "__ne__") or (parameter == "x" and divides):
        return "object"
    if function == "_recast":
        return "type[Numeric]"
    if parameter in ("arg", "arg0", "arg1"):
        return "_Operand" if owner == "TensorExpr." else "_Number"
    return next(
        (kind for kind, names in PARAMETERS.items() if parameter in names.split()), "object"
    )


if __name__ == "__main__":
    default = Path(__file__).resolve().parents[2] / "fairlead" / "_compiler.pyi"
    Path(sys.argv[1] if len(sys.argv) > 1 else default).write_text(stub())
