"""Functions that are traced and dropped leave nothing behind: neither their code nor their rewritten code."""

import gc
import linecache
import weakref
from types import CodeType

import numpy as np
import pytest

from fairlead import cute
from fairlead._tracing import code_reads, rewrite, rewritten
from fairlead._tracing.by_code import ByCode

A, B = np.ones(4, np.int32), np.zeros(4, np.int32)
COUNT = 150


def defined(number):
    """A function of its own source, which nothing else holds."""
    text = f"""\
@cute.jit
def pick{number}(a: cute.Tensor, b: cute.Tensor):
    def more(x):
        return x + {number} if x > {number} and x != 3 else x
    for i in range(a.shape[0]):
        if a[i] > {number}:
            b[i] = more(a[i])
        else:
            b[i] = {number}
"""
    file = f"<pick {number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"cute": cute}
    exec(compile(text, file, "exec"), scope)
    return scope[f"pick{number}"]


def compiled(function):
    cute.compile(function, A, B, options="--target cpu")(A, B)


def called(function):
    function(A, B)


def codes_of(code):
    """The code object, and those of the functions inside of it."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return [code, *(each for part in inner for each in codes_of(part))]


def use(run, numbers):
    """Weak references to the code of functions that are used and dropped, and to their rewritten code."""
    references = []
    for number in numbers:
        function = defined(number)
        run(function)
        for code in (function.function.__code__, function.traced.__code__):
            references += map(weakref.ref, codes_of(code))
        del function, code, linecache.cache[f"<pick {number}>"]
    gc.collect()
    return references


@pytest.mark.parametrize("run", [compiled, called])
def test_nothing_stays(run):
    tables = rewrite._compiled, rewritten._regions, code_reads._known
    gc.collect()
    before = [len(table) for table in tables]
    references = use(run, range(COUNT))
    assert [each() for each in references] == [None] * len(references)
    assert [len(table) for table in tables] == before


def test_code_that_ends_leaves_the_table():
    table = ByCode()
    first, second = (compile("1 + x", "f", "eval") for _ in range(2))
    assert first == second and first is not second
    table.set(first, "first")
    table.set(second, "second")
    assert (table.get(first), table.get(second)) == ("first", "second")
    table.set(first, "again")
    del first
    gc.collect()
    assert len(table) == 1 and table.get(second) == "second"


def test_one_definition_that_runs_again_is_rewritten_once():
    def make(number):
        @cute.jit
        def pick(a: cute.Tensor, b: cute.Tensor):
            if a[0] > 0:
                b[0] = number

        return pick

    first, second = make(1), make(2)
    assert first.traced.__code__ is second.traced.__code__
    for function, expected in ((first, 1), (second, 2)):
        out = np.zeros(4, np.int32)
        function(A, out)
        assert out[0] == expected
