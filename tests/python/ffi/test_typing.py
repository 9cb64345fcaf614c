"""The types of the package, as a user's type checker sees them, and that they tell the truth."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from support import type_checkers

from fairlead import ffi

SCRIPT = Path(__file__).with_name("user_script.py")
WRONG = """
from fairlead import ffi

number: int = ffi.get_global_func("x")
ffi.from_dlpack(0, alignment=3)
ffi.dtype("int8").itemsize.nothing
ffi.load_module(3)
text: str = ffi.from_dlpack(0).numel()
ffi.no_such_name
ffi.structural_walk([1], order=3)
ffi.dataclasses.fields()
"""


#: Modules whose public names a type checker knows.
MODULES = (
    *("access_path", "container", "core", "cpp", "dataclasses", "error", "libinfo", "module"),
    *("registry", "serialization", "stream", "structural", "utils", "utils.kwargs_wrapper"),
    *("utils.lockfile", "utils.unpack_dataclass"),
)


def every_name():
    """A script that uses every public name."""
    lines = ["from typing import Any", "from fairlead import ffi"]
    uses = [f"ffi.{name}" for name in sorted(ffi.__all__)]
    for name in MODULES:
        alias = name.replace(".", "_")
        lines.append(f"import fairlead.ffi.{name} as {alias}_module")
        module = importlib.import_module(f"fairlead.ffi.{name}")
        uses += [f"{alias}_module.{each}" for each in module.__all__]
    assert len(uses) > 150
    return "\n".join([*lines, "names: list[Any] = [", *(f"    {use}," for use in uses), "]", ""])


@pytest.mark.timeout(300)
def test_mypy(package_dir, tmp_path):
    names = tmp_path / "names.py"
    names.write_text(every_name())
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    output = type_checkers.mypy_of_programs([SCRIPT, names, wrong], package_dir, strict=True)
    # Each of the mistakes, so the types are more than Any; and nothing in the other programs.
    assert type_checkers.mypy_lines(output) == {"wrong.py": list(range(4, 12))}, output
    subprocess.run([sys.executable, str(names)], check=True)


def test_script_runs(kernels_path):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(kernels_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1:] == [
        *("7", "19", "10", "4096", "text"),
        *("found<root>[1]", "12", "6", "True"),
    ]


def test_all_names_are_there():
    for name in ffi.__all__:
        assert hasattr(ffi, name), name


def _stubbed():
    """The extension's stub has functions by name with their arguments, and classes with their members."""
    source = Path(ffi.__file__).absolute().parent.parent / "_core.pyi"
    functions, classes = {}, {}
    for node in ast.parse(source.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            given = node.args
            functions[node.name] = [
                each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)
            ]
        elif isinstance(node, ast.ClassDef):
            classes[node.name] = {
                each.name if isinstance(each, ast.FunctionDef) else each.target.id
                for each in node.body
                if isinstance(each, (ast.FunctionDef, ast.AnnAssign))
            }
    return functions, classes


def test_stub_of_the_extension():
    """The stub has every function, with its arguments, and every public member of the classes, and nothing else."""
    from fairlead import _core

    functions, classes = _stubbed()
    there = {name for name, each in vars(_core).items() if inspect.isbuiltin(each)}
    assert set(functions) == there
    for name, arguments in functions.items():
        text = getattr(_core, name).__text_signature__
        assert text, name
        (shown,) = ast.parse(f"def f{text}: ...").body
        shown = [
            each.arg for each in (*shown.args.posonlyargs, *shown.args.args, *shown.args.kwonlyargs)
        ]
        if name == "make_function":  # Its overloads have the argument `cls` or not.
            shown, arguments = set(shown) - {"cls"}, set(arguments) - {"cls"}
        assert shown == arguments, name
    for name, members in classes.items():
        cls = getattr(_core, name)
        missing = {each for each in members if not hasattr(cls, each)}
        assert not missing - {"__dict__", "__name__"}, (name, missing)
        public = {each for each in vars(cls) if not each.startswith("_")}
        assert public <= members, (name, public - members)
