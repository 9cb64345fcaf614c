/// Launches become calls of the runtime, with their arguments on the stack.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"

#include "check/compile/Checks.h"
#include "check/compile/DryRun.h"
#include "check/compile/Guards.h"
#include "dsl/trace/RuntimeCalls.h"
#include "dsl/verify/ThreadConditions.h"
#include "fairlead/LaunchExtras.h"
#include "fairlead/TensorMap.h"
#include "ir/Builders.h"
#include "ir/Interfaces.h"
#include "ir/Ops.h"
#include "lower/Lowering.h"
#include "lower/common/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// FairleadLaunch: twelve i32, then the stream.
constexpr int kLaunchInts = 12, kFlagsIndex = 11;
static_assert(offsetof(FairleadLaunch, flags) == kFlagsIndex * sizeof(int32_t));

class LaunchLowering {
public:
  LaunchLowering(ModuleOp module, const TargetInfo &info)
      : module(module), info(info), b(module.getLoc(), module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {
    for (auto device : module.getOps<gpu::GPUModuleOp>())
      for (auto function : device.getOps<gpu::GPUFuncOp>()) {
        kernels.push_back(function.getName().str());
        checks[function.getName()] = check::checkFlags(function) | check::scheduleFlags(function);
        if (auto shown = function->getAttrOfType<StringAttr>(check::kShownNameAttribute))
          shownNames[function.getName()] = shown.getValue().str();
      }
    for (auto device : module.getOps<gpu::GPUModuleOp>())
      device.walk([&](Operation *op) {
        if (isa<cf::AssertOp, ir::GuardOp>(op))
          asserting.insert(op->getParentOfType<gpu::GPUFuncOp>().getName());
      });
    // After the block functions pass, kernels are functions of the module itself.
  }

  /// Lowers a launch, the dry run before it, and the copy with guards that may run instead, if any.
  /// All have the same arguments; the launch itself leaves some out.
  void lower(gpu::LaunchFuncOp launch) {
    if (isOf(launch, check::kDryRunSuffix) || isOf(launch, check::kGuardedSuffix))
      return;
    auto function = launch->getParentOfType<func::FuncOp>();
    Block &entry = function.getBody().front();
    b.setInsertionPointToStart(&entry);
    auto extras = launch.getAsyncObject()
                      ? launch.getAsyncObject().getDefiningOp<ir::LaunchExtrasOp>()
                      : ir::LaunchExtrasOp();
    // Only drivers have a use for them.
    const bool hasExtras = extras && info.kernelsInImages;
    Value launchStruct = stackSlot(launchType(hasExtras));
    Value params = stackSlot(
        LLVM::LLVMArrayType::get(pointer, std::max<size_t>(1, launch.getKernelOperands().size())));
    SmallVector<Value> slots;
    for (Value operand : launch.getKernelOperands())
      slots.push_back(stackSlot(operand.getType()));

    gpu::LaunchFuncOp guarded = guardedInsteadOf(launch), dryRun = dryRunBefore(launch);
    b.setInsertionPoint(dryRun ? dryRun->getParentOp() : choiceOf(launch));
    fillLaunch(launch, extras ? extras.getStream() : launch.getAsyncObject(), launchStruct,
               hasExtras);
    if (hasExtras)
      fillExtras(extras, launchStruct);
    for (auto [index, operand, slot] : llvm::enumerate(launch.getKernelOperands(), slots))
      if (!isLeftOut(operand))
        pass(operand, slot, params, index);
    for (gpu::LaunchFuncOp copy : {dryRun, guarded}) {
      if (!copy)
        continue;
      b.setInsertionPoint(copy);
      for (auto [index, operand, slot] : llvm::enumerate(copy.getKernelOperands(), slots))
        if (isLeftOut(launch.getKernelOperand(static_cast<unsigned>(index))))
          pass(operand, slot, params, index);
      LLVM::StoreOp::create(b, i32(flagsOf(launch, hasExtras) | kFairleadLaunchAssertions),
                            field(b.getI32Type(), launchStruct, kFlagsIndex));
    }
    for (gpu::LaunchFuncOp loweredLaunch : {dryRun, guarded, launch}) {
      if (!loweredLaunch)
        continue;
      b.setInsertionPoint(loweredLaunch);
      call(loweredLaunch, function.getArgument(0), params, launchStruct);
      loweredLaunch.erase();
    }
    if (extras)
      extras.erase();
  }

  /// Lowers a tensor map to memory of the host function, which the runtime fills.
  void lower(ir::TensorMapOp map) {
    auto function = map->getParentOfType<func::FuncOp>();
    b.setInsertionPointToStart(&function.getBody().front());
    Value fields = stackSlot(LLVM::LLVMStructType::getLiteral(
        b.getContext(), {pointer, LLVM::LLVMArrayType::get(b.getI64Type(), kMapLongs),
                         LLVM::LLVMArrayType::get(b.getI32Type(), kMapInts)}));
    Value memory = LLVM::AllocaOp::create(
        b, pointer, LLVM::LLVMArrayType::get(b.getI64Type(), kMapWords), i32(1), kMapAlignment);
    b.setInsertionPoint(map);
    ArrayRef<int32_t> box = map.getBox();
    static_assert(offsetof(FairleadTensorMap, extents) == 8 &&
                  offsetof(FairleadTensorMap, strides) == 48 &&
                  offsetof(FairleadTensorMap, box) == 80 &&
                  offsetof(FairleadTensorMap, rank) == 100 && sizeof(FairleadTensorMap) == 120);
    auto put = [&](int64_t offset, Value value) {
      LLVM::StoreOp::create(b, value, field(b.getI8Type(), fields, offset));
    };
    size_t rank = box.size();
    put(0, map.getAddress());
    for (size_t i = 0; i < rank; ++i) {
      put(8 + 8 * i, map.getExtents()[i]);
      put(80 + 4 * i, i32(box[i]));
    }
    for (auto [index, stride] : llvm::enumerate(map.getStrides()))
      put(48 + 8 * index, stride);
    put(100, i32(static_cast<int64_t>(rank)));
    put(104, i32(map.getElementType()));
    put(108, i32(map.getElementBytes()));
    put(112, i32(map.getSwizzle()));
    put(116, i32(0));
    callRuntime(
        b, info.kernelsInImages ? runtime::FairleadCudaTensorMap : runtime::FairleadCpuTensorMap,
        {function.getArgument(0), fields, memory});
    map.getMap().replaceAllUsesWith(memory);
    maps.insert(memory);
    map->erase();
  }

private:
  static bool isOf(gpu::LaunchFuncOp launch, StringRef suffix) {
    return launch.getKernelName().getValue().ends_with(suffix);
  }
  /// The launch of a kernel with this suffix that is the first one in a branch; null if it is
  /// another one.
  static gpu::LaunchFuncOp firstIn(Operation *op, StringRef suffix) {
    auto branch = dyn_cast_or_null<scf::IfOp>(op);
    if (!branch)
      return {};
    auto inside = branch.thenBlock()->getOps<gpu::LaunchFuncOp>();
    return !inside.empty() && isOf(*inside.begin(), suffix) ? *inside.begin() : gpu::LaunchFuncOp();
  }
  static gpu::LaunchFuncOp guardedInsteadOf(gpu::LaunchFuncOp launch) {
    return firstIn(launch->getParentOp(), check::kGuardedSuffix);
  }
  /// The launch, or the branch that chooses between it and the copy with guards.
  static Operation *choiceOf(gpu::LaunchFuncOp launch) {
    return guardedInsteadOf(launch) ? launch->getParentOp() : launch.getOperation();
  }
  static gpu::LaunchFuncOp dryRunBefore(gpu::LaunchFuncOp launch) {
    return firstIn(choiceOf(launch)->getPrevNode(), check::kDryRunSuffix);
  }

  /// FairleadTensorMap without its pointer, and CUtensorMap.
  static constexpr unsigned kMapLongs = 9, kMapInts = 10, kMapWords = 16, kMapAlignment = 64;

  /// FairleadLaunch, or FairleadLaunchExtras.
  Type launchType(bool extras) {
    SmallVector<Type> members{LLVM::LLVMArrayType::get(b.getI32Type(), kLaunchInts), pointer};
    if (extras)
      members.append({LLVM::LLVMArrayType::get(b.getI32Type(), 4), pointer, pointer,
                      LLVM::LLVMArrayType::get(b.getI32Type(), 4)});
    return LLVM::LLVMStructType::getLiteral(b.getContext(), members);
  }

  void fillExtras(ir::LaunchExtrasOp extras, Value target) {
    static_assert(offsetof(FairleadLaunchExtras, preferred_cluster) == 56 &&
                  offsetof(FairleadLaunchExtras, completion_event) == 72 &&
                  offsetof(FairleadLaunchExtras, completion_flags) == 88 &&
                  sizeof(FairleadLaunchExtras) == 104);
    auto store = [&](int64_t offset, Value value) {
      LLVM::StoreOp::create(b, value, field(b.getI8Type(), target, offset));
    };
    store(56, extras.getClusterX());
    store(60, extras.getClusterY());
    store(64, extras.getClusterZ());
    store(72, extras.getCompletionEvent());
    store(80, extras.getProgrammaticEvent());
    store(68, i32(static_cast<int32_t>(extras.getCarveout())));
    store(88, i32(static_cast<int32_t>(extras.getCompletionFlags())));
    store(92, i32(static_cast<int32_t>(extras.getProgrammaticFlags())));
    store(96, i32(extras.getTriggerAtStart()));
    store(100, i32(0));
  }
  Value i32(int64_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)); }
  Value stackSlot(Type type) { return LLVM::AllocaOp::create(b, pointer, type, i32(1)); }
  Value field(Type element, Value base, int64_t index) {
    return LLVM::GEPOp::create(b, pointer, element, base,
                               ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(static_cast<int32_t>(index))});
  }

  /// True for a parameter that only copies of the kernel use.
  static bool isLeftOut(Value operand) {
    return operand.getDefiningOp<LLVM::PoisonOp>() != nullptr;
  }

  /// Stores an argument, and where it is.
  void pass(Value operand, Value slot, Value params, size_t index) {
    // A tensor map itself is passed to an image; functions of the host get its address.
    const bool passesMap = info.kernelsInImages && maps.contains(operand);
    if (!passesMap)
      LLVM::StoreOp::create(b, operand, slot);
    LLVM::StoreOp::create(b, passesMap ? operand : slot,
                          field(pointer, params, static_cast<int64_t>(index)));
  }

  int64_t flagsOf(gpu::LaunchFuncOp launch, bool extras) {
    const StringRef kernel = launch.getKernelName().getValue();
    auto flags = launch->getAttrOfType<IntegerAttr>(ir::kLaunchFlags);
    return (flags ? flags.getInt() : 0) | checks.lookup(kernel) |
           (asserting.contains(kernel) ? kFairleadLaunchAssertions : 0) |
           (extras ? kFairleadLaunchHasExtras : 0);
  }

  void fillLaunch(gpu::LaunchFuncOp launch, Value stream, Value target, bool extras) {
    gpu::KernelDim3 grid = launch.getGridSizeOperandValues(),
                    block = launch.getBlockSizeOperandValues();
    SmallVector<Value> values{grid.x, grid.y, grid.z, block.x, block.y, block.z};
    Value zero = i32(0);
    if (launch.hasClusterSize()) {
      gpu::KernelDim3 cluster = launch.getClusterSizeOperandValues();
      values.append({cluster.x, cluster.y, cluster.z});
    } else {
      values.append(3, zero);
    }
    values.push_back(launch.getDynamicSharedMemorySize() ? launch.getDynamicSharedMemorySize()
                                                         : zero);
    static_assert(offsetof(FairleadLaunch, shared_bytes) == 9 * sizeof(int32_t) &&
                  offsetof(FairleadLaunch, has_stream) == 10 * sizeof(int32_t));
    values.push_back(i32(stream ? 1 : 0));
    const int64_t flags = flagsOf(launch, extras);
    values.push_back(flags ? i32(flags) : zero);
    for (auto [index, value] : llvm::enumerate(values))
      LLVM::StoreOp::create(b, value, field(b.getI32Type(), target, index));
    if (!stream)
      stream = LLVM::ZeroOp::create(b, pointer);
    LLVM::StoreOp::create(b, stream, field(pointer, target, kLaunchInts * 4 / 8));
  }

  void call(gpu::LaunchFuncOp launch, Value context, Value params, Value launchStruct) {
    StringRef kernel = launch.getKernelName().getValue();
    if (!info.kernelsInImages) {
      Value function = LLVM::AddressOfOp::create(b, pointer, kernel);
      callRuntime(b, runtime::FairleadCpuLaunch,
                  {context, kernelName(kernel), function, params, launchStruct});
      return;
    }
    declareCudaModule();
    Value cudaModule = LLVM::AddressOfOp::create(b, pointer, kCudaModuleSymbol);
    auto position = llvm::find(kernels, kernel.str()) - kernels.begin();
    callRuntime(b, runtime::FairleadCudaLaunch,
                {context, cudaModule, i32(position), params, launchStruct});
  }

  void declareCudaModule() {
    if (module.lookupSymbol(kCudaModuleSymbol))
      return;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, pointer, /*isConstant=*/false, LLVM::Linkage::External,
                           kCudaModuleSymbol, Attribute());
  }

  Value kernelName(StringRef kernel) {
    if (auto shown = shownNames.find(kernel); shown != shownNames.end())
      kernel = shown->second;
    std::string symbol = ("name_of_" + kernel).str();
    if (module.lookupSymbol(symbol))
      return LLVM::AddressOfOp::create(b, pointer, symbol);
    return ir::textAddress(b, b.getLoc(), module, symbol, kernel);
  }

  ModuleOp module;
  const TargetInfo &info;
  ImplicitLocOpBuilder b;
  Type pointer;
  std::vector<std::string> kernels;
  llvm::StringSet<> asserting;             ///< kernels with assertions
  llvm::StringMap<std::string> shownNames; ///< of copies of kernels, by their names
  llvm::StringMap<int64_t> checks;         ///< of kernels: FairleadCheckFlag
  llvm::DenseSet<Value> maps;              ///< the memory of tensor maps
};

