/// From the objects that a failed visit had met to the ways that lead there.
#include <vector>

#include "../reflection/Walk.h"
#include "tvm/ffi/extra/visit_error_context.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

namespace {

/// Looks for a chain of objects along all ways from a root.
class PathFinder {
public:
  PathFinder(std::vector<const Object *> chain, bool allowPrefix)
      : chain(std::move(chain)), allowPrefix(allowPrefix) {}

  /// `met`: how many of the chain came before this value. Whether it is an object, or a container
  /// that holds some.
  bool search(AnyView value, size_t met) {
    int32_t type = value.type_index();
    if (type < kTVMFFIStaticObjectBegin)
      return false;
    const Object *object = objectOf(value);
    Entered<const Object *> entered(open, object);
    if (!entered.fresh)
      return true;
    NestingGuard guard(level, "FindAccessPaths");
    if (chain[met] == object && ++met == chain.size()) {
      found();
      return true;
    }
    bool holdsObjects = searchInside(object, type, met);
    if (isSequence(type) || isMapping(type))
      return holdsObjects;
    if (!holdsObjects && allowPrefix && met > 0)
      found();
    return true;
  }

  std::vector<AccessPath> paths;

private:
  void found() { paths.push_back(AccessPath::FromSteps(steps.begin(), steps.end())); }

  bool searchAt(AccessStep step, AnyView value, size_t met) {
    steps.push_back(std::move(step));
    bool holds = search(value, met);
    steps.pop_back();
    return holds;
  }
  /// Searches the values inside. Returns true if the object holds objects.
  bool searchInside(const Object *object, int32_t type, size_t met) {
    bool any = false;
    auto inside = [&](auto makeStep, AnyView value) {
      if (value.type_index() < kTVMFFIStaticObjectBegin)
        return;
      any |= searchAt(makeStep(), value, met);
    };
    if (isSequence(type)) {
      SequenceView items(object);
      for (int64_t i = 0; i < items.count; ++i)
        inside([i] { return AccessStep::ArrayItem(i); }, items.first[i]);
    } else if (isMapping(type)) {
      for (const auto &[key, value] : *mapOf(object))
        inside([&key = key] { return AccessStep::MapItem(key); }, value);
    } else {
      ForEachFieldInfo(TVMFFIGetTypeInfo(type), [&](const TVMFFIFieldInfo *field) {
        inside([field] { return AccessStep::Attr(String(nameOf(field->name))); },
               readField(object, field));
      });
    }
    return any;
  }

  /// The outermost first.
  std::vector<const Object *> chain;
  bool allowPrefix;
  std::vector<AccessStep> steps;
  std::set<const Object *> open;
  int level = 0;
};

} // namespace

Array<AccessPath> VisitErrorContext::FindAccessPaths(const ObjectRef &root,
                                                     const VisitErrorContext &visit_context,
                                                     bool allow_prefix_match) {
  std::vector<const Object *> chain;
  const List<ObjectRef> &pattern = visit_context->reverse_visit_pattern;
  for (int64_t i = static_cast<int64_t>(pattern.size()) - 1; i >= 0; --i) {
    ObjectRef node = pattern[i];
    if (node.defined() && (chain.empty() || chain.back() != node.get()))
      chain.push_back(node.get());
  }
  if (chain.empty() || !root.defined())
    return {};
  PathFinder finder(std::move(chain), allow_prefix_match);
  finder.search(root, 0);
  return Array<AccessPath>(finder.paths.begin(), finder.paths.end());
}

TVM_FFI_STATIC_INIT_BLOCK() {
  GlobalDef().def("ffi.VisitErrorContext.FindAccessPaths", &VisitErrorContext::FindAccessPaths);
}
