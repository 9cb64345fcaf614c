/// The error slot, errors with causes, the macros and backtraces.
#include <gtest/gtest.h>

#include <thread>

#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {
template <typename F> Error caught(F &&f) {
  try {
    f();
  } catch (const Error &error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error("None", "", std::string());
}

constexpr int kThrowingLine = __LINE__ + 1;
[[gnu::noinline]] void throwsHere() { TVM_FFI_THROW(ValueError) << "value " << 42; }
} // namespace

TEST(ErrorSlot, IsEmptyAfterItWasTaken) {
  TVMFFIErrorSetRaisedFromCStr("TypeError", "first");
  TVMFFIErrorSetRaisedFromCStr("ValueError", "second");
  Error error = detail::MoveFromSafeCallRaised();
  EXPECT_EQ(error.kind(), "ValueError");
  EXPECT_STREQ(error.what(), "second");
  EXPECT_TRUE(error.unique());
  TVMFFIObjectHandle handle = &error;
  TVMFFIErrorMoveFromRaised(&handle);
  EXPECT_EQ(handle, nullptr);
}

TEST(ErrorSlot, JoinsPartsAndSkipsNulls) {
  const char *parts[] = {"a", nullptr, "b", "c"};
  TVMFFIErrorSetRaisedFromCStrParts("KeyError", parts, 4);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message(), "abc");
}

TEST(ErrorSlot, BelongsToItsThread) {
  TVMFFIErrorSetRaisedFromCStr("TypeError", "mine");
  std::thread([] {
    TVMFFIObjectHandle handle = nullptr;
    TVMFFIErrorMoveFromRaised(&handle);
    EXPECT_EQ(handle, nullptr);
    TVMFFIErrorSetRaisedFromCStr("ValueError", "other"); // freed with the thread
  }).join();
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message(), "mine");
}

TEST(ErrorSlot, RefusesWhatIsNoError) {
  String text("not an error at all");
  TVMFFIErrorSetRaised(AnyView(text).CopyToTVMFFIAny().v_obj);
  Error error = detail::MoveFromSafeCallRaised();
  EXPECT_EQ(error.kind(), "TypeError");
  EXPECT_EQ(error.message(), "TVMFFIErrorSetRaised: expected `ffi.Error` but got `ffi.String`");
}

TEST(ErrorSlot, KeepsTheSameObject) {
  Error error("ValueError", "text", std::string("  File \"f\", line 1, in g\n"));
  detail::SetSafeCallRaised(error);
  EXPECT_EQ(error.use_count(), 2);
  EXPECT_TRUE(detail::MoveFromSafeCallRaised().same_as(error));
}

TEST(ErrorObject, HoldsCauseAndContext) {
  Error cause("KeyError", "why", std::string());
  String context("some longer context");
  ObjectRef contextRef = Any(context).cast<ObjectRef>();
  {
    Error error("ValueError", "what", std::string(), cause, contextRef);
    EXPECT_TRUE(error.cause_chain()->same_as(cause));
    EXPECT_TRUE(error.extra_context()->same_as(contextRef));
    EXPECT_EQ(cause.use_count(), 2);
  }
  EXPECT_EQ(cause.use_count(), 1);
  TVMFFIByteArray text{"x", 1}, empty{nullptr, 0};
  TVMFFIObjectHandle handle = nullptr;
  ASSERT_EQ(TVMFFIErrorCreateWithCauseAndExtraContext(
                &text, &text, &empty, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(cause),
                nullptr, &handle),
            0);
  EXPECT_EQ(cause.use_count(), 2);
  EXPECT_STREQ(TVMFFIErrorGetCellPtr(handle)->message.data, "x");
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(cause.use_count(), 1);
}

TEST(ErrorObject, BacktraceIsReplacedAppendedAndReversed) {
  Error error("ValueError", "m", std::string("inner\n"));
  TVMFFIByteArray outer{"outer\n", 6};
  error.UpdateBacktrace(&outer, kTVMFFIBacktraceUpdateModeAppend);
  EXPECT_EQ(error.backtrace(), "inner\nouter\n");
  EXPECT_EQ(error.TracebackMostRecentCallLast(), "outer\ninner\n");
  EXPECT_EQ(error.FullMessage(),
            "Traceback (most recent call last):\nouter\ninner\nValueError: m\n");
  error.UpdateBacktrace(&outer, kTVMFFIBacktraceUpdateModeReplace);
  EXPECT_EQ(error.backtrace(), "outer\n");
}

TEST(ErrorMacros, ThrowNamesTheLine) {
  Error error = caught(throwsHere);
  EXPECT_EQ(error.kind(), "ValueError");
  EXPECT_EQ(error.message(), "value 42");
  std::string first = error.backtrace().substr(0, error.backtrace().find('\n'));
  EXPECT_NE(first.find("ErrorTest.cpp\", line " + std::to_string(kThrowingLine) + ", in "),
            std::string::npos)
      << first;
  EXPECT_NE(first.find("throwsHere"), std::string::npos) << first;
}

TEST(ErrorMacros, ChecksSayWhatFailed) {
  int x = 3;
  EXPECT_EQ(caught([&] { TVM_FFI_CHECK(x == 4, TypeError) << "more"; }).message(),
            "Check failed: (x == 4) is false: more");
  EXPECT_EQ(caught([&] { TVM_FFI_CHECK_EQ(x, 5, ValueError) << "more"; }).message(),
            "Check failed: x == 5 (3 vs. 5) : more");
  EXPECT_EQ(caught([&] { TVM_FFI_ICHECK_LT(x, 2u); }).kind(), "InternalError");
  void *null = nullptr;
  EXPECT_EQ(caught([&] { TVM_FFI_CHECK_NOTNULL(null, ValueError); }).message(),
            "Check not null: null ");
  EXPECT_EQ(TVM_FFI_ICHECK_NOTNULL(&x), &x);
}

TEST(ErrorMacros, ChecksThatHoldSayNothing) {
  int count = 0;
  auto once = [&] { return ++count; };
  TVM_FFI_CHECK_GE(once(), 1, ValueError) << "not evaluated " << ++count;
  EXPECT_EQ(count, 1);
  // Integers compare by value, not by representation.
  TVM_FFI_ICHECK_LT(-1, 1u);
  TVM_FFI_ICHECK_NE(-1, ~0u);
  if (count == 2)
    TVM_FFI_CHECK(false, ValueError);
  else
    count = 7; // the else is the if's
  EXPECT_EQ(count, 7);
}
