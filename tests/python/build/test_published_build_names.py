"""The build helpers under the names of programs written for tvm_ffi."""

import subprocess
import sys

import pytest
from support import apache

_PROGRAM = """
import fairlead.compat
import tvm_ffi
from tvm_ffi import cpp
from tvm_ffi.cpp import nvrtc
import tvm_ffi.cpp.nvrtc, tvm_ffi.cpp._cache, tvm_ffi.utils.embed_cubin
import fairlead.ffi.cpp
assert cpp is tvm_ffi.cpp is fairlead.ffi.cpp
assert nvrtc is fairlead.ffi.cpp.nvrtc is sys.modules["tvm_ffi.cpp.nvrtc"]
assert cpp.__spec__.name == "fairlead.ffi.cpp" and cpp.__name__ == "fairlead.ffi.cpp"
try:
    import tvm_ffi.nothing
except ModuleNotFoundError as error:
    print(error)
"""


@pytest.mark.skipif(apache.package() is not None, reason="the real one is here")
def test_imports_are_the_same_modules():
    command = [sys.executable, "-c", "import sys\n" + _PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "No module named 'tvm_ffi.nothing'\n"


def test_signatures():
    """Every argument of the published functions, by keyword, with its default."""
    import inspect

    from fairlead.ffi import cpp

    shared = (
        "extra_cflags extra_cuda_cflags extra_ldflags extra_include_paths build_directory backend"
    )
    inline = f"{shared} cpp_sources cuda_sources functions embed_cubin"
    files = f"{shared} sources cpp_files cuda_files"
    expected = {
        "load_inline": f"{inline} keep_module_alive",
        "build_inline": f"{inline} output",
        "load": f"{files} keep_module_alive",
        "build": f"{files} output",
    }
    for name, words in expected.items():
        parameters = dict(inspect.signature(getattr(cpp, name)).parameters)
        parameters.pop("name")
        assert set(parameters) == set(words.split()), name
        assert all(p.kind is p.KEYWORD_ONLY for p in parameters.values())
        defaults = {p.name: p.default for p in parameters.values()}
        assert defaults.pop("keep_module_alive", True) is True
        assert set(defaults.values()) == {None}
