"""Arguments and options of compile that are wrong, and exports that cannot be made."""

import ctypes
import shutil
import subprocess

import kernels
import numpy as np
from cases_calls import in_process
from error_cases import case, helped

import fairlead
from fairlead import Float16, Float32, Int32, cute, utils
from fairlead.cute._assembly import inline_asm
from fairlead.cute.nvgpu import warp, warpgroup


def compile_nothing(a, b, options=None):
    return cute.compile(kernels.nothing, a, b, options=options)


@case
def CompileCallable():
    cute.compile(print, 1)


@case
def CompileArgument():
    compile_nothing("text", kernels.vector(), "--target cpu")


@case
def ArgumentAnnotation():
    cute.compile(kernels.double, 3, kernels.vector(), options="--target cpu")


@case
def CompileInTrace():
    def host(a):
        cute.compile(kernels.nothing, 1, 2)

    kernels.compile_host(host, kernels.vector())


@case
def OptionValue():
    compile_nothing(1, 2, "--opt-level high")


@cute.kernel
def one_kernel(a: cute.Tensor):
    a[0] = 1.0


@cute.jit
def asks_for_target(a: cute.Tensor):
    size = cute.current_target().capability
    one_kernel(a).launch(grid=(1, 1, 1), block=(size, 1, 1))


@case
def TargetsDiffer():
    cute.compile(asks_for_target, kernels.vector(), targets=["cuda:sm_80", "cuda:sm_90a"])


@cute.kernel
def multiply_kernel(mma: cute.TiledMma, a: cute.Tensor):
    mine = mma.get_slice(cute.arch.thread_idx()[0])
    left, right = (
        mine.make_fragment_A(mine.partition_A(a)),
        mine.make_fragment_B(mine.partition_B(a)),
    )
    sums = cute.make_rmem_tensor(mma.partition_shape_C((16, 16)), Float32)
    cute.gemm(mma, sums, left, right, sums)


@cute.jit
def multiply(a: cute.Tensor):
    mma = cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
    multiply_kernel(mma, a).launch(grid=(1, 1, 1), block=(32, 1, 1))


@case
def AtomArchitecture():
    tile = cute.runtime.make_fake_compact_tensor(Float16, (16, 16))
    cute.compile(multiply, tile, options="--target cuda:sm_75")


@cute.kernel
def warpgroup_kernel(a: cute.Tensor):
    warpgroup.fence()


@cute.jit
def fence(a: cute.Tensor):
    warpgroup_kernel(a).launch(grid=(1, 1, 1), block=(128, 1, 1))


@case
def AtomFamily():
    cute.compile(fence, kernels.vector(), options="--target cuda:sm_90")


@case
def TargetTooNew():
    compile_nothing(1, 2, "--target cuda:sm_107a")


@case
def FakeExtent():
    kernels.vector(n="n")


@case
def StrideOrder():
    cute.runtime.make_fake_compact_tensor(Float32, (3, 4), stride_order=(1, 1))


@case
def SymbolArgument():
    cute.sym_int(divisibility=0)


@case
def DLPackExpected():
    cute.from_dlpack([1, 2])


@case
def DLPackDType():
    cute.from_dlpack(np.zeros(3, np.complex64))


class Capsule:
    """Exports a capsule of a tensor of zeros, but for ``number`` as the 32 bits at ``offset``."""

    def __init__(self, name, offset=0, number=0):
        self.memory = ctypes.create_string_buffer(128)
        ctypes.c_int32.from_buffer(self.memory, offset).value = number
        new = ctypes.PyDLL(None).PyCapsule_New
        new.restype, new.argtypes = (
            ctypes.py_object,
            [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
        )
        self.name = name
        self.capsule = new(ctypes.addressof(self.memory), self.name, None)

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


@case
def DLPackVersion():
    cute.from_dlpack(Capsule(b"dltensor_versioned", number=7))


@case
def DLPackCapsule():
    cute.from_dlpack(Capsule(b"used_dltensor"))


@case
def DLPackMalformed():
    cute.from_dlpack(Capsule(b"dltensor", 16, -1))  # its number of modes


@case
def LeadingDimStride():
    cute.from_dlpack(np.zeros((4, 16), np.float32)).mark_layout_dynamic(leading_dim=0)


@case
def LeadingDimRange():
    cute.from_dlpack(np.zeros((4, 16), np.float32)).mark_layout_dynamic(leading_dim=2)


@case
def LeadingDimUnclear():
    cute.from_dlpack(np.zeros((1, 1), np.float32)).mark_layout_dynamic()


def matrix(shape=(4, 8), dtype=np.float32):
    return cute.from_dlpack(np.zeros(shape, dtype))


@case
def Stride32Bits():
    far = np.lib.stride_tricks.as_strided(np.zeros(4, np.int8), (2, 2), (2**31, 1))
    cute.from_dlpack(far, use_32bit_stride=True)


@case
def ElementTypeWidth():
    matrix().element_type = cute.Float16


@case
def DynamicMode():
    matrix().mark_compact_shape_dynamic(mode=2)


@case
def DynamicDivisibility():
    matrix().mark_compact_shape_dynamic(mode=0, divisibility=3)


@case
def DynamicGaps():
    cute.from_dlpack(np.zeros((4, 8), np.float32)[:, :6]).mark_compact_shape_dynamic(mode=0)


@case
def StrideOrderLayout():
    matrix().mark_compact_shape_dynamic(mode=0, stride_order=(1, 0))


@case
def StrideOrderCount():
    matrix().mark_compact_shape_dynamic(mode=0, stride_order=(0,))


@case
def StrideOrderMissing():
    matrix().mark_compact_shape_dynamic(mode=0, stride_order=(0, 2))


@case
def StrideOrderChanged():
    tensor = matrix((1, 1))
    tensor.mark_compact_shape_dynamic(mode=0, stride_order=(1, 0))
    tensor.mark_compact_shape_dynamic(mode=0, stride_order=(0, 1))


@case
def StrideOrderUnclear():
    overlapping = np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (2, 2), (4, 4))
    cute.from_dlpack(overlapping).mark_compact_shape_dynamic(mode=0)


