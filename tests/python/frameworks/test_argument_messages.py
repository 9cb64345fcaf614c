# ruff: noqa: F821 (names of extents)
"""Errors of calls for wrong arguments, for every way to call: the argument, the expected and the passed value."""

import numpy as np
import pytest
import torch
from support.torch_support import make

import fairlead
from fairlead import cute, ffi

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import fairlead.jax  # noqa: E402


@cute.jit
def annotated(a: cute.Tensor, n: cute.Int32, b: cute.Tensor):
    for i in range(a.shape[0]):
        b[i] = a[i] + n


@cute.jit
def bare(a, n, b):
    for i in range(a.shape[0]):
        b[i] = a[i] + n


def out():
    return np.zeros(4, np.float32)


def filled(function, a, n, b=None):
    """Call `function` with an array for its results, and return this array."""
    b = out() if b is None else b
    function(a, n, b)
    return b


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    """Name -> call with a tensor and a number, and an array that the call takes."""
    path = tmp_path_factory.mktemp("messages") / "annotated.so"
    n = cute.sym_int()
    vector = cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n,))

    def compiled():
        return cute.compile(annotated, vector, cute.Int32, vector, options="--target cpu")

    plain = compiled()
    plain.export_library(path, function_name="annotated")
    loaded, module = cute.runtime.load_module(path).annotated, ffi.load_module(path).annotated
    operator, call = make(compiled(), "b"), fairlead.jax.call(plain, outputs="b")
    array, tensor = np.ones(4, np.float32), torch.ones(4)
    return {
        "direct": (lambda a, n: filled(annotated, a, n), array),
        "bare": (lambda a, n: filled(bare, a, n), array),
        "compiled": (lambda a, n: filled(plain, a, n), array),
        "loaded": (lambda a, n: filled(loaded, a, n), array),
        "module": (lambda a, n: filled(module, a, n), array),
        "operator": (lambda a, n: operator(a, n), tensor),
        "out": (lambda a, n: filled(operator, a, n, torch.zeros(4)), tensor),
        "jax": (lambda a, n: call(a, n=n), jnp.ones(4)),
    }


ENTRY = r"on argument #0 when calling: `annotated\(.*`, expected {}, but got {}"
SHARED = r"argument #0 \(`a`\) of `annotated\(.*: .*{}"
DIRECT = r"`\w+` expects argument #0 \(a\) to be (a t|T)ensor, but got {}"
CANNOT = r"`\w+` cannot take {} as argument #0 \(a\): compile-time arguments are tensors"
DLPACK = r"argument #0 \(a\) of `\w+`: from_dlpack .*{}"
TORCH = r"argument #0 \(`a`\) of `\w+::\w+` is a tensor of torch, but got {}"
JAX = r"`annotated` takes an array of JAX or NumPy as argument #0, but got {}"
RANK = r"`annotated\(.*\)` takes `a` with 1 dimensions, but got one with 0"
SWAPPED = np.ones(4, np.float32).astype(np.dtype(np.float32).newbyteorder())
WAYS = "direct bare compiled loaded module operator out jax".split()

