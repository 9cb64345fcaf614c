"""The published Python programs: exporting without example arguments, loading, calling with keywords. With only the
device's name changed, as this is for the CPU."""

import os
import re
import subprocess
import sys

import pytest
from test_seed_programs import PROGRAMS, SHIM

PRINTED = re.compile(r"^a: \S", re.MULTILINE)


def run(folder, program, *arguments):
    text = (PROGRAMS / program).read_text().replace('device="cuda"', 'device="cpu"')
    (folder / program).write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "fairlead.compat", program, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "FAIRLEAD_TARGET": "cpu"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def artifacts(tools):
    assert run(tools.folder, "print_tensor_export.py") == ""
    return tools.folder / "artifacts"


def test_the_header_is_the_published_one(artifacts):
    text = (artifacts / "print_tensor_example.h").read_text()
    struct = re.search(r"typedef struct \{([^}]*)\} print_tensor_Tensor_a_t;", text).group(1)
    members = [line.split(";")[0].strip() for line in struct.strip().splitlines()]
    assert members == [
        "void *data",
        "int32_t dynamic_shapes[2]",
        "int64_t dynamic_strides[1]",
    ]


@pytest.mark.parametrize("kind", ["object", "library"])
def test_loading_in_python(tools, artifacts, kind):
    pytest.importorskip("torch")
    path = artifacts / "print_tensor_example.o"
    if kind == "library":
        tools.run("cc", "-shared", path, "-o", artifacts / "libprint_tensor_example.so")
        path = artifacts / "libprint_tensor_example.so"
    assert PRINTED.search(run(tools.folder, "print_tensor_load.py", str(path)))


def test_the_missing_function(tools, artifacts):
    from fairlead import cute

    module = cute.runtime.load_module(artifacts / "print_tensor_example.o")
    with pytest.raises(AttributeError, match="'non_existing_api', it has: print_tensor"):
        module.non_existing_api()


@pytest.mark.parametrize("program", ["static_linking.cpp", "dynamic_loading.cpp"])
def test_the_cpp_programs_with_it(tools, artifacts, program):
    """Their tensors have no data: it is not read when a tensor is printed so."""
    flags = [f"-I{SHIM}", f"-I{artifacts}"]
    source = (PROGRAMS / program).read_text()
    main = tools.object(source, *flags, compiler="g++", suffix=".cpp")
    if program.startswith("static"):
        built = tools.static(main, artifacts / "print_tensor_example.o")
    else:
        built = tools.shared(main, library="cute_dsl_runtime")
    assert PRINTED.search(tools.run(built).stdout)
