"""The run-time values in objects, as text: shows which values loops carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fairlead import _compiler
from fairlead._tracing.carry import describe, fields_of_object, has_protocol
from fairlead._tracing.composite import items_of

__all__ = ["print_loop", "set_dynamic_debug", "value_tree"]


class _Debug:
    """The setting of ``set_dynamic_debug``."""

    def __init__(self) -> None:
        self.is_on = False
        self.max_depth: int | None = None


_debug = _Debug()


def set_dynamic_debug(flag: bool, max_depth: int | None = None) -> None:
    """Have every run-time loop that is traced from now on print the values that it carries, or end that.

    Args:
        flag: whether to print.
        max_depth: how many run-time regions may be around a loop that prints; default any number.
    """
    _debug.is_on, _debug.max_depth = bool(flag), max_depth


def _tree(value: object) -> Any:
    """The values of an object by name or place: dicts and lists of them, None for a constant."""
    if isinstance(value, _compiler.Numeric):
        return type(value).__name__
    if isinstance(value, (_compiler.Tensor, _compiler.Pointer, _compiler.TensorExpr)):
        return describe(value)
    if isinstance(value, dict):
        return {key: _tree(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [_tree(part) for part in value]
    if has_protocol(value):
        tree = value.__extract_mlir_values__()
        is_one = isinstance(tree, (tuple, list)) and len(tree) == 1
        return _tree(tree[0] if is_one else tree)
    if (fields := fields_of_object(value)) is not None:
        return {name: _tree(part) for name, part in fields.items()}
    return (
        None if items_of(value) is None else [_tree(part) for _, part, _ in items_of(value) or ()]
    )


def _lines(tree: dict[str, Any] | list[Any], indent: int) -> Iterator[str]:
    blanks = "  " * indent
    entries = (
        tree.items()
        if isinstance(tree, dict)
        else ((f"[{i}]", part) for i, part in enumerate(tree))
    )
    for name, part in entries:
        if isinstance(part, (dict, list)):
            yield f"{blanks}{name}:"
            yield from _lines(part, indent + 1)
        elif part is not None:
            yield f"{blanks}{name}: {part}"


def _count(tree: object) -> int:
    if isinstance(tree, (dict, list)):
        return sum(map(_count, tree.values() if isinstance(tree, dict) else tree))
    return int(tree is not None)


def value_tree(value: object) -> str:
    """Return the run-time values that an object consists of as lines of text, one value a line, with their names."""
    tree, name = _tree(value), type(value).__name__
    if not isinstance(tree, (dict, list)):
        return f"{name}: {tree or 'a constant'}"
    return "\n".join([f"{name}:", *_lines(tree, 1)])


def print_loop(construct: str, line: int, depth: int, carried: Iterable[tuple[str, Any]]) -> None:
    """Print the variables that a run-time loop carries, if ``set_dynamic_debug`` is on.

    Args:
        construct: the loop's keyword.
        line: where the loop begins in its file.
        depth: the number of run-time regions around it.
        carried: its variables, name and value.
    """
    if not _debug.is_on or (_debug.max_depth is not None and depth > _debug.max_depth):
        return
    lines, count = [f"run-time `{construct}` at line {line}, in {depth} others, carries"], 0
    for name, value in carried:
        tree = _tree(value)
        count += _count(tree)
        text = value_tree(value).split("\n")
        lines += [f"  {name} = {text[0]}", *(f"  {rest}" for rest in text[1:])]
    print("\n".join([*lines, f"  {count} values in all"]), flush=True)
