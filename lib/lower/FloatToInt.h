/// Conversions between floats and integers.
#ifndef FAIRLEAD_LIB_LOWER_FLOATTOINT_H_
#define FAIRLEAD_LIB_LOWER_FLOATTOINT_H_

namespace mlir {
class Operation;
}

namespace fairlead::lower {

/// Makes conversions of floats to integers give the same everywhere for numbers that do not fit:
/// the nearest integer that there is, and 0 for NaN. LLVM leaves those undefined, and folds
/// constants among them while its IR is built: so this is for operations of the LLVM dialect,
/// before the translation.
void saturateConversions(mlir::Operation *root);

/// Keeps integers that are too large for a half in sight of LLVM, which counts the bits that a
/// number has and not how large it is: it takes a power of two for exact as a half, and a float
/// made of that for the number itself instead of an infinity.
void boundConversionsToHalf(mlir::Operation *root);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_FLOATTOINT_H_
