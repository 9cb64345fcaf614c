"""Custom operators of ONNX Runtime: the C source that registers functions of a library (fairlead/OnnxRuntime.h)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fairlead._frameworks.description import describe, symbol_sources
from fairlead._frameworks.interface import Interface, Scalar, Tensor
from fairlead.errors import make_error

__all__ = ["registration"]

#: ONNX's numbers of element types, by the names of numeric classes.
_ONNX_TYPES = {
    "Float32": 1, "Uint8": 2, "Int8": 3, "Uint16": 4, "Int16": 5, "Int32": 6, "Int64": 7, "Boolean": 9,
    "Float16": 10, "Float64": 11, "Uint32": 12, "Uint64": 13, "BFloat16": 16,
}  # fmt: skip


def registration(domain: str, functions: Sequence[tuple[Interface, Sequence[str]]]) -> str:
    """C source that defines ``RegisterCustomOps``, which ONNX Runtime calls, for functions with their outputs.

    Raises FrameworkOutputs and FrameworkShape for outputs that are none, FrameworkParameter for element types that
    ONNX does not have or that each call chooses.
    """
    lines = ["#include <fairlead/OnnxRuntime.h>", ""]
    rows = [
        _operator(f"_{index}", interface, outputs, lines)
        for index, (interface, outputs) in enumerate(functions)
    ]
    lines += [
        "static const FairleadOnnxOperator operators[] = {",
        *(f"  {row}," for row in rows),
        "};",
        '__attribute__((visibility("default"))) void *RegisterCustomOps(void *options, const void *base) {',
        f"  return FairleadOnnxRegister(options, base, {_text(domain)}, operators, {len(rows)});",
        "}",
        "",
    ]
    return "\n".join(lines)


def _operator(number: str, interface: Interface, outputs: Sequence[str], lines: list[str]) -> str:
    """Append the tables that an operator refers to, and return its own row."""
    tensors = {tensor.name: tensor for tensor in interface.tensors}
    for index, name in enumerate(outputs):
        if name not in tensors or name in outputs[:index]:
            raise make_error(
                "FrameworkOutputs",
                option="onnxruntime",
                signature=interface.text,
                expected=", ".join(tensors) or "none",
                got=repr(name),
            )
    arguments = [
        argument for argument in interface.arguments if isinstance(argument, (Tensor, Scalar))
    ]
    inputs = [argument for argument in arguments if argument.name not in outputs]
    results_of_operator = [tensor for tensor in interface.tensors if tensor.name in outputs]
    names = [argument.name for argument in inputs]
    sources = set(symbol_sources(interface, names))
    for tensor in results_of_operator:
        if not {symbol for _, symbols in tensor.shape for symbol in symbols} <= sources:
            raise make_error("FrameworkShape", signature=interface.text, name=tensor.name)
    described = describe("", "", interface, names, results_of_operator, (), {})
    rows = []
    for argument in inputs:
        kind = next(
            kind for kind, place, _ in described["params"] if place == names.index(argument.name)
        )
        onnx = _onnx_type(interface, argument) if isinstance(argument, Tensor) else 0
        rows.append(f"{{{_text(argument.name)}, {kind}, {onnx}}}")
    _array(lines, "FairleadOnnxArgument", f"arguments{number}", rows)
    _array(
        lines,
        "int32_t",
        f"types{number}",
        [str(_onnx_type(interface, result)) for result in results_of_operator],
    )
    _array(
        lines,
        "FairleadTorchParam",
        f"params{number}",
        ["{" + ", ".join(map(str, row)) + "}" for row in described["params"]],
    )
    _array(
        lines,
        "FairleadTorchSymbol",
        f"symbols{number}",
        ["{" + ", ".join(map(str, row)) + "}" for row in described["symbols"]],
    )
    results = []
    for index, (place, source, dtype, rank, _, extents) in enumerate(described["outputs"]):
        _array(lines, "int64_t", f"extents{number}_{index}", list(map(str, extents)))
        of = ", ".join(map(str, dtype))
        # ONNX Runtime's tensors are row-major.
        results.append(f"{{{place}, {source}, {{{of}}}, {rank}, 1, extents{number}_{index}}}")
    _array(lines, "FairleadTorchOutput", f"outputs{number}", results)
    entry = f"__tvm_ffi_{interface.name}"
    lines += [
        f"int {entry}(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);",
        "",
    ]
    kernel = ", ".join(
        [
            _text(interface.name),
            entry,
            "0",
            f"params{number}",
            f"outputs{number}",
            f"symbols{number}",
            str(len(described["params"])),
            str(len(results_of_operator)),
            str(len(described["symbols"])),
            str(len(inputs)),
        ]
    )
    return (
        f"{{{_text(interface.name)}, {described['devices']}, arguments{number}, types{number}, "
        f"{{{kernel}}}}}"
    )


def _onnx_type(interface: Interface, tensor: Tensor) -> int:
    if tensor.variable >= 0 or len(tensor.dtypes) != 1:
        got = "a tensor whose element type each call chooses"
    elif tensor.dtypes[0].__name__ not in _ONNX_TYPES:
        got = f"a tensor of {tensor.dtypes[0].__name__}, which ONNX Runtime does not have"
    else:
        return _ONNX_TYPES[tensor.dtypes[0].__name__]
    raise make_error("FrameworkParameter", function=interface.name, name=tensor.name, got=got)


def _array(lines: list[str], kind: str, name: str, rows: Sequence[str]) -> None:
    """At least one element, as C has no empty arrays."""
    lines.append(f"static const {kind} {name}[] = {{{', '.join(rows) or '0'}}};")


def _text(text: object) -> str:
    return json.dumps(text)
