"""Whoever raises a diagnostic passes a value for each place of its text, and nothing that it does not have."""

import error_page
import make_error_stub
import pytest
from diagnostic_calls import ROOT, Call, cpp_calls, help_rows, python_calls, table

from fairlead.errors import make_error

TABLE, TABLE_FILE = table(), error_page.TABLE
#: Python calls that choose among several ids.
CHOOSING = {
    "python/fairlead/_tracing/regions.py",
    "python/fairlead/primitives/_copies.py",
    "python/fairlead/primitives/_operands.py",
    "python/fairlead/torch/_autograd.py",
}


def problem(call: Call) -> str | None:
    if call.id not in TABLE:
        return f"{call.where}: no diagnostic is called {call.id}"
    parameters = TABLE[call.id]
    missing = parameters.needed - call.parameters
    unknown = call.parameters - parameters.allowed
    if missing or unknown:
        return (
            f"{call.where}: {call.id} lacks {sorted(missing)}, and does not have {sorted(unknown)}"
        )
    return None


def test_python():
    calls = [
        call
        for call in python_calls(ROOT / "python" / "fairlead")
        if not call.where.startswith("python/fairlead/errors.py")
    ]
    assert len(calls) > 250
    unnamed = [call for call in calls if call.id is None]
    assert {call.where.partition(":")[0] for call in unnamed} == CHOOSING
    assert not [text for call in calls if call.id if (text := problem(call))]


def test_forms_for_type_checkers_are_current():
    """mypy checks each call by them: tests/python/typing/test_type_checkers.py."""
    assert make_error_stub.STUB.read_text() == make_error_stub.text()


def test_cpp():
    calls = [
        call for folder in ("lib", "python/src", "include") for call in cpp_calls(ROOT / folder)
    ]
    assert len(calls) > 250
    assert not [text for call in calls if (text := problem(call))]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('throw makeError(Diagnostic::StepZero, {{"got", text}});', "does not have ['got']"),
        ('throw makeError(Diagnostic::RangeType, {{"name", f("x")}});', "lacks ['got']"),
        ("throw makeError(Diagnostic::RangeType);", "lacks ['got']"),
        ('raise(context, Diagnostic::RangeKind, {{"got", "a"}});', "no diagnostic is called"),
    ],
)
def test_a_wrong_call_is_noticed(source, words, tmp_path, monkeypatch):
    monkeypatch.setattr("diagnostic_calls.ROOT", tmp_path)
    (tmp_path / "Wrong.cpp").write_text(source)
    (call,) = cpp_calls(tmp_path)
    assert words in problem(call)


def test_a_wrong_call_in_python_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("diagnostic_calls.ROOT", tmp_path)
    (tmp_path / "wrong.py").write_text('raise make_error("RangeType", help="", name=1)')
    (call,) = python_calls(tmp_path)
    assert problem(call) == "wrong.py:1: RangeType lacks ['got'], and does not have ['name']"


@pytest.mark.parametrize(
    ("id", "params", "message"),
    [
        ("RangeType", {}, "RangeType: the parameter got is missing"),
        ("RangeType", {"got": 1, "name": 2}, "RangeType: unknown parameter name"),
        ("RangeKind", {}, "no diagnostic is called RangeKind"),
    ],
)
def test_a_wrong_call_raises(id, params, message):
    with pytest.raises(ValueError, match=message):
        make_error(id, **params)


def test_none_is_a_value_of_places_only():
    assert "got None" in str(make_error("RangeType", got=None))
    assert make_error("DTypeName", got="float33", similar=None).help is None
    assert make_error("DTypeName", got="float33", similar="Float32").help == (
        "did you mean `Float32`?"
    )


def test_help_texts_stand_below_their_diagnostic():
    above = None
    for line in TABLE_FILE.read_text().splitlines():
        macro, _, rest = line.partition("(")
        id = rest.partition(",")[0]
        if macro == "FAIRLEAD_DIAGNOSTIC":
            above = id
        elif macro == "FAIRLEAD_HELP":
            assert id == above


def test_conditions_name_parameters():
    for id, condition, _ in help_rows():
        for clause in filter(None, condition.split("; ")):
            names, equals, values = clause.partition("=")
            assert equals and values and all(names.split("/")), (id, condition)
