#include "dsl/trace/Dialects.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

#include "ir/Dialect.h"

using namespace mlir;

namespace fairlead::dsl {

static DialectRegistry *makeRegistry() {
  auto *registry = new DialectRegistry;
  registry->insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                   LLVM::LLVMDialect, math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect,
                   ir::FairleadDialect>();
  registerBuiltinDialectTranslation(*registry);
  registerLLVMDialectTranslation(*registry);
  registerNVVMDialectTranslation(*registry);
  registerGPUDialectTranslation(*registry);
  // convert-gpu-to-nvvm lowers other dialects only through these interfaces; without them it leaves
  // their operations in place, silently.
  arith::registerConvertArithToLLVMInterface(*registry);
  cf::registerConvertControlFlowToLLVMInterface(*registry);
  registerConvertFuncToLLVMInterface(*registry);
  registerConvertMathToLLVMInterface(*registry);
  return registry;
}

const DialectRegistry &dialectRegistry() {
  // Leaked: compiles may run while the process ends.
  static const DialectRegistry *registry = makeRegistry();
  return *registry;
}

} // namespace fairlead::dsl
