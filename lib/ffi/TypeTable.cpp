/// Type indices and their entries.
#include "TypeTable.h"

#include <mutex>

#include "Boundary.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

namespace {
struct StaticType {
  int32_t index;
  const char *key;
};

// The plain types are roots.
constexpr StaticType kPlainTypes[] = {
    {kTVMFFINone, StaticTypeKey::kTVMFFINone},
    {kTVMFFIInt, StaticTypeKey::kTVMFFIInt},
    {kTVMFFIBool, StaticTypeKey::kTVMFFIBool},
    {kTVMFFIFloat, StaticTypeKey::kTVMFFIFloat},
    {kTVMFFIOpaquePtr, StaticTypeKey::kTVMFFIOpaquePtr},
    {kTVMFFIDataType, StaticTypeKey::kTVMFFIDataType},
    {kTVMFFIDevice, StaticTypeKey::kTVMFFIDevice},
    {kTVMFFIDLTensorPtr, StaticTypeKey::kTVMFFIDLTensorPtr},
    {kTVMFFIRawStr, StaticTypeKey::kTVMFFIRawStr},
    {kTVMFFIByteArrayPtr, StaticTypeKey::kTVMFFIByteArrayPtr},
    {kTVMFFIObjectRValueRef, StaticTypeKey::kTVMFFIObjectRValueRef},
    {kTVMFFISmallStr, StaticTypeKey::kTVMFFISmallStr},
    {kTVMFFISmallBytes, StaticTypeKey::kTVMFFISmallBytes},
    {kTVMFFIUnchanged, StaticTypeKey::kTVMFFIUnchanged},
};

// The objects below ffi.Object.
constexpr StaticType kObjectTypes[] = {
    {kTVMFFIStr, StaticTypeKey::kTVMFFIStr},
    {kTVMFFIBytes, StaticTypeKey::kTVMFFIBytes},
    {kTVMFFIError, StaticTypeKey::kTVMFFIError},
    {kTVMFFIFunction, StaticTypeKey::kTVMFFIFunction},
    {kTVMFFIShape, StaticTypeKey::kTVMFFIShape},
    {kTVMFFITensor, StaticTypeKey::kTVMFFITensor},
    {kTVMFFIArray, StaticTypeKey::kTVMFFIArray},
    {kTVMFFIMap, StaticTypeKey::kTVMFFIMap},
    {kTVMFFIModule, StaticTypeKey::kTVMFFIModule},
    {kTVMFFIOpaquePyObject, StaticTypeKey::kTVMFFIOpaquePyObject},
    {kTVMFFIList, StaticTypeKey::kTVMFFIList},
    {kTVMFFIDict, StaticTypeKey::kTVMFFIDict},
    {kTVMFFIVisitInterrupt, StaticTypeKey::kTVMFFIVisitInterrupt},
    {kTVMFFIBigInt, StaticTypeKey::kTVMFFIBigInt},
};

// Stands for every index that no type has: no object is an instance of it, nor it of any type.
constexpr char kUnknownKey[] = "<unknown type>";
const TVMFFITypeInfo unknownType = {
    -2, 0, {kUnknownKey, sizeof(kUnknownKey) - 1}, nullptr, 0, 0, 0, nullptr, nullptr, nullptr};
} // namespace

TypeTable &TypeTable::get() {
  static auto *table = new TypeTable;
  return *table;
}

TypeTable::TypeTable() {
  for (const StaticType &type : kPlainTypes)
    create(type.key, type.index, 0, true, nullptr);
  Entry *object = create(StaticTypeKey::kTVMFFIObject, kTVMFFIObject, 0, true, nullptr);
  for (const StaticType &type : kObjectTypes)
    create(type.key, type.index, 0, true, object);
  // Inline code looks these up once and remembers the result.
  for (const char *name : {"__any_hash__", "__any_equal__", "__ffi_enum__"})
    column(name);
}

TypeTable::Entry *TypeTable::entry(int32_t index) const {
  if (index < 0 || index >= kChunkSize * kNumChunks)
    return nullptr;
  Chunk *chunk = chunks[index / kChunkSize].load(std::memory_order_acquire);
  return chunk ? (*chunk)[index % kChunkSize].load(std::memory_order_acquire) : nullptr;
}

const TVMFFITypeInfo *TypeTable::find(int32_t index) const { return entry(index); }

TypeTable::Entry &TypeTable::requireEntry(int32_t index) const {
  Entry *result = entry(index);
  if (!result)
    TVM_FFI_THROW(InternalError) << "Cannot find a type of index " << index;
  return *result;
}

int32_t TypeTable::findIndex(std::string_view key) const {
  std::shared_lock lock(mutex);
  auto it = byKey.find(key);
  return it == byKey.end() ? -2 : it->second->type_index;
}

std::vector<std::string> TypeTable::keys() const {
  std::shared_lock lock(mutex);
  std::vector<std::string> result;
  for (const auto &[key, entry] : byKey)
    result.emplace_back(key);
  return result;
}

