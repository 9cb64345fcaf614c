#include "dsl/trace/Builder.h"

#include <new>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

#include "dsl/trace/RuntimeCalls.h"
#include "dsl/trace/Unfinished.h"
#include "dsl/value/LiteralRange.h"
#include "dsl/value/NarrowFloat.h"

using namespace mlir;

namespace fairlead::dsl {

Program::Impl &currentImpl(std::string_view what) {
  if (Program *program = Program::current())
    return program->impl();
  throw makeError(Diagnostic::OutsideTrace, {{"what", std::string(what)}});
}

Program::Impl &kernelImpl(std::string_view what) {
  Program::Impl &impl = currentImpl(what);
  if (!impl.kernel)
    throw makeError(Diagnostic::OutsideKernel, {{"what", std::string(what)}});
  return impl;
}

const void *toHandle(mlir::Value value) {
  const void *handle = value.getAsOpaquePointer();
  if (Program *program = Program::current())
    program->impl().handles.insert(handle);
  return handle;
}

mlir::Value known(Program::Impl &impl, const void *handle) {
  if (!impl.handles.contains(handle))
    throw makeError(Diagnostic::StaleValue);
  return fromHandle(handle);
}

mlir::Type valueType(MLIRContext *context, DType type) {
  switch (type) {
  case DType::Float16:
    return Float16Type::get(context);
  case DType::BFloat16:
    return BFloat16Type::get(context);
  case DType::Float32:
    return Float32Type::get(context);
  case DType::Float64:
    return Float64Type::get(context);
  case DType::TFloat32:
    return Float32Type::get(context);
  default:
    if (isNarrowFloat(type))
      return IntegerType::get(context, 8);
    return IntegerType::get(context, bitWidth(type));
  }
}

mlir::Type memoryType(MLIRContext *context, DType type) {
  return type == DType::Boolean ? IntegerType::get(context, 8) : valueType(context, type);
}

mlir::Value emitIntConstant(Program::Impl &impl, DType type, int64_t number) {
  if (isFloat(type))
    return emitConstant(impl, type, static_cast<double>(number));
  auto attribute = IntegerAttr::get(valueType(impl.context.get(), type),
                                    APInt(bitWidth(type), static_cast<uint64_t>(number),
                                          /*isSigned=*/true, /*implicitTrunc=*/true));
  return arith::ConstantOp::create(impl.builder, impl.builder.getUnknownLoc(), attribute);
}

mlir::Value emitConstant(Program::Impl &impl, DType type, double number) {
  if (!isFloat(type))
    return emitIntConstant(impl, type, static_cast<int64_t>(number));
  if (isNarrowFloat(type)) {
    mlir::Value f64 = emitConstant(impl, DType::Float64, number);
    return emitToNarrow(impl, f64, type);
  }
  auto floatType = cast<FloatType>(valueType(impl.context.get(), type));
  APFloat value(number);
  bool losesInfo = false;
  value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return arith::ConstantOp::create(impl.builder, impl.builder.getUnknownLoc(),
                                   FloatAttr::get(floatType, value));
}

/// Rejects a value that the current code cannot read. Kernels cannot read the host function's
/// values, because they run at other times on other processors.
static void checkReachable(Program::Impl &impl, mlir::Value value) {
  // A value is visible only inside its region: values of a branch or a loop end with it.
  Region *region = value.getParentRegion();
  if (!impl.kernel) {
    if (!region->isAncestor(impl.builder.getInsertionBlock()->getParent()))
      throw makeError(Diagnostic::EscapedValue);
    return;
  }
  if (isDropped(region))
    throw makeError(Diagnostic::EscapedValue);
  if (region->getParentOfType<gpu::GPUFuncOp>() != impl.kernel->function)
    throw makeError(Diagnostic::HostValueInKernel,
                    {{"kernel", impl.kernel->function.getName().str()}});
  if (!region->isAncestor(impl.builder.getInsertionBlock()->getParent()))
    throw makeError(Diagnostic::EscapedValue);
}

mlir::Value emit(Program::Impl &impl, const Scalar &scalar) {
  if (scalar.isValue()) {
    mlir::Value value = known(impl, scalar.handle());
    checkReachable(impl, value);
    return value;
  }
  if (scalar.isFloatLiteral())
    return emitConstant(impl, scalar.dtype(), scalar.literalFloat());
  return emitIntConstant(impl, scalar.dtype(), scalar.literalInt());
}

void checkLiteral(int64_t number, DType type, bool ordered) {
  if (!isInteger(type) || type == DType::Boolean)
    return;
  unsigned width = bitWidth(type), bits = ordered && isSigned(type) ? width - 1 : width;
  int64_t least = width >= 64 ? INT64_MIN : -(int64_t(1) << (width - 1));
  if (ordered && !isSigned(type))
    least = 0;
  if (number < least || (bits < 63 && number >= int64_t(1) << bits))
    throw makeError(Diagnostic::ScalarRange, {{"site", "written in a program"},
                                              {"dtype", std::string(className(type))},
                                              {"got", std::to_string(number)}});
}

mlir::Value emitAs(Program::Impl &impl, const Scalar &scalar, DType type) {
  if (scalar.isLiteral()) {
    if (scalar.isFloatLiteral())
      return emitConstant(impl, type, scalar.literalFloat());
    checkLiteral(scalar.literalInt(), type);
    return emitIntConstant(impl, type,
                           type == DType::Boolean ? scalar.literalInt() != 0 : scalar.literalInt());
  }
  return emit(impl, dsl::cast(scalar, type));
}

mlir::Value emitIndex(Program::Impl &impl, const Scalar &scalar) {
  if (!scalar.isLiteral() && isFloat(scalar.dtype()))
    throw makeError(Diagnostic::IndexType, {{"got", std::string(className(scalar.dtype()))}});
  if (scalar.isFloatLiteral())
    throw makeError(Diagnostic::IndexType, {{"got", "float"}});
  return emitAs(impl, scalar, DType::Int64);
}

} // namespace fairlead::dsl

