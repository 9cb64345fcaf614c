"""Exact fractions of layouts."""

import pytest

from fairlead import Int32, cute
from fairlead.cute import Ratio


def test_arithmetic():
    assert Ratio(1, 2) * Ratio(3, 4) == Ratio(3, 8)
    product = 5 * Ratio(2, 3)
    assert (product.numerator, product.denominator) == (10, 3) and Ratio(2, 3) * 5 == product
    assert repr(Ratio(4, 6)) == "Ratio(4, 6)" and f"{Ratio(4, 6)}" == "4/6"
    reduced = Ratio(4, -6).reduced()
    assert (reduced.numerator, reduced.denominator) == (-2, 3)
    assert Ratio(4, 6) == Ratio(2, 3) != Ratio(3, 4) and Ratio(8, 4) == 2 != Ratio(1, 2)
    assert hash(Ratio(4, 6)) == hash(Ratio(2, 3)) and hash(Ratio(8, 4)) == hash(2)
    assert Ratio(1, 2) != "1/2"


def test_conversions():
    ratio = Ratio(3, 2)
    assert ratio.to(float) == 1.5 and ratio.to(int) == 1 and ratio.to(Ratio) is ratio
    assert Ratio(-3, 2).to(int) == -2
    assert Ratio(6, 2).is_integral() and not ratio.is_integral()


def test_whole_ones_are_integers_of_layouts():
    assert repr(cute.make_layout((Ratio(8, 2), 8))) == "(4,8):(1,4)"
    assert repr(cute.ScaledBasis(Ratio(4, 2), 1)) == "2@1"
    with pytest.raises(TypeError, match=r"whole numbers, but got Ratio\(1, 2\)"):
        cute.make_layout((Ratio(1, 2), 8))
    with pytest.raises(TypeError, match=r"whole numbers, but got Ratio\(1, 2\)"):
        cute.ScaledBasis(Ratio(1, 2), 1)


def test_errors():
    with pytest.raises(TypeError, match="integers for a Ratio, but got 0.5"):
        Ratio(0.5, 2)
    with pytest.raises(TypeError, match="integers for a Ratio"):
        Ratio(True, 2)
    with pytest.raises(ZeroDivisionError):
        Ratio(1, 0)
    with pytest.raises(TypeError, match=r"Ratio\.to, but got .*Int32"):
        Ratio(1, 2).to(Int32)
    with pytest.raises(TypeError):
        Ratio(1, 2) * 0.5
