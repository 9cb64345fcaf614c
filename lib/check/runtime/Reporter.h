/// The findings of a checked launch: each is described here, with its accesses and a hint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/runtime/CallTensors.h"
#include "check/runtime/Clocks.h"
#include "check/runtime/Memory.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/Touch.h"
#include "check/runtime/WatchedMemory.h"
#include "runtime/Findings.h"

namespace fairlead::check {

/// How to order accesses with products in tensor memory.
extern const char *const kCommitHint;

class Reporter {
public:
  /// The references outlive the object.
  Reporter(const CallTensors &tensors, const RunningBlock &block, const WatchedMemory &memory,
           const Sites &sites, const Clocks &clocks)
      : tensors(tensors), block(block), memory(memory), sites(sites), clocks(clocks) {}

  /// An access and its verb.
  struct Step {
    const char *what;
    ThreadAt at;
  };

  const runtime::Findings &found() const { return findings; }

  // Findings of a thread alone, which is numbered in its block.

  /// An index that is not below its mode's extent; only noted if `isNote`.
  [[gnu::cold]] void index(const ThreadAt &access, int32_t mode, int64_t index, int64_t extent,
                           bool isNote);
  /// An access of bytes outside of [begin, end). `tensor` has that memory; null: no tensor has.
  [[gnu::cold]] void outside(const ThreadAt &access, const char *address, int32_t bytes,
                             const char *begin, const char *end, const CallTensor *tensor);
  /// A product's operand `offset` bytes from the beginning of the memory, of `size` bytes, that its
  /// descriptor was made for.
  [[gnu::cold]] void outsideOperand(const ThreadAt &product, ptrdiff_t offset, ptrdiff_t size);
  [[gnu::cold]] void notFinite(const ThreadAt &computation, double result);
  /// `wasRefused`: the value may be the first block of a cluster that there was not.
  [[gnu::cold]] void uninitialised(const ThreadAt &use, bool wasRefused);

  // Findings about the order of threads. The clocks of the run have begun.

  /// The access is not ordered with an earlier one.
  [[gnu::cold]] void race(const Epoch &earlier, bool earlierWrote, const Touch &touch,
                          const char *address, bool usesMbarriers);
  /// No fence makes the earlier write visible to the copy or product.
  [[gnu::cold]] void unfenced(const Epoch &earlier, const Touch &touch, const char *address);
  /// Two accesses of tensor memory are not ordered. `place`: the columns.
  [[gnu::cold]] void tensorRace(const Step &first, const Step &second, const std::string &place,
                                const std::string &hint) {
    unordered(first, second, place, place, hint, "race");
  }
  /// The operation uses tensor memory wrongly, in words that follow "the block".
  [[gnu::cold]] void misuseTensorMemory(const ThreadAt &operation, const std::string &what);
  /// The accessed shared memory is one of a block that may have ended.
  [[gnu::cold]] void outlived(const Step &access, const char *address);
  static constexpr const char *kArrival = "arrival"; ///< at an mbarrier, as an access
  /// Threads that wait, or make others wait, wrongly: at most one for each site.
  [[gnu::cold]] void misuse(const std::vector<ThreadAt> &waiting, const std::string &message,
                            const std::string &hint);
  /// Threads that wait for memory that no thread of the run has written, nor an earlier one.
  [[gnu::cold]] void waitsInVain(const std::vector<ThreadAt> &waiting, const std::string &text);
  /// Something that is allowed, but may be a mistake.
  [[gnu::cold]] void note(const Step &step, const std::string &message, const std::string &hint);
  /// Threads that should meet and do not.
  [[gnu::cold]] void part(const std::vector<Step> &steps, const std::string &message,
                          const std::string &hint);
  /// Two steps that have to be ordered.
  [[gnu::cold]] void unordered(const Step &first, const Step &second, const std::string &tensor,
                               const std::string &message, const std::string &hint,
                               const char *check = "sync");

private:
  bool isOfProduct(uint32_t who) const {
    return clocks.isProduct(who) || clocks.isTensorProduct(who);
  }
  [[gnu::cold]] std::string memoryText(const char *address, const runtime::Site &site) const;
  [[gnu::cold]] runtime::Access accessBy(const char *what, const void *site, uint32_t who,
                                         uint32_t run) const;
  static runtime::Access accessHere(const char *what, const ThreadAt &access,
                                    const RunningBlock &block);
  [[gnu::cold]] std::string raceHint(const Epoch &earlier, bool earlierWrote, const Touch &touch,
                                     bool usesMbarriers) const;

  const CallTensors &tensors;
  const RunningBlock &block;
  const WatchedMemory &memory;
  const Sites &sites;
  const Clocks &clocks;
  runtime::Findings findings;
};

} // namespace fairlead::check
