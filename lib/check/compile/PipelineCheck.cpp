#include "fairlead/dsl/PipelineCheck.h"

#include <set>

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "check/compile/PipelineModel.h"
#include "check/compile/PipelineWarp.h"
#include "dsl/trace/Builder.h"
#include "fairlead/Diagnostics.h"
#include "runtime/RuntimeFunctions.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace fairlead::check {
namespace {

constexpr int64_t kStepsOfLaunch = 6'000'000; ///< then a launch is followed no further
constexpr int64_t kStepsOfProgram = 30'000'000;

std::string placeOf(Operation *op) {
  auto line = op ? dyn_cast<FileLineColLoc>(op->getLoc()) : FileLineColLoc();
  if (!line)
    return "";
  StringRef file = line.getFilename().getValue();
  return file.substr(file.rfind('/') + 1).str() + ":" + std::to_string(line.getLine());
}

/// The host function, for chosen sizes: finds its launches.
class PipelineHost : public PipelineWalker {
public:
  PipelineHost(const PipelineSlice &slice, func::FuncOp host, ArrayRef<LaneValue> arguments)
      : PipelineWalker(slice, 1) {
    for (auto [argument, value] : llvm::zip(host.getArguments(), arguments))
      set(argument, value);
    begin(host.getBody().front());
  }

  std::vector<PipelineLaunch> launches;
  bool raises = false;

private:
  std::optional<Status> execute(Operation *op) override {
    if (auto map = dyn_cast<ir::TensorMapOp>(op)) {
      constexpr int64_t kMaps = int64_t{1} << 50;
      const int64_t number = kMaps + static_cast<int64_t>(maps.size());
      maps[number] = map;
      set(map.getMap(), LaneValue::uniform(number));
      return Status::Ran;
    }
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      return addLaunch(launch);
    if (isa<LLVM::CallOp>(op)) {
      raises |= cast<LLVM::CallOp>(op).getCallee() == runtime::FairleadRaise.name;
      for (Value result : op->getResults())
        set(result, LaneValue::unknown(op));
      return Status::Ran;
    }
    return std::nullopt;
  }

  Status addLaunch(gpu::LaunchFuncOp op) {
    PipelineLaunch launch;
    launch.kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(op, op.getKernel());
    auto read = [&](std::array<int64_t, 3> &into, gpu::KernelDim3 dims) {
      for (auto [number, value] : llvm::zip(into, std::array<Value, 3>{dims.x, dims.y, dims.z})) {
        LaneValue extent = valueOf(value);
        if (!extent.isKnown())
          return false;
        number = extent[0];
      }
      return true;
    };
    bool areConstant = read(launch.grid, op.getGridSizeOperandValues()) &&
                       read(launch.block, op.getBlockSizeOperandValues());
    if (op.hasClusterSize())
      areConstant &= read(launch.cluster, op.getClusterSizeOperandValues());
    if (!areConstant)
      return lose(
          op, "the extents of a launch depend on a value that is known only when the program runs");
    for (Value operand : op.getKernelOperands())
      launch.arguments.push_back(valueOf(operand));
    launch.maps = maps;
    launches.push_back(std::move(launch));
    return Status::Ran;
  }

  llvm::DenseMap<int64_t, ir::TensorMapOp> maps;
};

class PipelineCheck {
public:
  explicit PipelineCheck(dsl::Program::Impl &impl) : impl(impl), hostSlice(impl.host, false) {}

  dsl::PipelineReport run() {
    bool any = false;
    impl.device.walk([&](gpu::GPUFuncOp kernel) {
      auto [at, added] = slices.try_emplace(kernel, std::make_unique<PipelineSlice>(kernel, true));
      any |= at->second->hasPipelines();
    });
    if (!any)
      return std::move(report);
    constexpr int64_t kSizes[] = {64, 128, 256, 320, 576, 1088};
    const bool varies = !impl.signature.symbols.empty() ||
                        llvm::any_of(impl.signature.params, [](const Param &param) {
                          return std::holds_alternative<ScalarParam>(param.type);
                        });
    for (int64_t size : kSizes) {
      if (report.steps > kStepsOfProgram || !report.findings.empty())
        break;
      follow(size);
      if (!varies)
        break;
    }
    if (report.launches == 0 && report.findings.empty() && report.undecided.empty())
      report.undecided.push_back("`" + impl.signature.name +
                                 "`: for no size that was tried it launches a kernel");
    return std::move(report);
  }

private:
  /// Follows the launches for tensors whose first two extents have this size.
  void follow(int64_t size) {
    SmallVector<LaneValue> arguments{LaneValue::unknown(nullptr)};
    std::string numbers;
    for (const Param &param : impl.signature.params) {
      const auto *scalar = std::get_if<ScalarParam>(&param.type);
      if (!scalar || !impl.host.getArgument(static_cast<unsigned>(arguments.size()))
                          .getType()
                          .isIntOrIndex()) {
        arguments.push_back(LaneValue::unknown(nullptr));
        continue;
      }
      const int64_t number = std::max<int64_t>(1, size / 64);
      arguments.push_back(LaneValue::uniform(number));
      numbers += (numbers.empty() ? "" : ", ") + param.name + " = " + std::to_string(number);
    }
    for (size_t i = 0; i < impl.signature.symbols.size(); ++i) {
      const Symbol &symbol = impl.signature.symbols[i];
      auto [name, number] = extentOf(static_cast<int>(i), size);
      number = std::max<int64_t>(1, number / symbol.divisibility) * symbol.divisibility;
      if (!name.empty())
        numbers += (numbers.empty() ? "" : ", ") + name + " = " + std::to_string(number);
      arguments.push_back(LaneValue::uniform(number));
    }
    PipelineHost host(hostSlice, impl.host, arguments);
    while (host.run() == PipelineWalker::Status::Ran)
      ;
    report.steps += host.numSteps();
    if (host.undecided)
      addUndecided("the host function", *host.undecided);
    if (host.raises)
      return;
    for (const PipelineLaunch &launch : host.launches)
      follow(launch, numbers);
  }

