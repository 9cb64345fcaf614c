/// How a function is called: names, defaults and forms of the parameters that a caller sees. The
/// Signature has the arguments that the entry takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "tvm/ffi/any.h"

namespace fairlead {

/// How a call passes one value of the caller: structures go to the entry part by part.
struct CallForm {
  enum class Kind : uint8_t {
    Argument, ///< an argument of the entry
    None,     ///< must be None; no argument
    Omitted,  ///< a place that the caller may leave out of a tuple; no argument
    Constant, ///< must equal `value`, or be None if it has a child; no argument
    Tuple,    ///< a tuple, list or ffi.Shape of the children
    Fields,   ///< an object whose attributes `fields` are the children, or their tuple
    Custom,   ///< an object of a protocol of Python's alone, which no file holds
  };
  /// Python's name of each kind.
  static constexpr const char *kKindNames[] = {"argument", "none",   "omitted", "constant",
                                               "tuple",    "fields", "custom"};
  static_assert(std::size(kKindNames) == static_cast<size_t>(Kind::Custom) + 1);
  /// True if each child has a name, in `fields`.
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

  /// Returns the text for exported files, which `parse` reads. It leaves out defaults that are not
  /// finite. Empty if a form is Custom, or a constant is not finite.
  std::optional<std::string> text() const;
  /// Returns the description that `text` holds; nullopt for other text.
  static std::optional<CallDescription> parse(const std::string &text);
};

} // namespace fairlead
