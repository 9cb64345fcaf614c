#include "fairlead/dsl/atom/CopyAtom.h"

#include "dsl/atom/CopyInstruction.h"
#include "dsl/atom/OrderedCopies.h"

namespace fairlead::dsl {

static int valuesOf(const layout::Layout &side) {
  return static_cast<int>(layout::size(*layout::get(side, {1})).value());
}

CopyAtom::CopyAtom(const CopyOp &op, DType type, int bits)
    : op_(op), type_(type), bits_(bits), instruction_(&CopyInstruction::of(op.kind)),
      layouts_(instruction_->layouts(op, type, bits)) {
  requireOrder(op, type);
}

int CopyAtom::numThreads() const { return static_cast<int>(layout::size(threads()).value()); }
int CopyAtom::sourceValues() const { return valuesOf(source()); }
int CopyAtom::destinationValues() const { return valuesOf(destination()); }
int CopyAtom::referenceValues() const { return valuesOf(reference()); }

std::string CopyAtom::str() const {
  return instruction_->name + instruction_->optionsText(op_) + " of " +
         std::to_string(sourceValues()) + " " + std::string(className(type_));
}

} // namespace fairlead::dsl
