#include "fairlead/dsl/Location.h"

#include <exception>
#include <mutex>

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

#include "base/CppNames.h"
#include "dsl/trace/Builder.h"
#include "fairlead/dsl/SourceLoc.h"
#include "ir/Analysis/MemoryRoot.h"
#include "ir/Analysis/MemoryUse.h"
#include "ir/Ops.h"
#include "ir/Places.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// True if the address may be of shared memory or of registers. Numbers may be any address.
bool mayBeOwn(mlir::Value address) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(address.getType());
  return !pointer || pointer.getAddressSpace() == kSharedAddressSpace ||
         ir::MemoryRoot::of(address).isPrivate();
}

/// True if the operation reads such memory and does not write it.
bool readsOwnMemory(Operation *op) {
  if (ir::isArithmetic(op) || isa<LLVM::StoreOp>(op) || !isa<MemoryEffectOpInterface>(op))
    return false;
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return mayBeOwn(load.getAddr());
  const ir::MemoryUses uses(op);
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    const ir::MemoryUse use = uses.at(operand);
    return use.reads && !use.writes && mayBeOwn(operand.get());
  });
}

/// Records the source locations of operations that read, while their kernel is traced.
class ReadRecorder : public OpBuilder::Listener {
public:
  explicit ReadRecorder(SourceLocator locator) : locator(locator) {}

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (!readsOwnMemory(op))
      return;
    Program *program = Program::current();
    if (!program || !program->inKernel())
      return;
    std::string file;
    int line = 0;
    if (!locator(file, line))
      return;
    // Operations of one line mostly follow each other.
    auto &places = program->impl().kernel->places;
    auto last = places.empty() ? nullptr : dyn_cast<FileLineColLoc>(places.back().second);
    const bool isSame = last && last.getLine() == static_cast<unsigned>(line) &&
                        last.getFilename().getValue() == file;
    places.emplace_back(op, isSame ? Location(last)
                                   : FileLineColLoc::get(op->getContext(), file, line, 0));
  }

private:
  SourceLocator locator;
};

/// True for operations on an mbarrier, whose memory is no data.
bool usesMbarrier(Operation *op) {
  auto requirements = dyn_cast<ir::TargetRequirements>(op);
  return requirements && requirements.getRequiredFeature() == GpuFeature::Mbarrier;
}

/// Records the places of operations that access memory or make it, by number.
class AccessRecorder : public OpBuilder::Listener {
public:
  explicit AccessRecorder(SourceLocator locator) : locator(locator) {}

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    Program *program = Program::current();
    std::string file;
    int line = 0;
    if (!program || isa<arith::ArithDialect>(op->getDialect()) || !isa<UnknownLoc>(op->getLoc()) ||
        !(ir::accessesMemory(op) || usesMbarrier(op) ||
          isa<LLVM::AllocaOp, LLVM::AddressOfOp>(op)) ||
        !locator(file, line))
      return;
    Program::Impl &impl = program->impl();
    auto [entry, added] = impl.placeNumbers.try_emplace({file, line}, impl.places.size());
    if (added)
      impl.places.emplace_back(file, line);
    op->setLoc(ir::placeLocation(op->getContext(), entry->second));
  }

private:
  SourceLocator locator;
};

/// Records the source location of each operation that the program's builder inserts.
class Recorder : public OpBuilder::Listener {
public:
  explicit Recorder(SourceLocator locator) : locator(locator) {}

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    std::string file;
    int line = 0;
    if (isa<UnknownLoc>(op->getLoc()) && locator(file, line))
      op->setLoc(FileLineColLoc::get(op->getContext(), file, line, 0));
  }

private:
  SourceLocator locator;
};

} // namespace

/// Builders do not own their listener; one for each locator lives as long as the process.
template <typename Listener> static void listen(Program &program, SourceLocator locator) {
  static std::mutex mutex;
  static auto *listeners = new std::map<SourceLocator, Listener>;
  std::lock_guard lock(mutex);
  program.impl().locator = locator;
  program.impl().builder.setListener(&listeners->try_emplace(locator, locator).first->second);
}

void recordLocations(Program &program, SourceLocator locator) {
  listen<Recorder>(program, locator);
}
void recordReads(Program &program, SourceLocator locator) {
  listen<ReadRecorder>(program, locator);
}

void recordAccesses(Program &program, SourceLocator locator) {
  listen<AccessRecorder>(program, locator);
}

void cover(int event, const std::string &file, int frame, int line) {
  Program::Impl &impl = currentImpl("coverage");
  ir::CoverOp::create(impl.builder, impl.builder.getUnknownLoc(),
                      static_cast<ir::CoverEvent>(event), file, static_cast<uint32_t>(frame),
                      static_cast<uint32_t>(line));
}

void assertThat(const Scalar &condition, const std::string &message, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("an assertion");
  mlir::Value flag = emitAs(impl, condition, DType::Boolean);
  cf::AssertOp::create(impl.builder, impl.builder.getUnknownLoc(), flag, message);
}

void checkLayouts(Program &program, bool enable) { program.impl().checksLayouts = enable; }

namespace {

thread_local SourceLoc current;
thread_local bool inOperation = false;

} // namespace

AtSourceLoc::AtSourceLoc(SourceLoc place)
    : before_(current), outermost_(!inOperation && place.file),
      exceptions_(std::uncaught_exceptions()) {
  if (outermost_) {
    current = place;
    inOperation = true;
  }
}

AtSourceLoc::~AtSourceLoc() {
  if (!outermost_)
    return;
  inOperation = false;
  if (std::uncaught_exceptions() == exceptions_)
    current = before_;
}

InBody::InBody()
    : before_(current), inOperation_(inOperation), exceptions_(std::uncaught_exceptions()) {
  inOperation = false;
}

InBody::~InBody() {
  inOperation = inOperation_;
  if (std::uncaught_exceptions() == exceptions_)
    current = before_;
}

bool currentSourceLoc(std::string &file, int &line) {
  if (!current.file)
    return false;
  file = current.file;
  line = current.line;
  return true;
}

Error withSourceLoc(const Error &error) {
  std::string place;
  int line = 0;
  if (currentSourceLoc(place, line))
    place += ":" + std::to_string(line) + ": ";
  const bool helpIsPython = error.help().find("cute.") != std::string::npos;
  return Error(error.kind(), place + withCppNames(error.what()), error.id(),
               helpIsPython ? "" : error.help());
}

void forgetSourceLoc() {
  current = {};
  inOperation = false;
}

} // namespace fairlead::dsl
