/// Run-time branches and loops as structured control flow; what changes inside is carried.
#include "fairlead/dsl/ControlFlow.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dsl/control/BranchMemory.h"
#include "dsl/trace/Builder.h"
#include "dsl/trace/Unfinished.h"
#include "ir/Builders.h"

using namespace mlir;

namespace fairlead::dsl {

/// The variables entering a region, as values.
struct Entering {
  SmallVector<DType> dtypes;
  SmallVector<mlir::Value> values;
  SmallVector<mlir::Type> types;

  Entering(Program::Impl &impl, const CarriedList &carried) {
    for (const Carried &variable : carried) {
      mlir::Value value = emit(impl, variable.value);
      dtypes.push_back(variable.value.dtype());
      values.push_back(value);
      types.push_back(value.getType());
    }
  }

  template <typename Range> Scalars wrapAll(Range &&range) const {
    Scalars scalars;
    for (auto [dtype, value] : llvm::zip(dtypes, range))
      scalars.push_back(wrap(dtype, value));
    return scalars;
  }

  /// Returns the values at a region's end, checked against the types at its start.
  SmallVector<mlir::Value> leaving(Program::Impl &impl, const CarriedList &carried,
                                   const Scalars &results, const char *construct) const {
    if (results.size() != carried.size())
      throw makeError(Diagnostic::CarriedCount, {{"construct", construct},
                                                 {"expected", std::to_string(carried.size())},
                                                 {"got", std::to_string(results.size())}});
    SmallVector<mlir::Value> yielded;
    for (auto [variable, dtype, result] : llvm::zip(carried, dtypes, results)) {
      bool adopts = result.isLiteral() && (!result.isFloatLiteral() || isFloat(dtype)) &&
                    (result.isBoolLiteral() == (dtype == DType::Boolean));
      if (!adopts && (result.dtype() != dtype || result.isLiteral()))
        throw makeError(
            Diagnostic::CarriedType,
            {{"name", variable.name},
             {"construct", construct},
             {"expected", std::string(className(dtype))},
             {"got", result.isFloatLiteral() ? "float" : std::string(className(result.dtype()))}});
      yielded.push_back(emitAs(impl, result, dtype));
    }
    return yielded;
  }
};

/// Restores the insertion point, even if a region throws.
using Guard = OpBuilder::InsertionGuard;

Scalars ifElse(const Scalar &condition, const CarriedList &carried,
               const std::function<Scalars()> &then, const std::function<Scalars()> &otherwise,
               SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("a run-time `if`");
  Location loc = impl.builder.getUnknownLoc();
  mlir::Value flag = emitAs(impl, condition, DType::Boolean);
  Entering entering(impl, carried);
  auto op = scf::IfOp::create(impl.builder, loc, entering.types, flag, /*addThenBlock=*/true,
                              /*addElseBlock=*/true);
  Unfinished unfinished(impl, op);
  auto fill = [&](Block *block, const std::function<Scalars()> &region) {
    Guard guard(impl.builder);
    impl.builder.setInsertionPointToEnd(block);
    Scalars ends = [&] {
      InBody inside;
      return region();
    }();
    SmallVector<mlir::Value> results = entering.leaving(impl, carried, ends, "if");
    scf::YieldOp::create(impl.builder, loc, results);
  };
  BranchMemory memory(impl);
  fill(op.thenBlock(), then);
  memory.startOther();
  fill(op.elseBlock(), otherwise);
  memory.finish();
  unfinished.finish();
  return entering.wrapAll(op.getResults());
}

static LLVM::LoopAnnotationAttr loopAnnotation(MLIRContext *context,
                                               const LoopAttributes &attributes) {
  if (!attributes.unroll && !attributes.unrollFull && !attributes.vectorize)
    return {};
  LLVM::LoopUnrollAttr unroll;
  auto flag = [&](bool value) { return BoolAttr::get(context, value); };
  if (attributes.unroll || attributes.unrollFull) {
    IntegerAttr count;
    if (attributes.unroll > 1)
      count = IntegerAttr::get(IntegerType::get(context, 32), attributes.unroll);
    unroll = LLVM::LoopUnrollAttr::get(
        context, /*disable=*/flag(attributes.unroll == 1 && !attributes.unrollFull), count,
        /*runtimeDisable=*/{}, /*full=*/attributes.unrollFull ? flag(true) : BoolAttr(),
        /*followupUnrolled=*/{}, /*followupRemainder=*/{}, /*followupAll=*/{});
  }
  LLVM::LoopVectorizeAttr vectorize;
  if (attributes.vectorize)
    vectorize =
        LLVM::LoopVectorizeAttr::get(context, /*disable=*/flag(false), /*predicateEnable=*/{},
                                     /*scalableEnable=*/{}, /*width=*/{}, /*followupVectorized=*/{},
                                     /*followupEpilogue=*/{}, /*followupAll=*/{});
  return LLVM::LoopAnnotationAttr::get(
      context, /*disableNonforced=*/{}, vectorize, /*interleave=*/{}, unroll,
      /*unrollAndJam=*/{}, /*licm=*/{}, /*distribute=*/{}, /*pipeline=*/{},
      /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{}, /*isVectorized=*/{},
      /*startLoc=*/{}, /*endLoc=*/{}, /*parallelAccesses=*/{});
}

/// Returns the unsigned integer type with as many bits.
static DType unsignedOf(DType type) {
  switch (bitWidth(type)) {
  case 4:
  case 8:
    return DType::Uint8;
  case 16:
    return DType::Uint16;
  case 32:
    return DType::Uint32;
  case 64:
    return DType::Uint64;
  default:
    return type == DType::Boolean ? type : DType::Uint128;
  }
}

/// The iteration count of range(start, stop, step), as an unsigned number of the type's width, in
/// which every distance of two numbers fits. The step's sign is known or found at run time; a step
/// of 0 would never end, and runs no iteration.
static Scalar tripCount(const Scalar &start, const Scalar &stop, const Scalar &step,
                        std::optional<int64_t> staticStep) {
  const DType type = unsignedOf(start.dtype());
  auto bits = [&](const Scalar &number) { return cast(number, type); };
  Scalar down = staticStep               ? Scalar(*staticStep < 0)
                : isSigned(step.dtype()) ? step < 0
                                         : Scalar(false);
  Scalar width = select(down, bits(-step), bits(step));
  Scalar distance = select(down, bits(start) - bits(stop), bits(stop) - bits(start));
  Scalar some = select(down, start > stop, start < stop);
  if (!staticStep)
    some = some && step != 0;
  // Divide by at least 1; the last step may end beyond `stop`.
  Scalar divisor = staticStep ? width : max(width, 1);
  Scalar count = binary(BinaryOp::FloorDiv, distance - 1, divisor) + 1;
  return select(some, count, constant(type, int64_t(0)));
}

/// Returns the operations in the loop that compute `address` from the loop variable and values from
/// outside; nothing if they are more than arithmetic.
static std::optional<SmallVector<Operation *>> addressSlice(scf::ForOp loop, mlir::Value address) {
  SmallVector<Operation *> slice;
  llvm::SmallPtrSet<Operation *, 16> seen;
  bool varies = false;
  std::function<bool(mlir::Value)> visit = [&](mlir::Value value) {
    if (value == loop.getInductionVar())
      return varies = true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody()) // carried values, or from outside
      return !loop->isAncestor(value.getParentBlock()->getParentOp());
    if (seen.contains(op))
      return true;
    if (op->getNumRegions() || !isMemoryEffectFree(op) || !llvm::all_of(op->getOperands(), visit))
      return false;
    seen.insert(op);
    slice.push_back(op);
    return true;
  };
  if (!visit(address) || !varies)
    return std::nullopt;
  return slice;
}

