"""Arguments of user classes, symbols and saved functions that do not fit."""

import kernels
from error_cases import case

import fairlead
from fairlead import _compiler, cute


@case
def SymbolConflict():
    first = cute.sym_int(divisibility=16, symbol="rows")
    second = cute.sym_int(divisibility=8, symbol="rows")
    fakes = kernels.vector(n=first), kernels.vector(n=second)
    cute.compile(kernels.nothing, *fakes, options="--target cpu")


@case
def TensorRank():
    fake = cute.runtime.make_fake_compact_tensor(cute.Float32, (1,) * 33)
    cute.compile(kernels.nothing, fake, kernels.vector(), options="--target cpu")


@case
def ArgumentProtocol():
    fairlead.register_jit_arg_adapter("Matrix")


@case
def Recursion():
    @cute.jit
    def endless(a, b):
        endless(a, b)

    cute.compile(endless, kernels.vector(), kernels.vector(), options="--target cpu")


@case
def ArtifactBytes():
    _compiler.Artifact.restore(b"no artifact")
