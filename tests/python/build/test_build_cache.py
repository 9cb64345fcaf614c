"""Changes that cause a new build, changes that do not, and processes that build at the same time or die."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from support.build_support import compiled, entries, plain
from support.thinned import crossed

from fairlead.cli import main
from fairlead.ffi import cpp
from fairlead.ffi.cpp import _cache


def test_header_edits_rebuild(tmp_path, build_cache):
    header = tmp_path / "value.h"
    source = f'#include "{header}"\n' + plain("value", "VALUE")
    header.write_text("#define VALUE 1\n")
    first = cpp.load_inline("header", cpp_sources=source)
    header.write_text("#define VALUE 2\n")
    second = cpp.load_inline("header", cpp_sources=source)
    assert (first.value(), second.value()) == (1, 2)
    assert len(entries(build_cache)) == 1


def test_edits_that_keep_size_and_time_rebuild(tmp_path):
    header = tmp_path / "value.h"
    source = f'#include "{header}"\n' + plain("value", "VALUE")
    for value in (1, 2, 3):
        header.write_text(f"#define VALUE {value}\n")
        os.utime(header, (1_000_000_000, 1_000_000_000))
        assert cpp.load_inline("restored", cpp_sources=source).value() == value


def test_a_touched_header_does_not_rebuild(tmp_path, build_cache):
    header = tmp_path / "value.h"
    header.write_text("#define VALUE 1\n")
    time.sleep(0.05)  # A file changed while a build runs would not count as known.
    source = f'#include "{header}"\n' + plain("value", "VALUE")
    paths = {cpp.build_inline("touched", cpp_sources=source)}
    made = compiled(build_cache)
    os.utime(header)
    paths.add(cpp.build_inline("touched", cpp_sources=source))
    assert compiled(build_cache) == made and len(paths) == 1


def test_a_removed_header_is_no_obstacle(tmp_path):
    header, other = tmp_path / "value.h", tmp_path / "other.h"
    source = tmp_path / "source.cpp"
    header.write_text(f'#include "{other}"\n')
    other.write_text("#define VALUE 1\n")
    source.write_text(f'#include "{header}"\n' + plain("value", "VALUE"))
    assert cpp.load("removed", sources=[source]).value() == 1
    other.unlink()
    header.write_text("#define VALUE 2\n")
    assert cpp.load("removed", sources=[source]).value() == 2


def test_only_changed_files_are_compiled(tmp_path, build_cache):
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.cpp").write_text(plain(name, 1))
    sources = [str(tmp_path / f"{name}.cpp") for name in ("a", "b", "c")]
    time.sleep(0.05)
    assert cpp.load("files", sources=sources).b() == 1
    made = compiled(build_cache)
    assert made == 4
    (tmp_path / "b.cpp").write_text(plain("b", 20))
    module = cpp.load("files", sources=sources)
    assert (module.a(), module.b(), module.c()) == (1, 20, 1)
    # The log keeps the last run of each output.
    log = next(build_cache.rglob(".ninja_log")).read_text().splitlines()[1:]
    times = {line.split("\t")[3]: int(line.split("\t")[2]) for line in log}
    assert times["1_b.cpp.o"] > times["0_a.cpp.o"] and times["1_b.cpp.o"] > times["2_c.cpp.o"]


def test_a_changed_archive_links_again(tmp_path, build_cache):
    source, library = tmp_path / "lib.cpp", tmp_path / "lib.o"
    use = "extern int given();\n" + plain("use", "given()")
    for value in (1, 2):
        source.write_text(f"int given() {{ return {value}; }}")
        subprocess.run(["g++", "-fPIC", "-c", source, "-o", library], check=True)
        module = cpp.load_inline("archive", cpp_sources=use, extra_ldflags=[str(library)])
        assert module.use() == value


def test_a_damaged_manifest_is_ignored(build_cache):
    path = cpp.build_inline("damaged", cpp_sources=plain("f", 1))
    manifest = next(build_cache.glob("*/manifest.json"))
    for content in ("", "[]", "{}", '{"key": 1}', '{"key": "", "result": "", "files": []}', "\0"):
        manifest.write_text(content)
        assert cpp.build_inline("damaged", cpp_sources=plain("f", 1)) == path


@pytest.mark.parametrize("harm, where", crossed(
    ["truncate", "flip", "overwrite", "empty"], ["result", "everything"]
))  # fmt: skip
def test_a_damaged_result_is_made_again(build_cache, harm, where):
    """Whatever happened to the library, and to the objects that it was linked from."""
    source = plain("value", 41)
    path = cpp.build_inline("harmed", cpp_sources=source)
    content = open(path, "rb").read()
    harmed = [path]
    if where == "everything":
        harmed = [p for p in build_cache.rglob("*") if p.suffix in (".o", ".so")]
    for each in harmed:
        data = bytearray(open(each, "rb").read())
        data[len(data) // 2] ^= 1
        with open(each, "r+b") as file:
            if harm == "flip":
                file.write(data)
            elif harm == "overwrite":
                file.write(b"x" * len(data))
            else:
                file.truncate(0 if harm == "empty" else len(data) // 2)
    assert main(["cache", "verify"]) == 1
    again = cpp.build_inline("harmed", cpp_sources=source)
    assert open(again, "rb").read() == content
    assert main(["cache", "verify"]) == 0
    assert cpp.load_inline("harmed", cpp_sources=source).value() == 41


def test_a_damaged_copy_is_made_again(tmp_path):
    """The file that a caller named: of the right size and time, it is not taken for whole."""
    wanted = tmp_path / "wanted.so"
    arguments = {"cpp_sources": plain("value", 3), "output": str(wanted)}
    assert cpp.build_inline("copied", **arguments) == str(wanted)
    content, status = wanted.read_bytes(), wanted.stat()
    wanted.write_bytes(content[:-8] + b"?" * 8)
    os.utime(wanted, ns=(status.st_atime_ns, status.st_mtime_ns))
    cpp.build_inline("copied", **arguments)
    assert wanted.read_bytes() == content


@pytest.mark.parametrize("result", ["../elsewhere.so", "/etc/passwd", "0123456789abcdef/f.so", ""])
def test_a_manifest_names_no_other_file(build_cache, result):
    source = plain("value", 5)
    path = cpp.build_inline("named", cpp_sources=source)
    (folder,) = entries(build_cache)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "result": result}))
    assert cpp.build_inline("named", cpp_sources=source) == path


def test_a_missing_result_is_made_again(build_cache):
    path = cpp.build_inline("gone", cpp_sources=plain("f", 1))
    os.remove(path)
    assert cpp.build_inline("gone", cpp_sources=plain("f", 1)) == path
    assert os.path.exists(path)


def test_few_results_are_kept(tmp_path, build_cache):
    header = tmp_path / "value.h"
    source = f'#include "{header}"\n' + plain("value", "VALUE")
    for value in range(6):
        header.write_text(f"#define VALUE {value}\n")
        assert cpp.load_inline("kept", cpp_sources=source).value() == value
    folder = entries(build_cache)[0]
    assert len([path for path in folder.iterdir() if len(path.name) == 16]) == 4


# A shell that runs tests in the background has them ignore SIGINT.
_BUILD = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from fairlead.cli import main
from fairlead.ffi import cpp
from fairlead.ffi.cpp import _cache
_cache._STOPPED_AFTER = float(sys.argv[2])
print(cpp.load_inline("shared", cpp_sources=sys.argv[1]).f())
"""


