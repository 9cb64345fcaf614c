"""Smoke test of an installed wheel: compile, call, export and load on the CPU.

Runs in an environment that holds the wheel and NumPy alone, with FAIRLEAD_TARGET=cpu. Exits with a
text for the first thing that is wrong.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import fairlead
from fairlead import cute

# Libraries of the system that the package's own may need.
_SYSTEM = re.compile(
    r"^(linux-vdso|ld-linux-(x86-64|aarch64)|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z|zstd))\.so"
)
# Files that the package must never make a process open.
_FOREIGN = re.compile(r"libLLVM|libMLIR|libclang|libcuda\.so|libcudart|nvrtc|nvvm|/cuda", re.I)


@cute.kernel
def device_add_one(a: cute.Tensor, b: cute.Tensor):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * 128 + thread
    if i < a.shape[0]:
        b[i] = a[i] + 1.0


@cute.jit
def add_one(a: cute.Tensor, b: cute.Tensor):
    n = a.shape[0]
    device_add_one(a, b).launch(grid=((n + 127) // 128, 1, 1), block=(128, 1, 1))


@cute.kernel
def device_exp(a: cute.Tensor, b: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    b[thread] = cute.math.exp(a[thread])


@cute.jit
def exponential(a: cute.Tensor, b: cute.Tensor):
    device_exp(a, b).launch(grid=(1, 1, 1), block=(32, 1, 1))


def check(condition: bool, text: str) -> None:
    if not condition:
        sys.exit(f"smoke test: {text}")


def check_call(function, what: str) -> None:
    for n in (1, 127, 128, 1000):
        a = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        b = np.full(n, np.nan, np.float32)
        function(a, b)
        check(np.array_equal(b, a + np.float32(1)), f"{what} gave a wrong result for {n} elements")


_FILES = """
    py.typed
    include/dlpack/dlpack.h
    include/fairlead/Compile.h
    include/tvm/ffi/c_api.h
    lib/libcuda_dialect_runtime.so
    lib/libcuda_dialect_runtime_static.a
    lib/libfairlead.so
    lib/libtvm_ffi.so
    share/cmake/fairlead/fairleadConfig.cmake
    share/cmake/tvm_ffi/tvm_ffi-config.cmake
    share/pkgconfig/fairlead.pc
""".split()


def check_package(root: Path) -> None:
    for name in _FILES:
        check((root / name).is_file(), f"the package lacks {name}")
    check(any(root.rglob("*.pyi")), "the package lacks its type stubs")
    for library in [*root.glob("*.so"), *root.glob("lib/*.so")]:
        listed = subprocess.run(["ldd", library], capture_output=True, text=True).stdout
        check("not found" not in listed, f"{library.name} misses libraries:\n{listed}")
        for line in listed.splitlines():
            needed = os.path.basename(line.split()[0])
            own = str(root) in line
            check(own or bool(_SYSTEM.match(needed)), f"{library.name} needs {needed}")


def check_config(root: Path) -> None:
    tool = Path(sys.executable).parent / "fairlead-config"
    done = subprocess.run([tool, "--version", "--libdir"], capture_output=True, text=True)
    expected = f"{fairlead.__version__}\n{root / 'lib'}\n"
    check(done.stdout == expected, f"fairlead-config printed {done.stdout!r} {done.stderr!r}")


def check_export(compiled) -> None:
    with tempfile.TemporaryDirectory() as folder:
        objectFile = os.path.join(folder, "add_one.o")
        library = os.path.join(folder, "add_one.so")
        compiled.export_to_c(objectFile, function_name="add_one")
        check(os.path.getsize(objectFile) > 0, "the exported object is empty")
        if shutil.which("gcc") is None:
            print("no gcc: the exported object was not linked")
            return
        libraries = cute.runtime.find_runtime_libraries()
        subprocess.run(["gcc", "-shared", "-o", library, objectFile, *libraries], check=True)
        check_call(cute.runtime.load_module(library).add_one, "the exported library")


def check_cuda_math(tensors) -> None:
    """Mathematical functions of kernels for a GPU without a toolkit."""
    os.environ["FAIRLEAD_LIBDEVICE"] = "builtin"
    ptx = cute.compile(exponential, *tensors, options="--target cuda:sm_90a").__ptx__
    check(".entry device_exp" in ptx, f"no kernel in the PTX:\n{ptx}")
    check(".extern .func" not in ptx, f"the PTX needs functions:\n{ptx}")
    os.environ["FAIRLEAD_PTXAS"] = "/nowhere/ptxas"
    try:
        made = cute.compile(exponential, *tensors, options="--target cuda:sm_90a").__cubin__
    except RuntimeError as error:
        check("no PTX assembler" in str(error), f"the error names no assembler: {error}")
    else:
        check(not made, "machine code was made without an assembler")


def check_open_files() -> None:
    opened = {line.split()[-1] for line in open("/proc/self/maps") if "/" in line}
    foreign = sorted(path for path in opened if _FOREIGN.search(path))
    check(not foreign, f"the process opened {foreign}")


def main() -> None:
    root = Path(fairlead.__file__).parent
    check("site-packages" in str(root), f"fairlead is imported from {root}")
    check_package(root)
    check_config(root)
    n = cute.sym_int()
    fake = [cute.runtime.make_fake_compact_tensor(cute.Float32, (n,)) for _ in range(2)]
    compiled = cute.compile(add_one, *fake)
    check_call(compiled, "the compiled function")
    try:
        compiled(np.zeros(4, np.float32), 1)
    except TypeError as error:
        check("add_one(" in str(error), f"the error does not name the signature: {error}")
    else:
        check(False, "an int was taken for a tensor")
    check_export(compiled)
    check_cuda_math(fake)
    check_open_files()
    print("smoke test passed")


if __name__ == "__main__":
    main()
