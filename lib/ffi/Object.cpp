/// Objects: reference counts, objects around foreign handles, the allocator and the version.
#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "Boundary.h"
#include "tvm/ffi/function.h"
#include "tvm/ffi/memory.h"
#include "tvm/ffi/object.h"

using namespace tvm::ffi;

namespace {

/// An object that carries a foreign handle, such as a Python object.
class OpaqueObj : public Object, public TVMFFIOpaqueObjectCell {
public:
  OpaqueObj(void *foreign, void (*deleter)(void *)) : deleter(deleter) { this->handle = foreign; }
  ~OpaqueObj() {
    if (deleter)
      deleter(this->handle);
  }
  static int32_t RuntimeTypeIndex() { return kTVMFFIOpaquePyObject; }

private:
  void (*deleter)(void *);
};

/// Lies right before an object of the built-in allocator.
struct BlockHeader {
  void *block;
  TVMFFIObjectAllocHeader header;
};

void freeBlock(void *object) { std::free(static_cast<BlockHeader *>(object)[-1].block); }

void *allocateBlock(size_t size, size_t alignment, int32_t, void *) {
  size_t align = std::max(alignment, alignof(std::max_align_t));
  size_t lead = std::max(align, sizeof(BlockHeader));
  void *block = nullptr;
  if (size > SIZE_MAX - lead || posix_memalign(&block, align, size + lead) != 0)
    return nullptr;
  char *object = static_cast<char *>(block) + lead;
  reinterpret_cast<BlockHeader *>(object)[-1] = BlockHeader{block, {freeBlock}};
  return object;
}

/// True if the last strong reference was released while weak references keep the memory. Only a
/// sanitizer can detect an object without any reference.
bool isGone(TVMFFIObjectHandle handle) {
  return (__atomic_load_n(&static_cast<TVMFFIObject *>(handle)->combined_ref_count,
                          __ATOMIC_RELAXED) &
          inner::kCountStrongMask) == 0;
}

TVM_FFI_COLD_CODE int raiseBadHandle(TVMFFIObjectHandle handle, const char *function) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(handle, function, "obj");
  TVM_FFI_THROW(RuntimeError) << function
                              << ": the object has no reference left; one was released "
                                 "twice";
  TVM_FFI_SAFE_CALL_END();
}

TVMFFICustomAllocator builtinAllocator = {allocateBlock, nullptr};
std::atomic<TVMFFICustomAllocator *> currentAllocator{&builtinAllocator};

} // namespace

void TVMFFIGetVersion(TVMFFIVersion *out_version) {
  if (!out_version)
    return;
  *out_version = TVMFFIVersion{TVM_FFI_VERSION_MAJOR, TVM_FFI_VERSION_MINOR, TVM_FFI_VERSION_PATCH};
}

int TVMFFIObjectIncRef(TVMFFIObjectHandle obj) {
  if (TVM_FFI_PREDICT_FALSE(!obj || isGone(obj)))
    return raiseBadHandle(obj, "TVMFFIObjectIncRef");
  detail::ObjectUnsafe::IncRefObjectHandle(obj);
  return 0;
}

int TVMFFIObjectDecRef(TVMFFIObjectHandle obj) {
  if (TVM_FFI_PREDICT_FALSE(obj && isGone(obj)))
    return raiseBadHandle(obj, "TVMFFIObjectDecRef");
  detail::ObjectUnsafe::DecRefObjectHandle(obj);
  return 0;
}

int TVMFFIObjectCreateOpaque(void *handle, int32_t type_index, void (*deleter)(void *),
                             TVMFFIObjectHandle *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(out, "TVMFFIObjectCreateOpaque", "out");
  if (type_index != kTVMFFIOpaquePyObject)
    TVM_FFI_THROW(RuntimeError) << "Only kTVMFFIOpaquePyObject is supported for now";
  *out =
      detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(make_object<OpaqueObj>(handle, deleter));
  TVM_FFI_SAFE_CALL_END();
}

TVMFFICustomAllocator *TVMFFIGetCustomAllocator(void) {
  return currentAllocator.load(std::memory_order_acquire);
}

int TVMFFISetCustomAllocator(TVMFFICustomAllocator *allocator) {
  currentAllocator.store(allocator ? allocator : &builtinAllocator, std::memory_order_release);
  return 0;
}
