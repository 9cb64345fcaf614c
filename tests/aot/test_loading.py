"""Exported objects and libraries of both ABIs, loaded in Python, in processes without the compiler."""

import random
import struct
import subprocess
import sys

import aot_kernels
import numpy as np
import pytest

from fairlead import cute
from fairlead._compiler import sealed

PROGRAM = """
import sys
import numpy as np
from fairlead import cute
module = cute.runtime.load_module(sys.argv[1])
a, b = np.arange(1000, dtype=np.float32), np.full(1000, np.nan, np.float32)
module.add_one(a, b)
np.testing.assert_array_equal(b, a + 1)
b[:] = 0
module["add_one"](b=b, a=a)
np.testing.assert_array_equal(b, a + 1)
try:
    module.add_one(a, b[:-1])
except ValueError as error:
    assert "b.shape[0]" in str(error), error
else:
    raise SystemExit("two lengths were taken")
try:
    module.absent
except AttributeError as error:
    assert "it has: add_one, scale" in str(error), error
x = np.ones((3, 4), np.float32)
module.scale(x, stream=0)
np.testing.assert_array_equal(x, np.full((3, 4), 3))
module.scale(x, 1.0, offset=5, stream=None)
np.testing.assert_array_equal(x, np.full((3, 4), 8))
assert "scale" in dir(module)
own = module.get_function_metadata("scale")["fairlead"]
assert own["arg_names"] == ["x", "alpha", "offset", "stream"], own
assert module.scale.defaults[-3:-1] == (2.0, 1) and own["targets"] == ["cpu"], own
assert len(own["source"]) == 64 and own["options"] == {"opt_level": 3} and own["abi"] == 1, own
assert "fairlead._compiler" not in sys.modules and "libfairlead.so" not in open("/proc/self/maps").read()
print("ok")
"""


def export(folder, abi):
    """Objects of add_one and scale."""
    objects = []
    for name, make in (
        ("add_one", aot_kernels.compiled_add_one),
        ("scale", aot_kernels.compiled_scale),
    ):
        objects.append(folder / f"{name}.o")
        if abi == "plain":
            make().export_to_c(file_path=folder, file_name=name)
        else:
            make().export_to_c(objects[-1], function_name=name)
    return objects


@pytest.mark.parametrize("kind", ["object", "library"])
@pytest.mark.parametrize("abi", ["plain", "open"])
def test_load(tmp_path, abi, kind):
    objects = export(tmp_path, abi)
    if kind == "object":
        path = tmp_path / "both.o"
        subprocess.run(["ld", "-r", *objects, "-o", path], check=True)
    else:
        path = tmp_path / "libboth.so"
        subprocess.run(["gcc", "-shared", *objects, "-o", path], check=True)
    done = subprocess.run([sys.executable, "-c", PROGRAM, path], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_both_abis_in_one_library(tmp_path):
    (tmp_path / "p").mkdir()
    aot_kernels.compiled_add_one().export_to_c(
        file_path=tmp_path, file_name="plain", function_prefix="plain_one"
    )
    aot_kernels.compiled_add_one().export_to_c(tmp_path / "open.o", function_name="open_one")
    path = tmp_path / "lib.so"
    subprocess.run(
        ["gcc", "-shared", tmp_path / "plain.o", tmp_path / "open.o", "-o", path], check=True
    )
    module = cute.runtime.load_module(path)
    a, b, c = np.arange(7, dtype=np.float32), np.zeros(7, np.float32), np.zeros(7, np.float32)
    module.plain_one(a, b)
    module.open_one(a, c)
    np.testing.assert_array_equal(b, a + 1)
    np.testing.assert_array_equal(c, a + 1)


def damaged(path, offset, value):
    """Write the file with a right checksum, as an export would."""
    data = bytearray(path.read_bytes())
    data[offset : offset + len(value)] = value
    path.write_bytes(sealed(bytes(data)))


@pytest.fixture
def plain(tmp_path):
    aot_kernels.compiled_add_one().export_to_c(file_path=tmp_path, file_name="add_one")
    return tmp_path / "add_one.o"


def descriptor_offset(path):
    from fairlead._compiler import read_elf

    elf = read_elf(path.read_bytes())
    (symbol,) = [s for s in elf.symbols if s.name == "__fairlead_c_add_one"]
    return symbol.file_offset


@pytest.mark.parametrize("kind", ["object", "library"])
def test_another_version_is_refused(plain, tmp_path, kind):
    damaged(plain, descriptor_offset(plain), b"\x63\0\0\0")
    path = plain
    if kind == "library":
        path = tmp_path / "lib.so"
        subprocess.run(["gcc", "-shared", plain, "-o", path], check=True)
    from fairlead import __version__

    with pytest.raises(RuntimeError, match=f"Fairlead {__version__} for version 99 .* version 1"):
        cute.runtime.load_module(path).get_function("add_one")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"fairlead":{', b'"fairlead":['),
        (b'"arg_names":["a","b"]', b'"arg_names":"aaaaaaa"'),
        (rb'"positional\":2', rb'"positional\":3'),
        (b'{"fairlead"', b'["fairlead"'),
        (b'"version":"', b'"version\xff:"'),
    ],
)
def test_damaged_metadata(plain, old, new):
    data = plain.read_bytes()
    assert old in data and len(old) == len(new)
    plain.write_bytes(sealed(data.replace(old, new)))
    message = "add_one.o: the metadata of function 'add_one' is (damaged|no JSON)"
    with pytest.raises(ValueError, match=message):
        cute.runtime.load_module(plain).get_function("add_one")


def test_metadata_of_another_release(plain):
    data = plain.read_bytes()
    assert b'"format":2' in data
    plain.write_bytes(sealed(data.replace(b'"format":2', b'"format":1')))
    with pytest.raises(
        RuntimeError,
        match="add_one.o: function 'add_one' was exported by Fairlead .* for version 1 of exported metadata, "
        ".* version 2: export it again",
    ):
        cute.runtime.load_module(plain).get_function("add_one")
    plain.write_bytes(sealed(data.replace(b'"format":2', b'"format":9')))
    with pytest.raises(RuntimeError, match="for version 9 of .* version 2: update Fairlead"):
        cute.runtime.load_module(plain).get_function("add_one")


def test_truncated_and_foreign_objects(plain):
    whole = plain.read_bytes()
    # Without the whole of its checksum, 8 and 32 bytes, an object is one that has none.
    for size in range(0, len(whole) - 40, 97):
        plain.write_bytes(whole[:size])
        with pytest.raises(RuntimeError, match="expected"):
            cute.runtime.load_module(plain)
    plain.write_bytes(whole)
    damaged(plain, 18, b"\xf3\0")
    with pytest.raises(
        RuntimeError, match="expected an object for (x86-64|AArch64), but got one for RISC-V"
    ):
        cute.runtime.load_module(plain)


def test_truncated_and_foreign_libraries(plain, tmp_path):
    """Each case runs in its own process, because opened libraries stay open."""
    whole = tmp_path / "whole.so"
    subprocess.run(["gcc", "-shared", plain, "-o", whole], check=True)
    data = whole.read_bytes()
    refused = 0
    for size in range(0, len(data), 293):
        path = tmp_path / f"cut{size}.so"
        path.write_bytes(data[:size])
        with pytest.raises(RuntimeError, match=f"cut{size}.so"):
            cute.runtime.load_module(path)
        refused += 1
    assert refused > 30
    generator = random.Random(3)
    for index in range(150):
        changed = bytearray(data)
        for _ in range(generator.randrange(1, 6)):
            # The headers and the table of sections decide where everything is.
            start = generator.choice([0, struct.unpack_from("<Q", data, 40)[0]])
            place = min(len(data) - 1, start + generator.randrange(600))
            changed[place] = generator.randrange(256)
        (tmp_path / f"bad{index}.so").write_bytes(changed)
    program = (
        "import sys\nfrom fairlead import cute\n"
        "for path in sys.argv[1:]:\n"
        "    try: cute.runtime.load_module(path)\n"
        "    except RuntimeError: print('refused')\n"
        "    else: print('loaded')\n"
    )
    paths = [tmp_path / f"bad{index}.so" for index in range(150)]
    done = subprocess.run(
        [sys.executable, "-c", program, *paths], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-500:])
    assert done.stdout.count("refused") > 50
    foreign = bytearray(data)
    foreign[18:20] = b"\xf3\0"
    (tmp_path / "riscv.so").write_bytes(foreign)
    with pytest.raises(RuntimeError, match="RISC-V"):
        cute.runtime.load_module(tmp_path / "riscv.so")


