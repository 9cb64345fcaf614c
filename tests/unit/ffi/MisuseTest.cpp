/// Mistakes of callers of the C functions: null and wrong handles, values of no type, and
/// releases too many are errors with the argument's name, never a crash.
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {

/// The text of the error that a failed call left, "kind: message"; nothing may be left over.
std::string raised(int status) {
  EXPECT_EQ(status, -1);
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  if (!handle)
    return "no error";
  Error error = detail::ObjectUnsafe::ObjectRefFromObjectPtr<Error>(
      detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(handle)));
  return error.kind() + ": " + error.message();
}

std::string nullText(const char *function, const char *argument) {
  return std::string("ValueError: ") + function + ": argument `" + argument +
         "` is a null pointer, but a valid one is expected";
}
#define EXPECT_NULL_REFUSED(function, argument, ...)                                               \
  EXPECT_EQ(raised(function(__VA_ARGS__)), nullText(#function, argument))

int succeed(void *, const TVMFFIAny *, int32_t, TVMFFIAny *) { return 0; }
int noInit(void **) { return 0; }
int noDeinit(void *) { return 0; }

TVMFFIByteArray bytes(std::string_view text) { return {text.data(), text.size()}; }

TVMFFIAny pointerValue(int32_t typeIndex, void *pointer) {
  TVMFFIAny value{};
  value.type_index = typeIndex;
  value.v_ptr = pointer;
  return value;
}

TVMFFIObjectHandle handleOf(const ObjectRef &ref) {
  return detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(ref);
}

class HeldObj : public Object {
public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.misuse.Held", HeldObj, Object);
};

} // namespace

TEST(NullArguments, AreErrorsThatNameThem) {
  TVMFFIByteArray name = bytes("test.misuse");
  TVMFFIAny value{};
  TVMFFIObjectHandle out = nullptr;
  int32_t index;
  DLDataType dtype{};
  DLManagedTensor *managed = nullptr;
  DLManagedTensorVersioned *versioned = nullptr;
  void *slot = nullptr;

  EXPECT_NULL_REFUSED(TVMFFIObjectIncRef, "obj", nullptr);
  EXPECT_EQ(TVMFFIObjectDecRef(nullptr), 0);
  EXPECT_NULL_REFUSED(TVMFFIObjectCreateOpaque, "out", nullptr, kTVMFFIOpaquePyObject, nullptr,
                      nullptr);
  EXPECT_NULL_REFUSED(TVMFFITypeKeyToIndex, "type_key", nullptr, &index);
  EXPECT_NULL_REFUSED(TVMFFITypeKeyToIndex, "out_tindex", &name, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIFunctionCreate, "safe_call", nullptr, nullptr, nullptr, &out);
  EXPECT_NULL_REFUSED(TVMFFIFunctionCreate, "out", nullptr, succeed, nullptr, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIFunctionGetGlobal, "name", nullptr, &out);
  EXPECT_NULL_REFUSED(TVMFFIFunctionGetGlobal, "out", &name, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIFunctionSetGlobal, "name", nullptr, nullptr, 0);
  EXPECT_NULL_REFUSED(TVMFFIFunctionSetGlobal, "f", &name, nullptr, 0);
  EXPECT_NULL_REFUSED(TVMFFIFunctionSetGlobalFromMethodInfo, "method_info", nullptr, 0);
  EXPECT_NULL_REFUSED(TVMFFIAnyViewToOwnedAny, "any_view", nullptr, &value);
  EXPECT_NULL_REFUSED(TVMFFIAnyViewToOwnedAny, "out", &value, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIFunctionCall, "func", nullptr, nullptr, 0, &value);
  EXPECT_NULL_REFUSED(TVMFFITensorFromDLPack, "from", nullptr, 0, 0, &out);
  EXPECT_NULL_REFUSED(TVMFFITensorFromDLPackVersioned, "from", nullptr, 0, 0, &out);
  EXPECT_NULL_REFUSED(TVMFFITensorToDLPack, "from", nullptr, &managed);
  EXPECT_NULL_REFUSED(TVMFFITensorToDLPackVersioned, "from", nullptr, &versioned);
  EXPECT_NULL_REFUSED(TVMFFITensorCreateUnsafeView, "source", nullptr, nullptr, &out);
  EXPECT_NULL_REFUSED(TVMFFIStringFromByteArray, "out", &name, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIBytesFromByteArray, "out", &name, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIBigIntFromByteArray, "out", &name, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIDataTypeFromString, "out", &name, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIDataTypeToString, "dtype", nullptr, &value);
  EXPECT_NULL_REFUSED(TVMFFIDataTypeToString, "out", &dtype, nullptr);
  EXPECT_NULL_REFUSED(TVMFFITypeRegisterField, "info", kTVMFFIObject, nullptr);
  EXPECT_NULL_REFUSED(TVMFFITypeRegisterMethod, "info", kTVMFFIObject, nullptr);
  EXPECT_NULL_REFUSED(TVMFFITypeRegisterMetadata, "metadata", kTVMFFIObject, nullptr);
  EXPECT_NULL_REFUSED(TVMFFITypeRegisterAttr, "attr_name", kTVMFFIObject, nullptr, &value);
  EXPECT_NULL_REFUSED(TVMFFITypeRegisterAttr, "attr_value", kTVMFFIObject, &name, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIHandleInitOnce, "handle_addr", nullptr, noInit);
  EXPECT_NULL_REFUSED(TVMFFIHandleInitOnce, "init_func", &slot, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIHandleDeinitOnce, "handle_addr", nullptr, noDeinit);
  EXPECT_NULL_REFUSED(TVMFFIHandleDeinitOnce, "deinit_func", &slot, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIEnvTensorAlloc, "prototype", nullptr, &out);
  EXPECT_NULL_REFUSED(TVMFFIEnvRegisterCAPI, "name", nullptr, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIEnvModLookupFromImports, "library_ctx", nullptr, "f", &out);
  EXPECT_NULL_REFUSED(TVMFFIEnvModRegisterContextSymbol, "name", nullptr, nullptr);
  EXPECT_NULL_REFUSED(TVMFFIEnvModRegisterSystemLibSymbol, "name", nullptr, nullptr);
  EXPECT_EQ(out, nullptr);
}

TEST(NullArguments, OfFunctionsWithoutAStatusDoNothing) {
  TVMFFIGetVersion(nullptr);
  TVMFFIErrorSetRaisedFromCStr("KeyError", "kept");
  TVMFFIErrorMoveFromRaised(nullptr);
  EXPECT_EQ(raised(-1), "KeyError: kept");
  TVMFFIErrorSetRaisedFromCStr(nullptr, nullptr);
  EXPECT_EQ(raised(-1), "RuntimeError: ");
  TVMFFIErrorSetRaisedFromCStrParts("TypeError", nullptr, 3);
  EXPECT_EQ(raised(-1), "TypeError: ");
  TVMFFIErrorSetRaised(nullptr);
  EXPECT_EQ(raised(-1), "no error");
  EXPECT_EQ(TVMFFIGetTypeAttrColumn(nullptr), nullptr);
  EXPECT_EQ(TVMFFIEnvGetStream(-1, -1), nullptr);
  EXPECT_NE(TVMFFIBacktrace(nullptr, -1, nullptr, 0), nullptr);
  TVMFFIObjectHandle made = nullptr;
  ASSERT_EQ(TVMFFIErrorCreate(nullptr, nullptr, nullptr, &made), 0);
  EXPECT_EQ(TVMFFIErrorGetCellPtr(made)->message.size, 0u);
  TVMFFIObjectDecRef(made);
  EXPECT_EQ(TVMFFIErrorCreate(nullptr, nullptr, nullptr, nullptr), -1);
  EXPECT_EQ(raised(-1), "no error");
}

TEST(Calls, WithWhatIsNoCallAreErrors) {
  Function function = Function::FromTyped([](int x) { return x; }, "one");
  TVMFFIAny args[2]{}, result{};
  EXPECT_NULL_REFUSED(TVMFFIFunctionCall, "args", handleOf(function), nullptr, 1, &result);
  EXPECT_NULL_REFUSED(TVMFFIFunctionCall, "result", handleOf(function), args, 1, nullptr);
  EXPECT_EQ(raised(TVMFFIFunctionCall(handleOf(function), args, -1, &result)),
            "ValueError: TVMFFIFunctionCall: num_args is -1, but at least 0 is expected");
  EXPECT_EQ(raised(TVMFFIFunctionCall(handleOf(Array<int>{1}), args, 1, &result)),
            "TypeError: TVMFFIFunctionCall: expected `ffi.Function` but got `ffi.Array`");
  EXPECT_EQ(raised(TVMFFIFunctionCall(handleOf(function), args, 2, &result)),
            "TypeError: Mismatched number of arguments when calling: `one(0: int) -> int`. "
            "Expected 1 but got 2 arguments");
  for (int32_t index : {-7, 14, 40, 63, 79, 127, 1 << 30, INT32_MIN, INT32_MAX}) {
    args[0].type_index = index; // no type has it
    EXPECT_EQ(raised(TVMFFIFunctionCall(handleOf(function), args, 1, &result)).find("TypeError"),
              0u)
        << index;
  }
}

TEST(Calls, OfForeignExceptionsAreErrors) {
  TVMFFIAny result{};
  Function foreign = Function::FromPacked([](PackedArgs, Any *) { throw 42; });
  EXPECT_EQ(raised(TVMFFIFunctionCall(handleOf(foreign), nullptr, 0, &result)),
            "InternalError: An exception that is no std::exception");
  Function standard =
      Function::FromPacked([](PackedArgs, Any *) { throw std::logic_error("from std"); });
  EXPECT_EQ(raised(TVMFFIFunctionCall(handleOf(standard), nullptr, 0, &result)),
            "InternalError: from std");
  Function memory = Function::FromPacked([](PackedArgs, Any *) { throw std::bad_alloc(); });
  EXPECT_EQ(raised(TVMFFIFunctionCall(handleOf(memory), nullptr, 0, &result)),
            "MemoryError: std::bad_alloc");
  EXPECT_EQ(result.type_index, kTVMFFINone);
}

TEST(Calls, ThatFailWithoutAnErrorSaySo) {
  Function silent = Function::FromExternC(
      nullptr, [](void *, const TVMFFIAny *, int32_t, TVMFFIAny *) { return -1; }, nullptr);
  Expected<Any> result = silent.CallExpected();
  ASSERT_TRUE(result.is_err());
  EXPECT_EQ(result.error().message(), "A function failed without setting an error");
}

TEST(Values, ThatAreNoneAreErrors) {
  TVMFFIAny out{};
  for (int32_t index : {int32_t(kTVMFFIStr), int32_t(kTVMFFITensor), int32_t(kTVMFFIRawStr),
                        int32_t(kTVMFFIByteArrayPtr), int32_t(kTVMFFIObjectRValueRef), 1000}) {
    TVMFFIAny none = pointerValue(index, nullptr);
    EXPECT_EQ(raised(TVMFFIAnyViewToOwnedAny(&none, &out)),
              nullText("TVMFFIAnyViewToOwnedAny", "any_view->v_ptr"));
  }
  TVMFFIObject *moved = nullptr;
  TVMFFIAny twice = pointerValue(kTVMFFIObjectRValueRef, &moved);
  EXPECT_EQ(raised(TVMFFIAnyViewToOwnedAny(&twice, &out)),
            "InternalError: RValueRef already moved");
  TVMFFIByteArray noData{nullptr, 5};
  const char *text = "ValueError: byte array: data is a null pointer, but its size is 5";
  TVMFFIAny lent = pointerValue(kTVMFFIByteArrayPtr, &noData);
  EXPECT_EQ(raised(TVMFFIAnyViewToOwnedAny(&lent, &out)), text);
  EXPECT_EQ(raised(TVMFFIStringFromByteArray(&noData, &out)), text);
  EXPECT_EQ(raised(TVMFFIBytesFromByteArray(&noData, &out)), text);
  EXPECT_EQ(raised(TVMFFIBigIntFromByteArray(&noData, &out)), text);
  TVMFFIObjectHandle handle = nullptr;
  EXPECT_EQ(raised(TVMFFIFunctionGetGlobal(&noData, &handle)), text);
  EXPECT_EQ(out.type_index, kTVMFFINone);
}

TEST(Values, OfInvalidUtf8StayTheBytesTheyAre) {
  TVMFFIByteArray bad = bytes(std::string_view("\xff\xfe\x00\xc0 text of bytes", 18));
  Any value;
  ASSERT_EQ(TVMFFIStringFromByteArray(&bad, reinterpret_cast<TVMFFIAny *>(&value)), 0);
  String text = value.cast<String>();
  EXPECT_EQ(std::string_view(text.data(), text.size()), std::string_view(bad.data, bad.size));
  DLDataType dtype;
  EXPECT_EQ(raised(TVMFFIDataTypeFromString(&bad, &dtype)).find("ValueError"), 0u);
}

TEST(Handles, OfOtherTypesAreErrors) {
  TVMFFIByteArray name = bytes("test.misuse");
  Array<int> array{1};
  DLManagedTensor *managed = nullptr;
  DLTensor prototype{};
  TVMFFIObjectHandle out = nullptr;
  EXPECT_EQ(raised(TVMFFIFunctionSetGlobal(&name, handleOf(array), 0)),
            "TypeError: TVMFFIFunctionSetGlobal: expected `ffi.Function` but got `ffi.Array`");
  EXPECT_EQ(raised(TVMFFITensorToDLPack(handleOf(array), &managed)).find("TypeError"), 0u);
  EXPECT_EQ(
      raised(TVMFFITensorCreateUnsafeView(handleOf(array), &prototype, &out)).find("TypeError"),
      0u);
  EXPECT_EQ(raised(TVMFFIObjectCreateOpaque(nullptr, kTVMFFIArray, nullptr, &out)),
            "RuntimeError: Only kTVMFFIOpaquePyObject is supported for now");
  TVMFFIMethodInfo method{};
  method.name = name;
  method.method = AnyView(array).CopyToTVMFFIAny();
  EXPECT_EQ(raised(TVMFFIFunctionSetGlobalFromMethodInfo(&method, 0)),
            "TypeError: TVMFFIFunctionSetGlobalFromMethodInfo: expected `ffi.Function` but got "
            "`ffi.Array`");
  EXPECT_EQ(array.use_count(), 1);
}

TEST(Handles, ReleasedTwiceAreErrorsWhileTheirMemoryIsThere) {
  ObjectPtr<HeldObj> object = make_object<HeldObj>();
  WeakObjectPtr<HeldObj> weak = object; // keeps the memory
  TVMFFIObjectHandle handle = detail::ObjectUnsafe::GetHeader(object.get());
  object.reset();
  const char *text = ": the object has no reference left; one was released twice";
  EXPECT_EQ(raised(TVMFFIObjectDecRef(handle)),
            std::string("RuntimeError: TVMFFIObjectDecRef") + text);
  EXPECT_EQ(raised(TVMFFIObjectIncRef(handle)),
            std::string("RuntimeError: TVMFFIObjectIncRef") + text);
  EXPECT_EQ(weak.lock(), nullptr);
}

#if defined(__SANITIZE_ADDRESS__)
TEST(HandlesDeathTest, ReleasedTwiceAreSeenByTheSanitizer) {
  EXPECT_DEATH(
      {
        TVMFFIObjectHandle handle =
            detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(make_object<HeldObj>());
        TVMFFIObjectDecRef(handle);
        TVMFFIObjectDecRef(handle);
      },
      "heap-use-after-free");
}
#endif

TEST(Types, ThatNobodyRegisteredAreErrors) {
  TVMFFIByteArray key = bytes("test.misuse.Unknown");
  int32_t index = 0;
  EXPECT_EQ(raised(TVMFFITypeKeyToIndex(&key, &index)),
            "InternalError: Cannot find type `test.misuse.Unknown`");
  for (int32_t bad : {-1, 20, 100, 127, 1 << 29, INT32_MAX}) {
    std::string text = "InternalError: Cannot find a type of index " + std::to_string(bad);
    TVMFFIAny value = AnyView(1).CopyToTVMFFIAny();
    TVMFFIFieldInfo field{};
    TVMFFIMethodInfo method{};
    TVMFFITypeMetadata metadata{};
    EXPECT_EQ(raised(TVMFFITypeRegisterField(bad, &field)), text);
    EXPECT_EQ(raised(TVMFFITypeRegisterMethod(bad, &method)), text);
    EXPECT_EQ(raised(TVMFFITypeRegisterMetadata(bad, &metadata)), text);
    EXPECT_EQ(raised(TVMFFITypeRegisterAttr(bad, &key, &value)), text);
    EXPECT_STREQ(TVMFFIGetTypeInfo(bad)->type_key.data, "<unknown type>");
  }
  EXPECT_THROW(reflection::ObjectCreator("test.misuse.Unknown"), Error);
  EXPECT_THROW(reflection::FieldGetter("test.misuse.Held", "none"), Error);
}

TEST(Errors, WithNullPartsAreRead) {
  TVMFFIErrorCell cell{};
  EXPECT_EQ(cell.message.data, nullptr);
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIByteArray empty{nullptr, 0};
  ASSERT_EQ(
      TVMFFIErrorCreateWithCauseAndExtraContext(&empty, &empty, &empty, nullptr, nullptr, &handle),
      0);
  Error error = detail::ObjectUnsafe::ObjectRefFromObjectPtr<Error>(
      detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(handle)));
  EXPECT_EQ(error.kind() + error.message() + error.backtrace(), "");
  EXPECT_STREQ(error.what(), "");
  EXPECT_FALSE(error.cause_chain().has_value());
  EXPECT_FALSE(error.extra_context().has_value());
  EXPECT_EQ(error.FullMessage(), "Traceback (most recent call last):\n: \n");
  TVMFFIByteArray noData{nullptr, 3};
  EXPECT_EQ(TVMFFIErrorCreate(&noData, &empty, &empty, &handle), -1);
}

