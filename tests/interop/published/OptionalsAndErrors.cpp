/// Optional, Error, Expected and the checks. As published programs use them; prints the same with
/// either headers and library.
#include "Published.h"

PROGRAM(OptionalsAndErrors) {
  show(0, [] {
    Optional<int> x;
    S(x.has_value());
    Optional<int> y = 1;
    S(y.value());
    S(*y);
    S(y.value_or(3));
    S(x.value_or(3));
    S(x == std::nullopt);
    S(y == 1);
    S(x != y);
    S(static_cast<bool>(y));
    x = y;
    S(x == y);
    x = std::nullopt;
    S(x.has_value());
    x.value();
  });
  show(1, [] {
    Optional<TInt> x = TInt(2);
    S(x->value);
    S(x.get()->value);
    S(x.same_as(x));
    S(x.use_count());
    S(x.unique());
    TInt m = *std::move(x);
    S(m.use_count());
    S(x.has_value());
    S(x.as<TIntObj>() == nullptr);
  });
  show(2, [] {
    Optional<TInt> x = std::nullopt;
    x.value();
  });
  show(3, [] {
    Optional<String> x;
    S(x == "a");
    S(x.value_or("zz"));
    S("a" == x.value_or("a"));
  });
  show(4, [] {
    Optional<Array<int>> x = Array<int>{1};
    S(x.value()[0]);
    S(x.value().size());
    S((*x).size());
    Optional<Array<int>> e;
    S(e.has_value());
    S(e == nullptr);
  });
  show(5, [] {
    Optional<Any> x;
    S(x.has_value());
  });
  show(6, [] {
    Optional<Function> f;
    S(f == nullptr);
    f = Function::FromTyped([](int x) { return x; });
    S((*f)(1).cast<int>());
    S(f.value()(2).cast<int>());
  });
  show(7, [] {
    Optional<double> x = 1;
    S(x.value());
    Optional<bool> b = true;
    S(b.value());
    S(*b);
    S(b.has_value());
  });
  show(8, [] {
    std::optional<int> s = 1;
    Optional<int> x = s;
    S(*x);
    Any a = x;
    S(a.cast<int>());
    Any n = Optional<int>();
    S(n == nullptr);
    S(a.cast<Optional<int>>().value());
    S(n.cast<Optional<int>>().has_value());
    a = "x";
    a.cast<Optional<int>>();
  });
  show(9, [] {
    Any a = TInt(1);
    S(a.as<Optional<TInt>>().has_value());
    S(a.cast<Optional<TNumber>>().value().defined());
    a = nullptr;
    S(a.as<Optional<TInt>>().value().has_value());
  });
  show(10, [] {
    Optional<Optional<int>> x = Optional<int>(3);
    S(x.has_value());
    S((*x).value());
  });
  show(11, [] {
    Optional<ObjectPtr<TIntObj>> x;
    S(x.has_value());
    x.value();
  });
  show(12, [] {
    Optional<ObjectPtr<TIntObj>> x = make_object<TIntObj>(3);
    S(x.value()->value);
    S(x->value);
    S((*x)->value);
    S(x.has_value());
  });
  show(13, [] {
    Optional<Arc<TIntObj>> x = make_arc<TIntObj>(3);
    S(x.value()->value);
    S(x->value);
  });
  show(14, [] {
    Optional<int64_t> x(5);
    S(x == 5);
    S(x == int64_t(5));
    S(x != 6);
    S(5 == *x);
  });
  show(15, [] {
    auto f = Function::FromTyped([](Optional<TensorView> t) { return t.has_value(); });
    S(f(nullptr).cast<bool>());
    S(f(Empty({2})).cast<bool>());
  });
  show(16, [] {
    Error e("TypeError", "here", "test0\ntest1\ntest2\n");
    S(e.TracebackMostRecentCallLast());
    S(e.backtrace());
    S(e.FullMessage());
    S(e.what());
  });
  show(17, [] {
    Error o("TypeError", "here", "test0");
    Error c("ValueError", "cause", "test1", o, std::nullopt);
    S(c.cause_chain().has_value());
    S(c.cause_chain()->kind());
    S(c.extra_context().has_value());
    Error d("ValueError", "cause", "t", std::nullopt, TInt(3));
    S(d.extra_context()->as<TInt>().value()->value);
    S(d.cause_chain().has_value());
  });
  show(18, [] {
    Error o("TypeError", "here", "t");
    Error c("V", "m", "t", std::make_optional(o), std::make_optional<ObjectRef>(TInt(1)));
    S(c.extra_context().value().as<TIntObj>()->value);
  });
  show(19, [] {
    Error e("K", "m", "a\n");
    TVMFFIByteArray b{"zz\n", 3};
    e.UpdateBacktrace(&b, kTVMFFIBacktraceUpdateModeAppend);
    S(e.backtrace());
    e.UpdateBacktrace(&b, kTVMFFIBacktraceUpdateModeReplace);
    S(e.backtrace());
  });
  show(20, [] {
    TVMFFIByteArray b{"zz\n", 3};
    Error e("K", "m", &b);
    S(e.backtrace());
    S(e->kind.size);
    S(e.get()->message.size);
    S(e.use_count());
    S(e.defined());
    Error f = e;
    S(f.same_as(e));
    S(std::string(f.what()));
  });
  show(21, [] { TVM_FFI_ICHECK_GT(2, 3) << "extra"; });
  show(22, [] { TVM_FFI_ICHECK_EQ(2, 3); });
  show(23, [] { TVM_FFI_ICHECK(1 == 2) << " because"; });
  show(24, [] { TVM_FFI_CHECK_LT(size_t(3), 2, ValueError) << "sz"; });
  show(25, [] {
    int *p = nullptr;
    TVM_FFI_ICHECK_NOTNULL(p);
  });
  show(26, [] {
    int x = 1;
    int *p = TVM_FFI_ICHECK_NOTNULL(&x);
    S(*p);
    auto q = TVM_FFI_CHECK_NOTNULL(std::make_unique<int>(3), ValueError);
    S(*q);
  });
  show(27, [] { TVM_FFI_CHECK(false, IndexError) << "idx " << 1 << ' ' << 2.5; });
  show(28, [] { throw EnvErrorAlreadySet(); });
  show(29, [] {
    try {
      TVM_FFI_LOG_AND_THROW(ValueError) << "x";
    } catch (const std::exception &e) {
      S(e.what());
    }
  });
  show(30, [] {
    for (int i = 0; i < 2; ++i)
      TVM_FFI_ICHECK_LE(i, 1) << i;
    S("ok");
  });
  show(31, [] { S(tvm::ffi::details::MoveFromSafeCallRaised == nullptr); });
  show(32, [] {
    tvm::ffi::details::SetSafeCallRaised(Error("ValueError", "slot", ""));
    throw tvm::ffi::details::MoveFromSafeCallRaised();
  });
  show(33, [] {
    std::string s = "abc";
    TVM_FFI_CHECK_EQ(s, "abd", ValueError);
  });
  show(34, [] { TVM_FFI_CHECK_EQ(String("abc"), "abd", ValueError); });
  show(35, [] { TVM_FFI_CHECK_NE(1.5, 1.5, ValueError) << "dbl"; });
  show(36, [] { TVM_FFI_CHECK_GE(En::A == En::A, 2, ValueError); });
  show(37, [] {
    DLDataType a{kDLFloat, 32, 1};
    TVM_FFI_CHECK_EQ(a, (DLDataType{kDLInt, 8, 1}), TypeError) << "dt";
  });
  show(38, [] {
    Expected<int> e = 1;
    S(e.is_ok());
    S(e.is_err());
    S(e.has_value());
    S(e.value());
    S(e.value_or(3));
    e.error();
  });
  show(39, [] {
    Expected<String> e = Unexpected(Error("ValueError", "msg", ""));
    S(e.is_err());
    S(std::move(e).error().message());
  });
  show(40, [] {
    Expected<String> e = "hello";
    S(e.value());
    S(std::move(e).value());
  });
  show(41, [] {
    Expected<void> e;
    S(e.is_ok());
    e.value();
    Expected<void> f = Error("A", "b", "");
    f.value();
  });
  show(42, [] {
    Expected<Any> e = Any(1);
    S(e.value().cast<int>());
    Expected<TInt> t = TInt(3);
    S(t.value()->value);
    Expected<Array<int>> a = Array<int>{1, 2};
    S(a.value().size());
    Expected<Optional<int>> o = Optional<int>();
    S(o.value().has_value());
  });
  show(43, [] {
    Expected<int> e = 1;
    S(e.as_or_error<int>().value());
    S(e.as_or_error<String>().is_err());
    e.as_or_error<String>().value();
  });
  show(44, [] {
    auto f = Function::FromTyped([](int x) -> Expected<int> {
      if (x > 0)
        return x;
      return Error("ValueError", "neg", "");
    });
    S(f(1).cast<int>());
    S(f.CallExpected<int>(1).value());
    S(f.CallExpected<int>(-1).error().message());
    f(-1);
  });
  show(45, [] {
    Any a = Expected<int>(3);
    S(a.cast<int>());
    Any b = Expected<int>(Error("K", "m", ""));
    S(b.GetTypeKey());
    S(b.cast<Expected<int>>().is_err());
    S(a.cast<Expected<int>>().value());
    a = "s";
    a.cast<Expected<int>>();
  });
  show(46, [] {
    Unexpected u(Error("K", "m", ""));
    S(u.error().kind());
    Unexpected<Error> v(Error("A", "b", ""));
    S(std::move(v).error().message());
  });
}
