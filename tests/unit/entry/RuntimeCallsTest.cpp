/// Declarations of the runtime's functions in LLVM IR, against their declarations in C.
#include "entry/RuntimeCalls.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

namespace fairlead::entry {
namespace {

std::string typeText(llvm::Module &module, const RuntimeFunction &function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  declareRuntime(module, function).getFunctionType()->print(stream);
  return text;
}

TEST(RuntimeCalls, TypesAreThoseOfTheDeclarations) {
  llvm::LLVMContext context;
  llvm::Module module("calls", context);
  EXPECT_EQ(typeText(module, runtime::FairleadRaise), "void (ptr, ptr, i64, i64)");
  EXPECT_EQ(typeText(module, runtime::FairleadCpuTensorCopy),
            "void (ptr, ptr, ptr, i32, i32, i32, i32, i32, i32)");
  EXPECT_EQ(typeText(module, runtime::FairleadPrintf), "void (ptr, ...)");
  EXPECT_EQ(typeText(module, runtime::FairleadCpuLevel), "i32 ()");
  EXPECT_EQ(typeText(module, runtime::FairleadCheckFinite), "void (ptr, i32, double)");
  EXPECT_EQ(typeText(module, runtime::FairleadCheckLoadShadow), "{ ptr, ptr } (ptr, i64)");
  EXPECT_EQ(typeText(module, runtime::FairleadCHalf), "double (i16)");
  EXPECT_TRUE(module.getFunction("FairleadCHalf")->hasParamAttribute(0, llvm::Attribute::ZExt));
}

TEST(RuntimeCalls, EveryRowCanBeDeclared) {
  llvm::LLVMContext context;
  llvm::Module module("calls", context);
  auto declare = [&](const RuntimeFunction &row) {
    auto *function = llvm::cast<llvm::Function>(declareRuntime(module, row).getCallee());
    EXPECT_EQ(function->getName(), row.name);
    EXPECT_EQ(declareRuntime(module, row).getCallee(), function) << "declared twice";
    EXPECT_EQ(function->hasFnAttribute(llvm::Attribute::NonLazyBind),
              row.binding == RuntimeBinding::Eager)
        << row.name;
  };
#define FAIRLEAD_RUNTIME_FUNCTION(binding, name) declare(runtime::name);
#define FAIRLEAD_ABI_FUNCTION FAIRLEAD_RUNTIME_FUNCTION
#include "runtime/RuntimeFunctions.def"
#undef FAIRLEAD_ABI_FUNCTION
#undef FAIRLEAD_RUNTIME_FUNCTION
  EXPECT_GT(module.size(), 70u);
  EXPECT_FALSE(llvm::verifyModule(module, &llvm::errs()));
}

} // namespace
} // namespace fairlead::entry