/// Prefetches the memory that the loop's loads will read `stages` iterations later. This affects
/// only time.
static void prefetchAhead(OpBuilder &b, scf::ForOp loop, int stages) {
  Location loc = loop.getLoc();
  SmallVector<std::pair<LLVM::LoadOp, SmallVector<Operation *>>> loads;
  for (LLVM::LoadOp load : loop.getBody()->getOps<LLVM::LoadOp>())
    if (cast<LLVM::LLVMPointerType>(load.getAddr().getType()).getAddressSpace() == 0)
      if (auto slice = addressSlice(loop, load.getAddr()))
        loads.emplace_back(load, std::move(*slice));
  if (loads.empty())
    return;
  Guard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  mlir::Type type = loop.getInductionVar().getType();
  mlir::Value distance = b.createOrFold<arith::MulIOp>(
      loc, loop.getStep(), arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, stages)));
  mlir::Value ahead = arith::AddIOp::create(b, loc, loop.getInductionVar(), distance);
  mlir::Value inside = arith::CmpIOp::create(
      b, loc, loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, ahead,
      loop.getUpperBound());
  auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  IRMapping later;
  later.map(loop.getInductionVar(), ahead);
  for (auto &[load, slice] : loads) {
    for (Operation *op : slice)
      if (!later.contains(op->getResult(0)))
        b.clone(*op, later);
    LLVM::Prefetch::create(b, loc, later.lookupOrDefault(load.getAddr()), /*rw=*/0, /*hint=*/3,
                           /*cache=*/1);
  }
}

struct OpenLoop::Impl {
  Impl(Program::Impl &program, const CarriedList &carried, const char *construct)
      : program(program), carried(carried), construct(construct), entering(program, carried),
        guard(program.builder) {}

  void open(Operation *op) { unfinished.emplace(program, op); }

  Program::Impl &program;
  CarriedList carried;
  const char *construct;
  Entering entering;
  Guard guard;
  std::optional<Unfinished> unfinished;
  Scalar variable = 0;
  Scalars arguments;
  std::function<ResultRange()> close; ///< what is left to do where the body ends
};

