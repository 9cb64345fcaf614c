"""A compiled function is one of the ABI like any other: copied, pickled, inspected, called by its name."""

import copy
import ctypes
import dataclasses
import gc
import inspect
import os
import pickle
import subprocess
import sys
import textwrap
import typing
import weakref
from pathlib import Path

import numpy as np
import pytest
from support.dsl_support import vector

import fairlead
from fairlead import Float32, Int32, cute, ffi

CPU = "--target cpu"
ROOT = Path(__file__).resolve().parents[4]


class Operands(typing.NamedTuple):
    a: cute.Tensor
    scale: Float32


@cute.kernel
def device_scale(a: cute.Tensor, by: Float32, out: cute.Tensor):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * 32 + thread
    if i < a.shape[0]:
        out[i] = a[i] * by


@cute.jit
def scale(
    operands: Operands,
    out: cute.Tensor,
    mask=None,
    *,
    times: Float32 = Float32(2.0),  # noqa: B008
    mode: fairlead.Constexpr = 1,
):
    """Scales."""
    device_scale(operands.a, operands.scale * times, out).launch(
        grid=cute.ceil_div(out.shape[0], 32), block=32
    )


def compiled(**keywords):
    n = cute.sym_int(divisibility=2)
    return cute.compile(
        scale, Operands(vector(Float32, n), 1.0), vector(Float32, n), options=CPU, **keywords
    )


def array(*values, dtype=np.float32):
    return np.array(values, dtype)


def check(function):
    a, out = array(1, 2), array(0, 0)
    function(Operands(a, 3.0), out)
    assert out.tolist() == [6, 12]
    function((a, 3.0), out=out, mask=None, times=1.0)
    assert out.tolist() == [3, 6]
    with pytest.raises(ValueError, match="expected to be divisible by 2, but got 3"):
        function((array(1, 2, 3), 1.0), array(1, 2, 3))
    with pytest.raises(TypeError, match="mask .*expected None, but got int"):
        function((a, 1.0), out, 1)


def test_it_is_a_function_of_the_abi():
    function = compiled()
    check(function)
    assert isinstance(function, ffi.Function) and isinstance(function, cute.CompiledFunction)
    assert type(function) is cute.CompiledFunction
    assert ffi.convert(function) is function
    assert callable(function) and {function: 1}[function] == 1
    assert repr(function) == (
        "<CompiledFunction scale(operands[0]: Tensor([n0], float32), operands[1]: float32, "
        "out out: Tensor([n0], float32), times: float32) where n0 % 2 == 0 for cpu>"
    )
    assert function.__doc__ == "Scales." and function.__name__ == "scale"
    assert str(inspect.signature(function)).startswith("(operands: ")
    assert list(inspect.signature(function).parameters) == ["operands", "out", "mask", "times"]
    assert "mode" not in inspect.signature(function).parameters


def test_copies_are_the_function():
    function = compiled()
    assert copy.copy(function) is function
    assert copy.deepcopy({"f": [function]})["f"][0] is function


def test_it_goes_when_nobody_holds_it():
    function = compiled()
    alive = weakref.ref(function)
    del function
    gc.collect()
    assert alive() is None


def test_it_does_not_hold_the_examples():
    class Held(np.ndarray):
        pass

    example = np.zeros(4, np.float32).view(Held)
    alive = weakref.ref(example)

    @cute.jit
    def nothing(a: cute.Tensor):
        pass

    function = cute.compile(nothing, example, options=CPU)
    del example
    gc.collect()
    assert alive() is None
    function(np.zeros(4, np.float32))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_by_its_artifact(protocol):
    function = compiled()
    again = pickle.loads(pickle.dumps(function, protocol))
    assert again is not function
    check(again)
    assert repr(again) == repr(function) and again.__doc__ == "Scales."
    assert list(inspect.signature(again).parameters) == ["operands", "out", "mask", "times"]
    assert again.ptx == "" and "define" in again.ir
    check(pickle.loads(pickle.dumps(again)))


