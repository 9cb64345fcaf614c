"""Embedding of device images: the tool, the command and the CMake functions."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fairlead.ffi.utils.embed_cubin import embed_cubin, embed_images, make_object

# Shows the embedded image `{name}` as a pointer and a size.
PROBE = """
extern "C" {{
__attribute__((visibility("hidden"))) extern const char __tvm_ffi__cubin_{name}[];
__attribute__((visibility("hidden"))) extern const char __tvm_ffi__cubin_{name}_end[];
__attribute__((visibility("default"))) const void *begin_{function}() {{ return __tvm_ffi__cubin_{name}; }}
__attribute__((visibility("default"))) long size_{function}() {{
  return __tvm_ffi__cubin_{name}_end - __tvm_ffi__cubin_{name};
}}
}}
"""

# A program of the launcher, as an author of kernels writes it.
LIBRARY = """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/function.h>

TVM_FFI_EMBED_CUBIN(my_cubin);

void Launch(int64_t number) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(my_cubin, "add_one");
  int n = number;
  void *args[] = {&n};
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(args, tvm::ffi::dim3(1), tvm::ffi::dim3(32), nullptr));
}
void Missing() { TVM_FFI_EMBED_CUBIN_GET_KERNEL(my_cubin, "nonsense"); }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch, Launch);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(missing, Missing);
"""


def run(*command, **options) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done


def probe(folder: Path, *names: str) -> Path:
    """An object file that shows the images; `name` or `name:function`."""
    source = folder / f"probe_{'_'.join(names).replace(':', '_')}.cpp"
    pairs = [(name.partition(":")[0], name.rpartition(":")[2]) for name in names]
    source.write_text("".join(PROBE.format(name=n, function=f) for n, f in pairs))
    run("g++", "-c", "-fPIC", source, "-o", source.with_suffix(".o"))
    return source.with_suffix(".o")


def link(library: Path, *objects: Path) -> ctypes.CDLL:
    run("g++", "-shared", "-Wl,-z,defs", "-Wl,--fatal-warnings", "-o", library, *objects)
    return ctypes.CDLL(str(library))


def image(library: ctypes.CDLL, name: str) -> bytes:
    begin, size = getattr(library, f"begin_{name}"), getattr(library, f"size_{name}")
    begin.restype, size.restype = ctypes.c_void_p, ctypes.c_long
    assert begin() % 16 == 0
    assert ctypes.string_at(begin() + size(), 1) == b"\0"
    return ctypes.string_at(begin(), size())


FIRST, SECOND = bytes(range(256)) * 7, b"odd size"


def test_object_holds_several_images(tmp_path):
    (tmp_path / "images.o").write_bytes(make_object({"first": FIRST, "second": SECOND}))
    library = link(tmp_path / "l.so", probe(tmp_path, "first", "second"), tmp_path / "images.o")
    assert image(library, "first") == FIRST
    assert image(library, "second") == SECOND


def test_one_name_in_two_libraries(tmp_path):
    shown = probe(tmp_path, "same")
    libraries = []
    for content in (FIRST, SECOND):
        holder = tmp_path / "image.o"
        holder.write_bytes(make_object({"same": content}))
        path = tmp_path / f"lib{len(libraries)}.so"
        run("g++", "-shared", "-o", path, shown, holder)
        libraries.append(ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL))
    assert [image(each, "same") for each in libraries] == [FIRST, SECOND]


def test_joins_an_object(tmp_path):
    (tmp_path / "k.cubin").write_bytes(FIRST)
    embed_cubin(tmp_path / "k.cubin", probe(tmp_path, "one"), tmp_path / "out.o", "one")
    assert image(link(tmp_path / "l.so", tmp_path / "out.o"), "one") == FIRST


@pytest.mark.skipif(shutil.which("objcopy") is None, reason="needs objcopy")
def test_one_name_in_two_objects_of_a_library(tmp_path):
    for number, content in enumerate((FIRST, SECOND)):
        shown = probe(tmp_path, f"same:{'ab'[number]}")
        embed_images({"same": content}, tmp_path / f"{number}.o", shown)
    library = link(tmp_path / "l.so", tmp_path / "0.o", tmp_path / "1.o")
    assert image(library, "a") == FIRST
    assert image(library, "b") == SECOND


def test_other_machines(tmp_path):
    assert make_object({"a": FIRST}, machine=183)[18] == 183


@pytest.mark.parametrize("name", ["", "a-b", "a b", "ä", 'a"'])
def test_refuses_names(name):
    with pytest.raises(ValueError, match="C identifier"):
        make_object({name: FIRST})


def test_refuses_empty_images():
    with pytest.raises(ValueError, match=r"'a' is empty \(0 bytes\)"):
        make_object({"a": b""})


def tool(*arguments) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "fairlead.ffi.utils.embed_cubin", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_tool(tmp_path):
    (tmp_path / "k.cubin").write_bytes(FIRST)
    shown = probe(tmp_path, "one")
    output = ["--output-obj", tmp_path / "out.o"]
    arguments = [*output, "--input-obj", shown, "--cubin", tmp_path / "k.cubin", "--name", "one"]
    done = tool(*arguments, "--verbose")
    assert done.returncode == 0, done.stderr
    assert " -r -o " in done.stdout
    assert image(link(tmp_path / "l.so", tmp_path / "out.o"), "one") == FIRST


def test_tool_exit_codes(tmp_path):
    (tmp_path / "k.cubin").write_bytes(FIRST)
    (tmp_path / "bad.o").write_bytes(b"\177ELF\2\1" + bytes(100))
    shown = probe(tmp_path, "one")

    def status(obj=shown, cubin=tmp_path / "k.cubin", name="one") -> tuple[int, str]:
        done = tool(
            "--output-obj", tmp_path / "o.o", "--input-obj", obj, "--cubin", cubin, "--name", name
        )
        return done.returncode, done.stderr

    assert status(cubin=tmp_path / "none")[0] == 1
    assert status(obj=tmp_path / "none")[0] == 1
    assert status(obj=tmp_path / "bad.o")[0] == 2
    code, text = status(name="no-name")
    assert code == 3
    assert "C identifier" in text
    assert not (tmp_path / "o.o").exists()
    assert tool("--name", "x").returncode == 2


def command(*arguments) -> subprocess.CompletedProcess:
    line = [sys.executable, "-m", "fairlead", "embed", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True)


def test_command(tmp_path):
    (tmp_path / "a.ptx").write_bytes(FIRST)
    (tmp_path / "b.ptx").write_bytes(SECOND)
    done = command(tmp_path / "a.ptx", f"other={tmp_path / 'b.ptx'}", "-o", tmp_path / "i.o")
    assert done.returncode == 0, done.stderr
    library = link(tmp_path / "l.so", probe(tmp_path, "a", "other"), tmp_path / "i.o")
    assert image(library, "a") == FIRST
    assert image(library, "other") == SECOND


def test_command_names_what_is_wrong(tmp_path):
    (tmp_path / "a.ptx").write_bytes(FIRST)
    (tmp_path / "empty").write_bytes(b"")
    for arguments, text in [
        ([tmp_path / "none"], "none"),
        ([tmp_path / "empty"], "0 bytes"),
        ([tmp_path / "a.ptx", tmp_path / "a.ptx"], "two images are named 'a'"),
        ([f"a-b={tmp_path / 'a.ptx'}"], "C identifier"),
    ]:
        done = command(*arguments, "-o", tmp_path / "i.o")
        assert done.returncode == 1
        assert text in done.stderr
        assert not (tmp_path / "i.o").exists()


def config(*options: str) -> list[str]:
    return run(sys.executable, "-m", "fairlead.config", *options).stdout.splitlines()


def test_library_launches_its_image(tmp_path, build_dir):
    """From the image to the launch, on a driver that needs no GPU."""
    driver = build_dir / "lib" / "libfairlead_fake_cuda.so"
    if not driver.is_file():
        pytest.skip("this build has no stand-in for the CUDA driver")
    (tmp_path / "library.cpp").write_text(LIBRARY)
    (tmp_path / "image.o").write_bytes(make_object({"my_cubin": b"kernels add_one scale"}))
    flags = [word for line in config("--cxxflags", "--ldflags", "--libs") for word in line.split()]
    library = tmp_path / "library.so"
    run(
        "g++", "-shared", "-fPIC", "-DTVM_FFI_CUDA_NO_TOOLKIT", tmp_path / "library.cpp",
        tmp_path / "image.o", *flags, "-o", library,
    )  # fmt: skip
    needed = run("readelf", "-d", library).stdout
    assert "libcuda" not in needed
    code = f"""
