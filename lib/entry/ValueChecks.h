/// The checks of arguments passed by value: scalars, pointers and streams.
#ifndef FAIRLEAD_LIB_ENTRY_VALUECHECKS_H_
#define FAIRLEAD_LIB_ENTRY_VALUECHECKS_H_

#include "entry/EntryBuilder.h"

namespace fairlead::entry {

class ValueChecks {
public:
  explicit ValueChecks(EntryBuilder &entry) : e(entry) {}

  void checkScalarType(DType dtype, const ArgumentCell &cell);
  void checkStreamType(const ArgumentCell &cell);
  void checkPointerType(const ArgumentCell &cell);
  /// The scalar as a double (floats) or i64 (others), after a check that it fits its type.
  llvm::Value *checkedScalar(DType dtype, const ArgumentCell &cell);
  /// A checked scalar in its own type; Boolean is i1. To be called in the block of the call: half
  /// types that live across blocks would be widened and narrowed by library functions.
  llvm::Value *narrow(DType dtype, llvm::Value *checked);
  /// The address, after a check that it is one, and aligned.
  llvm::Value *checkedPointer(const PointerParam &param, const ArgumentCell &cell);
  /// The stream's handle; None is the default stream, NULL.
  llvm::Value *stream(const ArgumentCell &cell);

private:
  llvm::Value *roundToTFloat32(llvm::Value *value);
  void checkType(const ArgumentCell &cell, int32_t first, llvm::ArrayRef<int32_t> others,
                 const char *expected);
  llvm::Value *asDouble(const ArgumentCell &cell);
  void checkRange(DType dtype, const ArgumentCell &cell);
  llvm::Value *checkedUnsigned(const ArgumentCell &cell);

  EntryBuilder &e;
};

} // namespace fairlead::entry
#endif // FAIRLEAD_LIB_ENTRY_VALUECHECKS_H_
