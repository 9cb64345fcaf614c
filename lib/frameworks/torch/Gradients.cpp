// Torch's C interface has no way to ask whether a tensor requires grad, and none to hand a call on
// to the keys below autograd (its aoti_torch_call_dispatcher starts again at the top, and makes
// symbolic integers plain). So this kernel has the calling convention of c10's boxed kernels, and
// ends in the kernel that torch itself registers for operators without a derivative.

#include "frameworks/torch/Kernel.h"

#include <dlfcn.h>

#include <cstring>
#include <vector>

#include "frameworks/Thunk.h"
#include "runtime/Raise.h"

namespace fairlead::frameworks::torch {
namespace {

/// c10::IValue.
struct Value {
  const void *payload; ///< the TensorImpl of a tensor
  uint32_t tag;
};

/// torch::jit::Stack, a vector. Arguments are at its end.
struct Stack {
  const Value *begin, *end, *capacity;
};

/// c10::BoxedKernel's function. The set of keys is passed as an integer.
using BoxedFunction = void (*)(const void *functor, const void *op, uint64_t keys, Stack *stack);

struct Context {
  const Shim *shim;
  BoxedFunction next;
  std::string name, schema;
  ptrdiff_t numArguments;
  std::vector<int32_t> tensors; ///< numbers of the arguments that are tensors
  uint32_t tensorTag;
};

[[noreturn, gnu::cold]] void refuse(const Context &context, int32_t argument) {
  runtime::raise(nullptr, Diagnostic::TorchGradient,
                 {{"function", context.name}, {"name", argumentName(context.schema, argument)}});
  throwRaised();
}

void runAboveAutograd(const Context *context, const void *op, uint64_t keys, Stack *stack) {
  const Value *arguments = stack->end - context->numArguments;
  for (int32_t index : context->tensors) {
    const Value &value = arguments[index];
    if (value.tag == context->tensorTag && context->shim->autograd.requiresGrad(value.payload) &&
        context->shim->autograd.isEnabled()) [[unlikely]]
      refuse(*context, index);
  }
  context->next(nullptr, op, keys, stack);
}

/// Returns the tag of tensors, or -1 if a c10::IValue is laid out in another way than Value.
int64_t tagOfTensors(const Shim &shim) {
  Handle tensor = nullptr;
  void *value = nullptr;
  if (shim.emptyStrided(0, nullptr, nullptr, shim.codeOf({kDLFloat, 32, 1}), shim.cpu, 0, &tensor))
    return -1;
  int64_t tag = -1;
  if (!shim.autograd.toValue(tensor, &value)) {
    Value tensorValue;
    std::memcpy(&tensorValue, value, sizeof tensorValue);
    if (!std::memcmp(&tensorValue.payload, tensor, sizeof tensorValue.payload))
      tag = tensorValue.tag;
    shim.autograd.deleteValue(value);
  }
  shim.deleteTensor(tensor);
  return tag;
}

void *baseOf(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

/// Returns the place of the boxed function in a torch::CppFunction, null if it is not as expected:
/// the only address of torch's library at the front.
BoxedFunction *functionIn(CppFunction &function, const Shim &shim) {
  constexpr int kWords = 6; // the key, and the parts of c10::KernelFunction
  void *words[kWords];
  std::memcpy(words, function.bytes, sizeof words);
  const void *base = baseOf(reinterpret_cast<const void *>(shim.autograd.makeFallback));
  int place = -1;
  for (int i = 0; i < kWords; ++i) {
    if (!words[i] || baseOf(words[i]) != base)
      continue;
    if (place >= 0)
      return nullptr;
    place = i;
  }
  if (place < 0)
    return nullptr;
  return reinterpret_cast<BoxedFunction *>(function.bytes + sizeof(void *) * place);
}

} // namespace

bool refuseGradients(const Shim &shim, Handle autograd, const char *nameSpace,
                     const std::string &schema, const FairleadTorchKernel &kernel) {
  static const int64_t tensorTag = shim.autograd.makeFallback ? tagOfTensors(shim) : -1;
  if (tensorTag < 0)
    return true;
  const std::string name = schema.substr(0, schema.find('('));
  struct Fallback {
    CppFunction function;
    const Shim &shim;
    ~Fallback() { shim.autograd.destroy(&function); }
  } fallback{shim.autograd.makeFallback(), shim};
  BoxedFunction *boxed = functionIn(fallback.function, shim);
  if (!boxed)
    return true;
  // Torch keeps registrations until the process ends, so nobody deletes it.
  auto *context = new Context{&shim,
                              *boxed,
                              "torch.ops." + std::string(nameSpace) + "." + name,
                              schema,
                              kernel.num_inputs,
                              {},
                              static_cast<uint32_t>(tensorTag)};
  for (int i = 0; i < kernel.num_params; ++i)
    if (kernel.params[i].kind == kFairleadTorchTensor && kernel.params[i].input >= 0)
      context->tensors.push_back(kernel.params[i].input);
  void *thunk = makeThunk(reinterpret_cast<void *>(runAboveAutograd), context, 0);
  if (!thunk) {
    delete context;
    runtime::raise(nullptr, Diagnostic::HandlerCode, {{"function", kernel.name}});
    return false;
  }
  *boxed = reinterpret_cast<BoxedFunction>(thunk);
  shim.autograd.implement(autograd, name.c_str(), fallback.function, 0);
  return true;
}

} // namespace fairlead::frameworks::torch
