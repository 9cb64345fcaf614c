"""Operators in the programs that torch.compile's Inductor writes.

Inductor's programs call an operator by torch's dispatcher, which takes several times as long as the function itself.
If this Inductor lets a package define the code written for an operator (from torch 2.13 on), its programs in Python for
CPUs allocate the outputs themselves, as they do for Inductor's own kernels, and call the function.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["keep_function", "show_function"]


def keep_function(overload: Any, function: object) -> None:
    """Store the function for Inductor's programs: they may be kept on disk, and know the operator's name alone."""
    overload._fairlead_function = function


def show_function(
    operator: str, inputs: Sequence[str], results: Sequence[str], order: Sequence[str]
) -> None:
    """Has Inductor, if it is loaded, call the function with arguments in `order` where a program has the operator,
    which takes `inputs` and returns `made`."""
    codegen = sys.modules.get("torch._inductor.codegen.custom_extern_kernel_codegen")
    if codegen is None:
        return
    name = f"torch.ops.{operator.replace('::', '.')}.default"
    if name not in codegen.CUSTOM_EXTERN_KERNEL_CODEGEN:
        codegen.CUSTOM_EXTERN_KERNEL_CODEGEN[name] = codegen.CustomCodegen(
            python=lambda node, write: _write_call(node, write, inputs, results, order)
        )


def _write_call(
    node: Any,
    write: Callable[[str], None],
    inputs: Sequence[str],
    outputs: Sequence[str],
    order: Sequence[str],
) -> None:
    from torch._inductor.ir import FixedLayout
    from torch._inductor.virtualized import V

    operator, name = node.python_kernel_name, node.get_name()
    args, keywords = node.codegen_args(), node.codegen_kwargs()
    # With one output, the node itself has the layout from torch 2.15 on.
    layouts: list[Any] = [getattr(output, "layout", None) for output in node.outputs or [node]]
    has_strides = len(layouts) == len(outputs) and all(
        type(layout) is FixedLayout and layout.device.type == "cpu" for layout in layouts
    )
    if not has_strides or keywords or len(args) != len(inputs):
        write(f"{name} = {operator}({', '.join([*args, *keywords])})")
        return
    program = V.graph.wrapper_code
    results = [name] if len(outputs) == 1 else [f"{name}_{index}" for index in range(len(outputs))]
    for result, layout in zip(results, layouts, strict=True):
        shape, strides = tuple(layout.size), tuple(layout.stride)
        write(program.make_allocation(result, layout.device, layout.dtype, shape, strides))
    # In a process where a library registered the operator without fairlead.torch, the form that writes its outputs.
    function = re.sub(r"\W", "_", f"call_{operator}")
    other = f"{operator.removesuffix('.default')}_out.default"
    program.add_import_once(f"{function} = getattr({operator}, '_fairlead_function', {other})")
    values = {**dict(zip(inputs, args, strict=True)), **dict(zip(outputs, results, strict=True))}
    write(f"{function}({', '.join(values[place] for place in order)})")
    if len(outputs) > 1:
        write(f"{name} = ({', '.join(results)})")
        write(f"del {', '.join(results)}")
