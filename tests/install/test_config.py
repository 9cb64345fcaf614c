"""fairlead-config: its answers, and that it loads nothing to give them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def ask(*options: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "fairlead.config", *options]
    return subprocess.run(command, capture_output=True, text=True)


def answers(*options: str) -> list[str]:
    done = ask(*options)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_folders_hold_what_they_are_for():
    include, dlpack, lib, cmake = map(
        Path, answers("--includedir", "--dlpack-includedir", "--libdir", "--cmakedir")
    )
    assert (include / "tvm/ffi/c_api.h").is_file()
    assert (dlpack / "dlpack/dlpack.h").is_file()
    assert (lib / "libtvm_ffi.so").is_file()
    assert (cmake / "fairlead/fairleadConfig.cmake").is_file()


def test_flags_follow_the_order_of_the_question():
    include, lib = answers("--includedir", "--libdir")
    flags = answers("--libs", "--cxxflags", "--ldflags")
    assert flags == ["-ltvm_ffi", f"-I{include} -std=c++17", f"-L{lib}"]


def test_version_is_the_package_version(package_dir):
    (version,) = answers("--version")
    assert f'__version__ = "{version}"' in (package_dir / "__init__.py").read_text()


def test_no_option_prints_help():
    assert answers()[0].startswith("usage: fairlead-config")


def test_unknown_option_is_named():
    done = ask("--libdir", "--bogus")
    assert done.returncode == 2
    assert "'--bogus'" in done.stderr
    assert not done.stdout


@pytest.mark.parametrize("module", ["numpy", "fairlead._core", "fairlead._compiler", "ctypes"])
def test_loads_nothing_heavy(module):
    code = f"""
import sys
import fairlead.config
fairlead.config.main(["--cxxflags", "--version"])
sys.exit({module!r} in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, f"{module} was imported; {done.stderr}"


PROGRAM = r"""
#include <cstdio>
#include <tvm/ffi/c_api.h>
int main() {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  std::printf("%d.%d\n", version.major, version.minor);
}
"""


def test_flags_build_a_program(tmp_path):
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(PROGRAM)
    compiling, finding, linking, lib = answers("--cxxflags", "--ldflags", "--libs", "--libdir")
    command = ["g++", *compiling.split(), source, *finding.split(), *linking.split()]
    subprocess.run([*command, f"-Wl,-rpath,{lib}", "-o", program], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert printed.startswith("0.1")


def test_cmake_package_builds_a_program(tmp_path):
    (tmp_path / "program.cpp").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(
        """cmake_minimum_required(VERSION 3.20)
project(user CXX)
find_package(tvm_ffi CONFIG REQUIRED)
add_executable(program program.cpp)
tvm_ffi_configure_target(program)
"""
    )
    (cmake,) = answers("--cmakedir")
    build = tmp_path / "build"
    configure = ["cmake", "-S", tmp_path, "-B", build, "-G", "Ninja", f"-Dtvm_ffi_ROOT={cmake}"]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build], check=True, capture_output=True)
    subprocess.run([build / "program"], check=True, capture_output=True)


def test_answers_every_option_of_the_other_packages_tool(package_dir):
    include, lib, source = answers("--includedir", "--libdir", "--sourcedir")
    assert answers("--cflags", "--libfiles") == [f"-I{include}", f"{lib}/libtvm_ffi.so"]
    assert Path(source).samefile(package_dir)
    (extension,) = answers("--cython-lib-path")
    assert extension == "" or Path(extension).is_file()


def test_pkg_config_builds_a_program(tmp_path, package_dir):
    if shutil.which("pkg-config") is None:
        pytest.skip("needs pkg-config")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(package_dir / "share" / "pkgconfig")}
    asked = ["pkg-config", "--cflags", "--libs", "tvm_ffi"]
    flags = subprocess.run(
        asked, env=environment, capture_output=True, text=True, check=True
    ).stdout
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(PROGRAM)
    rpath = f"-Wl,-rpath,{package_dir / 'lib'}"
    subprocess.run(["g++", source, *flags.split(), rpath, "-o", program], check=True)
    subprocess.run([program], check=True, capture_output=True)


