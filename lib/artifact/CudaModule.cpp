#include "llvm/IR/IRBuilder.h"

#include "artifact/ObjectBuilder.h"
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
  Constant *image(StringRef bytes) {
    return global(ConstantDataArray::getString(context, bytes, /*AddNull=*/true), "image", 16);
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
};

} // namespace

std::string ptxArch(const std::string &arch) {
  return "compute_" + arch.substr(arch.find('_') + 1);
}

void defineCudaModule(Module &module, const ObjectContents &contents, const std::string &symbol) {
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
  auto *defined = new GlobalVariable(module, moduleType, /*isConstant=*/false,
                                     GlobalValue::InternalLinkage, value, "cuda_module");
  if (GlobalVariable *declared = module.getGlobalVariable(lower::kCudaModuleSymbol)) {
    declared->replaceAllUsesWith(defined);
    declared->eraseFromParent();
  }

  FunctionCallee load = module.getOrInsertFunction("FairleadCudaModuleLoad",
                                                   FunctionType::get(i32, {pointer, i32}, false));
  auto *loader =
      Function::Create(FunctionType::get(i32, {i32}, false), GlobalValue::ExternalLinkage,
                       "__fairlead_load_" + symbol, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", loader));
  builder.CreateRet(builder.CreateCall(load, {defined, loader->getArg(0)}));
}

} // namespace fairlead
