/// fairlead._core.Function: a function of the ABI that Python calls, and how arguments of each
/// Python type convert.
#pragma once

#include <cstdint>
#include <dlpack/dlpack.h>

#include "Ref.h"
#include "call/CallDescription.h"
#include "object/Object.h"

namespace fairlead::python {

/// How arguments of each Python type convert: decided when a type is first seen, then remembered.
enum class ArgKind : uint8_t {
  // Handled in line by the call path.
  ExchangeTensor, ///< class attribute __dlpack_c_exchange_api__
  Int,            ///< int and its subclasses
  Bool,
  Float, ///< float and its subclasses
  None,
  // Handled out of line.
  Object,       ///< fairlead._core.Object, Function
  Tensor,       ///< fairlead._core.Tensor
  Handle,       ///< another package's objects of the ABI: __chandle__
  HandleSource, ///< __tvm_ffi_object__
  NumPyArray,
  CudaStream,  ///< __cuda_stream__
  IntStream,   ///< cuda.bindings' CUstream: int()
  TorchStream, ///< torch.cuda.Stream of releases without __cuda_stream__
  Capsule,
  DLPack, ///< __dlpack__
  Truth,  ///< NumPy's bool
  Index,  ///< __index__
  Real,   ///< __float__
  DataType,
  Device,
  Str,
  Bytes,
  Sequence, ///< tuple, list
  Dict,
  Shape,         ///< fairlead.ffi.Shape
  VoidPtr,       ///< ctypes.c_void_p
  OpaqueSource,  ///< __tvm_ffi_opaque_ptr__
  OpaqueHandled, ///< a class in state.opaqueHandlers
  Convertible,   ///< fairlead.ffi.ObjectConvertible
  IntSource,     ///< __tvm_ffi_int__
  FloatSource,   ///< __tvm_ffi_float__
  ValueSource,   ///< __tvm_ffi_value__
  RuntimeTensor, ///< of fairlead.cute.runtime: holds the tensor to pass
  FrameworkType, ///< torch.dtype, numpy.dtype
  Callable,
  RValue,       ///< what Object._move returns
  Exception,    ///< becomes an Error
  DTypeSource,  ///< __dlpack_data_type__
  DeviceSource, ///< __dlpack_device__ without __dlpack__
  Opaque,       ///< any other object: passed as it is
};

/// Never moves; is taken for another type only after `type` is gone.
struct TypeEntry {
  PyTypeObject *type; ///< borrowed; NULL once the type is gone
  ArgKind kind;
  /// For ExchangeTensor.
  const DLPackExchangeAPI *api;
  /// A view of an argument; may be NULL.
  DLPackDLTensorFromPyObjectNoSync toDLTensor;
  bool plainTorch;     ///< torch.Tensor or torch.nn.Parameter
  bool isJax;          ///< of DLPack: an array of JAX
  bool isCuPy;         ///< of DLPack: an array of CuPy
  bool isTorchWrapper; ///< of DLPack: see refuseTorchWrapper
  bool tellsStream;    ///< of DLPack: has `__tvm_ffi_env_stream__`, which gives its current stream
};

/// Returns the entry of `type`; NULL with an exception set if inspecting it failed. Needs the GIL.
const TypeEntry *findType(PyTypeObject *type);

/// The attribute of a Function that has the callable it was made of.
inline constexpr const char *kWrappedAttribute = "__wrapped__";

/// The attribute of a Function that takes over its calls when torch traces, transforms or
/// differentiates.
inline constexpr const char *kOperatorAttribute = "_torch_operator";

struct FunctionObject {
  ObjectObject object;
  vectorcallfunc vectorcall;
  /// The entry of a call: the object's own, or the symbol behind it if that is known.
  TVMFFISafeCallType safeCall;
  /// The callee keeps no tensor argument: it is handed views.
  bool views;
  /// Other Python threads run during the call.
  bool releaseGil;
  /// The callee may allocate: it finds the allocator of the arguments' framework.
  bool envAllocator;
  /// Bit i: the callee writes argument i, a tensor. torch's autograd is notified.
  unsigned long long written;
  PyObject *name;        ///< str, or NULL
  PyObject *signature;   ///< str, or NULL
  CallDescription *call; ///< its parameters; an empty description if unknown
  PyObject *dict;
  PyObject *weakrefs;
  /// How the last call's arguments converted, by position.
  const TypeEntry *cache[kInlineArgs];
  /// Bit i: the callee is known to write, or only to read, its argument i, a tensor; the last bit
  /// is for all further arguments together. No bit in either: nothing is known.
  unsigned long long stores, loads;
  /// Takes tensors of torch that require grad, without their gradients, as published programs
  /// expect.
  bool detaches;
};

/// True if the bit of argument `index` is set in FunctionObject's `stores` or `loads`.
inline bool hasArgument(unsigned long long bits, int index) {
  return bits >> (index < 63 ? index : 63) & 1;
}

/// A Function around `handle`, which it takes over even when it fails. `type` is Function or a
/// subclass.
PyObject *newFunctionObject(PyTypeObject *type, TVMFFIObjectHandle handle);

/// Calls a Function: the vectorcall slot.
PyObject *callFunction(PyObject *self, PyObject *const *args, size_t numArgsFlags, PyObject *names);

/// Keeps the fast call for a class written in Python that derives from a class of this module,
/// unless it has its own `__call__`. Python before 3.12 takes the fast call away. The `__call__`
/// that _show_call sets is only for readers. False with an exception set.
bool keepFastCall(PyTypeObject *subclass);

/// False if the class of the function has its own `__call__`.
inline bool hasFastCall(const FunctionObject *function) {
  return PyType_HasFeature(Py_TYPE(reinterpret_cast<const PyObject *>(function)),
                           Py_TPFLAGS_HAVE_VECTORCALL);
}

/// The text that errors show for the function: its signature, else its name. Never fails.
Ref describeFunction(FunctionObject *function);

} // namespace fairlead::python
