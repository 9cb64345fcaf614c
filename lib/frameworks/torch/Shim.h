/// The C functions of libtorch that operators need, found in the process.
#pragma once

#include <cstdint>
#include <string>

#include "dlpack/dlpack.h"

namespace fairlead::frameworks::torch {

using Handle = void *;  ///< of a tensor, or of a library
using Word = uint64_t;  ///< one value of the boxed calling convention
using Status = int32_t; ///< 0: done
using Boxed = void (*)(Word *stack, uint64_t numInputs, uint64_t numOutputs);

/// torch::CppFunction, whose size only torch knows. Like it, this one is passed and returned by
/// address; it has no destructor that does something.
struct CppFunction {
  CppFunction() = default;
  CppFunction(const CppFunction &) = delete;
  ~CppFunction() {}

  alignas(16) unsigned char bytes[1024];
};

/// load() fails unless all of them exist. A comment marks the optional ones.
struct Shim {
  Status (*initFragment)(const char *nameSpace, const char *file, uint32_t line, Handle *);
  Status (*initImpl)(const char *nameSpace, const char *key, const char *file, uint32_t line,
                     Handle *);
  Status (*define)(Handle library, const char *schema);
  /// From 2.10; null before, where the other is there.
  Status (*implement)(Handle library, const char *name, Boxed, uint64_t version);
  Status (*implementUnversioned)(Handle library, const char *name, Boxed);

  Status (*deleteTensor)(Handle);
  Status (*data)(Handle, void **);
  Status (*rank)(Handle, int64_t *);
  Status (*sizes)(Handle, int64_t **);
  Status (*strides)(Handle, int64_t **);
  Status (*dtype)(Handle, int32_t *);
  Status (*deviceType)(Handle, int32_t *);
  Status (*deviceIndex)(Handle, int32_t *);
  Status (*emptyStrided)(int64_t rank, const int64_t *sizes, const int64_t *strides, int32_t dtype,
                         int32_t deviceType, int32_t deviceIndex, Handle *);

  /// Null unless torch was built for CUDA.
  Status (*cudaStream)(int32_t device, void **);
  /// Tells autograd that an at::Tensor (the handle) was written. A C++ function; null if this torch
  /// has another name for it.
  void (*bumpVersion)(Handle);
  /// Returns null if no derivative can be taken of the tensor with this TensorImpl. C++, may be
  /// null.
  void *(*autogradMeta)(const void *impl);
  /// Returns the address of the tensor's tangent at a level of forward mode; `undefined` stands for
  /// no tangent. Takes the TensorImpl and the at::Tensor. C++, may be null.
  const void *const *(*tangent)(const void *impl, uint64_t level, Handle);
  const void *undefined;
  /// Functions for kernels of autograd. C++ functions except for the last ones; all null if this
  /// torch lacks one of them.
  struct Autograd {
    CppFunction (*makeFallback)(); ///< the kernel of operators that have none for autograd
    void (*destroy)(CppFunction *);
    void *(*implement)(Handle library, const char *name, CppFunction &, uint8_t verify);
    bool (*requiresGrad)(const void *impl);
    bool (*isEnabled)(); ///< grad mode
    Status (*toValue)(Handle tensor, void **value);
    Status (*deleteValue)(void *value);
  } autograd;
  /// The text of the last failure; null before 2.13.
  const char *(*what)();

  int32_t cpu, cuda; ///< codes of devices

  /// The element type of torch's code, bits 0 where DLPack has none; and back, -1.
  DLDataType elementType(int32_t code) const;
  int32_t codeOf(DLDataType type) const;

  /// Returns null if torch is not in the process or lacks functions. Then `missing`
  /// describes the torch in the process.
  static const Shim *load(std::string &missing);

private:
  static constexpr int kCodes = 64;
  DLDataType types[kCodes];

  void findAutograd(void *library, void *core);
  void readTypes(void *library);
};

} // namespace fairlead::frameworks::torch
