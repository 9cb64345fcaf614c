/// Pointers, and operations of all threads of a block.
#include "Dialect.h"
#include "Operators.h"

#include <nanobind/stl/vector.h>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Assembly.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/Checks.h"
#include "fairlead/dsl/Cluster.h"
#include "fairlead/dsl/Instructions.h"
#include "fairlead/dsl/Location.h"
#include "fairlead/dsl/Operation.h"
#include "fairlead/dsl/Print.h"
#include "fairlead/dsl/Program.h"

namespace fairlead::python {
namespace {

using dsl::Pointer;
using dsl::Tensor;

Scalars scalarsOf(const nb::list &values, const char *what) {
  Scalars result;
  for (nb::handle value : values)
    result.push_back(toScalar(value, what));
  return result;
}

/// A pointer, or a tensor's first element.
Pointer pointerArgument(nb::handle object, const char *what) {
  Pointer *pointer = nullptr;
  if (nb::try_cast(object, pointer) && pointer)
    return *pointer;
  Tensor *tensor = nullptr;
  if (nb::try_cast(object, tensor) && tensor)
    return tensor->composed().isLayout() ? Pointer(*tensor)
                                         : Pointer(*tensor, Scalars(tensor->rank(), Scalar(0)));
  throw makeError(
      Diagnostic::PointerExpected,
      {{"what", what}, {"expected", "a pointer or a tensor"}, {"got", typeName(object)}});
}

/// True if the running program has addresses of a memory as Int32: a published one, of memory whose
/// addresses have 32 bits. On the CPU only those of tensor memory have.
bool isWord(AddressSpace space) {
  if (space == AddressSpace::Global || space == AddressSpace::Generic || !operatorsArePublished())
    return false;
  return space == AddressSpace::Tensor || dsl::Program::current()->target().info().kernelsInImages;
}

nb::object toObject(const Scalar &scalar) { return toPython(scalar); }

std::vector<dsl::OperationOperand> operationOperands(const nb::list &values) {
  std::vector<dsl::OperationOperand> operands;
  for (nb::handle value : values) {
    Pointer *pointer = nullptr;
    if (nb::try_cast(value, pointer) && pointer)
      operands.emplace_back(*pointer);
    else
      operands.emplace_back(toScalar(value, "an operand of an operation"));
  }
  return operands;
}

dsl::OperationForm formOf(const nb::dict &attributes, const nb::list &results) {
  dsl::OperationForm form;
  for (auto [name, value] : attributes) {
    dsl::OperationAttribute attribute;
    if (nb::isinstance<nb::bool_>(value))
      attribute = nb::cast<bool>(value);
    else if (nb::isinstance<nb::int_>(value))
      attribute = nb::cast<int32_t>(value);
    else if (nb::isinstance<nb::str>(value))
      attribute = nb::cast<std::string>(value);
    else
      attribute = nb::cast<std::vector<int32_t>>(value);
    form.attributes.emplace_back(nb::cast<std::string>(name), std::move(attribute));
  }
  for (nb::handle type : results)
    form.results.push_back(requireDType(type));
  return form;
}

nb::object add(const Pointer &self, nb::handle elements) {
  std::optional<Scalar> offset = tryScalar(elements);
  if (!offset || isFloat(offset->dtype()))
    return nb::not_implemented();
  return nb::cast(self + *offset);
}

void bindPointer(nb::module_ &m) {
  nb::class_<Pointer> pointer(m, "Pointer");
  pointer.doc() = "The address of elements of one type in a memory space. ``p + i`` is that of the "
                  "i-th element from there.";
  defineProtocol(pointer);
  defineMembers(pointer);
  pointer.attr("__iter__") = nb::none(); // subscripts do not make it a sequence
  pointer.def("__add__", &add, nb::arg().none(), "The address that many elements further.")
      .def("__radd__", &add, nb::arg().none())
      .def(
          "__sub__",
          [](const Pointer &self, nb::handle elements) {
            return nb::cast(self + -toScalar(elements, "an offset of a pointer"));
          },
          nb::arg().none())
      .def(
          "load",
          [](const Pointer &self, const nb::kwargs &keywords) {
            checkKeywords("load", keywords);
            return toPython(self.load());
          },
          nb::arg("keywords"), "The element at the address.")
      .def(
          "__getitem__",
          [](nb::handle self, nb::handle index) { return (self + index).attr("load")(); },
          nb::arg("index").none(), "The element `index` elements from the address.")
      .def(
          "__setitem__",
          [](nb::handle self, nb::handle index, nb::handle value) {
            nb::object number =
                nb::hasattr(value, "to") ? value.attr("to")(self.attr("dtype")) : nb::borrow(value);
            (self + index).attr("store")(number);
          },
          nb::arg("index").none(), nb::arg("value").none(),
          "Stores a number `index` elements from the address, converted to the type of the "
          "elements.")
      .def(
          "store",
          [](const Pointer &self, nb::handle value, const nb::kwargs &keywords) {
            checkKeywords("store", keywords);
            self.store(toScalar(value, "a value stored through a pointer"));
          },
          nb::arg("value").none(), nb::arg("keywords"),
          "Stores a number, converted to the type of the elements.")
      .def(
          "align",
          [](const Pointer &self, int64_t minAlign, const nb::kwargs &keywords) {
            checkKeywords("align", keywords);
            dsl::checkAlignment(self, minAlign);
            return self.aligned(minAlign);
          },
          nb::arg("min_align"), nb::arg("keywords"),
          "The same address, which the caller knows to be divisible by `min_align` bytes.")
      .def(
          "toint",
          [](const Pointer &self, const nb::kwargs &keywords) {
            checkKeywords("toint", keywords);
            Scalar address = self.toInt();
            return toPython(isWord(self.space()) ? dsl::cast(address, DType::Int32) : address);
          },
          nb::arg("keywords"),
          "The address as Int64. Published programs get an Int32 of tensor memory and, on GPUs, of "
          "shared memory and registers.")
      .def("_recast",
           [](const Pointer &self, nb::handle cls) { return self.recast(requireDType(cls)); })
      .def_prop_ro("_in_cluster", &dsl::isInCluster)
      .def_prop_ro("_swizzle", &Pointer::swizzle)
      .def("_swizzled", &Pointer::swizzled, nb::arg("swizzle"))
      .def_prop_ro(
          "dtype", [](const Pointer &self) { return nb::borrow(classOf(self.dtype())); },
          "The numeric class of its elements.")
      .def_prop_ro(
          "value_type", [](const Pointer &self) { return nb::borrow(classOf(self.dtype())); },
          "The numeric class of its elements.")
      .def_prop_ro(
          "llvm_ptr", [](const Pointer &self) { return self; }, "The pointer itself.")
      .def_prop_ro(
          "ptr", [](const Pointer &self) { return self; }, "The pointer itself.")
      .def_prop_ro("alignment", &Pointer::alignment,
                   "Bytes by which the address is known to be divisible.")
      .def_prop_ro("max_alignment", &Pointer::alignment, "The same as alignment.")
      .def_prop_ro("memspace", &Pointer::space, "Where it points: an AddressSpace.")
      .def("__repr__", &Pointer::str)
      .def("__bool__", [](const Pointer &) -> bool {
        throw makeError(Diagnostic::DynamicBool, {{"type", "Pointer"}});
      });
  m.def(
      "pointer_from_int",
      [](nb::handle dtype, nb::handle address, AddressSpace space, int64_t alignment) {
        return Pointer::fromInt(requireDType(dtype), toScalar(address, "an address"), space,
                                alignment);
      },
      nb::arg("dtype"), nb::arg("address"), nb::arg("space"), nb::arg("alignment"));
  m.def(
      "pointer_of",
      [](const Tensor &tensor, const nb::list &coordinate) {
        return coordinate.size() == 0
                   ? Pointer(tensor)
                   : Pointer(tensor, scalarsOf(coordinate, "a coordinate of a tensor"));
      },
      nb::arg("tensor"), nb::arg("coordinate"), "The address of an element.");
}

void bindCollectives(nb::module_ &m) {
  m.def(
      "allocate_shared",
      [](nb::handle cls, int64_t bytes, int64_t alignment) {
        return dsl::allocateShared(requireDType(cls), bytes, alignment);
      },
      nb::arg("dtype"), nb::arg("bytes"), nb::arg("alignment"));
  m.def("shared_bytes", &dsl::sharedBytes);
  m.def("merge_shared_of_branches", &dsl::mergeSharedOfBranches);
  m.def("dynamic_shared_bytes", [] { return toPython(dsl::dynamicSharedBytes()); });
  m.def("sync_threads", [] { dsl::syncThreads(); });
  m.def(
      "barrier",
      [](nb::handle id, nb::handle threads) {
        if (threads.is_none())
          dsl::barrier(toScalar(id, "barrier_id"));
        else
          dsl::barrier(toScalar(id, "barrier_id"), toScalar(threads, "number_of_threads"));
      },
      nb::arg("id").none(), nb::arg("threads").none() = nb::none());
  m.def(
      "sync_warp", [](nb::handle mask) { dsl::syncWarp(toScalar(mask, "mask")); },
      nb::arg("mask").none());
  m.def("lane_idx", [] { return toPython(dsl::laneIdx()); });
  m.def("warp_idx", [] { return toPython(dsl::warpIdx()); });

  nb::enum_<dsl::Shuffle>(m, "Shuffle")
      .value("Index", dsl::Shuffle::Index)
      .value("Up", dsl::Shuffle::Up)
      .value("Down", dsl::Shuffle::Down)
      .value("Butterfly", dsl::Shuffle::Butterfly);
  m.def(
      "shuffle",
      [](dsl::Shuffle kind, nb::handle value, nb::handle offset, nb::handle mask,
         nb::handle clamp) {
        return toPython(dsl::shuffle(kind, toScalar(value, "a shuffle"), toScalar(offset, "offset"),
                                     toScalar(mask, "mask"), toScalar(clamp, "mask_and_clamp")));
      },
      nb::arg("kind"), nb::arg("value").none(), nb::arg("offset").none(), nb::arg("mask").none(),
      nb::arg("clamp").none());

  nb::enum_<dsl::Vote>(m, "Vote")
      .value("Any", dsl::Vote::Any)
      .value("All", dsl::Vote::All)
      .value("Uniform", dsl::Vote::Uniform)
      .value("Ballot", dsl::Vote::Ballot);
  m.def(
      "vote",
      [](dsl::Vote kind, nb::handle predicate, nb::handle mask) {
        return toPython(dsl::vote(kind, toScalar(predicate, "pred"), toScalar(mask, "mask")));
      },
      nb::arg("kind"), nb::arg("predicate").none(), nb::arg("mask").none());
  m.def(
      "operation",
      [](const std::string &name, const nb::list &operands, const nb::dict &attributes,
         const nb::list &results) {
        return listEach(
            dsl::operation(name, operationOperands(operands), formOf(attributes, results)),
            toObject);
      },
      nb::arg("name"), nb::arg("operands"), nb::arg("attributes") = nb::dict(),
      nb::arg("results") = nb::list(),
      "Emits an operation of the dialect, and returns its results. Operands are numbers and "
      "pointers; "
      "attributes True, an int, a list of ints or an enumerator's name; results the numeric "
      "classes "
      "of results that are not inferred. See fairlead/dsl/Operation.h.");
}

void bindAtomics(nb::module_ &m) {
  nb::enum_<dsl::AtomicOp>(m, "AtomicOp")
      .value("Add", dsl::AtomicOp::Add)
      .value("And", dsl::AtomicOp::And)
      .value("Or", dsl::AtomicOp::Or)
      .value("Xor", dsl::AtomicOp::Xor)
      .value("Min", dsl::AtomicOp::Min)
      .value("Max", dsl::AtomicOp::Max)
      .value("Exchange", dsl::AtomicOp::Exchange);
  nb::enum_<dsl::AtomicOrder>(m, "AtomicOrder")
      .value("Relaxed", dsl::AtomicOrder::Relaxed)
      .value("Acquire", dsl::AtomicOrder::Acquire)
      .value("Release", dsl::AtomicOrder::Release)
      .value("AcquireRelease", dsl::AtomicOrder::AcquireRelease);
  nb::enum_<dsl::AtomicScope>(m, "AtomicScope")
      .value("Block", dsl::AtomicScope::Block)
      .value("Device", dsl::AtomicScope::Device)
      .value("System", dsl::AtomicScope::System);
  m.def(
      "atomic",
      [](dsl::AtomicOp op, nb::handle pointer, nb::handle value, dsl::AtomicOrder order,
         dsl::AtomicScope scope) {
        return toPython(dsl::atomic(op, pointerArgument(pointer, "an atomic operation"),
                                    toScalar(value, "the value of an atomic operation"), order,
                                    scope));
      },
      nb::arg("op"), nb::arg("pointer").none(), nb::arg("value").none(), nb::arg("order"),
      nb::arg("scope"));
  m.def(
      "atomic_cas",
      [](nb::handle pointer, nb::handle expected, nb::handle value, dsl::AtomicOrder order,
         dsl::AtomicScope scope) {
        return toPython(dsl::atomicCompareExchange(
            pointerArgument(pointer, "an atomic operation"), toScalar(expected, "cmp"),
            toScalar(value, "the value of an atomic operation"), order, scope));
      },
      nb::arg("pointer").none(), nb::arg("expected").none(), nb::arg("value").none(),
      nb::arg("order"), nb::arg("scope"));
  m.def(
      "atomic_count",
      [](nb::handle pointer, nb::handle last, bool up, dsl::AtomicOrder order,
         dsl::AtomicScope scope) {
        return toPython(dsl::atomicCount(pointerArgument(pointer, "an atomic operation"),
                                         toScalar(last, "the last number of a count"), up, order,
                                         scope));
      },
      nb::arg("pointer").none(), nb::arg("last").none(), nb::arg("up"), nb::arg("order"),
      nb::arg("scope"), "See fairlead/dsl/Instructions.h.");
  m.def("fence", [](dsl::AtomicScope scope) { dsl::fence(scope); }, nb::arg("scope"));
}

void bindAssembly(nb::module_ &m) {
  m.def(
      "directed",
      [](const std::string &operation, const std::string &rounding, const nb::list &operands) {
        const auto how = rounding == "rz"   ? dsl::Rounding::Zero
                         : rounding == "rm" ? dsl::Rounding::Down
                                            : dsl::Rounding::Up;
        return toPython(dsl::directed(operation, how, scalarsOf(operands, "a number to round")));
      },
      nb::arg("operation"), nb::arg("rounding"), nb::arg("operands"),
      "The Float32 result of an operation, rounded toward zero (rz), down (rm) or up (rp). See "
      "fairlead/dsl/Instructions.h.");
  m.def(
      "multiply_add",
      [](nb::handle a, nb::handle b, nb::handle c) {
        const char *use = "an operand of a multiply-add";
        return toPython(dsl::multiplyAdd(toScalar(a, use), toScalar(b, use), toScalar(c, use)));
      },
      nb::arg("a"), nb::arg("b"), nb::arg("c"), "See fairlead/dsl/Instructions.h.");
  m.def(
      "inline_assembly",
      [](const nb::list &results, const nb::list &operands, const std::string &assembly,
         const std::string &constraints, bool effects) {
        std::vector<DType> types;
        for (nb::handle type : results)
          types.push_back(requireDType(type));
        return listEach(dsl::inlineAssembly(types,
                                            scalarsOf(operands, "an operand of inline assembly"),
                                            assembly, constraints, effects),
                        toObject);
      },
      nb::arg("results"), nb::arg("operands"), nb::arg("assembly"), nb::arg("constraints"),
      nb::arg("effects"));
}

} // namespace

void bindBlock(nb::module_ &m) {
  bindPointer(m);
  bindCollectives(m);
  bindAtomics(m);
  bindAssembly(m);
  m.def(
      "print_formatted",
      [](const std::string &format, const nb::list &values) {
        dsl::printFormatted(format, scalarsOf(values, "printf"));
      },
      nb::arg("format"), nb::arg("values"), "C's format and the numbers that it takes.");
  m.def("cover", &dsl::cover, nb::arg("event"), nb::arg("file"), nb::arg("frame"), nb::arg("line"),
        "Reports a step of a thread to the coverage of the program, as fairlead/Coverage.h says.");
  m.def(
      "record_event",
      [](int kind, const std::string &name, const nb::list &payload) {
        dsl::recordEvent(kind, name, scalarsOf(payload, "an event of a timeline"));
      },
      nb::arg("kind"), nb::arg("name"), nb::arg("payload"),
      "Records an event of a warp for a timeline, as fairlead/Timeline.h says.");
  m.def(
      "stop",
      [](const std::string &format, const nb::list &values) {
        dsl::stop(format, scalarsOf(values, "breakpoint"));
      },
      nb::arg("format"), nb::arg("values"),
      "A breakpoint of a checked kernel, which hands this text to \"fairlead.checks.stop\".");
}

} // namespace fairlead::python
