"""How a function is called, as JSON can say it: what an exported function's metadata has."""

from __future__ import annotations

import math
from typing import Any


def is_custom(node: Any) -> bool:
    """Whether a part of a call's plan is an object of the argument protocol."""
    return isinstance(node, tuple) and (
        node[0] == "c" or (node[0] != "=" and any(map(is_custom, node[-1])))
    )


def defaults_text(given: tuple[Any, ...]) -> list[Any]:
    """The defaults, as far as JSON can say them: those before one that it cannot are lost."""
    defaults: list[Any] = []
    for default in reversed(given):
        try:
            defaults.insert(0, _value(default))
        except ValueError:
            break
    return defaults


def call_text(names: tuple[str, ...], plan: tuple | None) -> dict[str, Any] | None:
    """A call's plan (see Plan.h of the call path); None where it is none, or is not JSON's to say: then a loaded
    function takes the parts of structures one by one."""
    if plan is None:
        return None
    positional, defaults, nodes = plan
    try:
        return {
            "names": list(names),
            "positional": positional,
            # Of each parameter, a list of its default, or an empty one.
            "defaults": [_default(default) for default in defaults],
            "nodes": [_node(node) for node in nodes],
        }
    except ValueError:
        return None


def _default(default: Any) -> list[Any]:
    try:
        return [] if default is ... else [_value(default)]
    except ValueError:
        return []


def _value(value: Any) -> Any:
    """ValueError for what does not come back from JSON as it was."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(value)
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (tuple, list):
        return [_value(part) for part in value]
    raise ValueError(value)


def _node(node: Any) -> Any:
    if not isinstance(node, tuple):
        return node
    if node[0] == "=":
        return {"=": _value(node[1])}
    if node[0] == "t":
        return {"t": [_node(part) for part in node[1]]}
    if node[0] == "f":
        return {"f": list(node[1]), "nodes": [_node(part) for part in node[2]]}
    raise ValueError(node)


def plan_of(call: dict[str, Any]) -> tuple:
    """What ``call_text`` told, as the call path takes it."""

    def value(given: Any) -> Any:
        return tuple(map(value, given)) if isinstance(given, list) else given

    def node(given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        if "=" in given:
            return "=", value(given["="])
        if "t" in given:
            return "t", tuple(map(node, given["t"]))
        return "f", tuple(given["f"]), tuple(map(node, given["nodes"]))

    defaults = tuple(value(given[0]) if given else ... for given in call["defaults"])
    return call["positional"], defaults, tuple(map(node, call["nodes"]))