struct LowerLaunchesPass : PassWrapper<LowerLaunchesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerLaunchesPass)
  explicit LowerLaunchesPass(const TargetInfo &target)
      : target(target), argument("fairlead-lower-launches-" + std::string(target.name)) {}
  StringRef getArgument() const final { return argument; }
  StringRef getDescription() const final {
    return "Turn kernel launches into calls of the runtime";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect, arith::ArithDialect>();
  }
  void runOnOperation() final {
    LaunchLowering lowering(getOperation(), target);
    SmallVector<gpu::LaunchFuncOp> launches;
    SmallVector<ir::TensorMapOp> maps;
    getOperation()->walk([&](Operation *op) {
      if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
        launches.push_back(launch);
      else if (auto map = dyn_cast<ir::TensorMapOp>(op))
        maps.push_back(map);
    });
    for (ir::TensorMapOp map : maps)
      lowering.lower(map);
    for (gpu::LaunchFuncOp launch : launches)
      lowering.lower(launch);
  }
  const TargetInfo &target;
  std::string argument;
};

/// Returns the block extents of a launch if they are constant, or nothing.
std::optional<SmallVector<int32_t, 3>> constantBlock(gpu::LaunchFuncOp launch) {
  gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  SmallVector<int32_t, 3> sizes;
  for (Value size : {block.x, block.y, block.z}) {
    IntegerAttr number;
    if (!matchPattern(size, m_Constant(&number)) || number.getInt() < 1 || number.getInt() > 1024)
      return std::nullopt;
    sizes.push_back(static_cast<int32_t>(number.getInt()));
  }
  return sizes;
}

} // namespace

