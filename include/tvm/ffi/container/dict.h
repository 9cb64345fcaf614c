/// Dict<K, V>: a map that all its references share and may write to. Keeps the order of insertion.
#ifndef TVM_FFI_CONTAINER_DICT_H_
#define TVM_FFI_CONTAINER_DICT_H_

#include <tvm/ffi/inner/map_ref.h>

#include <initializer_list>
#include <utility>

namespace tvm {
namespace ffi {

/// The object behind a Dict.
class DictObj : public MapBaseObj {
public:
  static constexpr int32_t _type_index = kTVMFFIDict;
  static constexpr bool _type_final = true;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIDict, DictObj, Object)

  /// An empty object with room for `count` entries.
  static ObjectPtr<DictObj> Empty(uint64_t count = 0) { return Create<DictObj>(count); }
  /// A new object with the same entries.
  ObjectPtr<DictObj> ShallowCopy() const { return CopyOf<DictObj>(*this); }
};
static_assert(sizeof(DictObj) == 56, "layout of Dict");

/// A map of K to V that is shared. Never null (but after it was moved from, when it reads as
/// empty). One thread at a time may write, and nobody else then read.
template <typename K, typename V, typename = std::enable_if_t<detail::all_storage_enabled_v<K, V>>>
class Dict : public inner::MapRef<DictObj, K, V> {
  using Base = inner::MapRef<DictObj, K, V>;

public:
  using typename Base::iterator;

  Dict() : Base(ObjectPtr<Object>(DictObj::Empty())) {}
  explicit Dict(UnsafeInit tag) : Base(tag) {}
  explicit Dict(ObjectPtr<Object> n) : Base(std::move(n)) { this->requireObject(); }
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Dict);
  Dict(std::initializer_list<std::pair<K, V>> list) : Dict(list.begin(), list.end()) {}
  template <typename Iterator,
            typename = typename std::iterator_traits<Iterator>::iterator_category>
  Dict(Iterator begin, Iterator end) : Base(inner::makeMap<DictObj, K, V>(begin, end)) {}
  /// Of a std::unordered_map, std::map and the like.
  template <typename StdMap, typename = std::enable_if_t<inner::isStdMap<StdMap>>>
  Dict(const StdMap &map) : Dict(map.begin(), map.end()) {} // NOLINT(*)
  template <typename KU, typename VU,
            typename = std::enable_if_t<!(std::is_same_v<K, KU> && std::is_same_v<V, VU>) &&
                                        type_subsumes_v<K, KU> && type_subsumes_v<V, VU>>>
  Dict(const Dict<KU, VU> &other) // NOLINT(*)
      : Base(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(other)) {}
  template <typename KU, typename VU,
            typename = std::enable_if_t<!(std::is_same_v<K, KU> && std::is_same_v<V, VU>) &&
                                        type_subsumes_v<K, KU> && type_subsumes_v<V, VU>>>
  Dict(Dict<KU, VU> &&other) // NOLINT(*)
      : Base(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(std::move(other))) {}

  // One that was moved from starts anew when it is written to.

  /// Gives a key its value.
  void Set(const K &key, const V &value) { writable()->Set(Any(key), Any(value)); }
  /// Removes a key, where it is there.
  void erase(const K &key) {
    Any k(key);
    writable()->erase(k);
  }
  void erase(const iterator &position) {
    if (position != this->end())
      erase((*position).first);
  }
  void clear() {
    if (this->data_)
      this->obj()->clear();
  }
  DictObj *GetDictObj() const { return this->obj(); }

private:
  DictObj *writable() {
    if (!this->data_)
      this->data_ = DictObj::Empty();
    return this->obj();
  }
};

template <typename KBase, typename VBase, typename K, typename V>
inline constexpr bool type_subsumes_v<Dict<KBase, VBase>, Dict<K, V>> =
    type_subsumes_v<KBase, K> && type_subsumes_v<VBase, V>;

template <typename K, typename V>
inline constexpr bool use_default_type_traits_v<Dict<K, V>> = false;

template <typename K, typename V>
struct TypeTraits<Dict<K, V>> : inner::MapTraits<Dict<K, V>, K, V, kTVMFFIDict> {};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_DICT_H_
