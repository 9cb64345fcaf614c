"""The bytes do not depend on day and machine: date, host, user, folders, language, seeds and processor differ."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = """
import sys
from pathlib import Path
from fairlead import Float32, bundles, cute
from fairlead.utils import SmemAllocator

@cute.kernel
def scale_kernel(x: cute.Tensor, y: cute.Tensor, s: Float32):
    tile = SmemAllocator().allocate_tensor(Float32, 64)
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        tile[cute.arch.thread_idx()[0]] = x[i]
        y[i] = cute.math.exp(tile[cute.arch.thread_idx()[0]]) * s
        if x[i] < 0.0:
            cute.printf("%d", i)

@cute.jit
def scale(x: cute.Tensor, y: cute.Tensor, s: Float32 = 2.0, stream=None):
    scale_kernel(x, y, s).launch(grid=cute.ceil_div(x.shape[0], 64), block=64, stream=stream)

folder = Path(sys.argv[1])
vector = cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),))
for name, targets in (("cpu", "cpu"), ("all", "cuda:sm_80,cuda:sm_90a,ptx:compute_90,cpu"), ("arm", "cpu")):
    host = "--host-target aarch64-unknown-linux-gnu" if name == "arm" else ""
    f = cute.compile(scale, vector, vector, Float32, cute.runtime.make_fake_stream(),
                     options=f"--target {targets} {host}")
    assert not f.cached
    f.export_to_c(folder / f"{name}.o", function_name=name)
    f.export_to_c(file_path=folder, file_name=f"plain_{name}")
inputs = [folder / name for name in ("all.o", "plain_cpu.o", "cpu.o", "plain_all.o")]
bundles.bundle(inputs[::-1] if sys.argv[2:] else inputs, folder / "libkernels.so")
"""

# The date of every clock that a program can ask.
DATE = """
#include <sys/time.h>
#include <time.h>
#define THEN 1900000000
time_t time(time_t *to) { if (to) *to = THEN; return THEN; }
int gettimeofday(struct timeval *to, void *zone) { (void)zone; to->tv_sec = THEN; to->tv_usec = 7; return 0; }
"""


def export(folder, *before, order=(), **environment):
    """The files that a process writes, with their contents."""
    out = folder / "out"
    out.mkdir(parents=True)
    program = folder / "program.py"
    program.write_text(SOURCE)
    done = subprocess.run(
        [*before, sys.executable, program, out, *order],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def test_all_files(tmp_path):
    first = export(tmp_path / "first", PYTHONHASHSEED="1")
    (tmp_path / "date.c").write_text(DATE)
    date = tmp_path / "date.so"
    subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "date.c", "-o", date], check=True)
    elsewhere = tmp_path / "a longer name" / "é"
    (tmp_path / "home").mkdir()
    host = ["unshare", "--uts", "sh", "-c", 'hostname elsewhere && exec "$@"', "sh"]
    if subprocess.run([*host, "true"], capture_output=True).returncode:
        host = []
    addresses = ["setarch", "-R"] if shutil.which("setarch") else []
    second = export(
        elsewhere,
        *host,
        *addresses,
        order=["reversed"],
        LD_PRELOAD=str(date),
        PYTHONHASHSEED="77",
        HOME=str(tmp_path / "home"),
        USER="somebody",
        TZ="Pacific/Chatham",
        LANG="C",
        LC_ALL="C",
        TMPDIR=str(tmp_path / "home"),
        FAIRLEAD_NUM_THREADS="3",
        FAIRLEAD_CPU_LEVEL="1",
    )
    assert list(first) == list(second) and len(first) == 12
    assert [name for name in first if first[name] != second[name]] == []
    for name, content in first.items():  # guards name the source's file, without its folder
        for told in (str(tmp_path), str(Path.home())):
            assert told.encode() not in content, f"{name} tells {told}"


@pytest.mark.usefixtures("cache_dir")
def test_cached_or_not(tmp_path, monkeypatch):
    """A function of the cache is exported as the one that filled it; with a folder full of other entries too."""
    source = SOURCE.replace("    assert not f.cached\n", "")
    contents = []
    for index in range(2):
        folder = tmp_path / str(index)
        folder.mkdir()
        (tmp_path / "program.py").write_text(source + "print(f.cached)\n")
        done = subprocess.run(
            [sys.executable, tmp_path / "program.py", folder],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
        )
        assert done.stdout == f"{bool(index)}\n", done.stderr
        contents.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert contents[0] == contents[1]
