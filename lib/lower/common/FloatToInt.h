/// Conversions between floats and integers.
#ifndef FAIRLEAD_LIB_LOWER_COMMON_FLOATTOINT_H_
#define FAIRLEAD_LIB_LOWER_COMMON_FLOATTOINT_H_

namespace mlir {
class Operation;
}

namespace fairlead::lower {

/// Makes conversions of floats to integers give the same result everywhere for numbers that do not
/// fit: the nearest integer of the type, and 0 for NaN. LLVM leaves those undefined and folds such
/// constants while it builds its IR. So this runs on operations of the LLVM dialect, before the
/// translation.
void saturateConversions(mlir::Operation *root);

/// Clamps integers that are too large for a half before the conversion. LLVM counts only the
/// significant bits of a number, not its size. It takes a large power of two to be exact as a half,
/// and folds its conversion back to the number instead of an infinity.
void boundConversionsToHalf(mlir::Operation *root);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_COMMON_FLOATTOINT_H_
