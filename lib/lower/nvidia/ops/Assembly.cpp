#include "lower/nvidia/ops/Assembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "ir/Attributes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

std::string letterOf(Type type) {
  if (type.isF32())
    return "f";
  return type.isInteger(64) ? "l" : type.isInteger(16) ? "h" : "r";
}

/// Return the type of an address of this space as a number.
Type addressType(ImplicitLocOpBuilder &b, LLVM::LLVMPointerType pointer) {
  constexpr unsigned kShared = 3, kTensor = 6, kCluster = 7;
  const unsigned space = pointer.getAddressSpace();
  const bool narrow = space == kShared || space == kTensor || space == kCluster;
  return narrow ? b.getI32Type() : b.getI64Type();
}

} // namespace

std::string Assembly::operand(Value value) {
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(value.getType()))
    value = LLVM::PtrToIntOp::create(b, addressType(b, pointer), value);
  operands.push_back(value);
  add(letterOf(value.getType()));
  return "$" + std::to_string(places++);
}

std::string Assembly::result(Type type) {
  results.push_back(type);
  add("=" + letterOf(type));
  return "$" + std::to_string(places++);
}

void Assembly::initial(Value value, size_t index) {
  operands.push_back(value);
  add(std::to_string(index));
  ++places;
}

SmallVector<Value> Assembly::emit(const std::string &text) {
  add("~{memory}");
  Type type;
  if (results.size() == 1)
    type = results.front();
  else if (!results.empty())
    type = LLVM::LLVMStructType::getLiteral(b.getContext(), results);
  auto op = LLVM::InlineAsmOp::create(
      b, type ? TypeRange(type) : TypeRange(), operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> values;
  if (results.size() == 1)
    values.push_back(op.getResult(0));
  else
    for (size_t i = 0; i < results.size(); ++i)
      values.push_back(LLVM::ExtractValueOp::create(b, op.getResult(0), static_cast<int64_t>(i)));
  return values;
}

void Assembly::add(const std::string &constraint) {
  constraints += (constraints.empty() ? "" : ",") + constraint;
}

std::string joined(const SmallVector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string byOne(Operation *op, const std::string &instruction) {
  if (op->hasAttr(ir::kChosenThreadAttribute))
    return instruction + ";";
  return "{ .reg .pred p; elect.sync _|p, -1; @p " + instruction + "; }";
}

} // namespace fairlead::lower
