"""Times of tunings in a remote cache: all machines choose by those that were stored first."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import remote_tuner
from remote_tuner import set_clock, times, tune
from test_remote_cache import stats

from fairlead import _compiler
from fairlead.cute._tuning.store import _joined

STORES = ["folder", "redis", "s3", "http"]


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_what_one_machine_measures_another_uses(store, machine, monkeypatch):
    machine("first", store.url, signer="writer")
    set_clock(monkeypatch, 0)
    first = tune()
    assert not first.stored and first.config == {"width": 1}
    names = [name for name in store.names() if "tune" in str(name)]
    assert len(names) == 1  # and no claim is left
    # A machine without the signing key, whose own times would differ.
    second = machine("second")
    set_clock(monkeypatch, 1)
    tuned = tune()
    assert tuned.stored and (tuned.config, times(tuned)) == (first.config, times(first))
    # What was read stays here, also without the store.
    assert len(list((second / "tune").iterdir())) == 1
    monkeypatch.delenv("FAIRLEAD_REMOTE_CACHE")
    assert times(tune()) == times(first)


@pytest.mark.parametrize("store", ["folder", "redis"], indirect=True)
def test_processes_that_tune_at_once_choose_the_same(store, machine, tmp_path):
    machine("any", store.url, signer="writer")
    program = Path(remote_tuner.__file__)
    runs = [
        subprocess.Popen(
            [sys.executable, program, tmp_path, str(number), "3"],
            env={**os.environ, "FAIRLEAD_CACHE_DIR": str(tmp_path / f"cache-{number}")},
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    choices = [json.loads(run.communicate(timeout=180)[0]) for run in runs]
    assert len(list(tmp_path.glob("measured-*"))) == 3  # each has measured
    assert choices[0] == choices[1] == choices[2]


@pytest.mark.parametrize("store", ["folder"], indirect=True)
def test_times_of_a_machine_are_stored_before_it_uses_them(store, machine, monkeypatch):
    chosen = {}
    for number, name in enumerate(("first", "second")):
        machine(name)
        set_clock(monkeypatch, number)
        chosen[name] = tune()
    assert chosen["first"].config != chosen["second"].config
    for name in chosen:
        machine(name, store.url, signer="writer")
        tuned = tune()
        assert tuned.stored and times(tuned) == times(chosen["first"])


@pytest.mark.parametrize("store", ["folder"], indirect=True)
def test_a_hostile_entry_is_measured_anew(store, machine, monkeypatch, capsys):
    machine("first", store.url, signer="writer")
    set_clock(monkeypatch, 0)
    tune()
    (name,) = [name for name in store.names() if "tune" in str(name)]
    whole = store.read(name)
    set_clock(monkeypatch, 1)
    wrong = {
        "not signed": b"{}",
        "signed by another key": whole[:8] + bytes(32) + whole[40:],
        "wrong signature": whole.replace(b'"us": ', b'"us":1'),
    }
    for number, (how, poison) in enumerate(wrong.items()):
        store.write(name, poison)
        machine(f"reader{number}")
        assert not tune().stored
        assert stats(capsys, "--kind", "tune")[f"get remote: {how}"] >= 1
    # A machine that writes puts it right.
    machine("healer", signer="writer")
    assert not tune().stored
    machine("last")
    assert tune().stored


@pytest.mark.parametrize("store", ["folder"], indirect=True)
def test_an_entry_that_is_signed_but_damaged_is_ignored_with_a_warning(store, machine, monkeypatch):
    machine("first", store.url, signer="writer")
    set_clock(monkeypatch, 0)
    tune()
    (name,) = [name for name in store.names() if "tune" in str(name)]
    digest = "".join(Path(name).parts[-2:])
    for number, damage in enumerate((b"{", b"[" * 100_000, b'{"version": 7}', b"\xff")):
        assert (
            _compiler.cache_update_remote("tune", digest, "", 0, lambda _, to=damage: to)
            == "stored"
        )
        machine(f"reader{number}")
        with pytest.warns(UserWarning, match="times of .*fill are ignored"):
            assert not tune().stored
        machine("first", signer="writer")


def test_the_results_that_were_stored_first_count():
    def record(us, program="p"):
        return {"program": program, "us": us, "p20": us, "p80": us}

    mine = {"a": record(1), "b": record(2)}
    assert _joined({}, mine, mine) == mine
    # Stored by another process meanwhile, which had no time for b: b does not count here either.
    theirs = {"a": record(3)}
    assert _joined(theirs, mine, mine) == theirs
    # Only b was measured now: it is added.
    assert _joined(theirs, {**theirs, "b": record(2)}, {"b": record(2)}) == {
        **theirs,
        "b": record(2),
    }
    # Another program's time is replaced.
    assert _joined({"a": record(3, "old")}, mine, mine) == mine
