"""Operators in the programs that torch.compile's Inductor writes.

Inductor's programs call an operator by torch's dispatcher, which takes ten times as long as the function itself. Where
this Inductor lets a package say what is written for an operator (torch 2.13), its programs in Python allocate the
outputs themselves, as they do for Inductor's own kernels, and call the function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["show_function"]


def show_function(
    overload: Any, function: Any, inputs: Sequence[str], made: Sequence[str], order: Sequence[str]
) -> None:
    """Has Inductor, if it is loaded, call `function` with arguments in `order` where a program has the operator, which
    takes `inputs` and returns `made`."""
    codegen = sys.modules.get("torch._inductor.codegen.custom_extern_kernel_codegen")
    if codegen is None:
        return
    name = f"torch.ops.{overload.namespace}.{overload.__name__}"
    if name not in codegen.CUSTOM_EXTERN_KERNEL_CODEGEN:
        # What Inductor writes is kept on disk: it finds the function by the operator's name.
        overload._fairlead_function = function
        codegen.CUSTOM_EXTERN_KERNEL_CODEGEN[name] = codegen.CustomCodegen(
            python=lambda node, write: _write_call(node, write, inputs, made, order)
        )


def _write_call(
    node: Any,
    write: Callable[[str], None],
    inputs: Sequence[str],
    made: Sequence[str],
    order: Sequence[str],
) -> None:
    from torch._inductor.ir import FixedLayout
    from torch._inductor.virtualized import V

    name, args, keywords = node.get_name(), node.codegen_args(), node.codegen_kwargs()
    layouts = [getattr(output, "layout", None) for output in node.outputs]
    known = all(type(layout) is FixedLayout for layout in layouts) and len(layouts) == len(made)
    if not known or keywords or len(args) != len(inputs):
        write(f"{name} = {node.python_kernel_name}({', '.join([*args, *keywords])})")
        return
    results = [name] if len(made) == 1 else [f"{name}_{index}" for index in range(len(made))]
    for result, layout in zip(results, layouts, strict=True):
        write(
            V.graph.wrapper_code.make_allocation(
                result, layout.device, layout.dtype, tuple(layout.size), tuple(layout.stride)
            )
        )
    values = {**dict(zip(inputs, args, strict=True)), **dict(zip(made, results, strict=True))}
    write(
        f"{node.python_kernel_name}._fairlead_function({', '.join(values[each] for each in order)})"
    )
    if len(made) > 1:
        write(f"{name} = ({', '.join(results)})")
        write(f"del {', '.join(results)}")
