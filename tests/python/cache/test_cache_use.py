"""When a compile is answered by the cache, and when it must not be."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from cache_kernels import add, check, compile_add, files, vectors

from fairlead import Float16, Float32, Int32, cute

pytestmark = pytest.mark.usefixtures("cache_dir")


def test_second_compile_is_a_hit(cache_dir):
    first, second = compile_add(), compile_add()
    assert (first.cached, second.cached) == (False, True)
    assert len(files(cache_dir, "programs")) == 1
    assert first.artifact.object == second.artifact.object
    assert {"trace", "cache"} <= set(second.phases) <= {"trace", "cache", "load"}
    for function in (first, second):
        check(function, 1.0)
    assert str(first.signature) == str(second.signature)
    assert first.ir == second.ir


def test_a_hit_can_be_exported(tmp_path):
    compile_add().export_to_c(tmp_path / "first.o", function_name="f")
    again = compile_add()
    assert again.cached
    again.export_to_c(tmp_path / "second.o", function_name="f")
    assert (tmp_path / "first.o").read_bytes() == (tmp_path / "second.o").read_bytes()


def test_cuda_hit_has_its_ptx():
    first = compile_add(options="--target cuda:sm_90a")
    second = compile_add(options="--target cuda:sm_90a")
    assert second.cached and second.ptx == first.ptx and ".target sm_90a" in second.ptx


@pytest.mark.parametrize("target", ["cuda:sm_90a", "cuda:sm_80,ptx:compute_90,cpu", "cpu:any"])
def test_a_hit_does_nothing_but_trace_and_load(monkeypatch, target):
    """A hit does not lower, optimise, translate to PTX or assemble, so FAIRLEAD_NEVER_COMPILE allows it."""
    first = compile_add(options=f"--target {target}")
    monkeypatch.setenv("FAIRLEAD_NEVER_COMPILE", "1")
    second = compile_add(options=f"--target {target}")
    assert second.cached and set(first.phases) > {"trace", "cache", "lower"}
    assert set(second.phases) <= {"trace", "cache", "load"}, second.phases


def test_direct_calls_use_it(monkeypatch):
    def run():
        function = cute.jit(add.function)  # a new one: it remembers what it has compiled
        a, b = np.ones(8, np.float32), np.zeros(8, np.float32)
        function(a, b, 5.0)
        np.testing.assert_array_equal(b, 6)
        (compiled,) = function.compiled
        return compiled.cached, set(compiled.phases) <= {"trace", "cache", "load"}

    assert run() == (False, False)
    monkeypatch.setenv("FAIRLEAD_NEVER_COMPILE", "1")
    assert run() == (True, True)


def new_process(code, **environment):
    # From a file: functions are traced from their source.
    text = "import sys\n" + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


USE = """
from cache_kernels import check, compile_add
function = compile_add()
check(function, 1.0)
print(function.cached)
"""


def test_other_processes_hit():
    assert new_process(USE).stdout == "False\n"
    assert new_process(USE).stdout == "True\n"


# --- Everything that changes the code changes the key: each of these differs from the plain compile in one thing.


@cute.kernel
def subtract_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        b[i] = a[i] - c


@cute.jit
def other_body(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    subtract_kernel(a, b, c).launch(grid=((a.shape[0] + 63) // 64, 1, 1), block=(64, 1, 1))


@cute.jit
def other_names(x: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    subtract_kernel(x, b, c).launch(grid=((x.shape[0] + 63) // 64, 1, 1), block=(64, 1, 1))


@cute.jit
def other_block(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    subtract_kernel(a, b, c).launch(grid=((a.shape[0] + 31) // 32, 1, 1), block=(32, 1, 1))


@cute.jit
def same_name_and_body(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    subtract_kernel(a, b, c).launch(grid=((a.shape[0] + 63) // 64, 1, 1), block=(64, 1, 1))


def fakes(shape=None, **how):
    make = cute.runtime.make_fake_compact_tensor
    shape = shape or (cute.sym_int(),)
    return make(Float32, shape, **how), make(Float32, shape, **how), 1.0


def two_symbols():
    make = cute.runtime.make_fake_compact_tensor
    return make(Float32, (cute.sym_int(),)), make(Float32, (cute.sym_int(),)), 1.0


def strided(stride):
    n = cute.sym_int()
    tensor = cute.runtime.make_fake_tensor(Float32, (n,), stride=(stride,))
    return tensor, cute.runtime.make_fake_tensor(Float32, (n,), stride=(1,)), 1.0


FLIPS = {
    "body": lambda: cute.compile(other_body, *fakes(), options="--target cpu"),
    "parameter name": lambda: cute.compile(other_names, *fakes(), options="--target cpu"),
    "launch": lambda: cute.compile(other_block, *fakes(), options="--target cpu"),
    "function name": lambda: cute.compile(same_name_and_body, *fakes(), options="--target cpu"),
    "constant": lambda: compile_add(2.0),
    "dtype": lambda: cute.compile(add, *vectors(Float16), 1.0, options="--target cpu"),
    "integer dtype": lambda: cute.compile(add, *vectors(Int32), 1, options="--target cpu"),
    "static shape": lambda: cute.compile(add, *fakes((64,)), options="--target cpu"),
    "other static shape": lambda: cute.compile(add, *fakes((128,)), options="--target cpu"),
    "divisibility": lambda: cute.compile(
        add, *fakes((cute.sym_int(divisibility=16),)), options="--target cpu"
    ),
    "64-bit extents": lambda: cute.compile(add, *fakes((cute.sym_int64(),)), options="--target cpu"),
    "alignment": lambda: cute.compile(
        add, *fakes(assumed_align=64), options="--target cpu"
    ),
    "symbols not shared": lambda: cute.compile(add, *two_symbols(), options="--target cpu"),
    "strides": lambda: cute.compile(add, *strided(2), options="--target cpu"),
    "other strides": lambda: cute.compile(add, *strided(3), options="--target cpu"),
    "optimisation": lambda: compile_add(options="--target cpu --opt-level 1"),
    "processor": lambda: compile_add(options="--target cpu:x86-64"),
    "other processor": lambda: compile_add(options="--target cpu:x86-64-v3"),
    "architecture": lambda: compile_add(options="--target cuda:sm_80"),
    "other architecture": lambda: compile_add(options="--target cuda:sm_90"),
    "feature suffix": lambda: compile_add(options="--target cuda:sm_90a"),
    "PTX alone": lambda: compile_add(options="--target ptx:compute_90"),
    "several targets": lambda: compile_add(options="--target ptx:compute_90,cpu"),
    "their order": lambda: compile_add(options="--target cpu,ptx:compute_90"),
    "host": lambda: compile_add(options="--target cpu --host-target linux-aarch64"),
    "processor of the host": lambda: compile_add(
        options="--target cpu --host-target 'llvm -mtriple=aarch64-unknown-linux-gnu -mcpu=neoverse-n1'"
    ),
    "features of the host": lambda: compile_add(
        options="--target cpu --host-target 'llvm -mtriple=aarch64-unknown-linux-gnu -mattr=+sve'"
    ),
}  # fmt: skip


def test_every_flip_misses(cache_dir):
    assert not compile_add().cached
    for name, make in FLIPS.items():
        before = len(files(cache_dir, "programs"))
        assert not make().cached, f"{name}: answered with the code of another program"
        # An entry with another machine's tools leads machines without them there.
        added = 2 if name in ("several targets", "their order") else 1
        assert len(files(cache_dir, "programs")) == before + added, name
    for name, make in FLIPS.items():
        assert make().cached, f"{name}: its own entry is not found"
    assert compile_add().cached


@cute.kernel
def exp_kernel(a: cute.Tensor, b: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    b[i] = cute.math.exp(a[i])


@cute.jit
def exponential(a: cute.Tensor, b: cute.Tensor):
    exp_kernel(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))


def test_libdevice_is_part_of_the_key(tmp_path, monkeypatch):
    found = [*Path("/usr/local/cuda/nvvm/libdevice").glob("libdevice.*.bc")]
    if not found:
        pytest.skip("no libdevice")
    first, second = tmp_path / "first.bc", tmp_path / "second.bc"
    content = found[0].read_bytes()
    first.write_bytes(content)
    second.write_bytes(content + bytes(4))  # bitcode may be padded

    def make(path):
        monkeypatch.setenv("FAIRLEAD_LIBDEVICE", str(path))
        return cute.compile(exponential, *vectors(), options="--target cuda:sm_80").cached

    assert [make(first), make(second), make(first), make(second)] == [False, False, True, True]
    os.replace(second, first)
    assert make(first), "by content, wherever the file lies"
    monkeypatch.delenv("FAIRLEAD_LIBDEVICE")
    options = "--target cpu"
    assert [cute.compile(exponential, *vectors(), options=options).cached for _ in range(2)] == [
        False,
        True,
    ]


def test_assembler_is_part_of_the_key_of_machine_code(tmp_path, monkeypatch):
    tool = tmp_path / "ptxas"

    def make():
        return compile_add(options="--target cuda:sm_80,cuda:sm_90").cached

    monkeypatch.setenv("FAIRLEAD_PTXAS", str(tool))
    assert [make(), make()] == [False, True]
    tool.write_bytes(b"no library")
    assert [make(), make()] == [False, True]


def test_build_of_the_compiler_is_part_of_the_key(package_dir, tmp_path):
    """A second build is an equal library with another id."""
    library = package_dir / "lib" / "libfairlead.so"
    text = subprocess.run(
        ["readelf", "-n", str(library)], capture_output=True, text=True, check=True
    ).stdout
    (build,) = [line.split()[-1] for line in text.splitlines() if "Build ID" in line]
    data = library.read_bytes()
    assert data.count(bytes.fromhex(build)) == 1
    (tmp_path / "other").mkdir()
    other = bytes.fromhex(build)[::-1]
    (tmp_path / "other" / "libfairlead.so").write_bytes(data.replace(bytes.fromhex(build), other))
    folder = {"LD_LIBRARY_PATH": str(tmp_path / "other")}
    assert new_process(USE).stdout == "False\n"
    assert new_process(USE).stdout == "True\n"
    changed = new_process(USE, **folder)
    assert changed.stdout == "False\n", changed.stderr
    assert new_process(USE, **folder).stdout == "True\n"
    assert new_process(USE).stdout == "True\n", "both builds keep theirs"


# --- Turning it off, and insisting on it.


@pytest.mark.parametrize("name", ["FAIRLEAD_NO_CACHE", "CUTE_DSL_DISABLE_FILE_CACHING"])
def test_turned_off(name, monkeypatch, cache_dir):
    monkeypatch.setenv(name, "1")
    assert not compile_add().cached and not compile_add().cached
    assert not files(cache_dir)


def test_no_cache_for_one_compile(cache_dir):
    assert not compile_add(no_cache=True).cached
    assert not compile_add(options="--target cpu --no-cache").cached
    assert not files(cache_dir)
    compile_add()
    assert compile_add().cached and not compile_add(no_cache=True).cached


def test_targets_as_a_parameter_of_the_function():
    @cute.jit
    def f(a: cute.Tensor, targets: cute.Constexpr):
        pass

    make = cute.runtime.make_fake_compact_tensor
    compiled = cute.compile(f, make(Float32, (4,)), targets=3, options="--target cpu")
    assert str(compiled.target) == "cpu"


def test_never_compile(monkeypatch, cache_dir):
    compile_add()
    monkeypatch.setenv("FAIRLEAD_NEVER_COMPILE", "1")
    check(compile_add(), 1.0)
    with pytest.raises(RuntimeError) as caught:
        compile_add(3.0)
    message = str(caught.value)
    assert "add(a: Tensor([n0], float32), b: Tensor([n0], float32))` for cpu" in message
    assert str(cache_dir / "programs") in message and "FAIRLEAD_NEVER_COMPILE" in message
    with pytest.raises(RuntimeError, match="turned off"):
        compile_add(no_cache=True)


def test_folder_of_cute_dsl(monkeypatch, tmp_path):
    monkeypatch.delenv("FAIRLEAD_CACHE_DIR")
    monkeypatch.setenv("CUTE_DSL_CACHE_DIR", str(tmp_path / "other"))
    compile_add()
    assert len(files(tmp_path / "other", "programs")) == 1


# --- Folders that others fill, and that nobody may write.


def test_shipped_folder(monkeypatch, tmp_path, cache_dir):
    compile_add()
    shipped = tmp_path / "shipped"
    cache_dir.rename(shipped)
    monkeypatch.setenv("FAIRLEAD_CACHE_SHARED", f"{tmp_path}/missing:{shipped}")
    monkeypatch.setenv("FAIRLEAD_NEVER_COMPILE", "1")
    function = compile_add()
    assert function.cached and not files(cache_dir)
    check(function, 1.0)
    (entry,) = files(shipped)
    entry.write_bytes(entry.read_bytes()[:-1])
    with pytest.raises(RuntimeError, match="is not in the cache"):
        compile_add()
    assert entry.exists(), "a shared folder is only read"


def test_folder_that_cannot_be_written(tmp_path):
    """Runs as another user: root may write every folder."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to become another user")
    compile_add()
    done = new_process(
        """
        import os
        from cache_kernels import check, compile_add
        os.setuid(65534)
        found, new = compile_add(), compile_add(7.0)
        check(found, 1.0), check(new, 7.0)
        print(found.cached, new.cached, compile_add(7.0).cached)
        """,
        PYTHONDONTWRITEBYTECODE="1",
    )
    if "Permission" in done.stderr or "ModuleNotFound" in done.stderr:
        pytest.skip("another user cannot read the build tree here")
    assert done.stdout == "True False False\n", done.stderr


