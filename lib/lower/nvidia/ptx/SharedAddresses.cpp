/// Splits addresses in shared memory into a part that differs between threads and a number, which
/// instructions take as an offset. Swizzles hide the number: LLVM does not see that (x | 4096) ^
/// ((x >> 3) & 56) is 4096 more than x ^ ((x >> 3) & 56). A loop over tiles then needs a register
/// for each address that it reads, and runs out of registers.
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/Local.h"

#include "lower/nvidia/ptx/LowBits.h"
#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;
using namespace PatternMatch;

namespace fairlead::lower {
namespace {

constexpr unsigned kShared = 3;
constexpr int kMaxDepth = 12;

/// value == rest + number; no rest: 0.
struct Split {
  Value *rest;
  APInt number;
};

class Splitter {
public:
  explicit Splitter(const DataLayout &layout) : layout(layout), lowBits(layout) {}

  bool rewrite(Instruction &instruction) {
    if (auto *cast = dyn_cast<IntToPtrInst>(&instruction)) {
      if (cast->getAddressSpace() != kShared)
        return false;
      Split split = of(cast->getOperand(0), 0);
      if (split.number.isZero() || !split.rest)
        return false;
      IRBuilder<> b(cast);
      cast->setOperand(0, b.CreateAdd(split.rest, b.getInt(split.number)));
      return true;
    }
    auto *address = dyn_cast<GetElementPtrInst>(&instruction);
    if (!address || address->getAddressSpace() != kShared || isa<Constant>(address->getOperand(1)))
      return false;
    Split split = ofPointer(address, 0);
    if (split.number.isZero())
      return false;
    IRBuilder<> b(address);
    address->replaceAllUsesWith(b.CreatePtrAdd(split.rest, b.getInt(split.number)));
    return true;
  }

private:
  /// Bits that are clear.
  APInt clear(Value *value) {
    APInt clear = computeKnownBits(value, layout).Zero;
    uint64_t low = LowBits::kAll & ~lowBits.of(value);
    return clear | APInt(64, low).zextOrTrunc(clear.getBitWidth());
  }

  Split whole(Value *value) {
    return {value, APInt::getZero(value->getType()->getIntegerBitWidth())};
  }

  Split of(Value *value, int depth) {
    if (auto *constant = dyn_cast<ConstantInt>(value))
      return {nullptr, constant->getValue()};
    if (depth > kMaxDepth)
      return whole(value);
    if (auto entry = splits.find(value); entry != splits.end())
      return entry->second;
    Split split = whole(value);
    if (auto *op = dyn_cast<BinaryOperator>(value)) {
      split = ofOperation(*op, depth);
    } else if (auto *cast = dyn_cast<PtrToIntInst>(value);
               cast && cast->getPointerAddressSpace() == kShared &&
               cast->getType()->isIntegerTy(64)) {
      split = ofPointer(cast->getOperand(0), depth + 1);
      split.rest = split.number.isZero()
                       ? value
                       : IRBuilder<>(cast).CreatePtrToInt(split.rest, cast->getType());
    }
    splits[value] = split;
    return split;
  }

  /// Splits a pointer; the number is in bytes, and there is always a rest.
  Split ofPointer(Value *pointer, int depth) {
    Split none{pointer, APInt::getZero(64)};
    auto *address = dyn_cast<GetElementPtrInst>(pointer);
    if (!address || depth > kMaxDepth || address->getNumIndices() != 1 ||
        !address->getOperand(1)->getType()->isIntegerTy(64))
      return none;
    if (auto entry = splits.find(pointer); entry != splits.end())
      return entry->second;
    Split base = ofPointer(address->getPointerOperand(), depth + 1);
    Split index = of(address->getOperand(1), depth + 1);
    Type *element = address->getSourceElementType();
    APInt number = base.number + index.number * layout.getTypeAllocSize(element).getFixedValue();
    Split split = none;
    if (!number.isZero()) {
      Value *rest = base.rest;
      if (index.rest)
        rest = IRBuilder<>(address).CreateGEP(element, rest, index.rest);
      split = {rest, number};
    }
    splits[pointer] = split;
    return split;
  }

