"""Classes that Python defines, read and written by C++ through the header that describes them."""

import shutil
from typing import Any

import pytest

from fairlead import ffi
from fairlead.ffi.dataclasses import gen_abi_cpp, py_class

SOURCE = r"""
#include "classes.h"

using namespace tvm::ffi;
using fairlead::test::cpp::LeafObj;
using fairlead::test::cpp::TreeObj;

double sum(const Any &value) {
  const TreeObj *tree = value.as<TreeObj>();
  if (!tree)
    TVM_FFI_THROW(TypeError) << "no tree";
  double total = tree->number + tree->scale + (tree->flag ? 100 : 0) + tree->label.size();
  for (int64_t each : tree->numbers)
    total += each;
  for (auto pair : tree->table)
    total += pair.second;
  if (const LeafObj *leaf = tree->leaf.as<LeafObj>())
    total += leaf->value;
  if (tree->dtype.bits != 16 || tree->device.device_type != kDLCUDA || tree->device.device_id != 3)
    TVM_FFI_THROW(ValueError) << "dtype or device";
  return total + tree->call(1).cast<int>();
}
void change(const Any &value) {
  auto *tree = const_cast<TreeObj *>(value.as<TreeObj>());
  tree->number = 7;
  tree->label = "changed by C++";
  tree->numbers = List<int64_t>{9};
  tree->any = tree->leaf;
}
"""


@py_class("fairlead.test.cpp.Leaf")
class Leaf(ffi.Object):
    value: int


@py_class("fairlead.test.cpp.Tree")
class Tree(ffi.Object):
    flag: bool
    number: int
    scale: float
    label: str
    numbers: list[int]
    table: dict[str, int]
    dtype: ffi.dtype
    device: ffi.Device
    call: ffi.Function
    leaf: Leaf | None = None
    any: Any = None


def test_header():
    text = gen_abi_cpp("fairlead.test.cpp.Tree")
    for line in (
        "struct alignas(8) TreeObj : public ::tvm::ffi::Object {",
        "  bool flag;  // offset=24, size=1, align=1",
        "  int64_t number;  // offset=32, size=8, align=8",
        "  ::tvm::ffi::List<int64_t> numbers;  // offset=64, size=8, align=8",
        "  DLDevice device;  // offset=84, size=8, align=4",
    ):
        assert line in text.splitlines(), text
    assert "LeafObj" not in text and "struct LeafObj;" in gen_abi_cpp("fairlead.test.cpp.*")
    with pytest.raises(ValueError, match="did not match any registered object type"):
        gen_abi_cpp("fairlead.none.*")
    with pytest.raises(TypeError, match="expected str"):
        gen_abi_cpp([3])


@py_class("fairlead.test.cpp.other.Δ")
class Escaped(ffi.Object):
    default: int
    leaves: list[Leaf]
    maybe: list[Leaf | None]
    either: list[Leaf | Tree]


def test_header_of_names_and_references():
    text = gen_abi_cpp("fairlead.test.cpp.other.*")
    leaf = "::fairlead::test::cpp::LeafObj"
    for line in (
        "struct alignas(8) __ffi_escape_ce94Obj : public ::tvm::ffi::Object {",
        '  TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP("fairlead.test.cpp.other.\\316\\224", 1);',
        "  int64_t __ffi_escape_64656661756c74;  // offset=24, size=8, align=8",
        f"  ::tvm::ffi::List<::tvm::ffi::Arc<{leaf}>> leaves;  // offset=32, size=8, align=8",
        f"  ::tvm::ffi::List<::tvm::ffi::ObjectPtr<{leaf}>> maybe;  // offset=40, size=8, align=8",
        "struct LeafObj : public ::tvm::ffi::Object {",
    ):
        assert line in text.splitlines(), text
    with pytest.raises(ValueError, match="C\\+\\+ has no type"):
        gen_abi_cpp("ffi.OpaquePyObject")
    with pytest.raises(ValueError, match="did not match"):
        gen_abi_cpp("int")


@pytest.mark.timeout(300)
def test_from_cpp(tmp_path):
    if not (shutil.which("g++") and shutil.which("ninja")):
        pytest.skip("no compiler")
    (tmp_path / "classes.h").write_text(gen_abi_cpp("fairlead.test.cpp.*"))
    module = ffi.cpp.load_inline(
        "dataclasses_cpp",
        cpp_sources=SOURCE,
        functions=["sum", "change"],
        extra_include_paths=[str(tmp_path)],
        build_directory=str(tmp_path / "build"),
    )
    tree = Tree(
        *(True, 1, 0.5, "label", [1, 2], {"a": 3}, "float16", ffi.device("cuda:3")),
        lambda value: value + 1,
        Leaf(4),
    )
    assert module.sum(tree) == 1 + 0.5 + 100 + 5 + 3 + 3 + 4 + 2
    module.change(tree)
    assert (tree.number, tree.label, list(tree.numbers)) == (7, "changed by C++", [9])
    assert tree.any.same_as(tree.leaf)
    with pytest.raises(TypeError, match="no tree"):
        module.sum(Leaf(1))
