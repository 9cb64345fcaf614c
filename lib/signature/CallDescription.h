/// How a function is called: names, defaults and forms of the parameters that a caller sees, beside
/// the Signature, which has what the entry takes.
#ifndef FAIRLEAD_LIB_SIGNATURE_CALLDESCRIPTION_H_
#define FAIRLEAD_LIB_SIGNATURE_CALLDESCRIPTION_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "tvm/ffi/any.h"

namespace fairlead {

/// What a call does with one value that the caller gives: structures go to the entry part by part.
struct CallForm {
  enum class Kind : uint8_t {
    Argument, ///< an argument of the entry
    None,     ///< must be None; no argument
    Omitted,  ///< a place that the caller may leave out of a tuple; no argument
    Constant, ///< must equal `value`, or be None where it has a child; no argument
    Tuple,    ///< a tuple, list or ffi.Shape of the children
    Fields,   ///< an object whose attributes `fields` are the children, or their tuple
    Custom,   ///< an object of a protocol of Python's alone, which no file holds
  };
  /// What Python calls each kind.
  static constexpr const char *kKindNames[] = {"argument", "none",   "omitted", "constant",
                                               "tuple",    "fields", "custom"};
  static_assert(std::size(kKindNames) == static_cast<size_t>(Kind::Custom) + 1);
  /// Whether each child has a name, in `fields`.
  static constexpr bool namesChildren(Kind kind) { return kind == Kind::Fields; }

  Kind kind = Kind::Argument;
  tvm::ffi::Any value = nullptr;        ///< of Constant
  std::vector<std::string> fields = {}; ///< the name of each child, where children have names
  std::vector<CallForm> children = {};
};

/// A parameter as a caller sees it.
struct CallParameter {
  std::string name;
  std::optional<tvm::ffi::Any> initial = {}; ///< its default, if it has one
  CallForm form = {};
};

/// The parameters of a function. Values in it are None, bool, int, float, String and Array of such.
struct CallDescription {
  std::vector<CallParameter> parameters;
  size_t numPositional = 0; ///< those that may be passed by position, the first ones

  /// What exported files hold, and `parse` reads. A default that is not finite is left out. Nothing
  /// where a form is Custom, or a constant is not finite.
  std::optional<std::string> text() const;
  /// The description that `text` told; nothing for other text.
  static std::optional<CallDescription> parse(const std::string &text);
};

} // namespace fairlead
#endif // FAIRLEAD_LIB_SIGNATURE_CALLDESCRIPTION_H_
