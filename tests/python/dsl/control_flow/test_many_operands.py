"""`and`, `or`, `in` and `any` of hundreds of operands: Python's values, and only the operands that Python evaluates."""

import linecache

import numpy as np
import pytest

from fairlead import cute

INPUTS = (0, 1, 2, 15, 16, 17, 299, 900, 5000)


def defined(name, *lines):
    """A ``@cute.jit`` function of these lines with the parameters ``a`` and ``b``."""
    text = "\n".join(["@cute.jit", f"def {name}(a, b):", *(f"    {line}" for line in lines)])
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"cute": cute, "seen": seen}
    exec(compile(text, file, "exec"), scope)
    return scope[name]


def seen(b, at, holds):
    """Notes at run time that the operand at ``at`` is evaluated."""
    b[at] = 1
    return holds


def compiled(function, count=1):
    return cute.compile(
        function, np.zeros(1, np.int32), np.zeros(count, np.int32), options="--target cpu"
    )


EXPRESSIONS = {
    "and": lambda n: " and ".join(f"x != {i}" for i in range(n)),
    "or": lambda n: " or ".join(f"x == {i}" for i in range(n)),
    "mixed": lambda n: " or ".join(f"(x > {i} and x < {i + 2})" for i in range(0, n, 3)),
    "in": lambda n: f"x in ({', '.join(map(str, range(n)))},)",
    "any": lambda n: f"any([x == i for i in range({n})])",
    "all": lambda n: f"all([x != i for i in range({n})])",
}


@pytest.mark.parametrize("count", [2, 16, 17, 18, 40, 300, 900])
@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_conditions(kind, count):
    expression = EXPRESSIONS[kind](count)
    call = compiled(defined("g", "x = a[0]", f"if {expression}:", "    b[0] = 1"))
    for x in INPUTS:
        out = np.zeros(1, np.int32)
        call(np.array([x], np.int32), out)
        assert out[0] == eval(expression, {"x": x}), (x, expression[:80])


@pytest.mark.parametrize("count", [2, 17, 18, 300])
@pytest.mark.parametrize("word", ["and", "or"])
def test_values(word, count):
    expression = f" {word} ".join(f"(x - {i}) % 7" for i in range(count))
    call = compiled(defined("g", "x = a[0]", f"b[0] = {expression}"))
    for x in INPUTS:
        out = np.zeros(1, np.int32)
        call(np.array([x], np.int32), out)
        assert out[0] == eval(expression, {"x": x})


@pytest.mark.parametrize("count", [2, 16, 17, 18, 33, 100])
@pytest.mark.parametrize("word", ["and", "or"])
def test_only_what_python_evaluates(word, count):
    test = "x > {}" if word == "and" else "x == {}"
    parts = [f"seen(b, {i}, {test.format(i)})" for i in range(count)]
    call = compiled(defined("g", "x = a[0]", f"if {f' {word} '.join(parts)}:", "    pass"), count)
    for x in (0, 1, 7, 15, 16, 17, 32, 99, 200):
        evaluated = next(
            (i + 1 for i in range(count) if (x <= i if word == "and" else x == i)), count
        )
        out = np.zeros(count, np.int32)
        call(np.array([x], np.int32), out)
        np.testing.assert_array_equal(out, np.arange(count) < evaluated)


def test_a_chained_comparison_that_is_too_long():
    """Each comparison hands its operand on to the next one, which lies inside of it."""
    chain = " < ".join(["x", "y"] * 400)
    function = defined("g", "x = a[0]", "y = x + 1", f"if {chain}:", "    b[0] = 1")
    message = r"in `g` an expression of which \d{3} operands are nested"
    with pytest.raises(NotImplementedError, match=message):
        compiled(function)
