/// Kernels: entering and leaving their bodies, and launching them.
#include "dsl/launch/EmitLaunch.h"
#include "dsl/trace/ArgumentParts.h"
#include "dsl/trace/Builder.h"
#include "dsl/trace/Unfinished.h"
#include "dsl/verify/Verify.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Collects the host values that a kernel takes, each once, in order.
struct OperandCollector {
  Program::Impl &impl;
  SmallVector<mlir::Value> operands = {};
  llvm::DenseMap<mlir::Value, unsigned> positions = llvm::DenseMap<mlir::Value, unsigned>();

  void add(const Scalar &scalar) {
    // Literals and constants are known to the kernel: they need no parameter.
    if (scalar.isValue() && !scalar.staticInt())
      addHandle(scalar.handle());
  }
  void addHandle(const void *handle) {
    mlir::Value value = known(impl, handle);
    if (positions.try_emplace(value, operands.size()).second)
      operands.push_back(value);
  }
  void add(const Argument &argument) {
    for (const Scalar &part : partsOf(argument))
      add(part);
  }
};

/// Builds the arguments as they are inside the kernel.
struct FormalBuilder {
  Program::Impl &impl;
  const OperandCollector &collector;
  gpu::GPUFuncOp function;

  mlir::Value formal(const void *handle) const {
    return gpu::GPUFuncOp(function).getArgument(collector.positions.lookup(fromHandle(handle)));
  }
  Scalar map(const Scalar &scalar) const {
    if (!scalar.isValue())
      return scalar;
    auto number = scalar.staticInt();
    mlir::Value value =
        number ? emitIntConstant(impl, scalar.dtype(), *number) : formal(scalar.handle());
    Scalar mapped = wrap(scalar.dtype(), value, scalar.divisibility());
    return scalar.isAssumed() ? mapped.assumed(scalar.divisibility()) : mapped;
  }
  Argument map(const Argument &argument) const {
    Scalars parts;
    for (const Scalar &part : partsOf(argument))
      parts.push_back(map(part));
    return withParts(argument, parts);
  }
};

template <typename Op> Dim3 readIds(const char *what) {
  OpBuilder &b = kernelImpl(what).builder;
  auto read = [&](gpu::Dimension d) {
    mlir::Value index = Op::create(b, b.getUnknownLoc(), d);
    return wrap(DType::Int32,
                arith::IndexCastOp::create(b, b.getUnknownLoc(), b.getI32Type(), index));
  };
  return {read(gpu::Dimension::x), read(gpu::Dimension::y), read(gpu::Dimension::z)};
}

} // namespace

