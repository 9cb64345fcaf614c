#include "fairlead/dsl/LaunchOptions.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/launch/EmitLaunch.h"
#include "dsl/trace/Builder.h"
#include "fairlead/Runtime.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {

namespace {

class Extras {
public:
  Extras(Program::Impl &impl, const LaunchOptions &options)
      : impl(impl), b(impl.builder), options(options) {}

  static bool areIn(const LaunchOptions &options) {
    return options.preferredCluster || options.carveout >= 0 || options.minBlocksPerProcessor > 1 ||
           options.completionEvent || options.programmaticEvent;
  }

  /// Emits the operation that holds the options and the stream.
  mlir::Value emit(mlir::Value stream) {
    std::array<mlir::Value, 3> cluster;
    for (int d = 0; d < 3; ++d) {
      Scalar size = options.preferredCluster ? (*options.preferredCluster)[d] : Scalar(0);
      cluster[d] = emitAs(impl, size.defined() ? size : Scalar(1), DType::Int32);
    }
    mlir::Value completion = address(options.completionEvent);
    mlir::Value programmatic = address(options.programmaticEvent);
    bool byBlocks = options.carveout < 0 && options.minBlocksPerProcessor > 1;
    return ir::LaunchExtrasOp::create(
        b, b.getUnknownLoc(), LLVM::LLVMPointerType::get(impl.context.get()), cluster[0],
        cluster[1], cluster[2], completion, programmatic, stream,
        byBlocks ? -options.minBlocksPerProcessor : options.carveout,
        options.completionEvent ? options.completionEvent->flags : 0,
        options.programmaticEvent ? options.programmaticEvent->flags : 0,
        options.triggerAtBlockStart);
  }

private:
  mlir::Value address(const std::optional<LaunchEvent> &event) {
    Location loc = b.getUnknownLoc();
    auto pointer = LLVM::LLVMPointerType::get(impl.context.get());
    if (!event)
      return LLVM::ZeroOp::create(b, loc, pointer);
    if (const auto *stream = std::get_if<Stream>(&event->event))
      return known(impl, stream->handle);
    return LLVM::IntToPtrOp::create(b, loc, pointer,
                                    emitIndex(impl, std::get<Scalar>(event->event)));
  }

  Program::Impl &impl;
  OpBuilder &b;
  const LaunchOptions &options;
};

} // namespace

void launch(Program &program, const Kernel &kernel, const LaunchConfig &config,
            const LaunchOptions &options) {
  Program::Impl &impl = program.impl();
  OpBuilder &b = impl.builder;
  SmallVector<mlir::Value> cluster;
  if (options.cluster)
    for (const Scalar &size : *options.cluster) {
      if (isFloat(size.dtype()))
        throw makeError(Diagnostic::LaunchExtentType,
                        {{"kernel", kernel.symbol}, {"got", std::string(className(size.dtype()))}});
      cluster.push_back(emitAs(impl, size.defined() ? size : Scalar(1), DType::Int32));
    }
  if (options.cluster)
    requireCluster(*options.cluster, config.grid, kernel.symbol);
  requirePairs(impl, kernel.symbol,
               options.cluster.value_or(std::array{Scalar(1), Scalar(1), Scalar(1)}));
  mlir::Value stream = config.stream ? known(impl, config.stream->handle) : mlir::Value();
  if (Extras::areIn(options))
    stream = Extras(impl, options).emit(stream);
  gpu::LaunchFuncOp op = emitLaunch(impl, kernel, config, stream);
  if (!cluster.empty()) {
    op.getClusterSizeXMutable().assign(cluster[0]);
    op.getClusterSizeYMutable().assign(cluster[1]);
    op.getClusterSizeZMutable().assign(cluster[2]);
  }
  int flags = (options.cooperative ? kFairleadLaunchCooperative : 0) |
              (options.programmatic ? kFairleadLaunchProgrammatic : 0);
  if (flags)
    op->setAttr(ir::kLaunchFlags, b.getI32IntegerAttr(flags));
  auto function = impl.device.lookupSymbol<gpu::GPUFuncOp>(kernel.symbol);
  if (options.minBlocksPerProcessor > 0)
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(options.minBlocksPerProcessor));
  if (options.maxThreads[0] > 0)
    function->setAttr(
        NVVM::NVVMDialect::getMaxntidAttrName(),
        b.getDenseI32ArrayAttr({options.maxThreads[0], std::max(1, options.maxThreads[1]),
                                std::max(1, options.maxThreads[2])}));
}

} // namespace fairlead::dsl
