"""Classes, enums, types as values and errors, as programs for the apache-tvm-ffi package see them."""

from __future__ import annotations

import copy
import ctypes
import pickle
from typing import ClassVar

import pytest

from fairlead import ffi
from fairlead.ffi.core import TypeSchema
from fairlead.ffi.dataclasses import Enum, IntEnum, StrEnum, c_class, field, fields, py_class
from fairlead.ffi.serialization import from_json_graph_str, to_json_graph_str


def test_equal_containers_are_not_unequal():
    assert not ffi.Array([1, 2]) != ffi.Array([1, 2]) and ffi.Array([1, 2]) != ffi.Array([1, 3])
    assert not ffi.Map({"a": 1}) != ffi.Map({"a": 1}) and ffi.Dict({"a": 1}) != ffi.Dict({"a": 2})
    assert not ffi.List([1]) != [1]


def test_errors_are_copied_whole():
    error = ffi.Error("ValueError", "wrong", "trace")
    for other in (copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert (other.kind, other.message, other.backtrace) == ("ValueError", "wrong", "trace")
        assert not other.same_as(error)
    empty = ffi.Error.__new__(ffi.Error)
    assert pickle.loads(pickle.dumps(empty)).__chandle__() == 0


def test_fields_of_bases_without_a_type():
    @py_class("fairlead.test.seen.Node")
    class Node(ffi.Object):
        x: int

    class Operands(Node):
        lhs: int
        rhs: int = field(default=7, metadata={"kept": 1})

    @py_class("fairlead.test.seen.Add")
    class Add(Operands):
        rhs: str
        scale: int

    made = Add(0, 1, "two", 3)
    assert (made.x, made.lhs, made.rhs, made.scale) == (0, 1, "two", 3)
    assert [each.name for each in fields(Add)] == ["x", "lhs", "rhs", "scale"]
    assert isinstance(Operands.__dict__["rhs"], type(field()))


def test_own_init_above_a_made_one():
    @py_class("fairlead.test.seen.Base")
    class Base(ffi.Object):
        pass

    @py_class("fairlead.test.seen.Child")
    class Child(Base):
        x: int

        def __init__(self, x: int) -> None:
            """Its own."""
            super().__init__()
            self.x = x

    made = Child(42)
    assert made.x == 42 and made.type_key == "fairlead.test.seen.Child"
    assert Child.__init__.__doc__ == "Its own." and "__new__" not in Child.__dict__
    with pytest.raises(TypeError, match="is not supported"):
        Base.__ffi_init__(Child.__new__(Child))


def test_names_that_come_later():
    @py_class("fairlead.test.seen.Early")
    class Early(ffi.Object):
        late: ALaterName | None

    @py_class("fairlead.test.seen.Late")
    class ALaterName(ffi.Object):
        x: int

    assert Early(ALaterName(3)).late.x == 3


def test_what_pads_a_base_is_reused():
    @py_class("fairlead.test.seen.Padded")
    class Padded(ffi.Object):
        flag: bool

    @py_class("fairlead.test.seen.Packed")
    class Packed(Padded):
        other: bool

    info = Packed.__tvm_ffi_type_info__
    assert (info.fields[0].offset, info.total_size) == (25, 32)
    made = Packed(True, False)
    made.other = True
    assert made.flag is True and made.other is True


def test_hooks_see_fields_and_markers():
    class Marker:
        pass

    seen = []

    @py_class("fairlead.test.seen.Marked")
    class Marked(ffi.Object):
        __ffi_field_markers__ = (Marker,)
        first: int
        here: Marker

        def note(info, own):
            seen.append((info.type_key, [each.name for each in own], info._decorator_args))

        note.__ffi_on_fields_resolved__ = True

    # Names of a function's annotations that are classes of it, which strings cannot reach.
    assert seen[0][:2] == ("fairlead.test.seen.Marked", ["first"])
    assert seen[0][2]["field_markers"] == ((Marker, Marked, "here", 1),)


class Limit(IntEnum, type_key="fairlead.test.seen.Limit"):
    low = -(2**63)
    high = 2**63 - 1

    def __repr__(self):
        return f"<{self.value}>"


class Word(StrEnum, type_key="fairlead.test.seen.Word"):
    plus = "+"
    also = "+"


class Status(Enum, type_key="fairlead.test.seen.Status"):
    ready: ClassVar[Status]
    failed: ClassVar[Status]


def test_enums():
    assert Limit("low").same_as(Limit.low) and repr(Limit.high) == f"<{2**63 - 1}>"
    for wrong in (-(2**63) - 1, 2**63):
        with pytest.raises(OverflowError, match="int64 range"):
            Limit(wrong)
    assert Word.plus.same_as(Word.also) and len(Word) == 1
    assert list(Status) == [Status.ready, Status.failed]
    for value, data in (
        (Limit.low, "-9223372036854775808"),
        (Word.plus, '"+"'),
        (Status.ready, '"ready"'),
    ):
        text = to_json_graph_str(value)
        assert data in text and from_json_graph_str(text).same_as(value)
    with pytest.raises(TypeError, match="reserves `value`"):

        class Reserved(IntEnum, type_key="fairlead.test.seen.Reserved"):
            value: int

    with pytest.raises(TypeError, match="requires a int value"):

        class Text(IntEnum, type_key="fairlead.test.seen.Text"):
            bad = "bad"


def test_types_take_what_stands_for_a_value():
    class Number:
        def __tvm_ffi_int__(self):
            return 5

    class Stands:
        def __init__(self, value):
            self.value = value

        def __tvm_ffi_value__(self):
            return self.value

    whole = TypeSchema.from_annotation(int)
    assert whole.convert(Number()).to_py() == 5 and whole.convert(Stands(Stands(6))).to_py() == 6
    assert list(TypeSchema.from_annotation(list[int]).convert([Stands(1), Number()]).to_py()) == [
        1,
        5,
    ]
    left, right = Stands(None), Stands(None)
    left.value, right.value = right, left
    with pytest.raises(TypeError, match="cycle"):
        whole.check_value(left)
    assert TypeSchema.from_annotation(Limit).convert(2**63 - 1).to_py().same_as(Limit.high)
    with pytest.raises(TypeError, match="unknown TypeSchema origin 'no.such'"):
        TypeSchema("Optional", (TypeSchema("no.such"),)).check_value(None)
    assert TypeSchema("list", (whole,)).convert([1]).type_index == 75
    with pytest.raises(TypeError, match=r"element \[0\]: expected int, got str"):
        TypeSchema("list", (whole,)).check_value(["a"])
    assert TypeSchema.from_annotation(ctypes.c_void_p).convert(None).to_py().value is None


def test_types_as_text():
    payload = TypeSchema("custom.Payload", fallback=TypeSchema("int"))
    assert payload.output_repr() == "int" and payload.to_json()["fallback"] == {"type": "int"}
    assert TypeSchema.from_json_obj(payload.to_json()) == payload
    assert repr(TypeSchema("Optional", (TypeSchema("int"),))) == "int | None"
    with pytest.raises(TypeError, match="Map requires 2 type arguments, got 1"):
        TypeSchema.from_annotation(ffi.Map[str])


def test_what_a_class_of_c_says():
    @c_class("ffi.StructuralKey", init=False)
    class Key(ffi.Object):
        key: object
        hash_i64: int

    assert Key.key.__doc__ != type(Key.key).__doc__
    assert ffi.Object.__tvm_ffi_type_info__.type_cls is ffi.Object
    key = ffi.StructuralKey([1, 2])
    assert key.__hash__() == ffi.structural_hash([1, 2])
