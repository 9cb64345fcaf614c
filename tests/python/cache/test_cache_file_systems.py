"""Folders on file systems that can do less: no locks, no hard links, no times, no writing, no room."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cache_kernels import compile_add, files

pytestmark = pytest.mark.usefixtures("cache_dir")

USE = """
from cache_kernels import check, compile_add
for c in (1.0, 2.0):
    function = compile_add(c)
    check(function, c)
    print(function.cached)
"""


def run(*before, code=USE, **environment):
    done = subprocess.run(
        [*before, sys.executable, "-c", code],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
            "PYTHONDONTWRITEBYTECODE": "1",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout or done.stderr


# Errors of some network file systems.
POOR = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/file.h>
#include <unistd.h>
static int refuse(const char *what, int error) { fprintf(stderr, "%s\n", what); errno = error; return -1; }
int flock(int fd, int how) { (void)fd, (void)how; return refuse("flock", ENOLCK); }
int lockf(int fd, int how, off_t size) { (void)fd, (void)how, (void)size; return refuse("lockf", ENOLCK); }
int link(const char *from, const char *to) { (void)from, (void)to; return refuse("link", EPERM); }
int symlink(const char *from, const char *to) { (void)from, (void)to; return refuse("symlink", EPERM); }
int utimensat(int at, const char *path, const struct timespec times[2], int flags) {
  (void)at, (void)path, (void)times, (void)flags;
  errno = EPERM;
  return -1;
}
int futimens(int fd, const struct timespec times[2]) { (void)fd, (void)times; errno = EPERM; return -1; }
int fsync(int fd) { (void)fd; errno = EINVAL; return -1; }
int fchmod(int fd, mode_t mode) { (void)fd, (void)mode; errno = EPERM; return -1; }
"""


def test_without_locks_links_and_times(tmp_path, cache_dir):
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("no C compiler")
    (tmp_path / "poor.c").write_text(POOR)
    library = tmp_path / "poor.so"
    subprocess.run([gcc, "-shared", "-fPIC", tmp_path / "poor.c", "-o", library], check=True)
    assert run(LD_PRELOAD=str(library)) == "False\nFalse\n"
    assert run(LD_PRELOAD=str(library)) == "True\nTrue\n"
    assert len(files(cache_dir, "programs")) == 2
    asked = subprocess.run(
        [sys.executable, "-c", USE],
        env={
            **os.environ,
            "LD_PRELOAD": str(library),
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stderr == "", "it asks for no lock and no link"


def mounted(what, folder):
    """A command that runs another one where `folder` is mounted so; skips where that cannot be done."""
    command = ["unshare", "-m", "sh", "-c", f'{what} && exec "$@"', "sh"]
    if subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("only root mounts file systems")
    return command


def test_read_only_file_system(cache_dir):
    compile_add(1.0)
    before = [(path, path.read_bytes()) for path in files(cache_dir)]
    command = mounted(
        f"mount --bind {cache_dir} {cache_dir} && mount -o remount,bind,ro {cache_dir}", cache_dir
    )
    assert run(*command) == "True\nFalse\n"
    assert [(path, path.read_bytes()) for path in files(cache_dir)] == before


def test_full_file_system(cache_dir):
    """It compiles without keeping, leaves nothing half, and keeps again when there is room."""
    cache_dir.mkdir()
    code = f"""
import os
from cache_kernels import check, compile_add, files
from pathlib import Path
folder = Path({str(cache_dir)!r})
with open(folder / "rest", "wb", buffering=0) as file:
    try:
        while file.write(bytes(4096)):
            pass
    except OSError as error:
        print(error.strerror)
for _ in range(2):
    function = compile_add()
    check(function, 1.0)
    print(function.cached)
print([path for path in folder.rglob("*") if path.is_file() and path.name not in ("rest", ".events")])
(folder / "rest").unlink()
print([compile_add().cached for _ in range(2)])
"""
    command = mounted(f"mount -t tmpfs -o size=128k,mode=700 none {cache_dir}", cache_dir)
    assert run(*command, code=code).splitlines() == [
        "No space left on device",
        "False",
        "False",
        "[]",
        "[False, True]",
    ]


def test_a_folder_that_vanishes(cache_dir):
    """The file system fails as one on a network does: compiles go on."""
    compile_add(1.0)
    shutil.rmtree(cache_dir)
    assert not compile_add(1.0).cached
    assert compile_add(1.0).cached


WRITE = """
import sys
from cache_kernels import check, compile_add
for c in range(12):
    function = compile_add(float(c))
    check(function, float(c))
"""


def test_writers_at_once(cache_dir):
    """Processes that all compile the same: one entry each, and every one whole."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
    }
    running = [
        subprocess.Popen([sys.executable, "-c", WRITE], env=environment, stderr=subprocess.PIPE)
        for _ in range(6)
    ]
    for process in running:
        _, said = process.communicate()
        assert process.returncode == 0, said.decode()
    assert len(files(cache_dir, "programs")) == 12
    assert all(compile_add(float(c)).cached for c in range(12))


def test_shipped_folder_on_a_read_only_file_system(tmp_path, cache_dir):
    """Filled at one place, moved, mounted so that nobody can write it, and nothing may be compiled."""
    compile_add(1.0), compile_add(2.0)
    shipped = tmp_path / "image" / "cache"
    shipped.parent.mkdir()
    cache_dir.rename(shipped)
    command = mounted(
        f"mount --bind {shipped} {shipped} && mount -o remount,bind,ro {shipped}", shipped
    )
    never = {"FAIRLEAD_CACHE_SHARED": str(shipped), "FAIRLEAD_NEVER_COMPILE": "1"}
    assert run(*command, **never) == "True\nTrue\n"
    assert not files(cache_dir)
    own = {"FAIRLEAD_CACHE_DIR": str(shipped), "FAIRLEAD_NEVER_COMPILE": "1"}
    assert run(*command, **own) == "True\nTrue\n", "as the own folder too"
    missing = run(*command, code=USE.replace("(1.0, 2.0)", "(9.0,)"), **never)
    assert "is not in the cache" in missing and str(shipped) in missing, missing
