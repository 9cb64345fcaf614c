/// Modules: loading a library, imports, embedded modules, the system library.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include "TensorSource.h"
#include "ThrownMessage.h"
#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/extra/module.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {

int contextTarget = 0;

Module kernels() {
  static bool registered = [] {
    return TVMFFIEnvModRegisterContextSymbol("ffi_test_context_symbol", &contextTarget) == 0;
  }();
  EXPECT_TRUE(registered);
  return Module::LoadFromFile(FFI_TEST_KERNELS);
}

/// A module of one function, which adds a number.
class AdderModule final : public ModuleObj {
public:
  AdderModule(std::string name, int64_t number) : name(std::move(name)), number(number) {}
  const char *kind() const final { return "adder"; }
  Optional<Function> GetFunction(const String &wanted) final {
    ++lookups;
    if (wanted != name)
      return std::nullopt;
    return Function::FromTyped([n = number](int64_t x) { return x + n; });
  }
  int lookups = 0;

private:
  std::string name;
  int64_t number;
};

Module adder(const std::string &name, int64_t number) {
  return Module(ObjectPtr<ModuleObj>(make_object<AdderModule>(name, number)));
}

std::string writeFile(const std::string &name, const std::string &content) {
  std::string path = std::string(FFI_TEST_SCRATCH) + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

} // namespace

