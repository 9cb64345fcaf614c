/// The sizes and offsets that compiled code relies on.
#include <gtest/gtest.h>

#include <cstddef>

#include "tvm/ffi/extra/module.h"
#include "tvm/ffi/tvm_ffi.h"

#define SIZE(Type, bytes) static_assert(sizeof(Type) == (bytes), #Type)
#define OFFSET(Type, member, bytes)                                                                \
  static_assert(offsetof(Type, member) == (bytes), #Type "." #member)

SIZE(TVMFFIVersion, 12);
SIZE(TVMFFIObject, 24);
OFFSET(TVMFFIObject, type_index, 8);
OFFSET(TVMFFIObject, deleter, 16);
SIZE(TVMFFIAny, 16);
OFFSET(TVMFFIAny, zero_padding, 4);
OFFSET(TVMFFIAny, v_int64, 8);
SIZE(TVMFFIByteArray, 16);
SIZE(TVMFFIShapeCell, 16);
SIZE(TVMFFISeqCell, 32);
OFFSET(TVMFFISeqCell, data_deleter, 24);
SIZE(TVMFFIErrorCell, 72);
OFFSET(TVMFFIErrorCell, update_backtrace, 48);
OFFSET(TVMFFIErrorCell, cause_chain, 56);
OFFSET(TVMFFIErrorCell, extra_context, 64);
SIZE(TVMFFIFunctionCell, 16);
SIZE(TVMFFIOpaqueObjectCell, 8);
SIZE(TVMFFIObjectAllocHeader, 8);
SIZE(TVMFFICustomAllocator, 16);
SIZE(TVMFFIFieldInfo, 120);
OFFSET(TVMFFIFieldInfo, flags, 48);
OFFSET(TVMFFIFieldInfo, offset, 72);
OFFSET(TVMFFIFieldInfo, getter, 80);
OFFSET(TVMFFIFieldInfo, setter, 88);
OFFSET(TVMFFIFieldInfo, default_value_or_factory, 96);
OFFSET(TVMFFIFieldInfo, field_static_type_index, 112);
SIZE(TVMFFIMethodInfo, 72);
OFFSET(TVMFFIMethodInfo, method, 56);
SIZE(TVMFFITypeMetadata, 32);
OFFSET(TVMFFITypeMetadata, creator, 16);
OFFSET(TVMFFITypeMetadata, structural_eq_hash_kind, 28);
SIZE(TVMFFITypeAttrColumn, 16);
OFFSET(TVMFFITypeAttrColumn, begin_index, 12);
SIZE(TVMFFITypeInfo, 72);
OFFSET(TVMFFITypeInfo, type_key, 8);
OFFSET(TVMFFITypeInfo, type_ancestors, 24);
OFFSET(TVMFFITypeInfo, type_key_hash, 32);
OFFSET(TVMFFITypeInfo, num_fields, 40);
OFFSET(TVMFFITypeInfo, fields, 48);
OFFSET(TVMFFITypeInfo, metadata, 64);
SIZE(DLTensor, 48);
SIZE(DLManagedTensor, 64);
SIZE(DLManagedTensorVersioned, 80);
SIZE(DLPackExchangeAPI, 56);

static_assert(kTVMFFIUnchanged == 13 && kTVMFFIBigInt == 78 && kTVMFFIStaticObjectEnd == 79);

using namespace tvm::ffi;
SIZE(StringObj, 40);
SIZE(ErrorObj, 96);
SIZE(FunctionObj, 40);
SIZE(ShapeObj, 40);
SIZE(TensorObj, 72);
SIZE(ArrayObj, 56);
SIZE(ModuleObj, 48);
SIZE(ObjectRef, 8);
SIZE(Optional<Tensor>, 8);
SIZE(Optional<Function>, 8);
SIZE(Optional<int>, 16);
SIZE(Optional<String>, 16);
SIZE(Optional<TensorView>, 56);
SIZE(Optional<Any>, 24);
SIZE(ShapeView, 16);
SIZE(TensorView, 48);
SIZE(Error, 16);

namespace {
class ProbeModule final : public ModuleObj {
public:
  const char *kind() const final { return "probe"; }
  Optional<Function> GetFunction(const String &) final { return std::nullopt; }
};

int64_t distance(const void *a, const void *b) {
  return static_cast<const char *>(a) - static_cast<const char *>(b);
}
} // namespace

TEST(Layout, ModuleHasItsTableBeforeItsHeader) {
  auto module = make_object<ProbeModule>();
  const Object *header = module.get();
  EXPECT_EQ(distance(header, module.get()), 8);
  EXPECT_EQ(distance(&module->imports(), module.get()), 32);
}

TEST(Layout, ErrorHasItsTableBeforeItsReference) {
  Error error("ValueError", "text", std::string());
  EXPECT_EQ(distance(static_cast<ObjectRef *>(&error), &error), 8);
}

TEST(Layout, OptionalAnyHoldsNone) {
  Optional<Any> none = Any(nullptr);
  EXPECT_TRUE(none.has_value());
  EXPECT_EQ(none.value().type_index(), kTVMFFINone);
  EXPECT_FALSE(Optional<Any>().has_value());
}

TEST(Layout, CellsFollowTheHeader) {
  String text("longer than seven");
  AnyView view = text;
  TVMFFIObject *header = view.CopyToTVMFFIAny().v_obj;
  EXPECT_EQ(distance(TVMFFIBytesGetByteArrayPtr(header), header), 24);
  EXPECT_EQ(TVMFFIBytesGetByteArrayPtr(header)->data, text.data());
  EXPECT_EQ(distance(text.data(), header), 40); // made in place
}
