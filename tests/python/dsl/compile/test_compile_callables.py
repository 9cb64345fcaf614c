"""Functions that compile and direct calls accept, and the names of compiled functions."""

import copy
import functools
import inspect
import linecache
import pickle
import re

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Int32, cute

CPU = "--target cpu"


def zeros(n=4):
    return np.zeros(n, np.int32)


def compiled(function, *examples):
    """Return the output of a function of (out, ...)."""
    out = zeros()
    cute.compile(function, support.vector(Int32), *examples, options=CPU)(out)
    return out.tolist()


def called(function):
    out = zeros()
    function(out)
    return out.tolist()


@cute.jit
def write(out: cute.Tensor, value: fairlead.Constexpr, place: fairlead.Constexpr = 0):
    out[place] = value


class Writer:
    def __init__(self, value):
        self.value = value

    @cute.jit
    def __call__(this, out: cute.Tensor):  # noqa: N805  the object's name is free
        for i in range(this.value):
            out[i] = this.value

    @cute.jit
    def method(me, out: cute.Tensor):  # noqa: N805
        out[1] = me.value

    @staticmethod
    @cute.jit
    def static(out: cute.Tensor):
        out[2] = 3

    @cute.jit
    @staticmethod
    def static_inside(out: cute.Tensor):
        out[2] = 4

    @classmethod
    @cute.jit
    def of_class(cls, out: cute.Tensor):
        out[3] = len(cls.__name__)

    @cute.jit
    @classmethod
    def of_class_inside(cls, out: cute.Tensor):
        out[3] = len(cls.__name__) + 1


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (functools.partial(write, value=7), [7, 0, 0, 0]),
        (functools.partial(functools.partial(write, value=7), place=2), [0, 0, 7, 0]),
        (functools.partial(functools.partial(write, value=7), value=8), [8, 0, 0, 0]),
        (Writer(2), [2, 2, 0, 0]),
        (Writer(5).method, [0, 5, 0, 0]),
        (Writer.static, [0, 0, 3, 0]),
        (Writer(1).static_inside, [0, 0, 4, 0]),
        (Writer.of_class, [0, 0, 0, 6]),
        (Writer(1).of_class_inside, [0, 0, 0, 7]),
        (cute.jit(lambda out: write(out, 9)), [9, 0, 0, 0]),
    ],
)
def test_what_is_a_function(function, expected):
    assert compiled(function) == expected
    assert called(function) == expected


def test_partial_of_the_first_arguments():
    @cute.jit
    def scale(factor: fairlead.Constexpr, n, out: cute.Tensor):
        for i in range(n):
            out[i] = i * factor

    function = cute.compile(functools.partial(scale, 3), 4, support.vector(Int32), options=CPU)
    assert str(function.signature) == "scale(n: int32, out out: Tensor([n0], int32))"
    out = zeros()
    function(3, out)
    assert out.tolist() == [0, 3, 6, 0]


def test_functions_without_a_decorator():
    def fill(out: cute.Tensor, n: Int32):
        for i in range(n):
            out[i] = i

    class Filler:
        def __call__(self, out: cute.Tensor, n: Int32):
            fill_all(out, n)

        def run(self, out: cute.Tensor, n: Int32):
            fill_all(out, n)

    fill_all = cute.jit(fill)
    for function in (fill, Filler(), Filler().run, functools.partial(fill)):
        out = zeros()
        cute.compile(function, support.vector(Int32), Int32, options=CPU)(out, 3)
        assert out.tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize("what", [3, "text", print, None, int])
def test_what_is_none(what):
    with pytest.raises(TypeError, match="compile\\(\\) takes a function decorated with @jit"):
        cute.compile(what, support.vector(Int32), options=CPU)


def test_only_functions_are_decorated():
    for decorate in (cute.jit, cute.kernel):
        with pytest.raises(TypeError, match="expected a function to decorate, but got int"):
            decorate(3)


def test_two_objects_of_a_class():
    """Direct calls compile for each object."""
    first, second = Writer(1), Writer(3)
    assert called(first) == [1, 0, 0, 0] and called(second) == [3, 3, 3, 0]
    assert called(first.method) == [0, 1, 0, 0] and called(second.method) == [0, 3, 0, 0]


