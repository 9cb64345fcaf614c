/// Order between blocks, by atomics in global memory.
#ifndef FAIRLEAD_LIB_CHECK_RUNTIME_BLOCKLINKS_H_
#define FAIRLEAD_LIB_CHECK_RUNTIME_BLOCKLINKS_H_

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace fairlead::check {

class BlockLinks {
public:
  void beginRun() { heard.clear(); }

  /// The run that is in progress uses the atomic at the address, which orders threads.
  void use(uint32_t run, const char *address) {
    Link &link = links[address];
    link.runs.insert(run);
    link.before.insert(heard.begin(), heard.end());
    heard.insert(address);
  }

  /// True if atomics have made the accesses of an earlier run visible to the one in progress.
  bool areVisible(uint32_t earlier) const {
    std::vector<const char *> open(heard.begin(), heard.end());
    std::set<const char *> seen(heard);
    while (!open.empty()) {
      const Link &link = links.at(open.back());
      open.pop_back();
      if (link.runs.count(earlier))
        return true;
      for (const char *before : link.before)
        if (seen.insert(before).second)
          open.push_back(before);
    }
    return false;
  }

private:
  /// An atomic: the runs that used it, and the atomics through which they had learned of others'
  /// accesses.
  struct Link {
    std::set<uint32_t> runs;
    std::set<const char *> before;
  };
  std::map<const char *, Link> links;
  std::set<const char *> heard; ///< atomics that the run in progress has used
};

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_RUNTIME_BLOCKLINKS_H_