COMPILER_USER = r"""
#include <cstdio>
#include <fairlead/cuda/Image.h>
int main() {
  auto info = fairlead::cuda::readImage(".version 8.0\n.target sm_90a\n.entry k(.param .u64 p) {}");
  std::printf("%s %s %zu", info.parts.at(0).arch.c_str(), info.parts[0].kernels.at(0).name.c_str(),
              info.parts[0].kernels[0].params.size());
}
"""


def test_cmake_package_of_the_compiler_builds_a_program(tmp_path, package_dir):
    if not (package_dir / "lib" / "libfairlead.so").exists():
        pytest.skip("this build has no compiler")
    (tmp_path / "program.cpp").write_text(COMPILER_USER)
    (tmp_path / "CMakeLists.txt").write_text(
        """cmake_minimum_required(VERSION 3.20)
project(user CXX)
find_package(fairlead 0.1 CONFIG REQUIRED)
add_executable(program program.cpp)
target_link_libraries(program PRIVATE fairlead::fairlead)
"""
    )
    (cmake,) = answers("--cmakedir")
    build = tmp_path / "build"
    configure = ["cmake", "-S", tmp_path, "-B", build, "-G", "Ninja", f"-Dfairlead_ROOT={cmake}"]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build], check=True, capture_output=True)
    done = subprocess.run([build / "program"], check=True, capture_output=True, text=True)
    assert done.stdout == "compute_90a k 1"


@pytest.mark.parametrize("place", ["share/cmake", "share/cmake/tvm_ffi"])
def test_drop_in_for_build_files_of_the_other_package(tmp_path, package_dir, place):
    """Every function that such files call; their tool prints the package's own folder as the root."""
    (tmp_path / "kernel.cpp").write_text(PROGRAM.replace("main", "__tvm_ffi_f"))
    (tmp_path / "CMakeLists.txt").write_text(
        """cmake_minimum_required(VERSION 3.18)
project(user CXX)
find_package(tvm_ffi 0.1.9 CONFIG REQUIRED)
add_library(kernel SHARED kernel.cpp)
tvm_ffi_configure_target(kernel LINK_SHARED ON LINK_HEADER ON DEBUG_SYMBOL ON MSVC_FLAGS ON)
tvm_ffi_add_prefix_map(kernel ${CMAKE_CURRENT_SOURCE_DIR})
tvm_ffi_add_apple_dsymutil(kernel)
tvm_ffi_add_msvc_flags(kernel)
tvm_ffi_install(kernel DESTINATION lib)
add_library(apart SHARED kernel.cpp)
tvm_ffi_configure_target(apart LINK_SHARED OFF)
"""
    )
    build = tmp_path / "build"
    root = f"-Dtvm_ffi_ROOT={package_dir / place}"
    configure = ["cmake", "-S", tmp_path, "-B", build, "-G", "Ninja", root]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build], check=True, capture_output=True)
    for name, linked in [("kernel", True), ("apart", False)]:
        shown = subprocess.run(
            ["readelf", "-d", build / f"lib{name}.so"], check=True, capture_output=True, text=True
        )
        assert ("[libtvm_ffi.so]" in shown.stdout) == linked


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CLEAN = {"PATH": "/usr/bin:/bin", "FAIRLEAD_NO_CACHE": "1"}


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_program_in_the_cpp_language_is_built_and_starts(tmp_path):
    """The line of the README, with no other flag and no library path."""
    (flags,) = answers("--dsl")
    source = EXAMPLES / "cpp" / "add_one.cpp"
    command = ["g++", source, *flags.split(), "-o", tmp_path / "add_one"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([tmp_path / "add_one"], capture_output=True, text=True, env=CLEAN)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_program_of_the_page_on_exports_loads_a_library(tmp_path):
    """docs/export.md, as written, with no other flag and no library path."""
    from fairlead import cute

    @cute.jit
    def add_one(x: cute.Tensor, y: cute.Tensor):
        y[:] = x[:] + 1.0

    vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
    compiled = cute.compile(add_one, vector, vector, options="--target cpu")
    compiled.export_library(str(tmp_path / "libadd_one.so"))
    page = (EXAMPLES.parent / "docs" / "export.md").read_text()
    source = page.partition("```cpp\n// sum.cpp\n")[2].partition("```")[0]
    (tmp_path / "sum.cpp").write_text(source)
    (flags,) = answers("--runtime")
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "sum.cpp", *flags.split(), "-o", "sum"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(["./sum"], capture_output=True, text=True, env=CLEAN, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "2 3 4\n", done.stderr


def test_programs_prefer_libraries_beside_them(tmp_path):
    (flags,) = answers("--runtime")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "main.c", *flags.split(), "-o", "main"], check=True, cwd=tmp_path)

    def folders():
        done = subprocess.run(["ldd", tmp_path / "main"], capture_output=True, text=True, env=CLEAN)
        return {
            Path(line.split()[2]).parent for line in done.stdout.splitlines() if "dialect" in line
        }

    (lib,) = answers("--libdir")
    assert folders() == {Path(lib)}
    for name in ("libcuda_dialect_runtime.so", "libtvm_ffi.so"):
        shutil.copy(Path(lib) / name, tmp_path)
    assert folders() == {tmp_path}


