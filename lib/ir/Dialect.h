/// The dialect of traced programs. Its operations are in Ops.h.
#pragma once

#include "mlir/IR/Dialect.h"

#include "ir/Dialect.h.inc"
