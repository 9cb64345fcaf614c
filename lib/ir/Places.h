/// Source locations as numbers, so that a program does not depend on where its source is.
#ifndef FAIRLEAD_LIB_IR_PLACES_H_
#define FAIRLEAD_LIB_IR_PLACES_H_

#include <optional>

#include "mlir/IR/Location.h"

#include "fairlead/Runtime.h"

namespace fairlead::ir {

/// The location of a place in the program's table of places.
inline mlir::Location placeLocation(mlir::MLIRContext *context, size_t number) {
  return mlir::FileLineColLoc::get(context, FAIRLEAD_NUMBERED_PLACE, static_cast<unsigned>(number),
                                   0);
}

/// Returns nothing for other locations.
inline std::optional<size_t> placeNumber(mlir::Location location) {
  auto line = mlir::dyn_cast<mlir::FileLineColLoc>(location);
  if (!line || line.getFilename().getValue() != FAIRLEAD_NUMBERED_PLACE)
    return std::nullopt;
  return line.getLine();
}

} // namespace fairlead::ir
#endif // FAIRLEAD_LIB_IR_PLACES_H_
