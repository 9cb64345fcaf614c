/// Array, List, Map, Dict, Tuple and Variant.
#include <gtest/gtest.h>
#include <pthread.h>

#include <map>
#include <string>

#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/container/map.h"
#include "tvm/ffi/container/tuple.h"
#include "tvm/ffi/container/variant.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

namespace {
template <typename T> std::vector<T> toVector(const Array<T> &a) { return {a.begin(), a.end()}; }
template <typename F> std::string kindAndMessageOf(F f) {
  try {
    f();
  } catch (const Error &error) {
    return error.kind() + ": " + error.message();
  }
  return "no error";
}
} // namespace

TEST(ArrayClass, InsertsAndErases) {
  Array<int> a{1, 2, 3};
  a.insert(a.begin() + 1, 9);
  std::vector<int> more{7, 8};
  a.insert(a.end(), more.begin(), more.end());
  EXPECT_EQ(toVector(a), (std::vector<int>{1, 9, 2, 3, 7, 8}));
  a.erase(a.begin());
  a.erase(a.begin() + 1, a.begin() + 3);
  EXPECT_EQ(toVector(a), (std::vector<int>{9, 7, 8}));
  EXPECT_EQ(std::vector<int>(a.rbegin(), a.rend()), (std::vector<int>{8, 7, 9}));
}

namespace {
struct HeldObj : Object {
  static constexpr bool _type_mutable = true;
  int count = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.Held", HeldObj, Object);
};
} // namespace

TEST(ArrayClass, HoldsPointers) {
  auto object = make_object<HeldObj>();
  {
    Array<HeldObj *> array{object.get()};
    List<const HeldObj *> list{object.get()};
    Map<String, HeldObj *> map{{"a", object.get()}};
    Dict<String, HeldObj *> dict{{"a", object.get()}};
    EXPECT_EQ(object.use_count(), 5);
    array[0]->count = 3;
    EXPECT_EQ(list[0]->count + map["a"]->count + dict["a"]->count, 9);
  }
  EXPECT_EQ(object.use_count(), 1);
}

TEST(ArrayClass, CopiesWhenSharedOnly) {
  Array<int> a{1, 2, 3, 4};
  const ArrayObj *before = a.get();
  a.Set(0, 5);
  EXPECT_EQ(a.get(), before);
  Array<int> b = a;
  b.Set(0, 6);
  EXPECT_NE(a.get(), b.get());
  EXPECT_EQ(a[0], 5);
  EXPECT_EQ(b[0], 6);
  Array<int> c = a;
  c.erase(c.begin());
  c.pop_back();
  EXPECT_EQ(a.size(), 4u);
}

TEST(ArrayClass, MapSharesWhatDoesNotChange) {
  Array<int> a{1, 2, 3};
  EXPECT_TRUE(a.Map([](int x) { return x; }).same_as(a));
  EXPECT_EQ(toVector(a.Map([](int x) { return x == 2 ? 5 : x; })), (std::vector<int>{1, 5, 3}));
  EXPECT_EQ(toVector(a.Map([](int x) { return x / 2.0; })), (std::vector<double>{0.5, 1, 1.5}));
}

TEST(ArrayClass, MutateByApplyMovesValues) {
  Array<Array<int>> a{{1}, {2}};
  a.MutateByApply([](Array<int> x) {
    EXPECT_EQ(x.use_count(), 1);
    x.push_back(3);
    return x;
  });
  EXPECT_EQ(a[1].size(), 2u);
}

TEST(ArrayClass, JoinsArrays) {
  EXPECT_EQ(toVector(Array<int>::Agregate(1, Array<int>{2, 3}, 4)), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(toVector(Concat(Array<int>{1}, Array<int>{2})), (std::vector<int>{1, 2}));
}

TEST(ArrayClass, MovedFromReadsAsEmpty) {
  Array<int> a{1}, b = std::move(a);
  EXPECT_FALSE(a.defined()); // NOLINT(*)
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(kindAndMessageOf([&] { a[0]; }), "IndexError: cannot index a null array");
  EXPECT_EQ(kindAndMessageOf([&] { a.pop_back(); }), "RuntimeError: cannot pop_back a null array");
  a.push_back(4);
  EXPECT_EQ(a[0], 4);
}

TEST(ListClass, IsShared) {
  List<int> a{1, 2}, b = a;
  b.push_back(3);
  b.insert(b.begin(), 0);
  EXPECT_EQ(a.size(), 4u);
  a.Assign(a.begin() + 1, a.begin() + 3);
  EXPECT_EQ(std::vector<int>(b.begin(), b.end()), (std::vector<int>{1, 2}));
  b.resize(3);
  b.clear();
  EXPECT_TRUE(a.empty());
}

TEST(MapClass, AgreesWithStdMap) {
  Map<String, int> map;
  std::map<std::string, int> twin;
  uint32_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525 + 1013904223;
    std::string key = "key " + std::to_string((state >> 8) % 700);
    if (state % 3 == 0) {
      map.erase(key);
      twin.erase(key);
    } else {
      map.Set(key, i);
      twin[key] = i;
    }
    ASSERT_EQ(map.size(), twin.size());
  }
  size_t seen = 0;
  for (const auto &[key, value] : map) {
    EXPECT_EQ(twin.at(key), value);
    ++seen;
  }
  EXPECT_EQ(seen, twin.size());
  for (const auto &[key, value] : twin)
    EXPECT_EQ(map.at(key), value);
}

