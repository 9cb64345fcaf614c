#include "fairlead/dsl/LaunchOptions.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/Builder.h"
#include "dsl/LaunchFlags.h"
#include "fairlead/Runtime.h"

using namespace mlir;

namespace fairlead::dsl {

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
