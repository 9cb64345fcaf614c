/// Reference counts, weak references, the deleter's protocol and the type of an object.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {

class AnimalObj : public Object {
public:
  static constexpr uint32_t _type_child_slots = 2;
  std::atomic<int> *destroyed = nullptr;
  ~AnimalObj() {
    if (destroyed)
      ++*destroyed;
  }
  TVM_FFI_DECLARE_OBJECT_INFO("test.Animal", AnimalObj, Object);
};
class DogObj : public AnimalObj {
public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.Dog", DogObj, AnimalObj);
};
class CatObj : public AnimalObj {
public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.Cat", CatObj, AnimalObj);
};
/// One more child than there are slots.
class FoxObj : public AnimalObj {
public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.Fox", FoxObj, AnimalObj);
};
class Animal : public ObjectRef {
public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Animal, ObjectRef, AnimalObj);
};
class Dog : public Animal {
public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Dog, Animal, DogObj);
};

std::vector<int> deleterFlags;
void recordFlags(void *, int flags) { deleterFlags.push_back(flags); }

TVMFFIObject rawObject() {
  TVMFFIObject object{};
  object.combined_ref_count = (uint64_t(1) << 32) | 1;
  object.type_index = kTVMFFIObject;
  object.deleter = recordFlags;
  return object;
}

} // namespace

TEST(Object, LastReferenceDestroysAndFreesAtOnce) {
  deleterFlags.clear();
  TVMFFIObject object = rawObject();
  TVMFFIObjectIncRef(&object);
  EXPECT_EQ(object.combined_ref_count, (uint64_t(1) << 32) | 2);
  TVMFFIObjectDecRef(&object);
  EXPECT_TRUE(deleterFlags.empty());
  TVMFFIObjectDecRef(&object);
  EXPECT_EQ(deleterFlags, std::vector<int>{3});
}

TEST(Object, AWeakReferenceKeepsTheMemory) {
  deleterFlags.clear();
  TVMFFIObject object = rawObject();
  {
    auto strong = detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(&object);
    WeakObjectPtr<Object> weak = strong;
    EXPECT_EQ(object.combined_ref_count, (uint64_t(2) << 32) | 1);
    EXPECT_FALSE(strong.unique());
    EXPECT_EQ(weak.lock().use_count(), 2);
    strong.reset();
    EXPECT_EQ(deleterFlags, std::vector<int>{1});
    EXPECT_TRUE(weak.expired());
    EXPECT_EQ(weak.lock(), nullptr);
  }
  EXPECT_EQ(deleterFlags, (std::vector<int>{1, 2}));
}

TEST(Object, DecRefOfNullDoesNothing) { EXPECT_EQ(TVMFFIObjectDecRef(nullptr), 0); }

TEST(Object, ReferencesAreCountedFromManyThreads) {
  std::atomic<int> destroyed{0};
  auto object = make_object<AnimalObj>();
  object->destroyed = &destroyed;
  WeakObjectPtr<AnimalObj> weak = object;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([copy = object, weak] {
      for (int i = 0; i < 10000; ++i) {
        ObjectPtr<AnimalObj> another = copy;
        EXPECT_TRUE(weak.lock());
      }
    });
  object.reset();
  for (std::thread &thread : threads)
    thread.join();
  threads.clear();
  EXPECT_EQ(destroyed, 1);
  EXPECT_FALSE(weak.lock());
}

TEST(Object, AThrowingConstructorFreesItsMemory) {
  struct Bad : Object {
    Bad() { throw std::runtime_error("no"); }
  };
  EXPECT_THROW(make_object<Bad>(), std::runtime_error);
}

TEST(Object, KnowsItsTypeAndItsParents) {
  ObjectRef dog(make_object<DogObj>()), fox(make_object<FoxObj>());
  EXPECT_TRUE(dog.as<DogObj>());
  EXPECT_TRUE(dog.as<AnimalObj>());
  EXPECT_TRUE(dog.as<Object>());
  EXPECT_FALSE(dog.as<CatObj>());
  EXPECT_TRUE(fox.as<AnimalObj>()); // found through its ancestors
  EXPECT_FALSE(ObjectRef(make_object<Object>()).as<AnimalObj>());
  EXPECT_EQ(dog.GetTypeKey(), "test.Dog");
  // Two children have the slots after their parent, the third one has not.
  CatObj::RuntimeTypeIndex();
  int32_t animal = AnimalObj::RuntimeTypeIndex();
  EXPECT_GE(animal, kTVMFFIDynObjectBegin);
  EXPECT_LE(DogObj::RuntimeTypeIndex(), animal + 2);
}

TEST(Object, ConvertsReferences) {
  Animal animal(make_object<DogObj>());
  EXPECT_TRUE(animal.as<Dog>());
  EXPECT_TRUE(animal.as_or_throw<Dog>().same_as(animal));
  Animal cat(make_object<CatObj>());
  try {
    cat.as_or_throw<Dog>();
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), "TypeError");
    EXPECT_EQ(error.message(), "Cannot treat type `test.Cat` as type `test.Dog`");
  }
  EXPECT_TRUE(GetRef<Animal>(animal.get()).same_as(animal));
}

TEST(Object, OpaqueHandleIsHandedToItsDeleter) {
  int calls = 0;
  TVMFFIObjectHandle handle = nullptr;
  auto deleter = [](void *context) { ++*static_cast<int *>(context); };
  ASSERT_EQ(TVMFFIObjectCreateOpaque(&calls, kTVMFFIOpaquePyObject, deleter, &handle), 0);
  EXPECT_EQ(TVMFFIObjectGetTypeIndex(handle), kTVMFFIOpaquePyObject);
  EXPECT_EQ(TVMFFIOpaqueObjectGetCellPtr(handle)->handle, &calls);
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(TVMFFIObjectCreateOpaque(&calls, kTVMFFIStr, deleter, &handle), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message(),
            "Only kTVMFFIOpaquePyObject is supported for now");
}

TEST(Object, BuiltInAllocatorKeepsItsContract) {
  TVMFFICustomAllocator *allocator = TVMFFIGetCustomAllocator();
  for (size_t alignment : {8, 64, 4096}) {
    void *object = allocator->allocate(100, alignment, kTVMFFIObject, allocator->context);
    ASSERT_TRUE(object);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % alignment, 0u);
    static_cast<TVMFFIObjectAllocHeader *>(object)[-1].delete_space(object);
  }
  TVMFFICustomAllocator mine{nullptr, nullptr};
  TVMFFISetCustomAllocator(&mine);
  EXPECT_EQ(TVMFFIGetCustomAllocator(), &mine);
  TVMFFISetCustomAllocator(nullptr);
  EXPECT_EQ(TVMFFIGetCustomAllocator(), allocator);
}
