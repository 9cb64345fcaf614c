"""Commands of pages that compile and run programs: each runs as written, next to the files that its page names."""

import os
import re
import shutil
import stat
import subprocess
import sys

import numpy as np
import pytest
from test_other_blocks import FENCED, PAGES, ROOT, shell

from fairlead import cute

TOOL = re.compile(r"(?:gcc|g\+\+|cc|c\+\+|clang|nvcc|python|cmake|pip|ld)\s")
#: Lines for other programs: pip and CMake of a reader's project, nvcc, whole services.
ELSEWHERE = {
    "CONTRIBUTING.md": "building this repository, which continuous integration does",
    "cache.md": "services of the reader; tests/python/cache runs such programs",
    "debug.md": "tests/python/dsl/checks runs programs in these ways",
    "README.md": "examples/*/README.md: tests/install and tests/gpu build these examples",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, where `fairlead-config` and `python` are those of this build."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, run in (("fairlead-config", "-m fairlead.config"), ("python", "")):
        tool = tools / name
        tool.write_text(f'#!/bin/sh\nexec {sys.executable} {run} "$@"\n')
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu")
    monkeypatch.delenv("FAIRLEAD_NO_CACHE", raising=False)  # which the tests set
    work = tmp_path / "work"
    work.mkdir()
    return work


def page(name):
    return (ROOT / "docs" / name).read_text()


def program(name, file):
    """The block of a page that begins with the file's name in a comment."""
    (found,) = (body for _, body in FENCED.findall(page(name)) if body.startswith(f"// {file}\n"))
    return found


def block(name, text):
    """The block of Python of a page that contains a text."""
    (found,) = (
        body for kind, body in FENCED.findall(page(name)) if kind == "python" and text in body
    )
    return found


def line(name, text):
    """The command of a page that contains a text, with the variables that it sets."""
    lines = [
        each
        for kind, body in FENCED.findall(page(name))
        if kind == "sh"
        for each in body.splitlines()
    ]
    (found,) = (each for each in lines if text in each)
    return found


def run(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def add_one(path):
    @cute.jit
    def add_one(x: cute.Tensor, y: cute.Tensor):
        y[:] = x[:] + 1.0

    vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
    compiled = cute.compile(add_one, vector, vector, options="--target cpu")
    compiled.export_to_c(str(path), function_name="add_one")


def adds_one(path):
    x, y = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    cute.runtime.load_module(str(path)).add_one(x, y)
    return y.tolist() == [1, 2, 3]


needs_gcc = pytest.mark.skipif(shutil.which("g++") is None, reason="needs gcc and g++")


@needs_gcc
@pytest.mark.parametrize("name", ["artifact.md", "export.md"])
def test_an_object_becomes_a_library(name, folder):
    command = line(name, "gcc -shared")
    target, source = re.search(r"-o (\w+\.so) (\w+\.o)", command).groups()
    add_one(folder / source)
    run(command, folder)
    assert adds_one(folder / target)


@needs_gcc
@pytest.mark.parametrize("source", ["main.c", "load.c"])
def test_programs_in_c_call_an_exported_function(source, folder):
    (folder / "export.py").write_text(block("export.md", "def print_tensor"))
    run("python export.py", folder)
    (folder / source).write_text(program("export.md", source))
    printed = run(line("export.md", f"gcc {source}"), folder)
    assert re.findall(r"[1-6]\.0+", printed) == [f"{each}.000000" for each in range(1, 7)], printed


@needs_gcc
def test_a_folder_is_shipped(folder):
    add_one(folder / "add_one.o")
    run(line("artifact.md", "gcc -shared").replace("add_one.so", "libadd_one.so"), folder)
    (folder / "sum.cpp").write_text(program("export.md", "sum.cpp"))
    run(line("deployment.md", "g++"), folder)
    run(line("deployment.md", "cp libadd_one.so"), folder)
    shipped = folder.parent / "elsewhere"
    (folder / "ship").rename(shipped)
    assert run("./sum", shipped) == "2 3 4\n"
    assert str(shipped) in run("ldd ./sum | grep tvm_ffi", shipped)


@needs_gcc
def test_a_kernel_library_is_built(folder):
    (folder / "k.cpp").write_text(program("kernel-libraries.md", "k.cpp"))
    run(line("kernel-libraries.md", "k.cpp"), folder)
    assert adds_one(folder / "k.so")
    with pytest.raises(ValueError, match="two contiguous float32 vectors"):
        cute.runtime.load_module(str(folder / "k.so")).add_one(np.zeros(2), np.zeros(2))


@needs_gcc
def test_a_kernel_in_cpp_is_built_and_right(folder):
    shutil.copy(ROOT / "examples" / "cpp" / "tiled_matmul.cpp", folder)
    assert "elements are right" in run(line("start.md", "tiled_matmul.cpp"), folder)


def test_a_cache_is_filled_and_served_from(folder):
    source = block("howto.md", "def double")
    (folder / "warm_up.py").write_text(source)
    (folder / "serve.py").write_text(source + "\nprint(compiled.cached)\n")
    fill, serve = line("howto.md", "warm_up.py"), line("howto.md", "serve.py")
    # A second machine has its own, empty folder of the cache.
    serve = f"FAIRLEAD_CACHE_DIR=$PWD/empty {serve}"
    failed = subprocess.run(["bash", "-c", serve], cwd=folder, capture_output=True, text=True)
    assert failed.returncode and "FAIRLEAD_NEVER_COMPILE" in failed.stderr
    run(fill, folder)
    assert run(serve, folder) == "True\n"


RUN = {
    ("artifact.md", "gcc -shared"),
    ("export.md", "gcc -shared"),
    ("export.md", "gcc main.c"),
    ("export.md", "gcc load.c"),
    ("export.md", "g++ -std=c++17 sum.cpp"),  # tests/install/test_config.py
    ("kernel-libraries.md", "g++ -shared"),
    ("start.md", "g++ -O2 tiled_matmul.cpp"),
    ("start.md", "pip install"),  # tests/install
    ("howto.md", "python warm_up.py"),
    ("howto.md", "python serve.py"),
    # tests/python/cache/test_no_compile_after_start.py
    ("deployment.md", "python warm_up.py"),
    ("deployment.md", "pip install dist/"),
    ("coverage.md", "pip install coverage"),  # tests/python/cli/test_coverage.py
}


def test_no_command_is_forgotten():
    commands = {
        (each.name, text)
        for each in PAGES
        if each.name not in ELSEWHERE
        for text in shell(each)
        if TOOL.match(text)
    }
    assert [
        entry
        for entry in commands
        if not any(entry[0] == name and entry[1].startswith(text) for name, text in RUN)
    ] == []
    for name, text in RUN:
        assert any(entry[0] == name and entry[1].startswith(text) for entry in commands), text
