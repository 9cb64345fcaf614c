/// Labels and branches of inline PTX. After a branch forward, instructions have the predicate that
/// a thread did not take it. A branch back ends a loop; loops that wait for an mbarrier are one
/// operation.
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

/// Executes a loop at the beginning of the statements, `L: ...; @p bra L;` without other branches,
/// and returns the number of statements; 0 for other statements.
size_t Reader::repeated(llvm::ArrayRef<Statement> statements) {
  auto isControl = [](const Statement &statement) {
    return statement.name == ":" || statement.name == "bra";
  };
  const auto *end = llvm::find_if(statements.drop_front(), isControl);
  if (!isControl(statements.front()) || end == statements.end() || end->guard.empty() ||
      end->operands != statements.front().operands)
    return 0;
  require(!isHere_);
  const auto body = llvm::ArrayRef(statements.begin() + 1, end);
  auto runs = [&] {
    for (const Statement &statement : body)
      execute(statement);
    const Scalar holds = read(end->guard, DType::Boolean);
    return end->guardIsNegated ? !holds : holds;
  };
  // The first turn tells the types of the registers.
  CarriedList carried{{"the branch", runs()}};
  llvm::SmallVector<StringRef, 8> targets;
  for (const Statement &statement : body)
    if (!statement.operands.empty()) {
      const StringRef target = statement.operands.front();
      require(!target.contains('|'));
      const bool isVector = target.starts_with("{") || vectors_.contains(target);
      llvm::append_range(targets, isVector ? parts(target) : elements(target, 1));
    }
  llvm::SmallVector<std::string, 8> names;
  for (const StringRef target : targets)
    if (auto entry = registers_.find(target); entry != registers_.end()) {
      names.push_back(target.str());
      carried.push_back({target.str(), entry->second});
    }
  auto keep = [&](const Scalars &values) {
    for (auto [name, value] : llvm::zip(names, llvm::ArrayRef(values).drop_front()))
      registers_[name] = value;
  };
  OpenLoop loop(carried, [](const Scalars &values) { return values.front(); });
  keep(loop.arguments());
  Scalars values{runs()};
  for (const std::string &name : names)
    values.push_back(registers_[name]);
  keep(loop.close(values));
  return body.size() + 2;
}

void Reader::execute(llvm::ArrayRef<Statement> statements) {
  while (!statements.empty()) {
    const size_t waits = waited(statements);
    if (const size_t count = waits ? waits : repeated(statements)) {
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
