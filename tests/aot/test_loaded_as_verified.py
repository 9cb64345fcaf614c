"""With a list of trusted keys, the loaded bytes are the verified ones, even if the file changes meanwhile."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import aot_kernels
import pytest
from test_signed_exports import c_load, exports, trusting  # noqa: F401  fixtures

from fairlead import cute, ffi
from fairlead.cli import main

EVIL = """
#include <stdio.h>
__attribute__((constructor)) static void run(void) {{ fclose(fopen("{ran}", "w")); }}
int __tvm_ffi_add_one(void *self, const void *args, int count, void *result) {{ return 0; }}
"""
#: Puts two files in one place by turns, until it is killed.
EXCHANGE = """
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  for (int turn = 0;; turn ^= 1) {
    if (link(argv[1 + turn], argv[4]) || rename(argv[4], argv[3]))
      return 1;
  }
}
"""


@pytest.fixture
def exchanged(exports, tmp_path, tools):  # noqa: F811
    """A path where a signed library and another one follow each other, and the file that the other one makes when it
    is loaded."""
    ran, path = tmp_path / "ran", tmp_path / "library.so"
    evil = tmp_path / "evil.so"
    source = tools.object(EVIL.format(ran=ran), "-fPIC", "-Wno-unused", "-Wno-unused-parameter")
    subprocess.run(["gcc", "-shared", "-o", evil, source], check=True)
    good = tmp_path / "good.so"
    good.write_bytes((exports / "build" / "library.so").read_bytes())
    tools.run("gcc", "-xc", "-", "-o", tmp_path / "exchange", input=EXCHANGE)
    process = subprocess.Popen([tmp_path / "exchange", good, evil, path, tmp_path / "next"])
    yield path, ran
    assert process.poll() is None
    process.kill()
    process.wait()


def first(path):
    cute.runtime.load_module(path)


def second(path):
    ffi.load_module(path)


def third(path):
    if reason := c_load(path):
        raise RuntimeError(reason)


@pytest.mark.parametrize("load", [first, second, third], ids=["cute", "ffi", "c"])
def test_a_file_that_is_exchanged(exchanged, trusting, load):  # noqa: F811
    path, ran = exchanged
    while not path.exists():
        pass
    outcomes = {}
    for number in range(1000):
        # Under a name of its own: the dynamic linker opens no name twice.
        folder = path.with_name(f"folder{number}")
        folder.symlink_to(path.parent)
        try:
            load(folder / path.name)
            outcome = "loaded"
        except RuntimeError as error:
            assert "not signed" in str(error)
            outcome = "refused"
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    print(outcomes)
    assert not ran.exists()
    assert min(outcomes.get("loaded", 0), outcomes.get("refused", 0)) > 20, outcomes


RUN_OVERWRITTEN = """
import os, sys
import numpy as np
from fairlead import cute
path = sys.argv[1]
module = cute.runtime.load_module(path)
with open(path, "r+b") as file:
    file.write(bytes(os.path.getsize(path)))
x = np.arange(5, dtype=np.float32)
y = np.zeros_like(x)
module.add_one(x, y)
assert (y == x + 1).all()
print("ran")
"""


def test_a_file_that_is_overwritten(exports, trusting, tmp_path):  # noqa: F811
    path = tmp_path / "library.so"
    path.write_bytes((exports / "build" / "library.so").read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", RUN_OVERWRITTEN, path], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr


def open_files():
    return len(os.listdir("/proc/self/fd"))


def library_starts() -> list[int]:
    """Return the addresses of the libraries that were loaded from files without a name."""
    with open("/proc/self/maps") as file:
        fields = [line.split() for line in file if "/memfd:" in line]
    return [int(field[0].split("-")[0], 16) for field in fields if int(field[2], 16) == 0]


def test_one_content_is_one_library(exports, trusting, tmp_path):  # noqa: F811
    """Under any name, as often as it is loaded; debuggers find its file."""
    content = (exports / "build" / "library.so").read_bytes()
    modules, opened = [], []
    for number in range(20):
        path = tmp_path / f"copy{number}.so"
        path.write_bytes(content)
        modules.append(ffi.load_module(path))
        opened.append(open_files())
    assert opened[0] == opened[-1]
    assert len({module.__chandle__() for module in modules}) == 1

    class Info(ctypes.Structure):
        _fields_ = [("name", ctypes.c_char_p), *((n, ctypes.c_void_p) for n in "abc")]

    def content_for_debuggers(start: int) -> bytes:
        info = Info()
        assert ctypes.CDLL(None).dladdr(ctypes.c_void_p(start), ctypes.byref(info))
        assert info.name.decode().startswith(f"/proc/{os.getpid()}/fd/")
        return Path(info.name.decode()).read_bytes()

    # Other tests of this process may have loaded other libraries.
    assert content in [content_for_debuggers(start) for start in library_starts()]


def test_messages_name_the_file(exports, trusting, tmp_path):  # noqa: F811
    path = tmp_path / "incomplete.so"
    source = (
        b"int nowhere(void); int __tvm_ffi_f(void) { return nowhere(); } int (*p)(void) = nowhere;"
    )
    subprocess.run(["gcc", "-xc", "-", "-shared", "-fPIC", "-o", path], input=source, check=True)
    assert main(["seal", "--sign", str(exports / "build.key"), str(path)]) == 0
    said = c_load(path)
    assert f"{path}: undefined symbol: nowhere" in said and "/proc/" not in said
    with pytest.raises(Exception, match="undefined symbol: nowhere") as raised:
        ffi.load_module(path)
    assert str(path) in str(raised.value) and "/proc/" not in str(raised.value)


def test_a_name_without_a_folder_is_refused(trusting):  # noqa: F811
    """The dynamic linker would look for it where it likes."""
    with pytest.raises(RuntimeError, match="a name without a folder"):
        ffi.get_global_func("ffi.ModuleLoadFromFile")("libm_other.so")


def test_without_a_list_the_file_itself_is_loaded(exports, tmp_path):  # noqa: F811
    """Debuggers, profilers and $ORIGIN find it; its pages are shared between processes."""
    path = tmp_path / "library.so"
    path.write_bytes((exports / "build" / "library.so").read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", aot_kernels.RUN_ADD_ONE + "\nprint(open('/proc/self/maps').read())"]
        + [path],
        capture_output=True,
        text=True,
    )
    assert str(path) in done.stdout and "/memfd:" not in done.stdout
