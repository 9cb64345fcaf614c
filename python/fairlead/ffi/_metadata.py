"""The metadata of a function: names and defaults of its arguments, and whether its tensors may be views.

Names come from the first of these that has them:

- ``fairlead`` of the metadata, which compiled functions have: ``call``, the text of a CallDescription, unless an
  argument is a structure: then ``arg_names`` of the entry;
- ``arg_names`` and ``defaults`` of the metadata itself, lists or the JSON text of lists, as authors of libraries
  register them: ``refl::Metadata{{"arg_names", R"(["a", "b"])"}, {"defaults", "[1]"}}``; names may be a text
  such as ``a, b``;
- the first line of the documentation, as Python's builtin functions have theirs: ``scale(x, factor=1.0)``, ``--``, and
  an empty line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fairlead._core import CallDescription, Function
from fairlead._exported.format import require_format
from fairlead.ffi._writes import note_writes

__all__ = ["describe", "describe_callable", "metadata_of", "parse"]

_VIEW_TYPES = {"DLTensor*", "TensorView", "ffi.TensorView"}
_VALUE_TYPES = {"int", "float", "bool", "None", "void*", "DataType", "Device"}


def parse(text: str | bytes, name: str) -> Any:
    """Return the metadata of function ``name``, a dict. ValueError if it is none."""
    import json  # Only modules need it, and importing it takes a while.

    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the metadata of function {name!r} is no JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise ValueError(f"the metadata of function {name!r} is no JSON object: {text[:80]!r}")
    details = parsed.get("fairlead") or {}
    if not isinstance(details, dict) or not isinstance(details.get("arg_names", []), list):
        raise ValueError(f"the metadata of function {name!r} is damaged: `fairlead` is {details!r}")
    return parsed


def describe(
    function: Function, name: str, metadata: dict[str, Any] | None, doc: str | None = None
) -> None:
    """Tells the function what its metadata and documentation tell."""
    configuration: dict[str, Any] = {"name": name}
    parameters: list[Any] | None = None
    details: dict[str, Any] = {}
    if metadata:
        details = metadata.get("fairlead") or {}
        require_format(details, f"function {name!r}")
        parameters = _parameters(metadata.get("type_schema"))
        views = "call" in details or (parameters is not None and all(map(_is_view, parameters)))
        configuration["views"] = bool(details.get("views", views))
        configuration["signature"] = details.get("signature")
        if details:
            configuration["env_allocator"] = False
            # The data for operators and calls of frameworks; absent in files of older releases.
            function.__dict__["_exported"] = {
                key: details[key]
                for key in ("text", "accesses", "targets", "operator")
                if key in details
            }
        if details.get("doc"):
            function.__doc__ = details["doc"]
        if "writes" in details:
            _note_writes(function, name, details)
    call = _call(name, details)
    if call is not None:
        function._configure(**configuration, call=call)
        return
    named = _named(name, metadata or {})
    if named and not details and parameters is not None and len(named[0]) != len(parameters):
        raise ValueError(
            f"the metadata of function {name!r} names {len(named[0])} arguments, but its type has "
            f"{len(parameters)}"
        )
    if named is None and doc:
        named = _from_doc(doc)
        # Text that only looks like a signature is text.
        if named is not None and parameters is not None and len(named[0]) != len(parameters):
            named = None
    if named is not None:
        configuration["arg_names"], configuration["defaults"] = named
    function._configure(**configuration)


def _arguments(callable: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[Any, ...]] | None:
    """Names and the defaults of the last of them, of a Python callable; None where a call by place is all it takes."""
    import inspect

    try:
        parameters = list(inspect.signature(callable).parameters.values())
    except (TypeError, ValueError):
        return None
    kinds = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY}
    if any(parameter.kind not in kinds for parameter in parameters):
        return None
    empty = inspect.Parameter.empty
    return (
        tuple(parameter.name for parameter in parameters),
        tuple(parameter.default for parameter in parameters if parameter.default is not empty),
    )


def describe_callable(function: Function, callable: Callable[..., Any]) -> bool:
    """Tells a function what its callable tells of the arguments, and whether that is anything."""
    description = _arguments(callable)
    if description is None:
        return False
    function._configure(arg_names=description[0], defaults=description[1])
    return True


def metadata_of(callable: Callable[..., Any]) -> str:
    """Return the metadata to register for a callable, as JSON; empty without any, or if a default has no JSON."""
    description = _arguments(callable)
    if description is None or not description[0]:
        return ""
    if not all(
        default is None or type(default) in (bool, int, float, str) for default in description[1]
    ):
        return ""
    import json

    try:
        return json.dumps(
            {"arg_names": list(description[0]), "defaults": list(description[1])}, allow_nan=False
        )
    except ValueError:
        return ""


def _call(name: str, details: dict[str, Any]) -> CallDescription | None:
    """How a compiled function is called; None if the metadata does not tell."""
    if "call" not in details:
        return None
    try:
        return CallDescription.from_text(details["call"])
    except ValueError as error:
        raise ValueError(f"the metadata of function {name!r} is damaged: {error}") from None


def _note_writes(function: Function, name: str, details: dict[str, Any]) -> None:
    try:
        note_writes(function, details["writes"], len(details.get("arg_names", ())))
    except ValueError as error:
        raise ValueError(f"the metadata of function {name!r} is damaged: {error}") from None


def _named(name: str, metadata: dict[str, Any]) -> tuple[tuple[str, ...], tuple[Any, ...]] | None:
    """Names and the defaults of the last of them; None without names."""
    source = metadata.get("fairlead") or metadata
    if "arg_names" not in source:
        return None
    names = _list(name, "arg_names", source["arg_names"])
    defaults = _list(name, "defaults", source.get("defaults", ()))
    for entry in names:
        if not isinstance(entry, str):
            raise ValueError(
                f"the metadata of function {name!r} has the argument name {entry!r}, expected text"
            )
    if len(set(names)) != len(names):
        raise ValueError(f"the metadata of function {name!r} has an argument name twice: {names}")
    if len(defaults) > len(names):
        raise ValueError(
            f"the metadata of function {name!r} has {len(defaults)} defaults for {len(names)} arguments"
        )
    return tuple(names), tuple(defaults)


def _list(name: str, key: str, value: object) -> Sequence[Any]:
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, str):
        import json

        try:
            entries = json.loads(value)
        except ValueError:
            if key == "arg_names":
                return [part.strip() for part in value.split(",") if part.strip()]
            entries = None
        if isinstance(entries, list):
            return entries
    raise ValueError(
        f"the metadata of function {name!r} has {key} {value!r}, expected a JSON list or its text"
    )


def _from_doc(doc: str) -> tuple[tuple[str, ...], tuple[Any, ...]] | None:
    head, mark, _ = doc.partition("\n--\n")
    if not mark or "\n" in head.strip():
        return None
    import ast

    try:
        (definition,) = ast.parse(f"def {head.strip()}: ...").body
    except SyntaxError:
        return None
    if not isinstance(definition, ast.FunctionDef):
        return None
    arguments = definition.args
    if arguments.vararg or arguments.kwarg:
        return None
    names = [
        argument.arg
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    ]
    expressions = [*arguments.defaults, *arguments.kw_defaults]
    if len(arguments.defaults) and None in arguments.kw_defaults:
        return None  # A default before an argument without one has no place.
    try:
        return tuple(names), tuple(
            ast.literal_eval(expression) for expression in expressions if expression
        )
    except ValueError:
        return None


def _parameters(schema: str | None) -> list[Any] | None:
    """The types of the parameters; None where the schema does not tell."""
    if not schema or not isinstance(schema, str):
        return None
    import json

    try:
        parsed = json.loads(schema)
    except ValueError:
        return None
    if not isinstance(parsed, dict) or parsed.get("type") != "ffi.Function":
        return None
    named = parsed.get("named_args")
    # The releases before 0.1.15 have the result and the parameters in one list.
    schemas = named.get("params") if isinstance(named, dict) else (parsed.get("args") or [None])[1:]
    if not isinstance(named, dict) and "args" not in parsed:
        return None
    return schemas if isinstance(schemas, list) else None


def _is_view(parameter: object) -> bool:
    """True if a parameter is a view of a tensor or a plain value, which the function cannot keep."""
    if not isinstance(parameter, dict):
        return False
    kind = parameter.get("type")
    if kind in ("Optional", "Union"):
        return _all_views(parameter.get("args", ()))
    return kind in _VIEW_TYPES or kind in _VALUE_TYPES


def _all_views(parameters: Iterable[Any]) -> bool:
    parameters = list(parameters)
    return bool(parameters) and all(map(_is_view, parameters))
