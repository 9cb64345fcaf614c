"""Kernels that cannot be traced."""

import functools
import queue
import tempfile
from pathlib import Path

import kernels
from error_cases import case
from kernels import in_kernel

import fairlead
from fairlead import Float32, Int32, _compiler, cute


@case
def OutsideTrace():
    cute.math.exp(Float32(1.0))


@case
def StaleValue():
    kept = []

    def first(a):
        kept.append(a.shape[0] + 1)

    def second(a):
        a[0] = kept[0]

    kernels.compile_host(first, kernels.vector())
    kernels.compile_host(second, kernels.vector())


@case
def EscapedValue():
    def device(a, b):
        kept = queue.SimpleQueue()  # of which nobody sees what it holds
        if a[0] > 0:
            kept.put(a[0] * 2.0)
        b[0] = kept.get()

    in_kernel(device)


@case
def ChangedInRegion():
    def device(a, b):
        kept = []
        if a[0] > 0:
            kept.append(a[0] * 2.0)
        b[0] = kept[0]

    in_kernel(device)


@case
def HostValueInKernel():
    @cute.kernel
    def device(a, function: fairlead.Constexpr):
        a[0] = function()

    def host(a):
        n = a.shape[0] + 1
        device(a, lambda: n).launch(grid=1, block=1)

    kernels.compile_host(host, kernels.vector())


@cute.kernel
def inner(a, b):
    pass


@case
def BreakpointUnchecked():
    def device(a, b):
        breakpoint()

    in_kernel(device)


@case
def TensorMapInKernel():
    from fairlead.primitives import cuda

    def device(a, b):
        cuda.create_tensor_map_tiled(a.iterator, Float32, [8], [], [8])

    in_kernel(device)


@case
def KernelArgument():
    def host(a, stream):
        inner(a, stream).launch(grid=1, block=1)

    kernels.compile_host(host, kernels.vector(), cute.runtime.make_fake_stream())


@case
def LaunchStream():
    def host(a, b):
        inner(a, b).launch(grid=1, block=1, stream=7)

    kernels.compile_host(host, kernels.vector(), kernels.vector())


@case
def DivisionByZero():
    def device(a, b):
        b[0] = Int32(a[0]) // 0

    in_kernel(device)


@case
def OperatorOperands():
    def device(a, b):
        b[0] = a[0] & 3

    in_kernel(device)


@case
def OperatorOperand():
    def device(a, b):
        b[0] = ~a[0]

    in_kernel(device)


@case
def IndexType():
    def device(a, b):
        b[0] = a[1.5]

    in_kernel(device)


@case
def StoreType():
    def device(a, b):
        b[0] = a[0]

    in_kernel(device, kernels.vector(), kernels.vector(Int32))


@case
def SubByteElement():
    def device(a, b):
        cute.recast_tensor(a, fairlead.Float4E2M1FN)[0] = b[0]

    in_kernel(device, kernels.vector(fairlead.Uint8, 8), kernels.vector())


@case
def ParameterDType():
    @cute.jit
    def host(x: fairlead.Float8E4M3FN):
        pass

    cute.compile(host, fairlead.Float8E4M3FN(1.0), options="--target cpu")


@case
def CoordinateRank():
    def device(a, b):
        b[0] = a[0, 0, 0]

    in_kernel(device)


@case
def ModeRange():
    fake = cute.runtime.make_fake_compact_tensor(Float32, ())

    def device(a, b):
        len(a)

    in_kernel(device, fake, kernels.vector())


@case
def TensorWithoutData():
    kernels.vector()[0]


@case
def WholeTensorShape():
    def host(a, b):
        b[:] = a[:]

    kernels.compile_host(host, kernels.vector(n=3), kernels.vector(n=4))


@case
def WholeTensorUnknownExtent():
    def device(a, b):
        b[:] = a[:]

    in_kernel(device, kernels.vector(), kernels.vector())


