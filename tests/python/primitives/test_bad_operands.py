"""Bad input of every primitive: each parameter of each function gets values of wrong types and words that it does not
know, each function a target that lacks it. Generated from the functions' signatures and one right call of each."""

import ast
import inspect
import re
from types import FunctionType

import numpy as np
import pytest
from support.functions_support import compiled
from support.primitive_calls import CALLS, operands

from fairlead import primitives
from fairlead.primitives._functions import FUNCTIONS

#: Functions that the tests of their own subjects cover: they take texts and any number of operands.
TEXTS = {"inline_ptx", "inline_ptx_hl", "print_runtime", "ptx_add_comment"}

#: Values that are wrong for a parameter, by its annotation.
WRONG = {
    "Choice": ("'nonsens'", "1.5", "thing"),
    "PointerLike": ("'x'", "1.5", "thing", "None", "[1]"),
    "_compiler.Pointer": ("'x'", "1.5", "thing", "None", "[1]"),
    "Condition": ("'x'", "thing", "[1]", "None"),
    "bool": ("'x'", "thing", "2.5"),
    "Int": ("'x'", "1.5", "thing", "[1]"),
    "DType": ("'flaot'", "thing", "3"),
    "int": ("'x'", "1.5", "thing"),
    "Number": ("'x'", "thing", "[1]"),
    "Sequence[Int]": ("'x'", "thing", "1.5"),
    "object": ("'x'", "thing"),
}
#: Operands of 32 bits, whichever they mean, may be floats.
BITS = {("prmt", "lo"), ("prmt", "hi"), ("prmt", "selector"), ("shfl_sync", "val")}


class _Traced(Exception):
    """Ends a trace."""


def traced(body, arch):
    def function(thread, out):
        body(out)
        raise _Traced

    with pytest.raises(_Traced):
        compiled(function, [np.zeros(4, np.int32)], target=f"cuda:{arch}")


def wrong_calls(name):
    """(parameter, wrong value, call) for each parameter of a function, also for those that its call leaves out."""
    call = ast.parse(CALLS[name], mode="eval").body
    parameters = inspect.signature(getattr(primitives, name)).parameters
    values = dict(zip(parameters, map(ast.unparse, call.args)))
    values |= {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    for parameter, described in parameters.items():
        kinds = described.annotation.split(" | ")
        for wrong in WRONG.get(kinds[0], ("'x'", "thing")):
            if wrong == "1.5" and (name, parameter) in BITS:
                continue
            changed = {**values, parameter: wrong}
            yield parameter, wrong, changed
        if kinds[0] == "Int" and described.default is inspect.Parameter.empty:
            yield parameter, "None", {**values, parameter: "None"}


def test_each_function_has_a_right_call():
    functions = {
        name
        for name, function in FUNCTIONS.items()
        if isinstance(function, FunctionType) and not getattr(function, "is_stand_in", False)
    }
    assert set(CALLS) == functions - TEXTS


@pytest.mark.parametrize("name", CALLS)
def test_wrong_values_name_their_parameter(name):
    arch = "sm_103a" if name == "tcgen05_ld_red" else "sm_100a"
    missed = []

    def body(out):
        names = operands(out, CALLS[name])
        eval(CALLS[name], names)
        keywords_only = {
            parameter
            for parameter, described in inspect.signature(names[name]).parameters.items()
            if described.kind is inspect.Parameter.KEYWORD_ONLY
        }
        for parameter, wrong, values in wrong_calls(name):
            given = {key: eval(text, names) for key, text in values.items()}
            keywords = {key: given.pop(key) for key in list(given) if key in keywords_only}
            try:
                names[name](**given, **keywords)
            except (TypeError, ValueError) as error:
                text = str(error).split("(argument")[0]
                if not re.search(rf"\b{parameter}\b", text):
                    missed.append(f"{parameter}={wrong}: {type(error).__name__}: {text}")
            else:
                missed.append(f"{parameter}={wrong} was taken")

    traced(body, arch)
    assert not missed


#: Words that are misspelt by a letter.
WORDS = [(name, word) for name, call in CALLS.items() for word in re.findall(r'"(\w{5,})"', call)]


@pytest.mark.parametrize(("name", "word"), WORDS)
def test_a_misspelt_word_gets_the_nearest_one(name, word):
    arch = "sm_103a" if name == "tcgen05_ld_red" else "sm_100a"
    misspelt = word[:-1] + ("y" if word[-1] != "y" else "z")
    call = CALLS[name].replace(f'"{word}"', f'"{misspelt}"', 1)
    messages = []

    def body(out):
        try:
            eval(call, operands(out, call))
        except ValueError as error:
            messages.append(f"{error} {getattr(error, 'help', '')}")

    traced(body, arch)
    assert messages and "did you mean" in messages[0] and f"got '{misspelt}'" in messages[0], (
        messages
    )


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_120a"])
@pytest.mark.parametrize("name", CALLS)
def test_other_architectures_refuse_by_name(name, arch):
    """Each function either traces for a GPU or says which GPUs have it."""
    call = CALLS[name]
    messages = []

    def body(out):
        try:
            eval(call, operands(out, re.sub("other", "", call)) | {"other": out.iterator})
        except (TypeError, ValueError) as error:
            messages.append(str(error))

    traced(body, arch)
    assert not messages or "supported only for" in messages[0] or "other" in call, messages
