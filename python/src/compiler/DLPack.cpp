/// What a DLPack producer (torch, NumPy, JAX, ...) says of its tensor.
#include "Values.h"

#include <nanobind/ndarray.h>

#include "fairlead/Diagnostics.h"

namespace fairlead::python {
namespace {

std::string typeText(nb::dlpack::dtype type) {
  constexpr const char *kCodes[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  std::string text =
      type.code < 7 ? kCodes[type.code] : "dlpack code " + std::to_string(type.code) + ", bits ";
  text += std::to_string(type.bits);
  return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
}

/// (numeric class, shape, strides in elements, address of the first element, device type, device
/// id)
nb::tuple describe(nb::object producer) {
  nb::ndarray<nb::ro> array;
  if (!nb::try_cast(producer, array))
    throw makeError(Diagnostic::DLPackExpected, {{"got", nb::type_name(producer.type()).c_str()}});
  nb::dlpack::dtype type = array.dtype();
  std::optional<DType> dtype = fromDLDataType({type.code, type.bits, type.lanes});
  if (!dtype)
    throw makeError(Diagnostic::DLPackDType, {{"got", typeText(type)}});
  nb::list shape, strides;
  for (size_t mode = 0; mode < array.ndim(); ++mode) {
    shape.append(array.shape(mode));
    strides.append(array.stride(mode));
  }
  return nb::make_tuple(nb::borrow(classOf(*dtype)), nb::tuple(shape), nb::tuple(strides),
                        reinterpret_cast<uintptr_t>(array.data()), array.device_type(),
                        array.device_id());
}

} // namespace

void bindDLPack(nb::module_ &m) {
  m.def("describe_dlpack", &describe, nb::arg("producer").none(),
        "(numeric class, shape, strides in elements, address, DLPack device type, device id) of a "
        "tensor.");
}

} // namespace fairlead::python