from fairlead import ffi
library = ffi.load_module({str(library)!r})
library.launch(3)
try:
    library.missing()
except RuntimeError as error:
    print(error)
"""
    environment = {**os.environ, "FAIRLEAD_LIBCUDA": str(driver)}
    printed = run(sys.executable, "-c", code, env=environment).stdout
    assert "CUDA_ERROR_NOT_FOUND (500)" in printed
    assert 'no kernel "nonsense" in the image; it has add_one, scale' in printed
    environment["FAIRLEAD_LIBCUDA"] = str(tmp_path / "none.so")
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert b"CUDA_ERROR_NO_DEVICE (100): the CUDA driver cannot be opened" in done.stderr


CMAKE = """cmake_minimum_required(VERSION 3.20)
project(user CXX)
find_package(tvm_ffi 0.1 CONFIG REQUIRED)
set(CMAKE_CUDA_ARCHITECTURES 80)
{body}
"""


def configure_and_build(folder: Path, body: str) -> Path:
    (folder / "CMakeLists.txt").write_text(CMAKE.format(body=body))
    (cmake,) = config("--cmakedir")
    build = folder / "build"
    run("cmake", "-S", folder, "-B", build, "-G", "Ninja", f"-Dtvm_ffi_ROOT={cmake}")
    run("cmake", "--build", build)
    return build


def test_cmake_embeds_files(tmp_path):
    (tmp_path / "a b.bin").write_bytes(FIRST)
    shown = probe(tmp_path, "one", "two").with_suffix(".cpp").name
    body = f"""
