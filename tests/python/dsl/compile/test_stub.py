"""The type stub of the compiler's bindings is what the built module gives."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]


def test_stub_is_current():
    pytest.importorskip("nanobind")
    spec = importlib.util.spec_from_file_location(
        "stub", ROOT / "python" / "src" / "compiler" / "stub.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.stub() == (ROOT / "python" / "fairlead" / "_compiler.pyi").read_text()
