"""Functions whose code is not what Python makes of their file: import hooks, `exec` of texts, cells of notebooks; and
functions whose source has changed."""

import __future__

import ast
import importlib.machinery
import importlib.util
import linecache
import subprocess
import sys

import numpy as np
import pytest
from support.dsl_support import run_map

from fairlead import cute

INPUT = np.arange(-5, 6, dtype=np.int32)
SOURCE = """
def clamp(x):
    assert limit > 1, "too small"
    if x > limit:
        x = limit
    return x

limit = 2
"""
CLAMPED = [min(int(x), 2) for x in INPUT]


def traced(function):
    return run_map(cute.jit(function), np.int32, INPUT).tolist()


class _Adds(ast.NodeTransformer):
    """Adds a check to each function, as typeguard does."""

    def visit_FunctionDef(self, node):
        check = ast.parse("check_types(x)").body[0]
        node.body.insert(0, ast.copy_location(check, node.body[0]))
        return ast.fix_missing_locations(node)


def _transformed(text):
    return ast.fix_missing_locations(_Adds().visit(ast.parse(text)))


class Loader(importlib.machinery.SourceFileLoader):
    """Compile files again, with additions."""

    def source_to_code(self, data, path):
        return compile(_transformed(data), path, "exec", dont_inherit=True)


class Runner:
    """Run code with additions, without a source that shows them."""

    def __init__(self, path):
        self.path = path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.check_types = lambda value: None
        with open(self.path) as file:
            exec(compile(_transformed(file.read()), self.path, "exec"), vars(module))


@pytest.mark.parametrize("hook", ["source_to_code", "exec_module"])
def test_import_hooks_that_change_code(hook, tmp_path):
    path = tmp_path / f"hooked_{hook}.py"
    path.write_text("check_types = lambda value: None\n" * (hook == "source_to_code") + SOURCE)
    loader = Loader(path.stem, str(path)) if hook == "source_to_code" else Runner(str(path))
    spec = importlib.util.spec_from_file_location(path.stem, path, loader=loader)
    modules = [importlib.util.module_from_spec(spec) for _ in range(2)]
    for module in modules:
        loader.exec_module(module)
    assert traced(modules[0].clamp) == CLAMPED
    path.write_text(path.read_text().replace("return x", "return x + y"))
    with pytest.raises(RuntimeError, match="the source of `clamp` has changed"):
        traced(modules[1].clamp)


def test_assertions_that_pytest_rewrites(tmp_path):
    """In a process of its own: the tests are written while it runs."""
    script = tmp_path / "script.py"
    script.write_text(
        """
import sys
import fairlead._tracing.source  # notes when it was imported
import pytest
with open("test_written.py", "w") as file:
    file.write('''
import numpy as np
from fairlead import cute, Int32

@cute.jit
def clamp(x):
    assert limit > 1, "too small"
    if x > limit:
        x = limit
    return x

limit = 2

@cute.jit
def host(x: Int32, out: cute.Tensor):
    assert x is not None
    out[0] = clamp(x)

def test_clamp():
    out = np.zeros(1, np.int32)
    host(5, out)
    assert out[0] == 2
''')
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "test_written.py"]))
"""
    )
    found = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "1 passed" in found.stdout


def run_text(text, name, scope, flags=0, made=None):
    """Runs a text as notebooks do: its lines are kept under a name of its own."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(made or text, name, "exec", flags), scope)
    return scope


@pytest.fixture
def name(tmp_path):
    """The name of a cell; ipykernel writes cells to such files when its debugger asks for them."""
    path = str(tmp_path / "123.py")
    yield path
    linecache.cache.pop(path, None)


def test_cells_of_notebooks(name):
    scope = run_text(SOURCE, name, {})
    assert traced(scope["clamp"]) == CLAMPED
    with open(name, "w") as file:  # the file says something else
        file.write("pass\n")
    assert traced(scope["clamp"]) == CLAMPED


def test_cells_with_await_and_flags(name):
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | __future__.annotations.compiler_flag
    text = "async def nothing():\n    pass\n" + SOURCE + "if limit < 0:\n    await nothing()\n"
    scope = {}
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    made = compile(text, name, "exec", flags)
    made = next(code for code in made.co_consts if getattr(code, "co_name", "") == "clamp")
    scope["limit"] = 2
    assert traced(type(run_text)(made, scope)) == CLAMPED


def test_cells_whose_trees_are_changed(name):
    scope = {"check_types": lambda value: None}
    assert traced(run_text(SOURCE, name, scope, made=_transformed(SOURCE))["clamp"]) == CLAMPED


def test_a_cell_that_was_run_again_with_another_text(name):
    old = run_text(SOURCE, name, {})["clamp"]
    new = run_text(SOURCE.replace("x = limit", "x = limit + 1"), name, {})["clamp"]
    assert traced(new) == [int(x) if x <= 2 else 3 for x in INPUT]
    with pytest.raises(RuntimeError, match="the source of `clamp` has changed"):
        traced(old)


def test_files_that_are_edited(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("edited", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text(SOURCE.replace("x = limit\n", "x = -limit\n"))
    with pytest.raises(RuntimeError, match="the source of `clamp` has changed"):
        traced(module.clamp)
