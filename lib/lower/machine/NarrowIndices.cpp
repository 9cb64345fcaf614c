#include "lower/machine/HostPasses.h"

#include <set>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace fairlead::lower {
namespace {

using llvm::SCEV;
using Predicates = llvm::SmallVector<const llvm::SCEVPredicate *, 4>;

/// The recurrences of one loop that may need a check against wrapping.
class LoopWraps {
public:
  LoopWraps(llvm::Loop &loop, const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution)
      : loop(loop), loops(loops), evolution(evolution) {}

  /// Returns true if it changed the loop.
  bool freezeNarrow() {
    const std::set<unsigned> fixed = fixedWidths();
    std::set<unsigned> widths = addressWidths();
    widths.insert(fixed.begin(), fixed.end());
    if (widths.size() < 2)
      return false;
    keptWidth = fixed.empty() ? *widths.rbegin() : *fixed.begin();
    for (llvm::Instruction *pointer : addresses())
      freezeOthers(*pointer);
    if (fixed.size() > 1)
      llvm::addStringMetadataToLoop(&loop, "llvm.loop.vectorize.enable", 0);
    return true;
  }

private:
  /// Bits of the recurrences whose checks come with the trip count and with induction variables
  /// that are truncated in each iteration. They cannot be frozen.
  std::set<unsigned> fixedWidths() {
    std::set<unsigned> widths;
    Predicates predicates;
    evolution.getPredicatedBackedgeTakenCount(&loop, predicates);
    evolution.getPredicatedSymbolicMaxBackedgeTakenCount(&loop, predicates);
    addWidths(predicates, widths);
    for (llvm::PHINode &phi : loop.getHeader()->phis())
      if (evolution.isSCEVable(phi.getType()))
        if (auto *unknown = llvm::dyn_cast<llvm::SCEVUnknown>(evolution.getSCEV(&phi));
            unknown && unknown->getValue() == &phi)
          if (auto cast = evolution.createAddRecFromPHIWithCasts(unknown))
            addWidths(cast->second, widths);
    return widths;
  }

  void addWidths(llvm::ArrayRef<const llvm::SCEVPredicate *> predicates,
                 std::set<unsigned> &widths) {
    for (const llvm::SCEVPredicate *predicate : predicates)
      if (auto *wrap = llvm::dyn_cast<llvm::SCEVWrapPredicate>(predicate))
        widths.insert(evolution.getTypeSizeInBits(wrap->getExpr()->getType()));
  }

  std::set<unsigned> addressWidths() {
    std::set<unsigned> widths;
    for (llvm::Instruction *pointer : addresses())
      hasExtension(*pointer, [&](unsigned width) {
        widths.insert(width);
        return false;
      });
    return widths;
  }

  /// The instructions of the loop that compute addresses which the loop itself, not a loop within
  /// it, reads or writes.
  llvm::SmallVector<llvm::Instruction *> addresses() {
    llvm::SmallVector<llvm::Instruction *> pointers;
    for (llvm::BasicBlock *block : loop.blocks())
      if (loops.getLoopFor(block) == &loop)
        for (llvm::Instruction &access : *block)
          if (auto *pointer = llvm::dyn_cast_or_null<llvm::Instruction>(
                  llvm::getLoadStorePointerOperand(&access)))
            if (loop.contains(pointer) && evolution.isSCEVable(pointer->getType()))
              pointers.push_back(pointer);
    return pointers;
  }

  bool variesAsRecurrence(const SCEV *operand) {
    return llvm::SCEVExprContains(operand, [&](const SCEV *part) {
      if (auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part))
        return recurrence->getLoop() == &loop;
      auto *unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part);
      auto *phi = unknown ? llvm::dyn_cast<llvm::PHINode>(unknown->getValue()) : nullptr;
      return phi && phi->getParent() == loop.getHeader();
    });
  }

  /// True if the value's expression extends a recurrence of the loop from a width that `matches`.
  template <typename Matches> bool hasExtension(llvm::Instruction &value, const Matches &matches) {
    return llvm::SCEVExprContains(evolution.getSCEV(&value), [&](const SCEV *part) {
      if (!llvm::isa<llvm::SCEVZeroExtendExpr, llvm::SCEVSignExtendExpr>(part))
        return false;
      const SCEV *operand = llvm::cast<llvm::SCEVCastExpr>(part)->getOperand();
      return variesAsRecurrence(operand) &&
             matches(evolution.getTypeSizeInBits(operand->getType()));
    });
  }

  bool hasOtherWidth(llvm::Instruction &value) {
    return hasExtension(value, [&](unsigned width) { return width != keptWidth; });
  }

  /// Freezes the instructions in the value's computation that extend recurrences of other widths
  /// than the kept one.
  void freezeOthers(llvm::Instruction &value) {
    if (!loop.contains(&value) || !visited.insert(&value).second ||
        !evolution.isSCEVable(value.getType()) || !hasOtherWidth(value))
      return;
    for (llvm::Value *operand : value.operands())
      if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(operand))
        freezeOthers(*instruction);
    evolution.forgetValue(&value);
    if (!hasOtherWidth(value))
      return;
    // The base stays visible: the vectorizer still sees which arrays do not overlap.
    if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&value))
      freezeIndices(*address);
    else
      freezeResult(value);
  }

  void freezeIndices(llvm::GetElementPtrInst &address) {
    for (llvm::Use &index : address.indices())
      if (auto *varying = llvm::dyn_cast<llvm::Instruction>(index);
          varying && loop.contains(varying))
        index.set(new llvm::FreezeInst(varying, "frozen", address.getIterator()));
    evolution.forgetValue(&address);
  }

  void freezeResult(llvm::Instruction &value) {
    auto *frozen = new llvm::FreezeInst(&value, "frozen", *value.getInsertionPointAfterDef());
    value.replaceUsesWithIf(frozen, [&](llvm::Use &use) { return use.getUser() != frozen; });
  }

  llvm::Loop &loop;
  const llvm::LoopInfo &loops;
  llvm::ScalarEvolution &evolution;
  unsigned keptWidth = 0; // in bits
  llvm::SmallPtrSet<llvm::Instruction *, 16> visited;
};

} // namespace

llvm::PreservedAnalyses FreezeNarrowIndices::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty())
    return llvm::PreservedAnalyses::all();
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    changed |= LoopWraps(*loop, loops, evolution).freezeNarrow();
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace fairlead::lower
