#include "fairlead/dsl/Assembly.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

#include "dsl/ptx/Reader.h"
#include "dsl/trace/Builder.h"
#include "fairlead/dsl/TracingDialect.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// True if the trace is for CPUs, which run inline PTX as other operations. Only programs for CPUs
/// and GPUs are traced again for the GPUs.
bool isForCpu() {
  Program &program = *Program::current();
  auto isCpu = [](const Target &target) { return !target.info().kernelsInImages; };
  return llvm::any_of(program.targets(), isCpu) && isCpu(program.target());
}

/// Returns a known number as one that is not known while the program is traced, as results of a
/// GPU's instructions are: published programs convert known numbers in another way.
Scalar opaque(Program::Impl &impl, const Scalar &number) {
  OpBuilder &b = impl.builder;
  mlir::Value value = emit(impl, number);
  if (!matchPattern(value, m_Constant()))
    return number;
  mlir::Value always = arith::ConstantOp::create(b, b.getUnknownLoc(), b.getBoolAttr(true));
  mlir::Value same = arith::SelectOp::create(b, b.getUnknownLoc(), always, value, value);
  return wrap(number.dtype(), same);
}

/// Returns the conversion of a pointer to shared memory that a number was computed from, by integer
/// arithmetic and through loops, or null.
LLVM::PtrToIntOp sharedAddressIn(mlir::Value number) {
  llvm::SmallSetVector<mlir::Value, 16> values;
  values.insert(number);
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto address = values[i].getDefiningOp<LLVM::PtrToIntOp>()) {
      const unsigned space =
          cast<LLVM::LLVMPointerType>(address.getArg().getType()).getAddressSpace();
      if (space == kSharedAddressSpace || address.getArg().getDefiningOp<NVVM::MapaOp>())
        return address;
    } else if (Operation *op = values[i].getDefiningOp()) {
      if (isa<arith::ArithDialect>(op->getDialect()))
        values.insert(op->operand_begin(), op->operand_end());
    } else if (auto argument = cast<BlockArgument>(values[i]);
               auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp())) {
      if (OpOperand *init = loop.getTiedLoopInit(argument))
        values.insert(init->get());
    }
  }
  return {};
}

} // namespace

Scalars inlineAssembly(const std::vector<DType> &results, const Scalars &operands,
                       const std::string &assembly, const std::string &constraints, bool hasEffects,
                       SourceLoc at) {
  AtSourceLoc placed(at);

  Program::Impl &impl = kernelImpl("inline assembly");
  if (isForCpu())
    if (auto values = ptx::computed(results, operands, assembly, constraints)) {
      if (tracingDialect().publishedForm)
        for (Scalar &value : *values)
          value = opaque(impl, value);
      return *values;
    }
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  // PTX's only 1-bit registers are predicates: pass a Boolean as a word.
  auto passed = [](DType type) { return type == DType::Boolean ? DType::Int32 : type; };
  SmallVector<mlir::Value> inputs;
  for (const Scalar &operand : operands)
    inputs.push_back(emitAs(impl, operand, passed(operand.dtype())));
  SmallVector<Type> types;
  for (DType type : results)
    types.push_back(valueType(impl.context.get(), passed(type)));
  Type resultType;
  if (types.size() == 1)
    resultType = types.front();
  else if (!types.empty())
    resultType = LLVM::LLVMStructType::getLiteral(impl.context.get(), types);
  auto op = LLVM::InlineAsmOp::create(b, loc, resultType ? TypeRange(resultType) : TypeRange(),
                                      inputs, assembly, constraints, hasEffects,
                                      /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                      LLVM::AsmDialectAttr(), ArrayAttr());
  Scalars values;
  for (size_t i = 0; i < results.size(); ++i) {
    mlir::Value value = op.getResult(0);
    if (results.size() > 1)
      value = LLVM::ExtractValueOp::create(b, loc, value, static_cast<int64_t>(i));
    Scalar word = wrap(passed(results[i]), value);
    values.push_back(results[i] == DType::Boolean ? compare(CompareOp::Ne, word, 0) : word);
  }
  return values;
}

std::optional<std::pair<Pointer, std::optional<Scalar>>> sharedOffset(DType dtype,
                                                                      const Scalar &address) {
  if (!address.isValue())
    return std::nullopt;
  mlir::Value value = known(kernelImpl("an address in shared memory"), address.handle());
  while (isa_and_nonnull<arith::TruncIOp, arith::ExtUIOp, arith::ExtSIOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto number = sharedAddressIn(value);
  if (!number)
    return std::nullopt;
  auto mapped = number.getArg().getDefiningOp<NVVM::MapaOp>();
  Pointer pointer(dtype, toHandle(mapped ? mapped.getA() : number.getArg()), AddressSpace::Shared,
                  byteSize(dtype));
  if (number.getResult() != value) {
    const Scalar base = cast(wrap(DType::Int64, number.getResult()), DType::Int32);
    const Scalar step = cast(cast(address, DType::Int32) - base, DType::Int64);
    pointer = (pointer.recast(DType::Uint8) + step).recast(dtype);
  }
  return std::pair(pointer,
                   mapped ? std::optional(wrap(DType::Int32, mapped.getB())) : std::nullopt);
}

} // namespace fairlead::dsl
