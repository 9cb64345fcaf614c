/// Labels and branches of inline PTX. After a branch forward, instructions have the predicate that
/// a thread did not take it. Loops that wait for an mbarrier are one operation.
#include "dsl/ptx/Reader.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Mbarrier.h"

using llvm::StringRef;

namespace fairlead::dsl::ptx {

/// Returns the predicate of a statement here; nothing if all threads execute it.
std::optional<Scalar> Reader::conditionOf(const Statement &statement) {
  if (statement.guard.empty())
    return isHere_;
  Scalar holds = read(statement.guard, DType::Boolean);
  if (statement.guardIsNegated)
    holds = !holds;
  return isHere_ ? *isHere_ & holds : holds;
}

void Reader::branch(const Statement &statement) {
  require(statement.operands.size() == 1);
  const Scalar leaves = conditionOf(statement).value_or(constant(DType::Boolean, int64_t{1}));
  auto [target, isNew] = pending_.try_emplace(statement.operands.front(), leaves);
  if (!isNew)
    target->second = target->second | leaves;
  isHere_ = isHere_ ? *isHere_ & !leaves : !leaves;
}

void Reader::arriveAt(StringRef label) {
  auto target = pending_.find(label);
  if (target == pending_.end())
    return;
  isHere_ = *isHere_ | target->second;
  pending_.erase(target);
  if (pending_.empty())
    isHere_.reset();
}

/// Executes a loop that waits for an mbarrier at the beginning of the statements, and returns their
/// number; 0 for other statements:
///     L: mbarrier.try_wait.parity.b64 p, [address], parity; @p bra D; bra L; D:
///     L: mbarrier.try_wait.parity.b64 p, [address], parity; @!p bra L;
size_t Reader::waited(llvm::ArrayRef<Statement> statements) {
  if (statements.size() < 3 || statements[0].name != ":" || statements[1].name != "mbarrier")
    return 0;
  const Statement &wait = statements[1], &branch = statements[2];
  auto goesTo = [](const Statement &statement, StringRef label) {
    return statement.name == "bra" && statement.operands.size() == 1 &&
           statement.operands.front() == label;
  };
  const StringRef begin = statements[0].operands.front();
  if (!wait.guard.empty() || wait.operands.size() < 3 || !has(wait.words, "parity") ||
      !(has(wait.words, "try_wait") || has(wait.words, "test_wait")) ||
      branch.guard != wait.operands[0])
    return 0;
  const bool repeats = branch.guardIsNegated && goesTo(branch, begin);
  const bool leaves = !branch.guardIsNegated && statements.size() > 4 &&
                      statements[3].guard.empty() && goesTo(statements[3], begin) &&
                      statements[4].name == ":" && goesTo(branch, statements[4].operands.front());
  if (!repeats && !leaves)
    return 0;
  auto [barrier, block] = place(wait.operands[1], DType::Int64);
  require(!block && !isHere_);
  waitMbarrier(barrier, read(wait.operands[2], DType::Int32));
  write(wait.operands[0], constant(DType::Boolean, int64_t{1}));
  return leaves ? 5 : 3;
}

void Reader::execute(llvm::ArrayRef<Statement> statements) {
  while (!statements.empty()) {
    if (const size_t count = waited(statements)) {
      statements = statements.drop_front(count);
      continue;
    }
    const Statement &first = statements.front();
    if (first.name == ":")
      arriveAt(first.operands.front());
    else if (first.name == "bra")
      branch(first);
    else
      execute(first);
    statements = statements.drop_front();
  }
  if (!pending_.empty())
    unknown(); // a branch back, or out of the assembly
  keepKernelRegisters();
}

} // namespace fairlead::dsl::ptx
