/// Compiling, loading and calling from many threads at once.
#include <atomic>
#include <thread>

#include "Kernels.h"

namespace fairlead {
namespace {

constexpr int kThreads = 8, kRounds = 3;

TEST(Threads, EightCompileAndCallDifferentKernelsAtOnce) {
  std::atomic<int> wrong = 0, done = 0;
  auto work = [&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      auto addend = static_cast<float>(thread * 10 + round);
      tvm::ffi::Function f = makeFunction(compileMap(
          DType::Float32, DType::Float32, [addend](fl::Scalar x) { return x * 2.0f + addend; }));
      HostTensor<float> a(std::vector<float>(3000, 1.5f), {3000}, DType::Float32),
          b(std::vector<float>(3000, -1), {3000}, DType::Float32);
      for (int call = 0; call < 20; ++call)
        f(&a.view, &b.view);
      for (float value : b.data)
        wrong += value != 3.0f + addend;
      ++done;
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back(work, thread);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(done, kThreads * kRounds);
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, OneFunctionCalledFromMany) {
  tvm::ffi::Function f = makeFunction(
      compileMap(DType::Float32, DType::Float32, [](fl::Scalar x) { return x + 1.0f; }));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      HostTensor<float> a(std::vector<float>(20000, static_cast<float>(thread)), {20000},
                          DType::Float32),
          b(std::vector<float>(20000, -1), {20000}, DType::Float32);
      for (int call = 0; call < 50; ++call)
        f(&a.view, &b.view);
      for (float value : b.data)
        wrong += value != static_cast<float>(thread) + 1;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace fairlead
