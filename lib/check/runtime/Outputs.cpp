#include "check/runtime/Outputs.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "check/runtime/Stop.h"

namespace fairlead::check {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 22; ///< of an output that is looked at

int64_t product(const std::vector<int64_t> &extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}
int64_t product(const int32_t (&extents)[3]) {
  return int64_t{extents[0]} * extents[1] * extents[2];
}

/// The number of the memory that is the tensor's alone, or kNone.
int memoryOf(const CallTensors &tensors, const CallTensor &tensor, const WatchedMemory &memory) {
  const int number = memory.at(tensor.begin);
  if (tensor.begin == tensor.end || number < WatchedMemory::kFirstGlobal)
    return WatchedMemory::kNone;
  const auto overlaps = [&](const CallTensor &other) {
    return &other != &tensor && other.begin < tensor.end && tensor.begin < other.end;
  };
  return std::none_of(tensors.begin(), tensors.end(), overlaps) ? number : WatchedMemory::kNone;
}

/// The elements of an output that a launch has written: from the first one up to `top` in each
/// mode.
struct WrittenBox {
  std::vector<int64_t> top;
  const char *last; ///< one of them
};

class BoxSearch {
public:
  BoxSearch(const CallTensor &tensor, int number, BlockSpans &accesses)
      : tensor(tensor), number(number), accesses(accesses),
        bytes(static_cast<size_t>(tensor.bits) / 8) {}

  /// Returns nothing if the written elements are not a box, or others are read.
  std::optional<WrittenBox> find() {
    WrittenBox box{std::vector<int64_t>(tensor.extents.size()), nullptr};
    std::vector<int64_t> at(tensor.extents.size());
    int64_t count = 0;
    do {
      const char *address = addressOf(at);
      if (!accesses.isWritten(number, address, bytes)) {
        if (accesses.isRead(number, address, bytes))
          return std::nullopt;
        continue;
      }
      ++count;
      box.last = address;
      for (size_t mode = 0; mode < at.size(); ++mode)
        box.top[mode] = std::max(box.top[mode], at[mode] + 1);
    } while (next(at));
    if (!box.last || count != product(box.top))
      return std::nullopt;
    return box;
  }

private:
  const char *addressOf(const std::vector<int64_t> &at) const {
    const int64_t offset =
        std::inner_product(at.begin(), at.end(), tensor.strides.begin(), int64_t{0});
    return tensor.data + offset * static_cast<int64_t>(bytes);
  }
  bool next(std::vector<int64_t> &at) const {
    for (size_t mode = at.size(); mode-- > 0;) {
      if (++at[mode] < tensor.extents[mode])
        return true;
      at[mode] = 0;
    }
    return false;
  }

  const CallTensor &tensor;
  const int number;
  BlockSpans &accesses;
  const size_t bytes;
};

/// The extent of a block's part of a mode, if a grid of floor division leaves out the rest of it.
std::optional<int64_t> partOf(int64_t top, int64_t extent, const FairleadLaunch &launch) {
  for (int32_t blocks : launch.grid)
    if (top % blocks == 0 && extent - top < top / blocks)
      return top / blocks;
  return std::nullopt;
}

std::optional<runtime::Finding> tailOf(const CallTensor &tensor, int number,
                                       const EndedLaunch &ended) {
  const int64_t elements = product(tensor.extents);
  if (tensor.bits % 8 || elements > kMostElements)
    return std::nullopt;
  const std::optional<WrittenBox> box = BoxSearch(tensor, number, ended.accesses).find();
  const FairleadLaunch &launch = ended.launch;
  if (!box || product(box->top) % (product(launch.grid) * product(launch.block)))
    return std::nullopt;
  std::string rest, remedy;
  for (size_t mode = 0; mode < box->top.size(); ++mode) {
    const int64_t top = box->top[mode], extent = tensor.extents[mode];
    if (top == extent)
      continue;
    const std::optional<int64_t> part = partOf(top, extent, launch);
    if (!part)
      return std::nullopt;
    rest += (rest.empty() ? "" : ", and ") + std::to_string(top) + " to " +
            std::to_string(extent - 1) + " of mode " + std::to_string(mode);
    remedy = "cute.ceil_div(" + std::to_string(extent) + ", " + std::to_string(*part) + ")";
  }
  const BlockSpans::Writer writer =
      ended.accesses.writerOf(number, box->last, static_cast<size_t>(tensor.bits / 8));
  if (rest.empty() || writer.isAtomic)
    return std::nullopt;
  runtime::Finding finding;
  finding.tensor = tensor.str();
  finding.message = std::to_string(elements - product(box->top)) + " of " +
                    std::to_string(elements) + " elements of " + finding.tensor +
                    " are never written: indices " + rest;
  finding.hint = "A grid of floor division leaves out the rest. Round it up, " + remedy +
                 ", and access elements under `if i < extent`.";
  finding.accesses.push_back(
      {"write", writer.site, ended.block.threadText(writer.thread),
       ended.block.blockText(writer.run, ended.block.rankOf(writer.thread))});
  return finding;
}

} // namespace

void Outputs::endLaunch(const CallTensors &tensors, const EndedLaunch &ended) {
  if (!isKnown)
    return;
  outputs.resize(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int number = memoryOf(tensors, tensors[i], ended.memory);
    if (number == WatchedMemory::kNone || !ended.accesses.isUsed(number))
      continue;
    Output &output = outputs[i];
    output.finding.reset();
    if (!std::exchange(output.isTouched, true))
      output.finding = tailOf(tensors[i], number, ended);
    output.kernel = ended.kernel;
  }
}

void Outputs::endCall() {
  for (const Output &output : outputs) {
    if (!isKnown || !output.finding)
      continue;
    runtime::Findings findings;
    findings.add(runtime::kNote, output.finding->accesses.front().site, nullptr, 0,
                 [&](runtime::Finding &finding) {
                   finding = *output.finding;
                   finding.kind = runtime::kNote;
                 });
    runtime::lastFindings() = findings.fields();
    handOverFindings(findings.text(output.kernel));
  }
  begin();
}

Outputs &callOutputs() {
  static thread_local Outputs outputs;
  return outputs;
}

} // namespace fairlead::check
