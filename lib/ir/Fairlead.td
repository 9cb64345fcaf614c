// The dialect: operations of traced programs that MLIR's own dialects lack.
#ifndef FAIRLEAD_LIB_IR_FAIRLEAD_TD_
#define FAIRLEAD_LIB_IR_FAIRLEAD_TD_

include "ir/Base.td"
include "ir/Barriers.td"
include "ir/Checks.td"
include "ir/Copies.td"
include "ir/Coverage.td"
include "ir/Host.td"
include "ir/LaunchControl.td"
include "ir/Products.td"
include "ir/TensorMaps.td"
include "ir/TensorMemory.td"

#endif // FAIRLEAD_LIB_IR_FAIRLEAD_TD_
