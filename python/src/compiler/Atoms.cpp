/// Copy and MMA atoms, tiled copies and tiled MMAs.
#include "Atoms.h"

#include "Dialect.h"

#include <array>

#include <nanobind/stl/optional.h>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Views.h"
#include "fairlead/dsl/atom/TiledCopy.h"
#include "fairlead/dsl/atom/TiledMma.h"

namespace fairlead::python {

using dsl::Tensor;
using layout::Layout;
using layout::Tiler;

namespace {

struct TiledCopy : CopyAtom {
  dsl::TiledCopy tiled;
  TiledCopy(nb::object op, dsl::TiledCopy tiled)
      : CopyAtom{tiled.atom(), std::move(op)}, tiled(std::move(tiled)) {}
};
struct ThrCopy : TiledCopy {
  Scalar thread;
  ThrCopy(const TiledCopy &tiled, Scalar thread) : TiledCopy(tiled), thread(std::move(thread)) {}
};

/// A number of an atom that regions carry. Python sees the same object until the number changes.
class CarriedNumber {
public:
  CarriedNumber(const Scalar &scalar) : value(scalar) {}

  const Scalar &scalar() const { return value; }
  nb::object number() const {
    if (!object.is_valid())
      object = toPython(value);
    return object;
  }

private:
  Scalar value;
  mutable nb::object object;
};

struct MmaAtom {
  dsl::MmaAtom atom;
  nb::object op;
  /// The flag that `set` chose last, for a warpgroup's instructions. In a kernel it is a value of
  /// the program, so that regions can carry it.
  CarriedNumber accumulate = initial(true);
  /// Addresses of scale factors, and whether the program has set them.
  CarriedNumber scalesOfA = Scalar(int32_t(0)), scalesOfB = Scalar(int32_t(0));
  bool hasScalesOfA = false, hasScalesOfB = false;

