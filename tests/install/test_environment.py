"""Environments of ./run."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from fairlead_dev import environment, steps  # noqa: E402


def test_a_linked_environment_of_another_python_is_not_cleared(tmp_path, monkeypatch):
    """A second checkout may use the environment."""
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "kept.txt").write_text("kept")
    (tmp_path / ".venv").symlink_to(shared)
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    monkeypatch.setattr(steps, "LOGS", tmp_path / "logs")
    with pytest.raises(steps.StepFailed, match="is a link to .*shared, which another Python than"):
        environment.ensure()
    assert (shared / "kept.txt").read_text() == "kept"