add_library(l SHARED {shown})
tvm_ffi_embed_bin_into(l SYMBOL one BIN "a b.bin")
tvm_ffi_embed_bin_into(l SYMBOL two BIN "${{CMAKE_CURRENT_SOURCE_DIR}}/two.bin")
"""
    (tmp_path / "two.bin").write_bytes(SECOND)
    build = configure_and_build(tmp_path, body)
    library = ctypes.CDLL(str(build / "libl.so"))
    assert image(library, "one") == FIRST
    assert image(library, "two") == SECOND
    # A new image makes a new library.
    (tmp_path / "two.bin").write_bytes(b"changed")
    run("cmake", "--build", build)
    shutil.copy(build / "libl.so", tmp_path / "again.so")
    assert image(ctypes.CDLL(str(tmp_path / "again.so")), "two") == b"changed"


def has_nvcc() -> bool:
    return bool(shutil.which("nvcc")) or Path("/usr/local/cuda/bin/nvcc").exists()


@pytest.mark.skipif(not has_nvcc(), reason="needs nvcc")
def test_cmake_compiles_device_code(tmp_path):
    (tmp_path / "step.h").write_text("#define STEP 1.0f\n")
    (tmp_path / "k.cu").write_text(
        '#include "step.h"\nextern "C" __global__ void add_one(float *x) { *x += STEP; }\n'
    )
    shown = probe(tmp_path, "cubin", "fatbin").with_suffix(".cpp").name
    body = f"""
