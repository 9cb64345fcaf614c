/// Findings of the checks of a launch, and their text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fairlead/Runtime.h"

namespace fairlead::runtime {

/// The fields of a site (fairlead/CheckCpu.h).
struct Site {
  std::string file, kernel, tensor, memory, allocatedIn;
  int line = 0, allocatedAt = 0;
  int64_t offset = 0, bytes = 0;

  static Site parse(const void *site);
  /// "k.py:12"
  std::string place() const;
  /// The line without its indentation; empty if the file may not be read.
  std::string source() const;
};

/// Site::tensor of a vote that only asks which lanes of the warp there are.
inline constexpr char kPresentLanes[] = "present lanes";
/// The memory of a site whose address must be a multiple of the bytes of its access.
inline constexpr char kAlignedMemory[] = "aligned";

/// One side of a finding: the access, its site and its thread.
struct Access {
  std::string what;
  const void *site = nullptr;
  std::string thread, block; ///< "(3, 0, 0)"
};

/// The kind of a finding that does not fail a call.
inline constexpr char kNote[] = "note";

struct Finding {
  std::string kind;   ///< bounds, race, sync, init, float, note
  std::string tensor; ///< what was touched
  std::string message, hint;
  std::vector<Access> accesses;
  int64_t count = 0;        ///< times that these places met
  std::set<int64_t> blocks; ///< in which
};

/// The findings of one launch, each pair of lines once. Any thread may add.
class Findings {
public:
  /// Counts one more of these places; true for the first, which `fill` is to describe.
  template <typename Fill>
  void add(const char *kind, const void *site, const void *other, int64_t block, const Fill &fill) {
    std::lock_guard lock(mutex);
    const int line = lineOf(site), otherLine = lineOf(other);
    auto [entry, fresh] = places.try_emplace(
        {kind, std::min(line, otherLine), std::max(line, otherLine)}, findings.size());
    if (fresh) {
      findings.emplace_back();
      findings.back().kind = kind;
      fill(findings.back());
      if (!findings.back().accesses.empty())
        useNamesOf(Site::parse(findings.back().accesses.front().site), findings.back());
    }
    Finding &finding = findings[entry->second];
    ++finding.count;
    if (finding.blocks.size() < kMostBlocks)
      finding.blocks.insert(block);
  }
  bool empty() const { return findings.empty(); }
  /// False if all findings are notes.
  bool anyWrong() const {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding &finding) { return finding.kind != kNote; });
  }
  /// For people; of `kernel`.
  std::string text(const std::string &kernel) const;
  /// For programs: FairleadCheckFindings.
  std::string fields() const;

private:
  static constexpr size_t kMostBlocks = 1 << 16;
  /// Has the texts name functions as the language of the program at the site does.
  static void useNamesOf(const Site &site, Finding &finding);
  /// A number for each line that sites are on; 0 for none.
  int lineOf(const void *site);
  std::mutex mutex;
  std::vector<Finding> findings;
  std::map<std::tuple<std::string, int, int>, size_t> places;
  std::map<const void *, int> lines;
  std::map<std::string, int> numbers;
};

/// "1 byte", "16 bytes"
std::string sizeText(int64_t bytes);
/// Describes a wrong index into the site's tensor.
void tellIndex(Finding &finding, const Site &site, int64_t mode, int64_t index, int64_t extent);
/// Describes an access of `bytes` bytes that is not completely inside `what`: it starts `offset`
/// bytes after the first of its `size` bytes.
void tellOutside(Finding &finding, int64_t bytes, int64_t offset, int64_t size,
                 const std::string &what);
/// "the 64 bytes of shared memory that k.py:7 allocates", of a site.
std::string allocationText(const Site &site, int64_t size);

/// The findings of this thread's last checked call, in the form of FairleadCheckFindings.
std::string &lastFindings();

/// The finding in the forms of Findings.h.
struct WrongAccessReport {
  std::string text, fields;
};

/// Describes the access of a thread of a block, both as "(3, 0, 0)"; empty in a host function.
WrongAccessReport describe(const FairleadWrongAccess &access, const std::string &thread,
                           const std::string &block);

/// Raises CheckError with the report.
void raise(FairleadCallContext *context, const WrongAccessReport &report);

} // namespace fairlead::runtime
