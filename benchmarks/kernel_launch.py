"""fairlead.kernel: the cost of a launch, a first launch, a saved function and the checks.

Launches are measured on a GPU, beside the bare driver call, torch and Triton; only the host's part, in bursts
that the GPU's queue holds. The rest needs no GPU. Peers that are absent are left out.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from _harness import Row, compare, interleave, main

import fairlead
from fairlead import _compiler, ffi

SOURCE = """
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
"""
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y, .param .u64 z, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %i, %block, %threads, %thread, %n;
  .reg .b64 %x, %y, %z, %offset;
  .reg .f32 %a, %b;
  ld.param.u64 %x, [x];
  ld.param.u64 %y, [y];
  ld.param.u64 %z, [z];
  ld.param.u32 %n, [n];
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.s32 %i, %block, %threads, %thread;
  setp.ge.s32 %p, %i, %n;
  @%p ret;
  mul.wide.s32 %offset, %i, 4;
  add.s64 %x, %x, %offset;
  add.s64 %y, %y, %offset;
  add.s64 %z, %z, %offset;
  ld.global.f32 %a, [%x];
  ld.global.f32 %b, [%y];
  add.f32 %a, %a, %b;
  st.global.f32 [%z], %a;
  ret;
}
"""
SIGNATURE = "add(x: Tensor([n], float32), y: Tensor([n], float32), z: Tensor([n], float32))"
PARTS = {"block": 128, "args": ("x", "y", "z", "int32(n)")}
GRID = "ceil_div(n, 128)"

# Launches that a burst holds: below the depth of the driver's queue.
BURST = 256

BARE = r"""
#include <cuda.h>
#include <dlfcn.h>
#include <time.h>
static CUresult (*launch)(const CUlaunchConfig *, CUfunction, void **, void **);
static CUfunction function;
int prepare(const char *ptx, int device) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
#define FIND(type, name) __typeof__(type) name##_ = (__typeof__(type))dlsym(driver, #name)
  FIND(CUresult (*)(CUmodule *, const void *), cuModuleLoadData);
  FIND(CUresult (*)(CUfunction *, CUmodule, const char *), cuModuleGetFunction);
  launch = (CUresult (*)(const CUlaunchConfig *, CUfunction, void **, void **))dlsym(driver, "cuLaunchKernelEx");
  CUmodule module;
  if (!cuModuleLoadData_ || !cuModuleGetFunction_ || !launch)
    return -1;
  int status = cuModuleLoadData_(&module, ptx);
  return status ? status : (int)cuModuleGetFunction_(&function, module, "add");
}
double run(void *x, void *y, void *z, int n, void *stream, int count) {
  void *params[] = {&x, &y, &z, &n};
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int i = 0; i < count; ++i) {
    CUlaunchConfig config = {(n + 127) / 128, 1, 1, 128, 1, 1, 0, (CUstream)stream, 0, 0};
    if (launch(&config, function, params, 0))
      return -1;
  }
  clock_gettime(CLOCK_MONOTONIC, &b);
  return (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec);
}
"""

# A wrapper as an author of kernels writes it: every property of three tensors checked by hand.
WRAPPER = r"""
#include <time.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
using tvm::ffi::TensorView;
static void check(const TensorView &x, const TensorView &first) {
  TVM_FFI_CHECK(x.device().device_type == kDLCUDA, ValueError) << "x must be on CUDA";
  TVM_FFI_CHECK(x.device().device_id == first.device().device_id, ValueError) << "one device";
  TVM_FFI_CHECK(x.dtype() == (DLDataType{kDLFloat, 32, 1}), TypeError) << "x must be float32";
  TVM_FFI_CHECK(x.ndim() == 1, ValueError) << "x must have one dimension";
  TVM_FFI_CHECK(x.size(0) == first.size(0), ValueError) << "sizes must match";
  TVM_FFI_CHECK(x.IsContiguous(), ValueError) << "x must be contiguous";
}
static void add(TensorView x, TensorView y, TensorView z) {
  check(x, x), check(y, x), check(z, x);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add)
static void more(TensorView x, TensorView y, TensorView z, TensorView u, TensorView v, TensorView w) {
  add(x, y, z), check(u, x), check(v, x), check(w, x);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(more, more)
extern "C" __attribute__((visibility("default"))) double time_calls(void *function, int used, int count) {
  auto call = reinterpret_cast<TVMFFISafeCallType>(function);
  int64_t shape = 1000, stride = 1;
  DLTensor tensors[6];
  TVMFFIAny arguments[6] = {}, result = {};
  for (int i = 0; i < used; ++i) {
    tensors[i] = {reinterpret_cast<void *>(0x10000), {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, &shape, &stride, 0};
    arguments[i].type_index = kTVMFFIDLTensorPtr;
    arguments[i].v_ptr = &tensors[i];
  }
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int i = 0; i < count; ++i)
    if (call(nullptr, arguments, used, &result))
      return -1;
  clock_gettime(CLOCK_MONOTONIC, &b);
  return (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec);
}
"""


