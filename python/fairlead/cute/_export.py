"""Linking an exported object into a shared library."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING

from fairlead.cute.runtime import find_runtime_libraries
from fairlead.errors import make_error

if TYPE_CHECKING:
    from fairlead.cute._compile import CompiledFunction


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
