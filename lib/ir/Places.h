/// Source locations as numbers, so that a program does not depend on where its source is.
#pragma once

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
