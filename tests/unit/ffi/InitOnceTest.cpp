/// Handles that are made on first use.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {
std::atomic<int> inits{0};
int target = 0;
void *outerHandle = nullptr, *innerHandle = nullptr, *selfHandle = nullptr;

int initSlowly(void **result) {
  ++inits;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  *result = &target;
  return 0;
}
int initOuter(void **result) {
  *result = &target;
  return TVMFFIHandleInitOnce(&innerHandle, initSlowly);
}
int initSelf(void **result) {
  *result = &target;
  return TVMFFIHandleInitOnce(&selfHandle, initSelf);
}
} // namespace

TEST(InitOnce, RunsOnceForManyThreads) {
  void *handle = nullptr;
  inits = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      EXPECT_EQ(TVMFFIHandleInitOnce(&handle, initSlowly), 0);
      EXPECT_EQ(__atomic_load_n(&handle, __ATOMIC_ACQUIRE), &target);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(inits, 1);
}

TEST(InitOnce, MayNeedAnotherHandle) {
  EXPECT_EQ(TVMFFIHandleInitOnce(&outerHandle, initOuter), 0);
  EXPECT_EQ(outerHandle, &target);
  EXPECT_EQ(innerHandle, &target);
}

TEST(InitOnce, FailuresCanBeTriedAgain) {
  void *handle = nullptr;
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, [](void **) { return 7; }), 7);
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, [](void **) { return 0; }), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message(), "init_func must return a non-NULL handle");
  EXPECT_EQ(TVMFFIHandleInitOnce(&selfHandle, initSelf), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message(),
            "TVMFFIHandleInitOnce: init_func asks for its own handle");
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, initSlowly), 0);
}

TEST(InitOnce, DeinitTakesTheHandleOut) {
  void *handle = &target;
  static int deinits;
  deinits = 0;
  auto deinit = [](void *old) {
    deinits += old == &target;
    return 0;
  };
  EXPECT_EQ(TVMFFIHandleDeinitOnce(&handle, deinit), 0);
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(TVMFFIHandleDeinitOnce(&handle, deinit), 0);
  EXPECT_EQ(deinits, 1);
}
