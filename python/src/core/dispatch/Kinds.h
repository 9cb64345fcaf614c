/// Kinds: the properties of an argument that a compile for a direct call depends on.
#pragma once

#include "call/Call.h"

#include <cstring>
#include <vector>

namespace fairlead::python {

/// The kind of one value.
struct Kind {
  uint64_t first, second;
  bool operator==(const Kind &other) const {
    return first == other.first && second == other.second;
  }
};

enum KindTag : uint64_t {
  kStaticTag = 1,
  kNoneTag,
  kIntTag,
  kFloatTag,
  kBoolTag,
  kStreamTag,
  kTensorTag,
  kNumberedTag, ///< `second` is its number, the attribute __fairlead_kind__
  kPartsTag     ///< `second` is the address of the type of a tuple or an object with fields
};

/// Finds the strides that a direct call compiles for. These are the stride of 1 of the last mode
/// that has it, which is returned (-1: none), and strides of 0 of modes with more than one element,
/// which `noteZero` receives. Other strides are run-time numbers of the program.
template <typename Note>
inline int keptStrides(int rank, const int64_t *shape, const int64_t *strides, Note noteZero) {
  if (!strides)
    return rank - 1;
  int last = -1;
  for (int i = 0; i < rank; ++i) {
    if (strides[i] == 1)
      last = i;
    if (strides[i] == 0 && shape[i] != 1)
      noteZero(i);
  }
  return last;
}

/// The kind of a tensor; false if it has too many modes.
inline bool describeTensor(const DLTensor &tensor, Kind &kind) {
  if (tensor.ndim > 40) [[unlikely]]
    return false;
  uint64_t zeros = 0;
  int leading = keptStrides(tensor.ndim, tensor.shape, tensor.strides,
                            [&](int mode) { zeros |= uint64_t(1) << mode; });
  uint32_t dtype;
  static_assert(sizeof tensor.dtype == sizeof dtype);
  std::memcpy(&dtype, &tensor.dtype, sizeof dtype);
  kind.first = kTensorTag | uint64_t(dtype) << 8 | uint64_t(tensor.ndim) << 40 |
               uint64_t(tensor.device.device_type) << 48;
  kind.second = uint64_t(leading + 1) | zeros << 8;
  return true;
}

/// True if the call path converts values of this kind to one argument, not None.
inline bool hasOneKind(ArgKind kind) {
  switch (kind) {
  case ArgKind::ExchangeTensor:
  case ArgKind::Int:
  case ArgKind::Float:
  case ArgKind::Bool:
  case ArgKind::Tensor:
  case ArgKind::NumPyArray:
  case ArgKind::DLPack:
  case ArgKind::CudaStream:
  case ArgKind::IntStream:
  case ArgKind::TorchStream:
  case ArgKind::OpaqueSource:
  case ArgKind::RuntimeTensor:
  case ArgKind::ValueSource:
    return true;
  default:
    return false;
  }
}

/// Describes a converted value of such a kind. Returns false, without an exception, if Python code
/// has to look at it.
bool describeValue(ArgKind how, PyObject *object, const TVMFFIAny &value, Kind &kind);

/// keptStrides for Python: kept_strides(shape, strides) takes two tuples of int. It returns a tuple
/// with the constant value of each stride in the program, or None.
PyObject *keptStridesOf(PyObject *, PyObject *args);

/// True if a static value is the one that a program was made for. True differs from 1, 1 from 1.0,
/// and 0.0 from -0.0. For values that cannot change.
bool sameStatic(PyObject *known, PyObject *value);

/// True if sameStatic may compare later values with this one: a hashable value, or a tuple of such.
/// False, and no exception, for lists, dicts and sets, which staticKey compares by their contents.
bool cannotChange(PyObject *value);

/// sameStatic for Python: static_key(value, identified) returns an object that is hashable, and
/// equal for the same static values. Containers count by their contents, unhashable objects by
/// identity; the latter are appended to `identified`, a list. NULL with an exception set.
PyObject *staticKeyOf(PyObject *, PyObject *args);

/// The kinds of the parts of tuples and objects with fields, in the order of their parts in a
/// call.
class Parts {
public:
  /// `function` provides the forms.
  explicit Parts(FunctionObject *function) : call(function, true) {}

  /// Appends the kinds of one value. Returns false, without an exception, if Python code has to
  /// look at it.
  bool add(const Form &form, PyObject *value);

  const Kind *begin() const { return kinds; }
  const Kind *end() const { return kinds + count; }
  bool operator==(const std::vector<Kind> &known) const;
  /// The types whose addresses are among the kinds.
  std::vector<Ref> types() const;

private:
  static constexpr int kMost = 48;

  bool push(Kind kind);
  bool addArgument(PyObject *value);
  bool addItems(const Form &form, PyObject *items);
  bool addFields(const Form &form, PyObject *value);

  Call call;
  Kind kinds[kMost];
  int count = 0;
};

} // namespace fairlead::python
