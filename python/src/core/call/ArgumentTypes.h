/// How arguments of each Python type convert: decided when a type is first seen, then remembered.
#ifndef FAIRLEAD_PYTHON_CORE_CALL_ARGUMENTTYPES_H_
#define FAIRLEAD_PYTHON_CORE_CALL_ARGUMENTTYPES_H_

#include "Ref.h"

#include <dlpack/dlpack.h>

#include <cstdint>

namespace fairlead::python {

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

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_CALL_ARGUMENTTYPES_H_
