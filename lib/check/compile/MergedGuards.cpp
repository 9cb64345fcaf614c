/// Guards of neighbouring accesses become one guard of the range that they are in.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "check/compile/CheckedValues.h"
#include "check/compile/Guards.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/common/PlainOps.h"

using namespace mlir;

namespace fairlead::check {

Value CanonicalValues::of(Value value) {
  if (Value first = known.lookup(value))
    return first;
  Operation *op = value.getDefiningOp();
  Value first = value;
  if (op && (lower::isPlain(op) || isa<gpu::ThreadIdOp, gpu::BlockIdOp>(op))) {
    std::vector<const void *> key{
        op->getName().getAsOpaquePointer(), op->getAttrDictionary().getAsOpaquePointer(),
        value.getType().getAsOpaquePointer(),
        reinterpret_cast<const void *>(uintptr_t{cast<OpResult>(value).getResultNumber()})};
    for (Value operand : op->getOperands())
      key.push_back(of(operand).getAsOpaquePointer());
    first = firsts.try_emplace(std::move(key), value).first->second;
  }
  known[value] = first;
  return first;
}

namespace {

class GuardMerger {
public:
  llvm::DenseMap<Operation *, Operation *> coverings;

  void visit(Block &block) {
    groups.emplace_back();
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto guard = dyn_cast<ir::GuardOp>(op))
        visit(guard);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          visit(inner);
    }
    for (auto &[key, group] : groups.back())
      widen(group);
    groups.pop_back();
  }

private:
  /// A sum of values times constants, and a constant.
  struct Sum {
    std::map<const void *, int64_t> terms;
    int64_t constant = 0;
  };
  /// Guards in one block at a constant distance from each other.
  struct Group {
    ir::GuardOp first;
    int64_t constant, begin, end; ///< the first one's constant, and the range of all of them
  };
  /// The memory and the place in the program, then the terms of the offset.
  using Key = std::vector<const void *>;

  void visit(ir::GuardOp guard) {
    auto bytes = lower::constantOf(guard.getBytes());
    if (!bytes || guard.getReadable())
      return;
    Sum sum;
    add(sum, guard.getOffset(), 1);
    Key key{canonicals.of(guard.getLow()).getAsOpaquePointer(),
            canonicals.of(guard.getHigh()).getAsOpaquePointer(),
            canonicals.of(guard.getTable()).getAsOpaquePointer(),
            guard.getSiteAttr().getAttr().getAsOpaquePointer()};
    for (auto [term, factor] : sum.terms)
      if (factor)
        key.insert(key.end(), {term, reinterpret_cast<const void *>(factor)});
    const int64_t begin = sum.constant, end = begin + *bytes;
    for (auto &outer : groups) { // of this block, and of those around it
      auto entry = outer.find(key);
      if (entry == outer.end())
        continue;
      Group &group = entry->second;
      const bool isOwn = &outer == &groups.back();
      if (!isOwn && (begin < group.begin || end > group.end))
        continue;
      group.begin = std::min(group.begin, begin);
      group.end = std::max(group.end, end);
      coverings[guard] = group.first;
      return guard.erase();
    }
    groups.back().emplace(std::move(key), Group{guard, sum.constant, begin, end});
  }

  void add(Sum &sum, Value value, int64_t factor) {
    if (auto constant = lower::constantOf(value)) {
      sum.constant += factor * *constant;
      return;
    }
    if (auto both = value.getDefiningOp<arith::AddIOp>()) {
      add(sum, both.getLhs(), factor);
      return add(sum, both.getRhs(), factor);
    }
    if (auto product = value.getDefiningOp<arith::MulIOp>())
      if (auto constant = lower::constantOf(product.getRhs()))
        return add(sum, product.getLhs(), factor * *constant);
    sum.terms[canonicals.of(value).getAsOpaquePointer()] += factor;
  }

  static void widen(const Group &group) {
    ir::GuardOp guard = group.first;
    ImplicitLocOpBuilder b(guard.getLoc(), guard);
    if (group.begin != group.constant)
      guard.getOffsetMutable().assign(arith::AddIOp::create(
          b, guard.getOffset(), lower::i64Constant(b, group.begin - group.constant)));
    if (lower::constantOf(guard.getBytes()) != group.end - group.begin)
      guard.getBytesMutable().assign(lower::i64Constant(b, group.end - group.begin));
  }

  CanonicalValues canonicals;
  std::vector<std::map<Key, Group>> groups; ///< of a block and those around it, up to here
};

} // namespace

llvm::DenseMap<Operation *, Operation *> mergeGuards(Block &block) {
  GuardMerger merger;
  merger.visit(block);
  return std::move(merger.coverings);
}

} // namespace fairlead::check