def build(folder: Path, name: str, source: str, command: list[str]) -> ctypes.CDLL | None:
    """A small library, built here; None where no compiler does it."""
    if shutil.which(command[0]) is None:
        return None
    path = folder / name
    path.write_text(source)
    library = folder / (path.stem + ".so")
    done = subprocess.run(
        [*command, "-O2", "-shared", "-fPIC", str(path), "-o", str(library)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"{name} cannot be built: {done.stderr.strip()[-500:]}", file=sys.stderr)
        return None
    return ctypes.CDLL(str(library))


def cuda_include() -> list[str]:
    for root in (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"):
        if root and Path(root, "include", "cuda.h").exists():
            return [f"-I{root}/include"]
    return []


def in_bursts(timer, synchronize):
    """Runs ``timer`` for at most BURST launches at a time, and waits for the GPU in between, unmeasured."""

    def run(count: int) -> float:
        seconds = 0.0
        while count > 0:
            part = min(count, BURST)
            seconds += timer(part)
            synchronize()
            count -= part
        return seconds

    return run


def python_timer(function, *arguments):
    def timer(count: int) -> float:
        start = perf_counter()
        for _ in range(count):
            function(*arguments)
        return perf_counter() - start

    return timer


def triton_add():
    try:
        import triton
        import triton.language as tl
    except ImportError:
        return None

    @triton.jit
    def add(x, y, z, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = i < n
        tl.store(z + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)

    return lambda x, y, z, n: add[((n + 127) // 128,)](x, y, z, n, BLOCK=128)


def launches(rounds: int, folder: Path) -> list[Row]:
    try:
        import torch
    except ImportError:
        return []
    if not torch.cuda.is_available():
        return []
    n = 1000
    x, y, z = (torch.ones(n, device="cuda") for _ in range(3))
    function = fairlead.kernel(PTX, "add", SIGNATURE, grid=GRID, **PARTS)
    function(x, y, z)
    torch.cuda.synchronize()
    assert (z == 2).all()
    timers = {
        "fairlead": python_timer(function, x, y, z),
        "torch.add(out=)": python_timer(lambda: torch.add(x, y, out=z)),
    }
    triton = triton_add()
    if triton:
        triton(x, y, z, n)
        timers["Triton"] = python_timer(triton, x, y, z, n)
    bare = build(folder, "bare.c", BARE, ["cc", *cuda_include(), "-ldl"])
    if bare:
        bare.run.restype = ctypes.c_double
        bare.run.argtypes = [
            *[ctypes.c_void_p] * 3,
            ctypes.c_int,
            ctypes.c_void_p,
            ctypes.c_int,
        ]
        if bare.prepare(PTX.encode(), 0) == 0:
            stream = torch.cuda.current_stream().cuda_stream
            timers["bare cuLaunchKernelEx"] = lambda count: bare.run(
                x.data_ptr(), y.data_ptr(), z.data_ptr(), n, stream, count
            )
    samples = interleave(
        {name: in_bursts(timer, torch.cuda.synchronize) for name, timer in timers.items()}, rounds
    )
    return [
        compare("launch, 3 torch CUDA tensors", samples, "fairlead", peer, "us")
        for peer in timers
        if peer != "fairlead"
    ]


def make(cache: bool = True, **options):
    return fairlead.kernel(SOURCE, "add", SIGNATURE, grid=GRID, arch=ARCH, cache=cache, **PARTS)


ARCH = _compiler.device_arch(0) or "sm_90a"


def first_launches() -> list[Row]:
    """From CUDA text to a loaded function, in fresh processes and in this one."""
    if not _compiler.nvrtc_version():
        print("No NVRTC: nothing is compiled from CUDA text.", file=sys.stderr)
        return []
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import kernel_launch, time; import fairlead.kernels\n"
        "start = time.perf_counter(); f = kernel_launch.make(); print(time.perf_counter() - start)\n"
        "start = time.perf_counter(); f = kernel_launch.make(); print(time.perf_counter() - start)\n"
    )

    def fresh() -> list[float]:
        done = subprocess.run(
            [sys.executable, "-c", program, str(Path(__file__).parent)],
            capture_output=True,
            text=True,
            check=True,
        )
        return [float(line) * 1e3 for line in done.stdout.split()]

    with tempfile.TemporaryDirectory() as folder:
        os.environ["FAIRLEAD_CACHE_DIR"] = folder
        start = perf_counter()
        _compiler.nvrtc_compile(SOURCE, ARCH)
        compiler = (perf_counter() - start) * 1e3
        cold, _ = fresh()
        warm = min((fresh() for _ in range(5)), key=lambda pair: pair[0])
        del os.environ["FAIRLEAD_CACHE_DIR"]
    detail = f"for {ARCH}; NVRTC alone, opened already: {compiler:.1f} ms"
    return [
        Row("CUDA text to function, nothing cached", cold, "ms", detail=detail),
        Row("CUDA text to function, from the disk cache, first in a process", warm[0], "ms"),
        Row("CUDA text to function, from the disk cache, second", warm[1], "ms"),
    ]


def saved(folder: Path) -> list[Row]:
    function = fairlead.kernel(PTX, "add", SIGNATURE, grid=GRID, **PARTS)
    times = []
    for i in range(20):
        path = folder / f"saved{i}.so"
        function.export_library(path)
        start = perf_counter()
        ffi.load_module(path).add  # noqa: B018
        times.append((perf_counter() - start) * 1e3)
    return [Row("saved library to function", sorted(times)[len(times) // 2], "ms")]


def checks(rounds: int, folder: Path) -> list[Row]:
    """The entry beside a wrapper by hand, called from C++ with three tensors and with six.

    The launch of 0 blocks does nothing, but it and the call itself cost something: a third of what three more
    tensors add is what one tensor's checks cost.
    """
    from fairlead.config import include_dir, lib_dir

    wrapper = build(
        folder,
        "wrapper.cpp",
        WRAPPER,
        ["g++", "-std=c++17", f"-I{include_dir()}", f"-L{lib_dir()}", "-ltvm_ffi"],
    )
    if wrapper is None:
        return []
    wrapper.time_calls.restype = ctypes.c_double
    wrapper.time_calls.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    further = "".join(f", {name}: Tensor([n], float32)" for name in "uvw")
    functions = {
        3: fairlead.kernel(PTX, "add", SIGNATURE, grid=0, **PARTS),
        6: fairlead.kernel(PTX, "add", f"{SIGNATURE[:-1]}{further})", grid=0, **PARTS),
    }
    by_hand = {3: wrapper.__tvm_ffi_add, 6: wrapper.__tvm_ffi_more}
    timers = {}
    for count in functions:
        addresses = {
            "fairlead": functions[count].artifact.entry(),
            "wrapper by hand": ctypes.cast(by_hand[count], ctypes.c_void_p).value,
        }
        for name, address in addresses.items():
            assert wrapper.time_calls(address, count, 10) >= 0
            timers[name, count] = lambda calls, address=address, count=count: wrapper.time_calls(
                address, count, calls
            )
    samples = interleave(timers, rounds)
    names = ("fairlead", "wrapper by hand")
    call = {name: [value / 3 for value in samples[name, 3]] for name in names}
    each = {
        name: [
            (six - three) / 3 for three, six in zip(samples[name, 3], samples[name, 6], strict=True)
        ]
        for name in names
    }
    return [
        compare("checks in C++, each further tensor", each, *names),
        compare("a call of three from C++, a third of it", call, *names),
    ]


def measure(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [
            *launches(rounds, folder),
            *first_launches(),
            *saved(folder),
            *checks(rounds, folder),
        ]


if __name__ == "__main__":
    sys.exit(main(__doc__, measure, with_peers=False))