#: The value in place of a tensor; the text of direct calls; its type in other texts; and if that is not all,
#: what calls with a signature, operators of torch and calls of JAX say.
TENSORS = {
    "None": (None, DIRECT.format("None"), "None"),
    "list": ([1.0], DIRECT.format("list"), "list"),
    "tuple": ((1.0,), DIRECT.format("tuple"), "tuple"),
    "str": ("abc", CANNOT.format("str"), "str"),
    "bytes": (b"abc", CANNOT.format("bytes"), "bytes"),
    "dict": ({"a": 1}, CANNOT.format("dict"), "dict"),
    "int": (3, DIRECT.format("[iI]nt(32)?"), "int", None, None, RANK),
    "np.float32": (np.float32(3), DIRECT.format("Float32"), "float(32)?", None, None, RANK),
    "swapped": (
        SWAPPED,
        DLPACK.format(">f4, in the byte order of other machines"),
        "ndarray",
        SHARED.format("byte order of other machines"),
        None,
        JAX.format("one of dtype >f4, in the byte order of other machines"),
    ),
    "objects": (
        np.array([None]),
        DLPACK.format("elements of type object"),
        "ndarray",
        SHARED.format("dtype object.*has no DLPack form"),
        None,
        JAX.format("one of dtype object"),
    ),
    "meta": (
        torch.ones(4, device="meta"),
        DLPACK.format("device meta, which has no memory"),
        "Tensor",
        SHARED.format("meta"),
        "device of b .*, expected meta, where other tensors are, but got cpu",
    ),
    "sparse": (
        torch.ones(4).to_sparse(),
        DLPACK.format("layout torch.sparse_coo"),
        "Tensor",
        SHARED.format("doesn't have storage"),
        "SparseCPU",
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", TENSORS)
def test_what_is_no_tensor(ways, way, kind):
    given, direct, name, *further = TENSORS[kind]
    entry, of_torch, of_jax = (*further, *(None,) * (3 - len(further)))
    entry = entry or ENTRY.format("Tensor", name)
    of_torch = of_torch or TORCH.format(name)
    of_jax = of_jax or JAX.format("None" if given is None else f"a {name}")
    words = {"direct": direct, "bare": direct, "operator": of_torch, "out": of_torch, "jax": of_jax}
    if kind == "meta" and way == "operator":
        assert ways[way][0](given, 3).device.type == "meta"  # as with torch's own operators
        return
    with pytest.raises(
        (TypeError, BufferError, ValueError, RuntimeError), match=words.get(way, entry)
    ) as caught:
        ways[way][0](given, 3)
    assert isinstance(caught.value, TypeError) or kind in ("swapped", "objects", "meta", "sparse")


NUMBERS = {
    "None": (None, "None"),
    "list": ([1], "list"),
    "str": ("3", "str"),
    "float": (2.5, "float"),
    "tensor": (torch.ones(4), "[tT]ensor"),
    "without dimensions": (torch.tensor(2), "[tT]ensor"),
}


# Without an annotation a number may be anything, and torch takes the numbers of tensors.
@pytest.mark.parametrize(
    ("way", "kind"),
    [
        (way, kind)
        for way in WAYS[:1] + WAYS[2:]
        for kind in NUMBERS
        if way not in ("operator", "out") or kind not in ("tensor", "without dimensions")
    ],
)
def test_what_is_no_integer(ways, way, kind):
    call, array = ways[way]
    given, got = NUMBERS[kind]
    words = {
        "direct": rf"`annotated` (expects|cannot take).*argument #1 \(n\).*|argument #1 when calling.*but got {got}",
        "operator": rf"argument #1 \(`n`\) of .* is an integer, but got {got}",
        "jax": rf"(takes a number for `n`|argument #1 .*expected int), but got (a )?{got}",
    }
    words["out"] = words["operator"]
    entry = rf"argument #1 when calling: `annotated\(.*`, expected int, but got {got}"
    with pytest.raises((TypeError, RuntimeError), match=words.get(way, entry)) as caught:
        call(array, given)
    assert isinstance(caught.value, TypeError) or (way == "jax" and kind == "float")


@pytest.mark.parametrize("way", WAYS)
def test_numbers_of_numpy_are_numbers(ways, way):
    call, array = ways[way]
    for number in (np.int64(2), np.uint8(2), np.bool_(True)):
        assert call(array, number).tolist() == [1 + int(number)] * 4


def test_tensors_without_dimensions(ways):
    for given in (np.array(1.0, np.float32), torch.tensor(1.0)):
        for way in ("direct", "bare"):
            with pytest.raises(IndexError, match="tuple index out of range") as caught:
                ways[way][0](given, 3)
            assert (
                "an entry for each mode, counted from 0: `cute.rank(a)`"
                in caught.value.__notes__[0]
            )
        for way in ("compiled", "loaded", "module"):
            with pytest.raises(ValueError, match=r"ndim on argument #0 .*expected 1, but got 0"):
                ways[way][0](given, 3)
        with pytest.raises(
            TypeError, match=r"argument #1 \(n\) to be Int32, but got a tensor without dim"
        ):
            annotated(out(), given, out())


def test_devices(ways):
    n = cute.sym_int()
    vector = cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n,))
    function = cute.compile(annotated, vector, cute.Int32, vector, options="--target cuda:sm_90a")
    with pytest.raises(
        ValueError,
        match=r"Mismatched device on argument #0 .*expected device_type=cuda, "
        "this function was compiled for cuda:sm_90a, but the tensor is on cpu",
    ):
        function(out(), 3, out())


@cute.jit
def optional(
    a: cute.Tensor, c: cute.Tensor | None, d: cute.Tensor = None, e: cute.Tensor["n"] | None = None
):
    if c is not None:
        a[0] = c[0]


def test_what_may_be_left_out():
    """None is for parameters that say so; the first is none of them."""
    a = out()
    optional(a, None)
    optional(a, None, None, None)
    optional(a, np.full(1, 5, np.float32), d=a)
    assert a[0] == 5
    with pytest.raises(
        TypeError, match=r"`optional` expects argument #0 \(a\) to be Tensor, but got None"
    ):
        optional(None, a)
    with pytest.raises(
        TypeError, match=r"`optional` expects argument #0 \(a\) to be Tensor, but got None"
    ):
        cute.compile(optional, None, None, options="--target cpu")


@cute.kernel
def _inner(b):
    b[0] = 1.0


@cute.jit
def outer(x: cute.Tensor, b):
    _inner(b).launch(grid=1, block=1)


def test_arguments_of_kernels():
    with pytest.raises(
        TypeError, match=r"`_inner` expects argument #0 \(b\) to be a tensor, but got None"
    ):
        outer(out(), None)


def test_types_that_kernels_do_not_have_are_named():
    with pytest.raises(TypeError, match="from_dlpack cannot take elements of type torch.complex64"):
        cute.runtime.from_dlpack(torch.ones(4, dtype=torch.complex64))


def test_torch_inside_of_a_kernel_has_advice():
    table = torch.arange(4.0)

    @cute.kernel
    def looks_up(a: cute.Tensor):
        a[0] = table[cute.arch.thread_idx()[0]]

    @cute.jit
    def host(a: cute.Tensor):
        looks_up(a).launch(grid=1, block=1)

    @cute.jit
    def rectify(a: cute.Tensor):
        a[0] = torch.relu(a)

    for function, advice in (
        (host, "a tensor of torch takes no run-time index: pass it to the `@cute.jit` function"),
        (rectify, "`torch.relu` takes no run-time values; here it is `max(x, 0.0)`"),
    ):
        with pytest.raises((IndexError, TypeError)) as raised:
            function(table)
        assert advice in "".join(getattr(raised.value, "__notes__", ()))
