"""Exports that cannot be made: the error, and the files that remain."""

import os
import subprocess
import sys
import threading

import aot_kernels
import pytest

import fairlead
from fairlead import cute


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


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"path": 3}, TypeError, "function_prefix\\), but got path of type int"),
        ({"path": "f.o", "function_name": 3}, TypeError, "but got function_name of type int"),
        ({"file_path": 1.5, "file_name": "f"}, TypeError, "but got file_path of type float"),
        ({"file_path": ".", "file_name": b"f"}, TypeError, "but got file_name of type bytes"),
        ({"file_path": ".", "file_name": "f", "function_prefix": 3}, TypeError, "function_prefix of type int"),
        ({"path": "f\0.o"}, RuntimeError, r"cannot write `f\\x00.o`: path holds a null character"),
        ({"file_path": ".", "file_name": "f\0"}, RuntimeError, "file_name holds a null character"),
        ({"path": "../."}, RuntimeError, "cannot write `../.`: "),
    ],
)  # fmt: skip
def test_arguments_that_name_no_file(compiled, tmp_path, monkeypatch, arguments, kind, text):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=text):
        compiled.export_to_c(**arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_path_of_bytes(compiled, tmp_path):
    compiled.export_to_c(os.fsencode(tmp_path / "é.o"))
    assert list(tmp_path.iterdir()) == [tmp_path / "é.o"]


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
    """A limit stops the file in the middle, as a full disk does; the old file stays."""
    (tmp_path / "f.o").write_text("before")
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path, here], capture_output=True, text=True
    )
    assert done.stdout.count("cannot write `") == 2 and "File too large" in done.stdout, done
    assert [path.name for path in tmp_path.iterdir()] == ["f.o"]
    assert (tmp_path / "f.o").read_text() == "before"


FULL_DISK = """
import os, sys
sys.path.insert(0, sys.argv[2])
import aot_kernels
compiled = aot_kernels.compiled_add_one()
disk = sys.argv[1]
with open(disk + "/f.o", "w") as file:
    file.write("before")
with open(disk + "/rest", "wb", buffering=0) as file:
    try:
        while file.write(bytes(4096)):
            pass
    except OSError as error:
        print(error.strerror)
with open(disk + "/rest", "r+b") as file:
    file.truncate(os.path.getsize(disk + "/rest") - 4096)  # room for less than an object
for arguments in ({"path": disk + "/f.o"}, {"file_path": disk, "file_name": "f"}):
    try:
        compiled.export_to_c(**arguments)
    except RuntimeError as error:
        print(error)
print(sorted(os.listdir(disk)), open(disk + "/f.o").read())
os.remove(disk + "/rest")
compiled.export_to_c(file_path=disk, file_name="f")
print(sorted(os.listdir(disk)))
"""


def test_full_disk(tmp_path):
    """A file system of 64 KB, in a mount namespace of its own."""
    disk, here = tmp_path / "disk", os.path.dirname(os.path.abspath(__file__))
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=64k none {disk}"
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True).returncode:
        pytest.skip("only root mounts a file system")
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh", sys.executable, "-c",
         FULL_DISK, disk, here],
        capture_output=True, text=True,
    )  # fmt: skip
    full = "No space left on device"
    assert done.stdout.splitlines() == [
        full,
        f"cannot write `{disk}/f.o`: {full}",
        f"cannot write `{disk}/f.o`: {full}",
        "['f.o', 'rest'] before",
        "['f.h', 'f.o']",
    ], done.stdout + done.stderr


def test_a_file_system_that_is_only_read(tmp_path):
    here = os.path.dirname(os.path.abspath(__file__))
    mount = f"mount --bind {tmp_path} {tmp_path} && mount -o remount,bind,ro {tmp_path}"
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True).returncode:
        pytest.skip("only root mounts a file system")
    program = (
        f"import sys; sys.path.insert(0, {here!r})\nimport aot_kernels\n"
        "for path in (sys.argv[1] + '/f.o',):\n"
        "    try: aot_kernels.compiled_add_one().export_to_c(path)\n"
        "    except RuntimeError as error: print(error)\n"
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh", sys.executable, "-c", program,
         tmp_path],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == f"cannot write `{tmp_path}/f.o`: Read-only file system\n", done.stderr


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
import aot_kernels
function = getattr(aot_kernels, sys.argv[3])()
for _ in range(12):
    function.export_to_c(file_path=sys.argv[1], file_name="f", function_prefix="f")
    function.export_to_c(sys.argv[1] + "/g.o", function_name="g")
"""


def test_processes_that_write_one_file(tmp_path):
    """Whenever a reader looks, an object is whole."""
    here = os.path.dirname(os.path.abspath(__file__))
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, here, name])
        for name in ("compiled_add_one", "compiled_scale") * 2
    ]
    looks = 0
    while any(writer.poll() is None for writer in writers):
        for name in ("f.o", "g.o"):
            if (tmp_path / name).exists():
                looks += 1
                module = cute.runtime.load_module(
                    _copy(tmp_path / name, tmp_path.parent / "look.o")
                )
                assert {"f", "g"} & set(dir(module))
    assert [writer.returncode for writer in writers] == [0] * 4
    assert looks > 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.h", "f.o", "g.o"]


def _copy(path, to):
    to.write_bytes(path.read_bytes())
    return to


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
    class Custom:
        pass

    @cute.jit
    def f(a: cute.Tensor, config):
        pass

    with pytest.raises(TypeError, match="config"):
        cute.compile(f, aot_kernels.vector(4), Custom(), options="--target cpu")


def test_custom_types_with_a_protocol_are_not_exported(tmp_path):
    """They compile, for calls from this process."""
    import ctypes

    class Offset:
        def __init__(self, value):
            self.value = value

        def __c_pointers__(self):
            self.memory = ctypes.c_int32(self.value)
            return [ctypes.cast(ctypes.pointer(self.memory), ctypes.c_void_p).value]

        def __get_mlir_types__(self):
            return [fairlead.Int32]

        def __new_from_mlir_values__(self, values):
            return Offset(values[0])

    @cute.kernel
    def device(a: cute.Tensor, offset: fairlead.Int32):
        a[0] = a[0] + offset

    @cute.jit
    def f(a: cute.Tensor, offset):
        device(a, offset.value).launch(grid=1, block=1)

    compiled = cute.compile(f, aot_kernels.vector(4), Offset(2), options="--target cpu")
    with pytest.raises(TypeError, match="parameter `offset` is of a custom type"):
        compiled.export_to_c(file_path=tmp_path, file_name="f")
    assert list(tmp_path.iterdir()) == []