@pytest.mark.parametrize(
    ("compiler", "source", "further"),
    [
        ("gcc", "c/call_exported.c", ["-std=c11", "-Wall", "-Wextra", "-Werror", "-ldl"]),
        ("rustc", "rust/call_exported.rs", ["--edition=2021", "-Dwarnings"]),
    ],
)
def test_exported_functions_are_called_from(compiler, source, further, tmp_path):
    """examples/c and examples/rust, by the commands in their sources."""
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    from fairlead import cute

    @cute.jit
    def add_one(x: cute.Tensor, y: cute.Tensor):
        y[:] = x[:] + 1.0

    n = cute.sym_int()
    vectors = [cute.runtime.make_fake_compact_tensor(cute.Float32, (n,)) for _ in range(2)]
    compiled = cute.compile(add_one, *vectors, options="--target cpu")
    compiled.export_library(str(tmp_path / "libadd_one.so"))
    (flags,) = answers("--runtime")
    flags = ["-C", f"link-args={flags}"] if compiler == "rustc" else flags.split()
    command = [compiler, EXAMPLES / source, *flags, *further, "-o", tmp_path / "program"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    command = [tmp_path / "program", tmp_path / "libadd_one.so"]
    done = subprocess.run(command, capture_output=True, text=True, env=CLEAN)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "2 3 4" and lines[1].startswith("ValueError: Mismatched y.shape[0]"), lines


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_an_exported_function_is_linked_statically(tmp_path, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    from fairlead import cute

    @cute.jit
    def scale(x: cute.Tensor, by: cute.Float32):
        x[0] = cute.math.exp(x[0]) * by

    vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
    compiled = cute.compile(scale, vector, cute.Float32, options="--target cpu")
    compiled.export_to_c(file_path=str(tmp_path), file_name="scale", function_prefix="scale")
    (tmp_path / "main.c").write_text(
        """
#include <stdio.h>
#include "scale.h"
int main(void) {
  float data[1] = {0.0f};
  scale_Kernel_Module_t module;
  scale_Tensor_x_t x = {data, {1}};
  if (scale_Kernel_Module_Load(&module) || cute_dsl_scale_wrapper(&module, &x, 3.0f))
    return 1;
  printf("%g\\n", data[0]);
  return 0;
}
"""
    )
    (flags,) = answers("--static")
    language = ["-x", "c++"] if compiler == "g++" else []
    source = [*language, tmp_path / "main.c", *(["-x", "none"] if language else [])]
    command = [compiler, *source, tmp_path / "scale.o", *flags.split(), "-o", tmp_path / "main"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, env=CLEAN)
    assert done.returncode == 0 and done.stdout == "3\n", done.stderr
    linked = subprocess.run(["ldd", tmp_path / "main"], capture_output=True, text=True).stdout
    assert "dialect" not in linked and "tvm_ffi" not in linked
