/// Artifacts with several targets.
#include "Kernels.h"
#include "fairlead/Error.h"
#include "tvm/ffi/error.h"

namespace fairlead {
namespace {

std::shared_ptr<const Artifact> compileFor(std::string_view targets, const std::string &host = "") {
  CompileOptions options = cpuOptions();
  options.targets = Target::parseList(targets, "the test");
  options.host = host;
  return compileMap(DType::Float32, DType::Float32, [](fl::Scalar x) { return x * 2.0f; }, options);
}

TEST(Targets, SeveralInOneArtifact) {
  auto artifact = compileFor("ptx:compute_80,ptx:compute_90,cpu");
  EXPECT_EQ(artifact->targets().size(), 3u);
  EXPECT_EQ(artifact->target().str(), "ptx:compute_80");
  for (const char *arch : {".target sm_80", ".target sm_90"})
    EXPECT_NE(artifact->object().find(arch), std::string::npos) << arch;
  auto function = makeFunction(artifact);
  HostTensor<float> a({1, 2, 3}, {3}, DType::Float32), b({0, 0, 0}, {3}, DType::Float32);
  function(&a.view, &b.view);
  EXPECT_EQ(b.data, (std::vector<float>{2, 4, 6}));
  a.view.device = {kDLMetal, 1};
  try {
    function(&a.view, &b.view);
    FAIL();
  } catch (const tvm::ffi::Error &error) {
    EXPECT_NE(std::string(error.what())
                  .find("compiled for ptx:compute_80, ptx:compute_90, cpu, but the tensor is on "
                        "metal:1"),
              std::string::npos)
        << error.what();
  }
}

TEST(Targets, AnotherHost) {
  auto artifact = compileFor("ptx:compute_80,cpu", "linux-aarch64");
  EXPECT_EQ(artifact->object().substr(18, 2), std::string("\xb7\0", 2)) << "EM_AARCH64";
  HostTensor<float> a({1}, {1}, DType::Float32);
  try {
    makeFunction(artifact)(&a.view, &a.view);
    FAIL();
  } catch (const tvm::ffi::Error &error) {
    EXPECT_NE(std::string(error.what()).find("compiled for aarch64-unknown-linux-gnu"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(compileFor("cpu:x86-64-v3", "linux-aarch64"), Error);
  EXPECT_THROW(compileFor("cpu", "linux-vax"), Error);
}

} // namespace
} // namespace fairlead