def test_a_method_called_of_the_class():
    out = zeros()
    Writer.method(Writer(6), out)
    assert out.tolist() == [0, 6, 0, 0]


def test_functions_of_a_notebook():
    """Cells have their source in linecache, and functions of one cell call those of another."""
    cells = [
        "import fairlead\nfrom fairlead import Int32, cute\n\n"
        "@cute.kernel\n"
        "def kernel(out: cute.Tensor, n: Int32):\n"
        "    thread, _, _ = cute.arch.thread_idx()\n"
        "    if thread < n:\n"
        "        out[thread] = scale(thread)\n",
        "@cute.jit\ndef scale(x):\n    y = x\n    if x > 1:\n        y = x * 10\n    return y\n",
        "@cute.jit\n"
        "def run(out: cute.Tensor, n: Int32):\n"
        "    kernel(out, n).launch(grid=(1, 1, 1), block=(32, 1, 1))\n",
    ]
    scope = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        name = f"<ipython-input-{number}-0123456789ab>"
        linecache.cache[name] = (len(cell), None, cell.splitlines(True), name)
        exec(compile(cell, name, "exec"), scope)
    out = zeros()
    scope["run"](out, 3)
    assert out.tolist() == [0, 1, 20, 0]
    # A cell that is run again has another name and another function.
    again = cells[1].replace("* 10", "* 100")
    name = "<ipython-input-9-0123456789ab>"
    linecache.cache[name] = (len(again), None, again.splitlines(True), name)
    exec(compile(again, name, "exec"), scope)
    out = zeros()
    cute.compile(scope["run"], support.vector(Int32), Int32, options=CPU)(out, 3)
    assert out.tolist() == [0, 1, 200, 0]


def test_functions_of_an_interactive_shell():
    """IPython's own machinery, where it is installed."""
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance()
    shell.run_cell(
        "import numpy as np\nfrom fairlead import Int32, cute\n\n"
        "@cute.jit\n"
        "def count(out: cute.Tensor, n: Int32):\n"
        "    for i in range(n):\n"
        "        out[i] = i + 1\n"
    ).raise_error()
    result = shell.run_cell("out = np.zeros(4, np.int32); count(out, 3); out.tolist()")
    assert result.result == [1, 2, 3, 0]