TypeTable::Entry *TypeTable::create(std::string_view key, int32_t index, int32_t childSlots,
                                    bool canOverflow, Entry *parent) {
  if (index < 0 || index >= kChunkSize * kNumChunks)
    TVM_FFI_THROW(InternalError) << "Type index " << index << " of `" << key << "` is out of range";
  if (Entry *taken = entry(index))
    TVM_FFI_THROW(InternalError) << "Type index " << index << " of `" << key
                                 << "` is already taken by `" << taken->type_key.data << "`";
  auto *fresh = new Entry;
  static_cast<TVMFFITypeInfo &>(*fresh) = TVMFFITypeInfo{};
  fresh->type_index = index;
  fresh->type_key = intern(key);
  fresh->type_key_hash = std::hash<std::string_view>()(key);
  if (parent) {
    fresh->ancestors = parent->ancestors;
    fresh->ancestors.push_back(parent);
  }
  fresh->type_depth = static_cast<int32_t>(fresh->ancestors.size());
  fresh->type_ancestors = fresh->ancestors.data();
  fresh->numSlots = childSlots + 1;
  fresh->canOverflow = canOverflow && (!parent || parent->canOverflow);

  std::atomic<Chunk *> &chunk = chunks[index / kChunkSize];
  if (!chunk.load(std::memory_order_relaxed))
    chunk.store(new Chunk{}, std::memory_order_release);
  (*chunk.load(std::memory_order_relaxed))[index % kChunkSize].store(fresh,
                                                                     std::memory_order_release);
  byKey.emplace(viewOf(&fresh->type_key), fresh);
  return fresh;
}

int32_t TypeTable::allocateIndex(std::string_view key, int32_t childSlots, Entry &parent) {
  int32_t needed = childSlots + 1;
  if (needed <= parent.numSlots - parent.usedSlots) {
    int32_t index = parent.type_index + parent.usedSlots;
    parent.usedSlots += needed;
    return index;
  }
  if (!parent.canOverflow)
    TVM_FFI_THROW(InternalError) << "Reach maximum number of sub-classes for "
                                 << parent.type_key.data << " with `" << key << "`";
  if (childSlots > kChunkSize * kNumChunks - 1 - nextDynamicIndex)
    TVM_FFI_THROW(InternalError) << "`" << key << "` asks for " << childSlots
                                 << " child slots, more than there are left";
  int32_t index = nextDynamicIndex;
  nextDynamicIndex += needed;
  return index;
}

int32_t TypeTable::getOrAllocIndex(std::string_view key, int32_t staticIndex, int32_t depth,
                                   int32_t childSlots, bool childSlotsCanOverflow,
                                   int32_t parentIndex) {
  int32_t known = findIndex(key);
  if (known != -2 || parentIndex == -2)
    return known;
  std::unique_lock lock(mutex);
  if (auto it = byKey.find(key); it != byKey.end())
    return it->second->type_index;
  if (childSlots < 0)
    TVM_FFI_THROW(InternalError) << "`" << key << "` asks for " << childSlots << " child slots";
  Entry *parent = parentIndex >= 0 ? &requireEntry(parentIndex) : nullptr;
  int32_t expectedDepth = parent ? parent->type_depth + 1 : 0;
  if (depth != expectedDepth)
    TVM_FFI_THROW(InternalError) << "Type depth of `" << key << "` is " << depth
                                 << ", but its parent's makes it " << expectedDepth;
  if (staticIndex < 0) {
    if (!parent)
      TVM_FFI_THROW(InternalError) << "`" << key << "` has neither a static index nor a parent";
    staticIndex = allocateIndex(key, childSlots, *parent);
  }
  return create(key, staticIndex, childSlots, childSlotsCanOverflow, parent)->type_index;
}

TVMFFIByteArray TypeTable::intern(std::string_view text) {
  strings.emplace_back(text);
  return bytesOf(strings.back());
}

TVMFFIAny TypeTable::retain(const TVMFFIAny &value) {
  values.emplace_back(AnyView::CopyFromTVMFFIAny(value));
  return *detail::AnyUnsafe::TVMFFIAnyPtrFromAny(values.back());
}

//===----------------------------------------------------------------------===//
// The C functions
//===----------------------------------------------------------------------===//

int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray *type_key, int32_t static_type_index,
                                  int32_t type_depth, int32_t num_child_slots,
                                  int32_t child_slots_can_overflow, int32_t parent_type_index) {
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  return TypeTable::get().getOrAllocIndex(viewOf(type_key), static_type_index, type_depth,
                                          num_child_slots, child_slots_can_overflow != 0,
                                          parent_type_index);
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFITypeGetOrAllocIndex);
}

int TVMFFITypeKeyToIndex(const TVMFFIByteArray *type_key, int32_t *out_tindex) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(type_key, "TVMFFITypeKeyToIndex", "type_key");
  requireArgument(out_tindex, "TVMFFITypeKeyToIndex", "out_tindex");
  int32_t index = TypeTable::get().findIndex(viewOf(type_key));
  if (index == -2)
    TVM_FFI_THROW(InternalError) << "Cannot find type `" << viewOf(type_key) << "`";
  *out_tindex = index;
  TVM_FFI_SAFE_CALL_END();
}

const TVMFFITypeInfo *TVMFFIGetTypeInfo(int32_t type_index) {
  const TVMFFITypeInfo *info = TypeTable::get().find(type_index);
  // Error texts look up the type of any value: a bad index must not end the process.
  return TVM_FFI_PREDICT_TRUE(info != nullptr) ? info : &unknownType;
}

TVM_FFI_STATIC_INIT_BLOCK() { TypeTable::get(); }
