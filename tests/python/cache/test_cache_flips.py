"""Every other part of the key, flipped: the source that a function reaches, processor, environment, tools."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cache_kernels import compile_add, files

pytestmark = pytest.mark.usefixtures("cache_dir")

# One program in pieces; a flip replaces one of them.
PROGRAM = {
    "import": "import fairlead\nfrom fairlead import Float32, cute\n",
    "global": "OFFSET = 1.0\n",
    "table": "TABLE = {'block': 64}\n",
    "helper": "def helper(x):\n    return x * 2.0\n",
    "nested helper": "def outer(x):\n    return helper(x) + OFFSET\n",
    "class": "class Policy:\n    scale = 3.0\n    def apply(self, x):\n        return x * self.scale\n",
    "closure": "def make(amount):\n    def add(x):\n        return x + amount\n    return add\nadd = make(5.0)\n",
    "default": "def with_default(x, factor=1.5):\n    return x * factor\n",
    "lambda": "shift = lambda x: x - 0.25\n",
    "kernel": "@cute.kernel\ndef kernel(a: cute.Tensor, b: cute.Tensor):\n"
    "    i = cute.arch.block_idx()[0] * TABLE['block'] + cute.arch.thread_idx()[0]\n"
    "    if i < a.shape[0]:\n"
    "        b[i] = shift(with_default(add(Policy().apply(outer(a[i])))))\n",
    "launch": "@cute.jit\ndef host(a: cute.Tensor, b: cute.Tensor):\n"
    "    kernel(a, b).launch(grid=cute.ceil_div(a.shape[0], TABLE['block']), block=TABLE['block'])\n",
    "compile": "n = cute.sym_int()\nvector = cute.runtime.make_fake_compact_tensor(Float32, (n,))\n"
    "print(cute.compile(host, vector, vector, options='--target cpu').cached)\n",
}  # fmt: skip

FLIPS = {
    "global": ("1.0", "1.5"),
    "table": ("64", "32"),
    "helper": ("2.0", "2.5"),
    "nested helper": ("+ OFFSET", "- OFFSET"),
    "class": ("3.0", "4.0"),
    "closure": ("make(5.0)", "make(6.0)"),
    "default": ("1.5", "1.75"),
    "lambda": ("x - 0.25", "0.25 - x"),
    "kernel": ("add(Policy", "with_default(Policy"),
    "launch": ("a.shape[0], ", "a.shape[0] + 1, "),
}

# Flips that leave the program as it is.
SAME = {
    "helper": ("    return", "    # says nothing\n    return"),
    "closure": ("amount", "quantity"),
    "lambda": ("x", "y"),
    "class": ("    scale = 3.0\n", '    """Documented."""\n    scale = 3.0\n    unused = 9.0\n'),
}


def run(folder, pieces, **environment):
    """Return whether a program was in the cache, compiled in its own process."""
    path = folder / "program.py"
    path.write_text("".join(pieces.values()))
    done = subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout == "True\n"


def flipped(piece, old, new):
    assert old in PROGRAM[piece]
    return {**PROGRAM, piece: PROGRAM[piece].replace(old, new)}


def test_source_that_the_function_reaches(tmp_path, cache_dir):
    assert not run(tmp_path, PROGRAM) and run(tmp_path, PROGRAM)
    for piece, (old, new) in FLIPS.items():
        assert not run(tmp_path, flipped(piece, old, new)), f"{piece} is not in the key"
    assert len(files(cache_dir, "programs")) == 1 + len(FLIPS)
    assert run(tmp_path, PROGRAM)


def test_what_says_nothing_is_not_in_the_key(tmp_path):
    assert not run(tmp_path, PROGRAM)
    for piece, (old, new) in SAME.items():
        assert run(tmp_path, flipped(piece, old, new)), piece
    (tmp_path / "elsewhere").mkdir()
    assert run(tmp_path / "elsewhere", PROGRAM), "the folder of the source"


@pytest.mark.parametrize(
    "environment",
    [
        {"FAIRLEAD_CPU_LEVEL": "1"},
        {"FAIRLEAD_CPU_LEVEL": "2"},
        {"FAIRLEAD_CPU_COROUTINES": "1"},
    ],
    ids=["features", "more features", "coroutines"],
)
def test_processor_and_environment(tmp_path, environment):
    """The processor passes for a lower one: `cpu` is code for another machine then."""
    assert not run(tmp_path, PROGRAM)
    assert not run(tmp_path, PROGRAM, **environment)
    assert run(tmp_path, PROGRAM, **environment) and run(tmp_path, PROGRAM)


def test_target_of_the_environment(tmp_path):
    pieces = {**PROGRAM, "compile": PROGRAM["compile"].replace(", options='--target cpu'", "")}
    assert not run(tmp_path, pieces, FAIRLEAD_TARGET="cpu")
    for target in ("cuda:sm_80", "cuda:sm_90", "ptx:compute_90", "cpu:x86-64"):
        assert not run(tmp_path, pieces, FAIRLEAD_TARGET=target), target
        assert run(tmp_path, pieces, FAIRLEAD_TARGET=target), target
    assert run(tmp_path, pieces, FAIRLEAD_TARGET="cpu")


@pytest.mark.parametrize("change", ["beginning", "end", "size", "time"])
def test_content_of_the_assembler(tmp_path, monkeypatch, change):
    """Machine code is of another assembler when the file has changed in any of these."""
    tool = tmp_path / "ptxas"
    monkeypatch.setenv("FAIRLEAD_PTXAS", str(tool))
    data = bytearray(os.urandom(300_000))
    tool.write_bytes(data)
    os.utime(tool, ns=(10**18, 10**18))

    def make():
        return compile_add(options="--target cuda:sm_80,cuda:sm_90").cached

    assert [make(), make()] == [False, True]
    if change == "beginning":
        data[100] ^= 1
    elif change == "end":
        data[-100] ^= 1
    elif change == "size":
        data += b"x"
    tool.write_bytes(data)
    os.utime(tool, ns=(10**18, 10**18 + (change == "time")))
    assert [make(), make()] == [False, True]


def test_wherever_the_assembler_lies(tmp_path, monkeypatch):
    data = os.urandom(200_000)
    for name in ("here", "there"):
        (tmp_path / name).write_bytes(data)
        os.utime(tmp_path / name, ns=(10**18, 10**18))

    def make(name):
        monkeypatch.setenv("FAIRLEAD_PTXAS", str(tmp_path / name))
        return compile_add(options="--target cuda:sm_80,cuda:sm_90").cached

    assert [make("here"), make("there")] == [False, True]


def without_tools(code, tmp_path, **environment):
    """In a process that finds neither an assembler nor libdevice."""
    empty = tmp_path / "empty"
    empty.mkdir(exist_ok=True)
    command = [sys.executable, "-c", code]
    if Path("/usr/local/cuda").exists():
        mount = 'mount -t tmpfs none /usr/local/cuda && exec "$@"'
        hidden = [shutil.which("unshare") or "unshare", "-m", "sh", "-c", mount, "sh"]
        if subprocess.run([*hidden, "true"], capture_output=True).returncode:
            pytest.skip("only root hides a toolkit")
        command = [*hidden, *command]
    done = subprocess.run(
        command,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
            "FAIRLEAD_PTXAS": str(empty / "none"),
            "FAIRLEAD_LIBDEVICE": str(empty / "none"),
            "CUDA_HOME": str(empty),
            "CUDA_PATH": str(empty),
            "PATH": "/usr/bin:/bin",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout or done.stderr


def test_machines_without_the_tools_use_what_others_made(tmp_path, monkeypatch):
    """A cache that is shipped to machines without a toolkit answers there too."""
    tool = tmp_path / "ptxas"
    tool.write_bytes(b"an assembler")
    monkeypatch.setenv("FAIRLEAD_PTXAS", str(tool))
    targets = "--target cuda:sm_80,cuda:sm_90"
    assert not compile_add(options=targets).cached
    # Compiling is forbidden, so entries of another assembler are used.
    (tmp_path / "other").write_bytes(b"another assembler")
    monkeypatch.setenv("FAIRLEAD_PTXAS", str(tmp_path / "other"))
    monkeypatch.setenv("FAIRLEAD_NEVER_COMPILE", "1")
    assert compile_add(options=targets).cached
    monkeypatch.delenv("FAIRLEAD_NEVER_COMPILE")
    code = (
        f"from cache_kernels import compile_add\nprint(compile_add(options={targets!r}).cached)\n"
    )
    for never in ("0", "1"):
        said = without_tools(code, tmp_path, FAIRLEAD_NEVER_COMPILE=never)
        assert said == "True\n", said
    assert not compile_add(options=targets).cached, "here it may be compiled"


@pytest.mark.parametrize(
    ("target", "option"),
    [
        ("cpu", "--enable-assertions"),
        ("cpu", "--generate-line-info"),
        ("cuda:sm_80", "--generate-line-info"),
        ("cuda:sm_80", "--ptxas-options -maxrregcount=32"),
    ],
)
def test_options_of_a_compile(tmp_path, target, option):
    pieces = {
        **PROGRAM,
        "kernel": PROGRAM["kernel"].replace(
            "    if i", "    cute.testing.assert_(i >= 0)\n    if i"
        )
        if "assert" in option
        else PROGRAM["kernel"],
    }

    def make(*options):
        text = pieces["compile"].replace("--target cpu", " ".join(["--target", target, *options]))
        return run(tmp_path, {**pieces, "compile": text})

    assert not make() and make()
    assert not make(option), f"{option} is not in the key"
    assert make(option) and make()