@cute.kernel
def fill_block(out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    out[thread] = thread


def entries(prefix, **options):
    """The kernels' symbols in a program of two launches."""

    @cute.kernel
    def again(out: cute.Tensor):
        out[0] = 5

    @cute.jit
    def host(out: cute.Tensor):
        again(out).launch(grid=1, block=4)
        again(out).launch(grid=1, block=4)

    if prefix is not None:
        again.set_name_prefix("other")
        again.set_name_prefix(prefix, **options)
    function = cute.compile(host, support.vector(Int32), options="--target ptx:compute_90")
    return re.findall(r"\.entry (\w+)", function.__ptx__)


@pytest.mark.parametrize(
    ("prefix", "options", "expected"),
    [
        (None, {}, ["again", "again_1"]),
        ("my_op", {}, ["my_op_kernel_cutlass_again_0", "my_op_kernel_cutlass_again_1"]),
        (
            "my_op",
            {"remove_cutlass_symbol": True},
            ["my_op_kernel_again_0", "my_op_kernel_again_1"],
        ),
        ("my_op", {"keep_mangled_name": False}, ["my_op_cutlass_0", "my_op_cutlass_1"]),
        (
            "my_op",
            {"remove_cutlass_symbol": True, "keep_mangled_name": False},
            ["my_op_0", "my_op_1"],
        ),
        ("", {}, ["again", "again_1"]),
        ("", {"remove_cutlass_symbol": True}, ["again", "again_1"]),
    ],
)
def test_names_of_kernels(prefix, options, expected):
    assert sorted(entries(prefix, **options)) == expected


def test_names_of_host_functions():
    @cute.jit
    def host(out: cute.Tensor):
        out[0] = 1

    def name():
        return cute.compile(host, support.vector(Int32), options=CPU).signature.name

    assert name() == "host"
    host.set_name_prefix("my_op")
    assert name() == "my_op_cutlass_host"
    host.set_name_prefix("my_op", remove_cutlass_symbol=True, keep_mangled_name=False)
    assert name() == "my_op"
    assert called(host) == [1, 0, 0, 0]
    host.set_name_prefix("")
    assert name() == "host"


def test_names_are_recorded_at_the_python_function():
    """Published libraries read the options there, and restore what was there before."""

    @cute.jit
    def host(out: cute.Tensor):
        out[0] = 1

    function = inspect.unwrap(host)
    host.set_name_prefix("my_op", remove_cutlass_symbol=True)
    options = function._cute_dsl_name_options
    assert (options.name_prefix, options.remove_cutlass_symbol) == ("my_op", True)
    del function._cute_dsl_name_options
    assert cute.compile(host, support.vector(Int32), options=CPU).signature.name == "host"


def test_names_that_are_none():
    with pytest.raises(ValueError, match="a prefix, its word or its name, but got none of them"):
        fill_block.set_name_prefix("", remove_cutlass_symbol=True, keep_mangled_name=False)
    with pytest.raises(ValueError, match="expected letters, digits and underscores, but got 'a-b'"):
        fill_block.set_name_prefix("a-b")
    with pytest.raises(TypeError, match="expected a str, but got int"):
        fill_block.set_name_prefix(3)


def test_static_values_are_returned():
    """Direct calls; inlined functions may return anything."""

    @cute.jit
    def add(a: fairlead.Constexpr, out: cute.Tensor):
        out[0] = inner(a, out)[0]
        return a + 1, {"name": "x"}, [Int32(3)]

    @cute.jit
    def inner(a, out):
        return out[1] + a, None

    out = np.array([0, 5, 0, 0], np.int32)
    for _ in range(2):
        assert add(2, out) == (3, {"name": "x"}, [3])
        assert out[0] == 7
    assert add(3, out) == (4, {"name": "x"}, [3]) and out[0] == 8
    assert called(cute.jit(lambda out: write(out, 9))) == [9, 0, 0, 0]


@pytest.mark.parametrize(
    "result",
    [
        lambda out: out.shape[0],
        lambda out: (1, out[0]),
        lambda out: out,
        lambda out: [out.iterator],
    ],
)
def test_values_of_the_program_are_not_returned(result):
    with pytest.raises(
        TypeError, match="returns a run-time value: a compiled function returns nothing"
    ):
        called(cute.jit(result))


def test_what_tracing_changes_is_no_change():
    """A list that the traced function appends to does not make every call a new kind."""
    seen = []

    @cute.jit
    def write_all(out: cute.Tensor, value: fairlead.Constexpr):
        seen.append(value)
        out[0] = value

    out = zeros()
    for _ in range(3):
        for value in (1, 2):
            write_all(out, value)
            assert out[0] == value
    assert seen == [1, 2]


def test_wrapped_functions():
    """A wrapper with the name of the wrapped function is traced itself."""

    def twice(function):
        @functools.wraps(function)
        def wrapper(out: cute.Tensor):
            for i in range(2):
                if out.shape[0] > i:
                    function(out)

        return wrapper

    @cute.jit
    @twice
    def fill(out: cute.Tensor):
        out[1] = out[1] + 5

    assert fill.__name__ == "fill"
    assert called(fill) == compiled(fill) == [0, 10, 0, 0]


@cute.jit
def pickled_host(a: cute.Tensor):
    a[0] = 1.0


@cute.kernel
def pickled_kernel(a: cute.Tensor):
    a[0] = 1.0


@pytest.mark.parametrize("function", [pickled_host, pickled_kernel])
def test_decorated_functions_are_pickled_and_copied_by_name(function):
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy({"f": function})["f"] is function


def test_a_local_function_is_not_pickled():
    @cute.jit
    def local(a: cute.Tensor):
        pass

    with pytest.raises((pickle.PicklingError, AttributeError), match="local"):
        pickle.dumps(local)