TEST(MapClass, KeepsOrderAndCopiesWhenShared) {
  Map<int, int> map;
  for (int i = 0; i < 100; ++i)
    map.Set(i * 7, i);
  Map<int, int> copy = map;
  copy.erase(7);
  copy.Set(7, -1);
  int at = 0;
  for (const auto &kv : map)
    EXPECT_EQ(kv.second, at++);
  EXPECT_EQ(copy[7], -1);
  EXPECT_EQ((*--copy.end()).first, 7);
  EXPECT_EQ(map.find(700), map.end());
  EXPECT_EQ(map.find(14)->second, 2);
  EXPECT_EQ(map.Get(701), std::nullopt);
  EXPECT_EQ(kindAndMessageOf([&] { map.at(701); }), "KeyError: key is not in Map");
  EXPECT_EQ(Merge(Map<int, int>{{1, 1}, {2, 2}}, Map<int, int>{{2, 3}}).at(2), 3);
}

TEST(MapClass, SameTextIsOneKey) {
  Map<Any, int> map{{String("abc"), 1}};
  map.Set(String(std::string("abc")), 2); // on the heap, the other in place
  EXPECT_EQ(map.size(), 1u);
  map.Set(Bytes("abc", 3), 3);
  map.Set(1, 4);
  map.Set(true, 5);
  map.Set(1.0, 6);
  EXPECT_EQ(map.size(), 5u);
}

TEST(DictClass, ClearLetsGoOfEverything) {
  Dict<Any, Any> dict;
  for (int i = 0; i < 1000; ++i)
    dict.Set(i, Array<int>{i});
  Array<int> held = dict.at(3).cast<Array<int>>();
  EXPECT_EQ(held.use_count(), 2);
  dict.clear();
  EXPECT_EQ(held.use_count(), 1);
  dict.Set(1, 2);
  EXPECT_EQ(dict.size(), 1u);
}

TEST(DictClass, IsShared) {
  Dict<String, int> a{{"x", 1}}, b = a;
  for (int i = 0; i < 50; ++i)
    b.Set(std::to_string(i), i);
  EXPECT_EQ(a.size(), 51u);
  a.erase("x");
  EXPECT_EQ(b.count("x"), 0u);
}

TEST(TupleClass, BindsAndCopies) {
  Tuple<int, String> a(1, "x"), b = a;
  b.Set<0>(2);
  auto [number, text] = a;
  EXPECT_EQ(number, 1);
  EXPECT_EQ(text, "x");
  EXPECT_EQ(b.get<0>(), 2);
  EXPECT_EQ(kindAndMessageOf([] { Any(Array<Any>{1}).cast<Tuple<int, int>>(); }),
            "TypeError: Cannot convert from type `Array[size=1]` to `Tuple<int, int>`");
}

TEST(VariantClass, AnIntegerThatFitsNoneIsNoBool) {
  using Flag = Variant<bool, int8_t>;
  EXPECT_EQ(Any(100).cast<Flag>().get<int8_t>(), 100);
  EXPECT_TRUE(Any(true).cast<Flag>().get<bool>());
  EXPECT_FALSE(Any(300).try_cast<Flag>().has_value());
  EXPECT_TRUE((Any(300).cast<Variant<bool, String>>().get<bool>()));
}

TEST(VariantClass, HoldsOneOfItsTypes) {
  Variant<int, String, Array<int>> v(3);
  EXPECT_EQ(v.as<int>(), 3);
  EXPECT_FALSE(v.as<String>());
  v = String("text");
  EXPECT_EQ(v.get<String>(), "text");
  EXPECT_EQ(Any(true).cast<decltype(v)>().get<int>(), 1);
}

