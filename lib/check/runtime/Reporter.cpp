#include "check/runtime/Reporter.h"

#include <algorithm>

namespace fairlead::check {

using runtime::Access, runtime::Finding, runtime::Site;

Access Reporter::accessHere(const char *what, const ThreadAt &access, const RunningBlock &block) {
  return {what, access.site, block.threadText(access.thread), RunningBlock::hereText()};
}

Access Reporter::accessBy(const char *what, const void *site, uint32_t who, uint32_t run) const {
  const uint32_t thread = clocks.threadOf(who);
  return {what, site, block.threadText(thread), block.blockText(run, block.rankOf(thread))};
}

std::string Reporter::memoryText(const char *address, const Site &site) const {
  if (!memory.isShared(address)) {
    const CallTensor *tensor = tensorAt(tensors, address);
    return tensor ? tensor->element(address) + " of " + tensor->str() : "global memory";
  }
  int64_t offset = address - memory.sharedBegin();
  if (block.isCluster())
    offset %= static_cast<int64_t>(block.sharedStride());
  if (site.allocatedIn.empty() || offset < site.offset || offset >= site.offset + site.bytes)
    return "shared memory at offset " + std::to_string(offset);
  return "shared memory, offset " + std::to_string(offset - site.offset) + " of the " +
         runtime::sizeText(site.bytes) + " that " +
         site.allocatedIn.substr(site.allocatedIn.rfind('/') + 1) + ":" +
         std::to_string(site.allocatedAt) + " allocates";
}

//===--- of a thread alone ---------------------------------------------------------------------===

void Reporter::index(const ThreadAt &access, int32_t mode, int64_t index, int64_t extent,
                     bool isNote) {
  findings.add(isNote ? runtime::kNote : "bounds", access.site, nullptr, currentBlock().number,
               [&](Finding &finding) {
                 runtime::tellIndex(finding, Site::parse(access.site), mode, index, extent);
                 if (isNote)
                   finding.hint =
                       "It is an error only where the address lies outside of the memory.";
                 finding.accesses.push_back(accessHere("access", access, block));
               });
}

void Reporter::outside(const ThreadAt &access, const char *address, int32_t bytes,
                       const char *begin, const char *end, const CallTensor *tensor) {
  findings.add("bounds", access.site, nullptr, currentBlock().number, [&](Finding &finding) {
    const Site site = Site::parse(access.site);
    finding.tensor = tensor ? tensor->str() : site.memory + " memory";
    runtime::tellOutside(finding, bytes, address - begin, end - begin,
                         tensor ? "the memory of " + finding.tensor
                                : runtime::allocationText(site, end - begin));
    finding.accesses.push_back(accessHere("access", access, block));
  });
}

void Reporter::outsideOperand(const ThreadAt &product, ptrdiff_t offset, ptrdiff_t size) {
  findings.add("bounds", product.site, nullptr, currentBlock().number, [&](Finding &finding) {
    const Site site = Site::parse(product.site);
    finding.tensor = site.tensor;
    finding.message = "the descriptor of " + site.tensor + " leads " +
                      (offset < 0 ? std::to_string(-offset) + " bytes before "
                                  : "to byte " + std::to_string(offset) + " of ") +
                      runtime::allocationText(site, size);
    finding.hint = "Where it begins, its distances between rows and along K, and the product's "
                   "extents have to fit this memory.";
    finding.accesses.push_back(accessBy("product", product.site, product.thread, block.run()));
  });
}

void Reporter::notFinite(const ThreadAt &computation, double result) {
  findings.add("float", computation.site, nullptr, currentBlock().number, [&](Finding &finding) {
    finding.message =
        std::string("a computation with finite numbers gives ") + (result != result ? "NaN"
                                                                   : result > 0     ? "infinity"
                                                                                    : "-infinity");
    finding.accesses.push_back(accessHere("result", computation, block));
  });
}

void Reporter::uninitialised(const ThreadAt &use, bool wasRefused) {
  findings.add("init", use.site, nullptr, currentBlock().number, [&](Finding &finding) {
    finding.tensor = Site::parse(use.site).tensor;
    finding.message = "memory that nothing has written to reaches " + finding.tensor;
    finding.hint = "What the value is made of was read from shared memory or registers before it "
                   "was written.";
    if (wasRefused)
      finding.hint += " The first block of an answer that refuses a cluster has no value either: "
                      "ask first whether the answer is valid.";
    finding.accesses.push_back(accessHere("use", use, block));
  });
}

//===--- races ---------------------------------------------------------------------------------===

const char *const kCommitHint =
    "The thread that issues products has to commit them to an mbarrier (tcgen05.commit), and the "
    "other one has to wait there before.";

/// A remedy for two threads that access an element in one line, between which no barrier can stand.
static std::string lineHint(bool bothWrite) {
  const std::string ends =
      " If these are passes of a loop, cute.arch.sync_threads() at its end orders them.";
  if (bothWrite)
    return "Both threads write this element in one line, and either may be last: give each thread "
           "an element of its own, or use an atomic operation." +
           ends;
  return "A thread reads the element that another one writes in this line: use an atomic operation "
         "to add to it, or read it into a variable, then cute.arch.sync_threads(), then write." +
         ends;
}

/// A remedy for accesses of threads that only a barrier could order.
static std::string barrierHint(const Site &earlier, const Site &later, bool bothWrite) {
  if (earlier.line == later.line)
    return lineHint(bothWrite);
  // Threads run in any order, and a loop brings the first line again after the second.
  const auto [first, second] = std::minmax(earlier.line, later.line);
  return "No barrier orders them; cute.arch.sync_threads() between lines " + std::to_string(first) +
         " and " + std::to_string(second) +
         (earlier.line < later.line ? " would."
                                    : " would, or, where a loop goes around them, after line " +
                                          std::to_string(second) + ".");
}

std::string Reporter::raceHint(const Epoch &earlier, bool earlierWrote, const Touch &touch,
                               bool usesMbarriers) const {
  if (earlier.block != block.run() && touch.isAtomic() && earlier.flags & kAtomic)
    return "Atomics of a block's scope are none for other blocks: both need scope=\"gpu\".";
  if (earlier.block != block.run())
    return "Blocks run at the same time: they need atomics, or elements of their own.";
  if (clocks.isCopy(earlier.who))
    return clocks.threadOf(earlier.who) == touch.thread
               ? "The thread has to wait for its copy before: cp_async_wait_group."
               : "The thread that copies has to wait for its copy before a barrier.";
  if (clocks.isStore(earlier.who))
    return "The thread that copies has to wait until its copies have read: "
           "cp_async_bulk_wait_group, then a barrier.";
  if (clocks.isTensorProduct(earlier.who))
    return kCommitHint;
  if (clocks.isProduct(earlier.who))
    return "The warpgroup has to wait for its products before: warpgroup.wait_group.";
  const Site site = Site::parse(sites.at(earlier.site));
  // Threads that use mbarriers take different branches: a barrier of the block would be in one.
  if (usesMbarriers)
    return "No barrier orders them: the second has to wait for an mbarrier at which the first "
           "arrives after line " +
           std::to_string(site.line) + ", itself or by another lane after cute.arch.sync_warp().";
  if (block.rankOf(clocks.threadOf(earlier.who)) != block.rankOf(touch.thread))
    return "The threads are of two blocks of a cluster: cute.arch.cluster_arrive() and "
           "cute.arch.cluster_wait() between these lines order them.";
  return barrierHint(site, Site::parse(touch.site), earlierWrote && touch.writes());
}

void Reporter::race(const Epoch &earlier, bool earlierWrote, const Touch &touch,
                    const char *address, bool usesMbarriers) {
  void *other = sites.at(earlier.site);
  findings.add("race", other, touch.site, currentBlock().number, [&](Finding &finding) {
    finding.tensor = memoryText(address, Site::parse(touch.site));
    finding.message = finding.tensor;
    const bool sameBlock = earlier.block == block.run();
    const char *first = earlier.flags & kAtomic ? "atomic" : earlierWrote ? "write" : "read";
    const char *second = touch.isAtomic() ? "atomic" : touch.writes() ? "write" : "read";
    auto named = [&](uint32_t who, const char *what) {
      return !sameBlock || who < clocks.count() ? what : isOfProduct(who) ? "product" : "copy";
    };
    finding.accesses.push_back(
        accessBy(named(earlier.who, first), other, earlier.who, earlier.block));
    finding.accesses.push_back(
        accessBy(named(touch.who, second), touch.site, touch.who, block.run()));
    finding.hint = raceHint(earlier, earlierWrote, touch, usesMbarriers);
  });
}

void Reporter::unfenced(const Epoch &earlier, const Touch &touch, const char *address) {
  void *other = sites.at(earlier.site);
  findings.add("race", other, touch.site, currentBlock().number, [&](Finding &finding) {
    finding.tensor = memoryText(address, Site::parse(touch.site));
    finding.message = finding.tensor;
    finding.accesses.push_back(accessBy("write", other, earlier.who, earlier.block));
    finding.accesses.push_back(
        accessBy(isOfProduct(touch.who) ? "product" : "copy", touch.site, touch.who, block.run()));
    finding.hint = "No fence is between them: who writes needs "
                   "cute.arch.fence_proxy(\"async.shared\", space=\"cta\") before the barrier.";
  });
}

void Reporter::misuseTensorMemory(const ThreadAt &operation, const std::string &what) {
  findings.add("bounds", operation.site, nullptr, currentBlock().number, [&](Finding &finding) {
    finding.message = "the block " + what;
    finding.accesses.push_back(accessBy("use", operation.site, operation.thread, block.run()));
  });
}

//===--- of waiting ----------------------------------------------------------------------------===

void Reporter::outlived(const Step &access, const char *address) {
  const bool isArrival = access.what == kArrival;
  findings.add("sync", access.at.site, nullptr, currentBlock().number, [&](Finding &finding) {
    finding.tensor = memoryText(address, Site::parse(access.at.site));
    finding.message =
        (isArrival ? "an mbarrier in " : "") + finding.tensor + " of a block that may have ended";
    finding.accesses.push_back(
        accessBy(access.what, access.at.site, access.at.thread, block.run()));
    finding.hint = isArrival
                       ? "No block of a cluster may end while others can still arrive at its "
                         "mbarriers: it has to wait there for them first (producer_tail())."
                       : "No block of a cluster may end while others access its shared memory: "
                         "cluster_arrive() and cluster_wait() before the end of the kernel.";
  });
}

void Reporter::misuse(const std::vector<ThreadAt> &waiting, const std::string &message,
                      const std::string &hint) {
  findings.add(
      "sync", waiting.empty() ? nullptr : waiting.front().site,
      waiting.size() > 1 ? waiting[1].site : nullptr, currentBlock().number, [&](Finding &finding) {
        finding.message = message;
        finding.hint = hint;
        for (const ThreadAt &thread : waiting)
          finding.accesses.push_back(accessBy("waits", thread.site, thread.thread, block.run()));
      });
}

void Reporter::waitsInVain(const std::vector<ThreadAt> &waiting, const std::string &text) {
  const std::string who = "block " + RunningBlock::hereText() + " waits for a value that ";
  if (block.isLast())
    return misuse(waiting, who + "no thread has written: " + text,
                  "Another thread has to write it before, or while this one waits.");
  misuse(waiting, who + "only a later block can write: " + text,
         "Blocks need not run at the same time. Launch the kernel with cooperative=True, wait only "
         "for blocks that have begun (count them by an atomic operation), or write the value in a "
         "launch before this one.");
}

void Reporter::note(const Step &step, const std::string &message, const std::string &hint) {
  findings.add(runtime::kNote, step.at.site, nullptr, currentBlock().number, [&](Finding &finding) {
    finding.message = message;
    finding.hint = hint;
    finding.accesses.push_back(accessBy(step.what, step.at.site, step.at.thread, block.run()));
  });
}

void Reporter::part(const std::vector<Step> &steps, const std::string &message,
                    const std::string &hint) {
  findings.add("sync", steps.front().at.site, steps.back().at.site, currentBlock().number,
               [&](Finding &finding) {
                 finding.message = message;
                 finding.hint = hint;
                 for (const Step &step : steps)
                   finding.accesses.push_back(
                       accessBy(step.what, step.at.site, step.at.thread, block.run()));
               });
}

void Reporter::unordered(const Step &first, const Step &second, const std::string &tensor,
                         const std::string &message, const std::string &hint, const char *check) {
  findings.add(check, first.at.site, second.at.site, currentBlock().number, [&](Finding &finding) {
    finding.tensor = tensor;
    finding.message = message;
    finding.hint = hint;
    for (const Step &step : {first, second})
      finding.accesses.push_back(accessBy(step.what, step.at.site, step.at.thread, block.run()));
  });
}

} // namespace fairlead::check
