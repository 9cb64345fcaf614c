"""Libraries from source text."""

import pathlib

import numpy as np
import pytest
from support.build_support import compiled, entries, plain

from fairlead.ffi import cpp

ADD_ONE = """
void add_one(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
  TVM_FFI_CHECK(x.numel() == y.numel(), ValueError) << "sizes differ";
  for (int64_t i = 0; i < x.numel(); ++i)
    static_cast<float *>(y.data_ptr())[i] = static_cast<float *>(x.data_ptr())[i] + 1;
}
int twice(int x) { return 2 * x; }
"""


def test_tensors_and_errors(build_cache):
    module = cpp.load_inline("inline", cpp_sources=ADD_ONE, functions=["add_one", "twice"])
    x = np.arange(4, dtype=np.float32)
    y = np.zeros_like(x)
    module.add_one(x, y)
    np.testing.assert_array_equal(y, x + 1)
    assert module.twice(21) == 42
    with pytest.raises(ValueError, match="sizes differ"):
        module.add_one(x, y[:2])
    made = compiled(build_cache)
    cpp.load_inline("inline", cpp_sources=ADD_ONE, functions=["add_one", "twice"])
    assert compiled(build_cache) == made and len(entries(build_cache)) == 1


def test_documented_functions():
    doc = 'Says "hello",\nin\ttwo lines: ü ??/ \\n'
    source = "int one() { return 1; }"
    module = cpp.load_inline("documented", cpp_sources=source, functions={"one": doc})
    assert module.get_function("one")() == 1
    assert text(module, "__tvm_ffi__doc_one") == doc
    assert '"type_schema"' in text(module, "__tvm_ffi__metadata_one")


def text(module, symbol: str) -> str:
    """Return the result of an exported function without parameters."""
    import ctypes

    from fairlead import ffi

    return str(
        ffi.make_function(ctypes.cast(getattr(module._symbols, symbol), ctypes.c_void_p).value)()
    )


def test_several_sources():
    module = cpp.load_inline(
        "several", cpp_sources=["int one() { return 1; }", "int two() { return one() + 1; }"],
        functions="two",
    )  # fmt: skip
    assert module.two() == 2


def test_own_exports():
    assert cpp.load_inline("own", cpp_sources=plain("seven", 7)).seven() == 7


def test_flags(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "given.h").write_text("#define GIVEN 3\n")
    module = cpp.load_inline(
        "flags",
        cpp_sources="#include <given.h>\n" + plain("sum", "GIVEN + OPTION"),
        extra_cflags=["-DOPTION=4"],
        extra_include_paths=[str(tmp_path / "include")],
        extra_ldflags=["-Wl,--defsym,some_symbol=0"],
    )
    assert module.sum() == 7


def test_options_make_other_builds(build_cache):
    source = plain("value", "VALUE")
    for value in (1, 2, 1):
        module = cpp.load_inline("key", cpp_sources=source, extra_cflags=[f"-DVALUE={value}"])
        assert module.value() == value
    assert len(entries(build_cache)) == 2


def test_environment_is_part_of_the_key(build_cache, tmp_path, monkeypatch):
    """A header found through CPATH, in one folder or the other."""
    for number in (1, 2):
        folder = tmp_path / f"include{number}"
        folder.mkdir()
        (folder / "found.h").write_text(f"#define FOUND {number}\n")
        monkeypatch.setenv("CPATH", str(folder))
        source = '#include "found.h"\n' + plain("found", "FOUND")
        assert cpp.load_inline("cpath", cpp_sources=source).found() == number


def test_other_compiler_other_build(build_cache, tmp_path, monkeypatch):
    import shutil

    compiler = tmp_path / "mycxx"
    script = '#!/bin/sh\n[ "$1" = --version ] && {{ echo version {}; exit; }}\nexec {} "$@"\n'
    real = shutil.which("g++") or shutil.which("c++")
    monkeypatch.setenv("CXX", str(compiler))
    for version in ("1", "2"):
        compiler.write_text(script.format(version, real))
        compiler.chmod(0o755)
        assert cpp.load_inline("compiler", cpp_sources=plain("one", 1)).one() == 1
    assert len(entries(build_cache)) == 2


