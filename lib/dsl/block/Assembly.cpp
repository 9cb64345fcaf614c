#include "fairlead/dsl/Assembly.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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

/// Returns the values that a number is computed from, or that a loop or a branch hands over as it.
static SmallVector<mlir::Value> sourcesOf(mlir::Value number) {
  Operation *op = number.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(number);
  if (argument)
    op = argument.getOwner()->getParentOp();
  unsigned index = argument ? argument.getArgNumber() : cast<OpResult>(number).getResultNumber();
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getInits()[index]};
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    const unsigned variables = argument ? loop.getNumInductionVars() : 0;
    return index < variables ? SmallVector<mlir::Value>()
                             : SmallVector<mlir::Value>{loop.getInitArgs()[index - variables]};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)};
  return isa<arith::ArithDialect>(op->getDialect()) ? SmallVector<mlir::Value>(op->getOperands())
                                                    : SmallVector<mlir::Value>();
}

static bool isShared(mlir::Value pointer) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == kSharedAddressSpace;
}

/// Returns the conversion of a pointer to shared memory, usable at `block`, that a number is
/// computed from.
static LLVM::PtrToIntOp sharedSource(mlir::Value number, Block *block) {
  SmallVector<mlir::Value> open = {number};
  llvm::DenseSet<mlir::Value> seen;
  while (!open.empty()) {
    mlir::Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto source = value.getDefiningOp<LLVM::PtrToIntOp>();
    if (!source)
      open.append(sourcesOf(value));
    else if ((isShared(source.getArg()) || source.getArg().getDefiningOp<NVVM::MapaOp>()) &&
             source->getParentRegion()->isAncestor(block->getParent()))
      return source;
  }
  return {};
}

std::optional<std::pair<Pointer, std::optional<Scalar>>> sharedOffset(DType dtype,
                                                                      const Scalar &address) {
  if (!address.isValue())
    return std::nullopt;
  Program::Impl &impl = kernelImpl("an address in shared memory");
  mlir::Value value = known(impl, address.handle());
  LLVM::PtrToIntOp source = sharedSource(value, impl.builder.getInsertionBlock());
  if (!source)
    return std::nullopt;
  std::optional<Scalar> block;
  mlir::Value base = source.getArg();
  if (auto mapped = base.getDefiningOp<NVVM::MapaOp>()) {
    base = mapped.getA();
    block = wrap(DType::Int32, mapped.getB());
  }
  if (!isShared(base))
    return std::nullopt;
  while (value.getDefiningOp<arith::TruncIOp>() || value.getDefiningOp<arith::ExtUIOp>() ||
         value.getDefiningOp<arith::ExtSIOp>())
    value = value.getDefiningOp()->getOperand(0);
  Pointer pointer(DType::Uint8, toHandle(base), AddressSpace::Shared, byteSize(dtype));
  // The low words of both numbers tell how far they are apart.
  if (value != source.getRes())
    pointer = pointer + (cast(address, DType::Int32) -
                         cast(wrap(DType::Int64, source.getRes()), DType::Int32));
  return std::pair(pointer.recast(dtype), block);
}

} // namespace fairlead::dsl
