"""How a function is called, as JSON can say it: what an exported function's metadata has."""

from __future__ import annotations

import math
from typing import Any

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import CallDescription, Form


def is_custom(form: Form) -> bool:
    """Whether a part of an argument is an object of the argument protocol."""
    return form.kind == "custom" or any(map(is_custom, form.children))


def defaults_text(given: tuple[Any, ...]) -> list[Any]:
    """The defaults, as far as JSON can say them: those before one that it cannot are lost."""
    defaults: list[Any] = []
    for default in reversed(given):
        try:
            defaults.insert(0, _value(default))
        except ValueError:
            break
    return defaults


def call_text(call: CallDescription) -> dict[str, Any] | None:
    """How a function is called; None where ``defaults`` and the names of its arguments say it all, or where it is not
    JSON's to say: then a loaded function takes the parts of structures one by one."""
    if call.is_plain:
        return None
    try:
        return {
            "names": list(call.names),
            "positional": call.num_positional,
            # Of each parameter, a list of its default, or an empty one.
            "defaults": [_default(default) for default in call.defaults],
            "nodes": [_node(form) for form in call.forms] if call.forms else [0] * len(call.names),
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


def _node(form: Form) -> Any:
    match form.kind:
        case "argument":
            return 0
        case "omitted":
            return 1
        case "none":
            return None
        case "constant":
            return {"=": _value(form.value), **({"none": 1} if form.children else {})}
        case "tuple":
            return {"t": [_node(child) for child in form.children]}
        case "fields":
            return {"f": list(form.value), "nodes": [_node(child) for child in form.children]}
    raise ValueError(form)


def description_of(call: dict[str, Any]) -> CallDescription:
    """What ``call_text`` told. ValueError or TypeError where it told something else."""

    def value(given: Any) -> Any:
        return tuple(map(value, given)) if isinstance(given, list) else given

    def form(given: Any) -> Form:
        if not isinstance(given, dict):
            return Form("none" if given is None else "omitted" if given == 1 else "argument")
        if "=" in given:
            told = (Form("none"),) if "none" in given else ()
            return Form("constant", value(given["="]), told)
        if "t" in given:
            return Form("tuple", None, tuple(map(form, given["t"])))
        return Form("fields", tuple(given["f"]), tuple(map(form, given["nodes"])))

    defaults = tuple(value(given[0]) if given else ... for given in call["defaults"])
    forms = tuple(map(form, call["nodes"]))
    return CallDescription(call["names"], defaults, call["positional"], forms)