OpenLoop::OpenLoop(const Scalar &start, const Scalar &stop, const Scalar &step,
                   const CarriedList &carried, const LoopAttributes &attributes) {
  Program::Impl &program = currentImpl("a run-time `for`");
  std::optional<int64_t> staticStep = step.staticInt();
  if (staticStep == 0)
    throw makeError(Diagnostic::StepZero);
  DType type = promote(Scalar::value(promote(start, stop), nullptr), step);
  if (!isInteger(type))
    throw makeError(Diagnostic::RangeType, {{"got", std::string(className(type))}});
  impl = std::make_unique<Impl>(program, carried, "for");
  OpBuilder &b = program.builder;
  Location loc = b.getUnknownLoc();

  // scf.for counts upwards: with other steps, loop over the trip count and compute the variable.
  bool direct = staticStep && *staticStep > 0;
  Scalar begin = direct ? start : Scalar(0);
  Scalar end = direct ? stop
                      : tripCount(dsl::cast(start, type), dsl::cast(stop, type),
                                  dsl::cast(step, type), staticStep);
  Scalar stride = direct ? step : Scalar(1);
  DType counted = direct ? type : end.dtype();
  auto loop =
      scf::ForOp::create(b, loc, emitAs(program, begin, counted), emitAs(program, end, counted),
                         emitAs(program, stride, counted), impl->entering.values, ir::leaveOpen,
                         /*unsignedCmp=*/!isSigned(counted));
  impl->open(loop);
  if (auto annotation = loopAnnotation(program.context.get(), attributes))
    loop->setAttr("llvm.loop_annotation", annotation);
  b.setInsertionPointToEnd(loop.getBody());
  Scalar counter =
      wrap(counted, loop.getInductionVar(), direct && start.staticInt() == 0 ? *staticStep : 1);
  impl->variable =
      direct ? counter : dsl::cast(start, type) + dsl::cast(counter, type) * dsl::cast(step, type);
  impl->arguments = impl->entering.wrapAll(loop.getRegionIterArgs());
  int stages = attributes.prefetchStages;
  impl->close = [&b, loop, stages]() mutable {
    if (stages > 0)
      prefetchAhead(b, loop, stages);
    return loop.getResults();
  };
}

OpenLoop::OpenLoop(const CarriedList &carried,
                   const std::function<Scalar(const Scalars &)> &condition) {
  Program::Impl &program = currentImpl("a run-time `while`");
  impl = std::make_unique<Impl>(program, carried, "while");
  OpBuilder &b = program.builder;
  Location loc = b.getUnknownLoc();
  ArrayRef<mlir::Type> types = impl->entering.types;
  auto loop = scf::WhileOp::create(b, loc, types, impl->entering.values);
  impl->open(loop);
  SmallVector<Location> locations(types.size(), loc);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
  Scalar flag = [&] {
    InBody body;
    return condition(impl->entering.wrapAll(before->getArguments()));
  }();
  mlir::Value value = emitAs(program, flag, DType::Boolean);
  scf::ConditionOp::create(b, loc, value, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  impl->arguments = impl->entering.wrapAll(after->getArguments());
  impl->close = [loop]() mutable { return loop.getResults(); };
}

OpenLoop::~OpenLoop() = default;

const Scalar &OpenLoop::variable() const { return impl->variable; }
const Scalars &OpenLoop::arguments() const { return impl->arguments; }

Scalars OpenLoop::close(const Scalars &ends) {
  std::unique_ptr<Impl> open = std::move(impl);
  Program::Impl &program = open->program;
  scf::YieldOp::create(program.builder, program.builder.getUnknownLoc(),
                       open->entering.leaving(program, open->carried, ends, open->construct));
  open->unfinished->finish();
  return open->entering.wrapAll(open->close());
}

struct OpenBranch::Impl {
  Impl(Program::Impl &program, scf::IfOp branch)
      : guard(program.builder), unfinished(program, branch) {
    program.builder.setInsertionPointToStart(branch.thenBlock());
  }

  Guard guard;
  Unfinished unfinished;
};

OpenBranch::OpenBranch(const Scalar &condition) {
  Program::Impl &program = currentImpl("a run-time `with`");
  OpBuilder &b = program.builder;
  mlir::Value flag = emitAs(program, condition, DType::Boolean);
  auto branch = scf::IfOp::create(b, b.getUnknownLoc(), flag, /*withElseRegion=*/false);
  impl = std::make_unique<Impl>(program, branch);
}

OpenBranch::~OpenBranch() = default;

void OpenBranch::close() {
  impl->unfinished.finish();
  impl.reset();
}

Scalars forLoop(const Scalar &start, const Scalar &stop, const Scalar &step,
                const CarriedList &carried,
                const std::function<Scalars(const Scalar &, const Scalars &)> &body,
                const LoopAttributes &attributes, SourceLoc at) {
  AtSourceLoc placed(at);
  OpenLoop loop(start, stop, step, carried, attributes);
  Scalars ends = [&] {
    InBody inside;
    return body(loop.variable(), loop.arguments());
  }();
  return loop.close(ends);
}

Scalars whileLoop(const CarriedList &carried,
                  const std::function<Scalar(const Scalars &)> &condition,
                  const std::function<Scalars(const Scalars &)> &body, SourceLoc at) {
  AtSourceLoc placed(at);
  OpenLoop loop(carried, condition);
  Scalars ends = [&] {
    InBody inside;
    return body(loop.arguments());
  }();
  return loop.close(ends);
}

} // namespace fairlead::dsl
