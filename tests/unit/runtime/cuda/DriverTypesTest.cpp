/// Compares our declarations of the driver's interface with the toolkit's own header. Built where
/// there is one.
#include <cuda.h>
#include <gtest/gtest.h>

#include "runtime/cuda/DriverTypes.h"

namespace {

namespace ours = fairlead::cuda::driver;

#define SAME_FIELD(type, field)                                                                    \
  static_assert(offsetof(ours::type, field) == offsetof(::type, field));                           \
  static_assert(sizeof(ours::type::field) == sizeof(::type::field))

static_assert(sizeof(ours::CUlaunchConfig) == sizeof(::CUlaunchConfig));
SAME_FIELD(CUlaunchConfig, gridDimX);
SAME_FIELD(CUlaunchConfig, gridDimZ);
SAME_FIELD(CUlaunchConfig, blockDimX);
SAME_FIELD(CUlaunchConfig, blockDimZ);
SAME_FIELD(CUlaunchConfig, sharedMemBytes);
SAME_FIELD(CUlaunchConfig, hStream);
SAME_FIELD(CUlaunchConfig, attrs);
SAME_FIELD(CUlaunchConfig, numAttrs);
static_assert(sizeof(ours::CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
SAME_FIELD(CUlaunchAttribute, id);
SAME_FIELD(CUlaunchAttribute, value);
SAME_FIELD(CUlaunchAttributeValue, clusterDim);
SAME_FIELD(CUlaunchAttributeValue, cooperative);
SAME_FIELD(CUlaunchAttributeValue, programmaticStreamSerializationAllowed);
SAME_FIELD(CUlaunchAttributeValue, programmaticEvent);
SAME_FIELD(CUlaunchAttributeValue, launchCompletionEvent);
SAME_FIELD(CUlaunchAttributeValue, preferredClusterDim);
SAME_FIELD(CUlaunchAttributeValue, sharedMemCarveout);

#define SAME_NUMBER(name) EXPECT_EQ(int(ours::name), int(::name))

TEST(DriverTypes, NumbersAreTheToolkits) {
  SAME_NUMBER(CUDA_ERROR_INVALID_VALUE);
  SAME_NUMBER(CUDA_ERROR_OUT_OF_MEMORY);
  SAME_NUMBER(CUDA_ERROR_OPERATING_SYSTEM);
  SAME_NUMBER(CUDA_ERROR_SYSTEM_NOT_READY);
  SAME_NUMBER(CUDA_ERROR_NO_DEVICE);
  SAME_NUMBER(CUDA_ERROR_INVALID_DEVICE);
  SAME_NUMBER(CUDA_ERROR_NOT_FOUND);
  SAME_NUMBER(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  SAME_NUMBER(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  SAME_NUMBER(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  SAME_NUMBER(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  SAME_NUMBER(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  SAME_NUMBER(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  SAME_NUMBER(CU_JIT_ERROR_LOG_BUFFER);
  SAME_NUMBER(CU_JIT_GENERATE_LINE_INFO);
  SAME_NUMBER(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
  SAME_NUMBER(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION);
  SAME_NUMBER(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
  SAME_NUMBER(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  SAME_NUMBER(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  SAME_NUMBER(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  SAME_NUMBER(CU_STREAM_CAPTURE_MODE_RELAXED);
  SAME_NUMBER(CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  SAME_NUMBER(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  SAME_NUMBER(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
}

} // namespace
