/// Reads the descriptions of tensors from DLPack producers (torch, NumPy, JAX, ...).
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

/// The mode along which pairs of elements lie: the one of stride 1, of several the one that is
/// longer than 1, else the last.
std::optional<size_t> pairedMode(const nb::ndarray<nb::ro> &array) {
  std::optional<size_t> paired;
  for (size_t mode = 0; mode < array.ndim(); ++mode)
    if (array.stride(mode) == 1 && (!paired || array.shape(*paired) == 1))
      paired = mode;
  return paired;
}

/// Changes the element type in a DLPack capsule to another type of the same width.
void retype(nb::handle capsule, nb::handle cls) {
  std::optional<DType> dtype = dtypeOfClass(cls);
  if (!dtype)
    throw makeError(Diagnostic::DTypeExpected, {{"got", nb::repr(cls).c_str()}});
  DLTensor *tensor = nullptr;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned"))
    tensor = &static_cast<DLManagedTensorVersioned *>(
                  PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"))
                  ->dl_tensor;
  else if (auto *managed =
               static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor")))
    tensor = &managed->dl_tensor;
  if (!tensor)
    throw nb::python_error();
  tensor->dtype = toDLDataType(*dtype);
}

/// More modes than any framework has: the field was never set. As on the call path (Import.h).
constexpr int kMostModes = 1024;

/// Returns the producer's capsule, which must be checked before it is read. If the producer exports
/// none, returns the producer itself; later code reports why.
nb::object exported(nb::handle producer) {
  if (PyCapsule_CheckExact(producer.ptr()))
    return nb::borrow(producer);
  for (bool isNew : {true, false})
    try {
      return isNew ? producer.attr("__dlpack__")(nb::arg("max_version") = nb::make_tuple(1, 1))
                   : producer.attr("__dlpack__")();
    } catch (nb::python_error &error) {
      // Producers from before DLPack 1.0 do not know max_version.
      if (!error.matches(PyExc_TypeError))
        break;
    }
  return nb::borrow(producer);
}

/// Checks a capsule as far as possible without following its data pointer. Accepts other objects.
void checkCapsule(nb::handle capsule) {
  if (!PyCapsule_CheckExact(capsule.ptr()))
    return;
  const DLTensor *tensor = nullptr;
  auto number = [](int64_t value) { return std::to_string(value); };
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto *managed = static_cast<DLManagedTensorVersioned *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    DLPackVersion version = managed->version;
    if (version.major != DLPACK_MAJOR_VERSION)
      throw makeError(Diagnostic::DLPackVersion,
                      {{"got", number(version.major) + "." + number(version.minor)},
                       {"expected", number(DLPACK_MAJOR_VERSION)}});
    tensor = &managed->dl_tensor;
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    auto *managed = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    tensor = &managed->dl_tensor;
  } else {
    const char *name = PyCapsule_GetName(capsule.ptr());
    throw makeError(Diagnostic::DLPackCapsule, {{"got", name ? name : ""}});
  }
  std::string problem;
  if (tensor->ndim < 0 || tensor->ndim > kMostModes)
    problem = "ndim " + number(tensor->ndim);
  else if (tensor->ndim && !tensor->shape)
    problem = "a shape that is null, ndim " + number(tensor->ndim);
  for (int mode = 0; problem.empty() && mode < tensor->ndim; ++mode)
    if (tensor->shape[mode] < 0)
      problem = "the extent " + number(tensor->shape[mode]);
  if (!problem.empty())
    throw makeError(Diagnostic::DLPackMalformed, {{"got", problem}});
}

/// (numeric class, shape, strides in elements, address of the first element, device type, device
/// id)
nb::tuple describeTensor(nb::object producer) {
  nb::ndarray<nb::ro> array;
  nb::object capsule = exported(producer);
  checkCapsule(capsule);
  if (!nb::try_cast(capsule, array))
    throw makeError(Diagnostic::DLPackExpected, {{"got", typeName(producer)}});
  nb::dlpack::dtype type = array.dtype();
  // Elements of 4 bits come in pairs (torch's float4_e2m1fn_x2), which lie along one mode.
  bool pairs = type.bits == 4 && type.lanes == 2;
  std::optional<DType> dtype =
      fromDLDataType({type.code, type.bits, static_cast<uint16_t>(pairs ? 1 : type.lanes)});
  std::optional<size_t> paired = pairs ? pairedMode(array) : std::nullopt;
  if (!dtype || (pairs && !paired))
    throw makeError(Diagnostic::DLPackDType, {{"got", typeText(type)}});
  nb::list shape, strides;
  for (size_t mode = 0; mode < array.ndim(); ++mode) {
    shape.append(array.shape(mode) * (mode == paired ? 2 : 1));
    strides.append(array.stride(mode) * (pairs && mode != paired ? 2 : 1));
  }
  return nb::make_tuple(nb::borrow(classOf(*dtype)), nb::tuple(shape), nb::tuple(strides),
                        reinterpret_cast<uintptr_t>(array.data()), array.device_type(),
                        array.device_id());
}

} // namespace

void bindDLPack(nb::module_ &m) {
  m.def("retype_dlpack", &retype, nb::arg("capsule"), nb::arg("dtype"),
        "Gives what an unused DLPack capsule holds another element type of the same width.");
  m.def("describe_dlpack", &describeTensor, nb::arg("producer").none(),
        "(numeric class, shape, strides in elements, address, DLPack device type, device id) of a "
        "tensor.");
}

} // namespace fairlead::python
