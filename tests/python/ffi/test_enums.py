"""Enums of the ABI."""

import copy
import pickle

import pytest

from fairlead import ffi
from fairlead.ffi import serialization
from fairlead.ffi.dataclasses import Enum, EnumState, IntEnum, StrEnum, auto, entry, py_class

echo = ffi.convert_func(lambda value: value)


class Color(Enum, type_key="fairlead.test.Color"):
    red = auto()
    green = entry()

    def shout(self):
        return self._str_index.upper()


class Op(Enum, type_key="fairlead.test.Op"):
    arity: int
    sign: str = "?"

    add = entry(arity=2, sign="+")
    neg = entry(arity=1)


class Level(IntEnum, type_key="fairlead.test.Level"):
    low = 1
    high = 10


class Sign(StrEnum, type_key="fairlead.test.Sign"):
    plus = "+"
    minus = "-"


@py_class("fairlead.test.Painted")
class Painted(ffi.Object):
    color: Color
    level: Level


def test_values():
    assert list(Color) == [Color.red, Color.green] and len(Color) == 2 and Color.red in Color
    assert Color.get(0) is not None and Color.get("green").same_as(Color.green)
    assert Color("red").same_as(Color.red) and Color(1).same_as(Color.green)
    assert repr(Color.red) == "fairlead.test.Color.red" and Color.green.shout() == "GREEN"
    assert Color.red != Color.green and Color.red != 0 and hash(Color.red) == hash(Color.get(0))
    assert (Op.add.arity, Op.add.sign, Op.neg.sign) == (2, "+", "?")
    for key in (9, "blue"):
        with pytest.raises(KeyError):
            Color.get(key)
        with pytest.raises(ValueError, match="is not a valid Color"):
            Color(key)
    with pytest.raises(AttributeError):
        Color.red._int_index = 3


def test_payloads():
    assert [level.value for level in Level] == [1, 10] and Level(10).same_as(Level.high)
    assert (
        Level.low == 1 and Level.low != 2 and hash(Level.low) == hash(1) and str(Level.low) == "1"
    )
    assert [sign.value for sign in Sign] == ["+", "-"] and Sign("+").same_as(Sign.plus)
    assert Sign.plus == "+" and {Sign.plus: 1}["+"] == 1 and Sign.plus.name == "+"
    with pytest.raises(ValueError):
        Level(3)
    with pytest.raises(TypeError, match="requires a int value"):

        class Wrong(IntEnum, type_key="fairlead.test.WrongLevel"):
            none = auto()


def test_across_the_abi():
    """A value is one object everywhere."""
    assert echo(Color.red).same_as(Color.red)
    text = serialization.to_json_graph_str([Color.red, Level.high])
    back = serialization.from_json_graph_str(text)
    assert back[0].same_as(Color.red) and back[1].same_as(Level.high)
    assert pickle.loads(pickle.dumps(Color.green)).same_as(Color.green)
    assert copy.deepcopy(Op.add).same_as(Op.add)
    assert ffi.structural_equal(Color.red, Color.red)
    assert not ffi.structural_equal(Color.red, Color.green)
    painted = Painted(Color.red, Level.low)
    assert painted.color.same_as(Color.red)
    assert (
        repr(painted)
        == "fairlead.test.Painted(color=fairlead.test.Color.red, level=fairlead.test.Level.low)"
    )
    with pytest.raises(TypeError, match=r"expected fairlead.test.Color, got"):
        Painted(Level.low, Level.low)


def test_attributes():
    cost = Op.def_attr("cost", default=0)
    assert cost[Op.add] == 0 and Op.add not in cost and cost.get(Op.neg, 7) == 7
    cost[Op.add] = 5
    assert cost[Op.add] == 5 and Op.add in cost and Op.attr_dict["cost"][Op.add] == 5
    assert Op.def_attr("cost")[Op.add] == 5
    with pytest.raises(KeyError, match="no extensible attribute"):
        Op.def_attr("cost")[Op.neg]
    for wrong in (3, Color.red):
        with pytest.raises(TypeError, match="expected Op"):
            cost[wrong]
        with pytest.raises(TypeError, match="expected Op"):
            cost[wrong] = 1
    assert repr(EnumState()) == "ffi.EnumState(entries=[], indexes={}, attrs={})"
