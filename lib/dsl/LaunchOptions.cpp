#include "fairlead/dsl/LaunchOptions.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/Builder.h"
#include "dsl/LaunchFlags.h"
#include "fairlead/Runtime.h"

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

  /// The call that stands for them, in front of the launch.
  void emit() {
    SmallVector<mlir::Value> values;
    for (int d = 0; d < 3; ++d) {
      Scalar size = options.preferredCluster ? (*options.preferredCluster)[d] : Scalar(0);
      values.push_back(emitAs(impl, size.defined() ? size : Scalar(1), DType::Int32));
    }
    bool byBlocks = options.carveout < 0 && options.minBlocksPerProcessor > 1;
    values.push_back(number(byBlocks ? -options.minBlocksPerProcessor : options.carveout));
    values.push_back(address(options.completionEvent));
    values.push_back(address(options.programmaticEvent));
    values.push_back(number(options.completionEvent ? options.completionEvent->flags : 0));
    values.push_back(number(options.programmaticEvent ? options.programmaticEvent->flags : 0));
    values.push_back(number(options.triggerAtBlockStart));
    declare(TypeRange(ValueRange(values)));
    LLVM::CallOp::create(b, b.getUnknownLoc(), TypeRange{}, kLaunchExtras, values);
  }

private:
  mlir::Value number(int64_t value) { return emitIntConstant(impl, DType::Int32, value); }

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

  void declare(TypeRange types) {
    if (impl.module->lookupSymbol(kLaunchExtras))
      return;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(impl.module->getBody());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(impl.context.get()),
                                            SmallVector<mlir::Type>(types));
    LLVM::LLVMFuncOp::create(b, b.getUnknownLoc(), kLaunchExtras, type);
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
  program.launch(kernel, config);
  auto op = cast<gpu::LaunchFuncOp>(*std::prev(b.getInsertionPoint()));
  if (!cluster.empty()) {
    op.getClusterSizeXMutable().assign(cluster[0]);
    op.getClusterSizeYMutable().assign(cluster[1]);
    op.getClusterSizeZMutable().assign(cluster[2]);
  }
  int flags = (options.cooperative ? kFairleadLaunchCooperative : 0) |
              (options.programmatic ? kFairleadLaunchProgrammatic : 0);
  if (Extras::areIn(options)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(op);
    Extras(impl, options).emit();
  }
  if (flags)
    op->setAttr(kLaunchFlags, b.getI32IntegerAttr(flags));
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
