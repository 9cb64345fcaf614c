#include "llvm/IR/Verifier.h"
#include "llvm/Support/JSON.h"

#include "EntryHarness.h"
#include "artifact/Jit.h"
#include "entry/Entry.h"
#include "lower/machine/MachineCode.h"

namespace fairlead::entry {
namespace {

std::string callForString(void *address) {
  TVMFFIAny result{};
  EXPECT_EQ(reinterpret_cast<TVMFFISafeCallType>(address)(nullptr, nullptr, 0, &result), 0);
  EXPECT_EQ(result.type_index, kTVMFFIStr);
  const TVMFFIByteArray *bytes = TVMFFIBytesGetByteArrayPtr(result.v_obj);
  std::string text(bytes->data, bytes->size);
  TVMFFIObjectDecRef(result.v_obj);
  return text;
}

TEST(Metadata, IsReadableByItsNames) {
  Signature signature{"scale",
                      {tensorParam("x", {symbol(0)}),
                       {"alpha", ScalarParam{DType::Float32}},
                       {"s", StreamParam{true}}},
                      {{"n0", 32, 1}},
                      {}};
  llvm::LLVMContext context;
  llvm::Module module("metadata", context);
  emitMetadata(module, signature, "scale", {kDLCPU, "cpu"});
  ASSERT_FALSE(llvm::verifyModule(module));
  lower::optimizeForHost(module, 0);
  auto loaded = loadObjects({lower::emitObject(module)});
  ASSERT_TRUE(static_cast<bool>(loaded)) << llvm::toString(loaded.takeError());
  const link::LoadedCode &code = **loaded;

  EXPECT_EQ(callForString(code.find("__tvm_ffi__doc_scale")),
            "scale(x: Tensor([n0], float32), alpha: float32)");
  auto json = llvm::json::parse(callForString(code.find("__tvm_ffi__metadata_scale")));
  ASSERT_TRUE(static_cast<bool>(json));
  const llvm::json::Object *own = json->getAsObject()->getObject("fairlead");
  EXPECT_EQ(own->getString("signature"), "scale(x: Tensor([n0], float32), alpha: float32)");
  EXPECT_EQ(own->getArray("arg_names")->size(), 2u);
  EXPECT_EQ(own->getInteger("format"), 2);
  EXPECT_EQ(
      *json->getAsObject()->getString("type_schema"),
      R"({"named_args":{"params":[{"type":"DLTensor*"},{"type":"float"}],"return":[{"type":"None"}]},"type":"ffi.Function"})");
}

} // namespace
} // namespace fairlead::entry
