/// The operations of the dialect, generated from Fairlead.td. Slow to compile: only files that
/// create or match operations include it.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/Attributes.h"
#include "ir/Dialect.h"
#include "ir/Interfaces.h"

#include "ir/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/EnumAttributes.h.inc"

#define GET_OP_CLASSES
#include "ir/Ops.h.inc"
