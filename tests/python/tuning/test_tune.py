"""``fairlead.tune``: candidates, checks, stored times, reports."""

import json
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import fairlead
from fairlead import cute, tuning
from fairlead.cute import _timing
from fairlead.cute._tuning import search as searching
from fairlead.cute._tuning import store
from fairlead.cute._tuning.candidates import Candidate, choices, compile_all, text_of
from fairlead.cute._tuning.report import Row

TARGET = "--target cpu"


@pytest.fixture(autouse=True)
def nothing_is_loaded(monkeypatch):
    """Undo load_configs of other tests."""
    monkeypatch.setattr(store, "_loaded", {})


@cute.kernel
def scale_kernel(x: cute.Tensor, y: cute.Tensor, threads: cute.Constexpr, repeats: cute.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * threads + thread
    if i < x.shape[0]:
        total = cute.Float32(0.0)
        for _ in range(repeats):
            total = total + x[i] / cute.Float32(repeats)
        y[i] = y[i] + total


@cute.jit
def scale(
    x: cute.Tensor,
    y: cute.Tensor,
    threads: cute.Constexpr = 32,
    repeats: cute.Constexpr = 1,
    wrong: cute.Constexpr = False,
):
    if cute.const_expr(threads > 1024):
        raise cannot(f"{threads} threads")
    if cute.const_expr(wrong):
        y[0] = 7.0
    else:
        scale_kernel(x, y, threads, repeats).launch(
            grid=cute.ceil_div(x.shape[0], threads), block=threads
        )


def cannot(text):
    return cute.testing.CantImplementError(text)


def arrays(n=4096):
    return np.random.default_rng(0).random((2, n), np.float32)


def reference(x, y, **_):
    y += x


def measured(tuned):
    return [row for row in tuned.report().rows if row.microseconds and not row.stored]


def test_the_fastest_is_chosen_and_arguments_stay():
    x, y = arrays()
    before = y.copy()
    tuned = fairlead.tune(
        scale, {"repeats": [200, 1]}, args=(x, y), options=TARGET, check=reference, store=False
    )
    assert tuned.config == {"repeats": 1} and not tuned.stored
    np.testing.assert_array_equal(y, before)
    tuned(x, y)
    np.testing.assert_allclose(y, before + x, rtol=1e-6)
    rows = {row.config["repeats"]: row for row in tuned.report().rows}
    assert rows[200].microseconds > 5 * rows[1].microseconds
    assert 0 < rows[1].p20 <= rows[1].microseconds <= rows[1].p80


def test_what_fails_loses_with_its_reason():
    x, y = arrays()
    configs = [{"threads": 2048}, {"threads": 64}, {"wrong": True}]
    tuned = tuning.tune(scale, configs, args=(x, y), options=TARGET, check=reference, store=False)
    assert tuned.config == {"threads": 64}
    reasons = [row.reason for row in tuned.report().rows]
    assert "2048 threads" in reasons[0] and reasons[1] == ""
    assert "wrong result: argument #1[0] is 7, expected" in reasons[2]
    text = str(tuned.report())
    assert "chosen" in text and "2048 threads" in text and "wrong result" in text


def test_without_a_candidate_left_all_reasons_are_told():
    x, y = arrays()
    with pytest.raises(ValueError, match="no configuration of `scale`") as caught:
        tuning.tune(scale, {"threads": [2048, 4096]}, args=(x, y), options=TARGET, store=False)
    assert "threads=2048: " in str(caught.value) and "4096 threads" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"configs": {"thread": [1]}}, TypeError, "no parameter `thread`.*did you mean `?threads"),
        (
            {"configs": {"threads": []}},
            ValueError,
            "expected threads to be values to choose from, but got none",
        ),
        ({"configs": {"threads": 32}}, TypeError, "list of values.*threads, but got int"),
        ({"configs": []}, ValueError, "at least one configuration"),
        ({"configs": [3]}, TypeError, "as a dict of parameters and values, but got int"),
        (
            {"configs": {"threads": [object()]}},
            TypeError,
            "value of `threads` is of type object, whose times cannot be stored",
        ),
        ({"effort": "some"}, ValueError, "one of none, quick, full, but got 'some'"),
        ({"budget_s": 0}, ValueError, "budget_s to be more than 0 seconds, but got 0"),
        ({"default": {"size": 1}}, TypeError, "no parameter `size`"),
    ],
)
def test_arguments_are_checked(given, error, text):
    given = {"configs": {"threads": [32]}, **given}
    with pytest.raises(error, match=text):
        tuning.tune(scale, args=arrays(), options=TARGET, store=False, **given)


