/// The thread's error slot, and making errors.
#include <new>

#include "Boundary.h"
#include "ThreadValue.h"
#include "tvm/ffi/error.h"

using namespace tvm::ffi;

namespace {

/// An Error that owns its text.
class OwningErrorObj final : public ErrorObj {
public:
  OwningErrorObj(std::string kind, std::string message, std::string backtrace)
      : kindText(std::move(kind)), messageText(std::move(message)),
        backtraceText(std::move(backtrace)) {
    this->kind = TVMFFIByteArray{kindText.data(), kindText.size()};
    this->message = TVMFFIByteArray{messageText.data(), messageText.size()};
    this->update_backtrace = updateBacktrace;
    refreshBacktrace();
  }

private:
  static void updateBacktrace(TVMFFIObjectHandle self, const TVMFFIByteArray *text, int32_t mode) {
    auto *error = static_cast<OwningErrorObj *>(reinterpret_cast<Object *>(self));
    if (mode == kTVMFFIBacktraceUpdateModeReplace)
      error->backtraceText.assign(text->data, text->size);
    else
      error->backtraceText.append(text->data, text->size);
    error->refreshBacktrace();
  }
  void refreshBacktrace() {
    this->backtrace = TVMFFIByteArray{backtraceText.data(), backtraceText.size()};
  }

  std::string kindText, messageText, backtraceText;
};

/// The error that is raised without memory for another one. All threads share it.
class OutOfMemoryObj final : public ErrorObj {
public:
  OutOfMemoryObj() {
    kind = text("MemoryError");
    message = text("no memory for an error");
    backtrace = text("");
    update_backtrace = [](TVMFFIObjectHandle, const TVMFFIByteArray *, int32_t) {};
  }

private:
  static TVMFFIByteArray text(std::string_view text) { return {text.data(), text.size()}; }
};

TVMFFIObject *const outOfMemory =
    detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(make_object<OutOfMemoryObj>());

/// Owns the error that a thread has raised and nobody has taken yet.
struct ErrorSlot {
  TVMFFIObject *error = nullptr;

  ~ErrorSlot() { put(nullptr); }
  /// Takes `fresh` over. The old error goes last: its deleter may raise.
  void put(TVMFFIObject *fresh) {
    TVMFFIObject *old = error;
    error = fresh;
    detail::ObjectUnsafe::DecRefObjectHandle(old);
  }
};

ErrorSlot &slot() { return ThreadValue<ErrorSlot>::get(); }

TVMFFIObject *makeError(std::string_view kind, std::string_view message,
                        std::string_view backtrace) {
  return detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
      make_object<OwningErrorObj>(std::string(kind), std::string(message), std::string(backtrace)));
}

TVMFFIObject *retained(TVMFFIObjectHandle handle) {
  if (handle)
    detail::ObjectUnsafe::IncRefObjectHandle(handle);
  return static_cast<TVMFFIObject *>(handle);
}

/// Raises the error that `make` returns.
template <typename Make> void raise(Make make) {
  TVMFFIObject *error;
  try {
    error = make();
  } catch (const std::bad_alloc &) {
    error = retained(outOfMemory);
  }
  slot().put(error);
}

} // namespace

void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle *result) {
  if (!result) // keep the error for a caller with room for it
    return;
  ErrorSlot *slot = ThreadValue<ErrorSlot>::find();
  *result = slot ? std::exchange(slot->error, nullptr) : nullptr;
}

void TVMFFIErrorSetRaised(TVMFFIObjectHandle error) {
  // Whoever takes the error out reads it as one.
  if (error && TVMFFIObjectGetTypeIndex(error) != kTVMFFIError) {
    TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
    raise([&] {
      std::string got = TypeIndexToTypeKey(TVMFFIObjectGetTypeIndex(error));
      return makeError("TypeError",
                       "TVMFFIErrorSetRaised: expected `ffi.Error` but got `" + got + "`", "");
    });
    TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIErrorSetRaised);
    return;
  }
  slot().put(retained(error));
}

void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **message_parts,
                                       int32_t num_parts) {
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  raise([&] {
    std::string message;
    for (int32_t i = 0; message_parts && i < num_parts; ++i)
      if (message_parts[i])
        message += message_parts[i];
    return makeError(kind ? kind : "RuntimeError", message,
                     viewOf(TVMFFIBacktrace(nullptr, 0, nullptr, 0)));
  });
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIErrorSetRaisedFromCStrParts);
}

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  TVMFFIErrorSetRaisedFromCStrParts(kind, &message, 1);
}

int TVMFFIErrorCreate(const TVMFFIByteArray *kind, const TVMFFIByteArray *message,
                      const TVMFFIByteArray *backtrace, TVMFFIObjectHandle *out) {
  return TVMFFIErrorCreateWithCauseAndExtraContext(kind, message, backtrace, nullptr, nullptr, out);
}

int TVMFFIErrorCreateWithCauseAndExtraContext(
    const TVMFFIByteArray *kind, const TVMFFIByteArray *message, const TVMFFIByteArray *backtrace,
    TVMFFIObjectHandle cause_chain, TVMFFIObjectHandle extra_context, TVMFFIObjectHandle *out) {
  if (!out)
    return -1;
  // The slot must not be touched, even if memory is short.
  try {
    TVMFFIObject *error = makeError(viewOf(kind), viewOf(message), viewOf(backtrace));
    TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
    cell->cause_chain = retained(cause_chain);
    cell->extra_context = retained(extra_context);
    *out = error;
  } catch (const std::bad_alloc &) { // C++ callers could only throw, most often out of a C function
    *out = retained(outOfMemory);
  } catch (const std::exception &) { // a text without data
    return -1;
  }
  return 0;
}