def test_build_directory(tmp_path):
    folder = tmp_path / "there"
    paths = [
        cpp.build_inline("placed", cpp_sources=plain("f", value), build_directory=folder)
        for value in (1, 2)
    ]
    assert paths == [str(folder / "placed.so")] * 2
    # A library that is loaded is never replaced in place, and its successor is another one.
    first = cpp.load_inline("placed", cpp_sources=plain("f", 3), build_directory=folder)
    second = cpp.load_inline("placed", cpp_sources=plain("f", 4), build_directory=folder)
    assert (first.f(), second.f()) == (3, 4)


def test_two_names_in_one_folder(tmp_path, build_cache):
    for _ in range(2):
        for name, value in (("a", 1), ("b", 2)):
            module = cpp.load_inline(
                name, cpp_sources=plain("f", value), build_directory=tmp_path / "x"
            )
            assert module.f() == value
    assert compiled(tmp_path / "x") == 4  # two compiles, two links


def test_outputs(tmp_path):
    source = plain("f", 5)
    path = cpp.build_inline("named", cpp_sources=source, output="other.so")
    assert path.endswith("/other.so")
    path = cpp.build_inline("named", cpp_sources=source, output=tmp_path / "deep" / "x.o")
    assert path == str(tmp_path / "deep" / "x.o")
    header = (tmp_path / "deep" / "x.o").read_bytes()[:18]
    assert header[:4] == b"\x7fELF" and header[16] == 1  # ET_REL
    # The object serves as a source.
    assert cpp.load("again", sources=[path]).f() == 5


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(), ValueError, "neither cpp_sources nor cuda_sources"),
        (dict(cpp_sources=5), TypeError, "cpp_sources: expected a list of str, but got int"),
        (dict(cpp_sources=["", 5]), TypeError, "cpp_sources: expected a list of str, but one is int"),
        (dict(cpp_sources="", functions="a b"), ValueError, "name of a function .* but got 'a b'"),
        (dict(cpp_sources="", functions=["f", "f"]), ValueError, "'f' is exported twice"),
        (dict(cpp_sources="", functions={"f": 3}), TypeError, r"functions\['f'\]: .* but got int"),
        (dict(cpp_sources="", extra_cflags="-O3"), TypeError, "extra_cflags: .* the str '-O3'"),
        (dict(cpp_sources="", backend="hip"), ValueError, "backend: .* but got 'hip'"),
        (dict(cpp_sources="", embed_cubin=b""), TypeError, "embed_cubin: expected a mapping"),
        (dict(cpp_sources="", embed_cubin={"a-b": b"x"}), ValueError, "identifier .* 'a-b'"),
        (dict(cpp_sources="", embed_cubin={"a": "x"}), TypeError, r"embed_cubin\['a'\]: .* str"),
        (dict(cpp_sources="", embed_cubin={"a": b""}), ValueError, "the image is empty"),
        (dict(cpp_sources="", output="folder/"), ValueError, "output: expected the name of a file"),
        (dict(cpp_sources="", output="main.cpp"), ValueError, "one of the build's own files"),
    ],
)  # fmt: skip
def test_bad_arguments(build_cache, arguments, error, text):
    with pytest.raises(error, match=text):
        cpp.build_inline("bad", **arguments)
    assert not entries(build_cache)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\0b", "a\nb"])
def test_bad_names(name):
    with pytest.raises(ValueError, match="name: expected a name that a file can have"):
        cpp.build_inline(name, cpp_sources="")


