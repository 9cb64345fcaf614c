/// Computes the numbers that inline PTX takes in place of addresses in shared memory: addresses of
/// mbarriers, and descriptors of the operands of wgmma. Warps wait for them between products.
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;
using namespace PatternMatch;

namespace fairlead::lower {
namespace {

constexpr unsigned kSharedSpace = 3;

/// Returns an address in shared memory with one index if only numbers are made of it.
GetElementPtrInst *indexed(Value *pointer) {
  auto *address = dyn_cast<GetElementPtrInst>(pointer);
  const bool fits = address && address->getAddressSpace() == kSharedSpace &&
                    address->getNumIndices() == 1 &&
                    all_of(address->users(), [](User *user) { return isa<PtrToIntInst>(user); });
  return fits ? address : nullptr;
}

/// Returns the low word of an index.
Value *lowWord(Value *index, IRBuilder<> &b) {
  Value *value;
  const APInt *factor;
  if (match(index, m_ZExtOrSExt(m_Value(value))) && value->getType()->isIntegerTy(32))
    return value;
  if (match(index, m_Shl(m_Value(value), m_APInt(factor))) && factor->ult(32))
    return b.CreateShl(lowWord(value, b), factor->getZExtValue());
  return b.CreateTrunc(index, b.getInt32Ty());
}

/// Returns the low word of the address, which is all of it.
Value *numberOf(Value *pointer, IRBuilder<> &b, const DataLayout &layout) {
  GetElementPtrInst *address = indexed(pointer);
  if (!address)
    return b.CreatePtrToInt(pointer, b.getInt32Ty());
  const uint64_t size = layout.getTypeAllocSize(address->getSourceElementType()).getFixedValue();
  Value *base = numberOf(address->getPointerOperand(), b, layout);
  Value *offset = b.CreateMul(lowWord(address->getOperand(1), b), b.getInt32(size));
  return b.CreateAdd(base, offset);
}

/// A descriptor: its high word, and the low one as the sum of a value and a number.
struct Descriptor {
  Value *rest;
  uint32_t number, high;
};

std::optional<Descriptor> descriptorOf(Value *value, const DataLayout &layout) {
  Value *low, *rest;
  const APInt *bits, *number;
  if (!match(value, m_Or(m_ZExt(m_Value(low)), m_APInt(bits))) || !low->getType()->isIntegerTy(32))
    return std::nullopt;
  Descriptor descriptor{low, static_cast<uint32_t>(bits->extractBitsAsZExtValue(32, 0)),
                        static_cast<uint32_t>(bits->extractBitsAsZExtValue(32, 32))};
  if ((computeKnownBits(low, layout).Zero & descriptor.number) != descriptor.number)
    return std::nullopt;
  if (match(low, m_Add(m_Value(rest), m_APInt(number)))) {
    descriptor.rest = rest;
    descriptor.number += static_cast<uint32_t>(number->getZExtValue());
  }
  return descriptor;
}

/// Computes the descriptors of a block from the first one that differs from them by a number.
class BlockDescriptors {
public:
  explicit BlockDescriptors(const DataLayout &layout) : layout(layout) {}

  void rewrite(CallInst &product) {
    for (Use &operand : product.args()) {
      auto *computed = dyn_cast<Instruction>(operand.get());
      if (!computed || !isUsedInItsBlock(*computed))
        continue;
      if (std::optional<Descriptor> descriptor = descriptorOf(computed, layout)) {
        operand.set(valueOf(*descriptor, product));
        replaced.emplace_back(computed);
      }
    }
  }
  void erase() { RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced); }

private:
  /// The others do not change in loops, and a pair of words would take two registers there.
  static bool isUsedInItsBlock(const Instruction &computed) {
    return all_of(computed.users(), [&](const User *user) {
      return cast<Instruction>(user)->getParent() == computed.getParent();
    });
  }

  Value *valueOf(const Descriptor &descriptor, CallInst &product) {
    IRBuilder<> b(&product);
    auto [entry, isNew] = first.try_emplace({descriptor.rest, descriptor.high});
    auto &[value, number] = entry->second;
    if (isNew) {
      number = descriptor.number;
      value = pairOf(b.CreateAdd(descriptor.rest, b.getInt32(number)), descriptor.high, b);
    }
    // Low words of descriptors have 30 bits, so that the high one does not change.
    const auto distance = static_cast<int32_t>(descriptor.number - number);
    return b.CreateAdd(value, b.getInt64(static_cast<int64_t>(distance)));
  }

  /// As inline PTX: LLVM would turn later additions into other constants of the `or`, and ptxas
  /// then makes both words of each descriptor.
  static Value *pairOf(Value *low, uint32_t high, IRBuilder<> &b) {
    auto *type = FunctionType::get(b.getInt64Ty(), {b.getInt32Ty()}, false);
    auto *text = InlineAsm::get(type, "mov.b64 $0, {$1, " + std::to_string(high) + "};", "=l,r",
                                /*hasSideEffects=*/false);
    CallInst *pair = b.CreateCall(text, {low});
    pair->setDoesNotAccessMemory();
    pair->setDoesNotThrow();
    return pair;
  }

  const DataLayout &layout;
  /// The first descriptor of a value and a high word, and its number.
  DenseMap<std::pair<Value *, uint32_t>, std::pair<Value *, uint32_t>> first;
  SmallVector<WeakTrackingVH> replaced;
};

/// Returns a product of a warpgroup.
CallInst *productOf(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly && StringRef(assembly->getAsmString()).contains("wgmma.mma_async") ? call
                                                                                     : nullptr;
}

} // namespace

void narrowSharedNumbers(Module &module) {
  for (Function &function : module) {
    SmallVector<WeakTrackingVH> replaced;
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      Value *pointer;
      if (!match(&instruction, m_Trunc(m_PtrToInt(m_Value(pointer)))) ||
          !instruction.getType()->isIntegerTy(32) || !indexed(pointer))
        continue;
      IRBuilder<> b(&instruction);
      instruction.replaceAllUsesWith(numberOf(pointer, b, module.getDataLayout()));
      replaced.emplace_back(&instruction);
    }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
  }
}

void shareDescriptors(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function) {
      BlockDescriptors descriptors(module.getDataLayout());
      for (Instruction &instruction : block)
        if (CallInst *product = productOf(instruction))
          descriptors.rewrite(*product);
      descriptors.erase();
    }
}

} // namespace fairlead::lower
