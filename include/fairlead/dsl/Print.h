/// Text that the compiled program writes while it runs, in host functions and kernels.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "fairlead/dsl/Coordinates.h"

namespace fairlead::dsl {

/// A value for `{}`: floats print with 6 decimals, Booleans as 0 or 1; tuples and layouts as
/// `(4,8):(8,1)`; pointers as `raw_ptr(0x...: f32, gmem, align<4>)`; tensors as pointer or
/// coordinate, layout and elements, mode 0 fastest; texts unchanged.
class Printable {
public:
  Printable(const char *text) : value_(std::string(text)) {}
  Printable(std::string text) : value_(std::move(text)) {}
  Printable(const Scalar &scalar) : value_(scalar) {}
  Printable(Element &&element) : value_(Scalar(std::move(element))) {}
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Printable(T literal) : value_(Scalar(literal)) {}
  Printable(const layout::IntTuple &tuple) : value_(tuple) {}
  Printable(const layout::Layout &layout) : value_(layout) {}
  Printable(const Pointer &pointer) : value_(pointer) {}
  Printable(const Tensor &tensor) : value_(tensor) {}
  Printable(const TensorExpr &values) : value_(values) {}

  using Value = std::variant<std::string, Scalar, layout::IntTuple, layout::Layout, Pointer, Tensor,
                             TensorExpr>;
  const Value &value() const { return value_; }

private:
  Value value_;
};

/// `print("{} of {}\n", {i, n})`; `{{` and `}}` are braces. Throws fairlead::Error (ValueError,
/// PrintFormat) if the text has another number of `{}`.
FAIRLEAD_API void print(const std::string &format, const std::vector<Printable> &values = {},
                        SourceLoc at = SourceLoc::here());

/// A head with address, layout and element type, then the elements in brackets: the last mode
/// outermost, mode 0 down and mode 1 across. `verbose`: a line `(i,j)= value` for each, the last
/// mode fastest. In a kernel every thread that comes here prints.
FAIRLEAD_API void printTensor(const Tensor &tensor, bool verbose = false,
                              SourceLoc at = SourceLoc::here());
FAIRLEAD_API void printTensor(const TensorExpr &values, bool verbose = false,
                              SourceLoc at = SourceLoc::here());

/// Stops the thread, in a checked kernel (`--check`) on the CPU. It passes `format`, with C's
/// conversions for `values`, to the process's global function "fairlead.checks.stop". If there is
/// none, it prints the text and continues.
FAIRLEAD_API void stop(const std::string &format, const Scalars &values,
                       SourceLoc at = SourceLoc::here());

/// Records an event of the thread's warp for a timeline; `kind` is a FairleadTimelineKind
/// (fairlead/Timeline.h). Kernels only. `payload`: at most one number.
FAIRLEAD_API void recordEvent(int kind, const std::string &name, const Scalars &payload,
                              SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