add_tvm_ffi_cubin(k_cubin CUDA k.cu ARCHITECTURE 90a OPTIONS -lineinfo)
add_tvm_ffi_fatbin(k_fatbin CUDA k.cu)
add_library(l SHARED {shown})
tvm_ffi_embed_bin_into(l SYMBOL cubin BIN k_cubin)
tvm_ffi_embed_bin_into(l SYMBOL fatbin BIN "$<TARGET_OBJECTS:k_fatbin>")
"""
    build = configure_and_build(tmp_path, body)
    library = ctypes.CDLL(str(build / "libl.so"))
    cubin, fatbin = image(library, "cubin"), image(library, "fatbin")
    assert cubin == (build / "k_cubin.cubin").read_bytes()
    assert cubin[:4] == b"\177ELF" and cubin[18] == 190
    assert b"add_one" in cubin
    assert fatbin == (build / "k_fatbin.fatbin").read_bytes()
    assert fatbin[:4] == bytes.fromhex("50ed55ba")
    # A header of the device code counts as a source of the image.
    (tmp_path / "step.h").write_text("#define STEP 2.0f\n")
    run("cmake", "--build", build)
    assert (build / "k_cubin.cubin").read_bytes() != cubin


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("tvm_ffi_embed_bin_into(l SYMBOL a-b BIN x)", "SYMBOL must be a C identifier"),
        ("tvm_ffi_embed_bin_into(l SYMBOL a)", "no BIN"),
        ("tvm_ffi_embed_bin_into(l SYMBOL a BIN l)", "was not made by add_tvm_ffi_cubin"),
        ("tvm_ffi_configure_target(l LINK_SHARD ON)", "unknown arguments LINK_SHARD"),
        ("add_tvm_ffi_cubin(k)", "no CUDA <file>"),
        ("add_tvm_ffi_cubin(k CUDA k.cu ARCHITECTURES 80 90)", "a CUBIN is for one architecture"),
    ],
)
def test_cmake_names_what_is_wrong(tmp_path, body, text):
    if "k.cu" in body and not has_nvcc():
        pytest.skip("needs nvcc")
    (tmp_path / "l.cpp").write_text("")
    (tmp_path / "CMakeLists.txt").write_text(
        CMAKE.format(body=f"add_library(l SHARED l.cpp)\n{body}")
    )
    (cmake,) = config("--cmakedir")
    line = [
        "cmake",
        "-S",
        tmp_path,
        "-B",
        tmp_path / "build",
        "-G",
        "Ninja",
        f"-Dtvm_ffi_ROOT={cmake}",
    ]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode != 0
    assert text in " ".join(done.stderr.split())


EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "cubin_launcher"
CALL = """
import sys
from fairlead import ffi
library = ffi.load_module(sys.argv[1])
try:
    library.load()
except RuntimeError as error:
    print(error)
"""


@pytest.mark.skipif(not has_nvcc(), reason="needs nvcc")
def test_example(tmp_path):
    (cmake,) = config("--cmakedir")
    run(
        "cmake", "-S", EXAMPLE, "-B", tmp_path, "-G", "Ninja", f"-Dtvm_ffi_ROOT={cmake}",
        "-DCMAKE_CUDA_ARCHITECTURES=80;90",
    )  # fmt: skip
    run("cmake", "--build", tmp_path)
    fatbin = (tmp_path / "kernels.fatbin").read_bytes()
    assert fatbin in (tmp_path / "vector.so").read_bytes()
    assert "libcud" not in run("readelf", "-d", tmp_path / "vector.so").stdout
    environment = {**os.environ, "FAIRLEAD_LIBCUDA": str(tmp_path / "none.so")}
    printed = run(sys.executable, "-c", CALL, tmp_path / "vector.so", env=environment).stdout
    assert printed.startswith(
        "CUDA Error: CUDA_ERROR_NO_DEVICE (100): the CUDA driver cannot be opened"
    )


@pytest.mark.skipif(not has_nvcc(), reason="needs nvcc")
def test_example_without_cmake(tmp_path, package_dir):
    """The lines of the example's README."""
    lines = (EXAMPLE / "README.md").read_text().partition("Without CMake:")[2].replace("\\\n", "")
    binaries = f"{tmp_path}/bin"
    os.mkdir(binaries)
    for name, module in [("fairlead", "fairlead"), ("fairlead-config", "fairlead.config")]:
        tool = Path(binaries, name)
        tool.write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n')
        tool.chmod(0o755)
    shutil.copytree(EXAMPLE, tmp_path / "example")
    path = os.pathsep.join([binaries, os.environ["PATH"], "/usr/local/cuda/bin"])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(package_dir.parent)}
    run("sh", "-e", "-c", lines, cwd=tmp_path / "example", env=environment)
    fatbin = (tmp_path / "example" / "kernels.fatbin").read_bytes()
    assert fatbin in (tmp_path / "example" / "vector.so").read_bytes()
