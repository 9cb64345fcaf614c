/// The plain C ABI of a function: its FairleadCFunction, and how packed arguments become those of
/// the open ABI's entry, which checks them.
#include "llvm/IR/IRBuilder.h"

#include "entry/Entry.h"
#include "entry/PlainLayout.h"
#include "entry/RuntimeCalls.h"
#include "fairlead/PlainC.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

constexpr int64_t kCellBytes = sizeof(TVMFFIAny);
constexpr int64_t kPayload = offsetof(TVMFFIAny, v_int64);

/// `int32 run(void *const *args, int32 device_id)`
class RunEmitter {
public:
  RunEmitter(Module &module, const Signature &signature, Function *entry,
             const EntryOptions &options)
      : module(module), signature(signature), entry(entry), deviceType(options.deviceType),
        narrow(options.facts), b(module.getContext()) {
    function =
        Function::Create(FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getInt32Ty()}, false),
                         GlobalValue::InternalLinkage, "plain_run", module);
    function->addFnAttr(Attribute::NoUnwind);
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", function));
  }

  Function *emit() {
    Value *cells = stack(kCellBytes * (signature.numArguments() + 1), 8);
    int index = 0, address = 0;
    for (const PlainArgument &argument : plainArguments(signature)) {
      Value *given = load(b.getPtrTy(), function->getArg(0), 8 * address++);
      for (const PlainMember &member : argument.members) {
        cell = at(cells, kCellBytes * index++);
        storeMember(member, argument.isStruct, given);
      }
    }
    Value *result = at(cells, kCellBytes * index);
    cell = result;
    store(kTVMFFINone, b.getInt64(0));
    b.CreateRet(b.CreateCall(entry, {ConstantPointerNull::get(b.getPtrTy()), cells,
                                     b.getInt32(signature.numArguments()), result}));
    return function;
  }

private:
  Value *at(Value *base, int64_t offset) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
  }
  Value *load(Type *type, Value *base, int64_t offset) {
    return b.CreateLoad(type, at(base, offset));
  }
  Value *stack(int64_t bytes, unsigned alignment) {
    BasicBlock &first = function->getEntryBlock();
    AllocaInst *slot =
        IRBuilder<>(&first, first.begin()).CreateAlloca(ArrayType::get(b.getInt8Ty(), bytes));
    slot->setAlignment(Align(alignment));
    return slot;
  }

  /// Stores type and payload of the current cell, with zeros between them.
  void store(int32_t type, Value *payload) {
    b.CreateStore(b.getInt64(static_cast<uint32_t>(type)), cell);
    b.CreateStore(payload, at(cell, kPayload));
  }

  /// `given` is the address of the argument: of the struct, or of the value; a tensor's own.
  void storeMember(const PlainMember &member, bool isStruct, Value *given) {
    if (const auto *tensor = std::get_if<TensorParam>(&member.param->type)) {
      Value *own = isStruct ? load(b.getPtrTy(), given, member.offset) : given;
      Value *made = view(*tensor, narrow.has(member.param->name), own);
      store(kTVMFFIDLTensorPtr, b.CreatePtrToInt(made, b.getInt64Ty()));
    } else if (const auto *scalar = std::get_if<ScalarParam>(&member.param->type)) {
      storeScalar(scalar->dtype, at(given, member.offset));
    } else {
      store(kTVMFFIOpaquePtr, load(b.getInt64Ty(), given, member.offset));
    }
  }

  void storeScalar(DType dtype, Value *given) {
    if (isFloat(dtype)) {
      store(kTVMFFIFloat, b.CreateBitCast(asDouble(dtype, given), b.getInt64Ty()));
      return;
    }
    if (dtype == DType::Boolean) {
      Value *byte = load(b.getInt8Ty(), given, 0);
      store(kTVMFFIBool, b.CreateZExt(b.CreateICmpNE(byte, b.getInt8(0)), b.getInt64Ty()));
      return;
    }
    Value *value = load(b.getIntNTy(bitWidth(dtype)), given, 0);
    if (dtype == DType::Uint64)
      storeUnsigned(value);
    else
      store(kTVMFFIInt, b.CreateIntCast(value, b.getInt64Ty(), isSigned(dtype)));
  }

  /// From 2^63 on an integer of any size: two words behind an object's header, which the entry
  /// reads and does not keep.
  void storeUnsigned(Value *value) {
    constexpr int64_t kNumWords = sizeof(TVMFFIObject);
    Value *object = stack(kNumWords + 24, 8);
    b.CreateStore(b.getInt64(2), at(object, kNumWords));
    b.CreateStore(value, at(object, kNumWords + 8));
    b.CreateStore(b.getInt64(0), at(object, kNumWords + 16));
    Value *isLarge = b.CreateICmpSLT(value, b.getInt64(0));
    Value *address = b.CreatePtrToInt(object, b.getInt64Ty());
    b.CreateStore(b.CreateSelect(isLarge, b.getInt64(kTVMFFIBigInt), b.getInt64(kTVMFFIInt)), cell);
    b.CreateStore(b.CreateSelect(isLarge, address, value), at(cell, kPayload));
  }

  Value *asDouble(DType dtype, Value *given) {
    switch (dtype) {
    case DType::Float64:
      return load(b.getDoubleTy(), given, 0);
    case DType::Float32:
    case DType::TFloat32:
      return b.CreateFPExt(load(b.getFloatTy(), given, 0), b.getDoubleTy());
    case DType::Float16:
      // Not by an instruction, which would be a call of a function that not every libgcc has.
      return callRuntime(b, runtime::FairleadCHalf, {load(b.getInt16Ty(), given, 0)});
    default: { // BFloat16 is the upper half of a float.
      Value *bits = b.CreateShl(b.CreateZExt(load(b.getInt16Ty(), given, 0), b.getInt32Ty()), 16);
      return b.CreateFPExt(b.CreateBitCast(bits, b.getFloatTy()), b.getDoubleTy());
    }
    }
  }

  /// A DLTensor on the stack.
  Value *view(const TensorParam &tensor, bool isNarrow, Value *given) {
    PlainTensor layout(signature, tensor, isNarrow);
    const auto ndim = static_cast<int64_t>(tensor.shape.size());
    Value *shape =
        numbers(tensor.shape, layout.shapeSlot, layout.shapeBits, layout.shapeOffset, given);
    Value *strides =
        numbers(tensor.strides, layout.strideSlot, layout.strideBits, layout.strideOffset, given);
    DLDataType type = toDLDataType(tensor.dtype);
    uint32_t word = type.code | uint32_t{type.bits} << 8 | uint32_t{type.lanes} << 16;
    Value *result = stack(sizeof(DLTensor), alignof(DLTensor));
    auto put = [&](Value *value, int64_t offset) { b.CreateStore(value, at(result, offset)); };
    put(load(b.getPtrTy(), given, 0), offsetof(DLTensor, data));
    put(b.getInt32(static_cast<uint32_t>(deviceType)), offsetof(DLTensor, device));
    put(function->getArg(1), offsetof(DLTensor, device) + 4);
    put(b.getInt32(static_cast<uint32_t>(ndim)), offsetof(DLTensor, ndim));
    put(b.getInt32(word), offsetof(DLTensor, dtype));
    put(shape, offsetof(DLTensor, shape));
    put(strides, offsetof(DLTensor, strides));
    put(b.getInt64(0), offsetof(DLTensor, byte_offset));
    return result;
  }

  Value *numbers(const std::vector<Extent> &extents, const std::vector<int> &slots, int bits,
                 int offset, Value *given) {
    Value *array = stack(static_cast<int64_t>(std::max<size_t>(extents.size(), 1)) * 8, 8);
    for (size_t mode = 0; mode < extents.size(); ++mode) {
      Value *value =
          slots[mode] < 0
              ? b.getInt64(static_cast<uint64_t>(extents[mode].coefficient))
              : b.CreateSExt(load(b.getIntNTy(bits), given, offset + slots[mode] * (bits / 8)),
                             b.getInt64Ty());
      b.CreateStore(value, at(array, static_cast<int64_t>(mode) * 8));
    }
    return array;
  }

  Module &module;
  const Signature &signature;
  Function *entry;
  int32_t deviceType;
  NarrowStrides narrow;
  IRBuilder<> b;
  Function *function;
  Value *cell = nullptr;
};

} // namespace

