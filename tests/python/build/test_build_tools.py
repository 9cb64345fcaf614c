"""Missing and failing tools, places that cannot be written, CUDA."""

import os
import pty
import re
import subprocess
import sys

import numpy as np
import pytest
from support.build_support import compiled, plain

from fairlead.ffi import cpp
from fairlead.ffi.cpp import _toolchain


def test_compiler_errors_are_whole():
    lines = [f"undeclared_{i}();" for i in range(40)]
    source = "void f() {\n" + "\n".join(lines) + "\n}"
    with pytest.raises(cpp.BuildError) as caught:
        cpp.build_inline("broken", cpp_sources=[source, plain("g", 1)])
    text = str(caught.value)
    assert "ninja exited with status 1" in text and "FAILED: 0_main.cpp.o" in text
    assert "g++" in text.splitlines()[2] and " -c " in text.splitlines()[2]
    assert all(line.split("(")[0] in text for line in lines)


def test_linker_errors_are_whole():
    with pytest.raises(cpp.BuildError, match="no_such_library"):
        cpp.build_inline("unlinked", cpp_sources=plain("f", 1), extra_ldflags=["-lno_such_library"])


def test_a_failed_build_can_be_mended(tmp_path):
    source = tmp_path / "source.cpp"
    source.write_text("broken")
    with pytest.raises(cpp.BuildError):
        cpp.build("mended", sources=[source])
    source.write_text(plain("f", 4))
    assert cpp.load("mended", sources=[source]).f() == 4


def test_a_missing_compiler(only_tools):
    only_tools("ninja")
    with pytest.raises(
        cpp.BuildError, match=r"need a C\+\+ compiler.*looked for g\+\+, c\+\+, clang"
    ):
        cpp.build_inline("none", cpp_sources="")


def test_a_missing_given_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-cxx -O1")
    with pytest.raises(cpp.BuildError, match=r"\$CXX is 'no-such-cxx -O1'"):
        cpp.build_inline("none", cpp_sources="")


def test_a_compiler_that_fails(monkeypatch):
    monkeypatch.setenv("CXX", "false")
    with pytest.raises(cpp.BuildError, match="false --version failed with status 1"):
        cpp.build_inline("none", cpp_sources="")


def test_a_missing_ninja(only_tools, monkeypatch):
    only_tools("g++", "as", "ld")
    monkeypatch.setitem(sys.modules, "ninja", None)
    with pytest.raises(cpp.BuildError, match="needs ninja.*pip install ninja"):
        cpp.build_inline("none", cpp_sources="")


def test_ninja_of_its_package(only_tools, monkeypatch, tmp_path):
    import shutil
    import types

    real = shutil.which("ninja")
    if real is None:
        pytest.skip("needs ninja")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ninja").symlink_to(real)
    only_tools("g++", "as", "ld", "sh")
    package = types.ModuleType("ninja")
    package.BIN_DIR = str(tmp_path / "bin")
    monkeypatch.setitem(sys.modules, "ninja", package)
    assert _toolchain.ninja() == str(tmp_path / "bin" / "ninja")
    assert cpp.load_inline("packaged", cpp_sources=plain("f", 6)).f() == 6


def test_a_missing_nvcc(monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    with pytest.raises(cpp.BuildError, match="CUDA sources need nvcc.*embed_cubin"):
        cpp.build_inline("none", cuda_sources="")


def test_no_architecture(needs_nvcc, monkeypatch):
    monkeypatch.delenv("TVM_FFI_CUDA_ARCH_LIST")
    monkeypatch.setattr(_toolchain, "all_archs", list)
    with pytest.raises(cpp.BuildError, match="set TVM_FFI_CUDA_ARCH_LIST"):
        cpp.build_inline("none", cuda_sources="")


@pytest.mark.parametrize(
    "text, archs",
    [
        ("9.0a", ["90a"]),
        ("9.0a 10.0a", ["90a", "100a"]),
        ("8.0;8.6,9.0+PTX", ["80", "86", "90+PTX"]),
        ("sm_90a compute_120f", ["90a", "120f"]),
    ],
)
def test_architecture_lists(monkeypatch, text, archs):
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", text)
    assert _toolchain.cuda_archs() == archs


@pytest.mark.parametrize("text", ["nine", "9.0b", "9", "9.0a+SASS", "-gencode"])
def test_bad_architecture_lists(monkeypatch, text):
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", text)
    with pytest.raises(ValueError, match="TVM_FFI_CUDA_ARCH_LIST: expected architectures"):
        _toolchain.cuda_archs()


def test_gencode():
    assert _toolchain.gencode(["90a", "100+PTX"]) == [
        "-gencode=arch=compute_90a,code=sm_90a",
        "-gencode=arch=compute_100,code=sm_100",
        "-gencode=arch=compute_100,code=compute_100",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_cache(tmp_path, monkeypatch):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(folder / "cache"))
    with pytest.raises(cpp.BuildError, match="cannot be written.*Set TVM_FFI_CACHE_DIR"):
        cpp.build_inline("none", cpp_sources="")


def test_a_cache_below_a_file(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(cpp.BuildError, match="cannot be written.*Set TVM_FFI_CACHE_DIR"):
        cpp.build_inline("none", cpp_sources="")


def test_cache_folders(monkeypatch, tmp_path):
    from fairlead.ffi.cpp._cache import cache_folder

    assert cache_folder() == str(tmp_path / "cache")
    monkeypatch.delenv("TVM_FFI_CACHE_DIR")
    monkeypatch.setenv("FAIRLEAD_CACHE_DIR", "/own")
    assert cache_folder() == "/own/cpp"
    monkeypatch.delenv("FAIRLEAD_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_folder() == "/xdg/fairlead/cpp"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_folder() == "/home/someone/.cache/fairlead/cpp"


def test_bad_jobs(monkeypatch):
    monkeypatch.setenv("MAX_JOBS", "many")
    with pytest.raises(cpp.BuildError, match="MAX_JOBS: .* but got 'many'"):
        cpp.build_inline("none", cpp_sources="")


def test_build_log(monkeypatch, capsys):
    cpp.build_inline("quiet", cpp_sources=plain("f", 1))
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("TVM_FFI_CPP_EXTENSION_LOG_BUILD", "stderr")
    cpp.build_inline("loud", cpp_sources=plain("f", 1))
    out, err = capsys.readouterr()
    assert out == "" and "[2/2]" in err


def test_progress_on_a_terminal(tmp_path):
    compiler = tmp_path / "slowcxx"
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] || sleep 0.9\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    code = "import sys; from fairlead.ffi import cpp; cpp.build_inline('slow', cpp_sources=sys.argv[1])"
    master, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code, plain("f", 1)],
        stderr=terminal,
        env={**os.environ, "CXX": str(compiler)},
    ) as process:
        os.close(terminal)
        shown = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # The other end closed.
                break
            if not part:
                break
            shown += part
    os.close(master)
    assert process.returncode == 0
    assert re.search(rb"fairlead: building slow 1/2, \d+ s", shown) and shown.endswith(b"\r\x1b[K")


