/// The life of a traced program: its module, host function and kernels.
#include "fairlead/dsl/Program.h"

#include <algorithm>
#include <mutex>
#include <new>

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include "dsl/trace/Builder.h"
#include "dsl/trace/Dialects.h"
#include "dsl/trace/Unfinished.h"
#include "ir/Analysis/MemoryRoot.h"
#include "ir/Dialect.h"

using namespace mlir;

namespace fairlead::dsl {

static thread_local Program *currentProgram = nullptr;

Program *Program::current() { return currentProgram; }

namespace {

/// Reuses contexts for several programs, because loading dialects takes more than a millisecond.
/// Each is dropped after a number of uses, because it never frees its types and attributes.
class ContextPool {
public:
  std::unique_ptr<MLIRContext> take() {
    {
      std::lock_guard lock(mutex);
      if (!unused.empty()) {
        auto context = std::move(unused.back());
        unused.pop_back();
        return context;
      }
    }
    auto context =
        std::make_unique<MLIRContext>(dialectRegistry(), MLIRContext::Threading::DISABLED);
    context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                         gpu::GPUDialect, LLVM::LLVMDialect, math::MathDialect, NVVM::NVVMDialect,
                         scf::SCFDialect, ir::FairleadDialect>();
    return context;
  }

  void give(std::unique_ptr<MLIRContext> context) {
    std::lock_guard lock(mutex);
    int &number = uses[context.get()];
    if (++number < kMostUses && unused.size() < kMostUnused) {
      unused.push_back(std::move(context));
      return;
    }
    uses.erase(context.get());
  }

private:
  static constexpr int kMostUses = 32;
  static constexpr size_t kMostUnused = 4;
  std::mutex mutex;
  std::vector<std::unique_ptr<MLIRContext>> unused;
  std::map<const MLIRContext *, int> uses;
};

ContextPool &contextPool() {
  static auto *pool = new ContextPool;
  return *pool;
}

} // namespace

Program::Impl::Impl(Signature signature, std::vector<Target> targets)
    : signature(std::move(signature)), targets(std::move(targets)), context(contextPool().take()),
      builder(context.get()) {}

namespace {

/// Builds the signature's parameters and symbols from the host function's block arguments.
class ArgumentBuilder {
public:
  explicit ArgumentBuilder(Program::Impl &impl) : impl(impl) {}

  void build() {
    const Signature &signature = impl.signature;
    for (auto [index, symbol] : llvm::enumerate(signature.symbols))
      symbols.push_back(wrap(symbol.width == 64 ? DType::Int64 : DType::Int32,
                             impl.host.getArgument(1 + signature.params.size() + index),
                             symbol.divisibility));
    for (auto [index, param] : llvm::enumerate(signature.params)) {
      mlir::Value value = impl.host.getArgument(1 + index);
      if (const auto *tensor = std::get_if<TensorParam>(&param.type))
        impl.arguments.emplace_back(buildTensor(*tensor, value, static_cast<int>(index)));
      else if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
        impl.arguments.emplace_back(scalar->symbol < 0 ? wrap(scalar->dtype, value)
                                                       : symbols[scalar->symbol]);
      else if (const auto *pointer = std::get_if<PointerParam>(&param.type))
        // A tensor of one element: Pointer(tensor) is its address.
        impl.arguments.emplace_back(
            Pointer(pointer->dtype, toHandle(value), pointer->space, pointer->alignment)
                .tensor({Scalar(1)}, {Scalar(1)}));
      else
        impl.arguments.emplace_back(Stream{toHandle(value)});
    }
  }

private:
  Tensor buildTensor(const TensorParam &param, mlir::Value pointer, int index) {
    Scalars shape, strides;
    for (auto [mode, extent] : llvm::enumerate(param.shape)) {
      shape.push_back(buildExtent(extent, /*wide=*/false));
      if (extent.isSymbol())
        impl.extentPositions.try_emplace(shape.back().handle(), index, static_cast<int>(mode));
    }
    for (const Extent &extent : param.strides)
      strides.push_back(buildExtent(extent, /*wide=*/true));
    return Pointer(param.dtype, toHandle(pointer), param.space, param.alignment)
        .tensor(std::move(shape), std::move(strides));
  }

