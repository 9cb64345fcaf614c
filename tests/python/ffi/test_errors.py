"""Errors of the ABI as Python exceptions, and back."""

import gc
import traceback
import weakref

import pytest
from support.ffi_support import Refuses

from fairlead import ffi
from fairlead.ffi import _library

attached = pytest.mark.skipif(
    _library.has_other_package(), reason="another package would take the Error for its own"
)

KINDS = [
    "RuntimeError",
    "ValueError",
    "TypeError",
    "AttributeError",
    "KeyError",
    "IndexError",
    "AssertionError",
    "MemoryError",
    "NotImplementedError",
    "BufferError",
    "OverflowError",
]


@pytest.fixture
def fail(kernels):
    return kernels["raise"]


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(fail, kind):
    expected = getattr(__builtins__, kind, None) or __builtins__[kind]
    with pytest.raises(expected) as raised:
        fail(kind, "some text, exactly")
    assert type(raised.value) is expected
    assert raised.value.args == ("some text, exactly",)


@pytest.mark.parametrize("kind", ["InternalError", "SomethingElse", ""])
def test_unknown_kind(fail, kind):
    with pytest.raises(RuntimeError) as raised:
        fail(kind, "text")
    assert type(raised.value) is RuntimeError
    assert str(raised.value) == "text"
    assert raised.value.__ffi_kind__ == kind


def test_registered_kind(fail):
    class Special(Exception):
        pass

    ffi.register_error("Special", Special)
    with pytest.raises(Special, match="text"):
        fail("Special", "text")
    with pytest.raises(TypeError, match="exception class"):
        ffi.register_error("Special", int)


def test_register_error_as_decorator(fail):
    @ffi.register_error
    class OwnName(Exception):
        pass

    @ffi.register_error("OtherName")
    class Named(Exception):
        pass

    @ffi.register_error()
    class Empty(Exception):
        pass

    assert isinstance(OwnName, type) and ffi.register_error("Again", Named) is Named
    for kind, cls in (("OwnName", OwnName), ("OtherName", Named), ("Empty", Empty)):
        with pytest.raises(cls, match="text") as raised:
            fail(kind, "text")
        assert type(raised.value) is cls
    for wrong in (3, int, lambda: None):
        with pytest.raises(TypeError, match="exception class"):
            ffi.register_error(wrong)
    with pytest.raises(TypeError, match="exception class"):
        ffi.register_error("Name")(int)
    with pytest.raises(TypeError, match="expected str"):
        ffi.register_error(Named, Named)


def test_kind_of_a_registered_class(kernels):
    @ffi.register_error("OfACallback")
    class Special(ValueError):
        pass

    class Derived(Special):
        pass

    for cls in (Special, Derived):
        assert kernels.echo(cls("text")).kind == "OfACallback"
    assert kernels.echo(ZeroDivisionError("text")).kind == "ZeroDivisionError"


def test_texts_are_exact(fail):
    for text in ("", "a\nb", "nul \0 inside", "ü€", "%s {x}"):
        with pytest.raises(ValueError) as raised:
            fail("ValueError", text)
        assert str(raised.value) == text


def test_backtrace(fail):
    lines = '  File "inner.cc", line 2, in inner\n  File "outer.cc", line 1, in outer\n'
    with pytest.raises(ValueError) as raised:
        fail("ValueError", "text", lines)
    assert raised.value.__ffi_backtrace__ == lines
    shown = [
        (f.filename, f.lineno, f.name) for f in traceback.extract_tb(raised.value.__traceback__)
    ]
    assert shown[-2:] == [("outer.cc", 1, "outer"), ("inner.cc", 2, "inner")]
    assert shown[0][0] == __file__
    with pytest.raises(ValueError) as raised:
        fail("ValueError", "text")
    assert len(traceback.extract_tb(raised.value.__traceback__)) == 1


