"""Errors of every public function name the parameter, the expected type and the passed one."""

import pytest
import wrong_arguments

#: Functions of any objects: the leaves of tuples are not looked at.
_LEAVES = (
    *("append", "append_ones", "find", "flatten", "prepend", "prepend_ones", "product"),
    *("product_each", "rank", "shape"),
)
#: Parameters that take any object, with the reason.
_EXCEPTIONS = {
    **{f"fairlead.cute.{name}.x": "any object is a leaf of a tuple" for name in _LEAVES},
    "fairlead.cute.not_.value": "any object has a truth value",
    "fairlead.cute.testing.assert_.condition": "any object has a truth value",
    "fairlead.cute.testing.assert_.message": "as in Python's assert, any object",
    "fairlead.utils.is_fp8_dtype.dtype": "a predicate of any object",
}


pytestmark = pytest.mark.filterwarnings("ignore:make_fragment")


@pytest.fixture(scope="module")
def calls(tmp_path_factory) -> list[wrong_arguments.Call]:
    """All calls, in a folder of their own: some write files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("calls"))
        return wrong_arguments.calls()


def test_messages_name_parameter_expected_and_passed(calls):
    faults = {f"{call.function}.{call.parameter}": call.fault for call in calls if call.fault}
    unexpected = {
        f"{call.function}.{call.parameter}": (call.fault, call.message)
        for call in calls
        if call.fault and f"{call.function}.{call.parameter}" not in _EXCEPTIONS
    }
    assert not unexpected
    assert not _EXCEPTIONS.keys() - faults.keys(), "these are exceptions no longer"


def test_every_function_is_called(calls):
    """The table of calls does not shrink unnoticed."""
    assert len(calls) > 750
    assert len({call.function for call in calls}) > 330


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        (None, "no error"),
        ("f: expected `x` to be an int, but got Thing", None),
        ("f: expected an int, but got Thing", "does not name the parameter"),
        ("f: expected `x` to be an int", "does not name what was passed"),
        ("f: `x` is wrong: Thing", "does not name what is expected"),
        ("`x`: expected fairlead._compiler.Tensor, but got Thing", "inner words"),
    ],
)
def test_faults_of_messages(message, fault):
    assert wrong_arguments.Call("f", "x", message).fault == fault
