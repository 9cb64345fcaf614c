#include "lower/common/ProgramCopies.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

#include "dsl/trace/Builder.h"

using namespace mlir;

namespace fairlead::lower {

std::string programText(const dsl::Program &program) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream.SetBufferSize(size_t{1} << 14); // otherwise each word is appended alone
  // Do not verify the IR here: lowering does. Print locations, because line tables and messages
  // contain them. Those that are numbers (ir/Places.h) are the same in other folders.
  OpPrintingFlags flags;
  flags.assumeVerified().printGenericOpForm().useLocalScope().enableDebugInfo(true, false);
  program.impl().module->print(stream, flags);
  stream.flush();
  return text;
}

std::string placesText(const dsl::Program &program) {
  std::string text;
  for (const auto &[file, line] : program.impl().places)
    text += file + '\x1f' + std::to_string(line) + '\x1e';
  return text;
}

bool callsMathLibrary(const dsl::Program &program) {
  return program.impl()
      .device
      ->walk([](Operation *op) {
        return op->getDialect() && op->getDialect()->getNamespace() == "math"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

struct ProgramCopies::State {
  dsl::Program &program;
  OwningOpRef<ModuleOp> original;
};

ProgramCopies::ProgramCopies(dsl::Program &program)
    : state(new State{program, program.impl().module->clone()}) {}
ProgramCopies::~ProgramCopies() = default;

void ProgramCopies::restore() {
  dsl::Program::Impl &impl = state->program.impl();
  impl.module = state->original->clone();
  impl.device = impl.module->lookupSymbol<gpu::GPUModuleOp>(dsl::kDeviceModuleSymbol);
  impl.host = impl.module->lookupSymbol<func::FuncOp>(dsl::kHostSymbol);
}

} // namespace fairlead::lower
