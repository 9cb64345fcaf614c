#include "ir/Dialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "ir/Interfaces.h"
#include "ir/Ops.h"

#include "ir/Dialect.cpp.inc"
#include "ir/Enums.cpp.inc"
#include "ir/Interfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/EnumAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "ir/Ops.cpp.inc"

namespace fairlead::ir {

void FairleadDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/Ops.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/EnumAttributes.cpp.inc"
      >();
  attachForeignModels(*getContext());
}

} // namespace fairlead::ir
