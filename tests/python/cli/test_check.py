"""fairlead check, and pytest --fairlead-check: checks of the kernels that other programs run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

SEEDED = Path(__file__).resolve().parents[1] / "dsl" / "checks" / "seeded"

SCRIPT = """
import sys
import numpy as np
from fairlead import cute

@cute.kernel
def fill(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    a[t] = 1.0

@cute.jit
def host(a: cute.Tensor):
    fill(a).launch(grid=1, block=8)

def test_fill():
    host(np.zeros({size}, np.float32))

if __name__ == "__main__":
    test_fill()
    print("arguments", sys.argv[1:])
    sys.exit(3)
"""


def run(*command):
    environment = {
        name: value for name, value in os.environ.items() if "FAIRLEAD_CHECK" not in name
    }
    return subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )


def script(folder, size):
    path = folder / f"test_script_{size}.py"
    path.write_text(SCRIPT.format(size=size))
    return path


def test_a_script_without_findings_ends_as_it_does(tmp_path):
    ended = run("fairlead", "check", script(tmp_path, 8), "--own", "x")
    assert ended.returncode == 3, ended.stderr
    assert "arguments ['--own', 'x']" in ended.stdout
    assert ended.stderr.endswith("fairlead check: no findings in the kernels that ran\n")


def test_a_script_with_a_finding(tmp_path):
    report = tmp_path / "found.json"
    ended = run("fairlead", "check", "--report", report, script(tmp_path, 4))
    assert ended.returncode == 1
    assert "CheckError: bounds: index 4 of mode 0" in ended.stderr
    assert ended.stderr.endswith("fairlead check: 1 finding\n")
    # The traceback begins in the script, as that of `python script.py` does.
    assert re.match(
        r'Traceback .*\n  File ".*test_script_4.py", line 19, in <module>', ended.stderr
    )
    assert "runpy" not in ended.stderr and "compat" not in ended.stderr
    (made,) = json.loads(report.read_text())
    assert made["accesses"][0]["source"] == "a[t] = 1.0"


VIEWS = """
import numpy as np
from fairlead import cute

@cute.kernel
def fill(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    row = cute.local_tile(a, (4,), (0,))  # the threads 4 to 7 index beyond it, in the memory of a
    row[t] = t + 1.0

@cute.jit
def host(a: cute.Tensor):
    fill(a).launch(grid=1, block=8)

numbers = np.zeros(6, np.float32)
host(numbers)
print("went on", numbers.tolist())
"""


def test_a_script_goes_on_after_findings(tmp_path):
    """An index outside of its mode accesses the memory that it leads to, unless that ends before."""
    path, report = tmp_path / "views.py", tmp_path / "found.json"
    path.write_text(VIEWS)
    ended = run("fairlead", "check", "--go-on", "--report", report, path)
    assert ended.returncode == 1
    assert ended.stdout == "went on [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]\n"
    assert "bounds: index 4 of mode 0" in ended.stderr and "2 accesses" not in ended.stdout
    assert {made["kind"] for made in json.loads(report.read_text())} == {"bounds"}
    stopped = run("fairlead", "check", path)
    assert stopped.returncode == 1 and not stopped.stdout and "CheckError" in stopped.stderr


def test_a_script_that_is_not_there(tmp_path):
    ended = run("fairlead", "check", tmp_path / "none.py")
    assert ended.returncode == 1 and "no such file" in ended.stderr


def test_the_plugin_of_pytest(tmp_path):
    path = script(tmp_path, 4)
    plugin = ("pytest", "-p", "fairlead._pytest", "-q", "-p", "no:cacheprovider", path)
    ended = run(*plugin, "--fairlead-check")
    assert ended.returncode == 1 and "CheckError: bounds: index 4" in ended.stdout
    right = (*plugin[:-1], script(tmp_path, 8))
    assert run(*right, "--fairlead-check=bounds,race").returncode == 0


def test_schedule_is_a_check_by_name_and_not_part_of_all(tmp_path):
    program = (SEEDED / "mbarriers.py").read_text()
    wrong = program.replace("mbarrier_init(full + stage, 32)", "mbarrier_init(full + stage, 64)")
    assert wrong != program
    path = tmp_path / "wrong.py"
    path.write_text(wrong + "\nrun()\n")
    report = tmp_path / "found.json"
    ended = run("fairlead", "check", "--checks", "schedule", "--report", report, path)
    assert ended.returncode == 1, ended.stderr
    (made,) = json.loads(report.read_text())
    assert made["kind"] == "schedule"
    assert "begun for 64 arrivals, but only 32 come" in made["message"]
    assert run("fairlead", "check", "--checks", "scedule", path).stderr.count("schedule") == 2
    assert "all (the default) is bounds, init, race and sync" in " ".join(
        run("fairlead", "check", "--help").stdout.split()
    )
    ended = run("fairlead", "check", "--checks", "all", path)
    assert ended.returncode == 1 and "of pipelines" not in ended.stderr  # found while it runs
