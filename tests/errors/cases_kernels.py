"""Kernels with a signature: texts that do not parse, images that disagree, calls that cannot launch."""

import pytest
from cases_calls import in_process
from error_cases import case

import fairlead
from fairlead import _compiler

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n) { ret; }
.visible .entry one(.param .u32 n) { ret; }
"""
SIGNATURE = "f(x: Tensor([n], float32))"


def make(source=PTX, name="k", signature=SIGNATURE, launch="args=(x, int32(n))", **options):
    return fairlead.kernel(source, name, signature, launch, **options)


def integers(launch):
    """A function of two integers; no tensor, so that a call gets as far as the launch."""
    return make(name="one", signature="f(a: int64, b: int64)", launch=launch)


@case
def SignatureText():
    make(signature="f(x: Tensor([n] float32))")


@case
def LaunchText():
    make(launch="grid=ceil_div(q, 256)")


@case
def LaunchOverflow():
    integers("args=(int32(a * b),)")(2**62, 4)


@case
def LaunchDivision():
    integers("args=(int32(a // b),)")(1, 0)


@case
def LaunchRange():
    integers("args=(int32(a + b),)")(2**31, 1)


@case
def ExportType(tmp_path):
    f = make(signature="f(x: Tensor([n], T)) where T in {int8, float32}")
    f.export_to_c(file_path=tmp_path, file_name="f")


@case
def TensorDTypeChoice():
    import numpy as np

    f = make(signature="f(x: Tensor([n], T)) where T in {int8, float32}")
    f(np.zeros(3, np.float64))


@case
def KernelImage():
    make(b"\x7fELF" + bytes(60))


@case
def KernelNoSource():
    make("")


@case
def KernelMissing():
    make(name="none")


@case
def KernelParamCount():
    make(launch="")


@case
def KernelParamSize():
    make(launch="args=(x, n)")


@case
def KernelArch():
    make('extern "C" __global__ void k() {}', signature="k()", launch="", arch="sm_x")


@case
def KernelNoArch():
    if _compiler.Target.detect().arch:
        pytest.skip("this machine has a GPU")
    make('extern "C" __global__ void k() {}', signature="k()", launch="")


_NO_NVRTC = """
import fairlead
try:
    fairlead.kernel('extern "C" __global__ void k() {}', "k", "k()", arch="sm_80")
except Exception as error:
    print(f"{type(error).__mro__[2].__name__}: {error}")
"""


@case
def KernelCompile(tmp_path):
    in_process(_NO_NVRTC, FAIRLEAD_NVRTC=str(tmp_path / "libnvrtc.so"))


@case
def NvrtcCompile():
    fairlead.ffi.cpp.nvrtc.nvrtc_compile("", arch="90")


@case
def ImageBytes():
    _compiler.read_image(b"")


@case
def KernelOption():
    make(arch=90)