TEST(LibraryModule, RunsAKernel) {
  Module module = kernels();
  EXPECT_STREQ(module->kind(), "library");
  EXPECT_EQ(module->GetPropertyMask(), Module::kBinarySerializable | Module::kRunnable);
  Function scale = module->GetFunction("scale").value();
  TensorSource<DLManagedTensor> x({3}), y({3});
  x.data = {1, 2, 3};
  x.managed.dl_tensor.data = x.data.data();
  scale(&x.managed.dl_tensor, 2, &y.managed.dl_tensor);
  EXPECT_EQ(std::vector<float>(y.data.begin(), y.data.begin() + 3), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(messageOf([&] { scale(&x.managed.dl_tensor, 2); }, "TypeError"),
            "Mismatched number of arguments when calling: `scale(0: DLTensor*, 1: float, 2: "
            "DLTensor*) -> void`. Expected 3 but got 2 arguments");
  EXPECT_EQ(
      messageOf([&] { scale(&x.managed.dl_tensor, "two", &y.managed.dl_tensor); }, "TypeError"),
      "Mismatched type on argument #1 when calling: `scale(0: DLTensor*, 1: float, 2: "
      "DLTensor*) -> void`. Expected `float` but got `const char*`");
  TensorSource<DLManagedTensor> z({4});
  EXPECT_EQ(messageOf([&] { scale(&x.managed.dl_tensor, 2, &z.managed.dl_tensor); }, "ValueError"),
            "Check failed: x.size(0) == y.size(-1) (3 vs. 4) : x and y have the same extent");
}

TEST(LibraryModule, TellsAboutItsFunctions) {
  Module module = kernels();
  EXPECT_FALSE(module->GetFunction("nothing").has_value());
  EXPECT_FALSE(module->GetFunction(String("scale\0x", 7)).has_value());
  EXPECT_TRUE(module->ImplementsFunction("scale"));
  EXPECT_EQ(module->GetFunctionDoc("scale"), "y = x * factor");
  EXPECT_FALSE(module->GetFunctionDoc("like_this").has_value());
  std::string metadata = module->GetFunctionMetadata("scale").value();
  EXPECT_EQ(metadata.find("{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\""), 0u);
  EXPECT_EQ(messageOf([&] { module->WriteToFile("x", "so"); }, "RuntimeError"),
            "Module[library] does not support WriteToFile");
}

TEST(LibraryModule, IsOneHoweverOftenItIsLoaded) {
  EXPECT_TRUE(kernels().same_as(kernels()));
  EXPECT_EQ(kernels()->GetFunction("context_symbol").value()().cast<int64_t>(),
            reinterpret_cast<int64_t>(&contextTarget));
}

TEST(LibraryModule, SeesTheEnvironment) {
  int stream = 0;
  TVMFFIEnvSetStream(kDLCUDA, 1, &stream, nullptr);
  EXPECT_EQ(kernels()->GetFunction("stream_of").value()(kDLCUDA, 1).cast<int64_t>(),
            reinterpret_cast<int64_t>(&stream));
  TVMFFIEnvSetStream(kDLCUDA, 1, nullptr, nullptr);
}

TEST(LibraryModule, CallsItsImports) {
  Module module = kernels();
  Function call = module->GetFunction("call_imported").value();
  Module outer = adder("none", 0);
  outer->ImportModule(adder("plus_ten", 10));
  module->ImportModule(outer);
  EXPECT_EQ(call("plus_ten", 1).cast<int>(), 11);
  auto *outerObj = static_cast<AdderModule *>(outer.get());
  int lookups = outerObj->lookups;
  EXPECT_EQ(call("plus_ten", 2).cast<int>(), 12);
  EXPECT_EQ(outerObj->lookups, lookups); // kept
  Function::SetGlobal("test.plus_global", Function::FromTyped([](int64_t x) { return x + 100; }));
  EXPECT_EQ(call("test.plus_global", 1).cast<int>(), 101);
  EXPECT_EQ(messageOf([&] { call("test.none", 1); }, "RuntimeError"),
            "Cannot find function test.none in the imported modules or global registry.");
  module->ClearImports();
  messageOf([&] { call("plus_ten", 1); }, "RuntimeError");
  Function::RemoveGlobal("test.plus_global");
}

TEST(LibraryModule, RefusesBadFiles) {
  EXPECT_EQ(messageOf([] { Module::LoadFromFile("kernel"); }, "RuntimeError"),
            "Failed to get file format from kernel");
  EXPECT_EQ(messageOf([] { Module::LoadFromFile("a.xyz"); }, "RuntimeError")
                .find("Loader for `.xyz` files is not registered, resolved to "
                      "(ffi.Module.load_from_file.xyz) in the global registry."),
            0u);
  EXPECT_EQ(messageOf([] { Module::LoadFromFile("/none/x.so"); }, "InternalError")
                .find("Failed to load dynamic shared library /none/x.so"),
            0u);
  std::ifstream file(FFI_TEST_KERNELS, std::ios::binary);
  std::string whole{std::istreambuf_iterator<char>(file), {}};
  for (size_t size : {size_t(0), size_t(3), size_t(64), size_t(200), whole.size() / 2}) {
    std::string path = writeFile("cut.so", whole.substr(0, size));
    EXPECT_EQ(messageOf([&] { Module::LoadFromFile(path); }, "RuntimeError")
                  .find("Cannot load `" + path +
                        (size == 0 ? "`, expected a shared library (ELF), but got"
                                   : "`, the file is truncated: expected at least ")),
              0u);
  }
  std::string other = whole;
  other[18] = 0x28; // e_machine: 32-bit ARM
  std::string path = writeFile("other.so", other);
  EXPECT_NE(messageOf([&] { Module::LoadFromFile(path); }, "RuntimeError")
                .find("but got one for ARM (32 bits)"),
            std::string::npos);
}

TEST(Imports, AreSearchedInDepthAndWithoutCycles) {
  Module a = adder("a", 1), b = adder("b", 2), c = adder("c", 3);
  a->ImportModule(b);
  b->ImportModule(c);
  EXPECT_FALSE(a->GetFunction("c", false).has_value());
  EXPECT_EQ(a->GetFunction("c", true).value()(1).cast<int>(), 4);
  EXPECT_TRUE(a->ImplementsFunction("c", true));
  EXPECT_EQ(messageOf([&] { c->ImportModule(a); }, "RuntimeError"),
            "Cyclic dependency detected during import");
  EXPECT_EQ(messageOf([&] { a->ImportModule(a); }, "RuntimeError"),
            "Cyclic dependency detected during import");
  EXPECT_EQ(messageOf([&] { a->ImportModule(Module(nullptr)); }, "ValueError"),
            "Check failed: (other.defined()) is false: cannot import a null module");
  Function get = Function::GetGlobalRequired("ffi.ModuleGetFunction");
  EXPECT_EQ(get(a, "b", true).cast<Function>()(1).cast<int>(), 3);
  EXPECT_EQ(get(a, "b", false).type_index(), kTVMFFINone);
  EXPECT_EQ(Function::GetGlobalRequired("ffi.ModuleGetKind")(a).cast<String>(), "adder");
}

TEST(Imports, AreAskedOnceEach) {
  // A ladder of 40 diamonds has 2^40 paths.
  std::vector<Module> rungs{adder("end", 1)};
  for (int i = 0; i < 40; ++i) {
    Module left = adder("l", 0), right = adder("r", 0), top = adder("t", 0);
    left->ImportModule(rungs.back());
    right->ImportModule(rungs.back());
    top->ImportModule(left);
    top->ImportModule(right);
    rungs.push_back(top);
  }
  EXPECT_TRUE(rungs.back()->ImplementsFunction("end", true));
  EXPECT_FALSE(rungs.back()->ImplementsFunction("none", true));
}

TEST(Imports, PinnedModulesStay) {
  Module module = adder("pinned", 1);
  Function::GetGlobalRequired("ffi.ModuleGlobalsAdd")(module);
  EXPECT_EQ(module.use_count(), 2);
  Function::GetGlobalRequired("ffi.ModuleGlobalsRemove")(module);
  EXPECT_EQ(module.use_count(), 1);
}

namespace {
int systemAdd(void *, const TVMFFIAny *args, int32_t, TVMFFIAny *result) {
  *result = args[0];
  result->v_int64 += 1000;
  return 0;
}
void *systemSymbol() { return reinterpret_cast<void *>(systemAdd); }

/// The stream of embedded modules.
struct EmbeddedStream {
  std::string content;
  EmbeddedStream &integer(uint64_t value) {
    content.append(reinterpret_cast<const char *>(&value), sizeof(value));
    return *this;
  }
  EmbeddedStream &integers(const std::vector<uint64_t> &values) {
    integer(values.size());
    for (uint64_t value : values)
      integer(value);
    return *this;
  }
  EmbeddedStream &text(const std::string &value) {
    integer(value.size());
    content += value;
    return *this;
  }
  /// The symbol's content: the length, then the stream.
  std::string finish() const {
    uint64_t size = content.size();
    return std::string(reinterpret_cast<const char *>(&size), sizeof(size)) + content;
  }
};

/// Loads the system library of `prefix` with embedded modules.
Module withEmbedded(const std::string &prefix, const std::string &content) {
  static std::vector<std::string> *kept = new std::vector<std::string>;
  kept->reserve(64); // addresses are handed out
  kept->push_back(content);
  std::string name = prefix + "__tvm_ffi__library_bin";
  TVMFFIEnvModRegisterSystemLibSymbol(name.c_str(), kept->back().data());
  return Function::GetGlobalRequired("ffi.SystemLib")(prefix).cast<Module>();
}
} // namespace

TEST(SystemLibrary, TriesItsPrefixFirst) {
  ASSERT_EQ(TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_pre_add", systemSymbol()), 0);
  ASSERT_EQ(TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_bare", systemSymbol()), 0);
  Function systemLib = Function::GetGlobalRequired("ffi.SystemLib");
  Module module = systemLib("pre_").cast<Module>();
  EXPECT_EQ(module->GetFunction("add").value()(1).cast<int>(), 1001);
  EXPECT_EQ(module->GetFunction("bare").value()(1).cast<int>(), 1001);
  EXPECT_TRUE(systemLib("pre_").cast<Module>().same_as(module));
  EXPECT_FALSE(systemLib().cast<Module>()->ImplementsFunction("add"));
  EXPECT_TRUE(systemLib().cast<Module>()->ImplementsFunction("pre_add"));
}

TEST(EmbeddedModules, MakeATree) {
  Function::SetGlobal("ffi.Module.load_from_bytes.adder", Function::FromTyped([](Bytes content) {
                        return adder(std::string(content), 7);
                      }));
  // Module 0 is an adder that imports the library itself and another adder.
  std::string content = EmbeddedStream()
                            .integers({0, 2, 2, 2})
                            .integers({1, 2})
                            .text("adder")
                            .text("root_add")
                            .text("_lib")
                            .text("adder")
                            .text("leaf_add")
                            .finish();
  Module root = withEmbedded("tree_", content);
  EXPECT_STREQ(root->kind(), "adder");
  EXPECT_EQ(root->imports().size(), 2u);
  EXPECT_EQ(root->GetFunction("leaf_add", true).value()(1).cast<int>(), 8);
  Function::RemoveGlobal("ffi.Module.load_from_bytes.adder");
}

TEST(EmbeddedModules, KeepTheLibraryThatNobodyImports) {
  Function::SetGlobal("ffi.Module.load_from_bytes.alone", Function::FromTyped([](Bytes content) {
                        return adder(std::string(content), 1);
                      }));
  static void *context = nullptr;
  TVMFFIEnvModRegisterSystemLibSymbol("alone___tvm_ffi__library_ctx", &context);
  std::string content =
      EmbeddedStream().integers({0, 0}).integers({}).text("alone").text("root").finish();
  Module root = withEmbedded("alone_", content);
  EXPECT_STREQ(root->kind(), "adder");
  ASSERT_NE(context, nullptr);
  // Looks up through the library's own module, which is not part of the tree.
  TVMFFIObjectHandle found = nullptr;
  EXPECT_EQ(TVMFFIEnvModLookupFromImports(context, "ffi.Shape", &found), 0);
  EXPECT_NE(found, nullptr);
  Function::RemoveGlobal("ffi.Module.load_from_bytes.alone");
}

namespace {
// Says that more follows than there is. In a section of its own, since AddressSanitizer makes other
// variables, and the sizes of their symbols, longer.
__attribute__((section(".rodata.cut_off"))) const uint64_t cutOffModules[2] = {1000, 0};
} // namespace

TEST(EmbeddedModules, EndWithTheirSymbol) {
  TVMFFIEnvModRegisterSystemLibSymbol("long___tvm_ffi__library_bin",
                                      const_cast<uint64_t *>(cutOffModules));
  Function systemLib = Function::GetGlobalRequired("ffi.SystemLib");
  EXPECT_NE(messageOf([&] { systemLib("long_"); }, "RuntimeError").find("truncated or malformed"),
            std::string::npos);
}

TEST(EmbeddedModules, RefuseBadData) {
  std::string good = EmbeddedStream().integers({0, 0}).integers({}).text("_lib").finish();
  EXPECT_STREQ(withEmbedded("good_", good)->kind(), "library");
  EXPECT_EQ(
      messageOf(
          [] {
            withEmbedded(
                "kind_",
                EmbeddedStream().integers({0, 0}).integers({}).text("strange").text("").finish());
          },
          "RuntimeError")
          .find("Library binary was created using {strange} but a loader of that name is "
                "not registered."),
      0u);
  std::vector<EmbeddedStream> bad(6);
  bad[0].integers({});                                          // no children
  bad[1].integers({0}).integers({}).text("_lib");               // no module
  bad[2].integers({0, 1}).integers({5}).text("_lib");           // a child that is not there
  bad[3].integers({0, 9}).integers({}).text("_lib");            // children that are not there
  bad[4].integer(~uint64_t(0));                                 // a count beyond the end
  bad[5].integers({0, 0}).integers({}).integer(1000).text("x"); // a text beyond the end
  for (size_t i = 0; i < bad.size(); ++i)
    EXPECT_NE(messageOf([&] { withEmbedded("bad" + std::to_string(i) + "_", bad[i].finish()); },
                        "RuntimeError")
                  .find("truncated or malformed"),
              std::string::npos)
        << i;
}
