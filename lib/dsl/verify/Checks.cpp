#include "fairlead/dsl/Checks.h"

#include "dsl/trace/RuntimeCalls.h"
#include "dsl/verify/Verify.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/dsl/Layout.h"
#include "fairlead/dsl/Location.h"
#include "fairlead/dsl/TracingDialect.h"
#include "ir/Analysis/MemoryRoot.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

constexpr char kWholeAttribute[] = "fairlead.tensor";

std::string labelOf(const std::string &name, const TensorParam &type) {
  return name + '\x1f' + std::string(className(type.dtype));
}

int bitsOf(const Tensor &tensor) {
  return tensor.dtype() == DType::Boolean ? 8 : bitWidth(tensor.dtype());
}

/// In the host program: tells the runtime of the call's tensors.
class TensorTelling {
public:
  explicit TensorTelling(Program::Impl &impl)
      : impl(impl), b(impl.builder), loc(b.getUnknownLoc()),
        pointer(LLVM::LLVMPointerType::get(impl.context.get())) {}

  void run() {
    int index = 0;
    for (auto [parameter, argument] : llvm::zip(impl.signature.params, impl.arguments))
      if (const auto *type = std::get_if<TensorParam>(&parameter.type))
        tell(index++, parameter.name, *type, std::get<Tensor>(argument));
    if (index == 0)
      call(0, textAddress(impl, ""), LLVM::ZeroOp::create(b, loc, pointer), 0, -1, {}, {});
  }

private:
  void tell(int index, const std::string &name, const TensorParam &type, const Tensor &tensor) {
    call(index, textAddress(impl, labelOf(name, type)), fromHandle(tensor.pointer().handle()),
         bitsOf(tensor), static_cast<int>(tensor.shape().size()), tensor.shape(), tensor.strides());
  }

  void call(int index, mlir::Value name, mlir::Value data, int bits, int rank,
            const Scalars &extents, const Scalars &strides) {
    auto i32 = [&](int64_t value) { return emitIntConstant(impl, DType::Int32, value); };
    callRuntime(
        b, loc, runtime::FairleadCheckTensor,
        ValueRange{i32(index), name, data, i32(bits), i32(rank), list(extents), list(strides)});
  }

  mlir::Value list(const Scalars &numbers) {
    mlir::Value count = emitIntConstant(impl, DType::Int32,
                                        std::max<int64_t>(1, static_cast<int64_t>(numbers.size())));
    mlir::Value memory = LLVM::AllocaOp::create(b, loc, pointer, b.getI64Type(), count);
    for (auto [at, number] : llvm::enumerate(numbers)) {
      mlir::Value value = emitIndex(impl, number);
      mlir::Value address = LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), memory,
                                                ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(at)});
      LLVM::StoreOp::create(b, loc, value, address);
    }
    return memory;
  }

  Program::Impl &impl;
  OpBuilder &b;
  Location loc;
  mlir::Type pointer;
};

/// Describes extents and strides; dynamic ones by their parameter.
std::string identityOf(const Tensor &tensor) {
  std::string text = std::string(className(tensor.dtype()));
  for (const Scalars &numbers : {tensor.shape(), tensor.strides()})
    for (const Scalar &number : numbers) {
      text += " ";
      if (std::optional<int64_t> constant = number.staticInt()) {
        text += std::to_string(*constant);
        continue;
      }
      auto argument =
          number.isValue() ? dyn_cast<BlockArgument>(fromHandle(number.handle())) : BlockArgument();
      text += argument ? "#" + std::to_string(argument.getArgNumber()) : "?";
    }
  return text;
}

BlockArgument parameterOf(const Tensor &tensor) {
  if (tensor.isCoordinates() || !tensor.composed().isLayout() || tensor.pointer().swizzle() ||
      !tensor.pointer().handle())
    return {};
  auto argument = dyn_cast<BlockArgument>(fromHandle(tensor.pointer().handle()));
  return argument && isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) ? argument
                                                                             : BlockArgument();
}

