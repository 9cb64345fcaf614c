"""`./run test`: suites run concurrently, a step that fails is a failed suite, an interrupt ends all of them."""

import sys
import threading
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from fairlead_dev import build, steps, test_verb  # noqa: E402
from fairlead_dev.results import Result  # noqa: E402


@pytest.fixture(autouse=True)
def own_logs(tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "LOGS", tmp_path)
    monkeypatch.setattr(steps, "_ending", threading.Event())


def run(monkeypatch, suites):
    monkeypatch.setattr(test_verb, "_suites", lambda: suites)
    return {result.name: result for result in test_verb._run_at_once(list(suites))}


def test_one_more_than_there_are_processors(monkeypatch):
    count = build.jobs() + 1
    all_run = threading.Barrier(count, timeout=60)

    def suite(name):
        all_run.wait()
        return Result(name, passed=1)

    results = run(monkeypatch, {f"suite{number}": suite for number in range(count)})
    assert len(results) == count and all(result.passed == 1 for result in results.values())


def test_a_step_that_fails_is_a_failed_suite(monkeypatch, capsys):
    def failing(name):
        raise steps.StepFailed("its output")

    results = run(monkeypatch, {"first": failing, "second": lambda name: Result(name, passed=1)})
    assert results["first"].failed == 1 and results["second"].passed == 1
    assert "its output" in capsys.readouterr().out


def test_an_interrupt_ends_all(monkeypatch):
    started, ended = threading.Event(), []

    def long(name):
        started.set()
        try:
            steps.run(f"a long step of {name}", ["sleep", "600"], check=False)
        finally:
            ended.append(name)
        return Result(name, passed=1)

    def interrupted(*_):
        assert started.wait(60)
        while not steps._running:
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(test_verb.concurrent.futures, "wait", interrupted)
    suites = {f"suite{number}": long for number in range(3 * build.jobs() + 3)}
    with pytest.raises(KeyboardInterrupt):
        run(monkeypatch, suites)
    while steps._running:
        time.sleep(0.01)
    assert len(ended) < len(suites)  # no step ran to its end
