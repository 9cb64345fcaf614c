#include <atomic>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "dlpack/dlpack.h"
#include "fairlead/Frameworks.h"
#include "frameworks/Thunk.h"
#include "frameworks/xla/Call.h"
#include "runtime/Raise.h"

using namespace fairlead;
using namespace fairlead::frameworks;
using namespace fairlead::frameworks::xla;

namespace {

/// Functions by their numbers.
struct Programs {
  std::shared_mutex mutex;
  std::unordered_map<int64_t, const FairleadXlaFunction *> functions;
  std::atomic<FairleadXlaLoader> loader{nullptr};
  std::mutex loading;

  const FairleadXlaFunction *find(int64_t program) {
    std::shared_lock lock(mutex);
    auto entry = functions.find(program);
    return entry == functions.end() ? nullptr : entry->second;
  }
};

/// Never destroyed: calls may come until the process ends.
Programs &programs() {
  static Programs *all = new Programs;
  return *all;
}

std::string textOf(const Attribute &attribute) {
  if (attribute.type != kString)
    return "";
  const auto &span = *static_cast<const Span *>(attribute.value);
  return {span.data, span.size};
}

/// The function of an object that the call brings along; null with the error raised.
const FairleadXlaFunction *load(const Frame &frame, int64_t program) {
  const std::string name = textOf(find(frame.attributes, "fairlead_name"));
  const Attribute object = find(frame.attributes, "fairlead_object");
  FairleadXlaLoader loader = programs().loader;
  if (object.type != kArray || !loader) {
    runtime::raise(nullptr, Diagnostic::XlaProgram, {{"name", name}});
    return nullptr;
  }
  // One thread loads what several devices wait for.
  std::lock_guard lock(programs().loading);
  if (const FairleadXlaFunction *known = programs().find(program))
    return known;
  const auto &bytes = *static_cast<const Array *>(object.value);
  const FairleadXlaFunction *loaded = loader(bytes.data, bytes.count, name.c_str());
  if (loaded)
    FairleadXlaAddProgram(program, loaded);
  return loaded;
}

const FairleadXlaFunction *functionOf(const Frame &frame) {
  const Attribute number = find(frame.attributes, "fairlead_program");
  int64_t program = 0;
  if (number.type == kScalar)
    program = *static_cast<const int64_t *>(static_cast<const Scalar *>(number.value)->value);
  if (const FairleadXlaFunction *known = programs().find(program))
    return known;
  return load(frame, program);
}

void *callProgram(void *opaque, int32_t deviceType, bool commandBuffer) {
  auto *frame = static_cast<Frame *>(opaque);
  if (answersMetadata(frame, commandBuffer))
    return nullptr;
  try {
    // Before XLA records a graph it initialises, and nothing is to be loaded while it records.
    const FairleadXlaFunction *function = functionOf(*frame);
    return function ? call(*frame, *function, deviceType) : takeRaised(*frame);
  } catch (const std::exception &error) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", error.what());
    return takeRaised(*frame);
  }
}

/// The arguments of a handler that was made at run time.
struct HandlerContext {
  const FairleadXlaFunction *function;
  int32_t deviceType;
  bool commandBuffer;
};

void *callHandler(void *opaque, const HandlerContext *context) {
  auto *frame = static_cast<Frame *>(opaque);
  if (answersMetadata(frame, context->commandBuffer))
    return nullptr;
  return call(*frame, *context->function, context->deviceType);
}

} // namespace

extern "C" {

void *FairleadXlaCall(void *frame, const FairleadXlaFunction *function, int32_t device_type) {
  if (answersMetadata(static_cast<Frame *>(frame), device_type != kDLCPU))
    return nullptr;
  return call(*static_cast<Frame *>(frame), *function, device_type);
}

void *FairleadXlaHandler(const FairleadXlaFunction *function, int32_t device_type,
                         int32_t command_buffer) {
  auto *context = new (std::nothrow) HandlerContext{function, device_type, command_buffer != 0};
  void *made = context ? makeThunk(reinterpret_cast<void *>(callHandler), context, 1) : nullptr;
  if (!made) {
    delete context;
    runtime::raise(nullptr, Diagnostic::HandlerCode, {{"function", function->name}});
  }
  return made;
}

void FairleadXlaAddProgram(int64_t program, const FairleadXlaFunction *function) {
  std::unique_lock lock(programs().mutex);
  programs().functions.try_emplace(program, function);
}

void FairleadXlaSetLoader(FairleadXlaLoader loader) { programs().loader = loader; }

void *FairleadXlaCpu(void *frame) { return callProgram(frame, kDLCPU, false); }
void *FairleadXlaCuda(void *frame) { return callProgram(frame, kDLCUDA, true); }
void *FairleadXlaCudaEager(void *frame) { return callProgram(frame, kDLCUDA, false); }

} // extern "C"
