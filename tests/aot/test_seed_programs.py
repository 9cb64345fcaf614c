"""The published C++ programs, as printed, for a function compiled for the CPU."""

from pathlib import Path

import aot_kernels
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "seeds" / "aot"
SHIM = Path(__file__).resolve().parent / "shim"


@pytest.fixture
def artifacts(tools):
    aot_kernels.compiled_print().export_to_c(
        file_path=tools.folder / "artifacts",
        file_name="print_tensor_example",
        function_prefix="print_tensor",
    )
    return tools.folder / "artifacts"


@pytest.mark.parametrize("compiler", ["g++", "clang++-22"])
def test_static_linking(tools, artifacts, compiler):
    main = tools.object(
        (PROGRAMS / "static_linking.cpp").read_text(),
        f"-I{SHIM}",
        f"-I{artifacts}",
        compiler=compiler,
        suffix=".cpp",
    )
    program = tools.static(main, artifacts / "print_tensor_example.o")
    assert tools.run(program).stdout == "a: 32 by 16\n"


@pytest.mark.parametrize("kind", ["object", "library"])
def test_dynamic_loading(tools, artifacts, kind):
    path = artifacts / "print_tensor_example.o"
    if kind == "library":
        # The published form does not say what it needs.
        tools.run("cc", "-shared", path, "-o", artifacts / "libprint_tensor_example.so")
        path = artifacts / "libprint_tensor_example.so"
    main = tools.object(
        (PROGRAMS / "dynamic_loading.cpp").read_text(), f"-I{SHIM}", compiler="g++", suffix=".cpp"
    )
    program = tools.shared(main, library="cute_dsl_runtime")
    assert tools.run(program, path).stdout == "a: 32 by 16\n"
