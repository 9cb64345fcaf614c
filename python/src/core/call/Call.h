/// One call while its arguments are converted and it runs.
#pragma once

#include "call/Function.h"
#include "framework/Torch.h"

#include "tvm/ffi/extra/c_env_api.h"

#include <cstdint>

namespace fairlead::python {

/// Frameworks without the C side of DLPack, whose own from_dlpack makes their tensors.
enum class Importer : uint8_t { None, NumPy, Jax };

/// The framework and stream of the arguments, and the cleanups after the call.
///
/// Lives on the stack of the caller, is used with the GIL, and needs heap memory only for more
/// temporaries and dimensions than it has room for.
class Call {
public:
  /// `function`: whose call it is, for error texts; NULL if a value is converted outside of a
  /// call. `views`: tensors become borrowed views, else owning Tensors.
  Call(FunctionObject *function, bool views) : function(function), views(views) {}
  ~Call() { release(); }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  /// Schedules `function(value)` for the end of the call. If memory is short, calls it now and
  /// returns false with an exception set.
  bool defer(void (*function)(void *), void *value) {
    if (numCleanups == kInlineCleanups) [[unlikely]]
      return deferMore(function, value);
    cleanups[numCleanups++] = {function, value};
    return true;
  }

  /// Room for `count` extents or strides until the end; NULL with an exception set.
  int64_t *makeExtents(int count);

  /// Notes the framework of a tensor argument, and its current stream if it is the first one on a
  /// device with streams. False with an exception set.
  bool noteTensor(const DLPackExchangeAPI *framework, DLDevice on) {
    api = framework;
    return on.device_type == kDLCPU || hasStream || noteStream(on);
  }

  /// Asks at the first tensor of torch whether torch traces this call; false with an exception set.
  bool notesTorch() {
    if (hasTorch)
      return true;
    hasTorch = true;
    return !torchTraces() || refuseTraced();
  }

  /// Goes one level deeper. False with a RecursionError set; else leaveLevel is to follow.
  bool enterLevel(const char *doing) {
    if (depth >= kMaxDepth) {
      PyErr_Format(PyExc_RecursionError, "more than %d levels deep%s", kMaxDepth, doing);
      return false;
    }
    ++depth;
    return true;
  }
  void leaveLevel() { --depth; }

  /// Runs everything that was deferred, last first.
  void release() {
    while (numCleanups)
      releaseLast();
  }

  FunctionObject *const function;
  /// Nesting of the value in containers and conversions; more than kMaxDepth is an error. Python's
  /// own limit is too high for the frames of conversions from 3.12 on.
  int depth = 0;
  static constexpr int kMaxDepth = 500;
  /// Cleared while elements of a container are converted, which need owning tensors.
  bool views;
  bool hasStream = false;
  bool hasTorch = false;              ///< a tensor of torch came
  DLDevice device = {};               ///< of the stream
  TVMFFIStreamHandle stream = {};     ///< valid if hasStream
  const DLPackExchangeAPI *api = {};  ///< of the last tensor that has one, else NULL
  Importer importer = Importer::None; ///< of the last tensor of such a framework
  bool isReadOnly = false;            ///< the last tensor that became an owning one is read-only

private:
  struct Cleanup {
    void (*function)(void *);
    void *value;
  };
  static constexpr int kInlineCleanups = 12;
  static constexpr int kInlineExtents = 48;

  [[gnu::noinline]] bool noteStream(DLDevice on);
  bool deferMore(void (*function)(void *), void *value);
  void releaseLast() {
    --numCleanups;
    cleanups[numCleanups].function(cleanups[numCleanups].value);
  }

  int numCleanups = 0;
  int numExtents = 0;
  // Not initialised: a call pays only for the parts that it uses.
  Cleanup cleanups[kInlineCleanups];
  int64_t extents[kInlineExtents];
};

/// Converts the argument at `index` to a view in `out`, valid until `call` ends. `tensor` is room
/// for a view of a tensor. False with an exception set that names the argument.
bool convertArgument(Call &call, const TypeEntry &entry, PyObject *argument, int index,
                     TVMFFIAny *out, DLTensor *tensor);

/// Converts an argument of a kind that the call path does not handle in line.
bool convertOther(Call &call, const TypeEntry &entry, PyObject *argument, int index, TVMFFIAny *out,
                  DLTensor *tensor);

/// Converts an int that does not fit int64.
bool convertBigInt(Call &call, PyObject *argument, int index, TVMFFIAny *out);

/// Converts a value that outlives its Python object into an owned `out`. False with an exception
/// set.
bool convertOwned(PyObject *value, TVMFFIAny *out, bool *isReadOnly = nullptr);

/// Raises `type` with `argument #1 (`b`) of `add_one(...)`: ` before the text. Returns false.
bool failArgument(Call &call, PyObject *type, int index, const char *format, ...);

/// Puts the same words before the text of the exception that is set, if it is of a builtin kind.
/// Returns false.
bool nameArgument(Call &call, int index);

} // namespace fairlead::python
