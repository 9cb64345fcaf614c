#include "fairlead/cuda/Assembler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cuda/AddOnePtx.h"
#include "cuda/tools/SearchPath.h"
#include "cuda/tools/Tools.h"
#include "fairlead/cuda/Libdevice.h"

namespace {

using namespace fairlead::cuda;
using fairlead::test::addOnePtx;

/// An environment variable for the length of a scope.
class Setting {
public:
  Setting(const char *name, const std::string &value) : name(name) {
    if (const char *text = std::getenv(name))
      old = text, had = true;
    setenv(name, value.c_str(), 1);
  }
  ~Setting() {
    if (had)
      setenv(name, old.c_str(), 1);
    else
      unsetenv(name);
  }

private:
  const char *name;
  std::string old;
  bool had = false;
};

/// A folder that poses as a toolkit, and one for temporary files.
class AssemblerFolder : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "fairlead-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
    std::filesystem::create_directories(root + "/bin");
    std::filesystem::create_directories(root + "/tmp");
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void write(const std::string &leaf, const std::string &text) {
    std::filesystem::create_directories(std::filesystem::path(root + leaf).parent_path());
    std::ofstream(root + leaf) << text;
    chmod((root + leaf).c_str(), 0755);
  }

  std::string root;
};

void expectCubin(const Assembled &result) {
  EXPECT_EQ(result.error, "");
  ASSERT_GT(result.cubin.size(), 64u);
  EXPECT_EQ(result.cubin.substr(0, 4), "\177ELF");
  EXPECT_EQ(static_cast<unsigned char>(result.cubin[18]), 190); // EM_CUDA
  EXPECT_NE(result.cubin.find(".text.add_one"), std::string::npos);
}

TEST_F(AssemblerFolder, Ptxas) {
  Setting temporary("TMPDIR", root + "/tmp");
  Assembled result = assembleWithPtxas(addOnePtx("sm_90a"), "sm_90a");
  if (result.tool.empty())
    GTEST_SKIP() << "no ptxas on this machine";
  expectCubin(result);
  EXPECT_TRUE(std::filesystem::is_empty(root + "/tmp"));
}

TEST_F(AssemblerFolder, PtxasRefusesBadPtx) {
  Setting temporary("TMPDIR", root + "/tmp");
  Assembled result = assembleWithPtxas(addOnePtx("sm_90a") + "nonsense", "sm_90a");
  if (result.tool.empty())
    GTEST_SKIP() << "no ptxas on this machine";
  EXPECT_EQ(result.cubin, "");
  EXPECT_NE(result.error.find("exit status 255"), std::string::npos) << result.error;
  EXPECT_NE(result.error.find("line 26"), std::string::npos) << result.error;
  EXPECT_TRUE(std::filesystem::is_empty(root + "/tmp"));
}

TEST(Assembler, NvJitLink) {
  Assembled result = assembleWithNvJitLink(addOnePtx("sm_90a"), "sm_90a");
  if (result.tool.empty())
    GTEST_SKIP() << "no libnvJitLink on this machine";
  expectCubin(result);
  Assembled bad = assembleWithNvJitLink(addOnePtx("sm_90a") + "nonsense", "sm_90a");
  EXPECT_EQ(bad.cubin, "");
  EXPECT_NE(bad.error.find("line 26"), std::string::npos) << bad.error;
}

TEST(Assembler, TakesTheFirstTool) {
  Assembled result = assemblePtx(addOnePtx("sm_90a"), "sm_90a");
  if (result.error.starts_with("no PTX assembler"))
    GTEST_SKIP() << result.error;
  expectCubin(result);
}

TEST(Assembler, RefusesOtherArchitectures) {
  for (const char *arch : {"", "sm_", "compute_90", "90", "sm_90a -o /etc/x", "cpu"}) {
    Assembled result = assemblePtx("", arch);
    EXPECT_EQ(result.cubin, "");
    EXPECT_EQ(result.error,
              "expected an architecture like sm_90a, but got `" + std::string(arch) + "`");
  }
}

TEST_F(AssemblerFolder, TellsWhatPtxasSaid) {
  Setting path("FAIRLEAD_CUDA_PATH", root);
  write("/bin/ptxas", "#!/bin/sh\necho out; echo bad line >&2; exit 3\n");
  Assembled result = assembleWithPtxas("text", "sm_80");
  EXPECT_EQ(result.tool, "ptxas (" + root + "/bin/ptxas)");
  EXPECT_EQ(result.error, "exit status 3: out\nbad line\n");
}

TEST_F(AssemblerFolder, TellsHowPtxasDied) {
  Setting path("FAIRLEAD_CUDA_PATH", root);
  write("/bin/ptxas", "#!/bin/sh\nkill -9 $$\n");
  EXPECT_EQ(assembleWithPtxas("text", "sm_80").error, "killed by signal 9: ");
  write("/bin/ptxas", "#!/bin/sh\nexit 0\n");
  EXPECT_EQ(assembleWithPtxas("text", "sm_80").error, "no output: ");
  write("/bin/ptxas", "#!/no/such/interpreter\n");
  EXPECT_NE(assembleWithPtxas("text", "sm_80").error.find("cannot run it"), std::string::npos);
}

TEST_F(AssemblerFolder, PassesTheArguments) {
  Setting path("FAIRLEAD_CUDA_PATH", root);
  write("/bin/ptxas", "#!/bin/sh\necho \"$1 $2\" > \"$3\"; cat \"$4\" >> \"$3\"\n");
  Assembled result = assembleWithPtxas("the text", "sm_80");
  EXPECT_EQ(result.cubin, "-arch=sm_80 -o\nthe text");
}

TEST_F(AssemblerFolder, TellsOfAMissingTemporaryFolder) {
  Setting path("FAIRLEAD_CUDA_PATH", root);
  Setting temporary("TMPDIR", root + "/none");
  write("/bin/ptxas", "#!/bin/sh\n");
  EXPECT_NE(assembleWithPtxas("text", "sm_80").error.find("cannot make a temporary folder"),
            std::string::npos);
}

TEST_F(AssemblerFolder, LooksInsidePythonPackages) {
  Setting path("FAIRLEAD_CUDA_PATH", "/none::" + root + "/site-packages");
  write("/site-packages/triton/backends/nvidia/lib/libdevice.10.bc", "BC");
  EXPECT_EQ(findLibdevice(), root + "/site-packages/triton/backends/nvidia/lib/libdevice.10.bc");
  write("/site-packages/nvidia/cu13/nvvm/libdevice/libdevice.10.bc", "BC");
  EXPECT_EQ(findLibdevice(), root + "/site-packages/nvidia/cu13/nvvm/libdevice/libdevice.10.bc");
  Setting direct("FAIRLEAD_LIBDEVICE", "/given.bc");
  EXPECT_EQ(findLibdevice(), "/given.bc");
}

TEST_F(AssemblerFolder, FindsProgramsOnPath) {
  write("/bin/sometool", "");
  std::ofstream(root + "/tmp/sometool") << "not executable";
  Setting path("PATH", root + "/tmp:" + root + "/bin");
  EXPECT_EQ(findOnPath("sometool"), root + "/bin/sometool");
  EXPECT_EQ(findOnPath("othertool"), "");
}

} // namespace
