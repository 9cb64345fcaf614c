/// Splits addresses in shared memory into a part that differs between threads and a number, which
/// instructions take as an offset. Swizzles hide the number: LLVM does not see that (x | 4096) ^
/// ((x >> 3) & 56) is 4096 more than x ^ ((x >> 3) & 56). A loop over tiles then needs a register
/// for each address that it reads, and runs out of registers.
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
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

/// Finds bits of values that are certainly clear.
class ClearBits {
public:
  explicit ClearBits(const DataLayout &layout) : layout(layout), lowBits(layout) {}

  APInt of(Value *value) {
    APInt clear = computeKnownBits(value, layout).Zero;
    uint64_t low = LowBits::kAll & ~lowBits.of(value);
    return clear | APInt(64, low).zextOrTrunc(clear.getBitWidth());
  }

private:
  const DataLayout &layout;
  LowBits lowBits;
};

bool adds(const BinaryOperator &op) {
  return op.getOpcode() == Instruction::Add ||
         (op.getOpcode() == Instruction::Or && cast<PossiblyDisjointInst>(op).isDisjoint());
}

using Terms = SmallVector<Value *, 4>;

/// A number that is the sum of the terms and `number`.
struct Split {
  Terms terms;
  APInt number;
};

/// A pointer that lies terms and number behind `base`.
struct PointerSplit : Split {
  Value *base;
};

/// How the part that differs between threads is computed.
enum class Rest {
  Joined, ///< as the program computes it
  /// In 32 bits, with what a loop changes added last, which takes fewer registers on Blackwell. On
  /// Hopper FlashAttention 4's backward became 1.5 % slower and products spilled.
  Words,
};

class Splitter {
public:
  Splitter(const DataLayout &layout, const LoopInfo &loops, Rest kind)
      : layout(layout), clearBits(layout), loops(loops), inWords(kind == Rest::Words) {}

  bool rewrite(Instruction &instruction) {
    auto *type = dyn_cast<PointerType>(instruction.getType());
    if (!type || type->getAddressSpace() != kShared)
      return false;
    if (inWords) {
      if (Value *number = numberOf(instruction))
        return rewriteNumber(instruction, *number);
    } else if (auto *cast = dyn_cast<IntToPtrInst>(&instruction)) {
      return rewriteCast(*cast);
    }
    auto *address = dyn_cast<GetElementPtrInst>(&instruction);
    if (!address || isa<Constant>(address->getOperand(1)))
      return false;
    PointerSplit split = ofPointer(address, 0);
    if (split.number.isZero())
      return false;
    IRBuilder<> b(address);
    Value *rest = split.base;
    if (Value *offset = sum(split.terms, b))
      rest = b.CreatePtrAdd(rest, offset);
    address->replaceAllUsesWith(b.CreatePtrAdd(rest, b.getInt(split.number)));
    return true;
  }

private:
  bool rewriteCast(IntToPtrInst &cast) {
    Split split = of(cast.getOperand(0), 0);
    if (split.number.isZero() || split.terms.empty())
      return false;
    IRBuilder<> b(&cast);
    cast.setOperand(0, b.CreateAdd(sum(split.terms, b), b.getInt(split.number)));
    return true;
  }

  /// Returns the number that an address is computed as, otherwise null.
  static Value *numberOf(Instruction &address) {
    Value *number, *base;
    if (match(&address, m_IntToPtr(m_Value(number))) ||
        (match(&address,
               m_PtrAdd(m_Value(base), m_Sub(m_Value(number), m_PtrToInt(m_Deferred(base)))))))
      return number->getType()->isIntegerTy(64) ? number : nullptr;
    return nullptr;
  }

  /// Computes the address in 32 bits: addresses in shared memory have no more.
  bool rewriteNumber(Instruction &address, Value &number) {
    Split split = of(&number, 0);
    if (split.terms.empty())
      return false;
    IRBuilder<> b(&address);
    Value *rest = nullptr;
    for (Value *term : split.terms) {
      Value *low = lowWord(term, b);
      rest = rest ? b.CreateAdd(rest, low) : low;
    }
    Value *pointer = b.CreateIntToPtr(b.CreateZExt(rest, b.getInt64Ty()), address.getType());
    address.replaceAllUsesWith(b.CreatePtrAdd(pointer, b.getInt(split.number)));
    return true;
  }

  /// Returns the low 32 bits of a number of 64.
  Value *lowWord(Value *value, IRBuilder<> &b) {
    Type *word = b.getInt32Ty();
    Value *x, *y;
    const APInt *shift, *mask;
    if (match(value, m_ZExt(m_Value(x))))
      return b.CreateZExtOrTrunc(x, word);
    if (match(value, m_SExt(m_Value(x))))
      return b.CreateSExtOrTrunc(x, word);
    if (match(value, m_PtrToInt(m_Value(x))))
      return b.CreatePtrToInt(x, word);
    if (match(value, m_And(m_LShr(m_Value(x), m_APInt(shift)), m_APInt(mask))) &&
        shift->getLimitedValue() + mask->getActiveBits() <= 32)
      return b.CreateAnd(b.CreateLShr(lowWord(x, b), shift->getZExtValue()),
                         b.getInt(mask->trunc(32)));
    if (match(value, m_Shl(m_Value(x), m_APInt(shift))) && shift->ult(32))
      return b.CreateShl(lowWord(x, b), shift->getZExtValue());
    auto *op = dyn_cast<BinaryOperator>(value);
    if (op && match(op, m_BinOp(m_Value(x), m_Value(y))))
      switch (op->getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
      case Instruction::And:
      case Instruction::Or:
      case Instruction::Xor:
        return b.CreateBinOp(op->getOpcode(), lowWord(x, b), lowWord(y, b));
      default:
        break;
      }
    return b.CreateTrunc(value, word);
  }