bool isWhole(const Tensor &tensor) {
  BlockArgument parameter = parameterOf(tensor);
  if (!parameter)
    return false;
  auto kernel = cast<gpu::GPUFuncOp>(parameter.getOwner()->getParentOp());
  auto noted = kernel.getArgAttrOfType<StringAttr>(parameter.getArgNumber(), kWholeAttribute);
  std::string identity = identityOf(tensor);
  return noted && identity.find('?') == std::string::npos && noted.getValue() == identity;
}

std::string descriptionOf(const Tensor &tensor) {
  return std::string(className(tensor.dtype())) + " " + tensor.layoutStr();
}

/// True if the device orders the threads. Checks for it find only indices out of bounds.
bool leavesThreadsToDevice(const Target &target) { return !target.info().schedulesThreads; }

/// Notes a tensor for checks without a runtime that knows it.
void noteTensor(Program::Impl &impl, const Tensor &tensor, mlir::Value base,
                const std::string &text, bool withGaps) {
  SmallVector<int64_t> numbers;
  SmallVector<mlir::Value> dynamic;
  for (const Scalars &list : {tensor.shape(), tensor.strides()})
    for (const Scalar &number : list) {
      const std::optional<int64_t> constant = number.staticInt();
      numbers.push_back(constant.value_or(ShapedType::kDynamic));
      if (!constant)
        dynamic.push_back(emitIndex(impl, number));
    }
  ir::TensorOp::create(impl.builder, impl.builder.getUnknownLoc(), base, dynamic, numbers,
                       bitsOf(tensor), text, withGaps);
}

/// In the host program: notes the call's tensors for guards.
void noteParameters(Program::Impl &impl) {
  // Published programs address neighbours of a view's elements, as they do not name indices.
  const bool withGaps = !tracingDialect().checksKnownIndices;
  for (auto [parameter, argument] : llvm::zip(impl.signature.params, impl.arguments))
    if (const auto *type = std::get_if<TensorParam>(&parameter.type)) {
      const auto &tensor = std::get<Tensor>(argument);
      noteTensor(impl, tensor, fromHandle(tensor.pointer().handle()),
                 labelOf(parameter.name, *type), withGaps);
    }
}

ir::MemoryKind kindOf(AddressSpace space) {
  switch (space) {
  case AddressSpace::Shared:
    return ir::MemoryKind::Shared;
  case AddressSpace::Register:
    return ir::MemoryKind::Register;
  default:
    return ir::MemoryKind::Global;
  }
}

/// The modes of a coordinate with dynamic indices.
class RunTimeIndices {
public:
  RunTimeIndices(Program::Impl &impl, const Tensor &tensor, const layout::IntTuple &coordinate)
      : impl(impl) {
    add(coordinate, tensor.layout().shape(), 0, /*top=*/true);
  }
  SmallVector<mlir::Value> bounds; ///< an index and an extent of each mode
  SmallVector<int32_t> modes;

private:
  void add(const layout::IntTuple &coordinate, const layout::IntTuple &shape, int mode, bool top) {
    if (!coordinate.isLeaf()) {
      if (shape.isLeaf() || shape.modes().size() != coordinate.modes().size())
        return; // an error of the layout's
      for (size_t i = 0; i < shape.modes().size(); ++i)
        add(coordinate[i], shape[i], top ? static_cast<int>(i) : mode, false);
      return;
    }
    const layout::Int &index = coordinate.leaf();
    if (index.isStep() || (index.isStatic() && shape.isStatic()))
      return;
    layout::Int extent = shape.isLeaf() ? shape.leaf() : layout::size(shape, arithmetic(64));
    if (extent.isStep())
      return;
    bounds.push_back(emitIndex(impl, toScalar(index)));
    bounds.push_back(emitIndex(impl, toScalar(extent)));
    modes.push_back(mode);
  }

  Program::Impl &impl;
};

} // namespace

/// On modules: setChecks was given "schedule".
static constexpr char kFollowsPipelinesAttribute[] = "fairlead.follows_pipelines";

