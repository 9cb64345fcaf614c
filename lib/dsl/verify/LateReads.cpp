#include "dsl/verify/Verify.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fairlead/dsl/Location.h"
#include "ir/Analysis/MemoryRoot.h"
#include "runtime/RuntimeFunctions.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

using Root = ir::MemoryRoot;

Root rootOf(Program::Impl &impl, const Tensor &tensor) {
  return Root::of(known(impl, tensor.pointer().handle()));
}

/// True if the memory of the two cannot overlap: they differ, and at least one is private.
bool areApart(const Root &a, const Root &b) {
  return a.base != b.base && (a.isPrivate() || b.isPrivate());
}

struct Bytes {
  Scalar begin, end; ///< Int64
  Scalar some;       ///< whether there are any
};

/// The memory from the first to the last element.
Bytes bytesOf(const Tensor &tensor) {
  Scalar first = cast(Scalar(0), DType::Int64), last = first, some(true);
  const Scalars extents = tensor.shape(), strides = tensor.strides();
  for (size_t mode = 0; mode < extents.size(); ++mode) {
    Scalar steps = cast(extents[mode], DType::Int64) - 1;
    Scalar reach = steps * cast(strides[mode], DType::Int64);
    first = first + min(reach, 0);
    last = last + max(reach, 0);
    some = some && steps >= 0;
  }
  const int64_t bits = tensor.dtype() == DType::Boolean ? 8 : bitWidth(tensor.dtype());
  Program::Impl &impl = currentImpl("the memory of a tensor");
  OpBuilder &b = impl.builder;
  Scalar address =
      wrap(DType::Int64, b.createOrFold<LLVM::PtrToIntOp>(b.getUnknownLoc(), b.getI64Type(),
                                                          emitPointer(impl, tensor.pointer())));
  auto bytes = [&](const Scalar &elements) {
    return binary(BinaryOp::FloorDiv, elements * bits + 7, 8);
  };
  return {address + binary(BinaryOp::FloorDiv, first * bits, 8), address + bytes(last + 1), some};
}

Scalar overlap(const Tensor &a, const Tensor &b) {
  Bytes x = bytesOf(a), y = bytesOf(b);
  return x.some && y.some && x.begin < y.end && y.begin < x.end;
}

/// True if both visit the same addresses in the same order.
Scalar areSame(const Tensor &a, const Tensor &b) {
  if (a.dtype() != b.dtype() || a.strides().size() != b.strides().size())
    return Scalar(false);
  Scalar same = bytesOf(a).begin == bytesOf(b).begin;
  const Scalars extents = a.shape(), x = a.strides(), y = b.strides();
  for (size_t mode = 0; mode < x.size(); ++mode)
    same = same && (cast(x[mode], DType::Int64) == cast(y[mode], DType::Int64) ||
                    cast(extents[mode], DType::Int64) <= 1);
  return same;
}

/// Ends the call, or the kernel, unless `condition` holds.
void check(Program::Impl &impl, const Scalar &condition) {
  const std::string message =
      compose(Diagnostic::LoadedOverlap, {{"signature", impl.signature.str()}});
  if (impl.kernel)
    return assertThat(condition, message);
  requireEqual(impl, cast(Scalar(1), DType::Int64), cast(condition, DType::Int64),
               info(Diagnostic::LoadedOverlap).kind, message);
}

[[noreturn]] void rejectLate(const Tensor &source) {
  throw makeError(Diagnostic::LoadedLate, {{"layout", source.layoutStr()}});
}

/// The tensor that a launch of an expression wrote, if `op` is one.
const Tensor *targetOf(Program::Impl &impl, Operation *op) {
  auto entry = impl.expressionTargets.find(op);
  return entry == impl.expressionTargets.end() ? nullptr : &entry->second;
}

void requireUnchangedBy(Program::Impl &impl, Operation *op, const Tensor &source,
                        const Root &root) {
  if (isMemoryEffectFree(op) || isa<LLVM::LoadOp, LLVM::AllocaOp>(op))
    return;
  if (const Tensor *target = targetOf(impl, op)) {
    if (rootOf(impl, *target).base == root.base)
      rejectLate(source);
    return check(impl, !overlap(*target, source));
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    if (areApart(Root::of(store.getAddr()), root))
      return;
    rejectLate(source);
  }
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op); effects && !op->getNumRegions()) {
    if (!effects.hasEffect<MemoryEffects::Write>() && !effects.hasEffect<MemoryEffects::Free>())
      return;
  } else if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op)) {
    SmallVector<Operation *> inner;
    op->walk([&](Operation *part) {
      if (part != op && !isa<scf::IfOp, scf::ForOp, scf::WhileOp>(part))
        inner.push_back(part);
    });
    for (Operation *part : inner) {
      if (targetOf(impl, part))
        rejectLate(source); // its tensor may be known only inside
      requireUnchangedBy(impl, part, source, root);
    }
    return;
  } else if (auto call = dyn_cast<LLVM::CallOp>(op);
             call && call.getCallee() == runtime::FairleadRaise.name) {
    return;
  } else if (op->hasTrait<OpTrait::IsTerminator>()) {
    return;
  }
  if (root.isPrivate())
    return; // nobody else reaches it
  rejectLate(source);
}

} // namespace

ProgramPoint currentPoint(Program::Impl &impl) {
  OpBuilder &b = impl.builder;
  Block *block = b.getInsertionBlock();
  auto point = b.getInsertionPoint();
  return {block, point == block->begin() ? nullptr : &*std::prev(point)};
}

void requireUnchanged(Program::Impl &impl, const Tensor &source, const ProgramPoint &place) {
  if (!place.block)
    return;
  ProgramPoint now = currentPoint(impl);
  const Root root = rootOf(impl, source);
  SmallVector<Operation *> between;
  while (now.block != place.block) {
    for (Operation *op = now.before; op; op = op->getPrevNode())
      between.push_back(op);
    Operation *around = now.block->getParentOp();
    if (isa_and_nonnull<gpu::GPUFuncOp>(around))
      return; // a kernel cannot read what belongs to the host, which is another error
    // A later round of a loop comes after everything that the loop does.
    if (!around || !isa<scf::IfOp>(around) || around == impl.host)
      rejectLate(source);
    now = {around->getBlock(), around->getPrevNode()};
  }
  for (Operation *op = now.before; op && op != place.before; op = op->getPrevNode())
    between.push_back(op);
  for (Operation *op : between)
    requireUnchangedBy(impl, op, source, root);
}

void requireApart(Program::Impl &impl, const Tensor &target, const Tensor &source) {
  if (areApart(rootOf(impl, target), rootOf(impl, source)))
    return;
  // Source and target are the same tensor: a late read sees nothing else.
  if (target.pointer().handle() == source.pointer().handle() &&
      target.layoutStr() == source.layoutStr() &&
      target.leaves().size() == source.leaves().size()) {
    bool same = true;
    const Scalars a = target.leaves(), b = source.leaves();
    for (size_t i = 0; i < a.size(); ++i)
      same = same && a[i].isValue() && b[i].isValue() && a[i].handle() == b[i].handle();
    if (same)
      return;
  }
  check(impl, areSame(target, source) || !overlap(target, source));
}

} // namespace fairlead::dsl