  static Value *sum(ArrayRef<Value *> terms, IRBuilder<> &b) {
    Value *total = nullptr;
    for (Value *term : terms)
      total = total ? b.CreateAdd(total, term) : term;
    return total;
  }

  Split whole(Value *value) {
    return {{value}, APInt::getZero(value->getType()->getIntegerBitWidth())};
  }

  Split of(Value *value, int depth) {
    if (auto *constant = dyn_cast<ConstantInt>(value))
      return {{}, constant->getValue()};
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
      PointerSplit pointer = ofPointer(cast->getOperand(0), depth + 1);
      if (pointer.base != cast->getOperand(0)) {
        IRBuilder<> b(cast);
        split = {{b.CreatePtrToInt(pointer.base, cast->getType())}, pointer.number};
        split.terms.append(pointer.terms);
      }
    }
    splits[value] = split;
    return split;
  }

  /// Splits a pointer; the terms and the number are in bytes.
  PointerSplit ofPointer(Value *pointer, int depth) {
    PointerSplit none{{{}, APInt::getZero(64)}, pointer};
    if (inWords && isa<Constant>(pointer)) {
      none.base = pointer->stripAndAccumulateConstantOffsets(layout, none.number, true);
      return none;
    }
    auto *address = dyn_cast<GetElementPtrInst>(pointer);
    if (!address || depth > kMaxDepth || address->getNumIndices() != 1 ||
        !address->getOperand(1)->getType()->isIntegerTy(64))
      return none;
    if (auto entry = pointers.find(pointer); entry != pointers.end())
      return entry->second;
    PointerSplit split = ofPointer(address->getPointerOperand(), depth + 1);
    Split index = of(address->getOperand(1), depth + 1);
    Type *element = address->getSourceElementType();
    const uint64_t size = layout.getTypeAllocSize(element).getFixedValue();
    split.number += index.number * size;
    IRBuilder<> b(address);
    if (inWords)
      for (Value *term : index.terms)
        split.terms.push_back(size == 1             ? term
                              : isPowerOf2_64(size) ? b.CreateShl(term, Log2_64(size))
                                                    : b.CreateMul(term, b.getInt64(size)));
    else if (split.number.isZero())
      split = none;
    else if (!index.terms.empty())
      split.base = b.CreateGEP(element, split.base, index.terms.front());
    pointers.try_emplace(pointer, split);
    return split;
  }

  Split ofOperation(BinaryOperator &op, int depth) {
    Value *x = op.getOperand(0), *y = op.getOperand(1);
    const APInt *factor;
    IRBuilder<> builder(&op);
    if (adds(op)) {
      Split a = of(x, depth + 1), b = of(y, depth + 1);
      a.terms.append(b.terms);
      if (inWords)
        return {a.terms, a.number + b.number};
      if (a.number.isZero() && b.number.isZero())
        return whole(&op);
      if (!a.terms.empty())
        a.terms = {sum(a.terms, builder)};
      return {a.terms, a.number + b.number};
    }
    if (op.getOpcode() == Instruction::Sub) {
      Split a = of(x, depth + 1), b = of(y, depth + 1);
      if ((a.number.isZero() && b.number.isZero()) || a.terms.empty())
        return whole(&op);
      if (!b.terms.empty())
        a.terms = {builder.CreateSub(sum(a.terms, builder), sum(b.terms, builder))};
      return {a.terms, a.number - b.number};
    }
    if (match(&op, m_Shl(m_Value(x), m_APInt(factor))) && factor->ult(factor->getBitWidth())) {
      Split a = of(x, depth + 1);
      if (a.number.isZero() || a.terms.empty())
        return whole(&op);
      Value *rest = builder.CreateShl(sum(a.terms, builder), factor->getZExtValue());
      return {{rest}, a.number.shl(*factor)};
    }
    if (op.getOpcode() == Instruction::Xor) {
      Split split = ofXor(op, x, y, depth);
      return isWhole(split, op) ? ofXor(op, y, x, depth) : split;
    }
    if (inWords && op.getOpcode() == Instruction::And)
      return ofTurned(op, depth);
    return whole(&op);
  }

  /// Bits of a swizzle that are added, since they turn bits that are clear.
  Split ofTurned(BinaryOperator &op, int depth) {
    APInt turned = APInt::getZero(op.getType()->getIntegerBitWidth());
    Value *bits = ofTurningBits(&op, turned, depth);
    return turned.isSubsetOf(clearBits.of(bits)) ? Split{{bits}, turned} : whole(&op);
  }

  static bool isWhole(const Split &split, const Value &value) {
    return split.terms.size() == 1 && split.terms.front() == &value;
  }

  /// A swizzle: bits of y, which come from higher ones, turn bits of `left`.
  Split ofXor(BinaryOperator &op, Value *left, Value *y, int depth) {
    const unsigned bits = op.getType()->getIntegerBitWidth();
    Split a = of(left, depth + 1);
    APInt turned = APInt::getZero(bits);
    if (a.terms.empty())
      return whole(&op);
    y = ofTurningBits(y, turned, depth);
    // The part of the number above all bits that y may turn can be added after the xor, and so can
    // terms without lower bits.
    APInt clearInY = clearBits.of(y);
    unsigned highest = std::max(bits - clearInY.countl_one(), turned.getActiveBits());
    IRBuilder<> b(&op);
    Split after{{}, APInt::getZero(bits)};
    const Loop *loop = inWords ? loops.getLoopFor(op.getParent()) : nullptr;
    if (loop && isInvariant(y, *loop, 0))
      moveTerms(a.terms, after.terms, *loop, highest);
    Value *x = sum(a.terms, b);
    APInt below = APInt::getLowBitsSet(bits, highest), low = a.number & below;
    after.number = a.number & ~below;
    if (low.isSubsetOf(clearBits.of(x))) {
      // For bits that are clear in both, adding is the same as turning.
      APInt free = low & clearInY & ~turned;
      after.number += free;
      turned ^= low & ~free;
    } else {
      x = b.CreateAdd(x, b.getInt(low));
    }
    if (after.number.isZero() && after.terms.empty())
      return whole(&op);
    Value *rest = b.CreateXor(x, y);
    if (!turned.isZero())
      rest = b.CreateXor(rest, b.getInt(turned));
    after.terms.insert(after.terms.begin(), rest);
    return after;
  }

  /// Moves terms that the loop changes and whose low bits are clear from one list to the other, if
  /// terms that the loop does not change stay behind.
  void moveTerms(Terms &from, Terms &to, const Loop &loop, unsigned lowBitCount) {
    auto moves = [&](Value *term) {
      return !isInvariant(term, loop, 0) && clearBits.of(term).countr_one() >= lowBitCount;
    };
    if (all_of(from, moves))
      return;
    copy_if(from, std::back_inserter(to), moves);
    erase_if(from, moves);
  }

  static bool isInvariant(Value *value, const Loop &loop, int depth) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop.contains(instruction))
      return true;
    return depth < kMaxDepth && isa<BinaryOperator, CastInst>(instruction) &&
           all_of(
               instruction->operands(),
               [&](Value *operand) { return isInvariant(operand, loop, depth + 1); });
  }

  /// Removes from y = (value >> shift) & mask the number in value, and terms of it that change no
  /// bit of y. Returns the remaining y; `turned` gets the bits that the number contributes.
  Value *ofTurningBits(Value *y, APInt &turned, int depth) {
    Value *value;
    const APInt *shift, *mask;
    if (!match(y, m_And(m_LShr(m_Value(value), m_APInt(shift)), m_APInt(mask))) ||
        shift->uge(shift->getBitWidth()))
      return y;
    Split of = this->of(value, depth + 1);
    APInt shiftedMask = mask->shl(*shift);
    const unsigned bits = shiftedMask.getActiveBits();
    Terms low;
    copy_if(of.terms, std::back_inserter(low),
            [&](Value *term) { return clearBits.of(term).countr_one() < bits; });
    APInt below = APInt::getLowBitsSet(shiftedMask.getBitWidth(), bits), number = of.number & below;
    IRBuilder<> b(cast<Instruction>(y));
    Value *rest = sum(low, b);
    const bool isSame = (inWords ? number : of.number).isZero() && low.size() == of.terms.size();
    if (!rest || isSame || !number.isSubsetOf(clearBits.of(rest)))
      return y;
    turned = number.lshr(*shift) & *mask;
    return b.CreateAnd(b.CreateLShr(rest, shift->getZExtValue()), b.getInt(*mask));
  }

  const DataLayout &layout;
  ClearBits clearBits;
  const LoopInfo &loops;
  const bool inWords;
  DenseMap<Value *, Split> splits;
  DenseMap<Value *, PointerSplit> pointers;
};

void split(Module &module, Rest kind) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    Splitter splitter(module.getDataLayout(), loops, kind);
    SmallVector<WeakTrackingVH> rewritten;
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (splitter.rewrite(instruction))
        rewritten.emplace_back(&instruction);
    if (rewritten.empty())
      continue;
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(rewritten);
    FunctionAnalysisManager analyses;
    PassBuilder().registerFunctionAnalyses(analyses);
    FunctionPassManager passes;
    passes.addPass(EarlyCSEPass());
    passes.run(function, analyses);
  }
}

} // namespace

void splitSharedAddresses(Module &module) { split(module, Rest::Joined); }

void splitSharedWords(Module &module) { split(module, Rest::Words); }

} // namespace fairlead::lower
