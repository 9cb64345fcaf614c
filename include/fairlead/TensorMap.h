/// Tensor maps: what copies of boxes (TMA) go by. Generated code fills in the fields, and the
/// runtime makes the 128 bytes that a kernel gets.
#pragma once

#include "fairlead/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The fields of a tensor map. The layout is part of exported objects.
typedef struct FairleadTensorMap {
  void *address;        ///< of the first element
  int64_t extents[5];   ///< in elements, dimension 0 contiguous
  int64_t strides[4];   ///< of dimensions 1 to 4, in bytes
  int32_t box[5];       ///< in elements
  int32_t rank;         ///< dimensions: 1 to 5
  int32_t type;         ///< CUtensorMapDataType
  int32_t element_size; ///< bytes
  /// Swizzle of shared memory, in rows of 16 << swizzle bytes: 0 (none) to 3. 4: rows of 128 bytes
  /// in units of 32.
  int32_t swizzle;
  int32_t reserved; ///< 0
} FairleadTensorMap;

/// Writes the CUtensorMap of the fields to `target`, 128 bytes at an address divisible by 64. Each
/// thread caches its most recent maps. A failure raises RuntimeError with the fields.
FAIRLEAD_RUNTIME_API void FairleadCudaTensorMap(FairleadCallContext *context,
                                                const FairleadTensorMap *fields, void *target);

/// Copies the fields themselves, which kernels compiled for the CPU use. Raises ValueError for
/// fields that no GPU accepts.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMap(FairleadCallContext *context,
                                               const FairleadTensorMap *fields, void *target);

#ifdef __cplusplus
}
#endif