bool followsPipelines(Program &program) {
  return (*program.impl().module)->hasAttr(kFollowsPipelinesAttribute);
}

static bool hasName(StringRef list, StringRef name) {
  SmallVector<StringRef> names;
  list.split(names, ',');
  return llvm::is_contained(names, name);
}

bool hasCheck(Program::Impl &impl, StringRef name) {
  auto checks = (*impl.module)->getAttrOfType<StringAttr>(ir::kChecksAttribute);
  return checks && hasName(checks.getValue(), name);
}

mlir::Value checkedAddress(Program::Impl &impl, const Tensor &tensor,
                           const layout::IntTuple &coordinate, mlir::Value address) {
  const bool bounds = hasCheck(impl, "bounds");
  if (!impl.kernel || !(bounds || hasCheck(impl, "memory")))
    return address;
  RunTimeIndices indices(impl, tensor, coordinate);
  // Under "memory" an index may be out of bounds, so that it says nothing of the address.
  const bool checksTensor = bounds && isWhole(tensor);
  if (indices.modes.empty() && !checksTensor)
    return address;
  OpBuilder &b = impl.builder;
  return ir::IndexOp::create(b, b.getUnknownLoc(), address.getType(), address, indices.bounds,
                             indices.modes, descriptionOf(tensor), kindOf(tensor.space()),
                             checksTensor);
}

void checkAlignment(const Pointer &pointer, int64_t bytes) {
  Program *program = Program::current();
  if (!program || !program->inKernel() || bytes <= byteSize(pointer.dtype()) ||
      (pointer.space() != AddressSpace::Global && pointer.space() != AddressSpace::Generic))
    return;
  if (hasCheck(program->impl(), "bounds") || hasCheck(program->impl(), "memory"))
    assertThat(compare(CompareOp::Eq, pointer.toInt() & (bytes - 1), 0),
               "align(" + std::to_string(bytes) + "): the address is not a multiple of " +
                   std::to_string(bytes) + " bytes");
}

void noteTensors(Program::Impl &impl, gpu::GPUFuncOp kernel,
                 const std::vector<Argument> &arguments) {
  if (!hasCheck(impl, "bounds"))
    return;
  for (const Argument &argument : arguments)
    if (const auto *tensor = std::get_if<Tensor>(&argument))
      if (BlockArgument parameter = parameterOf(*tensor)) {
        kernel.setArgAttr(parameter.getArgNumber(), kWholeAttribute,
                          StringAttr::get(impl.context.get(), identityOf(*tensor)));
        if (llvm::any_of(impl.targets, leavesThreadsToDevice))
          noteTensor(impl, *tensor, parameter, descriptionOf(*tensor), /*withGaps=*/false);
      }
}

void noteAllocation(Program::Impl &impl, mlir::Value address, int64_t offset, int64_t bytes) {
  if ((*impl.module)->hasAttr(ir::kChecksAttribute) || tracingDialect().publishedForm)
    address.getDefiningOp()->setAttr(ir::kAllocationAttribute,
                                     impl.builder.getDenseI64ArrayAttr({offset, bytes}));
}

std::optional<int64_t> extendAllocation(const Tensor &tensor) {
  Program *program = Program::current();
  if (!tracingDialect().publishedForm || !program || !program->inKernel() ||
      tensor.space() != AddressSpace::Shared)
    return std::nullopt;
  const layout::Int size = layout::cosize(tensor.composed().outer());
  const auto root = ir::MemoryRoot::of(fromHandle(tensor.pointer().handle()));
  if (!size.isStatic() || root.kind != ir::MemoryRoot::Kind::Shared || !root.distance)
    return std::nullopt;
  const int64_t bytes = (size.value() * bitWidth(tensor.dtype()) + 7) / 8, own = root.allocation[1],
                rest = own - *root.distance;
  if (own == 0 || rest < 0 || bytes <= rest) // 0: what the launch adds
    return std::nullopt;
  Program::Impl &impl = program->impl();
  root.base.getDefiningOp()->setAttr(
      ir::kAllocationAttribute,
      impl.builder.getDenseI64ArrayAttr({root.allocation[0], *root.distance + bytes}));
  impl.kernel->hasLongAllocations = true;
  return rest;
}