  /// A product of symbols; strides that are products are computed in 64 bits.
  Scalar buildExtent(const Extent &extent, bool is64Bit) {
    if (extent.isStatic())
      return Scalar(extent.coefficient);
    if (extent.isSymbol())
      return symbols[extent.symbols.front()];
    Scalar product(extent.coefficient);
    for (int symbol : extent.symbols) {
      Scalar factor = is64Bit ? dsl::cast(symbols[symbol], DType::Int64) : symbols[symbol];
      product = product.isLiteral() && product.literalInt() == 1 ? factor : product * factor;
    }
    return product;
  }

  Program::Impl &impl;
  Scalars symbols;
};

mlir::FunctionType hostType(Program::Impl &impl) {
  MLIRContext *context = impl.context.get();
  mlir::Type pointer = LLVM::LLVMPointerType::get(context);
  SmallVector<mlir::Type> inputs{pointer};
  for (const Param &param : impl.signature.params) {
    const auto *scalar = std::get_if<ScalarParam>(&param.type);
    inputs.push_back(scalar ? valueType(context, scalar->dtype) : pointer);
  }
  for (const Symbol &symbol : impl.signature.symbols)
    inputs.push_back(IntegerType::get(context, symbol.width));
  return mlir::FunctionType::get(context, inputs, {});
}

} // namespace

Program::Program(Signature signature, std::vector<Target> targets)
    : impl_(std::make_unique<Impl>(std::move(signature), std::move(targets))) {
  OpBuilder &b = impl_->builder;
  Location loc = b.getUnknownLoc();
  impl_->module = ModuleOp::create(loc);
  (*impl_->module)->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(impl_->module->getBody());
  impl_->device = gpu::GPUModuleOp::create(b, loc, kDeviceModuleSymbol);
  impl_->host = func::FuncOp::create(b, loc, kHostSymbol, hostType(*impl_));
  b.setInsertionPointToStart(impl_->host.addEntryBlock());
  // Products of symbols are arithmetic: it needs a current program.
  Program *previous = std::exchange(currentProgram, this);
  ArgumentBuilder(*impl_).build();
  currentProgram = previous;
}

Program::~Program() {
  if (!impl_)
    return;
  if (impl_->entered)
    exit(false);
  impl_->module = nullptr;
  try {
    contextPool().give(std::move(impl_->context));
  } catch (const std::bad_alloc &) { // the context goes, and the next program makes another one
  }
}

Program::Program(Program &&) noexcept = default;
Program &Program::operator=(Program &&) noexcept = default;

const Signature &Program::signature() const { return impl_->signature; }
Signature &Program::signature() { return impl_->signature; }
const std::vector<Argument> &Program::arguments() const { return impl_->arguments; }
bool Program::inKernel() const { return impl_->kernel.has_value(); }
void Program::setHostReads(bool reads) { impl_->hostReads = reads; }
bool Program::dependsOnHostReads() const { return impl_->dependsOnHostReads; }
bool Program::hostReads() const { return impl_->readsOnHost(); }

const std::vector<Target> &Program::targets() const { return impl_->targets; }
void Program::setTargets(std::vector<Target> targets) { impl_->targets = std::move(targets); }
bool Program::dependsOnTarget() const { return impl_->dependsOnTarget; }
const Target &Program::target() {
  impl_->dependsOnTarget = true;
  return impl_->targets.front();
}

void Program::requireCapability(int least, const std::string &what) const {
  for (const Target &target : impl_->targets)
    if (target.isOlderThan(least))
      throw makeError(Diagnostic::AtomArchitecture,
                      {{"what", what}, {"least", versionText(least)}, {"target", target.str()}});
}

void Program::requireFeature(GpuFeature feature, const std::string &what) const {
  for (const Target &target : impl_->targets) {
    if (!target.lacks(feature))
      continue;
    if (int least = leastCapability(feature))
      requireCapability(least, what);
    throw makeError(Diagnostic::AtomFamily,
                    {{"what", what}, {"archs", gpusWith(feature)}, {"target", target.str()}});
  }
}

void Program::enter() {
  impl_->previous = std::exchange(currentProgram, this);
  impl_->entered = true;
  impl_->started = std::chrono::steady_clock::now();
}

void Program::exit(bool finished) {
  struct Leaving { // also if an exception is thrown
    Impl &impl;
    ~Leaving() {
      currentProgram = std::exchange(impl.previous, nullptr);
      impl.entered = false;
    }
  } leaving{*impl_};
  if (impl_->kernel)
    abandonKernel();
  if (finished) {
    func::ReturnOp::create(impl_->builder, impl_->builder.getUnknownLoc());
    deleteDropped(*impl_);
    markHostTensors(*impl_);
    markAccesses(*impl_);
  }
}

std::vector<std::vector<Target>> targetFamilies(const std::vector<Target> &targets) {
  std::vector<std::vector<Target>> families;
  for (const Target &target : targets) {
    auto family = std::find_if(families.begin(), families.end(), [&](const auto &members) {
      return members.front().family() == target.family();
    });
    if (family == families.end())
      family = families.insert(families.end(), std::vector<Target>());
    family->push_back(target);
  }
  return families;
}

std::string Program::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  impl_->module->print(stream);
  return text;
}

