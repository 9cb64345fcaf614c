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

/// The output of a command; its exit status must be 0.
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

TEST_F(Export, LibrariesRunInAProgramWithoutTheCompiler) {
#ifdef FAIRLEAD_SANITIZED
  GTEST_SKIP() << "a sanitized library does not load into a plain program";
#endif
  fs::path library = folder / "map.so";
  artifact->exportLibrary(library.string(), "add_one");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1)
      << "a temporary file was left";
  std::string text =
      outputOf("LD_LIBRARY_PATH=" FAIRLEAD_LIBRARY_DIR " " FAIRLEAD_CALL_EXPORTED " " +
               library.string() + " add_one");
  EXPECT_EQ(text.substr(0, 6), "2 3 4\n") << text;
}

TEST_F(Export, LibrariesNeedACompilerThatLinks) {
  std::string path = (folder / "map.so").string();
  EXPECT_EQ(errorOf([&] { artifact->exportLibrary(path, "f", "no-such-compiler"); }),
            "RuntimeError: cannot link `" + path +
                "`: `no-such-compiler` is not on PATH. Install it, or name another C compiler in "
                "the argument `compiler`");
  std::ofstream(folder / "cc") << "#!/bin/sh\necho no room >&2\nexit 3\n";
  fs::permissions(folder / "cc", fs::perms::owner_all);
  EXPECT_EQ(errorOf([&] { artifact->exportLibrary(path, "f", (folder / "cc").string()); }),
            "RuntimeError: cannot link `" + path + "`: `" + (folder / "cc").string() +
                "` failed:\nno room");
  EXPECT_EQ(errorOf([&] { artifact->exportLibrary(path, "no name"); }),
            errorOf([&] { artifact->exportObject(path, "no name"); }));
  EXPECT_FALSE(fs::exists(path));
}

/// The plain C ABI from C++: a program in C with the header, linked with the archive alone, and the
/// same object loaded by libcute_dsl_runtime.
TEST_F(Export, PlainCRunsInAProgramWithoutTheCompiler) {
#ifdef FAIRLEAD_SANITIZED
  GTEST_SKIP() << "a sanitized library does not load into a plain program";
#endif
  artifact->exportC((folder / "made").string(), "one", "add", {{"author", "\"me\""}});
  std::ofstream(folder / "main.c") << R"(
#include <stdio.h>
#include "one.h"
int main(void) {
  float x[3] = {1, 2, 3}, y[3] = {0, 0, 0};
  add_Tensor_a_t a;
  add_Tensor_b_t b;
  add_Kernel_Module_t module;
  a.data = x; a.dynamic_shapes[0] = 3;
  b.data = y; b.dynamic_shapes[0] = 3;
  if (add_Kernel_Module_Load(&module) || cute_dsl_add_wrapper(&module, &a, &b)) return 1;
  printf("%g %g %g\n", y[0], y[1], y[2]);
  b.dynamic_shapes[0] = 2;
  printf("%d ", cute_dsl_add_wrapper(&module, &a, &b));
  puts(FairleadCLastError());
  add_Kernel_Module_Unload(&module);
  return 0;
}
)";
  std::ofstream(folder / "load.c") << R"(
#include <stdio.h>
#include "CuteDSLRuntime.h"
int main(int count, char **args) {
  CuteDSLRT_Module_t *module = NULL;
  CuteDSLRT_Function_t *function = NULL;
  float x[3] = {1, 2, 3}, y[3] = {0, 0, 0};
  struct { void *data; int32_t dynamic_shapes[1]; } a, b;
  int32_t result = -1;
  void *packed[3];
  a.data = x; a.dynamic_shapes[0] = 3;
  b.data = y; b.dynamic_shapes[0] = 3;
  packed[0] = &a; packed[1] = &b; packed[2] = &result;
  if (count != 2 || CuteDSLRT_Module_Load(&module, args[1]) ||
      CuteDSLRT_Module_Get_Function(&function, module, "add") ||
      CuteDSLRT_Function_Run(function, packed, 3)) {
    puts(CuteDSLRT_Get_Last_Error());
    return 1;
  }
  printf("%g %g %g, %d\n%s\n", y[0], y[1], y[2], result, CuteDSLRT_Function_Get_Metadata(function));
  return CuteDSLRT_Module_Destroy(module);
}
)";
  const std::string in = folder.string();
  const std::string gcc = "gcc -Wall -Wextra -Werror -I" + in + "/made -I" FAIRLEAD_INCLUDE_DIR " ";
  outputOf(gcc + "-c " + in + "/main.c -o " + in + "/main.o");
  outputOf("g++ " + in + "/main.o " + in +
           "/made/one.o " FAIRLEAD_LIBRARY_DIR
           "/libcuda_dialect_runtime_static.a -ldl -lpthread -o " +
           in + "/linked");
  EXPECT_EQ(outputOf(in + "/linked"),
            "2 3 4\n1 Mismatched b.shape[0] on argument #1 when calling: `map(a: "
            "Tensor([n0], float32), b: Tensor([n0], float32))`, symbolic constraint violated: "
            "expected to match a.shape[0] = 3, but got 2\n");
  outputOf(gcc + in +
           "/load.c -L" FAIRLEAD_LIBRARY_DIR
           " -lcute_dsl_runtime -Wl,-rpath-link," FAIRLEAD_LIBRARY_DIR " -o " +
           in + "/loaded");
  std::string text =
      outputOf("LD_LIBRARY_PATH=" FAIRLEAD_LIBRARY_DIR " " + in + "/loaded " + in + "/made/one.o");
  EXPECT_EQ(text.substr(0, 9), "2 3 4, 0\n");
  EXPECT_NE(text.find("\"author\":\"me\""), std::string::npos) << text;
}

TEST_F(Export, PlainCIsTheSameBytesAndRejects) {
  artifact->exportC((folder / "x").string(), "f", "f");
  artifact->exportC((folder / "y").string(), "f", "f");
  auto bytes = [&](const fs::path &path) {
    std::ifstream file(folder / path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  };
  EXPECT_EQ(bytes("x/f.o"), bytes("y/f.o"));
  EXPECT_EQ(bytes("x/f.h"), bytes("y/f.h"));
  EXPECT_NE(bytes("x/f.h"), "");
  EXPECT_EQ(errorOf([&] { artifact->exportC(folder.string(), "f", "2f"); }),
            "ValueError: cannot export as `2f`: a function name is a C identifier");
  EXPECT_NE(errorOf([&] { artifact->exportC(folder.string(), "a/f", "f"); }), "");
  EXPECT_EQ(errorOf([&] { artifact->exportC((folder / "no" / "where").string(), "f", "f"); }),
            "RuntimeError: cannot write `" + (folder / "no" / "where").string() +
                "`: No such file or directory");
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
