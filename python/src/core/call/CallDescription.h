/// fairlead._core.CallDescription: the parameters of a function as Python sees them, in one place.
#pragma once

#include "call/Form.h"

namespace fairlead::python {

/// Arguments of one call that need no heap memory.
inline constexpr int kInlineArgs = 20;

/// The assignment of arguments to parameters at one call site. It is computed once, and found again
/// by the tuple of its keywords, which is a constant of the calling code.
struct Arrangement {
  PyObject *keywords;       ///< NULL: none. A reference of its own
  Py_ssize_t numArgs;       ///< positional ones; -1: nothing is remembered here
  bool inOrder;             ///< every parameter is given, in order
  int8_t from[kInlineArgs]; ///< of each parameter the place among the arguments; -1: its default
};

/// Why the arguments of a call do not fit the parameters.
struct BindProblem {
  enum class Kind : uint8_t { TooMany, Unexpected, Twice, Missing };
  Kind kind;
  Py_ssize_t number; ///< of TooMany how many are given; of Missing which one is missing
  PyObject *name;    ///< borrowed: the keyword
};

/// Names, defaults and forms of the parameters. Functions with the same parameters share it. It
/// never changes, except that it remembers calls.
struct CallDescription {
  PyObject_HEAD PyObject *names; ///< tuple of interned str
  PyObject *defaults;            ///< tuple; Ellipsis: none
  PyObject *formObjects; ///< tuple of fairlead._core.Form; NULL: each is an argument of the entry
  int count;             ///< of the parameters
  int numPositional;     ///< the other parameters are passed by keyword
  int numRequired;       ///< those before the first of the last ones that all have defaults
  int numArguments;      ///< of the entry
  bool isPlain;          ///< no forms, nothing by keyword alone, and defaults of the last ones only
  std::vector<Form> *forms; ///< the forms in formObjects, or NULL

  static constexpr int kArrangements = 2;
  Arrangement arrangements[kArrangements];
  int oldestArrangement;

  /// The arguments of a call in the order of the parameters: `args`, or `room`, which has room for
  /// one each. NULL, and no exception: `problem` says why they do not fit.
  [[gnu::always_inline]] PyObject *const *arrange(PyObject *const *args, Py_ssize_t numArgs,
                                                  PyObject *keywords, PyObject **room,
                                                  BindProblem &problem) {
    if (!keywords && numArgs == count && numPositional == count)
      return args;
    const Arrangement *known = find(numArgs, keywords);
    if (!known) [[unlikely]]
      return bind(args, numArgs, keywords, room, problem);
    if (known->inOrder)
      return args;
    for (int i = 0; i < count; ++i)
      room[i] = known->from[i] >= 0 ? args[known->from[i]] : PyTuple_GET_ITEM(defaults, i);
    return room;
  }

  /// True if every parameter is one of the entry and has an argument of this call, in order.
  bool isInOrder(Py_ssize_t numArgs, PyObject *keywords) const {
    const Arrangement *known = forms ? nullptr : find(numArgs, keywords);
    return known && known->inOrder;
  }

  /// Returns the index of the parameter of this name, or -1.
  int indexOf(PyObject *name) const;

private:
  PyObject *const *bind(PyObject *const *args, Py_ssize_t numArgs, PyObject *keywords,
                        PyObject **full, BindProblem &problem);
  const Arrangement *find(Py_ssize_t numArgs, PyObject *keywords) const {
#ifndef Py_GIL_DISABLED // it would need a lock
    for (const Arrangement &each : arrangements)
      if (each.keywords == keywords && each.numArgs == numArgs)
        return &each;
#else
    (void)numArgs, (void)keywords;
#endif
    return nullptr;
  }
  void remember(Py_ssize_t numArgs, PyObject *keywords);
};

/// Describes functions that take the arguments of the entry, one by one. `names`: a sequence of
/// str, NULL or None if unknown; `lastDefaults`: the defaults of the last parameters, NULL or None
/// for none. Returns a new reference; NULL with an exception set.
CallDescription *describeArguments(PyObject *names, PyObject *lastDefaults);

/// Returns the description of unknown functions, borrowed. NULL with an exception set.
CallDescription *noDescription();

/// NULL, without an exception, if the object is not a CallDescription.
CallDescription *asCallDescription(PyObject *object);

/// The defaults of the last parameters, as far as all have one. A new reference, or NULL with an
/// exception set.
PyObject *lastDefaults(const CallDescription &call);

/// The text, a str; None if a part of it is an object that no file holds. NULL with an exception
/// set.
PyObject *callText(const CallDescription &call);

/// CallDescription(names, defaults, num_positional, forms) of a text: its arguments, a tuple. NULL
/// with an exception set: ValueError for other text.
PyObject *parseCallText(PyObject *text);

} // namespace fairlead::python
