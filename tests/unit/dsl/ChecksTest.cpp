/// CompileOptions::checks: a mistake of a checked kernel of the C++ DSL is an error of the call.
#include "artifact/Kernels.h"

namespace fairlead {
namespace {

using fl::Scalar;
using fl::Tensor;

/// Calls a kernel of 64 threads for 64 numbers; returns its error, or "".
template <typename Body> std::string checked(const char *checks, Body body) {
  auto host = fl::jit("host", {"a"}, [=](Tensor a) {
    fl::LaunchConfig config;
    config.block[0] = 64;
    fl::launch(fl::kernel("device", body), config, a);
  });
  CompileOptions options = cpuOptions();
  options.checks = checks;
  auto f = makeFunction(compileArtifact(host, {fl::fakeTensor(fl::f32, {64})}, options));
  HostTensor<float> a(std::vector<float>(64, 1.0f), {64}, DType::Float32);
  try {
    f(&a.view);
  } catch (const tvm::ffi::Error &error) {
    return std::string(error.kind()) + ": " + std::string(error.message());
  }
  return "";
}

TEST(Checks, Bounds) {
  auto shifted = [](int by) { return [by](Tensor a) { a[fl::threadIdx().x + by] = 2.0f; }; };
  EXPECT_EQ(checked("all", shifted(0)), "");
  std::string text = checked("bounds", shifted(1));
  EXPECT_NE(text.find("CheckError: bounds: index 64 of mode 0, which has extent 64"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("thread (63, 0, 0) of block (0, 0, 0)"), std::string::npos) << text;
}

TEST(Checks, GuardsByDefault) {
  auto shifted = [](int by) { return [by](Tensor a) { a[fl::threadIdx().x + by] = 2.0f; }; };
  EXPECT_EQ(checked("", shifted(0)), "");
  const std::string text = checked("", shifted(1));
  EXPECT_NE(text.find("CheckError: bounds: index 64 of mode 0, which has extent 64"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("ChecksTest.cpp:"), std::string::npos) << text;
}

TEST(Checks, Races) {
  auto reversed = [](bool barrier) {
    return [barrier](Tensor a) {
      Scalar t = fl::threadIdx().x;
      Tensor s = fl::allocateShared(fl::f32, 256, 16).tensor({Scalar(64)}, {Scalar(1)});
      s[t] = Scalar(a[t]);
      if (barrier)
        fl::syncThreads();
      a[t] = Scalar(s[63 - t]);
    };
  };
  EXPECT_EQ(checked("all", reversed(true)), "");
  EXPECT_EQ(checked("race", reversed(false)).find("CheckError: race: shared memory"), 0u);
}

TEST(Checks, Schedule) {
  auto waiting = [](int arrivals) {
    return [arrivals](Tensor a) {
      Scalar t = fl::threadIdx().x;
      fl::Pointer barrier = fl::allocateShared(DType::Int64, 8, 8);
      fl::if_(t == 0, [&] { fl::initMbarrier(barrier, arrivals); });
      fl::syncThreads();
      fl::arrive(barrier);
      fl::waitMbarrier(barrier, 0);
      a[t] = 2.0f;
    };
  };
  EXPECT_EQ(checked("schedule", waiting(64)), "");
  try {
    checked("all,schedule", waiting(96));
    ADD_FAILURE() << "compiled";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), "CheckError");
    const std::string text = error.what();
    EXPECT_NE(text.find("begun for 96 arrivals, but only 64 come"), std::string::npos) << text;
    EXPECT_NE(text.find("ChecksTest.cpp:"), std::string::npos) << text;
  }
}

TEST(Checks, OtherNames) {
  EXPECT_THROW(checked("bound", [](Tensor) {}), Error);
}

} // namespace
} // namespace fairlead
