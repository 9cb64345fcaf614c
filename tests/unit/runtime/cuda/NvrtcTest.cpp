#include "fairlead/cuda/Nvrtc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "fairlead/cuda/Image.h"
#include "runtime/cuda/tools/SearchPath.h"

namespace {

using namespace fairlead::cuda;

constexpr const char *kAddOne = R"(
extern "C" __global__ void add_one(float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + STEP;
})";

constexpr const char *kScale = R"(
template <typename T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }
)";

class Nvrtc : public testing::Test {
protected:
  static void SetUpTestSuite() {
#ifdef FAIRLEAD_PYTHON_SITE
    addPackageFolder(FAIRLEAD_PYTHON_SITE);
#endif
  }
  void SetUp() override {
    if (nvrtcVersion().empty())
      GTEST_SKIP() << "no NVRTC on this machine";
  }
};

TEST_F(Nvrtc, MakesACubin) {
  NvrtcResult result = compileWithNvrtc(kAddOne, {.arch = "sm_90a", .extra = {"-DSTEP=1.0f"}});
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.tool.rfind("NVRTC " + nvrtcVersion() + " (", 0), 0u) << result.tool;
  ImageInfo info = readImage(result.image);
  ASSERT_EQ(info.error, "");
  ASSERT_EQ(info.parts.size(), 1u);
  EXPECT_EQ(info.parts[0].kind, ImageKind::Cubin);
  EXPECT_EQ(info.parts[0].arch, "sm_90a");
  ASSERT_EQ(info.parts[0].kernels.size(), 1u);
  EXPECT_EQ(info.parts[0].kernels[0].name, "add_one");
}

TEST_F(Nvrtc, MakesPtx) {
  NvrtcResult result = compileWithNvrtc(kAddOne, {.arch = "compute_80", .extra = {"-DSTEP=2.0f"}});
  ASSERT_EQ(result.error, "");
  EXPECT_NE(result.image.find(".entry add_one"), std::string::npos) << result.image;
  EXPECT_NE(result.image.find(".target sm_80"), std::string::npos) << result.image;
  EXPECT_EQ(result.image.find('\0'), std::string::npos);
}

TEST_F(Nvrtc, NamesTemplateInstances) {
  NvrtcResult result = compileWithNvrtc(
      kScale, {.arch = "sm_80", .nameExpressions = {"scale<float>", "scale<double>"}});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.symbols.size(), 2u);
  EXPECT_NE(result.symbols[0], result.symbols[1]);
  ImageInfo info = readImage(result.image);
  ASSERT_EQ(info.parts.size(), 1u);
  std::vector<std::string> names;
  for (const ImageKernel &kernel : info.parts[0].kernels)
    names.push_back(kernel.name);
  for (const std::string &symbol : result.symbols)
    EXPECT_NE(std::find(names.begin(), names.end(), symbol), names.end()) << symbol;
}

TEST_F(Nvrtc, AnUnknownNameExpressionIsAnError) {
  NvrtcResult result =
      compileWithNvrtc(kScale, {.arch = "sm_80", .nameExpressions = {"shrink<float>"}});
  EXPECT_EQ(result.image, "");
  EXPECT_NE(result.error.find("shrink"), std::string::npos) << result.error;
}

TEST_F(Nvrtc, TheErrorHoldsTheLog) {
  NvrtcResult result = compileWithNvrtc("extern \"C\" __global__ void f() {\n  missing();\n}",
                                        {.name = "given.cu", .arch = "sm_80"});
  EXPECT_EQ(result.image, "");
  EXPECT_NE(result.error.find("given.cu(2): error"), std::string::npos) << result.error;
  EXPECT_NE(result.error.find("missing"), std::string::npos) << result.error;
}

TEST_F(Nvrtc, WarningsAreInTheLog) {
  NvrtcResult result =
      compileWithNvrtc("extern \"C\" __global__ void f() {\n  int unused;\n}", {.arch = "sm_80"});
  EXPECT_EQ(result.error, "");
  EXPECT_NE(result.log.find("unused"), std::string::npos) << result.log;
}

TEST_F(Nvrtc, SaysWhichArchitecturesItKnows) {
  NvrtcResult result = compileWithNvrtc(kScale, {.arch = "sm_20"});
  EXPECT_EQ(result.image, "");
  EXPECT_NE(result.error.find("This NVRTC compiles for "), std::string::npos) << result.error;
  EXPECT_NE(result.error.find(", 90"), std::string::npos) << result.error;
}

