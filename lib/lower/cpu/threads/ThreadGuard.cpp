#include "lower/cpu/threads/ThreadGuard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class BoundMatcher {
public:
  explicit BoundMatcher(llvm::function_ref<bool(Value)> varying) : varying(varying) {}

  std::optional<ThreadBound> match(Value condition) {
    if (!matchCondition(condition) || !guard.bound)
      return std::nullopt;
    return std::move(guard);
  }

private:
  bool matchCondition(Value condition) {
    if (!varying(condition)) {
      guard.uniform.push_back(condition);
      return true;
    }
    if (auto both = condition.getDefiningOp<arith::AndIOp>())
      return matchCondition(both.getLhs()) && matchCondition(both.getRhs());
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (!compare || guard.bound)
      return false;
    Value low = compare.getLhs(), high = compare.getRhs();
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      std::swap(low, high);
      break;
    case arith::CmpIPredicate::eq:
      guard.exact = true;
      if (varying(high))
        std::swap(low, high);
      break;
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sle:
      break;
    default:
      return false;
    }
    guard.inclusive = compare.getPredicate() == arith::CmpIPredicate::sle ||
                      compare.getPredicate() == arith::CmpIPredicate::sge;
    if (varying(high) || !matchSum(low))
      return false;
    guard.bound = high;
    return true;
  }

  /// `value` is threadIdx.x plus terms that do not vary. Adding in more bits than the kernel does
  /// differs only where the kernel's own sum overflows, and then it would index outside any tensor.
  bool matchSum(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
      return id.getDimension() == gpu::Dimension::x;
    if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
      return matchSum(op->getOperand(0));
    auto sum = dyn_cast<arith::AddIOp>(op);
    if (!sum || varying(sum.getLhs()) == varying(sum.getRhs()))
      return false;
    bool leftVaries = varying(sum.getLhs());
    guard.terms.push_back(leftVaries ? sum.getRhs() : sum.getLhs());
    return matchSum(leftVaries ? sum.getLhs() : sum.getRhs());
  }

  llvm::function_ref<bool(Value)> varying;
  ThreadBound guard;
};

class GuardMatcher {
public:
  explicit GuardMatcher(gpu::GPUFuncOp kernel) : body(kernel.getBody().front()) {}

  std::optional<ThreadGuard> match() {
    // The operation before the return.
    guard.branch = dyn_cast_or_null<scf::IfOp>(body.getTerminator()->getPrevNode());
    if (!guard.branch || !isBareBranch(guard.branch) || !pureBefore())
      return std::nullopt;
    auto bound = matchThreadBound(guard.branch.getCondition(), [&](Value v) { return varying(v); });
    if (!bound || bound->exact)
      return std::nullopt;
    static_cast<ThreadBound &>(guard) = std::move(*bound);
    return std::move(guard);
  }

private:
  bool pureBefore() {
    for (Operation &op : body.without_terminator()) {
      if (&op == guard.branch.getOperation())
        break;
      if (isa<LLVM::AllocaOp>(op))
        continue;
      if (op.getNumRegions() || !isMemoryEffectFree(&op))
        return false;
      auto id = dyn_cast<gpu::ThreadIdOp>(op);
      bool varies = id ? id.getDimension() == gpu::Dimension::x
                       : llvm::any_of(op.getOperands(), [&](Value v) { return varying(v); });
      if (varies)
        guard.varying.insert(&op);
    }
    return true;
  }

  bool varying(Value value) {
    return value.getDefiningOp() && guard.varying.contains(value.getDefiningOp());
  }

  Block &body;
  ThreadGuard guard;
};

} // namespace

bool isBareBranch(scf::IfOp branch) {
  Block *otherwise = branch.elseBlock();
  return branch.getNumResults() == 0 && (!otherwise || otherwise->without_terminator().empty());
}

std::optional<ThreadBound> matchThreadBound(Value condition,
                                            llvm::function_ref<bool(Value)> varying) {
  return BoundMatcher(varying).match(condition);
}

std::optional<ThreadGuard> matchThreadGuard(gpu::GPUFuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return std::nullopt;
  return GuardMatcher(kernel).match();
}

} // namespace fairlead::lower