def test_c_sources(tmp_path):
    (tmp_path / "part.c").write_text("int part(void) { return 8; }\n")
    (tmp_path / "main.cc").write_text('extern "C" int part();\n' + plain("f", "part()"))
    files = [tmp_path / "part.c", tmp_path / "main.cc"]
    assert cpp.load("mixed", sources=files).f() == 8
    assert cpp.load("mixed", cpp_files=files[1], sources=str(files[0])).f() == 8


def test_sources_of_one_name(tmp_path):
    files = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        files.append(tmp_path / name / "same.cpp")
        files[-1].write_text(plain(name, f"'{name}'"))
    module = cpp.load("same", sources=files)
    assert (module.a(), module.b()) == (ord("a"), ord("b"))


def test_missing_sources(tmp_path):
    with pytest.raises(ValueError, match="no sources"):
        cpp.build("nothing")
    with pytest.raises(FileNotFoundError, match="there is no source file .*gone.cpp"):
        cpp.build("gone", sources=[tmp_path / "gone.cpp"])


CUDA = """
__global__ void fill(float *x) { x[threadIdx.x] = 1; }
int64_t launch() {
  fill<<<1, 32>>>(nullptr);
  return static_cast<int64_t>(cudaGetLastError());
}
"""


def test_cuda_sources(needs_nvcc, build_cache):
    module = cpp.load_inline("withCuda", cuda_sources=CUDA, functions=["launch"])
    from fairlead import _compiler

    if not _compiler.device_count():
        assert module.launch() != 0  # CUDA's runtime says that there is no device.
    made = compiled(build_cache)
    cpp.load_inline("withCuda", cuda_sources=CUDA, functions=["launch"])
    assert compiled(build_cache) == made


def test_cuda_beside_cpp(needs_nvcc):
    """The C++ text exports the functions that the CUDA text defines."""
    module = cpp.load_inline(
        "both",
        cpp_sources="int64_t number();",
        cuda_sources="__global__ void k() {}\nint64_t number() { return 17; }",
        functions="number",
        extra_cuda_cflags=["-std=c++20"],
    )
    assert module.number() == 17


def test_cuda_errors_are_whole(needs_nvcc):
    with pytest.raises(cpp.BuildError, match=r'cuda.cu\(\d+\): error: identifier "missing"'):
        cpp.build_inline("brokenCuda", cuda_sources="__global__ void f() { missing(); }")


def test_architectures_make_other_builds(needs_nvcc, monkeypatch):
    paths = set()
    for archs in ("8.0", "9.0a"):
        monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", archs)
        paths.add(cpp.build_inline("archs", cuda_sources="__global__ void f() {}"))
    assert len(paths) == 2


def test_cpp_types():
    assert cpp.to_cpp_dtype("float32") == "float" and cpp.to_cpp_dtype("int8") == "int8_t"
    assert cpp.to_cpp_dtype(np.float64) == cpp.to_cpp_dtype(np.dtype("float64")) == "double"
    assert cpp.to_cpp_dtype("bfloat16") == "__nv_bfloat16"
    with pytest.raises(ValueError, match="no C.. type for dtype 'complex64'"):
        cpp.to_cpp_dtype("complex64")
    torch = pytest.importorskip("torch")
    assert cpp.to_cpp_dtype(torch.float16) == "__half"