  /// The name of a symbol by the extent that binds it ("" for strides), and its number.
  std::pair<std::string, int64_t> extentOf(int symbol, int64_t size) const {
    for (const Param &param : impl.signature.params)
      if (const auto *tensor = std::get_if<TensorParam>(&param.type))
        for (size_t mode = 0; mode < tensor->shape.size(); ++mode)
          if (tensor->shape[mode].isSymbol() && tensor->shape[mode].symbols.front() == symbol)
            return {param.name + ".shape[" + std::to_string(mode) + "]", mode < 2 ? size : 1};
    return {"", size};
  }

  /// Follows the first cluster of a launch, and the last one.
  void follow(const PipelineLaunch &launch, const std::string &numbers) {
    const PipelineSlice &slice = *slices.at(launch.kernel);
    const std::string kernel = gpu::GPUFuncOp(launch.kernel).getName().str();
    if (!slice.hasPipelines() || launch.grid[0] * launch.grid[1] * launch.grid[2] <= 0)
      return;
    if (slice.obscure())
      return addUndecided(kernel, {slice.obscure(), slice.obscureOp(), nullptr});
    constexpr int kMostWarps = 1024;
    const int numWarps = launch.blocksOfCluster() * launch.warps();
    if (numWarps <= 0)
      return;
    if (numWarps > kMostWarps)
      return addUndecided(
          kernel, {"a cluster has " + std::to_string(numWarps) + " warps", nullptr, nullptr});
    const size_t before = report.findings.size();
    followCluster(launch, slice, kernel, numbers);
    PipelineLaunch last = launch;
    std::string place;
    for (unsigned d = 0; d < 3; ++d) {
      last.place[d] = launch.grid[d] / launch.cluster[d] - 1;
      place += (d ? ", " : "") + std::to_string(last.place[d]);
    }
    if (last.place != launch.place && report.findings.size() == before)
      followCluster(last, slice, kernel,
                    numbers + (numbers.empty() ? "" : ", ") + "cluster (" + place + ")");
  }

  void followCluster(const PipelineLaunch &launch, const PipelineSlice &slice,
                     const std::string &kernel, const std::string &numbers) {
    const int numWarps = launch.blocksOfCluster() * launch.warps();
    PipelineModel model(launch.blocksOfCluster(), launch.warps());
    std::vector<std::unique_ptr<PipelineWarp>> warps;
    for (int warp = 0; warp < numWarps; ++warp)
      warps.push_back(std::make_unique<PipelineWarp>(launch, slice, model, warp));
    const bool complete = interleave(model, warps, kernel);
    model.finish(complete);
    for (const auto &warp : warps)
      report.steps += warp->numSteps();
    for (const PipelineMistake &mistake : model.mistakes())
      addFinding(mistake, launch, kernel, numbers);
  }

  /// True if all warps have ended.
  bool interleave(PipelineModel &model, std::vector<std::unique_ptr<PipelineWarp>> &warps,
                  const std::string &kernel) {
    constexpr int kIdleRounds = 64; // that threads which test barriers in a loop may need
    int idle = 0;
    int64_t steps = 0;
    while (true) {
      bool ran = false, alive = false, lost = false;
      const uint64_t before = model.version();
      steps = 0;
      for (int index = 0; index < static_cast<int>(warps.size()); ++index) {
        PipelineWarp &warp = *warps[static_cast<size_t>(index)];
        if (!warp.isDone() && !warp.undecided) {
          PipelineWalker::Status status = warp.run();
          ran |= status == PipelineWalker::Status::Ran;
          if (warp.isDone())
            model.exit(index);
        }
        if (warp.undecided) {
          addUndecided(kernel, *warp.undecided);
          lost = true;
        }
        alive |= !warp.isDone();
        steps += warp.numSteps();
      }
      if (lost)
        return false;
      if (!alive) {
        ++report.launches;
        followed.insert(kernel);
        return true;
      }
      if (steps > kStepsOfLaunch) {
        if (!followed.contains(kernel)) // for a smaller size
          addUndecided(kernel, {"a launch is followed for " + std::to_string(kStepsOfLaunch) +
                                    " operations only",
                                nullptr, nullptr});
        return false;
      }
      idle = ran || model.version() != before ? 0 : idle + 1;
      if (idle > kIdleRounds) {
        stuck(model, warps, kernel);
        return false;
      }
    }
  }

