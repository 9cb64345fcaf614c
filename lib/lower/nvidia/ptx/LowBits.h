#pragma once

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace fairlead::lower {

/// Computes the low bits of a value that may be set. LLVM's analysis gives up at addresses that
/// loops carry from stage to stage; this one grows an assumption about them until it holds.
class LowBits {
public:
  explicit LowBits(const llvm::DataLayout &layout) : layout(layout) {}

  static constexpr uint64_t kAll = 0xFFFF;

  uint64_t of(llvm::Value *value) {
    uint64_t found;
    do {
      changed = false;
      visited.clear();
      found = visit(value);
    } while (changed);
    return found;
  }

private:
  uint64_t visit(llvm::Value *value) {
    auto [entry, inserted] = visited.try_emplace(value, 0);
    if (!inserted)
      return llvm::isa<llvm::PHINode>(value) ? assumed.lookup(value) : entry->second;
    uint64_t bits = compute(value);
    visited[value] = bits;
    return bits;
  }

  /// Returns the possible bits of a sum: a carry can start at the lowest bit that both may have.
  static uint64_t sum(uint64_t a, uint64_t b) {
    uint64_t both = a & b;
    return (a | b | (both ? ~((both & -both) - 1) : 0)) & kAll;
  }

  uint64_t compute(llvm::Value *value) {
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      uint64_t bits = assumed.lookup(value);
      for (llvm::Value *incoming : phi->incoming_values())
        bits |= visit(incoming);
      if (bits != assumed.lookup(value)) {
        assumed[value] = bits;
        changed = true;
      }
      return bits;
    }
    auto *op = llvm::dyn_cast<llvm::Operator>(value);
    auto possibleBits = [&] {
      if (value->getType()->isPointerTy())
        return kAll & ~(value->getPointerAlignment(layout).value() - 1);
      llvm::KnownBits bits = llvm::computeKnownBits(value, layout);
      return (~bits.Zero).zextOrTrunc(64).getZExtValue() & kAll;
    };
    if (!op)
      return possibleBits();
    auto operand = [&](unsigned index) { return visit(op->getOperand(index)); };
    const llvm::APInt *number;
    switch (op->getOpcode()) {
    case llvm::Instruction::Add:
      return sum(operand(0), operand(1));
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
      return operand(0) | operand(1);
    case llvm::Instruction::And:
      return operand(0) & operand(1);
    case llvm::Instruction::Shl:
      if (llvm::PatternMatch::match(op->getOperand(1), llvm::PatternMatch::m_APInt(number)) &&
          number->ult(16))
        return (operand(0) << number->getZExtValue()) & kAll;
      return possibleBits();
    case llvm::Instruction::Mul:
      if (llvm::PatternMatch::match(op->getOperand(1), llvm::PatternMatch::m_APInt(number)) &&
          number->isPowerOf2())
        return number->ult(1 << 16) ? (operand(0) * number->getZExtValue()) & kAll : 0;
      return possibleBits();
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::Trunc:
      return operand(0);
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      return op->getOperand(0)->getType()->getIntegerBitWidth() >= 16 ? operand(0) : possibleBits();
    case llvm::Instruction::Select:
      return operand(1) | operand(2);
    case llvm::Instruction::GetElementPtr: {
      auto *address = llvm::cast<llvm::GEPOperator>(op);
      uint64_t size = layout.getTypeAllocSize(address->getSourceElementType()).getFixedValue();
      if (address->getNumIndices() != 1 || !llvm::isPowerOf2_64(size) || size > (1 << 15))
        return possibleBits();
      return sum(operand(0), (operand(1) * size) & kAll);
    }
    default:
      return possibleBits();
    }
  }

  const llvm::DataLayout &layout;
  llvm::DenseMap<llvm::Value *, uint64_t> visited, assumed;
  bool changed = false;
};

} // namespace fairlead::lower
