/// Making and calling functions, conversion of arguments and the texts of mismatches.
#include <gtest/gtest.h>

#include <stdexcept>

#include "ThrownMessage.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {

int addOne(int x) { return x + 1; }

int echoCount(void *self, const TVMFFIAny *, int32_t numArgs, TVMFFIAny *result) {
  *static_cast<int *>(self) += 1;
  result->type_index = kTVMFFIInt;
  result->v_int64 = numArgs;
  return 0;
}

int failing(void *, const TVMFFIAny *, int32_t, TVMFFIAny *) {
  TVMFFIErrorSetRaisedFromCStr("KeyError", "from C");
  return -1;
}

} // namespace

TEST(Function, CallsTypedFunctions) {
  EXPECT_EQ(Function::FromTyped(addOne)(41).cast<int>(), 42);
  auto concatenate = Function::FromTyped(
      [](const String &a, std::string b, Optional<int> c) { return a + b + std::to_string(*c); });
  EXPECT_EQ(concatenate("x", String("long enough for the heap"), 3).cast<std::string>(),
            "xlong enough for the heap3");
  int calls = 0;
  Function counter = Function::FromTyped([&calls]() mutable { ++calls; });
  EXPECT_EQ(counter().type_index(), kTVMFFINone);
  EXPECT_EQ(calls, 1);
}

TEST(Function, CallsPackedFunctions) {
  auto size = Function::FromPacked([](PackedArgs args, Any *rv) { *rv = args.size(); });
  EXPECT_EQ(size(1, 2.5, "three", nullptr).cast<int>(), 4);
  Function last([](const AnyView *args, int32_t n, Any *rv) { *rv = args[n - 1]; });
  EXPECT_EQ(last(1, "text").cast<std::string>(), "text");
}

TEST(Function, CallsCFunctions) {
  int calls = 0, deletions = 0;
  TVMFFIObjectHandle handle = nullptr;
  ASSERT_EQ(TVMFFIFunctionCreate(&calls, echoCount, nullptr, &handle), 0);
  TVMFFIAny args[2] = {}, result = {};
  EXPECT_EQ(TVMFFIFunctionCall(handle, args, 2, &result), 0);
  EXPECT_EQ(result.v_int64, 2);
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(calls, 1);
  {
    Function f = Function::FromExternC(&deletions, echoCount,
                                       [](void *self) { *static_cast<int *>(self) += 100; });
    EXPECT_EQ(f(1).cast<int>(), 1);
  }
  EXPECT_EQ(deletions, 101);
  Function bare = Function::FromExternC(nullptr, failing, nullptr);
  EXPECT_EQ(messageOf([&] { bare(); }, "KeyError"), "from C");
  EXPECT_EQ(TVMFFIFunctionCreate(nullptr, nullptr, nullptr, &handle), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().kind(), "ValueError");
}

TEST(Function, ErrorsCrossTheCInterface) {
  Function thrower = Function::FromTyped([] { throw std::runtime_error("plain"); });
  TVMFFIAny result = {};
  TVMFFIObjectHandle handle = detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(thrower);
  EXPECT_EQ(TVMFFIFunctionCall(handle, nullptr, 0, &result), -1);
  Error error = detail::MoveFromSafeCallRaised();
  EXPECT_EQ(error.kind(), "InternalError");
  EXPECT_EQ(error.message(), "plain");
  EXPECT_EQ(error.backtrace(), "");
}

TEST(Function, RefusesToOverwriteAnObject) {
  Function f = Function::FromTyped(addOne);
  Any live = String("an object on the heap");
  TVMFFIAny args[1] = {};
  args[0].type_index = kTVMFFIInt;
  EXPECT_EQ(TVMFFIFunctionCall(detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(f), args, 1,
                               detail::AnyUnsafe::TVMFFIAnyPtrFromAny(&live)),
            -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().kind(), "InternalError");
  EXPECT_EQ(live.cast<String>(), "an object on the heap");
}

TEST(Function, NullFunctionIsAnError) {
  EXPECT_EQ(messageOf([] { Function()(); }, "InternalError"), "Cannot call a null Function");
}

TEST(Mismatch, ArgumentCount) {
  auto f = Function::FromTyped([](int, TensorView, Optional<double>) { return 1; }, "addx");
  EXPECT_EQ(messageOf([&] { f(1, 2); }),
            "Mismatched number of arguments when calling: `addx(0: int, 1: DLTensor*, 2: "
            "Optional<float>) -> int`. Expected 3 but got 2 arguments");
}

TEST(Mismatch, ArgumentType) {
  auto f = Function::FromTyped([](int, TensorView, Optional<double>) { return 1; }, "addx");
  EXPECT_EQ(messageOf([&] { f(1, nullptr, 2); }),
            "Mismatched type on argument #1 when calling: `addx(0: int, 1: DLTensor*, 2: "
            "Optional<float>) -> int`. Expected `DLTensor*` but got `None`");
  auto g = Function::FromTyped([](Array<int>, String) {});
  EXPECT_EQ(messageOf([&] { g(Array<Any>{1, "two"}, "s"); }),
            "Mismatched type on argument #0 when calling: `(0: Array<int>, 1: str) -> void`. "
            "Expected `Array<int>` but got `Array[index 1: ffi.SmallStr]`");
  auto h = Function::FromTyped([](bool, AnyView, Any, Function, Shape, Tensor, void *) {});
  EXPECT_EQ(messageOf([&] { h("no", 0, 0, nullptr, Shape(), nullptr, nullptr); }),
            "Mismatched type on argument #0 when calling: `(0: bool, 1: AnyView, 2: Any, 3: "
            "ffi.Function, 4: ffi.Shape, 5: ffi.Tensor, 6: void*) -> void`. Expected `bool` but "
            "got `const char*`");
}

