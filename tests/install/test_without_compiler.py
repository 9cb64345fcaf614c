"""An installation that holds the runtime alone: what docs/deployment.md says of it."""

import os
import shutil
import subprocess
import sys

import pytest

import fairlead


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Runs Python with a package that has no compiler."""
    folder = tmp_path_factory.mktemp("runtime")
    without = shutil.ignore_patterns("_compiler*.so", "libfairlead.so", "*.a")
    shutil.copytree(os.path.dirname(fairlead.__file__), folder / "fairlead", ignore=without)

    def run(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        environment.pop("FAIRLEAD_TRUSTED_KEYS", None)
        command = [sys.executable, *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)

    return run


def test_doctor_says_that_there_is_no_compiler(python):
    done = python("-m", "fairlead", "doctor")
    assert done.returncode == 1, done.stderr
    assert (
        "this installation has none: exported functions load, kernels do not compile"
        in " ".join(done.stdout.split())
    )
    assert done.stderr == ""


def test_compiling_is_an_import_error(python):
    program = (
        "from fairlead import cute\n@cute.jit\ndef f(x: cute.Tensor):\n    pass\ncute.compile(f)"
    )
    done = python("-c", program)
    assert done.returncode != 0 and "No module named 'fairlead._compiler'" in done.stderr
