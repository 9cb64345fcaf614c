"""Keyword arguments and defaults of functions whose library names their arguments; no wrapper in Python."""

import pytest

from fairlead import ffi


@pytest.fixture(scope="module")
def named(kernelsPath):
    return ffi.load_module(kernelsPath.with_name("libfairlead_test_named.so"))


@pytest.mark.parametrize("name", ["own", "lists", "texts", "words", "documented"])
def test_keywords(named, name):
    function = named[name]
    assert function.arg_names == ("a", "b", "c") and function.defaults == (2, 3)
    assert function(1, 2, 3) == function(a=1, b=2, c=3) == function(c=3, a=1, b=2) == 123
    assert function(1) == function(a=1) == 123
    assert function(1, c=9) == 129 and function(4, 5) == 453
    for args, words in (((), {}), ((1,), {"a": 1}), ((1,), {"d": 1}), ((1, 2, 3), {"c": 1})):
        with pytest.raises(TypeError):
            function(*args, **words)


def test_unnamed(named):
    """Documentation that does not fit the function's type is no more than text."""
    assert named.prose.arg_names == () and named.prose(1, 2, 3) == 123
    assert named.bad_schema(1, 2, 3) == 123
    with pytest.raises(TypeError, match="'a' given, but the names of the arguments are not known"):
        named.prose(a=1)


WRONG = {
    "too_few": "'too_few' names 1 arguments, but its type has 3",
    "twice": "'twice' has an argument name twice",
    "no_text": "'no_text' has the argument name 1, expected text",
    "no_list": "'no_list' has arg_names 3, expected a JSON list",
    "many_defaults": "'many_defaults' has 2 defaults for 1 arguments",
    "no_json": "'no_json' is no JSON",
    "no_object": "'no_object' is no JSON object",
}


@pytest.mark.parametrize("name", WRONG)
def test_wrongMetadata(named, name):
    with pytest.raises(ValueError, match=WRONG[name]):
        named.get_function(name)
    assert named.implements_function(name)


def test_globalFunctions():
    """The library's own have types but no names."""
    size = ffi.get_global_func("ffi.ArraySize")
    assert size(ffi.Array([1, 2])) == 2 and size.arg_names == ()
    assert ffi.get_global_func("fairlead.test.none", allow_missing=True) is None
    with pytest.raises(ValueError, match="Cannot find global function fairlead.test.none"):
        ffi.get_global_func("fairlead.test.none")