TEST(Mismatch, IntegerThatDoesNotFit) {
  auto f = Function::FromTyped([](int8_t x) { return x; });
  EXPECT_EQ(f(-128).cast<int>(), -128);
  EXPECT_EQ(messageOf([&] { f(300); }),
            "Mismatched type on argument #0 when calling: `(0: int) -> int`. Expected `int` but "
            "got `int 300, which does not fit 8 bits`");
  EXPECT_EQ(messageOf([] { Any value = ~uint64_t(0); }, "OverflowError"),
            "Integer value 18446744073709551615 is too large to fit in int64_t. Consider "
            "explicitly casting to int64_t first if this is intentional.");
}

TEST(Conversion, FollowsTheTable) {
  EXPECT_EQ(Any(true).cast<int>(), 1);
  EXPECT_EQ(Any(2).cast<double>(), 2.0);
  EXPECT_FALSE(Any(2.5).try_cast<int>());
  EXPECT_TRUE(Any(2).cast<bool>());
  EXPECT_FALSE(Any(2).try_cast<StrictBool>());
  EXPECT_FALSE(Any(true).as<int>()); // strict
  EXPECT_EQ(Any(nullptr).cast<void *>(), nullptr);
  EXPECT_EQ(Any("float16").cast<DLDataType>(), (DLDataType{kDLFloat, 16, 1}));
  EXPECT_EQ(Any("cuda:3").cast<DLDevice>().device_id, 3);
  EXPECT_EQ(Any("cuda:3 and more").cast<DLDevice>().device_type, kDLCUDA);
  for (const char *bad : {"cuda:", "cuda:1:2", "gpu", "cuda:x", "cuda:99999999999"})
    EXPECT_FALSE(Any(bad).try_cast<DLDevice>()) << bad;
  EXPECT_EQ(messageOf([] { Any("nothing").cast<DLDataType>(); }, "ValueError"),
            "unknown dtype `nothing`");
  EXPECT_EQ(messageOf([] { Any(1).cast<String>(); }), "Cannot convert from type `int` to `str`");
  EXPECT_EQ(messageOf([] { Any(1).as_or_throw<String>(); }),
            "Cannot treat type `int` as type `str`");
  DLTensor tensor{};
  EXPECT_EQ(messageOf([&] { Any value = &tensor; }, "RuntimeError"),
            "DLTensor* cannot be held in Any as it does not retain ownership, use Tensor instead");
}

TEST(Conversion, RValueReferenceIsMovedOut) {
  auto count =
      Function::FromTyped([](RValueRef<Shape> ref) { return (*std::move(ref)).use_count(); });
  Shape shape{1, 2};
  EXPECT_EQ(count(RValueRef<Shape>(std::move(shape))).cast<int>(), 1);
  EXPECT_FALSE(shape.defined());
  Shape kept{1};
  EXPECT_EQ(count(kept).cast<int>(), 2);
  // A copy is another owner, whose own argument moves out of it alone.
  const RValueRef<Shape> held(std::move(kept));
  EXPECT_EQ(count(RValueRef<Shape>(held)).cast<int>(), 2);
  EXPECT_EQ(count(held).cast<int>(), 1);
  // Taken twice: the second taker finds nothing.
  TVMFFIObject *empty = nullptr;
  TVMFFIAny view = {}, owned = {};
  view.type_index = kTVMFFIObjectRValueRef;
  view.v_ptr = &empty;
  EXPECT_EQ(TVMFFIAnyViewToOwnedAny(&view, &owned), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message(), "RValueRef already moved");
}

TEST(Conversion, TypedFunctionKeepsItsSignature) {
  TypedFunction<int(int, int)> multiply = [](int a, int b) { return a * b; };
  EXPECT_EQ(multiply(6, 7), 42);
  Function packed = multiply;
  EXPECT_EQ(packed(true, 7).cast<int>(), 7);
  EXPECT_EQ(TypeTraits<TypedFunction<int(int, String)>>::TypeSchema(),
            "{\"type\":\"ffi.Function\",\"named_args\":{\"return\":[{\"type\":\"int\"}],"
            "\"params\":[{\"type\":\"int\"},{\"type\":\"ffi.String\"}]}}");
}

TEST(Optionals, AreEmptyOrHoldAValue) {
  EXPECT_FALSE(Optional<Tensor>(Tensor()).has_value()); // no engaged null
  EXPECT_EQ(Optional<int>(3).value(), 3);
  EXPECT_EQ(Optional<String>("abc"), "abc");
  EXPECT_EQ(Optional<int>().value_or(5), 5);
  EXPECT_EQ(messageOf([] { Optional<int>().value(); }, "RuntimeError"), "Back optional access");
  Optional<Shape> shape = Shape{1, 2};
  EXPECT_EQ(shape->size, 2u);
  EXPECT_EQ((*shape)[1], 2);
  EXPECT_EQ(shape.use_count(), 1);
}
