/// Atoms as Python objects. Internal to python/src/compiler.
#pragma once

#include "Layouts.h"

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/atom/CopyAtom.h"

namespace fairlead::python {

/// A copy atom with the operation that programs see.
struct CopyAtom {
  dsl::CopyAtom atom;
  nb::object op;
};

inline std::string textOf(nb::handle object) { return nb::repr(object).c_str(); }

/// Atoms are equal if their texts are.
inline std::string atomText(const CopyAtom &atom) {
  const int prefetched = atom.atom.op().prefetched;
  const std::string order = atom.atom.op().orderText();
  return "CopyAtom(" + textOf(atom.op) + ", " + std::string(className(atom.atom.type())) + ", " +
         std::to_string(atom.atom.referenceValues()) +
         (prefetched ? ", L2::" + std::to_string(prefetched) + "B" : "") +
         (order.empty() ? "" : ", " + order) + ")";
}

/// Copies of boxes and of neighbouring bytes; after bindAtoms' copies.
void bindTensorCopies(nb::module_ &m);
/// Tensor memory, and the instructions on it.
void bindTensorMemory(nb::module_ &m);
/// Barriers in shared memory, and fences.
void bindMbarriers(nb::module_ &m);

} // namespace fairlead::python
