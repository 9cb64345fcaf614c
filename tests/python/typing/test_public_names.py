"""Type checkers know exactly the names that exist at run time."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import subprocess
import sys

import public_names
import pytest
from public_api import MODULES
from support import type_checkers


@functools.cache
def names_at_run_time(module: str) -> list[str]:
    """Return the public names that completion offers for a module that nothing else has used."""
    program = (
        f"import importlib; module = importlib.import_module({module!r})\n"
        "names = dir(module) if '__dir__' in vars(module) else module.__all__\n"
        "print(*(name for name in names if not name.startswith('_')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("package", public_names.PACKAGES)
def test_stub_is_current(package):
    assert public_names.stub_path(package).read_text() == public_names.stub(package)


@pytest.mark.parametrize("package", public_names.PACKAGES)
def test_names_of_stub_are_there(package):
    module = importlib.import_module(package)
    tree = ast.parse(public_names.stub_path(package).read_text())
    names = [
        alias.asname
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        # Modules of frameworks, which need not be installed.
        if alias.name not in ("jax", "torch")
    ]
    assert len(names) > 50
    assert [name for name in names if not hasattr(module, name)] == []


@pytest.mark.parametrize("name", MODULES)
def test_names_for_type_checkers_are_there(name):
    """Names that a module imports for type checkers alone."""
    names = names_at_run_time(name)
    module = importlib.import_module(name)
    imported = [
        alias.asname or alias.name
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    ]
    offered = getattr(module, "__all__", [])
    assert [each for each in imported if each in offered and each not in names] == []
    assert [each for each in offered if not hasattr(module, each)] == []


def test_every_name_is_known_to_mypy(package_dir, tmp_path):
    uses = [f"{module}.{name}" for module in MODULES for name in names_at_run_time(module)]
    assert len(uses) > 900
    program = tmp_path / "names.py"
    lines = [*(f"import {module}" for module in MODULES), "names: list[object] = ["]
    program.write_text("\n".join([*lines, *(f"    {use}," for use in uses), "]", ""]))
    output = type_checkers.mypy_of_programs([program], package_dir)
    unknown = type_checkers.mypy_lines(output).get("names.py", [])
    assert [uses[line - len(lines) - 1] for line in unknown] == []
    assert output.startswith("Success"), output


def test_signature_of_compile_is_known():
    from fairlead import cute

    assert [*inspect.signature(cute.compile).parameters] == [
        "function",
        "args",
        "options",
        "kwargs",
    ]