def test_a_pickle_in_another_process(tmp_path):
    (tmp_path / "f.pickle").write_bytes(pickle.dumps(compiled()))
    code = """
        import pickle, sys
        import numpy as np
        function = pickle.load(open(sys.argv[1], "rb"))
        out = np.zeros(2, np.float32)
        function((np.ones(2, np.float32), 3.0), out)
        print(out.tolist(), function)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "f.pickle")],
        capture_output=True,
        text=True,
        env={**os.environ, "FAIRLEAD_NEVER_COMPILE": "1"},
    )
    assert done.stdout.startswith("[6.0, 6.0] <CompiledFunction scale("), done.stderr


@pytest.mark.parametrize(
    ("export", "name", "text"),
    [
        ("export_to_c", "f.so", "export_library writes a shared library"),
        ("export_library", "f.o", "export_to_c writes an object file"),
    ],
)
def test_a_path_of_the_other_kind_of_file(export, name, text, tmp_path):
    with pytest.raises(fairlead.errors.DSLError, match=f"cannot write `.*{name}`: .*{text}"):
        getattr(compiled(), export)(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_restored_function_is_exported(tmp_path):
    again = pickle.loads(pickle.dumps(compiled()))
    again.export_to_c(str(tmp_path / "scale.o"), function_name="scale_again")
    module = cute.runtime.load_module(str(tmp_path / "scale.o"))
    out = array(0, 0)
    module.scale_again((array(1, 2), 3.0), out)
    assert out.tolist() == [6, 12]


def test_cuda_artifacts_are_pickled_too():
    function = compiled_for("cuda:sm_80")
    again = pickle.loads(pickle.dumps(function))
    assert again.ptx == function.ptx and ".target sm_80" in again.ptx


def compiled_for(target):
    n = cute.sym_int()
    return cute.compile(
        scale, Operands(vector(Float32, n), 1.0), vector(Float32, n), options=f"--target {target}"
    )


@pytest.mark.parametrize("damage", ["cut", "flip", "other"])
def test_damaged_bytes_are_refused(damage):
    from fairlead import _compiler

    saved = compiled().artifact.save()
    if damage == "cut":
        saved = saved[: len(saved) // 2]
    elif damage == "flip":
        middle = len(saved) // 2
        saved = saved[:middle] + bytes([saved[middle] ^ 1]) + saved[middle + 1 :]
    else:
        saved = b"no artifact at all"
    with pytest.raises(ValueError, match="cannot restore a saved function: the bytes are"):
        _compiler.Artifact.restore(saved)


@cute.jit
def several(
    a: cute.Tensor,
    count: Int32,
    address: cute.Pointer,
    size,
    out: cute.Tensor,
    flag: fairlead.Boolean,
):
    out[0] = a[0, 0] * count + address.load() + size
    if flag:
        out[0] = 0.0


def test_every_kind_of_parameter_survives():
    m, n = cute.sym_int64(symbol="rows"), cute.sym_int(divisibility=2)
    fakes = (
        cute.runtime.make_fake_tensor(Float32, (m, 3), (n, 1), assumed_align=16),
        Int32,
        cute.runtime.nullptr(Float32, assumed_align=8),
        n,
        vector(Float32),
        True,
    )
    function = cute.compile(several, *fakes, options=CPU)
    again = pickle.loads(pickle.dumps(function))
    assert str(again.signature) == str(function.signature)
    assert "a: Tensor([rows, 3], float32, strides=[n1, 1], align=16)" in str(again.signature)


def test_registered_and_called_by_name_from_cpp():
    from fairlead.ffi import cpp

    function = compiled()
    name = "test_compiled_function.scale"
    ffi.register_global_func(name, function, override=True)
    try:
        assert ffi.get_global_func(name) is not None
        source = f"""
        void by_name(tvm::ffi::TensorView a, tvm::ffi::TensorView out) {{
          tvm::ffi::Function::GetGlobalRequired("{name}")(a, 3.0, out, 2.0);
        }}
        """
        try:
            module = cpp.load_inline("by_name", cpp_sources=source, functions=["by_name"])
        except cpp.BuildError as error:
            pytest.skip(f"needs a C++ compiler: {error}")
        a, out = array(1, 2), array(0, 0)
        module.by_name(a, out)
        assert out.tolist() == [6, 12]
        with pytest.raises(ValueError, match="expected to be divisible by 2"):
            module.by_name(array(1, 2, 3), array(1, 2, 3))
    finally:
        ffi.remove_global_func(name)


#: A Python with apache-tvm-ffi; "" if there is none for this processor.
PEERS = os.environ.get("FAIRLEAD_PEERS_PYTHON", str(ROOT / ".venv-peers" / "bin" / "python"))


def test_an_instance_of_the_other_packages_class(tmp_path):
    """Beside apache-tvm-ffi, in a process of its own."""
    if not os.path.isfile(PEERS) or "FAIRLEAD_EMULATED" in os.environ:
        pytest.skip("needs the other package")
    code = """
        import numpy as np, tvm_ffi
        from fairlead import Float32, cute, ffi

        @cute.jit
        def double(a: cute.Tensor, out: cute.Tensor):
            out[0] = a[0] * 2.0

        fake = lambda: cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),))
        function = cute.compile(double, fake(), fake(), options="--target cpu")
        assert isinstance(function, tvm_ffi.Function) and isinstance(function, ffi.Function)
        assert isinstance(tvm_ffi.convert(function), tvm_ffi.Function)
        a, out = np.full(1, 3, np.float32), np.zeros(1, np.float32)
        function(a, out)
        assert out[0] == 6
        tvm_ffi.register_global_func("other.double", function, override=True)
        out[0] = 0
        theirs = tvm_ffi.get_global_func("other.double")
        theirs(tvm_ffi.from_dlpack(a), tvm_ffi.from_dlpack(out))
        assert out[0] == 6
        apply = tvm_ffi.convert(lambda f, x, y: f(x, y))
        out[0] = 0
        apply(function, tvm_ffi.from_dlpack(a), tvm_ffi.from_dlpack(out))
        assert out[0] == 6
        print("done")
    """
    package = os.path.dirname(os.path.dirname(fairlead.__file__))
    (tmp_path / "beside.py").write_text(textwrap.dedent(code))
    done = subprocess.run(
        [PEERS, str(tmp_path / "beside.py")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": package},
    )
    if "No module named" in done.stderr:
        pytest.skip("the other package's Python is another one")
    assert done.stdout == "done\n", done.stderr


@dataclasses.dataclass(frozen=True)
class Plain:
    x: Float32


def test_calls_of_every_form_agree():
    """Calls by position, by keyword in any order, with defaults, in turn: a call site's memory is right."""

    @cute.jit
    def f(out: cute.Tensor, a: Int32, b: Int32 = 2, c: Int32 = 3, *, d: Int32 = 4):
        out[0] = a
        out[1] = b
        out[2] = c
        out[3] = d

    function = cute.compile(f, vector(Int32), 1, 1, 1, d=1, options=CPU)
    calls = [
        (lambda out: function(out, 9), [9, 2, 3, 4]),
        (lambda out: function(out, 9, 8), [9, 8, 3, 4]),
        (lambda out: function(out, 9, c=7), [9, 2, 7, 4]),
        (lambda out: function(a=9, out=out), [9, 2, 3, 4]),
        (lambda out: function(out=out, a=9), [9, 2, 3, 4]),
        (lambda out: function(d=1, c=2, b=3, a=4, out=out), [4, 3, 2, 1]),
        (lambda out: function(out=out, a=4, b=3, c=2, d=1), [4, 3, 2, 1]),
        (lambda out: function(out, 1, 2, 3, d=5), [1, 2, 3, 5]),
        (lambda out: function(*(out, 1), **{"d": 5, "b": 6}), [1, 6, 3, 5]),
    ]
    for _ in range(3):
        for call, expected in calls:
            out = np.zeros(4, np.int32)
            call(out)
            assert out.tolist() == expected
        with pytest.raises(TypeError, match="missing argument #1"):
            function(np.zeros(4, np.int32), b=1)
        with pytest.raises(TypeError, match="multiple values for argument 'a'"):
            function(np.zeros(4, np.int32), 1, a=1)
        with pytest.raises(TypeError, match="unexpected keyword argument 'e'"):
            function(np.zeros(4, np.int32), 1, e=1)


