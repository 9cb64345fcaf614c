"""Exporting, and linking an exported object into a shared library."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

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
    plain = any(given is not None for given in (file_name, function_prefix, file_path))
    if not plain and path is not None:
        name = function.signature.name if function_name is None else function_name
        function.artifact.export_object(os.fspath(path), name, facts)
        return
    folder = path if file_path is None else file_path
    twice = path is not None and file_path is not None
    if folder is None or file_name is None or function_name is not None or twice:
        given = {
            "path": path,
            "function_name": function_name,
            "file_path": file_path,
            "file_name": file_name,
            "function_prefix": function_prefix,
        }
        names = ", ".join(name for name, value in given.items() if value is not None)
        raise make_error("ExportArguments", got=names or "nothing")
    prefix = file_name if function_prefix is None else function_prefix
    function.artifact.export_c(os.fspath(folder), file_name, prefix, facts)


def _facts(function: CompiledFunction) -> list[tuple[str, str]]:
    """The defaults, as far as JSON can say them: those before one that it cannot are lost."""
    defaults: list[Any] = []
    for default in reversed(function.defaults):
        if not isinstance(default, (int, float, bool, str, type(None))):
            break
        try:
            json.dumps(default, allow_nan=False)
        except ValueError:
            break
        defaults.insert(0, default)
    return [("defaults", json.dumps(defaults))] if defaults else []


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