@pytest.mark.parametrize(
    ("name", "text"),
    [("-rf", "does not begin as an option does, but got '-rf'"), ("a|b", r"without `\|`.*'a\|b'")],
)
def test_names_that_build_tools_would_take_for_something_else(build_cache, tmp_path, name, text):
    with pytest.raises(ValueError, match="name: expected a name .*" + text):
        cpp.load_inline(name, cpp_sources=plain("f", 9))
    with pytest.raises(ValueError, match="output: expected a name .*"):
        cpp.build_inline("good", cpp_sources=plain("f", 9), output=f"{name}.so")
    assert not entries(build_cache)


def test_sources_that_ninja_cannot_name(tmp_path):
    source = tmp_path / "a|b.cpp"
    source.write_text(plain("f", 9))
    with pytest.raises(cpp.BuildError, match=r"cannot have `\|` in its path"):
        cpp.build("good", sources=[source])


def test_name_with_unusual_characters():
    name = "it's $HOME: a name"
    assert cpp.load_inline(name, cpp_sources=plain("f", 9)).f() == 9


def test_embedded_image():
    image = bytes(range(256)) * 5 + b"odd"
    source = """
    extern "C" const char __tvm_ffi__cubin_some[], __tvm_ffi__cubin_some_end[];
    int64_t size() { return __tvm_ffi__cubin_some_end - __tvm_ffi__cubin_some; }
    int64_t misaligned() { return reinterpret_cast<intptr_t>(__tvm_ffi__cubin_some) % 16; }
    int64_t at(int64_t i) { return static_cast<unsigned char>(__tvm_ffi__cubin_some[i]); }
    """
    names = ["size", "misaligned", "at"]
    arguments = dict(cpp_sources=source, functions=names, embed_cubin={"some": image})
    module = cpp.load_inline("embedding", **arguments)
    assert module.size() == len(image) and module.misaligned() == 0
    assert bytes(module.at(i) for i in range(len(image))) == image
    # Two objects may embed images of one name: they are not visible outside.
    other = source.replace("size", "size2").replace("aligned", "aligned2").replace("at(", "at2(")
    objects = [
        cpp.build_inline("one", output="one.o", **arguments),
        cpp.build_inline(
            "two", output="two.o", cpp_sources=other, functions="size2", embed_cubin={"some": b"12345"}
        ),
    ]  # fmt: skip
    both = cpp.load("both", sources=objects)
    assert (both.size(), both.size2()) == (len(image), 5)


#: The published form, without its comments.
WRAPPER = """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/function.h>
TVM_FFI_EMBED_CUBIN(my_cubin);
void AddOne(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(my_cubin, "add_one");
  int64_t n = x.size(0);
  void* x_ptr = x.data_ptr();
  void* y_ptr = y.data_ptr();
  void* args[] = {&x_ptr, &y_ptr, &n};
  tvm::ffi::dim3 grid((n + 255) / 256);
  tvm::ffi::dim3 block(256);
  DLDevice device = x.device();
  CUstream stream = static_cast<CUstream>(
      TVMFFIEnvGetStream(device.device_type, device.device_id));
  CUresult result = kernel.Launch(args, grid, block, stream);
  TVM_FFI_CHECK_CUDA_DRIVER_ERROR(result);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne);
"""


@pytest.mark.parametrize("language", ["cpp_sources", "cuda_sources"])
def test_published_cubin_wrapper(language, request):
    """The wrapper is built and loaded without a GPU; the error of its call says that no GPU exists."""
    if language == "cuda_sources":
        request.getfixturevalue("needs_nvcc")
    image = (
        pathlib.Path(__file__).resolve().parents[2] / "unit/runtime/cuda/images/cuda13_sm_90a.cubin"
    )
    module = cpp.load_inline(
        "my_module", **{language: WRAPPER}, embed_cubin={"my_cubin": image.read_bytes()}
    )
    assert module.implements_function("add_one")
    x = np.zeros(4, np.float32)
    with pytest.raises(RuntimeError, match="CUDA"):
        module.add_one(x, x)