void endLongAllocations(const Program::Impl::KernelFrame &kernel) {
  if (kernel.hasLongAllocations)
    kernel.function->walk([&](Operation *op) {
      auto allocation = op->getAttrOfType<DenseI64ArrayAttr>(ir::kAllocationAttribute);
      if (allocation && allocation[0] + allocation[1] > kernel.sharedBytes)
        op->setAttr(ir::kAllocationAttribute,
                    DenseI64ArrayAttr::get(op->getContext(),
                                           {allocation[0], kernel.sharedBytes - allocation[0]}));
    });
}

void setChecks(Program &program, std::string_view checks, bool warnsOfReads) {
  Program::Impl &impl = program.impl();
  SmallVector<StringRef> given;
  StringRef(checks.data(), checks.size()).split(given, ',', -1, /*KeepEmpty=*/false);
  std::string names;
  auto add = [&](StringRef name) {
    if (!StringRef("," + names + ",").contains(("," + name + ",").str()))
      names += (names.empty() ? "" : ",") + name.str();
  };
  for (StringRef word : given) {
    StringRef name = word.trim();
    if (name == "all") {
      for (const char *each : {"bounds", "init", "race", "sync"})
        add(each);
    } else if (name == "schedule") {
      (*impl.module)->setAttr(kFollowsPipelinesAttribute, impl.builder.getUnitAttr());
    } else if (llvm::is_contained(
                   {"bounds", "memory", "init", "race", "sync", "float", "guards", "none"}, name)) {
      add(name);
    } else {
      throw makeError(Diagnostic::CheckName, {{"got", name.str()}});
    }
  }
  if (names.empty() || names == "none")
    return;
  if (StringRef(names).contains("none") || (names != "guards" && hasName(names, "guards")))
    throw makeError(Diagnostic::CheckName, {{"got", std::string(checks)}});
  const bool onDevices = llvm::all_of(impl.targets, leavesThreadsToDevice);
  for (const Target &target : impl.targets)
    if (leavesThreadsToDevice(target) && names != "bounds" && (onDevices || names != "guards"))
      throw makeError(Diagnostic::CheckTarget, {{"target", target.str()}, {"got", names}});
  (*impl.module)->setAttr(ir::kChecksAttribute, impl.builder.getStringAttr(names));
  if (warnsOfReads)
    (*impl.module)->setAttr(ir::kWarnsOfReadsAttribute, impl.builder.getUnitAttr());
  if (onDevices)
    return;        // the runtime need not know the call's tensors
  program.enter(); // extents may have to be computed
  if (names == "guards")
    noteParameters(impl);
  else
    TensorTelling(impl).run();
  program.exit(false);
}

void setSchedule(Program &program, std::string_view schedule) {
  if (schedule.empty())
    return;
  constexpr unsigned kSeeds = 1000000;
  StringRef text(schedule.data(), schedule.size());
  unsigned number = 0, seed = 0;
  if (text == "forward")
    number = kFairleadScheduleForward;
  else if (text == "backward")
    number = kFairleadScheduleBackward;
  else if (text.consume_front("random:") && !text.getAsInteger(10, seed) && seed < kSeeds)
    number = kFairleadScheduleRandom + seed;
  else
    throw makeError(Diagnostic::OptionValue,
                    {{"option", "--schedule"},
                     {"expected", "forward, backward or random:SEED with a seed below 1000000"},
                     {"got", std::string(schedule)}});
  Program::Impl &impl = program.impl();
  for (const Target &target : impl.targets)
    if (leavesThreadsToDevice(target))
      throw makeError(
          Diagnostic::OptionValue,
          {{"option", "--schedule"}, {"expected", "the CPU target"}, {"got", target.str()}});
  (*impl.module)
      ->setAttr(ir::kScheduleAttribute,
                impl.builder.getI32IntegerAttr(static_cast<int32_t>(number)));
}

} // namespace fairlead::dsl
