/// What Map and Dict share: reading.
#ifndef TVM_FFI_INNER_MAP_REF_H_
#define TVM_FFI_INNER_MAP_REF_H_

#include <tvm/ffi/container/container_detail.h>
#include <tvm/ffi/container/map_base.h>

#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {
namespace inner {

/// A key as it is looked up: lent, for as long as the key is there.
template <typename K> TVM_FFI_INLINE TVMFFIAny lendKey(const K &key) {
  TVMFFIAny result;
  TypeTraits<K>::CopyToAnyView(key, &result);
  return result;
}

/// Reads a map object's entries as pairs of K and V.
template <typename K, typename V> class MapIterator {
public:
  using iterator_category = std::bidirectional_iterator_tag;
  using difference_type = std::ptrdiff_t;
  // Const, so that a loop can say `auto &`.
  using value_type = const std::pair<K, V>;
  using reference = value_type;
  /// Holds the pair while a member of it is read.
  class pointer {
  public:
    explicit pointer(const MapIterator &at) : pair(*at) {}
    value_type *operator->() const { return &pair; }
    value_type &operator*() const { return pair; }

  private:
    value_type pair;
  };

  MapIterator() = default;
  MapIterator(uint64_t index, const MapBaseObj *self) : index(index), self(self) {}

  bool operator==(const MapIterator &other) const { return index == other.index; }
  bool operator!=(const MapIterator &other) const { return index != other.index; }
  reference operator*() const {
    const MapEntry &entry = self->entry(index);
    return value_type(readStored<K>(entry.first), readStored<V>(entry.second));
  }
  pointer operator->() const { return pointer(*this); }
  MapIterator &operator++() {
    index = self->nextIndex(index);
    return *this;
  }
  MapIterator &operator--() {
    index = self->prevIndex(index);
    return *this;
  }
  MapIterator operator++(int) {
    MapIterator old = *this;
    ++*this;
    return old;
  }
  MapIterator operator--(int) {
    MapIterator old = *this;
    --*this;
    return old;
  }

  uint64_t Index() const { return index; }

private:
  uint64_t index = kNoMapEntry;
  const MapBaseObj *self = nullptr;
};

/// A reference to a map object: what does not write. Null, after it was moved from, it reads as
/// empty.
template <typename ObjectType, typename K, typename V> class MapRef : public ObjectRef {
public:
  using key_type = K;
  using mapped_type = V;
  using value_type = std::pair<K, V>;
  using iterator = MapIterator<K, V>;
  using const_iterator = iterator;
  using ContainerType = ObjectType;
  static constexpr bool _type_is_nullable = false;
  static constexpr bool _type_container_is_exact = std::is_same_v<K, Any> && std::is_same_v<V, Any>;

  size_t size() const { return data_ ? obj()->size() : 0; }
  bool empty() const { return size() == 0; }
  /// The value of a key; KeyError where it has none.
  V at(const K &key) const {
    uint64_t index = indexOf(key);
    if (TVM_FFI_PREDICT_FALSE(index == kNoMapEntry))
      throwNoKey();
    return readStored<V>(obj()->entry(index).second);
  }
  V operator[](const K &key) const { return at(key); }
  size_t count(const K &key) const { return indexOf(key) != kNoMapEntry; }
  std::optional<V> Get(const K &key) const {
    uint64_t index = indexOf(key);
    if (index == kNoMapEntry)
      return std::nullopt;
    return readStored<V>(obj()->entry(index).second);
  }
  iterator find(const K &key) const { return iterator(indexOf(key), obj()); }
  iterator begin() const { return iterator(data_ ? obj()->firstIndex() : kNoMapEntry, obj()); }
  iterator end() const { return iterator(kNoMapEntry, obj()); }

  const ObjectType *operator->() const { return obj(); }
  const ObjectType *get() const { return obj(); }

protected:
  explicit MapRef(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {}
  explicit MapRef(UnsafeInit tag) : ObjectRef(tag) {}

  void requireObject() const { TVM_FFI_ICHECK_NOTNULL(data_.get()); }
  ObjectType *obj() const { return static_cast<ObjectType *>(data_.get()); }
  uint64_t indexOf(const K &key) const {
    return data_ ? obj()->findIndex(lendKey<K>(key)) : kNoMapEntry;
  }

private:
  [[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE static void throwNoKey() {
    throwAt("KeyError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG, "key is not in Map");
  }
};

/// A map object of the pairs of a range.
template <typename ObjectType, typename K, typename V, typename Iterator>
ObjectPtr<Object> makeMap(Iterator begin, Iterator end) {
  ObjectPtr<ObjectType> result =
      ObjectType::Empty(static_cast<uint64_t>(std::distance(begin, end)));
  for (; begin != end; ++begin) {
    const auto &kv = *begin;
    result->Set(Any(K(kv.first)), Any(V(kv.second)));
  }
  return result;
}

/// Whether T is an associative container of the standard library, or alike.
template <typename T, typename = void> inline constexpr bool isStdMap = false;
template <typename T>
inline constexpr bool isStdMap<
    T, std::void_t<typename T::mapped_type, typename T::key_type, typename T::allocator_type>> =
    true;

/// The traits of Map and Dict: entries of either kind are accepted, and copied unless the object
/// is of the right kind and fits as it is.
template <typename Ref, typename K, typename V, int32_t Index>
struct MapTraits : ObjectRefTypeTraitsBase<Ref> {
  static constexpr int32_t field_static_type_index = Index;
  using Base = ObjectRefTypeTraitsBase<Ref>;
  static constexpr const char *kName = Index == kTVMFFIMap ? "Map" : "Dict";

  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return src->type_index == Index && holdsOnly(src);
  }
  static std::optional<Ref> TryCastFromAnyView(const TVMFFIAny *src) {
    if (!isMap(src))
      return std::nullopt;
    if (CheckAnyStrict(src))
      return Base::CopyFromAnyViewAfterCheck(src);
    Ref result;
    const MapBaseObj *map = mapOf(src);
    for (uint64_t i = map->firstIndex(); i != kNoMapEntry; i = map->nextIndex(i)) {
      std::optional<K> key = map->entry(i).first.template try_cast<K>();
      if (!key)
        return std::nullopt;
      std::optional<V> value = map->entry(i).second.template try_cast<V>();
      if (!value)
        return std::nullopt;
      result.Set(*std::move(key), *std::move(value));
    }
    return result;
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny *src) {
    if (!isMap(src))
      return TypeTraitsBase::GetMismatchTypeInfo(src);
    const MapBaseObj *map = mapOf(src);
    for (uint64_t i = map->firstIndex(); i != kNoMapEntry; i = map->nextIndex(i)) {
      const MapEntry &entry = map->entry(i);
      if constexpr (!std::is_same_v<K, Any>) {
        if (!entry.first.template try_cast<K>())
          return concat(kName, "[some key is ",
                        detail::AnyUnsafe::GetMismatchTypeInfo<K>(entry.first), ", V]");
      }
      if constexpr (!std::is_same_v<V, Any>) {
        if (!entry.second.template try_cast<V>())
          return concat(kName, "[K, some value is ",
                        detail::AnyUnsafe::GetMismatchTypeInfo<V>(entry.second), "]");
      }
    }
    return TypeTraitsBase::GetMismatchTypeInfo(src);
  }
  static std::string TypeStr() {
    return concat(kName, "<", TypeTraits<K>::TypeStr(), ", ", TypeTraits<V>::TypeStr(), ">");
  }
  static std::string TypeSchema() {
    return concat("{\"type\":\"ffi.", kName, "\",\"args\":[", TypeTraits<K>::TypeSchema(), ",",
                  TypeTraits<V>::TypeSchema(), "]}");
  }

private:
  static bool isMap(const TVMFFIAny *src) {
    return src->type_index == kTVMFFIMap || src->type_index == kTVMFFIDict;
  }
  static const MapBaseObj *mapOf(const TVMFFIAny *src) {
    return static_cast<const MapBaseObj *>(reinterpret_cast<const Object *>(src->v_obj));
  }
  static bool holdsOnly([[maybe_unused]] const TVMFFIAny *src) {
    if constexpr (!std::is_same_v<K, Any> || !std::is_same_v<V, Any>) {
      const MapBaseObj *map = mapOf(src);
      for (uint64_t i = map->firstIndex(); i != kNoMapEntry; i = map->nextIndex(i))
        if (!detail::AnyUnsafe::CheckAnyStrict<K>(map->entry(i).first) ||
            !detail::AnyUnsafe::CheckAnyStrict<V>(map->entry(i).second))
          return false;
    }
    return true;
  }
};

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_MAP_REF_H_
