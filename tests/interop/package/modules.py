"""Libraries: built from source by the package, loaded, their functions, metadata and embedded data."""

import numpy as np
import torch
import tvm_ffi
import tvm_ffi.cpp
from show import show

SOURCE = r"""
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/reflection/registry.h>

void scale(tvm::ffi::TensorView x, tvm::ffi::TensorView y, double factor) {
  TVM_FFI_CHECK_EQ(x.ndim(), 1, ValueError) << "x must be a vector";
  for (int64_t i = 0; i < x.size(0); ++i)
    static_cast<float *>(y.data_ptr())[i] = static_cast<float *>(x.data_ptr())[i] * factor;
}
tvm::ffi::Map<tvm::ffi::String, int64_t> count(tvm::ffi::Array<tvm::ffi::String> words) {
  tvm::ffi::Map<tvm::ffi::String, int64_t> result;
  for (tvm::ffi::String word : words)
    result.Set(word, result.count(word) ? result[word] + 1 : 1);
  return result;
}
class BoxObj : public tvm::ffi::Object {
 public:
  int64_t value = 1;
  tvm::ffi::String label = "box";
  int64_t doubled() const { return value * 2; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("package.Box", BoxObj, tvm::ffi::Object);
};
TVM_FFI_STATIC_INIT_BLOCK() {
  tvm::ffi::reflection::ObjectDef<BoxObj>()
      .def_rw("value", &BoxObj::value)
      .def_ro("label", &BoxObj::label, tvm::ffi::reflection::default_value("a box"))
      .def("doubled", &BoxObj::doubled);
}
"""

module = tvm_ffi.cpp.load_inline(
    "package_modules", cpp_sources=SOURCE, functions=["scale", "count"], extra_cflags=["-O0"]
)
show("kind", lambda: module.kind)
x = torch.arange(4, dtype=torch.float32)
y = torch.empty_like(x)
show("scale", lambda: (module.scale(x, y, 2.5), y.tolist()))
z = np.zeros(4, dtype=np.float32)
show("scale numpy", lambda: (module.scale(x.numpy(), z, 3.0), z.tolist()))
show("scale matrix", lambda: module.scale(torch.ones(2, 2), y, 1.0))
show("scale wrong", lambda: module.scale(x, "y", 1.0))
show("scale few", lambda: module.scale(x))
show("count", lambda: module.count(["a", "b", "a"]))
try:
    module.no_such_function  # noqa: B018
except AttributeError as error:  # fairlead.ffi lists the functions behind it
    print("missing:", str(error).partition(",")[0])
show(
    "implements",
    lambda: (module.implements_function("scale"), module.implements_function("nothing")),
)
show("imports", lambda: module.imports)
show("formats", lambda: module.get_write_formats())
show("mask", lambda: module.get_property_mask())
show("source", lambda: module.inspect_source())
show("write", lambda: module.write_to_file("nothing.so"))
try:
    tvm_ffi.load_module("no_such_file.nope")
except (RuntimeError, OSError) as error:
    print("load missing:", str(error).partition("registry.")[0])
show("module repr", lambda: module)


@tvm_ffi.dataclasses.c_class("package.Box")
class Box(tvm_ffi.Object):
    value: int
    label: str


box = show("box", lambda: Box(4))
show("box method", lambda: box.doubled())
show("box write", lambda: (setattr(box, "value", 6), box.doubled())[1])
show("box keywords", lambda: Box(value=1, label="x"))
show("box wrong", lambda: Box("x"))
show("box missing", lambda: Box())
show("box eq", lambda: tvm_ffi.get_global_func("ffi.RecursiveEq")(Box(1), Box(1)))
