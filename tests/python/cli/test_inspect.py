"""fairlead inspect."""

import json
import os
import random
import struct
import subprocess
import sys

import pytest

from fairlead._compiler import read_elf
from fairlead._exported import contents


def report(done) -> dict:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[0]


def test_library_is_not_loaded(fairlead, library, tmp_path, monkeypatch):
    loaded = tmp_path / "loaded"
    monkeypatch.setenv("SAMPLE_LOADED", str(loaded))
    found = report(fairlead("inspect", "--json", library))
    assert found["kind"] == "library"
    names = [function["name"] for function in found["functions"]]
    assert names == ["add_one", "first", "join", "ndim", "refuse"]
    assert all(f["signature"] is None and f["has_metadata"] for f in found["functions"])
    assert not loaded.exists()
    fairlead("inspect", "--load", library)
    assert loaded.exists()


def test_loaded_library(fairlead, library):
    found = report(fairlead("inspect", "--json", "--load", library))
    signatures = {f["name"]: f["signature"] for f in found["functions"]}
    assert signatures["add_one"] == "add_one(TensorView, TensorView) -> None"
    assert signatures["join"] == "join(int, float, bool) -> float"
    assert found["functions"][0]["doc"] == "Adds 1.\nElement by element."
    text = fairlead("inspect", "--load", library).stdout
    assert (
        "    add_one(TensorView, TensorView) -> None\n        Adds 1.\n        Element by" in text
    )
    assert "--load shows more" not in text
    assert "--load shows more" in fairlead("inspect", library).stdout


def test_library_without_metadata(fairlead, tmp_path):
    source = tmp_path / "bare.cpp"
    source.write_text(
        "#include <tvm/ffi/function.h>\n"
        "static int twice(int x) { return 2 * x; }\n"
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, twice)\n"
    )
    config = subprocess.run(
        [sys.executable, "-m", "fairlead.config", "--cxxflags", "--ldflags", "--libs"],
        capture_output=True,
        text=True,
        check=True,
    )
    bare = tmp_path / "bare.so"
    command = ["g++", "-shared", "-fPIC", str(source), "-o", str(bare), *config.stdout.split()]
    subprocess.run(command, check=True)
    for options in ((), ("--load",)):
        text = fairlead("inspect", *options, bare).stdout
        assert "    twice\n" in text
        assert "compiled without -DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1" in text


def test_embedded_image(fairlead, library, images):
    image = report(fairlead("inspect", "--json", library))["images"]
    assert [(i["name"], i["kind"]) for i in image] == [("my_image", "cubin")]
    assert image[0]["bytes"] == (images / "cuda13_sm_90a.cubin").stat().st_size
    text = fairlead("inspect", library).stdout
    assert "my_image: cubin" in text and "cubin for sm_90a" in text
    assert "plain: parameters 8+8+4 bytes" in text and "registers" in text


def test_mangled_name(fairlead, tmp_path):
    ptx = ".version 8.0\n.target sm_80\n.entry _Z5scaleIfEvPT_i(.param .u64 x, .param .u32 n) { ret; }"
    (tmp_path / "scale.ptx").write_text(ptx)
    kernel = report(fairlead("inspect", "--json", tmp_path / "scale.ptx"))["images"][0]["parts"][0][
        "kernels"
    ][0]
    assert kernel["name"] == "_Z5scaleIfEvPT_i"
    assert kernel["readable_name"] == "void scale<float>(float*, int)"
    text = fairlead("inspect", tmp_path / "scale.ptx").stdout
    assert "void scale<float>(float*, int) [_Z5scaleIfEvPT_i]: parameters 8+4 bytes" in text


def test_stripped_library(fairlead, library, images, tmp_path):
    stripped = tmp_path / "stripped.so"
    subprocess.run(["strip", "-o", stripped, library], check=True)
    found = report(fairlead("inspect", "--json", stripped))
    assert len(found["functions"]) == 5
    assert [(i["name"], i["kind"]) for i in found["images"]] == [(None, "cubin")]
    assert found["images"][0]["parts"][0]["arch"] == "sm_90a"


def test_object_with_metadata(fairlead, build_dir):
    """A function that Fairlead compiled tells its signature without being loaded."""
    library = build_dir / "tests" / "python" / "ffi" / "libfairlead_test_kernels.so"
    if not library.exists():
        pytest.skip(f"needs {library.name} of a whole build")
    functions = {f["name"]: f for f in report(fairlead("inspect", "--json", library))["functions"]}
    assert functions["add"]["signature"].startswith("add(a: Tensor([n0], float32)")
    assert functions["echo"]["signature"] is None


