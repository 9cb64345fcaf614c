/// Attributes of a launch. Fairlead's own; Apache's headers have no such file.
#ifndef TVM_FFI_EXTRA_CUDA_LAUNCH_ATTRIBUTES_H_
#define TVM_FFI_EXTRA_CUDA_LAUNCH_ATTRIBUTES_H_

#include <tvm/ffi/extra/cuda/base.h>

namespace tvm {
namespace ffi {

/// Attributes of one launch, gathered one after another:
/// `LaunchAttributes().Cluster({2, 1, 1}).ProgrammaticDependentLaunch()`.
/// One that is set twice keeps the last value.
class LaunchAttributes {
public:
  /// Blocks that run together and reach each other's shared memory; the grid is a multiple of it in
  /// every dimension. {1, 1, 1} is none.
  LaunchAttributes &Cluster(dim3 blocks) {
    auto &value = Slot(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
    value.x = blocks.x, value.y = blocks.y, value.z = blocks.z;
    return *this;
  }

  /// The launch may start while the one before it in the stream still runs; the kernel waits with
  /// `griddepcontrol.wait` (cudaGridDependencySynchronize) for what it needs of it.
  LaunchAttributes &ProgrammaticDependentLaunch(bool allowed = true) {
    Slot(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        .programmaticStreamSerializationAllowed = allowed;
    return *this;
  }

  /// All blocks are on the device at once, so that they can wait for each other; the launch fails
  /// when they do not fit.
  LaunchAttributes &Cooperative(bool cooperative = true) {
    Slot(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = cooperative;
    return *this;
  }

  /// Lower numbers run first; the device's range is that of its streams.
  LaunchAttributes &Priority(int priority) {
    Slot(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = priority;
    return *this;
  }

  CUlaunchAttribute *data() { return attributes; }
  unsigned size() const { return count; }

private:
  CUlaunchAttributeValue &Slot(CUlaunchAttributeID id) {
    for (unsigned i = 0; i < count; ++i)
      if (attributes[i].id == id)
        return attributes[i].value;
    attributes[count].id = id;
    return attributes[count++].value;
  }

  CUlaunchAttribute attributes[4] = {};
  unsigned count = 0;
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_CUDA_LAUNCH_ATTRIBUTES_H_