def test_times_are_stored_for_each_configuration(cache_dir):
    x, y = arrays()

    def run(values):
        return tuning.tune(scale, {"repeats": values}, args=(x, y), options=TARGET)

    first = run([100, 1])
    assert not first.stored and len(measured(first)) == 2
    again = run([1, 100])
    assert again.stored and not measured(again) and again.config == {"repeats": 1}
    more = run([1, 50, 100])
    assert [row.config["repeats"] for row in measured(more)] == [50]
    files = list((cache_dir / "tune").iterdir())
    assert len(files) == 1 and files[0].name.startswith("test_tune_scale-")
    document = json.loads(files[0].read_text())
    assert set(document["configs"]) == {"repeats=1", "repeats=50", "repeats=100"}
    # A size of another bucket is tuned separately; sizes of one bucket share their times.
    half = tuning.tune(scale, {"repeats": [1]}, args=(x[:2000], y[:2000]), options=TARGET)
    assert not half.stored
    bucket = tuning.next_pow2
    for size, stored in ((2000, False), (1500, True), (3000, False)):
        part = tuning.tune(
            scale,
            {"repeats": [1]},
            args=(x[:size], y[:size]),
            options=TARGET,
            bucket=bucket,
            key={"k": 1},
        )
        assert part.stored == stored


FACTOR = 1.0


@cute.jit
def times(x: cute.Tensor, width: cute.Constexpr = 1):
    for i in range(width):
        x[i] = x[i] * FACTOR


def test_another_program_is_measured_anew(cache_dir, monkeypatch):
    x = arrays()[0]
    for factor, stored in ((1.0, False), (1.0, True), (0.5, False), (0.5, True)):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        tuned = tuning.tune(times, {"width": [1, 64]}, args=(x,), options=TARGET)
        assert tuned.stored == stored
        assert len(measured(tuned)) == (0 if stored else 2)


def test_a_damaged_file_is_a_miss(cache_dir):
    x, y = arrays()
    for damage in ("{", "[]", '{"version": 1}', None):
        tuned = tuning.tune(scale, {"repeats": [1, 2]}, args=(x, y), options=TARGET)
        assert not tuned.stored
        (file,) = (cache_dir / "tune").iterdir()
        document = json.loads(file.read_text())
        for record in document["configs"].values():
            record["us"] = -1
        file.write_text(json.dumps(document) if damage is None else damage)
    assert not tuning.tune(scale, {"repeats": [1, 2]}, args=(x, y), options=TARGET).stored


def test_never_tune(cache_dir, monkeypatch):
    x, y = arrays()
    configs = {"repeats": [1, 100]}
    monkeypatch.setenv("FAIRLEAD_NEVER_TUNE", "1")
    with pytest.raises(RuntimeError, match="FAIRLEAD_NEVER_TUNE=1 forbids.*export_configs"):
        tuning.tune(scale, configs, args=(x, y), options=TARGET)
    tuned = tuning.tune(scale, configs, args=(x, y), options=TARGET, default={"repeats": 100})
    assert tuned.config == {"repeats": 100} and not measured(tuned)
    other = tuning.tune(scale, configs, args=(x, y), options=TARGET, default={"threads": 64})
    assert other.config == {"threads": 64}
    with pytest.raises(RuntimeError, match="FAIRLEAD_NEVER_TUNE"):
        cute.testing.tune(lambda: None, {})
    monkeypatch.delenv("FAIRLEAD_NEVER_TUNE")
    tuning.tune(scale, configs, args=(x, y), options=TARGET)
    monkeypatch.setenv("FAIRLEAD_NEVER_TUNE", "1")
    configs = {"repeats": [1, 2, 100]}  # 2 is unknown, and stays so
    tuned = tuning.tune(scale, configs, args=(x, y), options=TARGET)
    assert tuned.stored and tuned.config == {"repeats": 1}