TEST(Integers, OfContainersMustFit) {
  Array<int64_t> large{1, int64_t(1) << 40};
  EXPECT_EQ(kindAndMessageOf([&] { Any(large).cast<Array<int32_t>>(); }),
            "TypeError: Cannot convert from type `Array[index 1: int 1099511627776, which does not "
            "fit 32 bits]` to `Array<int>`");
  EXPECT_EQ(Any(large).cast<Array<uint64_t>>().size(), 2u);
  EXPECT_FALSE(Any(int64_t(300)).as<uint8_t>());
  EXPECT_EQ(Any(int64_t(255)).as<uint8_t>(), 255);
}

/// The destruction of values that hold others.
class CountedObj : public Object {
public:
  ~CountedObj() { ++gone(); }
  static int &gone() {
    static int count = 0;
    return count;
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.Counted", CountedObj, Object);
};

/// Calls what overflows a small stack if each level of nesting takes some of it.
template <typename Work> void onSmallStack(Work work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_t thread;
  auto run = [](void *work) -> void * {
    (*static_cast<Work *>(work))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

constexpr int kDeep = 200000;

TEST(Nesting, DeepContainersAreFreedOnASmallStack) {
  auto counted = [] { return Any(ObjectRef(make_object<CountedObj>())); };
  for (int kind = 0; kind < 5; ++kind) {
    CountedObj::gone() = 0;
    onSmallStack([&] {
      Any value = counted();
      for (int i = 0; i < kDeep; ++i)
        switch (kind < 4 ? kind : i % 4) {
        case 0:
          value = Array<Any>{value, counted()};
          break;
        case 1:
          value = List<Any>{counted(), value};
          break;
        case 2:
          value = Map<Any, Any>{{i, value}, {"other", counted()}};
          break;
        default:
          value = Dict<Any, Any>{{0, counted()}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, value}};
        }
    });
    EXPECT_EQ(CountedObj::gone(), kDeep + 1) << kind;
  }
}

TEST(Nesting, WhatIsSharedStays) {
  onSmallStack([] {
    Array<Any> kept{1};
    {
      Any value = kept;
      for (int i = 0; i < kDeep; ++i)
        value = Array<Any>{value, kept};
      List<Any> list{value};
      value = Any();
      list.clear();
    }
    EXPECT_EQ(kept.use_count(), 1);
    EXPECT_EQ(kept[0].cast<int>(), 1);
  });
}

TEST(Nesting, ADestructorMayMakeAndFreeContainers) {
  onSmallStack([] {
    struct MakingObj : public Object {
      ~MakingObj() {
        Any value;
        for (int i = 0; i < 1000; ++i)
          value = Array<Any>{value};
      }
    };
    Any value;
    for (int i = 0; i < 300; ++i)
      value = Array<Any>{value, ObjectRef(make_object<MakingObj>())};
  });
}

TEST(ContainerFunctions, OfTheLibrary) {
  auto call = [](const char *name, auto... args) {
    return Function::GetGlobalRequired(name)(args...);
  };
  List<Any> list = call("ffi.List", 1, 2, 3).cast<List<Any>>();
  call("ffi.ListReplaceSlice", list, 0, 1, list);
  EXPECT_EQ(list.size(), 5u);
  EXPECT_EQ(call("ffi.ListPop", list, 4).cast<int>(), 3);
  EXPECT_EQ(kindAndMessageOf([&] { call("ffi.ListPop", list, -1); }),
            "IndexError: Index -1 out of bounds 4");
  Any map = call("ffi.Map", "a", 1);
  EXPECT_TRUE(call("ffi.MapGetItemOrMissing", map, "b").same_as(call("ffi.GetInvalidObject")));
  EXPECT_EQ(kindAndMessageOf([&] { call("ffi.Map", 1); }),
            "InternalError: Check failed: args.size() % 2 == 0 (1 vs. 0) : ");
  Function next = call("ffi.MapForwardIterFunctor", map).template cast<Function>();
  EXPECT_EQ(next(0).cast<String>(), "a");
  EXPECT_FALSE(next(2).cast<bool>());
  EXPECT_EQ(kindAndMessageOf([&] { next(0); }), "IndexError: The iterator is past the last entry");
  list.push_back(list); // a list that holds itself
  EXPECT_EQ(kindAndMessageOf([&] { call("ffi.ContainerFindFirstNonCPUDevice", list); }),
            "ValueError: Containers are nested deeper than 1000 levels");
  list.clear();
}
