"""Exporting, and linking an exported object into a shared library."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

from fairlead._compiler import sealed
from fairlead.cute.runtime import find_runtime_libraries
from fairlead.errors import make_error

if TYPE_CHECKING:
    from fairlead.cute._compile import CompiledFunction


def export(
    function: CompiledFunction,
    path: str | os.PathLike[str] | None,
    file_name: str | None,
    function_prefix: str | None,
    file_path: str | os.PathLike[str] | None,
    function_name: str | None,
) -> None:
    """``CompiledFunction.export_to_c``."""
    facts = _facts(function)
    given = {
        "path": path,
        "function_name": function_name,
        "file_path": file_path,
        "file_name": file_name,
        "function_prefix": function_prefix,
    }
    _require_texts(given)
    plain = any(given is not None for given in (file_name, function_prefix, file_path))
    if not plain and path is not None:
        name = function.signature.name if function_name is None else function_name
        function.artifact.export_object(os.fsdecode(path), name, facts)
        return
    folder = path if file_path is None else file_path
    twice = path is not None and file_path is not None
    if folder is None or file_name is None or function_name is not None or twice:
        names = ", ".join(name for name, value in given.items() if value is not None)
        raise make_error("ExportArguments", got=names or "nothing")
    plan = function._plan
    for name, node in zip(function.arg_names, plan[2], strict=True) if plan else ():
        if _is_custom(node):
            reason = f"parameter `{name}` is of a custom type, which C has none for"
            raise make_error("ExportType", signature=str(function.signature), reason=reason)
    prefix = file_name if function_prefix is None else function_prefix
    function.artifact.export_c(os.fsdecode(folder), file_name, prefix, facts)


def _require_texts(given: dict[str, Any]) -> None:
    """ExportArguments for a name that is no text or a path that is none, ExportPath for one that no file has."""
    for name, value in given.items():
        kinds = (str, bytes, os.PathLike) if name.endswith("path") else str
        if value is not None and not isinstance(value, kinds):
            raise make_error("ExportArguments", got=f"{name} of type {type(value).__name__}")
        if value is not None and "\0" in os.fsdecode(value):
            reason = f"{name} holds a null character"
            raise make_error("ExportPath", path=repr(os.fsdecode(value))[1:-1], reason=reason)


def _is_custom(node: Any) -> bool:
    """Whether a part of a call's plan is an object of the argument protocol."""
    return isinstance(node, tuple) and (
        node[0] == "c" or (node[0] != "=" and any(map(_is_custom, node[-1])))
    )


def _facts(function: CompiledFunction) -> list[tuple[str, str]]:
    """What only Python knows of the function, for the metadata."""
    facts = {
        "defaults": _defaults(function.defaults),
        "call": _call(function.arg_names, function._plan),
        "narrow_strides": function._narrow_strides,
    }
    return [(name, json.dumps(value, allow_nan=False)) for name, value in facts.items() if value]


def _defaults(given: tuple[Any, ...]) -> list[Any]:
    """The defaults, as far as JSON can say them: those before one that it cannot are lost."""
    defaults: list[Any] = []
    for default in reversed(given):
        try:
            defaults.insert(0, _value(default))
        except ValueError:
            break
    return defaults


def _call(names: tuple[str, ...], plan: tuple | None) -> dict[str, Any] | None:
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
    """What ``_call`` told, as the call path takes it."""

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


def link_library(function: CompiledFunction, path: str, name: str | None, compiler: str) -> None:
    """Writes ``path``; NoCompiler where ``compiler`` is not found, LinkFailed with its output where it fails."""
    program = shutil.which(compiler)
    if program is None:
        raise make_error("NoCompiler", path=path, compiler=compiler)
    with tempfile.TemporaryDirectory() as folder:
        object_file = os.path.join(folder, "function.o")
        function.export_to_c(object_file, function_name=name)
        command = [
            program,
            "-shared",
            "-o",
            path,
            object_file,
            *find_runtime_libraries(enable_tvm_ffi=True),
        ]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise make_error(
            "LinkFailed",
            path=path,
            compiler=compiler,
            output=(result.stderr or result.stdout).strip(),
        )
    seal(path)


def seal(path: str) -> None:
    """Puts the checksum of a linked library behind it, which whoever loads the library verifies."""
    with open(path, "rb") as file:
        data = sealed(file.read())
    with open(path, "wb") as file:
        file.write(data)
