#include "fairlead/cuda/Assembler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fairlead/cuda/Libdevice.h"
#include "runtime/cuda/AddOnePtx.h"
#include "runtime/cuda/tools/Ptxas.h"
#include "runtime/cuda/tools/SearchPath.h"

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

std::string anyPtxas() { return ptxAssembler(); }

TEST(Assembler, Ptxas) {
  if (anyPtxas().empty())
    GTEST_SKIP() << "no ptxas on this machine";
  expectCubin(runPtxas(anyPtxas(), addOnePtx("sm_90a"), "sm_90a"));
}

TEST(Assembler, PtxasRefusesBadPtx) {
  if (anyPtxas().empty())
    GTEST_SKIP() << "no ptxas on this machine";
  Assembled result = runPtxas(anyPtxas(), addOnePtx("sm_90a") + "nonsense", "sm_90a");
  EXPECT_EQ(result.cubin, "");
  EXPECT_NE(result.error.find("exit status 255"), std::string::npos) << result.error;
  EXPECT_NE(result.error.find("line 26"), std::string::npos) << result.error;
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
  write("/bin/ptxas", "#!/bin/sh\necho out; echo bad line >&2; exit 3\n");
  Setting only("FAIRLEAD_PTXAS", root + "/bin/ptxas");
  Assembled result = assemblePtx("text", "sm_80");
  EXPECT_EQ(result.error, "ptxas (" + root + "/bin/ptxas): exit status 3: out\nbad line\n");
}

TEST_F(AssemblerFolder, TellsHowPtxasDied) {
  const std::string program = root + "/bin/ptxas";
  write("/bin/ptxas", "#!/bin/sh\nkill -9 $$\n");
  EXPECT_EQ(runPtxas(program, "text", "sm_80").error, "killed by signal 9: ");
  write("/bin/ptxas", "#!/bin/sh\nexit 0\n");
  EXPECT_EQ(runPtxas(program, "text", "sm_80").error, "no output: ");
  if (std::getenv("FAIRLEAD_EMULATED"))
    return; // qemu has no vfork: a program that cannot start ends with status 127
  write("/bin/ptxas", "#!/no/such/interpreter\n");
  EXPECT_NE(runPtxas(program, "text", "sm_80").error.find("cannot run it"), std::string::npos);
}

TEST_F(AssemblerFolder, PassesTheArguments) {
  write("/bin/ptxas", "#!/bin/sh\necho \"$1 $2 $5\" > \"$3\"; cat \"$4\" >> \"$3\"\n");
  Assembled result = runPtxas(root + "/bin/ptxas", "the text", "sm_80", {"-O2"});
  EXPECT_EQ(result.cubin, "-arch=sm_80 -o -O2\nthe text");
}

TEST_F(AssemblerFolder, LargeTextsPassWhole) {
  write("/bin/ptxas", "#!/bin/sh\ncat \"$4\" > \"$3\"\n");
  std::string text(3'000'000, 'x');
  text.back() = 'y';
  EXPECT_EQ(runPtxas(root + "/bin/ptxas", text, "sm_80").cubin, text);
}

TEST_F(AssemblerFolder, AToolThatRefusesLeavesItToTheNext) {
  Setting path("FAIRLEAD_CUDA_PATH", root + "/old:" + root);
  write("/old/bin/ptxas", "#!/bin/sh\necho too old; exit 1\n");
  write("/bin/ptxas", "#!/bin/sh\necho code > \"$3\"\n");
  EXPECT_EQ(ptxAssembler(), root + "/old/bin/ptxas");
  Assembled result = assemblePtx("text", "sm_80");
  EXPECT_EQ(result.cubin, "code\n");
  EXPECT_EQ(result.tool, "ptxas (" + root + "/bin/ptxas)");
}

TEST(Assembler, SaysThatThereIsNone) {
  Setting only("FAIRLEAD_PTXAS", "/nowhere/ptxas");
  EXPECT_EQ(ptxAssembler(), "");
  EXPECT_EQ(assemblePtx("text", "sm_80").error,
            "no PTX assembler: FAIRLEAD_PTXAS names `/nowhere/ptxas`, which is no file");
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