// Finds the tensors that the host function itself reads or writes, instead of its kernels.

/// Returns the address that an operation reads or writes; null for other operations.
static mlir::Value addressOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, mlir::Value>(op)
      .Case([](LLVM::LoadOp load) { return load.getAddr(); })
      .Case([](LLVM::StoreOp store) { return store.getAddr(); })
      .Case([](LLVM::AtomicRMWOp atomic) { return atomic.getPtr(); })
      .Case([](LLVM::AtomicCmpXchgOp atomic) { return atomic.getPtr(); })
      .Default([](Operation *) { return mlir::Value(); });
}

void markHostTensors(Program::Impl &impl) {
  Block *entry = &impl.host.getBody().front();
  impl.host.walk([&](Operation *op) {
    mlir::Value address = addressOf(op);
    auto argument =
        address ? dyn_cast<BlockArgument>(ir::MemoryRoot::of(address).base) : BlockArgument();
    if (!argument || argument.getOwner() != entry || argument.getArgNumber() == 0)
      return;
    size_t index = argument.getArgNumber() - 1; // the first is the call's context
    if (index >= impl.signature.params.size())
      return;
    if (auto *tensor = std::get_if<TensorParam>(&impl.signature.params[index].type))
      tensor->onHost = true;
  });
}

static DialectRegistry *makeRegistry() {
  auto *registry = new DialectRegistry;
  registry->insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                   LLVM::LLVMDialect, math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect,
                   ir::FairleadDialect>();
  registerBuiltinDialectTranslation(*registry);
  registerLLVMDialectTranslation(*registry);
  registerNVVMDialectTranslation(*registry);
  registerGPUDialectTranslation(*registry);
  // convert-gpu-to-nvvm lowers other dialects only through these interfaces; without them it leaves
  // their operations in place, silently.
  arith::registerConvertArithToLLVMInterface(*registry);
  cf::registerConvertControlFlowToLLVMInterface(*registry);
  registerConvertFuncToLLVMInterface(*registry);
  registerConvertMathToLLVMInterface(*registry);
  return registry;
}

const DialectRegistry &dialectRegistry() {
  // Leaked: compiles may run while the process ends.
  static const DialectRegistry *registry = makeRegistry();
  return *registry;
}

} // namespace fairlead::dsl
