/// Shared code for showing, comparing, hashing and copying values.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "FieldAccess.h"
#include "tvm/ffi/container/map_base.h"
#include "tvm/ffi/enum.h"
#include "tvm/ffi/function.h"

namespace tvm::ffi {

/// The deepest nesting of values. Each level takes stack, which has a few megabytes.
constexpr int kMaxNesting = 5000;
constexpr size_t kMaxNestingStack = size_t(4) << 20;

/// Counts the levels of a walk; ValueError past kMaxNesting.
class NestingGuard {
public:
  NestingGuard(int &level, const char *who) : level(level) {
    const char *here = static_cast<const char *>(__builtin_frame_address(0));
    static thread_local const char *first;
    if (level == 0)
      first = here;
    size_t stack = static_cast<size_t>(here < first ? first - here : here - first);
    if (++level > kMaxNesting || stack > kMaxNestingStack) {
      --level;
      TVM_FFI_THROW(ValueError) << who << ": values are nested more than " << level
                                << " levels deep";
    }
  }
  ~NestingGuard() { --level; }
  NestingGuard(const NestingGuard &) = delete;
  NestingGuard &operator=(const NestingGuard &) = delete;

private:
  int &level;
};

/// Keeps something in a set while it is walked; `fresh` is false if it is being walked already.
template <typename T> class Entered {
public:
  Entered(std::set<T> &open, T what) : open(open) {
    auto [at, inserted] = open.insert(std::move(what));
    place = at;
    fresh = inserted;
  }
  ~Entered() {
    if (fresh)
      open.erase(place);
  }
  Entered(const Entered &) = delete;
  Entered &operator=(const Entered &) = delete;

  bool fresh;

private:
  std::set<T> &open;
  typename std::set<T>::iterator place;
};

inline const Object *objectOf(AnyView value) {
  return reinterpret_cast<const Object *>(value.CopyToTVMFFIAny().v_obj);
}

/// The values of an Array or List.
struct SequenceView {
  explicit SequenceView(const Object *object) {
    auto *cell = reinterpret_cast<const TVMFFISeqCell *>(reinterpret_cast<const char *>(object) +
                                                         sizeof(TVMFFIObject));
    first = static_cast<const Any *>(cell->data);
    count = cell->size;
  }
  const Any *begin() const { return first; }
  const Any *end() const { return first + count; }

  const Any *first;
  int64_t count;
};

inline bool isSequence(int32_t type) { return type == kTVMFFIArray || type == kTVMFFIList; }
inline bool isMapping(int32_t type) { return type == kTVMFFIMap || type == kTVMFFIDict; }
inline bool isText(int32_t type) { return type == kTVMFFIStr || type == kTVMFFISmallStr; }
inline bool isBytes(int32_t type) { return type == kTVMFFIBytes || type == kTVMFFISmallBytes; }

inline std::string_view contentOf(const TVMFFIAny &value) {
  TVMFFIByteArray bytes = inner::ownedBytes(value);
  return std::string_view(bytes.data, bytes.size);
}

/// The hash of a value that holds no other; nothing of one that may.
inline std::optional<uint64_t> hashOfLeaf(const TVMFFIAny &value) {
  if (value.type_index < kTVMFFIStaticObjectBegin || isText(value.type_index) ||
      isBytes(value.type_index))
    return inner::hashValue(value);
  if (value.type_index != kTVMFFIBigInt)
    return std::nullopt;
  TVMFFIByteArray words = TVMFFIBigIntGetContentByteArray(&value);
  return detail::StableHashCombine(kTVMFFIBigInt, detail::StableHashBytes(words.data, words.size));
}

inline const MapBaseObj *mapOf(const Object *object) {
  return static_cast<const MapBaseObj *>(object);
}

/// True if an object is the only one with its name in its enum.
inline bool isRegisteredEnum(const Object *object) {
  if (!object->IsInstance<EnumObj>())
    return false;
  std::optional<EnumState> state = EnumObj::StateOf(object->type_index());
  if (!state)
    return false;
  std::optional<ObjectRef> registered =
      (*state)->indexes.Get(static_cast<const EnumObj *>(object)->_str_index);
  return registered && registered->get() == object;
}

} // namespace tvm::ffi