def start(source: str, wait: float = 60) -> subprocess.Popen:
    """`wait`: seconds for a process that shows no life."""
    command = [sys.executable, "-c", _BUILD, source, str(wait)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.fixture
def slow_compiler(tmp_path, monkeypatch):
    """A C++ compiler that counts its runs in a file, and waits while another file is there."""
    runs, hold = tmp_path / "runs", tmp_path / "hold"
    compiler = tmp_path / "slowcxx"
    compiler.write_text(
        f'#!/bin/sh\nif [ "$1" != --version ]; then echo run >> {runs}\n'
        f'while [ -e {hold} ]; do sleep 0.05; done; fi\nexec g++ "$@"\n'
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))

    class Control:
        def hold(self) -> None:
            hold.touch()

        def release(self) -> None:
            hold.unlink(missing_ok=True)

        def runs(self) -> int:
            return len(runs.read_text().splitlines()) if runs.exists() else 0

        def wait_for_run(self, count: int = 1) -> None:
            deadline = time.monotonic() + 60
            while self.runs() < count:
                assert time.monotonic() < deadline
                time.sleep(0.02)

    return Control()


def test_processes_share_one_build(slow_compiler):
    slow_compiler.hold()
    processes = [start(plain("f", 11)) for _ in range(3)]
    slow_compiler.wait_for_run()
    time.sleep(0.3)
    slow_compiler.release()
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (out, process.returncode) == ("11\n", 0), err
    assert slow_compiler.runs() == 2  # one compile, one link


