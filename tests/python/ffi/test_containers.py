"""Array, List, Map and Dict, registered objects, errors as objects, and moved arguments."""

import copy
import pickle
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import numpy as np
import pytest

from fairlead import ffi

echo = ffi.convert_func(lambda value: value)


def test_array():
    array = ffi.Array([1, "two", None])
    assert isinstance(array, Sequence) and not isinstance(array, MutableSequence)
    assert (len(array), array[0], array[-1], array[1:]) == (3, 1, None, ["two", None])
    assert array == (1, "two", None) and array == [*array] and array != (1, "two")
    assert array == ffi.Array([1, "two", None]) and array != ffi.Array([1, "two", 3])
    assert hash(array) == hash(ffi.Array([1, "two", None]))
    assert list(reversed(array)) == [None, "two", 1] and "two" in array and 5 not in array
    assert (array.index("two"), array.count(1)) == (1, 1)
    assert array + [4] == (1, "two", None, 4) and [0] + array == (0, 1, "two", None)
    assert repr(array) == '(1, "two", None)' and not ffi.Array() and array
    with pytest.raises(IndexError, match="size: 3, got index 3"):
        array[3]
    with pytest.raises(TypeError, match="not str"):
        array["x"]
    with pytest.raises(TypeError):
        array[0] = 1
    with pytest.raises(TypeError):
        ffi.Array(5)


@pytest.mark.parametrize(
    "value", [ffi.Array([1, (2, "x")]), ffi.List([3]), ffi.Map({"a": 1}), ffi.Dict({1: "b"})]
)
def test_copies(value):
    for copied in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert type(copied) is type(value) and copied == value and not copied.same_as(value)
    assert echo(value).same_as(value) and type(echo(value)) is type(value)


def test_list():
    values = ffi.List(range(6))
    model = list(range(6))
    assert isinstance(values, MutableSequence)
    for change in (
        lambda x: x.__setitem__(slice(1, 3), [9]),
        lambda x: x.__delitem__(0),
        lambda x: x.insert(0, "a"),
        lambda x: x.insert(-100, "b"),
        lambda x: x.insert(100, "c"),
        lambda x: x.append(3),
        lambda x: x.extend([1, 2, 3]),
        lambda x: x.reverse(),
        lambda x: x.__setitem__(-1, 7),
        lambda x: x.__delitem__(slice(None, None, 2)),
        lambda x: x.__setitem__(slice(None, None, -2), [5] * len(x[::-2])),
        lambda x: x.pop(1),
        lambda x: x.remove(5),
        lambda x: x.__setitem__(slice(4, 1), [8, 8]),
        lambda x: x.pop(),
    ):
        change(values)
        change(model)
        assert list(values) == model
    other = echo(values)
    other.append("seen")
    assert values[-1] == "seen"
    with pytest.raises(ValueError, match="extended slice"):
        values[::2] = []
    values.clear()
    with pytest.raises(IndexError, match="empty"):
        values.pop()


def test_map():
    mapping = ffi.Map({"b": 1, "a": [2]})
    assert isinstance(mapping, Mapping) and not isinstance(mapping, MutableMapping)
    assert list(mapping) == list(mapping.keys()) == ["b", "a"]
    assert list(mapping.values()) == [1, (2,)] and dict(mapping.items()) == mapping
    assert mapping["b"] == 1 and mapping.get("c") is None and mapping.get("c", 4) == 4
    assert "a" in mapping and len(mapping) == 2 and mapping == ffi.Map({"b": 1, "a": [2]})
    assert repr(mapping) == '{"b": 1, "a": (2,)}'
    with pytest.raises(KeyError):
        mapping["c"]


def test_dict():
    mapping = ffi.Dict({"x": 1})
    mapping["y"] = 2
    mapping.update(z=3)
    assert mapping.pop("x") == 1 and mapping.setdefault("w", 4) == 4
    del mapping["y"]
    assert mapping == {"z": 3, "w": 4}
    with pytest.raises(KeyError):
        del mapping["y"]
    mapping.clear()
    assert not mapping


def test_tensors_in_containers():
    torch = pytest.importorskip("torch")
    nest = ffi.convert_func(lambda tensor: [tensor, {"key": tensor}])
    tensor = torch.arange(3.0)
    nested = nest(tensor)
    assert type(nested) is ffi.Array
    assert type(nested[0]) is type(nested[1]["key"]) is torch.Tensor
    assert [type(value) for value in nested[1].values()] == [torch.Tensor]
    assert nested[0].data_ptr() == tensor.data_ptr()
    assert type(echo(nested)[0]) is torch.Tensor
    assert type(nest(np.zeros(3))[0]) is ffi.Tensor


def test_callbacks_tensor_class():
    torch = pytest.importorskip("torch")
    seen = []
    ffi.convert_func(seen.append, tensor_cls=torch.Tensor)(torch.ones(2))
    assert type(seen[0]) is torch.Tensor
    with pytest.raises(TypeError, match="tensor_cls"):
        ffi.convert_func(seen.append, tensor_cls=int)


def test_moved():
    array = ffi.Array([1])
    moved = array._move()
    assert echo(moved) == (1,)
    with pytest.raises(ValueError, match="moved from before"):
        echo(moved)
    with pytest.raises(TypeError, match="holds no object"):
        echo(array)
    assert repr(array) == "Array(chandle=None)"
    with pytest.raises(TypeError, match="empty"):
        len(array)


def test_error_objects():
    error = echo(KeyError("x"))
    assert type(error) is ffi.Error and error.kind == "KeyError"
    made = ffi.Error("ValueError", "bad", '  File "f", line 1, in g\n')
    assert (made.kind, made.message, made.backtrace.strip()) == (
        "ValueError",
        "bad",
        'File "f", line 1, in g',
    )
    assert isinstance(made.py_error(), ValueError)
    again = pickle.loads(pickle.dumps(made))
    assert (again.kind, again.message, again.backtrace) == (made.kind, made.message, made.backtrace)


def test_shape():
    shape = ffi.Shape((2, 3))
    assert shape == (2, 3) and type(echo(shape)) is ffi.Shape
    with pytest.raises(TypeError, match="expected ints"):
        ffi.Shape((2.5,))


def test_protocols():
    class OnDevice:
        def __dlpack_device__(self):
            return (2, 3)

    class Typed:
        __dlpack_data_type__ = (2, 32, 1)

    class Wrong:
        __dlpack_data_type__ = (2, 32)

    assert echo(OnDevice()) == ffi.Device("cuda", 3)
    assert echo(Typed()) == "float32"
    with pytest.raises(ValueError, match="2 numbers, expected 3"):
        echo(Wrong())


def test_register_object():
    with pytest.raises(ValueError, match="Cannot find object type index for no.such"):
        ffi.register_object("no.such")(type("Some", (ffi.Object,), {}))
    with pytest.raises(TypeError, match="subclass of Object"):
        ffi.register_object("ffi.Array")(int)
    with pytest.raises(TypeError, match="cannot create"):
        ffi.Object()


def test_extern_c(address):
    function = ffi.Function.__from_extern_c__(address("describe"), keep_alive_object=[])
    assert "1:7" in function(7)
    with pytest.raises(ValueError, match="NULL"):
        ffi.Function.__from_extern_c__(0)
