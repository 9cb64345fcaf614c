"""Exports that cannot be made: what they say, and what they leave."""

import os
import subprocess
import sys
import threading

import aot_kernels
import pytest


@pytest.fixture(scope="module")
def compiled():
    return aot_kernels.compiled_add_one()


def test_a_file_where_a_folder_should_be(compiled, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RuntimeError, match="not a directory"):
        compiled.export_to_c(file_path=tmp_path / "file", file_name="f")


def test_a_folder_that_is_far(compiled, tmp_path):
    with pytest.raises(RuntimeError, match="No such file or directory"):
        compiled.export_to_c(file_path=tmp_path / "no" / "where", file_name="f")


@pytest.mark.parametrize("prefix", ["", "9lives", "a-b", "a b", "ä"])
def test_prefixes_that_are_no_names(compiled, tmp_path, prefix):
    with pytest.raises(ValueError, match="a function name is a C identifier"):
        compiled.export_to_c(file_path=tmp_path, file_name="f", function_prefix=prefix)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "a/b", "../f"])
def test_file_names_with_folders(compiled, tmp_path, name):
    with pytest.raises(ValueError, match="file_name is a name without a folder"):
        compiled.export_to_c(file_path=tmp_path, file_name=name, function_prefix="f")


FULL = """
import resource, signal, sys
sys.path.insert(0, sys.argv[2])
import aot_kernels
compiled = aot_kernels.compiled_add_one()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for arguments in ({"path": sys.argv[1] + "/f.o"}, {"file_path": sys.argv[1], "file_name": "f"}):
    try:
        compiled.export_to_c(**arguments)
    except RuntimeError as error:
        print(error)
"""


def test_no_room(tmp_path):
    """As a full disk does, a limit stops the file in the middle; what was there stays."""
    (tmp_path / "f.o").write_text("before")
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path, here], capture_output=True, text=True
    )
    assert done.stdout.count("cannot write `") == 2 and "File too large" in done.stdout, done
    assert [path.name for path in tmp_path.iterdir()] == ["f.o"]
    assert (tmp_path / "f.o").read_text() == "before"


def test_two_exports_to_one_file(compiled, tmp_path):
    other = aot_kernels.compiled_scale()
    failures = []

    def work(function):
        try:
            for _ in range(10):
                function.export_to_c(file_path=tmp_path, file_name="f", function_prefix="f")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f,)) for f in (compiled, other) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.h", "f.o"]
    subprocess.run(["gcc", "-shared", tmp_path / "f.o", "-o", tmp_path / "f.so"], check=True)


def test_custom_types_are_refused_by_name():
    from fairlead import cute

    class Custom:
        pass

    @cute.jit
    def f(a: cute.Tensor, config):
        pass

    with pytest.raises(TypeError, match="config"):
        cute.compile(f, aot_kernels.vector(4), Custom(), options="--target cpu")
