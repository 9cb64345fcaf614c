/// Targets: their texts, and artifacts with several.
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

TEST(Target, Texts) {
  for (const char *text : {"cpu", "cpu:x86-64", "cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4",
                           "cuda:sm_80", "cuda:sm_90a", "cuda:sm_120f", "ptx:compute_90a"})
    EXPECT_EQ(Target::parse(text, "").str(), text);
  EXPECT_EQ(Target::parse("sm_80", "").str(), "cuda:sm_80");
  EXPECT_EQ(Target::parse("compute_80", "").str(), "ptx:compute_80");
  EXPECT_EQ(joinTargets(Target::parseList("cpu:any , sm_80,cpu:x86-64", "")),
            "cpu:x86-64, cpu:x86-64-v3, cpu:x86-64-v4, cuda:sm_80");
  for (const char *text : {"", "gpu", "cpu:", "cpu:x86-64-v5", "cuda:", "cuda:compute_90",
                           "ptx:sm_90", "ptx:", "sm_9", "cpu:any", "cpu cuda:sm_80"})
    EXPECT_THROW(Target::parse(text, "the test"), Error) << text;
  for (const char *text : {"cuda:sm_10", "sm_999", "cuda:sm_80a", "ptx:compute_20"}) {
    try {
      Target::parse(text, "the test");
      ADD_FAILURE() << text;
    } catch (const Error &error) {
      EXPECT_NE(std::string_view(error.what()).find("unknown GPU architecture"),
                std::string_view::npos);
      EXPECT_NE(std::string_view(error.what()).find("_90a, "), std::string_view::npos);
    }
  }
  for (const char *text : {"", ",", "cpu,", ",cpu", "cpu,,cuda:sm_80"})
    EXPECT_THROW(Target::parseList(text, "the test"), Error) << text;
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