def test_an_object_that_needs_more(plain, tmp_path):
    source = tmp_path / "needs.c"
    source.write_text("int absent_function(void); int f(void) { return absent_function(); }\n")
    subprocess.run(["gcc", "-fPIC", "-c", source, "-o", tmp_path / "needs.o"], check=True)
    with pytest.raises(RuntimeError, match="nothing defines `absent_function`"):
        cute.runtime.load_module(tmp_path / "needs.o")


def test_files_of_other_kinds(tmp_path):
    (tmp_path / "kernels.py").write_text("import fairlead\n")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    expected = r"expected an object \(.o\) or shared library \(.so\), but got "
    for name, got in (
        ("kernels.py", "one that begins with b'import fairlead"),
        ("empty", "one that begins with b''"),
        ("folder", "a folder"),
    ):
        with pytest.raises(RuntimeError, match=f"{name}: {expected}{got}"):
            cute.runtime.load_module(tmp_path / name)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent.o"):
        cute.runtime.load_module(tmp_path / "absent.o")


def test_one_loader(plain):
    """`cute.runtime`, `ffi` and the published `cutlass.cute.runtime` load the same class, which has the same errors."""
    from fairlead import ffi
    from fairlead.compat import _runtime as published

    assert cute.runtime.load_module is ffi.load_module
    modules = [
        ffi.load_module(plain),
        published.load_module(plain, enable_tvm_ffi=True),
        published.load_module(plain, enable_tvm_ffi=False),
    ]
    for module in modules:
        assert isinstance(module, ffi.Module) and module.kind == "object"
        assert module.implements_function("add_one") and not module.implements_function("none")
        assert repr(module) == f"<Module object {str(plain)!r}: add_one>"
        x, y = np.zeros(3, np.float32), np.zeros(3, np.float32)
        module.add_one(x, y)
        assert y.tolist() == [1, 1, 1]
        with pytest.raises(
            AttributeError, match="Module has no function 'add_two', it has: add_one"
        ):
            module.get_function("add_two")
        with pytest.raises(RuntimeError, match="a module of an object file has no write_to_file"):
            module.write_to_file("copy.o")
    assert len({*modules, modules[0]}) == 3 and modules[0] != modules[1]
    with pytest.raises(TypeError, match="enable_tvm_ffi"):
        ffi.load_module(plain, enable_tvm_ffi=True)