def test_full_disk(cache_dir):
    """If an entry does not fit, the compile goes on without it and leaves no part of it."""
    done = new_process(
        """
        import resource
        from cache_kernels import check, compile_add
        compile_add(2.0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        for _ in range(2):
            function = compile_add()
            check(function, 1.0)
            print(function.cached)
        """
    )
    assert done.stdout == "False\nFalse\n", done.stderr
    assert len(files(cache_dir, "programs")) == 1


# --- Damage.


def damages(data):
    yield "empty", b""
    yield "cut in the header", data[:20]
    yield "cut in half", data[: len(data) // 2]
    yield "one byte short", data[:-1]
    yield "one byte more", data + b"x"
    yield "another version", b"FLCACHE1" + data[8:]
    yield "zeros", bytes(len(data))
    yield "a huge label", data[:40] + b"\xff" * 8 + data[48:]
    for place in range(0, len(data), max(1, len(data) // 40)):
        flipped = bytearray(data)
        flipped[place] ^= 1 << (place % 8)
        yield f"bit flipped at {place}", bytes(flipped)


def test_damaged_entries_are_missed_and_replaced(cache_dir):
    compile_add()
    (entry,) = files(cache_dir)
    data = entry.read_bytes()
    for name, damaged in damages(data):
        entry.write_bytes(damaged)
        function = compile_add()
        assert not function.cached, name
        check(function, 1.0)
        assert entry.read_bytes() == data, f"{name}: not replaced"


def test_entry_of_another_program(cache_dir):
    """A whole entry under a name that is not its own."""
    compile_add(1.0)
    (first,) = files(cache_dir)
    compile_add(2.0)
    (second,) = set(files(cache_dir)) - {first}
    second.write_bytes(first.read_bytes())
    function = compile_add(2.0)
    assert not function.cached
    check(function, 2.0)


@pytest.mark.parametrize("what", ["folder", "pipe", "link to nowhere", "link to zeros"])
def test_no_files_in_an_entrys_place(cache_dir, what):
    compile_add()
    (entry,) = files(cache_dir)
    entry.unlink()
    if what == "folder":
        entry.mkdir()
    elif what == "pipe":
        os.mkfifo(entry)
    else:
        entry.symlink_to("/nowhere" if what == "link to nowhere" else "/dev/zero")
    function = compile_add()
    assert not function.cached
    check(function, 1.0)


# --- The limit.


def test_least_recently_used_go_first(monkeypatch, cache_dir):
    sizes = []
    for c in range(6):
        compile_add(float(c))
        sizes.append(sum(path.stat().st_blocks * 512 for path in files(cache_dir)))
    order = {}
    for age, c in enumerate([3, 0, 5, 1, 4, 2]):  # 3 was used last
        monkeypatch.setenv("FAIRLEAD_NEVER_COMPILE", "1")
        for path in files(cache_dir):
            before = path.stat().st_atime_ns
            os.utime(path, ns=(before, 10**18))  # long ago
        assert compile_add(float(c)).cached
        (used,) = [path for path in files(cache_dir) if path.stat().st_mtime_ns > 10**18]
        order[c] = (used, time.time() - 3600 * (age + 1))
        os.utime(used, ns=(0, 10**18))
    for path, when in order.values():
        os.utime(path, (when, when))
    monkeypatch.delenv("FAIRLEAD_NEVER_COMPILE")
    # Room for about five of the seven that there will be, after trimming to nine tenths.
    monkeypatch.setenv("FAIRLEAD_CACHE_SIZE", str(int(sizes[-1] * 0.95)))
    compile_add(100.0)
    left = set(files(cache_dir))
    assert order[2][0] not in left and order[3][0] in left and order[0][0] in left
    total = sum(path.stat().st_blocks * 512 for path in left)
    assert total <= sizes[-1] * 0.95
    assert compile_add(100.0).cached and compile_add(3.0).cached


def test_dead_writers_leave_nothing(monkeypatch, cache_dir):
    compile_add()
    (entry,) = files(cache_dir)
    old = entry.with_name(entry.name + ".tmp-1-2-3")
    new = entry.with_name(entry.name + ".tmp-4-5-6")
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1e9, 1e9))
    monkeypatch.setenv("FAIRLEAD_CACHE_SIZE", "200K")  # so small that every new entry is much
    compile_add(2.0)
    assert not old.exists() and new.exists()


def test_size_zero_keeps_nothing(monkeypatch, cache_dir):
    monkeypatch.setenv("FAIRLEAD_CACHE_SIZE", "0")
    assert not compile_add().cached and not compile_add().cached
    assert not files(cache_dir)
