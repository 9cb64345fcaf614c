/// The disk cache on the C++ surface.
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "Kernels.h"
#include "fairlead/Error.h"

namespace fairlead {
namespace {

class CompileCacheTest : public testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/fairlead-compile-cache-XXXXXX";
    folder = ::mkdtemp(pattern);
    ::setenv("FAIRLEAD_CACHE_DIR", folder.c_str(), 1);
    ::unsetenv("FAIRLEAD_NO_CACHE");
  }
  void TearDown() override {
    ::unsetenv("FAIRLEAD_CACHE_DIR");
    ::unsetenv("FAIRLEAD_NEVER_COMPILE");
    std::filesystem::remove_all(folder);
  }
  static std::shared_ptr<const Artifact> plus(float value, bool cache = true) {
    CompileOptions options = cpuOptions();
    options.cache = cache;
    return compileMap(
        DType::Float32, DType::Float32, [value](fl::Scalar x) { return x + value; }, options);
  }
  static float run(const Artifact &artifact) {
    HostTensor<float> a({1.0f}, {1}, DType::Float32), b({0.0f}, {1}, DType::Float32);
    tvm::ffi::Function::FromExternC(nullptr, reinterpret_cast<TVMFFISafeCallType>(artifact.entry()),
                                    nullptr)(&a.view, &b.view);
    return b.data[0];
  }
  std::string folder;
};

TEST_F(CompileCacheTest, ASecondCompileIsFound) {
  auto first = plus(2), second = plus(2), other = plus(3);
  EXPECT_FALSE(first->cached());
  EXPECT_TRUE(second->cached());
  EXPECT_FALSE(other->cached());
  EXPECT_EQ(first->object(), second->object());
  EXPECT_EQ(first->ir(), second->ir());
  EXPECT_EQ(run(*first), 3.0f);
  EXPECT_EQ(run(*second), 3.0f);
  EXPECT_EQ(run(*other), 4.0f);
}

TEST_F(CompileCacheTest, WithoutIt) {
  plus(2);
  EXPECT_FALSE(plus(2, false)->cached());
}

TEST_F(CompileCacheTest, NeverCompile) {
  plus(2);
  ::setenv("FAIRLEAD_NEVER_COMPILE", "1", 1);
  EXPECT_EQ(run(*plus(2)), 3.0f);
  try {
    plus(5);
    FAIL() << "compiled";
  } catch (const Error &error) {
    EXPECT_EQ(
        std::string(error.what()),
        "`map(a: Tensor([n0], float32), b: Tensor([n0], float32))` for cpu is not in the cache (" +
            folder + "/programs), and FAIRLEAD_NEVER_COMPILE forbids compiling it");
  }
}

TEST_F(CompileCacheTest, ThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i)
        wrong += run(*plus(static_cast<float>(i))) != 1.0f + static_cast<float>(i);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace fairlead