def test_threads_share_one_build(slow_compiler):
    results = []
    build = lambda: results.append(  # noqa: E731
        cpp.load_inline("threads", cpp_sources=plain("f", 12)).f()
    )
    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [12] * 4 and slow_compiler.runs() == 2


def test_a_stopped_process_is_not_waited_for(slow_compiler, monkeypatch, build_cache):
    """A second process cannot start at the same time. The stopped one may go on later without harm."""
    monkeypatch.setattr(_cache, "_STOPPED_AFTER", 2.0)
    slow_compiler.hold()
    stopped = []
    for count in (1, 2):
        stopped.append(start(plain("f", 15), wait=2.0))
        slow_compiler.wait_for_run(count)
        stopped[-1].send_signal(signal.SIGSTOP)
    slow_compiler.release()
    assert cpp.load_inline("shared", cpp_sources=plain("f", 15)).f() == 15
    for process in stopped:
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=120)
        assert (out, process.returncode) == ("15\n", 0), err
    assert main(["cache", "verify"]) == 0
    (folder,) = entries(build_cache)
    assert {path.name for path in folder.glob("lock*")} == {"lock", "lock-1", "lock-2"}


def test_a_long_build_is_waited_for(slow_compiler, monkeypatch):
    monkeypatch.setattr(_cache, "_STOPPED_AFTER", 2.0)
    slow_compiler.hold()
    process = start(plain("f", 16))
    slow_compiler.wait_for_run()
    timer = threading.Timer(5, slow_compiler.release)
    timer.start()
    assert cpp.load_inline("shared", cpp_sources=plain("f", 16)).f() == 16
    timer.join()
    out, err = process.communicate(timeout=120)
    assert (out, process.returncode) == ("16\n", 0), err
    assert slow_compiler.runs() == 2


@pytest.mark.parametrize("whole", [False, True], ids=["builder", "with its compilers"])
def test_a_killed_build_leaves_nothing_broken(slow_compiler, build_cache, whole):
    slow_compiler.hold()
    process = start(plain("f", 13))
    slow_compiler.wait_for_run()
    if whole:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()  # ninja and the compiler go on, and will write into the abandoned folder
    process.communicate()
    assert not list(build_cache.glob("*/manifest.json"))
    other = start(plain("f", 13))
    time.sleep(0.3)
    slow_compiler.release()
    out, err = other.communicate(timeout=120)
    assert out == "13\n", err
    assert cpp.load_inline("shared", cpp_sources=plain("f", 13)).f() == 13


def test_an_interrupted_build_ends_its_compilers(slow_compiler):
    slow_compiler.hold()
    process = start(plain("f", 14))
    slow_compiler.wait_for_run()
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    with pytest.raises(ProcessLookupError):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            os.killpg(process.pid, 0)  # The group lives while ninja or a compiler does.
            time.sleep(0.05)


def test_a_header_edited_during_the_build_is_seen_next(slow_compiler, tmp_path):
    header = tmp_path / "value.h"
    header.write_text("#define VALUE 1\n")
    source = f'#include "{header}"\n' + plain("f", "VALUE")
    slow_compiler.hold()
    process = start(source)
    slow_compiler.wait_for_run()
    time.sleep(0.05)
    header.write_text("#define VALUE 2\n")
    slow_compiler.release()
    out, err = process.communicate(timeout=120)
    assert out == "2\n", err
    runs = slow_compiler.runs()
    assert cpp.load_inline("shared", cpp_sources=source).f() == 2
    assert slow_compiler.runs() > runs  # Which of the two the compiler read cannot be known.