void emitPlainFunction(Module &module, const Signature &signature, StringRef symbol,
                       const EntryOptions &options, StringRef digest,
                       GlobalVariable *deviceModule) {
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context), *i32 = Type::getInt32Ty(context);
  // The object's functions are found through the constant below, and by no other name.
  Function *entry = module.getFunction(("__tvm_ffi_" + symbol).str());
  entry->setLinkage(GlobalValue::InternalLinkage);
  entry->setName("entry");
  Function *load = module.getFunction(("__fairlead_load_" + symbol).str());
  if (load)
    load->setLinkage(GlobalValue::InternalLinkage);
  // Programs without the open ABI's library have no environment.
  if (Function *stream = module.getFunction(runtime::TVMFFIEnvGetStream.name))
    stream->setName(runtime::FairleadCStream.name);
  Function *run = RunEmitter(module, signature, entry, options).emit();

  auto text = [&](StringRef value) -> Constant * {
    Constant *bytes = ConstantDataArray::getString(context, value);
    return new GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage, bytes,
                              "plain_text");
  };
  auto number = [&](int64_t value) -> Constant * {
    return ConstantInt::get(i32, static_cast<uint32_t>(value));
  };
  Constant *null = ConstantPointerNull::get(PointerType::getUnqual(context));
  const auto numAddresses = static_cast<int64_t>(plainArguments(signature).size() + 1);
  Constant *fields[] = {number(FAIRLEAD_C_ABI),
                        number(numAddresses),
                        text(FAIRLEAD_VERSION),
                        text(symbol),
                        text(metadataText(signature, options)),
                        number(options.deviceType),
                        number(FAIRLEAD_C_MEMBERS),
                        entry,
                        run,
                        load ? static_cast<Constant *>(load) : null,
                        deviceModule ? static_cast<Constant *>(deviceModule) : null};
  Type *types[] = {i32, i32,     pointer, pointer, pointer, i32,
                   i32, pointer, pointer, pointer, pointer};
  Constant *value = ConstantStruct::get(StructType::get(context, ArrayRef<Type *>(types)), fields);
  new GlobalVariable(module, value->getType(), true, GlobalValue::ExternalLinkage, value,
                     FAIRLEAD_C_PREFIX + symbol);
  Constant *one = ConstantInt::get(Type::getInt8Ty(context), 1);
  new GlobalVariable(module, one->getType(), true, GlobalValue::ExternalLinkage, one,
                     plainTie(symbol.str(), digest.str()));
}

} // namespace fairlead::entry
