#include "llvm/IR/IRBuilder.h"

#include "artifact/ObjectBuilder.h"
#include "entry/RuntimeCalls.h"
#include "fairlead/Unload.h"
#include "lower/Lowering.h"

namespace fairlead {
namespace {

using namespace llvm;

/// Constants of the object's read-only data.
class ConstantPool {
public:
  explicit ConstantPool(Module &module) : module(module), context(module.getContext()) {}

  Constant *text(StringRef value) {
    return global(ConstantDataArray::getString(context, value, /*AddNull=*/true), "text", 1);
  }
  /// Images of several architectures may be one fatbin, which is stored once.
  Constant *image(StringRef bytes) {
    Constant *&stored = images[bytes];
    if (!stored)
      stored = global(ConstantDataArray::getString(context, bytes, /*AddNull=*/true), "image", 16);
    return stored;
  }
  Constant *global(Constant *value, const char *name, unsigned alignment) {
    auto *variable = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                        GlobalValue::PrivateLinkage, value, name);
    variable->setAlignment(Align(alignment));
    return variable;
  }
  Constant *array(ArrayRef<Constant *> elements, Type *type) {
    return global(ConstantArray::get(ArrayType::get(type, elements.size()), elements), "table", 8);
  }

  Module &module;
  LLVMContext &context;

private:
  DenseMap<StringRef, Constant *> images;
};

/// `int32 __fairlead_load_<symbol>(int32 device_id)`
void defineLoader(Module &module, ConstantPool &pool, const ObjectContents &contents,
                  GlobalVariable *cudaModule, const std::string &symbol) {
  LLVMContext &context = module.getContext();
  auto *i32 = Type::getInt32Ty(context);
  auto *loader =
      Function::Create(FunctionType::get(i32, {i32}, false), GlobalValue::ExternalLinkage,
                       "__fairlead_load_" + symbol, module);
  Value *device = loader->getArg(0);
  IRBuilder<> b(BasicBlock::Create(context, "", loader));
  // The first that fails ends it.
  auto require = [&](Value *status) {
    auto *next = BasicBlock::Create(context, "next", loader);
    auto *failed = BasicBlock::Create(context, "failed", loader);
    b.CreateCondBr(b.CreateICmpEQ(status, b.getInt32(0)), next, failed);
    b.SetInsertPoint(failed);
    b.CreateRet(status);
    b.SetInsertPoint(next);
  };
  require(entry::callRuntime(b, runtime::FairleadCudaModuleLoad, {cudaModule, device}));
  for (size_t kernel = 0; kernel < contents.needs.size(); ++kernel) {
    const KernelNeeds &needs = contents.needs[kernel];
    std::vector<Constant *> sizes;
    for (int32_t size : needs.paramSizes)
      sizes.push_back(ConstantInt::get(i32, static_cast<uint32_t>(size)));
    auto integer = [&](int64_t value) {
      return ConstantInt::get(i32, static_cast<uint64_t>(value));
    };
    Constant *value =
        pool.global(ConstantStruct::getAnon({integer(needs.sharedBytes),
                                             integer(static_cast<int64_t>(sizes.size())),
                                             pool.array(sizes, i32)}),
                    "needs", 8);
    require(entry::callRuntime(b, runtime::FairleadCudaKernelPrepare,
                               {cudaModule, device, integer(static_cast<int64_t>(kernel)), value}));
  }
  b.CreateRet(b.getInt32(0));
}

} // namespace

std::string ptxArch(const std::string &arch) {
  return "compute_" + arch.substr(arch.find('_') + 1);
}

GlobalVariable *defineCudaModule(Module &module, const ObjectContents &contents,
                                 const std::string &symbol) {
  LLVMContext &context = module.getContext();
  ConstantPool pool(module);
  auto *pointer = PointerType::getUnqual(context);
  auto *i32 = Type::getInt32Ty(context);
  auto *i64 = Type::getInt64Ty(context);
  auto *imageType = StructType::get(context, {pointer, pointer, i64});
  auto *moduleType = StructType::get(context, {pointer, pointer, i32, i32, pointer, pointer});

  std::vector<Constant *> images, kernels;
  for (const DeviceImage &image : contents.images)
    images.push_back(ConstantStruct::get(imageType, {pool.text(image.arch), pool.image(image.data),
                                                     ConstantInt::get(i64, image.data.size())}));
  for (const std::string &kernel : contents.kernels)
    kernels.push_back(pool.text(kernel));
  Constant *value = ConstantStruct::get(
      moduleType, {ConstantPointerNull::get(pointer), pool.text(contents.signature.name),
                   ConstantInt::get(i32, images.size()), ConstantInt::get(i32, kernels.size()),
                   pool.array(images, imageType), pool.array(kernels, pointer)});

  // Launches name an external global of pointer type; this is the real one.
  auto *defined =
      new GlobalVariable(module, moduleType, /*isConstant=*/false, GlobalValue::ExternalLinkage,
                         value, FAIRLEAD_MODULE_PREFIX + symbol);
  // Visible to loaders of the object, and hidden outside a library or program that links it.
  defined->setVisibility(GlobalValue::HiddenVisibility);
  if (GlobalVariable *declared = module.getGlobalVariable(lower::kCudaModuleSymbol)) {
    declared->replaceAllUsesWith(defined);
    declared->eraseFromParent();
  }

  defineLoader(module, pool, contents, defined, symbol);
  return defined;
}

} // namespace fairlead