namespace fairlead {
namespace {

struct Types {
  Type none() const { return LLVM::LLVMVoidType::get(context); }
  Type pointer() const { return LLVM::LLVMPointerType::get(context); }
  Type pair() const { return LLVM::LLVMStructType::getLiteral(context, {pointer(), pointer()}); }
  Type integer(unsigned bits) const { return IntegerType::get(context, bits); }
  Type float64() const { return Float64Type::get(context); }

  MLIRContext *context;
};

} // namespace

Value callRuntime(OpBuilder &b, Location location, const RuntimeFunction &function,
                  ValueRange arguments) {
  const Types types{b.getContext()};
  SmallVector<Type> parameters;
  for (size_t i = 0; i < function.numParameters; ++i)
    parameters.push_back(irTypeOf(function.parameters[i], types));
  auto type = LLVM::LLVMFunctionType::get(irTypeOf(function.result, types), parameters,
                                          function.isVariadic);
  for (Operation *table = b.getInsertionBlock()->getParentOp(); table;
       table = table->getParentOp()) {
    if (!table->hasTrait<OpTrait::SymbolTable>() ||
        SymbolTable::lookupSymbolIn(table, function.name))
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&table->getRegion(0).front());
    auto declared = LLVM::LLVMFuncOp::create(b, location, function.name, type);
    if (function.binding == RuntimeBinding::Eager)
      declared.setPassthroughAttr(b.getArrayAttr(b.getStringAttr("nonlazybind")));
  }
  auto call = LLVM::CallOp::create(b, location, type, function.name, arguments);
  return call.getNumResults() ? call.getResult() : Value();
}

} // namespace fairlead

namespace fairlead::dsl {

/// Name of the function that holds the dropped operations while the program is traced.
static constexpr char kDroppedSymbol[] = "fairlead_dropped";

/// The module's attribute if an operation that should have been dropped is still in it.
static constexpr char kIncomplete[] = "fairlead.incomplete";

static func::FuncOp findHolder(Program::Impl &impl) {
  return impl.module->lookupSymbol<func::FuncOp>(kDroppedSymbol);
}

static Block &dropped(Program::Impl &impl) {
  func::FuncOp holder = findHolder(impl);
  if (!holder) {
    OpBuilder::InsertionGuard guard(impl.builder);
    impl.builder.setInsertionPointToEnd(impl.module->getBody());
    holder = func::FuncOp::create(impl.builder, impl.builder.getUnknownLoc(), kDroppedSymbol,
                                  impl.builder.getFunctionType({}, {}));
  }
  if (holder.getBody().empty()) // there was no memory for it the last time
    holder.addEntryBlock();
  return holder.getBody().front();
}

void drop(Program::Impl &impl, Operation *op) noexcept {
  try {
    Block &block = dropped(impl);
    op->dropAllReferences();
    op->moveBefore(&block, block.end());
  } catch (const std::bad_alloc &) {
    (*impl.module)->setAttr(kIncomplete, impl.builder.getUnitAttr());
  }
}

bool isDropped(Region *region) {
  auto holder = region->getParentOfType<func::FuncOp>();
  return holder && holder.getName() == kDroppedSymbol;
}

void deleteDropped(Program::Impl &impl) {
  if ((*impl.module)->hasAttr(kIncomplete))
    throw std::bad_alloc();
  if (func::FuncOp holder = findHolder(impl))
    holder.erase();
}

} // namespace fairlead::dsl
