#include "fairlead/dsl/Operation.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "dsl/trace/Builder.h"
#include "ir/Interfaces.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Returns the type of unsigned integers, of floats or of truth values.
DType dtypeOf(mlir::Type type) {
  for (DType dtype : {DType::Boolean, DType::Uint32, DType::Uint64, DType::Float32, DType::Float64})
    if (valueType(type.getContext(), dtype) == type)
      return dtype;
  throw std::logic_error("an operation's result is no number of 32 or 64 bits");
}

/// Creates the operation outside of any block. Null if it cannot have these operands.
Operation *create(OperationState &state) {
  if (auto *inference = state.name.getInterface<InferTypeOpInterface>()) {
    SmallVector<mlir::Type> types;
    if (failed(inference->inferReturnTypes(state.getContext(), state.location, state.operands,
                                           DictionaryAttr(), OpaqueProperties(nullptr),
                                           RegionRange(), types)))
      return nullptr;
    state.addTypes(types);
  }
  return Operation::create(state);
}

} // namespace

Scalars operation(std::string_view name, const Scalars &operands, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = kernelImpl("`" + std::string(name) + "`");
  OpBuilder &b = impl.builder;
  OperationState state(b.getUnknownLoc(), "fairlead." + std::string(name));
  for (const Scalar &operand : operands)
    state.addOperands(emit(impl, operand));
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
  for (mlir::Value result : b.insert(op.release())->getResults())
    results.push_back(wrap(dtypeOf(result.getType()), result));
  return results;
}

} // namespace fairlead::dsl