std::unique_ptr<Pass> createLowerLaunchesPass(const TargetInfo &target) {
  return std::make_unique<LowerLaunchesPass>(target);
}

void annotateBlockSizes(ModuleOp module) {
  llvm::StringMap<std::optional<SmallVector<int32_t, 3>>> agreed;
  module->walk([&](gpu::LaunchFuncOp launch) {
    auto block = constantBlock(launch);
    auto [entry, inserted] = agreed.try_emplace(launch.getKernelName().getValue(), block);
    if (!inserted && entry->second != block)
      entry->second = std::nullopt;
  });
  module->walk([&](gpu::GPUFuncOp function) {
    auto entry = agreed.find(function.getName());
    // A block size stated by the launch replaces a known block size.
    std::optional<std::array<int64_t, 3>> block;
    if (entry != agreed.end() && entry->second) {
      if (!function->hasAttr("nvvm.maxntid"))
        function.setKnownBlockSizeAttr(DenseI32ArrayAttr::get(module.getContext(), *entry->second));
      block.emplace();
      llvm::copy(*entry->second, block->begin());
    }
    function.walk([&](Operation *op) {
      if (op->hasTrait<ir::IssuedByOneLane>() && dsl::isReachedByOneLane(op, block))
        op->setAttr(ir::kChosenThreadAttribute, UnitAttr::get(module.getContext()));
    });
  });
}

} // namespace fairlead::lower