def test_other_names_forget_what_was_remembered():
    function = ffi.convert(lambda *args: list(args))
    function._configure(arg_names=("x", "y"))
    call = lambda: list(function(y=1, x=2))  # noqa: E731
    assert call() == call() == [2, 1]
    function._configure(arg_names=("y", "x"))
    assert call() == [1, 2]


def test_addresses_are_given_to_calls():
    function = cute.compile(
        several,
        cute.runtime.make_fake_tensor(Float32, (1, 3), (3, 1)),
        Int32,
        cute.runtime.nullptr(Float32),
        Int32,
        vector(Float32),
        False,
        options=CPU,
    )
    store = (ctypes.c_float * 1)(0.5)
    out = array(0)
    function(
        np.full((1, 3), 2, np.float32), 3, ctypes.c_void_p(ctypes.addressof(store)), 10, out, False
    )
    assert out[0] == 16.5


def test_programs_of_one_name():
    """Programs with the same name and parameters have an entry in common only if dtypes and accesses are equal."""

    def program(writes_b: bool):
        @cute.jit
        def copy(a: cute.Tensor, b: cute.Tensor):
            if fairlead.const_expr(writes_b):
                b[0] = a[0]
            else:
                a[0] = b[0]

        return copy

    def compiled(writes_b: bool, dtype=cute.Float32):
        fakes = [cute.runtime.make_fake_compact_tensor(dtype, (2,)) for _ in range(2)]
        return cute.compile(program(writes_b), *fakes, options="--no-cache --target cpu")

    constant = np.full(2, 3, np.float32)
    constant.flags.writeable = False
    other = np.zeros(2, np.float32)
    for _ in range(2):  # the second time, both entries are known
        compiled(True)(constant, other)
        assert other.tolist() == [3, 0]
        with pytest.raises(BufferError, match="argument #0"):
            compiled(False)(constant, other)
        other[:] = 5
        compiled(False)(other, constant)
        assert other.tolist() == [3, 5]
        with pytest.raises(TypeError, match="argument #0"):
            compiled(False, Int32)(other, constant)
        other[:] = 0
