"""Every primitive, with each word that its parameters take, on every architecture: ptxas assembles each call that
traces, and any other call raises a DSLError. One kernel for each architecture has all calls."""

import ast
import inspect
import re

import numpy as np
import pytest
from support.assemblers import ASSEMBLERS, assembled
from support.functions_support import compiled
from support.primitive_calls import CALLS, operands

import fairlead
from fairlead import Int32, primitives

WITH_TENSOR_MEMORY = ["sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_110f"]
OTHERS = ["sm_80", "sm_90a", "sm_120a", "sm_120f", "sm_121a"]
#: Architectures, and the CtaGroup of all instructions on tensor memory of a kernel.
CASES = [(arch, group) for arch in WITH_TENSOR_MEMORY for group in ("cta_1", "cta_2")]
CASES += [(arch, "cta_1") for arch in OTHERS]
#: Calls behind which nothing runs.
LAST = {"exit", "breakpoint"}


def calls_of(name, names):
    """The right call of a primitive with and without optional arguments, and both with each word of a parameter."""
    call = ast.parse(CALLS[name], mode="eval").body
    parameters = inspect.signature(getattr(primitives, name)).parameters
    values = dict(zip(parameters, map(ast.unparse, call.args)))
    values |= {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    required = {
        key: text
        for key, text in values.items()
        if parameters[key].default is inspect.Parameter.empty or key == "group"
    }
    for given in (values, required):
        yield text_of(name, given)
        for parameter, described in parameters.items():
            for word in words_of(name, parameter, str(described.annotation), values, names):
                yield text_of(name, given | {parameter: word})


def words_of(name, parameter, kind, values, names):
    """The words of a parameter, which the error of a wrong word lists, or both truth values."""
    if kind.split(" | ")[0] == "bool":
        return ["True", "False"]
    if "Choice" not in kind:
        return []
    try:
        eval(text_of(name, values | {parameter: "'nonsens'"}), names)
    except (TypeError, ValueError) as error:
        listed = re.search(r"one of (.*?) as ", str(error))
        return [repr(word) for word in re.findall(r"[\w.]+", listed[1])] if listed else []
    return []


def text_of(name, values):
    return f"{name}({', '.join(f'{key}={text}' for key, text in values.items())})"


def trace_everything(out, group):
    """Call each primitive with each word, those on tensor memory for one CtaGroup; return the number of calls that are
    no errors."""
    names = operands(out, "")
    for place in range(4):
        names["s"][place] = Int32(place)
    for needed in ("t", "d", "other"):
        try:
            names |= {needed: operands(out, needed)[needed]}
        except ValueError:
            names[needed] = names["g"]
    accepted = 0
    for name in sorted(CALLS.keys() - LAST):
        for call in calls_of(name, names):
            of_group = call.replace("cta_1", group)
            if re.match("tcgen05_(?!fence|wait|ld|st)", name) and group not in of_group:
                continue
            try:
                eval(of_group, names)
                accepted += 1
            except (TypeError, ValueError, NotImplementedError) as error:
                assert isinstance(error, (fairlead.DSLError, NotImplementedError)), of_group
    return accepted


@pytest.mark.parametrize("assembler", ASSEMBLERS)
@pytest.mark.parametrize("arch, group", CASES)
def test_what_traces_is_assembled(arch, group, assembler, tmp_path):
    accepted = []

    def body(thread, out):
        accepted.append(trace_everything(out, group))

    cluster = 1 if arch == "sm_80" else 2
    function = compiled(body, [np.zeros(4, np.int32)], target=f"cuda:{arch}", cluster=cluster)
    assert accepted[0] > 100
    assembled(function.artifact.ptx, arch, tmp_path, assembler, "-O0")
