/// Registers that asynchronous products of a warpgroup write, and their use before that is done.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "check/runtime/Clocks.h"
#include "check/runtime/Reporter.h"
#include "check/runtime/Touch.h"

namespace fairlead::check {

class ProductRegisters {
public:
  /// The references outlive the object.
  ProductRegisters(const Clocks &clocks, Reporter &reporter) : clocks(clocks), reporter(reporter) {}

  void beginRun() {
    registers.clear();
    fenced.clear();
  }

  /// A thread makes its registers ready for products.
  void fence(uint32_t thread) { fenced.insert(thread); }
  /// A thread issues a product. The first one has to come after a fence.
  void issue(const ThreadAt &by);
  /// A product writes these bytes of the thread's registers.
  void write(const ThreadAt &by, const char *address, int64_t bytes);
  /// Something else reads or writes them.
  void use(const ThreadAt &by, const char *address, int64_t bytes);

private:
  /// Registers of a product that is not known to be done.
  struct Piece {
    const char *end;
    uint32_t group; ///< of products, which the thread has to wait for
    void *site;     ///< of the product
  };
  const Clocks &clocks;
  Reporter &reporter;
  std::map<uint32_t, std::map<const char *, Piece>> registers; ///< of each thread, by first byte
  std::set<uint32_t> fenced;                                   ///< threads
};

} // namespace fairlead::check