def test_export_and_load(cache_dir, tmp_path, monkeypatch):
    x, y = arrays()
    configs = {"repeats": [100, 1]}
    tuning.tune(scale, configs, args=(x, y), options=TARGET)
    tuning.tune(times, {"width": [1]}, args=(x,), options=TARGET)
    path = tmp_path / "tuned.json"
    assert tuning.export_configs(path) == 2
    assert tuning.export_configs(path, select=lambda key: key["function"].endswith("scale")) == 1
    monkeypatch.setenv("FAIRLEAD_CACHE_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("FAIRLEAD_NEVER_TUNE", "1")
    with pytest.raises(RuntimeError, match="no measured time of `scale` is stored"):
        tuning.tune(scale, configs, args=(x, y), options=TARGET)
    monkeypatch.setattr(store, "_loaded", {})
    assert tuning.load_configs(path) == 1
    tuned = tuning.tune(scale, configs, args=(x, y), options=TARGET)
    assert tuned.stored and tuned.config == {"repeats": 1}
    for text in ("no JSON", "[]", '{"version": 9, "entries": {}}'):
        path.write_text(text)
        with pytest.raises(ValueError, match="is not a file of export_configs"):
            tuning.load_configs(path)


def test_efforts():
    x, y = arrays(256)
    configs = {"threads": [2**i for i in range(10)]}
    given = {"args": (x, y), "options": TARGET, "store": False}
    none = tuning.tune(scale, configs, effort="none", **given)
    assert none.config == {"threads": 1} and not measured(none)
    quick = [tuning.tune(scale, configs, effort="quick", seed=seed, **given) for seed in (1, 1, 2)]
    tried = [{row.config["threads"] for row in measured(tuned)} for tuned in quick]
    assert len(tried[0]) == 8 and tried[0] == tried[1] != tried[2]
    left = [row for row in quick[0].report().rows if "effort quick" in row.reason]
    assert len(left) == 2


def test_a_budget_ends_the_tuning(cache_dir):
    x, y = arrays(2**16)
    configs = {"repeats": [300 + i for i in range(20)]}
    tuned = tuning.tune(scale, configs, args=(x, y), options=TARGET, budget_s=0.5)
    left = [row for row in tuned.report().rows if row.reason == "not tried: the budget was used up"]
    assert 1 <= len(left) < 20 and len(measured(tuned)) == 20 - len(left)
    again = tuning.tune(scale, configs, args=(x, y), options=TARGET, budget_s=60)
    assert len(measured(again)) == len(left)  # what was not reached is tried the next time


def test_one_is_measured_however_short_the_budget(cache_dir):
    x, y = arrays(2**16)
    tuned = tuning.tune(
        scale, {"repeats": [2, 3, 4, 5]}, args=(x, y), options=TARGET, budget_s=1e-6
    )
    assert 1 <= len(measured(tuned)) < 4


def test_a_compile_that_hangs_loses():
    ended, compiled = threading.Event(), []
    candidates = [Candidate({"i": i}, f"i={i}", Row({"i": i})) for i in range(8)]

    def compile(candidate):
        if candidate.config["i"] < 5:  # more than there are threads
            ended.wait(200)
        compiled.append(candidate.config["i"])
        return type("Made", (), {"ir": "", "ptx": ""})()

    compile_all(candidates, compile, 0.3, time.perf_counter() + 150)
    assert sorted(compiled) == [5, 6, 7]  # those that hang are left behind
    ended.set()
    reasons = [candidate.row.reason for candidate in candidates]
    assert reasons == ["compiling took longer than 0.3 s"] * 5 + [""] * 3
    assert not candidates[0].lasting


def test_ties_go_to_the_smallest(monkeypatch):
    times_of = {1: 101.0, 2: 100.0, 4: 101.5, 8: 110.0}
    for values, chosen in (([8, 4, 2, 1], 1), ([8, 4, 2], 2), ([8, 4], 4)):
        searched = searching.Search(
            scale, {"threads": values}, arrays(), {}, options=TARGET, store=False
        )
        for candidate in searched.candidates:
            candidate.row.microseconds = times_of[candidate.config["threads"]]
        assert searched.fastest().config == {"threads": chosen}


def test_processes_at_once_choose_the_same(cache_dir):
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import test_tune as t\n"
        "x, y = t.arrays()\n"
        "tuned = t.tuning.tune(t.scale, {'threads': [32, 64, 128]}, args=(x, y), options=t.TARGET)\n"
        "print('chose', tuned.config)"
    )
    import os

    # Times are per process until they are stored; later processes take over the stored ones.
    folder = os.path.dirname(os.path.abspath(__file__))
    command = [sys.executable, "-c", script, folder]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert all("chose" in run.communicate(timeout=120)[0] for run in runs)
    after = [subprocess.check_output(command, text=True) for _ in range(2)]
    assert after[0] == after[1]
    assert not [f for f in (cache_dir / "tune").iterdir() if f.name.startswith(".tune-")]