def test_exported_kernel(fairlead, images, tmp_path):
    import fairlead as fl
    from fairlead import cute

    @cute.kernel
    def kernel(x: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        x[i] = x[i] + 1.0

    @cute.jit
    def add(x: cute.Tensor):
        kernel(x).launch(grid=(1, 1, 1), block=(x.shape[0], 1, 1))

    x = cute.runtime.make_fake_compact_tensor(fl.Float32, (32,), stride_order=(0,))
    compiled = cute.compile(add, x, options="--target=cpu")
    compiled.export_to_c(str(tmp_path / "add.o"), function_name="add")
    found = report(fairlead("inspect", "--json", tmp_path / "add.o"))
    assert found["kind"] == "object"
    assert [f["name"] for f in found["functions"]] == ["add"]
    assert found["functions"][0]["signature"].startswith("add(inout x: Tensor(")


@pytest.mark.parametrize(
    "name, kind, archs",
    [
        ("cuda13_sm_90a.cubin", "cubin", ["sm_90a"]),
        ("cuda12_sm_80.cubin", "cubin", ["sm_80"]),
        ("plain.fatbin", "fatbin", ["sm_80", "sm_100f", "compute_90a"]),
        ("packed.fatbin", "fatbin", ["sm_80", "compute_80"]),
        ("kernels.ptx", "ptx", ["compute_80"]),
    ],
)
def test_images(fairlead, images, name, kind, archs):
    found = report(fairlead("inspect", "--json", images / name))
    assert found["kind"] == kind and not found["functions"]
    assert [part["arch"] for part in found["images"][0]["parts"]] == archs
    assert kind in fairlead("inspect", images / name).stdout


def test_several_files(fairlead, images, library):
    done = fairlead("inspect", library, images / "kernels.ptx")
    assert f"{library}: library" in done.stdout and "kernels.ptx: ptx" in done.stdout


@pytest.mark.parametrize(
    "content, text",
    [
        (b"", "the image is empty"),
        (b"some text", ""),
        (b"\x7fELF", "expected at least 64 bytes (the ELF header), but got 4: the file is cut off"),
        (b"\x7fELF\x01\x01" + bytes(60), "(64 bits), but got one for a 32-bit machine"),
    ],
)
def test_other_files(fairlead, images, tmp_path, content, text):
    path = tmp_path / "file"
    path.write_bytes(content)
    done = fairlead("inspect", path)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"fairlead inspect: {path}: ") and text in done.stderr


def test_missing_file(fairlead, tmp_path):
    done = fairlead("inspect", tmp_path / "none.so")
    assert done.returncode == 1 and "none.so: No such file or directory" in done.stderr
    assert fairlead("inspect").returncode == 2


def test_library_that_cannot_be_loaded(fairlead, library, tmp_path):
    """Its tables can be read all the same."""
    broken = tmp_path / "broken.so"
    source = tmp_path / "broken.c"
    source.write_text("int missing(void); int __tvm_ffi_f(void) { return missing(); }\n")
    flags = ["-Wl,-z,now"]
    subprocess.run(["gcc", "-shared", "-fPIC", *flags, source, "-o", broken], check=True)
    assert "    f\n" in fairlead("inspect", broken).stdout + "\n"
    done = fairlead("inspect", "--load", broken)
    assert done.returncode == 1 and "loading it failed" in done.stderr and "missing" in done.stderr


def test_nothing_inside(fairlead, tmp_path):
    source, path = tmp_path / "plain.c", tmp_path / "plain.o"
    source.write_text("int f(void) { return 1; }\n")
    subprocess.run(["gcc", "-c", source, "-o", path], check=True)
    assert "no functions of the open ABI, no device images" in fairlead("inspect", path).stdout


def test_damaged_files_are_errors(library, images):
    """Cut anywhere and changed anywhere: an answer or ValueError, nothing else."""
    with open(library, "rb") as file:
        data = file.read()
    generator = random.Random(int(os.environ.get("FAIRLEAD_RANDOM_SEED", "1")))
    count = int(os.environ.get("FAIRLEAD_RANDOM_FILES", "300"))
    for size in [*range(0, 256, 7), *(generator.randrange(len(data)) for _ in range(40))]:
        with pytest.raises(ValueError):
            contents.contents(data[:size])
    answers = 0
    headers = struct.unpack_from("<Q", data, 40)[0]
    for _ in range(count):
        changed = bytearray(data)
        for _ in range(generator.randrange(1, 8)):
            # The header and the section headers decide where everything is.
            start = generator.choice([0, headers])
            changed[min(len(data) - 1, start + generator.randrange(2000))] = generator.randrange(
                256
            )
        try:
            contents.contents(bytes(changed))
            answers += 1
        except ValueError:
            pass
    assert 0 < answers < count


def test_symbol_outside_its_section(library):
    """The place in the file is given only for symbols with bytes there."""
    with open(library, "rb") as file:
        data = bytearray(file.read())
    place = data.find(b"\0__tvm_ffi_add_one\0")
    assert place > 0
    before = {s.name: s.file_offset for s in read_elf(bytes(data)).symbols}
    assert None not in [before[n] for n in before if n.startswith("__tvm_ffi_")]
    section = next(s for s in read_elf(bytes(data)).sections if s.name == ".dynsym")
    for at in range(section.file_offset, section.file_offset + section.size, 24):
        data[at + 8 : at + 16] = bytes([255] * 7 + [15])  # st_value
    table = [s for s in read_elf(bytes(data)).symbols if s.is_defined]
    assert table and None in [s.file_offset for s in table]


@pytest.mark.parametrize(
    "schema, text",
    [
        (None, None),
        ("not json", None),
        ('{"type":"int"}', None),
        ('{"type":"ffi.Function"}', "f(...)"),
        ('{"type":"ffi.Function","args":[{"type":"None"},{"type":"int"}]}', "f(int) -> None"),
        (
            '{"type":"ffi.Function","named_args":{"return":[{"type":"ffi.Tensor"}],"params":'
            '[{"type":"Optional","args":[{"type":"DLTensor*"}]},{"type":"ffi.Array","args":[{"type":"int"}]}]}}',
            "f(TensorView | None, Array[int]) -> Tensor",
        ),
    ],
)
def test_signature_texts(schema, text):
    assert contents.signature_text("f", {"type_schema": schema}) == text
