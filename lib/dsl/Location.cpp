#include "fairlead/dsl/Location.h"

#include <mutex>

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

#include "dsl/Builder.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Notes the place of each operation that the program's builder inserts.
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

void recordLocations(Program &program, SourceLocator locator) {
  // Builders do not own their listener; one for each locator lives as long as the process.
  static std::mutex mutex;
  static auto *recorders = new std::map<SourceLocator, Recorder>;
  std::lock_guard lock(mutex);
  program.impl().builder.setListener(&recorders->try_emplace(locator, locator).first->second);
}

void assertThat(const Scalar &condition, const std::string &message, Place at) {
  AtPlace placed(at);
  Program::Impl &impl = currentImpl("an assertion");
  mlir::Value flag = emitAs(impl, condition, DType::Boolean);
  cf::AssertOp::create(impl.builder, impl.builder.getUnknownLoc(), flag, message);
}

void checkLayouts(Program &program, bool enable) { program.impl().checksLayouts = enable; }

} // namespace fairlead::dsl
