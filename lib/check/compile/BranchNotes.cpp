#include "check/compile/CheckBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "check/compile/CheckedValues.h"
#include "fairlead/CheckCpu.h"
#include "ir/Interfaces.h"
#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"

using namespace mlir;

namespace fairlead::check {
namespace {

/// Attribute of calls: dropBranchNotes removes them.
constexpr char kNoteAttribute[] = "fairlead.branch_note";

/// Number of threads that have to come to an operation at which the CPU does not let threads wait;
/// 0 for other operations.
int64_t groupOf(Operation *op) {
  auto collective = dyn_cast<ir::CollectiveOp>(op);
  if (!collective)
    return 0;
  if (collective.getScope() == ir::Scope::Warpgroup)
    return TargetInfo::kWarpgroupThreads;
  const bool ofSomeLanes = op->getNumOperands() > 0;
  return collective.electsLane() && !ofSomeLanes ? TargetInfo::kWarpThreads : 0;
}

class BranchNotes {
public:
  explicit BranchNotes(CheckBuilder &checks) : checks(checks), b(checks.b) {}

  void run(ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      if (isa<ir::CollectiveOp>(op))
        for (Operation *outer = op->getParentOp(); outer != checks.kernel;
             outer = outer->getParentOp())
          around[outer] |= groupOf(op) != 0;
    for (Operation *op : ops)
      if (auto entry = around.find(op); entry != around.end())
        noteBranch(op, entry->second);
    if (!around.empty())
      noteActs();
    for (Operation *op : ops)
      if (int64_t group = groupOf(op))
        noteArrival(op, group);
  }

private:
  void noteBranch(Operation *op, bool stays) {
    // Loads of a region's own are in its parent's only block: the location is the branch's.
    Region *inside = nullptr;
    if (isa<scf::ForOp>(op))
      inside = &op->getRegion(0);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      inside = &loop.getAfter();
    else if (!isa<scf::IfOp>(op))
      return;
    const std::string site = checks.siteSymbol(op, {});
    const int64_t branch = numBranches++;
    auto note = [&](Value event) {
      b.setLoc(op->getLoc());
      Value address = LLVM::AddressOfOp::create(b, checks.pointer, site);
      call({address, lower::linearThread(b), lower::i32Constant(b, branch), event}, stays);
    };
    if (inside) {
      b.setInsertionPointToStart(&inside->front());
      note(lower::i32Constant(b, kFairleadCheckIteration));
    } else {
      b.setInsertionPoint(op);
      Value condition = cast<scf::IfOp>(op).getCondition();
      note(arith::ExtUIOp::create(b, b.getI32Type(), condition));
    }
    b.setInsertionPointAfter(op);
    note(lower::i32Constant(b, kFairleadCheckLeaves));
  }

  void call(ArrayRef<Value> arguments, bool stays) {
    callRuntime(b, runtime::FairleadCheckBranch, arguments);
    if (!stays)
      std::prev(b.getInsertionPoint())->setAttr(kNoteAttribute, b.getUnitAttr());
  }

  /// True for operations that show that a thread has not ended.
  static bool acts(Operation *op) {
    if (auto store = dyn_cast<LLVM::StoreOp>(op))
      return !Root::of(store.getAddr()).isPrivate();
    return isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp, ir::CollectiveOp, ir::AsyncOp>(op);
  }

  /// A note in each block before its first such operation, and its first one after a branch.
  void noteActs() {
    const bool stays = llvm::any_of(around, [](const auto &entry) { return entry.second; });
    SmallVector<Operation *> firsts;
    checks.kernel.walk([&](Block *block) {
      bool noted = false;
      for (Operation &op : *block) {
        if (around.contains(&op))
          noted = false;
        else if (!noted && acts(&op)) {
          firsts.push_back(&op);
          noted = true;
        }
      }
    });
    for (Operation *op : firsts) {
      b.setInsertionPoint(op);
      b.setLoc(op->getLoc());
      call({lower::nullPointer(b), lower::linearThread(b), lower::i32Constant(b, 0),
            lower::i32Constant(b, kFairleadCheckActs)},
           stays);
    }
  }

  void noteArrival(Operation *op, int64_t group) {
    auto collective = cast<ir::CollectiveOp>(op);
    b.setInsertionPoint(op);
    b.setLoc(op->getLoc());
    StringRef title = collective.electsLane() ? "elect_one" : collective.getTitle();
    callRuntime(
        b, runtime::FairleadCheckReaches,
        {checks.siteOf(op, {}, title), lower::linearThread(b), lower::i32Constant(b, group)});
  }

  CheckBuilder &checks;
  ImplicitLocOpBuilder &b;
  /// Branches and loops around such operations; true if threads do not wait at one of them.
  llvm::DenseMap<Operation *, bool> around;
  int64_t numBranches = 0;
};

} // namespace

void noteBranches(CheckBuilder &checks, ArrayRef<Operation *> ops) { BranchNotes(checks).run(ops); }

void dropBranchNotes(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> notes;
  kernel.walk([&](Operation *op) {
    if (op->hasAttr(kNoteAttribute))
      notes.push_back(op);
  });
  for (Operation *note : notes)
    note->erase();
}

} // namespace fairlead::check
