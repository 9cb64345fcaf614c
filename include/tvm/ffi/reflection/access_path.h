/// AccessPath: the way from an object to something inside it, for messages and lookups.
#ifndef TVM_FFI_REFLECTION_ACCESS_PATH_H_
#define TVM_FFI_REFLECTION_ACCESS_PATH_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <iterator>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace reflection {

/// What a step goes through. The missing kinds stand for what is there on one side only.
enum class AccessKind : int32_t {
  kAttr = 0,
  kArrayItem = 1,
  kMapItem = 2,
  kAttrMissing = 3,
  kArrayItemMissing = 4,
  kMapItemMissing = 5,
};

class AccessStep;
class AccessPath;

/// The object behind an AccessStep.
class AccessStepObj : public Object {
public:
  AccessKind kind = AccessKind::kAttr;
  /// A field's name, an index or a map's key.
  Any key;

  AccessStepObj() = default;
  AccessStepObj(AccessKind kind, Any key) : kind(kind), key(std::move(key)) {}

  /// Whether both are of one kind and key.
  inline bool StepEqual(const AccessStep &other) const;

  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;
  static constexpr bool _type_final = true;
  TVM_FFI_INNER_DECLARE_LIBRARY_OBJECT_("ffi.reflection.AccessStep", AccessStepObj, Object);
};

/// One step: into a field, an element or a map's value. Never null.
class AccessStep : public ObjectRef {
public:
  AccessStep(AccessKind kind, Any key)
      : ObjectRef(make_object<AccessStepObj>(kind, std::move(key))) {}

  static AccessStep Attr(String field_name) {
    return AccessStep(AccessKind::kAttr, std::move(field_name));
  }
  static AccessStep AttrMissing(String field_name) {
    return AccessStep(AccessKind::kAttrMissing, std::move(field_name));
  }
  static AccessStep ArrayItem(int64_t index) { return AccessStep(AccessKind::kArrayItem, index); }
  static AccessStep ArrayItemMissing(int64_t index) {
    return AccessStep(AccessKind::kArrayItemMissing, index);
  }
  static AccessStep MapItem(Any key) { return AccessStep(AccessKind::kMapItem, std::move(key)); }
  static AccessStep MapItemMissing(Any key = nullptr) {
    return AccessStep(AccessKind::kMapItemMissing, std::move(key));
  }

  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(AccessStep, ObjectRef, AccessStepObj);
};

inline bool AccessStepObj::StepEqual(const AccessStep &other) const {
  return kind == other->kind && AnyEqual()(key, other->key);
}

/// The object behind an AccessPath: the last step, and the path before it.
class AccessPathObj : public Object {
public:
  /// The path before the last step; empty for the root.
  Optional<ObjectRef> parent;
  /// The last step; empty for the root.
  Optional<AccessStep> step;
  /// The number of steps.
  int32_t depth = 0;

  AccessPathObj() = default;
  AccessPathObj(Optional<ObjectRef> parent, Optional<AccessStep> step, int32_t depth)
      : parent(std::move(parent)), step(std::move(step)), depth(depth) {}

  inline Optional<AccessPath> GetParent() const;
  /// The path with one more step.
  inline AccessPath Extend(AccessStep step) const;
  inline AccessPath Attr(String field_name) const;
  inline AccessPath AttrMissing(String field_name) const;
  inline AccessPath ArrayItem(int64_t index) const;
  inline AccessPath ArrayItemMissing(int64_t index) const;
  inline AccessPath MapItem(Any key) const;
  inline AccessPath MapItemMissing(Any key) const;
  /// The steps, the first one first.
  template <typename Step = AccessStep> Array<Step> ToSteps() const {
    std::vector<Step> backwards;
    for (const AccessPathObj *path = this; path->step.has_value(); path = path->parentObj())
      backwards.push_back(*path->step);
    return Array<Step>(std::make_move_iterator(backwards.rbegin()),
                       std::make_move_iterator(backwards.rend()));
  }
  /// Whether both have equal steps.
  inline bool PathEqual(const AccessPath &other) const;
  /// Whether the other path begins with this one.
  inline bool IsPrefixOf(const AccessPath &other) const;

  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;
  static constexpr bool _type_final = true;
  TVM_FFI_INNER_DECLARE_LIBRARY_OBJECT_("ffi.reflection.AccessPath", AccessPathObj, Object);

private:
  static bool equalSteps(const AccessPathObj *a, const AccessPathObj *b) {
    for (; a->depth != 0; a = a->parentObj(), b = b->parentObj()) {
      if (a == b)
        return true;
      if (!(*a->step)->StepEqual(*b->step))
        return false;
    }
    return true;
  }
  const AccessPathObj *parentObj() const {
    return static_cast<const AccessPathObj *>(parent.get());
  }
};

/// A path of steps from a root. Never null.
class AccessPath : public ObjectRef {
public:
  /// The path without steps.
  static AccessPath Root() { return AccessPath(make_object<AccessPathObj>()); }
  template <typename Iter> static AccessPath FromSteps(Iter begin, Iter end) {
    AccessPath path = Root();
    for (; begin != end; ++begin)
      path = path->Extend(*begin);
    return path;
  }
  template <typename Step = AccessStep>
  static AccessPath FromSteps(const std::enable_if_t<true, Array<Step>> &steps) {
    return FromSteps(steps.begin(), steps.end());
  }

  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(AccessPath, ObjectRef, AccessPathObj);

private:
  friend class AccessPathObj;
  explicit AccessPath(ObjectPtr<AccessPathObj> path) : ObjectRef(std::move(path)) {}
};

inline Optional<AccessPath> AccessPathObj::GetParent() const {
  if (!parent.has_value())
    return std::nullopt;
  return GetRef<AccessPath>(parentObj());
}

inline AccessPath AccessPathObj::Extend(AccessStep step) const {
  return AccessPath(
      make_object<AccessPathObj>(GetRef<ObjectRef>(this), std::move(step), depth + 1));
}

inline AccessPath AccessPathObj::Attr(String field_name) const {
  return Extend(AccessStep::Attr(std::move(field_name)));
}
inline AccessPath AccessPathObj::AttrMissing(String field_name) const {
  return Extend(AccessStep::AttrMissing(std::move(field_name)));
}
inline AccessPath AccessPathObj::ArrayItem(int64_t index) const {
  return Extend(AccessStep::ArrayItem(index));
}
inline AccessPath AccessPathObj::ArrayItemMissing(int64_t index) const {
  return Extend(AccessStep::ArrayItemMissing(index));
}
inline AccessPath AccessPathObj::MapItem(Any key) const {
  return Extend(AccessStep::MapItem(std::move(key)));
}
inline AccessPath AccessPathObj::MapItemMissing(Any key) const {
  return Extend(AccessStep::MapItemMissing(std::move(key)));
}

inline bool AccessPathObj::PathEqual(const AccessPath &other) const {
  return depth == other->depth && equalSteps(this, other.get());
}

inline bool AccessPathObj::IsPrefixOf(const AccessPath &other) const {
  if (depth > other->depth)
    return false;
  const AccessPathObj *begin = other.get();
  while (begin->depth > depth)
    begin = begin->parentObj();
  return equalSteps(this, begin);
}

/// A pair of paths, such as to what differs between two objects.
using AccessPathPair = Tuple<AccessPath, AccessPath>;

} // namespace reflection
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_REFLECTION_ACCESS_PATH_H_
