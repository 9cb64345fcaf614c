#include "fairlead/dsl/Operation.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "dsl/trace/Builder.h"
#include "fairlead/Diagnostics.h"
#include "ir/Interfaces.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Returns the type of unsigned integers, of floats or of truth values.
DType dtypeOf(mlir::Type type) {
  for (DType dtype : {DType::Boolean, DType::Uint32, DType::Uint64, DType::Float32, DType::Float64})
    if (valueType(type.getContext(), dtype) == type)
      return dtype;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  throw makeError(Diagnostic::ArgumentValue,
                  {{"function", "operation"},
                   {"expected", "an operation whose results are numbers of 32 or 64 bits"},
                   {"got", text}});
}

/// Creates the operation outside of any block. Null if it cannot have these operands.
Operation *create(OperationState &state) {
  auto *inference = state.name.getInterface<InferTypeOpInterface>();
  if (inference && state.types.empty()) {
    SmallVector<mlir::Type> types;
    if (failed(inference->inferReturnTypes(state.getContext(), state.location, state.operands,
                                           DictionaryAttr(), OpaqueProperties(nullptr),
                                           RegionRange(), types)))
      return nullptr;
    state.addTypes(types);
  }
  return Operation::create(state);
}

void addOperand(Program::Impl &impl, OperationState &state, const OperationOperand &operand) {
  if (const auto *pointer = std::get_if<Pointer>(&operand))
    state.addOperands(known(impl, pointer->handle()));
  else
    state.addOperands(emit(impl, std::get<Scalar>(operand)));
}

/// Returns the attribute of an enumerator, or null.
template <typename EnumeratorAttr, typename Enumerator>
Attribute enumeratorAttribute(OpBuilder &b, std::optional<Enumerator> enumerator) {
  return enumerator ? Attribute(EnumeratorAttr::get(b.getContext(), *enumerator)) : Attribute();
}

/// Returns the enumerator `word` of the attribute `name`: enumerations share words. Null for a word
/// that no enumerator has.
Attribute enumeratorOf(OpBuilder &b, StringRef name, StringRef word) {
  if (name == "group")
    return enumeratorAttribute<ir::CtaGroupAttr>(b, ir::symbolizeCtaGroup(word));
  if (name == "a_type" || name == "b_type" || name == "d_type")
    return enumeratorAttribute<ir::ProductTypeAttr>(b, ir::symbolizeProductType(word));
  if (name == "scale_type")
    return enumeratorAttribute<ir::ScaleTypeAttr>(b, ir::symbolizeScaleType(word));
  if (name == "shape")
    return enumeratorAttribute<ir::TensorMemoryCopyShapeAttr>(
        b, ir::symbolizeTensorMemoryCopyShape(word));
  if (name == "extreme")
    return enumeratorAttribute<ir::ExtremeAttr>(b, ir::symbolizeExtreme(word));
  if (auto field = ir::symbolizeMapField(word))
    return ir::MapFieldAttr::get(b.getContext(), *field);
  if (auto kind = ir::symbolizeScaledMmaKind(word))
    return ir::ScaledMmaKindAttr::get(b.getContext(), *kind);
  return enumeratorAttribute<ir::ReduceKindAttr>(b, ir::symbolizeReduceKind(word));
}

/// Null for a false flag, and for a name that no enumerator has.
Attribute attributeOf(OpBuilder &b, StringRef name, const OperationAttribute &value) {
  if (const auto *flag = std::get_if<bool>(&value))
    return *flag ? b.getUnitAttr() : Attribute();
  if (const auto *number = std::get_if<int32_t>(&value))
    return b.getI32IntegerAttr(*number);
  if (const auto *numbers = std::get_if<std::vector<int32_t>>(&value))
    return b.getDenseI32ArrayAttr(*numbers);
  return enumeratorOf(b, name, std::get<std::string>(value));
}

void addForm(OpBuilder &b, OperationState &state, const OperationForm &form) {
  for (const auto &[name, value] : form.attributes)
    if (Attribute attribute = attributeOf(b, name, value))
      state.addAttribute(name, attribute);
  for (DType type : form.results)
    state.addTypes(valueType(b.getContext(), type));
}

} // namespace

Scalars operation(std::string_view name, const std::vector<OperationOperand> &operands,
                  const OperationForm &form, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = kernelImpl("`" + std::string(name) + "`");
  OpBuilder &b = impl.builder;
  const bool isForeign = StringRef(name).starts_with("nvvm.");
  OperationState state(b.getUnknownLoc(), (isForeign ? "" : "fairlead.") + std::string(name));
  for (const OperationOperand &operand : operands)
    addOperand(impl, state, operand);
  addForm(b, state, form);
  std::string problem;
  ScopedDiagnosticHandler handler(impl.context.get(), [&](mlir::Diagnostic &diagnostic) {
    // Without the name: "'fairlead.name' op operand #0 must be ...".
    const std::string text = diagnostic.str(), end = " op ";
    const size_t prefix = text.find(end);
    problem = prefix == std::string::npos ? text : text.substr(prefix + end.size());
    return success();
  });
  OwningOpRef<Operation *> op(create(state));
  if (!op || failed(verify(*op, /*verifyRecursively=*/false)))
    throw makeError(Diagnostic::OperationOperands,
                    {{"name", std::string(name)}, {"problem", problem}});
  if (auto requirements = dyn_cast<ir::TargetRequirements>(*op))
    if (auto feature = requirements.getRequiredFeature())
      Program::current()->requireFeature(*feature, "`" + std::string(name) + "`");
  Scalars results;
  for (auto [index, value] : llvm::enumerate(b.insert(op.release())->getResults()))
    results.push_back(
        wrap(form.results.empty() ? dtypeOf(value.getType()) : form.results[index], value));
  return results;
}

Scalars operation(std::string_view name, const Scalars &operands, SourceLoc at) {
  return operation(name, std::vector<OperationOperand>(operands.begin(), operands.end()), {}, at);
}

} // namespace fairlead::dsl