  void stuck(PipelineModel &model, const std::vector<std::unique_ptr<PipelineWarp>> &warps,
             const std::string &kernel) {
    std::vector<WarpEvent> waiting;
    for (int index = 0; index < static_cast<int>(warps.size()); ++index) {
      PipelineWarp &warp = *warps[static_cast<size_t>(index)];
      if (warp.isDone())
        continue;
      waiting.push_back({warp.at(), index, 0});
      if (warp.othersMayHelp()) {
        addUndecided(kernel, {"lanes of a warp that take different branches wait for each other",
                              waiting.back().op, nullptr});
        return;
      }
    }
    model.reportStuck(waiting);
  }

  void addUndecided(const std::string &kernel, const Undecided &reason) {
    std::string text = "`" + kernel + "`: " + reason.reason;
    if (std::string place = placeOf(reason.op); !place.empty())
      text += " (" + place + ")";
    if (std::string origin = placeOf(reason.origin); !origin.empty())
      text += ", which comes from " + origin;
    if (!llvm::is_contained(report.undecided, text))
      report.undecided.push_back(std::move(text));
  }

  static dsl::PipelinePlace describe(const std::string &what, Operation *op, int64_t thread,
                                     int block) {
    dsl::PipelinePlace place;
    place.what = what;
    if (auto line = op ? dyn_cast<FileLineColLoc>(op->getLoc()) : FileLineColLoc()) {
      place.file = line.getFilename().str();
      place.line = static_cast<int>(line.getLine());
    }
    place.thread = thread;
    place.block = block;
    return place;
  }

  void addFinding(const PipelineMistake &mistake, const PipelineLaunch &launch,
                  const std::string &kernel, const std::string &numbers) {
    dsl::PipelineFinding finding;
    finding.message = mistake.message;
    finding.hint = mistake.hint;
    finding.kernel = kernel;
    finding.launch = numbers;
    for (const BarrierName &barrier : mistake.barriers) {
      dsl::PipelinePlace begun = describe("init", barrier.init, 0, 0);
      finding.barriers.push_back({begun.file, begun.line, barrier.stage, barrier.stages});
    }
    for (const auto &[what, event] : mistake.events)
      finding.places.push_back(describe(what, event.op,
                                        int64_t{event.warp % launch.warps()} * kWarpLanes,
                                        event.warp / launch.warps()));
    report.findings.push_back(std::move(finding));
  }

  dsl::Program::Impl &impl;
  PipelineSlice hostSlice;
  llvm::DenseMap<Operation *, std::unique_ptr<PipelineSlice>> slices;
  dsl::PipelineReport report;
  std::set<std::string> followed; ///< kernels of which a launch was followed to its end
};

} // namespace
} // namespace fairlead::check

namespace fairlead::dsl {
namespace {

std::string lineOf(const std::string &file, int line) {
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(line);
}

/// The finding as text, with lines in the place of barriers' names.
std::string textOf(const PipelineFinding &finding) {
  std::string text = finding.message;
  for (size_t i = 0; i < finding.barriers.size(); ++i) {
    const PipelineBarrier &barrier = finding.barriers[i];
    const std::string name = "{" + std::to_string(i) + "}";
    if (const size_t at = text.find(name); at != std::string::npos)
      text.replace(at, name.size(),
                   "mbarrier " + std::to_string(barrier.stage) + " of " +
                       lineOf(barrier.file, barrier.line));
  }
  text += "  [kernel `" + finding.kernel + "`" +
          (finding.launch.empty() ? "" : ", for " + finding.launch) + "]";
  for (const PipelinePlace &place : finding.places)
    text += "\n  " + place.what + " " + lineOf(place.file, place.line) + "  (warp of thread " +
            std::to_string(place.thread) + ", block " + std::to_string(place.block) +
            " of the cluster)";
  return finding.hint.empty() ? text : text + "\n  " + finding.hint;
}

} // namespace

PipelineReport checkPipelines(Program &program) {
  return check::PipelineCheck(program.impl()).run();
}

void raisePipelineMistakes(Program &program) {
  if (!followsPipelines(program))
    return;
  const PipelineReport report = checkPipelines(program);
  for (const std::string &reason : report.undecided)
    llvm::errs() << "fairlead: --check schedule: not decided: " << reason << "\n";
  if (report.findings.empty())
    return;
  std::string texts;
  for (const PipelineFinding &finding : report.findings)
    texts += (texts.empty() ? "" : "\n") + textOf(finding);
  throw makeError(Diagnostic::CheckFailed, {{"findings", texts}});
}

} // namespace fairlead::dsl