@case
def ExportName(tmp_path):
    kernels.compiled().export_to_c(tmp_path / "f.o", function_name="not a name")


@case
def ExportArguments(tmp_path):
    kernels.compiled().export_to_c(tmp_path / "f.o", file_path=tmp_path, file_name="f")


@case
def ExportFileName(tmp_path):
    kernels.compiled().export_to_c(file_path=tmp_path, file_name="a/b", function_prefix="f")


@case
def ExportPath(tmp_path):
    kernels.compiled().export_to_c(tmp_path / "no" / "folder" / "f.o", function_name="f")


@case
def NoCompiler(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    kernels.compiled().export_library(tmp_path / "f.so")


@case
def LinkFailed(tmp_path):
    kernels.compiled().export_library(tmp_path / "no" / "folder" / "f.so")


@case
def TargetNoGpu(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    compile_nothing(kernels.vector(), kernels.vector(), "--target cuda")


def compile_math(target="--target cuda:sm_80"):
    def device(a, b):
        b[0] = cute.math.exp(a[0])

    kernels.in_kernel(device, options=target)


@case
def CompileFailed(tmp_path, monkeypatch):
    (tmp_path / "libdevice.10.bc").write_text("no bitcode")
    monkeypatch.setenv("FAIRLEAD_LIBDEVICE", str(tmp_path / "libdevice.10.bc"))
    compile_math()


@case
def NoCpuForm():
    def count(a, b):
        inline_asm(Int32, [], "mov.u32 $0, %pm0;", "=r")

    kernels.in_kernel(count)


@case
def TensorMemoryUse():
    @cute.kernel
    def reserve():
        cute.arch.alloc_tmem(64, utils.SmemAllocator().allocate_array(Int32, 1))

    @cute.jit
    def host():
        reserve().launch(grid=1, block=32)

    cute.compile(host, options="--target cpu")()


@case
def MathLibraryMissing(tmp_path, monkeypatch):
    """A libdevice without the function: the bitcode of an empty file."""
    library = tmp_path / "libdevice.10.bc"
    clang = shutil.which("clang-22") or "/usr/lib/llvm-22/bin/clang"
    empty = [
        "-x",
        "c",
        "--target=nvptx64-nvidia-cuda",
        "-nocudalib",
        "-emit-llvm",
        "-c",
        "/dev/null",
    ]
    subprocess.run([clang, *empty, "-o", library], check=True)
    monkeypatch.setenv("FAIRLEAD_LIBDEVICE", str(library))
    compile_math()


_LIMITED = """
import resource
import kernels
from fairlead import _compiler, cute

kernels.compiled()
compile = _compiler.compile

def limit_memory(bytes):
    resource.setrlimit(resource.RLIMIT_AS, (bytes, resource.RLIM_INFINITY))

def compile_then_limit(*arguments, **options):
    # Only loading meets the limit: the compiler's threads would end the process where they find no memory.
    limit_memory(resource.RLIM_INFINITY)
    artifact = compile(*arguments, **options)
    limit_memory(int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize())
    return artifact

_compiler.compile = compile_then_limit
try:
    kept = []  # until what is left of the pages that the process has is spent
    for _ in range(20000):
        kept.append(
            cute.compile(kernels.double, kernels.vector(), kernels.vector(), options="--target cpu")
        )
except Exception as error:
    print(f"{type(error).__mro__[2].__name__}: {error}")
"""


@case
def LoadFailed():
    in_process(_LIMITED)


@case
def LoadedLate():
    def host(a, b):
        v = a.load()
        a.store(v + 1.0)
        b.store(v)

    kernels.compile_host(host, kernels.vector(), kernels.vector())


@case
def CompilerCrash():
    # LLVM fails for a 32-bit processor with code of 64 bits.
    host = '--host-target "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=i386"'
    compile_nothing(kernels.vector(), kernels.vector(), f"--target cpu {host}")


@cute.jit
def frozen(a: cute.Tensor):
    a[0] = 1.0


@case
def CompileFrozen():
    with fairlead.freeze():
        cute.compile(frozen, kernels.vector(), options="--target cpu")


helped("CompileFrozen")(CompileFrozen)
