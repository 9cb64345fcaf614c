/// Map<K, V>: an immutable map that is copied when a shared one is written to. Keeps the order of
/// insertion.
#ifndef TVM_FFI_CONTAINER_MAP_H_
#define TVM_FFI_CONTAINER_MAP_H_

#include <tvm/ffi/inner/map_ref.h>

#include <initializer_list>
#include <utility>

namespace tvm {
namespace ffi {

/// The object behind a Map.
class MapObj : public MapBaseObj {
public:
  static constexpr int32_t _type_index = kTVMFFIMap;
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIMap, MapObj, Object)

  /// An empty object with room for `count` entries.
  static ObjectPtr<MapObj> Empty(uint64_t count = 0) { return Create<MapObj>(count); }
  /// A new object with the same entries.
  ObjectPtr<MapObj> ShallowCopy() const { return CopyOf<MapObj>(*this); }
};
static_assert(sizeof(MapObj) == 56, "layout of Map");

/// A map of K to V. Never null (but after it was moved from, when it reads as empty).
template <typename K, typename V, typename = std::enable_if_t<detail::all_storage_enabled_v<K, V>>>
class Map : public inner::MapRef<MapObj, K, V> {
  using Base = inner::MapRef<MapObj, K, V>;

public:
  using typename Base::iterator;

  Map() : Base(ObjectPtr<Object>(MapObj::Empty())) {}
  explicit Map(UnsafeInit tag) : Base(tag) {}
  explicit Map(ObjectPtr<Object> n) : Base(std::move(n)) { this->requireObject(); }
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Map);
  Map(std::initializer_list<std::pair<K, V>> list) : Map(list.begin(), list.end()) {}
  template <typename Iterator,
            typename = typename std::iterator_traits<Iterator>::iterator_category>
  Map(Iterator begin, Iterator end) : Base(inner::makeMap<MapObj, K, V>(begin, end)) {}
  /// Of a std::unordered_map, std::map and the like.
  template <typename StdMap, typename = std::enable_if_t<inner::isStdMap<StdMap>>>
  Map(const StdMap &map) : Map(map.begin(), map.end()) {} // NOLINT(*)
  template <typename KU, typename VU,
            typename = std::enable_if_t<!(std::is_same_v<K, KU> && std::is_same_v<V, VU>) &&
                                        type_subsumes_v<K, KU> && type_subsumes_v<V, VU>>>
  Map(const Map<KU, VU> &other) // NOLINT(*)
      : Base(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(other)) {}
  template <typename KU, typename VU,
            typename = std::enable_if_t<!(std::is_same_v<K, KU> && std::is_same_v<V, VU>) &&
                                        type_subsumes_v<K, KU> && type_subsumes_v<V, VU>>>
  Map(Map<KU, VU> &&other) // NOLINT(*)
      : Base(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(std::move(other))) {}

  /// Gives a key its value.
  void Set(const K &key, const V &value) {
    Any k(key), v(value); // first: they may lie in this map
    CopyOnWrite()->Set(std::move(k), std::move(v));
  }
  /// Removes a key, where it is there.
  void erase(const K &key) {
    if (this->count(key) == 0)
      return;
    Any k(key);
    CopyOnWrite()->erase(k);
  }
  void erase(const iterator &position) {
    if (position != this->end())
      erase((*position).first);
  }
  void clear() { *this = Map(); }
  /// The object, made this map's own first.
  MapObj *CopyOnWrite() {
    if (!this->data_)
      this->data_ = MapObj::Empty();
    else if (!this->data_.unique())
      this->data_ = this->obj()->ShallowCopy();
    return this->obj();
  }
};

/// The entries of both; of a key in both, the value of `rhs`.
template <typename K, typename V> inline Map<K, V> Merge(Map<K, V> lhs, const Map<K, V> &rhs) {
  for (const auto &[key, value] : rhs)
    lhs.Set(key, value);
  return lhs;
}

template <typename KBase, typename VBase, typename K, typename V>
inline constexpr bool type_subsumes_v<Map<KBase, VBase>, Map<K, V>> =
    type_subsumes_v<KBase, K> && type_subsumes_v<VBase, V>;

template <typename K, typename V>
inline constexpr bool use_default_type_traits_v<Map<K, V>> = false;

template <typename K, typename V>
struct TypeTraits<Map<K, V>> : inner::MapTraits<Map<K, V>, K, V, kTVMFFIMap> {};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_MAP_H_
