"""Messages about compiling, as the environment asks for them."""

import logging

import pytest
from support import dsl_support as support

from fairlead import Float32, cute


@cute.jit
def double(a: cute.Tensor):
    a[:] = a[:] + a[:]


def compile_double():
    return cute.compile(double, support.vector(Float32), options="--target cpu")


@pytest.fixture(autouse=True)
def quiet_afterwards(monkeypatch):
    for what in ("TO_CONSOLE", "TO_FILE", "LEVEL"):
        monkeypatch.delenv(f"CUTE_DSL_LOG_{what}", raising=False)
    yield
    monkeypatch.undo()
    compile_double()
    assert not logging.getLogger("fairlead").handlers


def test_nothing_by_default(capfd):
    compile_double()
    assert capfd.readouterr() == ("", "")


def test_the_console(capfd, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_LOG_TO_CONSOLE", "1")
    compile_double()
    info, debug = capfd.readouterr().err.splitlines()
    assert "INFO fairlead: compiled double for cpu in " in info and "trace " in info
    assert "DEBUG fairlead: double is double(inout a: Tensor([n0], float32)); opt level 3" in debug


@pytest.mark.parametrize(("level", "lines"), [("0", 0), ("1", 2), ("10", 2), ("20", 1), ("30", 0)])
def test_a_file_and_levels(tmp_path, monkeypatch, capfd, level, lines):
    path = tmp_path / "messages.log"
    monkeypatch.setenv("CUTE_DSL_LOG_TO_FILE", str(path))
    monkeypatch.setenv("CUTE_DSL_LOG_LEVEL", level)
    compile_double()
    compile_double()
    written = path.read_text().splitlines() if path.exists() else []
    assert len(written) == 2 * lines
    assert capfd.readouterr().err == ""


def test_wrong_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_LOG_TO_CONSOLE", "1")
    monkeypatch.setenv("CUTE_DSL_LOG_LEVEL", "loud")
    with pytest.raises(ValueError, match="`CUTE_DSL_LOG_LEVEL` takes 0, 1, 10, .* but got `loud`"):
        compile_double()
    monkeypatch.setenv("CUTE_DSL_LOG_LEVEL", "1")
    monkeypatch.setenv("CUTE_DSL_LOG_TO_FILE", str(tmp_path / "none" / "messages.log"))
    with pytest.raises(RuntimeError, match="cannot write `.*messages.log`: No such file"):
        compile_double()
