/// mlir-opt with Fairlead's dialect and passes, for the tests of operations and passes.
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "dsl/Dialects.h"
#include "lower/Passes.h"
#include "lower/cpu/collective/Models.h"

using namespace fairlead;

int main(int argc, char **argv) {
  mlir::registerPass([] { return lower::createAssertCallsPass(); });
  mlir::registerPass([] { return lower::createBlockFunctionsPass(); });
  mlir::registerPass([] { return lower::createBranchesPass(); });
  mlir::registerPass([] { return lower::createDirectOpsPass(); });
  for (const TargetInfo &target : targetInfos())
    mlir::registerPass([&target] { return lower::createLowerLaunchesPass(target); });
  mlir::registerPass([] { return lower::createMathCallsPass(); });
  mlir::registerPass([] { return lower::createPrintCallsPass(); });
  mlir::registerPass([] { return lower::createTripCountsPass(); });
  mlir::DialectRegistry registry;
  dsl::dialectRegistry().appendTo(registry);
  lower::registerCollectiveModels(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Fairlead's passes\n", registry));
}