@pytest.mark.parametrize(
    "lines",
    [
        "text",
        '  File "a", line x, in b\n',
        '", line 1, in File "',
        "\n\n",
        '  File "", line 0, in \n',
        "\xff\n",
    ],
)
def test_odd_backtraces(fail, lines):
    with pytest.raises(ValueError, match="^text$") as raised:
        fail("ValueError", "text", lines)
    assert traceback.format_exception(raised.value)


def test_backtraces_are_joined(fail, kernels):
    """Python's frames and native ones, in one order, also where the error goes through a callback and back."""

    def callback():
        fail("ValueError", "text", '  File "inner.cc", line 2, in inner\n')

    error = None
    try:
        kernels.apply(callback)
    except ValueError as raised:
        error = raised
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert names[0] == "test_backtraces_are_joined" and "callback" in names
    assert names[-1] == "inner" and names.count("inner") == 1
    carried = ffi.convert_func(lambda e: e)(error).backtrace.splitlines()
    order = [line.rpartition(" in ")[2] for line in carried]
    assert order.index("inner") < order.index("callback") and order.count("inner") == 1


def test_failure_without_error(kernels):
    with pytest.raises(RuntimeError, match="failed with code -1 and gave no error"):
        kernels.fail_silently()
    # No error remains.
    assert kernels.echo(1) == 1


def test_callbacks_exception_comes_back(kernels):
    class Custom(ValueError):
        pass

    error = Custom("text", 3)

    def callback():
        raise error

    with pytest.raises(Custom) as raised:
        kernels.apply(callback)
    assert raised.value is error
    assert "callback" in [entry.name for entry in raised.traceback]


@pytest.mark.parametrize("exception", [KeyboardInterrupt, SystemExit, StopIteration, GeneratorExit])
def test_other_exceptions_come_back(kernels, exception):
    def callback():
        raise exception

    with pytest.raises(exception):
        kernels.apply(callback)


def test_callbacks_unsupported_result(kernels):
    with pytest.raises(TypeError, match="value: .*str"):
        kernels.apply(lambda: Refuses())


def test_exception_is_not_kept(kernels):
    class Local(Exception):
        pass

    def callback():
        raise Local  # noqa: F821

    gone = weakref.ref(Local)
    try:
        kernels.apply(callback)
    except Local:
        pass
    del Local, callback
    gc.collect()
    assert gone() is None


def test_frameworks_own_error_names_the_argument(kernels):
    torch = pytest.importorskip("torch")
    sparse = torch.eye(3).to_sparse()
    with pytest.raises(
        (BufferError, RuntimeError), match=r"argument #1 \(`b`\) of `add\(a: Tensor"
    ):
        kernels.add(torch.zeros(3), sparse, torch.zeros(3))
    meta = torch.empty(3, device="meta")
    with pytest.raises((BufferError, RuntimeError, ValueError), match=r"argument #0 \(`a`\)"):
        kernels.add(meta, meta, meta)
    x = torch.zeros(3)
    kernels.add(x, x, x)


@attached
def test_error_object_of_an_exception(fail, kernels):
    lines = '  File "inner.cc", line 2, in inner\n'
    with pytest.raises(ValueError) as raised:
        fail("ValueError", "text", lines)
    error = raised.value.__tvm_ffi_error__
    assert isinstance(error, ffi.Error)
    assert (error.kind, error.message, error.backtrace) == ("ValueError", "text", lines)
    assert type(error.py_error()) is ValueError and kernels.echo(error).same_as(error)
    with pytest.raises(RuntimeError) as raised:
        fail("SomethingElse", "text")
    assert raised.value.__tvm_ffi_error__.kind == "SomethingElse"


@attached
def test_error_object_of_a_callbacks_exception(kernels):
    class Local(ValueError):
        pass

    def callback():
        raise Local("text")  # noqa: F821

    with pytest.raises(Local) as raised:
        kernels.apply(callback)
    error = raised.value.__tvm_ffi_error__
    assert (error.kind, error.message) == ("ValueError", "text")
    assert "in callback" in error.backtrace
    # The two do not hold each other.
    gone = weakref.ref(Local)
    del raised, Local, callback, error
    gc.collect()
    assert gone() is None
