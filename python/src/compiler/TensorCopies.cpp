/// Copies of boxes of tensors, and of neighbouring bytes.
#include "Atoms.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "fairlead/dsl/atom/TensorCopy.h"

namespace fairlead::python {

using dsl::Tensor;
using layout::Layout;

namespace {

/// The tensor map is an object of Python, which stays the same one.
struct TensorAtom : CopyAtom {
  dsl::TensorAtom tensor;
  nb::object map;
  nb::dict keywords; ///< keywords of copies by it

  TensorAtom(nb::object op, dsl::TensorAtom atom)
      : CopyAtom{atom, std::move(op)}, tensor(std::move(atom)), map(nb::cast(tensor.map)) {}
};

dsl::BulkOperands operandsOf(nb::handle barrier, nb::handle mask, nb::handle map, nb::handle policy,
                             nb::handle block) {
  dsl::BulkOperands operands;
  auto pointer = [](nb::handle argument, const char *what) -> std::optional<dsl::Pointer> {
    if (argument.is_none())
      return std::nullopt;
    if (!nb::isinstance<dsl::Pointer>(argument))
      throw makeError(Diagnostic::PointerExpected,
                      {{"what", what}, {"expected", "a pointer"}, {"got", typeName(argument)}});
    return nb::cast<const dsl::Pointer &>(argument);
  };
  auto scalar = [](nb::handle argument, const char *what) -> std::optional<Scalar> {
    return argument.is_none() ? std::nullopt : std::optional(toScalar(argument, what));
  };
  operands.barrier = pointer(barrier, "the mbarrier of a copy");
  operands.map = pointer(map, "tma_desc_ptr");
  operands.mask = scalar(mask, "mcast_mask");
  operands.policy = scalar(policy, "cache_policy");
  operands.block = scalar(block, "cta_rank");
  return operands;
}

} // namespace

void bindTensorCopies(nb::module_ &m) {
  nb::class_<TensorAtom, CopyAtom>(m, "TensorCopyAtom",
                                   "A copy atom of boxes of one tensor, whose tensor map it has.")
      .def_prop_ro("_has_map", [](const TensorAtom &self) { return !self.tensor.described; })
      .def("_parts", [](const TensorAtom &self) { return listOf(self.map); })
      .def("_with_parts",
           [](const TensorAtom &self, const nb::list &parts) {
             dsl::TensorAtom atom = self.tensor;
             atom.map = nb::cast<const dsl::Pointer &>(parts[0]);
             return TensorAtom(self.op, std::move(atom));
           })
      .def(
          "_share_tile",
          [](const TensorAtom &self, nb::object op, const dsl::CopyOp &kind,
             int blocks) -> std::optional<TensorAtom> {
            std::optional<dsl::TensorAtom> shared = dsl::shareTile(self.tensor, kind, blocks);
            if (!shared)
              return std::nullopt;
            return TensorAtom(std::move(op), std::move(*shared));
          },
          nb::arg("op"), nb::arg("kind"), nb::arg("blocks"))
      .def(
          "with_",
          [](const TensorAtom &self, const nb::kwargs &keywords) {
            TensorAtom atom = self;
            atom.keywords = nb::dict();
            for (auto [key, value] : self.keywords)
              atom.keywords[key] = value;
            for (auto [key, value] : keywords)
              atom.keywords[key] = value;
            return atom;
          },
          nb::arg("keywords"),
          "The atom with what copies by it take besides source and destination: tma_bar_ptr and "
          "the like.")
      .def_prop_ro("_given", [](const TensorAtom &self) { return self.keywords; });
  m.def(
      "make_tensor_atom",
      [](nb::object op, const dsl::CopyOp &kind, const Tensor &tensor, const Layout &shared,
         const dsl::Swizzle &swizzle, nb::handle tiler, int multicast, nb::handle internal) {
        std::optional<DType> type;
        if (!internal.is_none())
          type = requireDType(internal);
        auto [atom, coordinates] = dsl::makeTensorAtom(kind, tensor, shared, swizzle,
                                                       tilerFromPython(tiler), multicast, type);
        return nb::make_tuple(TensorAtom(std::move(op), atom), coordinates);
      },
      nb::arg("op"), nb::arg("kind"), nb::arg("tensor"), nb::arg("shared"), nb::arg("swizzle"),
      nb::arg("tiler"), nb::arg("multicast"), nb::arg("internal").none());
  m.def(
      "make_tensor_map",
      [](const dsl::Pointer &address, const nb::list &extents, const nb::list &strides,
         const std::vector<int32_t> &box, int32_t type, int32_t elementBytes, int32_t swizzle) {
        auto numbers = [](const nb::list &values, const char *what) {
          Scalars result;
          for (nb::handle value : values)
            result.push_back(toScalar(value, what));
          return result;
        };
        return dsl::makeTensorMap({address, numbers(extents, "an extent of a tensor map"),
                                   numbers(strides, "a stride of a tensor map"), box, type,
                                   elementBytes, swizzle});
      },
      nb::arg("address"), nb::arg("extents"), nb::arg("strides"), nb::arg("box"), nb::arg("type"),
      nb::arg("element_bytes"), nb::arg("swizzle"),
      "The 128 bytes of a tensor map, for kernels. Strides are in bytes, of all dimensions but the "
      "first.");
  m.def(
      "partition_boxes",
      [](const TensorAtom &atom, nb::handle block, const Layout &blocks, const Tensor &shared,
         const Tensor &coordinates) {
        return dsl::partitionBoxes(atom.tensor, toScalar(block, "the place of a block"), blocks,
                                   shared, coordinates);
      },
      nb::arg("atom"), nb::arg("block"), nb::arg("blocks"), nb::arg("shared"),
      nb::arg("coordinates"));
  m.def(
      "copy_boxes",
      [](const TensorAtom &atom, const Tensor &source, const Tensor &destination,
         nb::handle barrier, nb::handle mask, nb::handle map, nb::handle policy) {
        dsl::copyBoxes(atom.tensor, source, destination,
                       operandsOf(barrier, mask, map, policy, nb::none()));
      },
      nb::arg("atom"), nb::arg("src"), nb::arg("dst"), nb::arg("barrier").none(),
      nb::arg("mask").none(), nb::arg("map").none(), nb::arg("policy").none());
  m.def(
      "prefetch_boxes",
      [](const TensorAtom &atom, const Tensor &coordinates, nb::handle map, nb::handle policy) {
        dsl::prefetchBoxes(atom.tensor, coordinates,
                           operandsOf(nb::none(), nb::none(), map, policy, nb::none()));
      },
      nb::arg("atom"), nb::arg("src"), nb::arg("map").none(), nb::arg("policy").none());
  m.def(
      "copy_bulk",
      [](const CopyAtom &atom, const Tensor &source, const Tensor &destination, nb::handle barrier,
         nb::handle mask, nb::handle policy, nb::handle block) {
        dsl::copyBulk(atom.atom, source, destination,
                      operandsOf(barrier, mask, nb::none(), policy, block));
      },
      nb::arg("atom"), nb::arg("src"), nb::arg("dst"), nb::arg("barrier").none(),
      nb::arg("mask").none(), nb::arg("policy").none(), nb::arg("block").none());
  m.def(
      "prefetch_map", [](const TensorAtom &atom) { dsl::prefetchMap(atom.tensor); },
      nb::arg("atom"));
  m.def(
      "copy_map",
      [](const TensorAtom &atom, const dsl::Pointer &map) { dsl::copyMap(atom.tensor, map); },
      nb::arg("atom"), nb::arg("map"));
  m.def(
      "copy_map_word",
      [](const TensorAtom &atom, const dsl::Pointer &map, nb::handle word) {
        dsl::copyMapWord(atom.tensor, map, toScalar(word, "the number of a word"));
      },
      nb::arg("atom"), nb::arg("map"), nb::arg("word"));
  m.def(
      "update_map",
      [](const TensorAtom &atom, const Tensor &tensor, const dsl::Pointer &map) {
        dsl::updateMap(atom.tensor, tensor, map);
      },
      nb::arg("atom"), nb::arg("tensor"), nb::arg("map"));
  m.def("release_map", [] { dsl::releaseMap(); });
  m.def(
      "publish_map",
      [](const dsl::Pointer &global, const dsl::Pointer &shared) {
        dsl::releaseMap(global, shared);
      },
      nb::arg("global_map"), nb::arg("shared_map"));
  m.def("acquire_map", [](const dsl::Pointer &map) { dsl::acquireMap(map); }, nb::arg("map"));
  m.def("commit_bulk", [] { dsl::commitBulk(); });
  m.def(
      "wait_bulk", [](int groups, bool read) { dsl::waitBulk(groups, read); }, nb::arg("groups"),
      nb::arg("read"));
}

} // namespace fairlead::python