@case
def StepZero():
    def device(a, b):
        for i in range(0, 10, 0):
            b[i] = a[i]

    in_kernel(device)


@case
def RangeType():
    def device(a, b):
        for i in range(a[0]):
            b[i] = a[i]

    in_kernel(device)


@case
def CarriedType():
    def device(a, b):
        n = 10
        if a[0] > 0:
            n = 10.5
        b[0] = n

    in_kernel(device)


@case
def CarriedCount():
    # The rewriter always gives as many values as it announces; the binding is what checks it.
    def host(a):
        _compiler.if_else(a.shape[0] > 3, ["x"], [1], lambda: [], lambda: [2])

    kernels.compile_host(host, kernels.vector())


@case
def CarriedStructure():
    def device(a, b):
        pair = (1, 2)
        for i in range(3):
            pair = (pair[0] + i, 2, 3)
        b[0] = pair[0]

    in_kernel(device)


@case
def UndefinedName():
    def device(a, b):
        b[0] = a[0] + no_such_name  # noqa: F821

    in_kernel(device)


@case
def UnknownAttribute():
    def device(a, b):
        b[0] = a.no_such_attribute

    in_kernel(device)


@case
def BreakInLoop():
    def device(a, b):
        for i in range(10):
            try:
                if a[i] > 0:
                    break
            except LookupError:
                pass
            b[i] = a[i]

    in_kernel(device)


@case
def ContinueInLoop():
    def device(a, b):
        for i in range(10):
            try:
                if a[i] > 0:
                    continue
            except LookupError:
                pass
            b[i] = a[i]

    in_kernel(device)


@case
def ReturnInRegion():
    def device(a, b):
        for i in range(10):
            try:
                if a[i] > 0:
                    return
            except LookupError:
                pass
            b[i] = a[i]

    in_kernel(device)


@case
def ReturnOfValue():
    @cute.jit
    def steps_to(x):
        for i in range(4):
            if x > i:
                return i
        return 4

    def host(a, b):
        b[0] = Float32(steps_to(Int32(a[0])))

    kernels.compile_host(host, kernels.vector(), kernels.vector())


@case
def ReturnsDiffer():
    @cute.jit
    def unlike(x):
        if x > 0:
            return x
        return x, x

    def host(a, b):
        b[0] = unlike(a[0])

    kernels.compile_host(host, kernels.vector(), kernels.vector())


@case
def ElseOfLoop():
    def device(a, b):
        for i in range(10):
            b[i] = a[i]
        else:
            b[0] = 1.0

    in_kernel(device)


@case
def NoSource():
    names: dict = {}
    exec("def device(a, b):\n    b[0] = a[0]\n", names)
    in_kernel(names["device"])


@case
def SourceChanged():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edited_module.py"
        path.write_text("def device(a, b):\n    b[0] = a[0]\n")
        names: dict = {}
        exec(compile(path.read_text(), str(path), "exec"), names)
        path.write_text("def device(a, b):\n    b[0] = a[1] + 1.0\n")
        in_kernel(names["device"])


@case
def DynamicBool():
    def helper(x):
        return 1.0 if x > 0 else 2.0

    def device(a, b):
        b[0] = (helper)(a[0])

    def undecorated(function):
        # A helper from another module: nothing rewrites it.
        return functools.partial(function)

    helper = undecorated(helper)
    in_kernel(device)


@case
def DynamicNumber():
    def device(a, b):
        b[0] = [1.0, 2.0][cute.arch.thread_idx()[0]]

    in_kernel(device)


@case
def ConstexprDynamic():
    def device(a, b):
        if fairlead.const_expr(a[0] > 0):
            b[0] = 1.0

    in_kernel(device)


@case
def ScalarExpected():
    def device(a, b):
        b[0] = "one"

    in_kernel(device)


@case
def LiteralRange():
    def device(a, b):
        b[0] = 2**70

    in_kernel(device)


@case
def DTypeExpected():
    Int32(1).to("Float32")


@case
def DTypeName():
    fairlead.dtype("Float33")
