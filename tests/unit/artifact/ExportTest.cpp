#include <cstdio>
#include <filesystem>
#include <fstream>

#include "Kernels.h"

namespace fairlead {
namespace {

namespace fs = std::filesystem;

class Export : public ::testing::Test {
protected:
  Export() : folder(fs::temp_directory_path() / ("fairlead-export-" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~Export() override { fs::remove_all(folder); }

  std::shared_ptr<const Artifact> artifact =
      compileMap(DType::Float32, DType::Float32, [](fl::Scalar x) { return x + 1.0f; });
  fs::path folder;
};

std::string errorOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    return error.kind() + ": " + error.what();
  }
  return "";
}

TEST_F(Export, WritesARelocatableObject) {
  fs::path path = folder / "map.o";
  artifact->exportObject(path.string(), "renamed");
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(bytes.substr(0, 4), "\177ELF");
  EXPECT_EQ(bytes[16], 1); // ET_REL
  EXPECT_NE(bytes.find("__tvm_ffi_renamed"), std::string::npos);
  EXPECT_EQ(bytes.find("__tvm_ffi_map"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1)
      << "a temporary file was left";
}

TEST_F(Export, TwoExportsAreTheSameBytes) {
  artifact->exportObject((folder / "a.o").string(), "f");
  artifact->exportObject((folder / "b.o").string(), "f");
  std::ifstream a(folder / "a.o", std::ios::binary), b(folder / "b.o", std::ios::binary);
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(a)), {}),
            std::string((std::istreambuf_iterator<char>(b)), {}));
}

/// What a command printed; its exit status must be 0.
std::string outputOf(const std::string &command) {
  FILE *pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string text;
  char buffer[256];
  while (pipe && std::fgets(buffer, sizeof buffer, pipe))
    text += buffer;
  EXPECT_TRUE(pipe && ::pclose(pipe) == 0) << command << ": " << text;
  return text;
}

TEST_F(Export, RunsInAProgramWithoutTheCompiler) {
#ifdef FAIRLEAD_SANITIZED
  GTEST_SKIP() << "a sanitized library does not load into a plain program";
#endif
  std::string object = (folder / "map.o").string(), library = (folder / "map.so").string();
  artifact->exportObject(object, "add_one");
  outputOf(std::string("gcc -shared -o ") + library + " " + object +
           " -L" FAIRLEAD_LIBRARY_DIR " -lcuda_dialect_runtime -ltvm_ffi");
  std::string program = FAIRLEAD_CALL_EXPORTED;
  EXPECT_EQ(outputOf("ldd " + program).find("libfairlead"), std::string::npos);
  std::string text =
      outputOf("LD_LIBRARY_PATH=" FAIRLEAD_LIBRARY_DIR " " + program + " " + library + " add_one");
  EXPECT_EQ(text,
            "2 3 4\nValueError: Mismatched b.shape[0] on argument #1 when calling: `map(a: "
            "Tensor([n0], float32), b: Tensor([n0], float32))`, symbolic constraint violated: "
            "expected to match a.shape[0] = 3, but got 2\n");
}

TEST_F(Export, RejectsNamesAndPaths) {
  EXPECT_EQ(errorOf([&] { artifact->exportObject((folder / "x.o").string(), "no name"); }),
            "ValueError: cannot export as `no name`: a function name is a C identifier");
  EXPECT_EQ(errorOf([&] { artifact->exportObject((folder / "absent" / "x.o").string(), "f"); }),
            "RuntimeError: cannot write `" + (folder / "absent" / "x.o").string() +
                "`: No such file or directory");
}

} // namespace
} // namespace fairlead
