/// A stand-in for libcuda.so.1 that needs no GPU: it keeps contexts, libraries and kernels as plain
/// records, checks as the real driver does, and remembers every launch. Three devices: cuda:0
/// and cuda:1 of capability 9.0, cuda:2 of 8.0. `$FAKE_CUDA_MODE` makes it fail: "none" (no
/// device), "memory" (too little for cuInit), "old" (a driver without the library API).
///
/// An image is a text: "kernels a b c" has those kernels; "refuse 218 words" is refused with that
/// error and that log. CUBINs, fatbins and PTX have any kernel that is asked for.
#ifndef FAIRLEAD_TESTS_UNIT_CUDA_FAKE_FAKEDRIVER_H
#define FAIRLEAD_TESTS_UNIT_CUDA_FAKE_FAKEDRIVER_H

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace fairlead::test {

struct FakeLaunch {
  std::string kernel;
  int device;
  void *stream;
  unsigned grid[3], block[3], cluster[3], shared;
  int firstParam; ///< *(int *)params[0], when there are parameters
  unsigned numAttributes;
  int attributes[8];      ///< their ids
  int attributeValues[8]; ///< the first word of each
  bool cooperative, programmatic;
  std::vector<uint64_t> params; ///< 8 bytes at each of the first FakeDriver::numParams parameters
};

/// Static shared memory of every kernel, in bytes.
inline constexpr int kFakeStaticShared = 1000;

/// Reached through the exported function `fairleadFakeDriver`.
struct FakeDriver {
  std::mutex mutex; ///< guards all fields
  std::vector<FakeLaunch> launches;
  int inits = 0, libraryLoads = 0, libraryUnloads = 0, functionLoads = 0, contextSwitches = 0,
      attributeSets = 0;
  int synchronizations = 0;        ///< of contexts
  int captureMode = 0;             ///< that a thread has set last
  void *capturing = nullptr;       ///< the stream that is being captured
  int captureQuestions = 0;        ///< calls of cuStreamIsCapturing
  int failLaunch = 0;              ///< error of the next launches
  int numParams = 0;               ///< parameters to record, each of 8 readable bytes
  std::vector<size_t> paramSizes;  ///< what cuKernelGetParamInfo says of every kernel
  bool knowsParams = false;        ///< it says so
  void *checkMessage = nullptr;    ///< the variable that checked kernels know their message by
  void *timeline = nullptr;        ///< the variable of kernels that record, of all libraries
  bool records = false;            ///< kernels have that variable
  size_t memory = 1 << 20;         ///< bytes that cuMemAlloc gives at most
  std::function<int()> ended;      ///< what a wait for a stream does and gives; none: success
  int contextRetains = 0;          ///< of primary contexts
  int tensorMaps = 0;              ///< that were encoded
  std::vector<std::string> images; ///< what was loaded, the first 256 bytes of each
};

} // namespace fairlead::test
#endif // FAIRLEAD_TESTS_UNIT_CUDA_FAKE_FAKEDRIVER_H
