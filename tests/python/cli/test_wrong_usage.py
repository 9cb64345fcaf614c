"""The command line's errors for wrong options and for output that nobody reads."""

import subprocess
import sys

import pytest

VECTOR = ("--arg", "tensor:float32[n]")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["insepct"], "did you mean `inspect`?"),
        (["cache", "lsit"], "did you mean `list`?"),
        (["bench", "x.so", "f", "--sampels", "3"], "did you mean `--samples`?"),
        (["bench", "x.so", "f", "--n", "2^10.."], "expected sizes such as 2^10..2^20"),
        (["bench", "x.so", "f", "--n", "ten"], "expected sizes such as 2^10..2^20"),
        (["bench", "x.so", "f", "--flops", "2*m"], "such as 2*n*n, but got '2*m'"),
        (["check", "--checks", "races", __file__], "got races, did you mean `race`?"),
        (["draw", "(4,8)", "--banks", "flaot32"], "did you mean `Float32`?"),
    ],
)
def test_nearest_names_and_forms(fairlead, arguments, text):
    done = fairlead(*arguments)
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr
    assert text in done.stderr


def test_a_plot_is_refused_before_anything_is_measured(fairlead, library, tmp_path):
    command = ("bench", library, "add_one", *VECTOR, *VECTOR, "--n", "8")
    for path, text in (
        (tmp_path / "x.png", "ends in .svg"),
        (tmp_path / "no" / "x.svg", "no folder"),
    ):
        done = fairlead(*command, "--plot", path)
        assert done.returncode == 1 and text in done.stderr and not done.stdout


def test_an_unknown_compiled_function(fairlead, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "from fairlead import cute\n@cute.jit\ndef f(n: cute.Int32):\n    cute.printf('{}', n)\n"
        "compiled = cute.compile(f, cute.Int32, options='--target cpu')\n"
    )
    done = fairlead("export", f"{program}:compield", "-o", tmp_path / "f.o")
    assert "no compiled function `compield`, did you mean `compiled`?" in done.stderr


@pytest.mark.parametrize("arguments", [["doctor"], ["cache", "list"]])
def test_a_reader_that_stops_is_no_error(arguments):
    """`fairlead doctor | head -0`: the pipe is closed before anything is written."""
    command = [sys.executable, "-m", "fairlead", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait(60)


def test_a_full_disk_is_told_in_one_line():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "fairlead", "doctor"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "fairlead doctor: [Errno 28] No space left on device\n"
