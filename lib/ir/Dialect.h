/// The dialect of traced programs. Its operations are in Ops.h.
#ifndef FAIRLEAD_LIB_IR_DIALECT_H_
#define FAIRLEAD_LIB_IR_DIALECT_H_

#include "mlir/IR/Dialect.h"

#include "ir/Dialect.h.inc"

#endif // FAIRLEAD_LIB_IR_DIALECT_H_