def test_autotuned_functions_are_stored(cache_dir, monkeypatch, capsys):
    monkeypatch.setenv("CUTE_DSL_LOG_AUTOTUNE", "1")
    x, y = arrays()

    def call():
        tuned = cute.testing.autotune_jit(
            {"repeats": [100, 1]}, ["x"], warmup_iterations=1, iterations=5, check=reference
        )(scale)
        before = y.copy()
        tuned(x, y)
        np.testing.assert_allclose(y, before + x, rtol=1e-5)
        return capsys.readouterr().out.count("Tuning configuration")

    assert call() == 2
    assert call() == 0  # as another process
    monkeypatch.setenv("FAIRLEAD_NEVER_TUNE", "1")
    assert call() == 0
    with pytest.raises(RuntimeError, match="FAIRLEAD_NEVER_TUNE"):
        cute.testing.autotune_jit({"repeats": [3]})(scale)(x, y)


def test_report_as_picture(tmp_path):
    x, y = arrays()
    configs = {"threads": [32, 2048], "repeats": [1]}
    report = tuning.tune(scale, configs, args=(x, y), options=TARGET, store=False).report()
    report.save(tmp_path / "tune.svg")
    root = ElementTree.fromstring((tmp_path / "tune.svg").read_text())
    name = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f".//{name}rect")) == 1
    texts = " ".join(each.text or "" for each in root.iter(f"{name}text"))
    assert "threads=32, repeats=1" in texts and "2048 threads" in texts and "chosen" in texts
    assert report._repr_html_() == report.svg


def test_values_are_text_that_is_the_same_everywhere():
    layout = {"type": cute.Float16, "shape": (4, 8), "name": "a", "n": None}
    assert text_of(layout) == "n=None, name='a', shape=(4, 8), type=Float16"
    assert list(choices({"a": [1, 2], "b": "xy".split()})) == [
        {"a": 1, "b": "xy"},
        {"a": 2, "b": "xy"},
    ]


def test_samples_are_of_one_call():
    found = _timing.samples(lambda: time.sleep(0.002), 0.02)
    assert 3 <= len(found) < 20 and 2000 <= min(found) < 20000


def test_the_cache_command_looks_after_times(cache_dir, capsys):
    from fairlead.cli import main

    x, y = arrays()
    tuning.tune(scale, {"repeats": [1, 2]}, args=(x, y), options=TARGET)
    assert main(["cache", "list", "--kind", "tune"]) == 0
    assert "test_tune.scale(float32[4096], float32[4096]) on cpu" in capsys.readouterr().out
    (file,) = (cache_dir / "tune").iterdir()
    text = file.read_text()
    file.write_text(text[:-20])
    assert main(["cache", "verify", "--kind", "tune"]) == 1
    assert "it is no JSON of a tuning" in capsys.readouterr().out
    file.write_text(text)
    assert main(["cache", "clear", "--kind", "tune"]) == 0
    assert not list((cache_dir / "tune").iterdir())