  static Scalar initial(const Scalar &flag) {
    dsl::Program *program = dsl::Program::current();
    return program && program->inKernel() && flag.isLiteral() ? dsl::materialize(flag) : flag;
  }
  /// Returns the atom in the form that a kernel sees as its argument.
  MmaAtom entered() const {
    if (!atom.hasScales())
      return {atom, op, initial(accumulate.scalar())};
    return {atom,
            op,
            initial(accumulate.scalar()),
            initial(scalesOfA.scalar()),
            initial(scalesOfB.scalar()),
            hasScalesOfA,
            hasScalesOfB};
  }
  dsl::MmaScales scales() const {
    return {hasScalesOfA ? std::optional(scalesOfA.scalar()) : std::nullopt,
            hasScalesOfB ? std::optional(scalesOfB.scalar()) : std::nullopt};
  }
};
struct TiledMma : MmaAtom {
  Layout atoms;
  dsl::TiledMma tiled;
  TiledMma(const MmaAtom &atom, const Layout &atoms, const Tiler &permutation)
      : MmaAtom(atom), atoms(atoms), tiled(atom.atom, atoms, permutation) {}
};
struct ThrMma : TiledMma {
  Scalar thread;
  ThrMma(const TiledMma &tiled, Scalar thread) : TiledMma(tiled), thread(std::move(thread)) {}
};

/// Integers for compact tiles, layouts, None and tuples of them.
nb::object tilerToPython(const Tiler &tiler) {
  if (tiler.isOpen())
    return nb::none();
  if (!tiler.isTuple()) {
    const Layout &layout = tiler.layout();
    bool plain =
        layout.shape().isLeaf() && (layout.stride().leaf().is(1) || layout.shape().leaf().is(1));
    return plain ? tupleToPython(layout.shape()) : nb::cast(layout);
  }
  return nb::tuple(listEach(tiler.modes(), tilerToPython));
}

std::string tiledText(const char *name, const TiledCopy &tiled) {
  return std::string(name) + "(" + atomText(tiled) + ", " + tiled.tiled.elements().str() + ", " +
         textOf(tilerToPython(tiled.tiled.tiler())) + ")";
}
nb::object permutationOf(const TiledMma &mma) {
  nb::object permutation = tilerToPython(mma.tiled.permutation());
  return permutation.is_none() ? nb::object(nb::make_tuple(nb::none(), nb::none(), nb::none()))
                               : permutation;
}
std::string tiledText(const char *name, const TiledMma &mma) {
  return std::string(name) + "(" + textOf(mma.op) + ", " + mma.tiled.threads().str() + ", " +
         textOf(tilerToPython(mma.tiled.permutation())) + ")";
}

dsl::CopyOp copyOp(const std::string &kind, int cache, bool transposed, int matrices, int reduction,
                   int prefetched) {
  using Kind = dsl::CopyKind;
  constexpr std::pair<const char *, Kind> kKinds[] = {
      {"universal", Kind::Universal},         {"cp.async", Kind::AsyncToShared},
      {"ldmatrix", Kind::LoadMatrix},         {"stmatrix", Kind::StoreMatrix},
      {"tensor load", Kind::TensorLoad},      {"tensor multicast", Kind::TensorMulticast},
      {"tensor store", Kind::TensorStore},    {"tensor reduce", Kind::TensorReduce},
      {"bulk load", Kind::BulkLoad},          {"bulk multicast", Kind::BulkMulticast},
      {"bulk store", Kind::BulkStore},        {"bulk to block", Kind::BulkToBlock},
      {"tcgen05.ld", Kind::TensorMemoryLoad}, {"tcgen05.st", Kind::TensorMemoryStore},
      {"tcgen05.cp", Kind::TensorMemoryRows}, {"tcgen05.ld.red", Kind::TensorMemoryExtremes}};
  for (auto [name, known] : kKinds)
    if (kind == name) {
      dsl::CopyOp op{known,    static_cast<dsl::CacheMode>(cache),      transposed,
                     matrices, static_cast<dsl::ReduceKind>(reduction), prefetched};
      return op;
    }
  throw makeError(Diagnostic::ArgumentValue,
                  {{"function", "CopyAtom"}, {"expected", "a kind of copies"}, {"got", kind}});
}

TiledCopy madeOf(const CopyAtom &atom, dsl::TiledCopy tiled) {
  return TiledCopy(atom.op, std::move(tiled));
}

Tiler tilerOfTile(nb::handle object) {
  Tiler tiler = tilerFromPython(object);
  return tiler.isTuple() ? tiler : Tiler(std::vector<Tiler>{tiler});
}

/// The names of published programs.
void bindMemoryOrders(nb::module_ &m) {
  using Order = dsl::MemoryOrder;
  using Scope = dsl::MemoryScope;
  nb::enum_<Order>(m, "MemoryOrder",
                   "How the loads or stores of a copy are ordered with accesses of other threads.")
      .value("WEAK", Order::Weak)
      .value("RELAXED", Order::Relaxed)
      .value("ACQUIRE", Order::Acquire)
      .value("RELEASE", Order::Release)
      .value("ACQ_REL", Order::AcquireRelease)
      .value("SC", Order::SequentiallyConsistent)
      .value("MMIO", Order::Mmio)
      .value("VOLATILE", Order::Volatile);
  nb::enum_<Scope>(m, "MemoryScope", "The threads that see a MemoryOrder.")
      .value("CTA", Scope::Block)
      .value("CLUSTER", Scope::Cluster)
      .value("GPU", Scope::Device)
      .value("SYS", Scope::System);
}

void bindCopies(nb::module_ &m) {
  bindMemoryOrders(m);
  nb::class_<dsl::CopyOp>(m, "CopyOp")
      .def(
          "__init__",
          [](dsl::CopyOp *self, const std::string &kind, int cache, bool transposed, int matrices,
             int reduction, int prefetched) {
            new (self)
                dsl::CopyOp(copyOp(kind, cache, transposed, matrices, reduction, prefetched));
          },
          nb::arg("kind"), nb::arg("cache") = 0, nb::arg("transposed") = false,
          nb::arg("matrices") = 1, nb::arg("reduction") = 0, nb::arg("prefetched") = 0)
      .def_static(
          "_of_bytes",
          [](bool transposed, int matrices, int bits) {
            dsl::CopyOp op{dsl::CopyKind::LoadByteMatrix, dsl::CacheMode::Always, transposed,
                           matrices};
            op.packedBits = bits;
            return op;
          },
          nb::arg("transposed"), nb::arg("matrices"), nb::arg("bits"))
      .def_static(
          "_of_tensor_memory",
          [](const std::string &kind, int repetition, int lanes, int bits, bool halves) {
            dsl::CopyOp op = copyOp(kind, 0, false, repetition, 0, 0);
            op.stepLanes = lanes, op.stepBits = bits, op.halves = halves;
            return op;
          },
          nb::arg("kind"), nb::arg("repetition"), nb::arg("lanes"), nb::arg("bits"),
          nb::arg("halves"))
      .def("_of_pair",
           [](const dsl::CopyOp &self) {
             dsl::CopyOp op = self;
             op.ofPair = true;
             return op;
           })
      .def("_ordered", &dsl::CopyOp::ordered, nb::arg("order"), nb::arg("scope"));
  nb::class_<CopyAtom> atom(
      m, "CopyAtom", "An instruction that copies: of one thread, or of the threads of a warp.");
  defineStr(atom);
  defineMembers(atom);
  atom.def(
          "__init__",
          [](CopyAtom *self, nb::object op, const dsl::CopyOp &kind, nb::handle type, int bits) {
            new (self) CopyAtom{dsl::CopyAtom(kind, requireDType(type), bits), std::move(op)};
          },
          nb::arg("op").none(), nb::arg("kind"), nb::arg("dtype").none(), nb::arg("bits"))
      .def_prop_ro(
          "op", [](const CopyAtom &self) { return self.op; },
          "The operation that the atom was made of.")
      .def_prop_ro(
          "value_type", [](const CopyAtom &self) { return nb::borrow(classOf(self.atom.type())); },
          "The numeric class of the elements that it copies.")
      .def_prop_ro("_type_name",
                   [](const CopyAtom &self) { return dsl::elementName(self.atom.type()); })
      .def_prop_ro(
          "num_elements", [](const CopyAtom &self) { return self.atom.referenceValues(); },
          "Elements of one thread in one instruction.")
      .def_prop_ro(
          "thr_id", [](const CopyAtom &self) { return self.atom.threads(); },
          "The layout of the threads that execute one instruction.")
      .def_prop_ro(
          "layout_src_tv", [](const CopyAtom &self) { return self.atom.source(); },
          "(thread, value) to the place of an element of the source of one instruction.")
      .def_prop_ro(
          "layout_dst_tv", [](const CopyAtom &self) { return self.atom.destination(); },
          "(thread, value) to the place of an element of the destination of one instruction.")
      .def("_same", [](const CopyAtom &self) { return atomText(self); })
      .def("_parts", [](const CopyAtom &) { return nb::list(); })
      .def("_with_parts", [](const CopyAtom &self, const nb::list &) { return self; })
      .def("__repr__", &atomText);
  nb::class_<TiledCopy, CopyAtom>(m, "TiledCopy",
                                  "A copy atom, and which elements of a tile each thread works on.")
      .def_prop_ro(
          "layout_tv_tiled", [](const TiledCopy &self) { return self.tiled.elements(); },
          "(thread, value) to the index of an element in the tile, column-major.")
      .def_prop_ro(
          "tiler_mn",
          [](const TiledCopy &self) -> nb::object {
            nb::object tiler = tilerToPython(self.tiled.tiler());
            if (!nb::isinstance<nb::tuple>(tiler))
              return tiler;
            nb::list modes;
            for (nb::handle mode : tiler)
              modes.append(
                  nb::isinstance<nb::int_>(mode)
                      ? nb::cast(Layout(layout::IntTuple(layout::Int(nb::cast<int64_t>(mode)))))
                      : nb::borrow(mode));
            return nb::tuple(modes);
          },
          "The tile, a layout for each of its modes.")
      .def_prop_ro(
          "layout_src_tv_tiled", [](const TiledCopy &self) { return self.tiled.sourceElements(); },
          "As layout_tv_tiled, of the source.")
      .def_prop_ro(
          "layout_dst_tv_tiled",
          [](const TiledCopy &self) { return self.tiled.destinationElements(); },
          "As layout_tv_tiled, of the destination.")
      .def_prop_ro(
          "size", [](const TiledCopy &self) { return tupleToPython(self.tiled.size()); },
          "The number of threads.")
      .def(
          "get_slice",
          [](const TiledCopy &self, nb::handle thread) {
            return ThrCopy(self, toScalar(thread, "the index of a thread"));
          },
          nb::arg("thr_idx"), "The part of one thread.")
      .def(
          "retile", [](const TiledCopy &self, const Tensor &src) { return self.tiled.retile(src); },
          nb::arg("src"), "A fragment of another partition, nested as those of this copy.")
      .def("_parts",
           [](const TiledCopy &self) {
             return listOf(nb::cast(self.tiled.elements()), tilerToPython(self.tiled.tiler()));
           })
      .def("_with_parts",
           [](const TiledCopy &self, const nb::list &parts) {
             return madeOf(self, dsl::TiledCopy(self.atom, nb::cast<const Layout &>(parts[0]),
                                                tilerOfTile(parts[1])));
           })
      .def("__repr__", [](const TiledCopy &self) { return tiledText("TiledCopy", self); });
  nb::class_<ThrCopy, TiledCopy>(m, "ThrCopy", "One thread's part of a tiled copy.")
      .def_prop_ro(
          "thr_idx", [](const ThrCopy &self) { return toPython(self.thread); },
          "The thread that the slice is of.")
      .def(
          "partition_S",
          [](const ThrCopy &self, const Tensor &src) {
            return self.tiled.partitionS(src, self.thread);
          },
          nb::arg("src"),
          "The thread's elements of a source: ((values of the atom, atoms), tiles of mode 0, ...).")
      .def(
          "partition_D",
          [](const ThrCopy &self, const Tensor &dst) {
            return self.tiled.partitionD(dst, self.thread);
          },
          nb::arg("dst"), "The thread's elements of a destination; see partition_S.")
      .def("_parts",
           [](const ThrCopy &self) {
             return listOf(nb::cast(self.tiled.elements()), tilerToPython(self.tiled.tiler()),
                           toPython(self.thread));
           })
      .def("_with_parts",
           [](const ThrCopy &self, const nb::list &parts) {
             return ThrCopy(
                 madeOf(self, dsl::TiledCopy(self.atom, nb::cast<const Layout &>(parts[0]),
                                             tilerOfTile(parts[1]))),
                 toScalar(parts[2], "the index of a thread"));
           })
      .def("__repr__", [](const ThrCopy &self) { return tiledText("ThrCopy", self); });

  m.def(
      "make_tiled_copy",
      [](const CopyAtom &atom, const Layout &elements, nb::handle tiler) {
        return madeOf(atom, dsl::TiledCopy(atom.atom, elements, tilerOfTile(tiler)));
      },
      nb::arg("atom"), nb::arg("layout_tv"), nb::arg("tiler_mn"));
  m.def(
      "make_tiled_copy_tv",
      [](const CopyAtom &atom, const Layout &threads, const Layout &values) {
        return madeOf(atom, dsl::TiledCopy::ofThreadsAndValues(atom.atom, threads, values));
      },
      nb::arg("atom"), nb::arg("thr_layout"), nb::arg("val_layout"));
  using OfMma = dsl::TiledCopy (*)(const dsl::CopyAtom &, const dsl::TiledMma &);
  constexpr std::pair<const char *, OfMma> kOfMma[] = {
      {"make_tiled_copy_A", &dsl::TiledCopy::ofA},
      {"make_tiled_copy_B", &dsl::TiledCopy::ofB},
      {"make_tiled_copy_C", &dsl::TiledCopy::ofC},
      {"make_tiled_copy_C_atom", &dsl::TiledCopy::ofAtomC}};
  for (auto [name, make] : kOfMma)
    m.def(
        name,
        [make = make](const CopyAtom &atom, const TiledMma &mma) {
          return madeOf(atom, make(atom.atom, mma.tiled));
        },
        nb::arg("atom"), nb::arg("tiled_mma"));
  using OfCopy = dsl::TiledCopy (*)(const dsl::CopyAtom &, const dsl::TiledCopy &);
  constexpr std::pair<const char *, OfCopy> kOfCopy[] = {
      {"make_tiled_copy_S", &dsl::TiledCopy::ofSource},
      {"make_tiled_copy_D", &dsl::TiledCopy::ofDestination}};
  for (auto [name, make] : kOfCopy)
    m.def(
        name,
        [make = make](const CopyAtom &atom, const TiledCopy &other) {
          return madeOf(atom, make(atom.atom, other.tiled));
        },
        nb::arg("atom"), nb::arg("tiled_copy"));
  m.def(
      "make_cotiled_copy",
      [](const CopyAtom &atom, const Layout &elements, const Layout &data) {
        return madeOf(atom, dsl::TiledCopy::cotiled(atom.atom, elements, data));
      },
      nb::arg("atom"), nb::arg("atom_layout_tv"), nb::arg("data_layout"));
  m.def(
      "copy",
      [](const CopyAtom &atom, const Tensor &src, const Tensor &dst,
         std::optional<Tensor> predicate) { dsl::copy(atom.atom, src, dst, predicate); },
      nb::arg("atom"), nb::arg("src"), nb::arg("dst"), nb::arg("pred").none());
  m.def(
      "copy_atom_call",
      [](const CopyAtom &atom, const Tensor &src, const Tensor &dst) {
        dsl::copyAtom(atom.atom, src, dst);
      },
      nb::arg("atom"), nb::arg("src"), nb::arg("dst"));
  m.def(
      "copy_vectors",
      [](const dsl::Tensor &src, const dsl::Tensor &dst) { dsl::copyVectors(src, dst); },
      nb::arg("src"), nb::arg("dst"));
  m.def("commit_copies", [] { dsl::commitCopies(); });
  m.def("wait_copies", [](int groups) { dsl::waitCopies(groups); }, nb::arg("groups"));
}

/// The shape of a partition: given, or that of a tensor or a layout.
layout::IntTuple shapeOf(nb::handle object) {
  if (nb::isinstance<Tensor>(object))
    return nb::cast<const Tensor &>(object).layout().shape();
  if (nb::isinstance<Layout>(object))
    return nb::cast<const Layout &>(object).shape();
  return knownTupleFromPython(object, "integers and tuples of them as a shape");
}

/// Returns a thread's fragment of A or B. `part` is a partition of a tensor, or for operands
/// outside of shared memory the shape of one.
Tensor fragmentOf(const MmaAtom &self, dsl::MmaOperand operand, nb::handle part) {
  if (nb::isinstance<Tensor>(part))
    return dsl::operandFragment(self.atom, operand, nb::cast<const Tensor &>(part));
  if (self.atom.memoryOf(operand) == dsl::MmaMemory::Shared)
    throw makeError(Diagnostic::MmaFragmentSource, {{"got", nb::repr(part).c_str()}});
  return dsl::fragmentOfShape(self.atom, operand, shapeOf(part));
}

/// M, N and K of an MMA.
std::array<int, 3> extentsOf(const std::vector<int> &shape) {
  if (shape.size() != 3)
    throw makeError(Diagnostic::MmaShapeRank, {{"got", std::to_string(shape.size())}});
  return {shape[0], shape[1], shape[2]};
}

enum class MmaField { Accumulate, ScalesOfA, ScalesOfB };

/// Returns a field that the atom has.
MmaField fieldOf(const MmaAtom &atom, nb::handle field) {
  nb::object name = nb::getattr(field, "value", nb::borrow(field));
  auto is = [&](const char *text) {
    return nb::isinstance<nb::str>(name) && name.equal(nb::str(text));
  };
  if (atom.atom.canOverwrite() && is("accum_c"))
    return MmaField::Accumulate;
  if (atom.atom.hasScales() && (is("sfa") || is("sfb")))
    return is("sfa") ? MmaField::ScalesOfA : MmaField::ScalesOfB;
  throw makeError(Diagnostic::MmaField, {{"got", textOf(field) + " of " + textOf(atom.op)}});
}

/// Sets the address of scale factors.
void setScales(MmaAtom &atom, MmaField field, nb::handle value) {
  const bool ofA = field == MmaField::ScalesOfA;
  const auto *pointer =
      nb::isinstance<dsl::Pointer>(value) ? &nb::cast<const dsl::Pointer &>(value) : nullptr;
  if (!pointer || pointer->space() != AddressSpace::Tensor || bitWidth(pointer->dtype()) != 8)
    throw makeError(Diagnostic::MmaOperandMemory,
                    {{"memory", "a pointer to scale factors of 8 bits in tensor memory"},
                     {"operand", ofA ? "SFA" : "SFB"},
                     {"atom", atom.atom.name},
                     {"got", pointer ? pointer->str() : textOf(value)}});
  (ofA ? atom.scalesOfA : atom.scalesOfB) = dsl::cast(pointer->toInt(), DType::Int32);
  (ofA ? atom.hasScalesOfA : atom.hasScalesOfB) = true;
}

dsl::MmaAtom::ScaledKind scaledKind(const std::string &name) {
  using Kind = dsl::MmaAtom::ScaledKind;
  return name == "mxf4" ? Kind::MXF4 : name == "mxf4nvf4" ? Kind::MXF4NVF4 : Kind::MXF8F6F4;
}

void bindMmas(nb::module_ &m) {
  using dsl::MmaOperand;
  nb::class_<MmaAtom> atom(m, "MmaAtom",
                           "An instruction that adds the product of two small tiles to a third.");
  defineStr(atom);
  atom.def_prop_ro(
          "op", [](const MmaAtom &self) { return self.op; },
          "The operation that the atom was made of.")
      .def_prop_ro(
          "shape_mnk",
          [](const MmaAtom &self) {
            auto [m, n, k] = self.atom.shape;
            return nb::make_tuple(m, n, k);
          },
          "Extents (M, N, K) of one instruction.")
      .def_prop_ro(
          "thr_id", [](const MmaAtom &self) { return self.atom.threads; },
          "The layout of the threads that execute one instruction.")
      .def_prop_ro(
          "tv_layout_A", [](const MmaAtom &self) { return self.atom.layoutA; },
          "(thread, value) to the index of an element of A (M, K) in one instruction, "
          "column-major.")
      .def_prop_ro(
          "tv_layout_B", [](const MmaAtom &self) { return self.atom.layoutB; },
          "(thread, value) to the index of an element of B (N, K) in one instruction, "
          "column-major.")
      .def_prop_ro(
          "tv_layout_C", [](const MmaAtom &self) { return self.atom.layoutC; },
          "(thread, value) to the index of an element of C (M, N) in one instruction, "
          "column-major.")
      .def_prop_ro("_name", [](const MmaAtom &self) { return self.atom.name; })
      .def(
          "make_fragment_A",
          [](const MmaAtom &self, nb::handle part) {
            return fragmentOf(self, dsl::MmaOperand::A, part);
          },
          nb::arg("input"),
          "Registers for a thread's part of A, in the layout that `gemm` takes.\n\n"
          "`input` is what `partition_A` returned, a tensor, or its shape. For MMAs that read A "
          "from "
          "shared memory the result is a tensor of descriptors of `input`, and for those that read "
          "it from tensor memory one without memory in the layout that A has there; no registers "
          "are used.")
      .def(
          "make_fragment_B",
          [](const MmaAtom &self, nb::handle part) {
            return fragmentOf(self, dsl::MmaOperand::B, part);
          },
          nb::arg("input"),
          "Registers for a thread's part of B; see make_fragment_A. `input` is what `partition_B` "
          "returned, or its shape.")
      .def(
          "make_fragment_C",
          [](const MmaAtom &self, nb::handle part) {
            return dsl::accumulatorFragment(self.atom, shapeOf(part));
          },
          nb::arg("input"),
          "Registers for a thread's accumulators, with the accumulator's element type. `input` is "
          "what "
          "`partition_C` or `partition_shape_C` returned. They are uninitialised: `fill(0.0)` "
          "them.")
      .def(
          "set",
          [](MmaAtom &self, nb::handle field, nb::handle value) {
            const MmaField mmaField = fieldOf(self, field);
            if (mmaField != MmaField::Accumulate)
              return setScales(self, mmaField, value);
            self.accumulate =
                MmaAtom::initial(dsl::cast(toScalar(value, "Field.ACCUMULATE"), DType::Boolean));
          },
          nb::arg("field"), nb::arg("value"),
          "Sets a field of the MMAs that follow. Field.ACCUMULATE: whether products are added to "
          "the "
          "accumulators (True) or overwrite them. The default is True for warpgroup, and False for "
          "tcgen05. Field.SFA and Field.SFB, of MMAs with block scaling: pointers to the scale "
          "factors of A and B in tensor memory.")
      .def(
          "get",
          [](const MmaAtom &self, nb::handle field) {
            const MmaField mmaField = fieldOf(self, field);
            return (mmaField == MmaField::Accumulate  ? self.accumulate
                    : mmaField == MmaField::ScalesOfA ? self.scalesOfA
                                                      : self.scalesOfB)
                .number();
          },
          nb::arg("field"),
          "The value of Field.ACCUMULATE, a Boolean; see set. Of other fields the address.")
      .def_prop_rw(
          "_accumulate", [](const MmaAtom &self) { return self.accumulate.number(); },
          [](MmaAtom &self, nb::handle value) {
            self.accumulate = toScalar(value, "Field.ACCUMULATE");
          })
      .def_prop_rw(
          "_scales_a", [](const MmaAtom &self) { return self.scalesOfA.number(); },
          [](MmaAtom &self, nb::handle value) { self.scalesOfA = toScalar(value, "Field.SFA"); })
      .def_prop_rw(
          "_scales_b", [](const MmaAtom &self) { return self.scalesOfB.number(); },
          [](MmaAtom &self, nb::handle value) { self.scalesOfB = toScalar(value, "Field.SFB"); })
      .def("_set_scales",
           [](MmaAtom &self, nb::handle a, nb::handle b) {
             setScales(self, MmaField::ScalesOfA, a);
             setScales(self, MmaField::ScalesOfB, b);
           })
      .def_static("_is_one_value",
                  [](nb::handle a, nb::handle b) {
                    const void *first = toScalar(a, "a setting").handle();
                    return first && first == toScalar(b, "a setting").handle();
                  })
      .def_prop_ro("_has_scales", [](const MmaAtom &self) { return self.atom.hasScales(); })
      .def_prop_ro("_has_scale_fragments",
                   [](const MmaAtom &self) { return self.atom.hasScaleFragments(); })
      .def_prop_ro("_carries",
                   [](const MmaAtom &self) {
                     return self.atom.canOverwrite() && !self.accumulate.scalar().isLiteral();
                   })
      .def("_same", [](const MmaAtom &self) { return textOf(self.op); })
      .def("_parts", [](const MmaAtom &) { return nb::list(); })
      .def("_with_parts", [](const MmaAtom &self, const nb::list &) { return self.entered(); })
      .def("__repr__", [](const MmaAtom &self) { return "MmaAtom(" + textOf(self.op) + ")"; });

  nb::class_<TiledMma, MmaAtom> tiled(m, "TiledMma",
                                      "An MMA atom, repeated over threads and values.");
  tiled.def_prop_ro("_own_permutation", &permutationOf)
      .def_prop_ro(
          "permutation_mnk",
          [](nb::handle self) {
            nb::object permutation = dialectMember(self, "permutation_mnk");
            return permutation.is_valid() ? permutation : self.attr("_own_permutation");
          },
          "The permutation of M, N and K that it was made with.")
      .def_prop_ro(
          "thr_layout_vmnk", [](const TiledMma &self) { return self.tiled.threads(); },
          "The layout of the threads: those of an atom, and the atoms along M, N and K.")
      .def_prop_ro(
          "size", [](const TiledMma &self) { return tupleToPython(self.tiled.size()); },
          "The number of threads.")
      .def(
          "get_tile_size",
          [](const TiledMma &self, int mode) {
            if (mode < 0 || mode > 2)
              throw makeError(Diagnostic::ModeRange,
                              {{"got", std::to_string(mode)}, {"expected", "3"}});
            return tupleToPython(self.tiled.tileSize(mode));
          },
          nb::arg("mode_idx"),
          "The extent of the tile along M, N or K, for `mode_idx` 0, 1 or 2. IndexError for "
          "others.")
      .def(
          "get_slice",
          [](const TiledMma &self, nb::handle thread) {
            return ThrMma(self, toScalar(thread, "the index of a thread"));
          },
          nb::arg("thr_idx"), "The part of one thread.")
      .def("_parts",
           [](const TiledMma &self) {
             return listOf(nb::cast(self.atoms), tilerToPython(self.tiled.permutation()));
           })
      .def("_with_parts",
           [](const TiledMma &self, const nb::list &parts) {
             return TiledMma(self.entered(), nb::cast<const Layout &>(parts[0]),
                             tilerFromPython(parts[1]));
           })
      .def("__repr__", [](const TiledMma &self) { return tiledText("TiledMma", self); });
  constexpr std::pair<const char *, MmaOperand> kOperands[] = {
      {"A", MmaOperand::A}, {"B", MmaOperand::B}, {"C", MmaOperand::C}};
  nb::class_<ThrMma, TiledMma> part(m, "ThrMma", "One thread's part of a tiled MMA.");
  for (auto [name, operand] : kOperands) {
    tiled.def_prop_ro(
        (std::string("tv_layout_") + name + "_tiled").c_str(),
        [operand = operand](const TiledMma &self) { return self.tiled.elements(operand); },
        "(thread, value) to the index of an element of the operand's tile, column-major.");
    tiled.def(
        (std::string("partition_shape_") + name).c_str(),
        [operand = operand](const TiledMma &self, nb::handle shape) {
          return tupleToPython(self.tiled.partitionShape(operand, shapeOf(shape)));
        },
        nb::arg("shape"),
        "The shape of a thread's part of a tile of the extents `shape`: ((values of the atom), "
        "atoms along mode 0, atoms along mode 1).");
    tiled.def((std::string("_thrfrg_") + name).c_str(),
              [operand = operand](const TiledMma &self, const Layout &layout) {
                return self.tiled.threadFragments(operand, layout);
              },
              nb::arg("layout"));
    part.def(
        (std::string("partition_") + name).c_str(),
        [operand = operand](const ThrMma &self, const Tensor &tensor) {
          return self.tiled.partition(operand, tensor, self.thread);
        },
        nb::arg("input"),
        "The elements of a tensor that this thread holds as this operand, without a copy: "
        "((values of the atom), tiles of mode 0, tiles of mode 1, ...). A is (M, K), B (N, K), C "
        "(M, N). Raises ValueError (TiledFormCover) for a tensor that the tile does not divide.");
  }
  part.def_prop_ro(
          "thr_idx", [](const ThrMma &self) { return toPython(self.thread); },
          "The thread that the slice is of.")
      .def("_parts",
           [](const ThrMma &self) {
             return listOf(nb::cast(self.atoms), tilerToPython(self.tiled.permutation()),
                           toPython(self.thread));
           })
      .def("_with_parts",
           [](const ThrMma &self, const nb::list &parts) {
             TiledMma made(self.entered(), nb::cast<const Layout &>(parts[0]),
                           tilerFromPython(parts[1]));
             return ThrMma(made, toScalar(parts[2], "the index of a thread"));
           })
      .def("__repr__", [](const ThrMma &self) { return tiledText("ThrMma", self); });

  m.def(
      "make_universal_mma_atom",
      [](nb::object op, nb::handle type, nb::handle computeType) {
        return MmaAtom{dsl::MmaAtom::universal(requireDType(type), requireDType(computeType)),
                       std::move(op)};
      },
      nb::arg("op"), nb::arg("dtype").none(), nb::arg("compute_dtype").none());
  m.def(
      "make_warp_mma_atom",
      [](nb::object op, nb::handle a, nb::handle b, nb::handle accumulator,
         const std::vector<int> &shape) {
        return MmaAtom{dsl::MmaAtom::warp(requireDType(a), requireDType(b),
                                          requireDType(accumulator), extentsOf(shape)),
                       std::move(op)};
      },
      nb::arg("op"), nb::arg("a").none(), nb::arg("b").none(), nb::arg("accumulator").none(),
      nb::arg("shape"));
  m.def(
      "make_warpgroup_mma_atom",
      [](nb::object op, nb::handle a, nb::handle b, nb::handle accumulator,
         const std::vector<int> &shape, bool aInRegisters, bool aTransposed, bool bTransposed) {
        return MmaAtom{dsl::MmaAtom::ofWarpgroup(requireDType(a), requireDType(b),
                                                 requireDType(accumulator), extentsOf(shape),
                                                 {aInRegisters, aTransposed, bTransposed}),
                       std::move(op)};
      },
      nb::arg("op"), nb::arg("a").none(), nb::arg("b").none(), nb::arg("accumulator").none(),
      nb::arg("shape"), nb::arg("a_in_registers"), nb::arg("a_transposed"),
      nb::arg("b_transposed"));
  m.def(
      "make_tensor_memory_mma_atom",
      [](nb::object op, nb::handle a, nb::handle b, nb::handle accumulator,
         const std::vector<int> &shape, bool aTransposed, bool bTransposed, bool ofPair,
         bool aInTensorMemory) {
        return MmaAtom{dsl::MmaAtom::inTensorMemory(
                           requireDType(a), requireDType(b), requireDType(accumulator),
                           extentsOf(shape), {aTransposed, bTransposed, ofPair, aInTensorMemory}),
                       std::move(op), MmaAtom::initial(false)};
      },
      nb::arg("op"), nb::arg("a").none(), nb::arg("b").none(), nb::arg("accumulator").none(),
      nb::arg("shape"), nb::arg("a_transposed"), nb::arg("b_transposed"), nb::arg("of_pair"),
      nb::arg("a_in_tensor_memory"));
  m.def(
      "make_scaled_mma_atom",
      [](nb::object op, const std::string &kind, nb::handle a, nb::handle b, nb::handle scaleType,
         int vector, const std::vector<int> &shape, bool aTransposed, bool bTransposed,
         bool ofPair) {
        return MmaAtom{
            dsl::MmaAtom::scaledInTensorMemory(requireDType(a), requireDType(b), extentsOf(shape),
                                               {scaledKind(kind), requireDType(scaleType), vector},
                                               {aTransposed, bTransposed, ofPair}),
            std::move(op), Scalar(false)}
            .entered();
      },
      nb::arg("op"), nb::arg("kind"), nb::arg("a").none(), nb::arg("b").none(),
      nb::arg("scale_type").none(), nb::arg("vector"), nb::arg("shape"), nb::arg("a_transposed"),
      nb::arg("b_transposed"), nb::arg("of_pair"));
  m.def(
      "make_scaled_warp_mma_atom",
      [](nb::object op, const std::string &kind, nb::handle a, nb::handle b, nb::handle scaleType,
         int vector) {
        return MmaAtom{
            dsl::MmaAtom::scaledWarp(requireDType(a), requireDType(b),
                                     {scaledKind(kind), requireDType(scaleType), vector}),
            std::move(op)};
      },
      nb::arg("op"), nb::arg("kind"), nb::arg("a").none(), nb::arg("b").none(),
      nb::arg("scale_type").none(), nb::arg("vector"));
  m.def("warpgroup_fence", [] { dsl::warpgroupFence(); });
  m.def("warpgroup_commit", [] { dsl::warpgroupCommit(); });
  m.def("warpgroup_wait", [](int groups) { dsl::warpgroupWait(groups); }, nb::arg("groups"));
  m.def(
      "make_tiled_mma",
      [](const MmaAtom &atom, nb::handle atoms, nb::handle permutation) {
        auto layout = nb::isinstance<Layout>(atoms) ? nb::cast<const Layout &>(atoms)
                                                    : composedFromPython(atoms).outer();
        return TiledMma(atom, layout, tilerFromPython(permutation));
      },
      nb::arg("atom"), nb::arg("atom_layout_mnk"), nb::arg("permutation_mnk").none());
  m.def(
      "gemm",
      [](const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c) {
        dsl::gemm(atom.atom, d, a, b, c, atom.accumulate.scalar(), atom.scales());
      },
      nb::arg("atom"), nb::arg("d"), nb::arg("a"), nb::arg("b"), nb::arg("c"));
  m.def(
      "scaled_gemm",
      [](const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c,
         const Tensor &scalesOfA, const Tensor &scalesOfB) {
        dsl::gemm(atom.atom, d, a, b, c, atom.accumulate.scalar(),
                  {std::nullopt, std::nullopt, scalesOfA, scalesOfB});
      },
      nb::arg("atom"), nb::arg("d"), nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("scales_a"),
      nb::arg("scales_b"));
  m.def(
      "mma_atom_call",
      [](const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c) {
        dsl::mmaAtom(atom.atom, d, a, b, c, atom.accumulate.scalar(), atom.scales());
      },
      nb::arg("atom"), nb::arg("d"), nb::arg("a"), nb::arg("b"), nb::arg("c"));
}

} // namespace

void bindAtoms(nb::module_ &m) {
  bindCopies(m);
  bindMmas(m);
  bindTensorCopies(m);
  bindTensorMemory(m);
  bindMbarriers(m);
}

} // namespace fairlead::python