  Split ofOperation(BinaryOperator &op, int depth) {
    Value *x = op.getOperand(0), *y = op.getOperand(1);
    const APInt *factor;
    bool adds = op.getOpcode() == Instruction::Add ||
                (op.getOpcode() == Instruction::Or && cast<PossiblyDisjointInst>(op).isDisjoint());
    if (adds) {
      Split a = of(x, depth + 1), b = of(y, depth + 1);
      if (a.number.isZero() && b.number.isZero())
        return whole(&op);
      IRBuilder<> builder(&op);
      Value *rest = !a.rest ? b.rest : !b.rest ? a.rest : builder.CreateAdd(a.rest, b.rest);
      return {rest, a.number + b.number};
    }
    if (op.getOpcode() == Instruction::Sub) {
      Split a = of(x, depth + 1), b = of(y, depth + 1);
      if ((a.number.isZero() && b.number.isZero()) || !a.rest)
        return whole(&op);
      Value *rest = b.rest ? IRBuilder<>(&op).CreateSub(a.rest, b.rest) : a.rest;
      return {rest, a.number - b.number};
    }
    if (match(&op, m_Shl(m_Value(x), m_APInt(factor))) && factor->ult(factor->getBitWidth())) {
      Split a = of(x, depth + 1);
      if (a.number.isZero() || !a.rest)
        return whole(&op);
      return {IRBuilder<>(&op).CreateShl(a.rest, factor->getZExtValue()), a.number.shl(*factor)};
    }
    if (op.getOpcode() == Instruction::Xor) {
      Split split = ofXor(op, x, y, depth);
      return split.number.isZero() ? ofXor(op, y, x, depth) : split;
    }
    return whole(&op);
  }

  /// A swizzle: bits of y, which come from higher ones, turn bits of `left`.
  Split ofXor(BinaryOperator &op, Value *left, Value *y, int depth) {
    const unsigned bits = op.getType()->getIntegerBitWidth();
    Split a = of(left, depth + 1);
    APInt turned = APInt::getZero(bits);
    if (!a.rest)
      return whole(&op);
    y = ofTurningBits(y, turned, depth);
    // The part of the number above all bits that y may turn can be added after the xor.
    APInt clearInX = clear(a.rest), clearInY = clear(y);
    unsigned highest = std::max(bits - clearInY.countl_one(), turned.getActiveBits());
    APInt below = APInt::getLowBitsSet(bits, highest);
    APInt added = a.number & ~below, low = a.number & below;
    IRBuilder<> b(&op);
    Value *x = a.rest;
    if (low.isSubsetOf(clearInX)) {
      // For bits that are clear in both, adding is the same as turning.
      APInt free = low & clearInY & ~turned;
      added += free;
      turned ^= low & ~free;
    } else {
      x = b.CreateAdd(x, b.getInt(low));
    }
    if (added.isZero())
      return whole(&op);
    Value *rest = b.CreateXor(x, y);
    if (!turned.isZero())
      rest = b.CreateXor(rest, b.getInt(turned));
    return {rest, added};
  }

  /// Removes the number in value from y = (value >> shift) & mask. Returns the remaining y;
  /// `turned` gets the bits that the number contributes.
  Value *ofTurningBits(Value *y, APInt &turned, int depth) {
    Value *value;
    const APInt *shift, *mask;
    if (!match(y, m_And(m_LShr(m_Value(value), m_APInt(shift)), m_APInt(mask))) ||
        shift->uge(shift->getBitWidth()))
      return y;
    Split of = this->of(value, depth + 1);
    if (!of.rest || of.number.isZero())
      return y;
    APInt shiftedMask = mask->shl(*shift);
    APInt below = APInt::getLowBitsSet(shiftedMask.getBitWidth(), shiftedMask.getActiveBits());
    APInt low = of.number & below;
    if (!low.isSubsetOf(clear(of.rest)))
      return y;
    turned = low.lshr(*shift) & *mask;
    IRBuilder<> b(cast<Instruction>(y));
    return b.CreateAnd(b.CreateLShr(of.rest, shift->getZExtValue()), b.getInt(*mask));
  }

  const DataLayout &layout;
  LowBits lowBits;
  DenseMap<Value *, Split> splits;
};

} // namespace

void splitSharedAddresses(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    Splitter splitter(module.getDataLayout());
    SmallVector<WeakTrackingVH> replaced;
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (splitter.rewrite(instruction)) {
        changed = true;
        if (isa<GetElementPtrInst>(instruction))
          replaced.emplace_back(&instruction);
      }
    if (!changed)
      continue;
    RecursivelyDeleteTriviallyDeadInstructions(replaced);
    FunctionAnalysisManager analyses;
    PassBuilder().registerFunctionAnalyses(analyses);
    FunctionPassManager passes;
    passes.addPass(EarlyCSEPass());
    passes.run(function, analyses);
  }
}

} // namespace fairlead::lower
