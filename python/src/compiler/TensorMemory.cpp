/// Tensor memory, and the instructions on it.
#include "Atoms.h"

#include <nanobind/stl/optional.h>

#include "fairlead/dsl/atom/TensorMemory.h"

namespace fairlead::python {
namespace {

const dsl::Pointer &pointerOf(nb::handle given, const char *what) {
  if (!nb::isinstance<dsl::Pointer>(given))
    throw makeError(Diagnostic::PointerExpected,
                    {{"what", what}, {"expected", "a pointer"}, {"got", typeName(given)}});
  return nb::cast<const dsl::Pointer &>(given);
}

} // namespace

void bindTensorMemory(nb::module_ &m) {
  m.def(
      "allocate_tensor_memory",
      [](nb::handle place, nb::handle columns, bool ofPair) {
        const dsl::Scalar count = toScalar(columns, "columns of tensor memory"); // checked first
        dsl::allocateTensorMemory(pointerOf(place, "where the address of tensor memory goes"),
                                  count, ofPair);
      },
      nb::arg("place").none(), nb::arg("columns"), nb::arg("of_pair"));
  m.def(
      "free_tensor_memory",
      [](nb::handle memory, nb::handle columns, bool ofPair) {
        const dsl::Scalar count = toScalar(columns, "columns of tensor memory");
        dsl::freeTensorMemory(pointerOf(memory, "tensor memory"), count, ofPair);
      },
      nb::arg("memory").none(), nb::arg("columns"), nb::arg("of_pair"));
  m.def(
      "relinquish_tensor_memory", [](bool ofPair) { dsl::relinquishTensorMemory(ofPair); },
      nb::arg("of_pair"));
  m.def(
      "commit_tensor_products",
      [](nb::handle barrier, nb::handle mask, bool byOne, bool ofPair) {
        dsl::commitTensorProducts(
            pointerOf(barrier, "the mbarrier of tcgen05.commit"),
            mask.is_none() ? std::nullopt : std::optional(toScalar(mask, "blocks of the cluster")),
            byOne, ofPair);
      },
      nb::arg("barrier").none(), nb::arg("mask").none(), nb::arg("by_one"), nb::arg("of_pair"));
  m.def(
      "row_descriptors",
      [](const CopyAtom &atom, const dsl::Tensor &part) {
        return dsl::rowDescriptors(atom.atom, part);
      },
      nb::arg("atom"), nb::arg("part"));
  m.def(
      "copy_rows_to_tensor_memory",
      [](const CopyAtom &atom, const dsl::Tensor &src, const dsl::Tensor &dst) {
        dsl::copyRowsToTensorMemory(atom.atom, src, dst);
      },
      nb::arg("atom"), nb::arg("src"), nb::arg("dst"));
  m.def(
      "copy_extremes",
      [](const CopyAtom &atom, const dsl::Tensor &src, const dsl::Tensor &dst,
         const dsl::Tensor &found) { dsl::copyExtremes(atom.atom, src, dst, found); },
      nb::arg("atom"), nb::arg("src"), nb::arg("dst"), nb::arg("found"));
  m.def(
      "operand_descriptor",
      [](const dsl::Tensor &part, bool transposed, nb::handle next) {
        return dsl::operandDescriptor(
            part, transposed,
            next.is_none() ? std::nullopt
                           : std::optional(pointerOf(next, "next_src of make_umma_smem_desc")));
      },
      nb::arg("part"), nb::arg("transposed"), nb::arg("next").none());
  m.def("wait_tensor_loads", [] { dsl::waitTensorLoads(); });
  m.def("wait_tensor_stores", [] { dsl::waitTensorStores(); });
  m.def("fence_tensor_before", [] { dsl::fenceTensorBefore(); });
  m.def("fence_tensor_after", [] { dsl::fenceTensorAfter(); });
}

} // namespace fairlead::python
