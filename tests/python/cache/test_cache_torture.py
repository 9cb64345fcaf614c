"""No process ever gets wrong or partial code from the cache, whatever happens to its folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

from cache_kernels import check, compile_add, files


def test_killed_processes_and_damaged_entries(cache_dir, tmp_path):
    (tmp_path / "logs").mkdir()
    done = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).parent / "cache_torture.py"),
            str(tmp_path / "logs"),
            os.environ.get("FAIRLEAD_TORTURE_SECONDS", "20"),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "FAIRLEAD_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    print(told)
    assert told["wrong"] == []
    # It was a torture.
    assert told["killed"] >= 20 and told["damaged"] >= 20, told
    assert told["hits"] >= 50 and told["misses"] >= 50, told
    # The folder is as good as any afterwards.
    for c in range(50):
        compile_add(float(c))
    for c in range(50):
        function = compile_add(float(c))
        assert function.cached
        check(function, float(c))
    from fairlead.cli import main

    assert len([path for path in files(cache_dir) if len(path.name) == 62]) >= 50
    assert main(["cache", "verify"]) == 0
