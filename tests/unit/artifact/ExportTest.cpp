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

TEST_F(Export, RejectsNamesAndPaths) {
  EXPECT_EQ(errorOf([&] { artifact->exportObject((folder / "x.o").string(), "no name"); }),
            "ValueError: cannot export as `no name`: a function name is a C identifier");
  EXPECT_EQ(errorOf([&] { artifact->exportObject((folder / "absent" / "x.o").string(), "f"); }),
            "RuntimeError: cannot write `" + (folder / "absent" / "x.o").string() +
                "`: No such file or directory");
}

} // namespace
} // namespace fairlead