TEST(Streams, OfNoDeviceAreErrors) {
  EXPECT_EQ(raised(TVMFFIEnvSetStream(-1, 0, nullptr, nullptr)),
            "ValueError: TVMFFIEnvSetStream: device (-1, 0) is not valid: type and id are at least "
            "0");
  EXPECT_EQ(raised(TVMFFIEnvSetStream(2, -3, nullptr, nullptr)).find("ValueError"), 0u);
}

TEST(Tensors, OfNegativeSizesAreErrors) {
  int64_t shape[] = {2, -3}, strides[] = {1, 1};
  DLManagedTensor managed{};
  managed.dl_tensor.ndim = 2;
  managed.dl_tensor.shape = shape;
  managed.dl_tensor.strides = strides;
  managed.dl_tensor.device = {kDLCPU, 0};
  managed.dl_tensor.dtype = {kDLFloat, 32, 1};
  managed.deleter = [](DLManagedTensor *) { ADD_FAILURE() << "it stays with the caller"; };
  TVMFFIObjectHandle out = nullptr;
  EXPECT_NE(raised(TVMFFITensorFromDLPack(&managed, 0, 0, &out)), "no error");
  managed.dl_tensor.ndim = -1;
  EXPECT_NE(raised(TVMFFITensorFromDLPack(&managed, 0, 0, &out)), "no error");
  managed.dl_tensor.ndim = 1;
  managed.dl_tensor.shape = nullptr;
  EXPECT_NE(raised(TVMFFITensorFromDLPack(&managed, 0, 0, &out)), "no error");
  EXPECT_EQ(out, nullptr);
}
