/// Streams, the tensor allocator and signals.
#include <gtest/gtest.h>

#include <thread>

#include "TensorSource.h"
#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {
using Source = TensorSource<DLManagedTensorVersioned>;
Source *nextTensor = nullptr;

int allocate(DLTensor *, DLManagedTensorVersioned **out, void *,
             void (*)(void *, const char *, const char *)) {
  *out = nextTensor ? &nextTensor->managed : nullptr;
  return 0;
}
int failWithError(DLTensor *, DLManagedTensorVersioned **, void *context,
                  void (*setError)(void *, const char *, const char *)) {
  setError(context, "MemoryError", "none left");
  return -5;
}
int failSilently(DLTensor *, DLManagedTensorVersioned **, void *,
                 void (*)(void *, const char *, const char *)) {
  return -1;
}

/// Sets the thread's allocator for a test.
struct AllocatorScope {
  DLPackManagedTensorAllocator old = nullptr;
  explicit AllocatorScope(DLPackManagedTensorAllocator allocator) {
    TVMFFIEnvSetDLPackManagedTensorAllocator(allocator, 0, &old);
  }
  ~AllocatorScope() { TVMFFIEnvSetDLPackManagedTensorAllocator(old, 0, nullptr); }
};

std::string allocError(int expected) {
  int64_t shape[] = {2};
  DLTensor prototype{nullptr, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  TVMFFIObjectHandle handle = nullptr;
  EXPECT_EQ(TVMFFIEnvTensorAlloc(&prototype, &handle), expected);
  return detail::MoveFromSafeCallRaised().message();
}
} // namespace

TEST(Streams, BelongToThreadAndDevice) {
  int a = 0, b = 0;
  TVMFFIStreamHandle old = &a;
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 0), nullptr);
  EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 0, &a, &old), 0);
  EXPECT_EQ(old, nullptr);
  EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 5, &b, nullptr), 0);
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 0), &a);
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 5), &b);
  EXPECT_EQ(TVMFFIEnvGetStream(kDLROCM, 0), nullptr);
  std::thread([] { EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 0), nullptr); }).join();
  EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 0, nullptr, &old), 0);
  EXPECT_EQ(old, &a);
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 0), nullptr);
  EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, -1, &a, nullptr), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().kind(), "ValueError");
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, INT32_MAX), nullptr);
}

TEST(TensorAllocator, MakesTensors) {
  Source source({2});
  nextTensor = &source;
  AllocatorScope scope(allocate);
  {
    Tensor tensor = Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {2}, {kDLFloat, 32, 1}, {kDLCPU, 0});
    EXPECT_EQ(tensor.data_ptr(), source.data.data());
    EXPECT_EQ(tensor.stride(0), 1);
  }
  EXPECT_EQ(source.frees, 1);
}

TEST(TensorAllocator, ReportsFailures) {
  EXPECT_EQ(allocError(-1), "TVMFFIEnvTensorAlloc: allocator is nullptr, likely because "
                            "TVMFFIEnvSetDLPackManagedTensorAllocator has not been called.");
  {
    AllocatorScope scope(failWithError);
    EXPECT_EQ(allocError(-5), "none left");
  }
  {
    AllocatorScope scope(failSilently);
    EXPECT_EQ(allocError(-1),
              "TVMFFIEnvTensorAlloc: the allocator failed with code -1 and without an error");
  }
  AllocatorScope scope(allocate);
  nextTensor = nullptr;
  EXPECT_EQ(allocError(-1), "Check failed: (managed != nullptr) is false: TVMFFIEnvTensorAlloc: "
                            "failed to allocate a tensor from the allocator");
  // A tensor that is refused goes back to its producer.
  Source broken({2});
  broken.managed.version.major = 9;
  nextTensor = &broken;
  allocError(-1);
  EXPECT_EQ(broken.frees, 1);
}

TEST(TensorAllocator, ThreadComesBeforeProcess) {
  TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 1, nullptr);
  std::thread([] {
    EXPECT_EQ(TVMFFIEnvGetDLPackManagedTensorAllocator(), allocate);
    AllocatorScope scope(failSilently);
    EXPECT_EQ(scope.old, nullptr); // the thread's, not the process's
    EXPECT_EQ(TVMFFIEnvGetDLPackManagedTensorAllocator(), failSilently);
  }).join();
  TVMFFIEnvSetDLPackManagedTensorAllocator(nullptr, 1, nullptr);
  EXPECT_EQ(TVMFFIEnvGetDLPackManagedTensorAllocator(), nullptr);
}

namespace {
int signalResult = 0, gilDepth = 0, depthAtCheck = 0;
int checkSignals() {
  depthAtCheck = gilDepth;
  return signalResult;
}
int ensureGil() { return ++gilDepth; }
void releaseGil(int) { --gilDepth; }
} // namespace

TEST(Signals, AreCheckedUnderTheHostsLock) {
  EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
  auto hand = [](const char *name, auto *function) {
    EXPECT_EQ(TVMFFIEnvRegisterCAPI(name, reinterpret_cast<void *>(function)), 0);
  };
  hand("PyErr_CheckSignals", checkSignals);
  hand("PyGILState_Ensure", ensureGil);
  hand("PyGILState_Release", releaseGil);
  EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
  EXPECT_EQ(depthAtCheck, 1);
  EXPECT_EQ(gilDepth, 0);
  signalResult = -1;
  EXPECT_EQ(TVMFFIEnvCheckSignals(), -1);
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  EXPECT_EQ(handle, nullptr); // the error is the host's
  for (const char *name : {"PyErr_CheckSignals", "PyGILState_Ensure", "PyGILState_Release"})
    TVMFFIEnvRegisterCAPI(name, nullptr);
  EXPECT_EQ(TVMFFIEnvRegisterCAPI("Py_Initialize", nullptr), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message(), "Unknown env API Py_Initialize");
}
