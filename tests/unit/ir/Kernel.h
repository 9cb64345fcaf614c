/// Operations of a kernel that is given as text.
#ifndef FAIRLEAD_TESTS_UNIT_IR_KERNEL_H_
#define FAIRLEAD_TESTS_UNIT_IR_KERNEL_H_

#include <gtest/gtest.h>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "ir/Dialect.h"

namespace fairlead::ir {

/// A kernel with the parameters %g (global), %s (shared), %n (i32) and %w (i64).
class Kernel : public ::testing::Test {
protected:
  Kernel() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::gpu::GPUDialect, mlir::scf::SCFDialect,
                        FairleadDialect>();
  }

  /// The first operation of this name in a kernel of this body.
  mlir::Operation *first(llvm::StringRef name, llvm::StringRef body) {
    const std::string text = "gpu.module @device { gpu.func @kernel(%g: !llvm.ptr, %s: "
                             "!llvm.ptr<3>, %n: i32, %w: i64) kernel {\n" +
                             body.str() + "\ngpu.return } }";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    mlir::Operation *found = nullptr;
    if (module)
      module->walk([&](mlir::Operation *op) {
        if (!found && op->getName().getStringRef() == name)
          found = op;
      });
    EXPECT_TRUE(found) << "no " << name.str();
    return found;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace fairlead::ir
#endif // FAIRLEAD_TESTS_UNIT_IR_KERNEL_H_