TEST_F(Nvrtc, RefusesBadRequests) {
  auto error = [](std::string_view source, NvrtcOptions options) {
    NvrtcResult result = compileWithNvrtc(source, options);
    EXPECT_EQ(result.image, "");
    return result.error;
  };
  EXPECT_EQ(error(kScale, {}), "expected an architecture like sm_90a or compute_90, but got ``");
  EXPECT_EQ(error(kScale, {.arch = "sm_90a -I/"}),
            "expected an architecture like sm_90a or compute_90, but got `sm_90a -I/`");
  EXPECT_EQ(error("", {.arch = "sm_80"}), "the CUDA source is empty");
  EXPECT_EQ(error(std::string_view("a\0b", 3), {.arch = "sm_80"}),
            "the CUDA source has a NUL character");
  EXPECT_EQ(error(kScale, {.arch = "sm_80", .extra = {"-arch=sm_90"}}),
            "the option -arch=sm_90 contradicts the architecture, which is given apart: sm_80");
  EXPECT_EQ(error(kScale, {.arch = "sm_80", .extra = {""}}),
            "an option of NVRTC is empty or has a NUL character");
  EXPECT_EQ(error(kScale, {.arch = "sm_80", .nameExpressions = {""}}),
            "a name expression is empty or has a NUL character");
  EXPECT_NE(error(kScale, {.arch = "sm_80", .extra = {"--no-such-option"}}).find("no-such-option"),
            std::string::npos);
}

TEST_F(Nvrtc, FindsTheHeadersOfCuda) {
  NvrtcResult result = compileWithNvrtc(
      "#include <cuda_fp16.h>\nextern \"C\" __global__ void f(__half *x) { *x = __hadd(*x, *x); }",
      {.arch = "sm_80"});
  if (result.error.find("could not open source file \"cuda_fp16.h\"") != std::string::npos)
    GTEST_SKIP() << "no CUDA headers on this machine";
  EXPECT_EQ(result.error, "");
}

TEST_F(Nvrtc, CompilesInSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<std::string> errors(4, "not run");
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::string step = "-DSTEP=" + std::to_string(t) + ".0f";
      errors[t] = compileWithNvrtc(kAddOne, {.arch = "sm_80", .extra = {step}}).error;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(errors, std::vector<std::string>(4));
}

/// The output of a fresh process that has not yet looked for NVRTC.
int withNvrtcAt(const char *path, const char *expected) {
  setenv("FAIRLEAD_NVRTC", path, 1);
  NvrtcResult result = compileWithNvrtc(kScale, {.arch = "sm_80"});
  bool right = result.image.empty() && result.tool.empty() &&
               result.error.find("CUDA C++ source needs NVRTC") == 0 &&
               result.error.find("nvidia-cuda-nvrtc") != std::string::npos &&
               result.error.find(expected) != std::string::npos && nvrtcVersion().empty();
  if (!right)
    fprintf(stderr, "%s\n", result.error.c_str());
  return right ? 0 : 1;
}

TEST(NvrtcMissing, SaysWhereItLookedAndHowToGetIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(withNvrtcAt("/nowhere/libnvrtc.so", "/nowhere/libnvrtc.so: cannot open")),
              testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(withNvrtcAt("libm.so.6", "looked for")), testing::ExitedWithCode(0), "");
}

TEST(NvrtcMissing, OtherLibrariesAreRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::string path = testing::TempDir() + "fairlead-no-nvrtc.so";
  std::ofstream(path) << "text";
  std::string expected = path + ":";
  EXPECT_EXIT(std::exit(withNvrtcAt(path.c_str(), expected.c_str())), testing::ExitedWithCode(0),
              "");
}

TEST(PackageRoots, HoldWhatExistsOnce) {
  std::string folder = testing::TempDir() + "fairlead-site";
  ASSERT_EQ(std::system(("mkdir -p " + folder + "/nvidia/cu13").c_str()), 0);
  addPackageRoots(folder);
  addPackageRoots(folder);
  std::vector<std::string> roots = packageRoots();
  EXPECT_EQ(std::count(roots.begin(), roots.end(), folder + "/nvidia/cu13"), 1);
  EXPECT_EQ(std::count(roots.begin(), roots.end(), folder + "/nvidia/cuda_nvrtc"), 0);
}

} // namespace
