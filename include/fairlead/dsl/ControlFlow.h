/// Control flow decided when the compiled program runs. Values that change inside a region are
/// *carried*: passed in, yielded by the region, and returned.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fairlead/dsl/Scalar.h"

namespace fairlead::dsl {

/// A variable that a region changes: its name (for messages) and its value before the region. A
/// literal becomes a value (Boolean, Int32, Float32) on entry.
struct Carried {
  std::string name;
  Scalar value;
};
using CarriedList = std::vector<Carried>;

struct LoopAttributes {
  int unroll = 0;          ///< 0: the compiler decides; 1: do not unroll; k: by k
  bool unrollFull = false; ///< unroll completely
  bool vectorize = false;  ///< hint
  /// Hint: number of iterations that loads are prefetched into the cache ahead of their use.
  int prefetchStages = 0;
};

/// Runs `then` or `otherwise`, each given nothing and returning the carried variables' values at
/// its end, in order. A region that returns a variable with another type than it had throws
/// fairlead::Error (TypeError) naming it.
FAIRLEAD_API Scalars ifElse(const Scalar &condition, const CarriedList &carried,
                            const std::function<Scalars()> &then,
                            const std::function<Scalars()> &otherwise,
                            SourceLoc at = SourceLoc::here());

/// `for iv in range(start, stop, step)`; iv has the promoted type of the three. `body(iv, carried)`
/// returns the carried values after one iteration. Any non-zero step, static or not.
FAIRLEAD_API Scalars forLoop(const Scalar &start, const Scalar &stop, const Scalar &step,
                             const CarriedList &carried,
                             const std::function<Scalars(const Scalar &, const Scalars &)> &body,
                             const LoopAttributes &attributes = {},
                             SourceLoc at = SourceLoc::here());

/// `while condition(carried): carried = body(carried)`.
FAIRLEAD_API Scalars whileLoop(const CarriedList &carried,
                               const std::function<Scalar(const Scalars &)> &condition,
                               const std::function<Scalars(const Scalars &)> &body,
                               SourceLoc at = SourceLoc::here());

/// A loop whose body is all code traced until it is closed. A loop that is destroyed before is not
/// part of the program. The thread that opened loops closes them, the last one first.
class FAIRLEAD_API OpenLoop {
public:
  /// Opens a loop like forLoop.
  OpenLoop(const Scalar &start, const Scalar &stop, const Scalar &step, const CarriedList &carried,
           const LoopAttributes &attributes = {});
  /// Opens a loop like whileLoop.
  OpenLoop(const CarriedList &carried, const std::function<Scalar(const Scalars &)> &condition);
  ~OpenLoop();
  OpenLoop(const OpenLoop &) = delete;
  OpenLoop &operator=(const OpenLoop &) = delete;

  /// The loop's variable; of a `while` the literal 0.
  const Scalar &variable() const;
  /// The carried values in an iteration.
  const Scalars &arguments() const;
  /// Ends the body, whose carried values are `ends`; gives those after the loop. Once.
  Scalars close(const Scalars &ends);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// A branch without `else`. Its body is traced until the branch is closed. A branch that is
/// destroyed before that is not part of the program. The thread that opened branches closes them,
/// the last one first.
class FAIRLEAD_API OpenBranch {
public:
  explicit OpenBranch(const Scalar &condition);
  ~OpenBranch();
  OpenBranch(const OpenBranch &) = delete;
  OpenBranch &operator=(const OpenBranch &) = delete;

  /// Ends the body. Once.
  void close();

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// `condition ? then() : otherwise()` where only the chosen side runs, for one value or several;
/// each result has the two sides' promoted type. Sides that are cheap and cannot fail are both
/// computed, without a branch. Throws fairlead::Error (ValueError) when the sides give different
/// numbers of values.
FAIRLEAD_API Scalars conditional(const Scalar &condition, const std::function<Scalars()> &then,
                                 const std::function<Scalars()> &otherwise,
                                 SourceLoc at = SourceLoc::here());

/// The values that each side of a branch gives.
struct BranchEnds {
  Scalars then, otherwise;
};

/// A `conditional` whose values are read once both sides are traced: `ends()` may return values of
/// each side, and values from before the branch. `mayCompute`: compute both sides without a branch
/// if they are cheap and cannot fail.
FAIRLEAD_API Scalars branch(const Scalar &condition, const std::function<void()> &then,
                            const std::function<void()> &otherwise,
                            const std::function<BranchEnds()> &ends, bool mayCompute,
                            SourceLoc at = SourceLoc::here());

/// Traces `code`, and removes everything it added to the program if it returns false.
FAIRLEAD_API void attempt(const std::function<bool()> &code);

/// Forms without carried values, for C++ programs whose regions only store.
inline void if_(const Scalar &condition, const std::function<void()> &then,
                const std::function<void()> &otherwise, SourceLoc at = SourceLoc::here()) {
  ifElse(
      condition, {},
      [&] {
        then();
        return Scalars();
      },
      [&] {
        otherwise();
        return Scalars();
      },
      at);
}
inline void if_(const Scalar &condition, const std::function<void()> &then,
                SourceLoc at = SourceLoc::here()) {
  if_(condition, then, [] {}, at);
}
inline void for_(const Scalar &start, const Scalar &stop,
                 const std::function<void(const Scalar &)> &body,
                 SourceLoc at = SourceLoc::here()) {
  forLoop(
      start, stop, 1, {},
      [&](const Scalar &iv, const Scalars &) {
        body(iv);
        return Scalars();
      },
      {}, at);
}

} // namespace fairlead::dsl
