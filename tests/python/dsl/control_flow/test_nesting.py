"""Deep nesting: the work of rewriting a function is in proportion to the depth of its loops."""

import ast

import numpy as np
import pytest
from support import dsl_support as support

from fairlead import Int32, cute
from fairlead._tracing import names, transform

_DEPTH = 18  # of statically nested blocks, Python allows 20


def _nested(heads):
    """The source of a function that adds 1 in the innermost of loops; ``heads(level)`` gives the lines of one."""
    lines = ["def function(n):", "    total = Int32(0)"]
    for level in range(_DEPTH):
        lines += ["    " * (level + 1) + line for line in heads(level)]
    lines.append("    " * (_DEPTH + 1) + "total = total + 1")
    return "\n".join([*lines, "    return total"])


def _for(level):
    return [f"for i{level} in range(n):"]


def _while(level):
    return [f"i{level} = Int32(0)", f"while i{level} < n:", f"    i{level} = i{level} + 1"]


@pytest.mark.parametrize("heads", [_for, _while])
def test_each_statement_is_looked_at_in_proportion_to_the_depth(heads, monkeypatch):
    looked = 0
    original = names.Flow._live_before

    def counted(self, *arguments):
        nonlocal looked
        looked += 1
        return original(self, *arguments)

    monkeypatch.setattr(names.Flow, "_live_before", counted)
    function = ast.parse(_nested(heads)).body[0]
    names.Flow(frozenset(["n"]), function.body)
    statements = sum(isinstance(node, ast.stmt) for node in ast.walk(function))
    assert looked <= statements * (_DEPTH + 2)


@pytest.mark.parametrize("heads", [_for, _while])
def test_deeply_nested_loops(heads, tmp_path):
    path = tmp_path / "nested.py"
    path.write_text(_nested(heads))
    scope = {"Int32": Int32, "__name__": "nested"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    counts = np.array([0, 1, 2], np.int32)
    found = support.run_map(cute.jit(scope["function"]), np.int32, counts)
    np.testing.assert_array_equal(found, counts**_DEPTH)


def test_chains_of_elif_are_analysed_in_linear_time(monkeypatch):
    """Each `elif` is an `if` in the one before it, and its bindings are found once."""
    visited = 0
    walk = names.walk_scope

    def counted(*arguments):
        nonlocal visited
        for node in walk(*arguments):
            visited += 1
            yield node

    monkeypatch.setattr(names, "walk_scope", counted)

    def visits(count):
        nonlocal visited
        lines = ["def function(x):", "    z = items = [x]"]
        for number in range(count):
            word = "elif" if number else "if"
            lines += [
                f"    {word} x == {number}:",
                f"        z = x + {number}",
                "        items[0] = z",
            ]
        visited = 0
        tree = ast.parse("\n".join([*lines, "    return z"])).body[0]
        transform.rewrite_definition(tree, [])
        return visited

    assert visits(80) < 2.5 * visits(40)