std::vector<Argument> Program::beginKernel(const std::string &name,
                                           const std::vector<Argument> &actuals) {
  Impl &impl = *impl_;
  if (impl.kernel)
    throw makeError(Diagnostic::KernelInKernel, {{"kernel", name}});
  OperandCollector collector{impl};
  for (const Argument &argument : actuals) {
    if (const auto *tensor = std::get_if<Tensor>(&argument);
        tensor && tensor->space() == AddressSpace::Register)
      throw makeError(Diagnostic::KernelArgument,
                      {{"got", "register tensor of the host function"}});
    collector.add(argument);
  }

  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  OpBuilder::InsertPoint hostPoint = b.saveInsertionPoint();
  b.setInsertionPointToEnd(impl.device.getBody());
  SmallVector<mlir::Type> types;
  for (mlir::Value operand : collector.operands)
    types.push_back(operand.getType());
  std::string symbol = impl.numKernels ? name + "_" + std::to_string(impl.numKernels) : name;
  ++impl.numKernels;
  auto function = gpu::GPUFuncOp::create(b, loc, symbol, b.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(&function.getBody().front());
  impl.kernel = Impl::KernelFrame{function, hostPoint, {}, 0};
  for (auto [index, operand] : llvm::enumerate(collector.operands)) {
    impl.kernel->operands.push_back(toHandle(operand));
    if (operand.getDefiningOp<ir::TensorMapOp>())
      function.setArgAttr(static_cast<unsigned>(index), ir::kTensorMapParameter, b.getUnitAttr());
  }

  FormalBuilder formals{impl, collector, function};
  std::vector<Argument> result;
  for (const Argument &argument : actuals)
    result.push_back(formals.map(argument));
  noteTensors(impl, function, result);
  return result;
}

/// Drops the tensor maps that the host makes for copies of regions that were traced twice.
static void dropUnusedMaps(Program::Impl::KernelFrame &kernel) {
  gpu::GPUFuncOp function = kernel.function;
  for (unsigned index = function.getNumArguments(); index-- > 0;) {
    if (!function.getArgAttr(index, ir::kTensorMapParameter) ||
        !function.getArgument(index).use_empty())
      continue;
    [[maybe_unused]] LogicalResult erased = function.eraseArgument(index);
    assert(succeeded(erased));
    kernel.operands.erase(kernel.operands.begin() + index);
  }
}

/// Places what the launch adds behind all reservations of the kernel, and returns the offset.
static int64_t placeRests(Program::Impl &impl) {
  Program::Impl::KernelFrame &kernel = *impl.kernel;
  if (kernel.rests.empty())
    return 0;
  const int64_t offset = llvm::alignTo(kernel.sharedBytes, kernel.restAlignment);
  for (LLVM::GEPOp rest : kernel.rests) {
    rest.setRawConstantIndices({static_cast<int32_t>(offset)});
    noteAllocation(impl, rest, offset, 0);
  }
  return offset;
}

Kernel Program::endKernel() {
  Impl &impl = *impl_;
  const int64_t restOffset = placeRests(impl);
  requireWritten(impl);
  dropUnusedMaps(*impl.kernel);
  endLongAllocations(*impl.kernel);
  gpu::ReturnOp::create(impl.builder, impl.builder.getUnknownLoc());
  Kernel kernel{impl.kernel->function.getName().str(), std::move(impl.kernel->operands),
                impl.kernel->sharedBytes, restOffset};
  impl.builder.restoreInsertionPoint(impl.kernel->hostPoint);
  impl.kernel.reset();
  return kernel;
}

void Program::abandonKernel() {
  Impl &impl = *impl_;
  if (!impl.kernel)
    return;
  impl.builder.restoreInsertionPoint(impl.kernel->hostPoint);
  // Values of it may have been given out.
  drop(impl, impl.kernel->function);
  impl.kernel.reset();
}

gpu::LaunchFuncOp emitLaunch(Program::Impl &impl, const Kernel &kernel, const LaunchConfig &config,
                             mlir::Value stream) {
  if (impl.kernel)
    throw makeError(Diagnostic::KernelInKernel, {{"kernel", kernel.symbol}});
  auto dims = [&](const std::array<Scalar, 3> &sizes, const std::string &what) {
    // Extents that the caller left out are 1.
    auto extent = [&](int d) {
      return emitExtent(impl, sizes[d].defined() ? sizes[d] : Scalar(1), kernel.symbol,
                        what + "[" + std::to_string(d) + "]");
    };
    mlir::Value x = extent(0), y = extent(1);
    return gpu::KernelDim3{x, y, extent(2)};
  };
  for (const auto &sizes : {config.grid, config.block})
    for (const Scalar &size : sizes)
      if (isFloat(size.dtype()))
        throw makeError(Diagnostic::LaunchExtentType,
                        {{"kernel", kernel.symbol}, {"got", std::string(className(size.dtype()))}});
  std::array<int64_t, 3> threads{};
  for (int d = 0; d < 3; ++d)
    threads[d] = config.block[d].defined() ? config.block[d].staticInt().value_or(0) : 1;
  if (std::count(threads.begin(), threads.end(), 0) == 0)
    checkBarriers(impl.device.lookupSymbol<gpu::GPUFuncOp>(kernel.symbol), threads);
  Scalar shared = config.sharedBytes.value_or(Scalar(kernel.sharedBytes));
  if (shared.isLiteral() && shared.literalInt() < kernel.sharedBytes)
    throw makeError(Diagnostic::LaunchSharedReserved,
                    {{"kernel", kernel.symbol},
                     {"expected", std::to_string(kernel.sharedBytes)},
                     {"got", std::to_string(shared.literalInt())}});
  if (auto bytes = shared.staticInt())
    requireSharedCapacity(impl, *bytes, ", which the launch of `" + kernel.symbol + "` asks for");
  SmallVector<mlir::Value> operands;
  for (const void *handle : kernel.operands)
    operands.push_back(fromHandle(handle));
  auto symbol = SymbolRefAttr::get(impl.context.get(), kDeviceModuleSymbol,
                                   {FlatSymbolRefAttr::get(impl.context.get(), kernel.symbol)});
  gpu::KernelDim3 grid = dims(config.grid, "grid"), block = dims(config.block, "block");
  requireExtents(config.block, config.grid, kernel.symbol);
  mlir::Value bytes = emitExtent(impl, shared, kernel.symbol, "shared memory");
  return gpu::LaunchFuncOp::create(impl.builder, impl.builder.getUnknownLoc(), symbol, grid, block,
                                   bytes, operands, stream);
}

void Program::launch(const Kernel &kernel, const LaunchConfig &config) {
  requirePairs(*impl_, kernel.symbol, {Scalar(1), Scalar(1), Scalar(1)});
  emitLaunch(*impl_, kernel, config,
             config.stream ? known(*impl_, config.stream->handle) : mlir::Value());
}

Dim3 threadIdx() { return readIds<gpu::ThreadIdOp>("the thread index"); }
Dim3 blockIdx() { return readIds<gpu::BlockIdOp>("the block index"); }
Dim3 blockDim() { return readIds<gpu::BlockDimOp>("the block's extent"); }
Dim3 gridDim() { return readIds<gpu::GridDimOp>("the grid's extent"); }

} // namespace fairlead::dsl
