/// Functions: making, calling, conversion of arguments and the texts of mismatches. As published
/// programs use them; prints the same with either headers and library.
#include "Published.h"

PROGRAM(Functions) {
  show(0, [] {
    auto f = Function::FromPacked([](const AnyView *args, int32_t n, Any *rv) { *rv = n; });
    S(f().cast<int>());
    S(f(1, 2).cast<int>());
    S(f(1, "a", nullptr, 2.0).cast<int>());
  });
  show(1, [] {
    auto f = Function::FromPacked([](PackedArgs args, Any *rv) {
      *rv = args[0].cast<int>() + args.size();
      S(args.Slice(1).size());
      S(args.Slice(0, 1).size());
      S(args.data() != nullptr);
    });
    S(f(1, 2).cast<int>());
  });
  show(2, [] {
    Function f([](const AnyView *args, int32_t n, Any *rv) { *rv = 1; });
    Any rv;
    f.CallPacked(nullptr, 0, &rv);
    S(rv.cast<int>());
    AnyView a[2] = {1, 2};
    f.CallPacked(a, 2, &rv);
    f.CallPacked(PackedArgs(a, 2), &rv);
    S(f.defined());
  });
  show(3, [] {
    auto f = Function::FromTyped([](int x) { return x + 1; });
    S(f(1).cast<int>());
    f(1, 2);
  });
  show(4, [] {
    auto f = Function::FromTyped([](int x) { return x + 1; }, "fadd1");
    f("a");
  });
  show(5, [] {
    auto f = Function::FromTyped([](int x) { return x + 1; }, "fadd1");
    f(nullptr);
  });
  show(6, [] {
    auto f =
        Function::FromTyped([](const Array<int> &a, const Map<String, int> &m) -> void {}, "g");
    f(Array<Any>{1, "a"}, Map<String, int>());
  });
  show(7, [] {
    auto f =
        Function::FromTyped([](const Array<int> &a, const Map<String, int> &m) -> void {}, "g");
    f(Array<Any>{1}, Map<Any, Any>{{"a", "b"}});
  });
  show(8, [] {
    auto f = Function::FromTyped([](const Map<int, int> &m) -> void {}, "g");
    f(Map<Any, Any>{{"a", "b"}});
  });
  show(9, [] {
    auto f = Function::FromTyped([](Tuple<int, String> t) { return t.get<0>(); });
    S(f(Tuple<int, String>(1, "a")).cast<int>());
    f(Array<Any>{1});
  });
  show(10, [] {
    auto f = Function::FromTyped([](Tuple<int, String> t) { return t.get<0>(); });
    f(Array<Any>{1, 2});
  });
  show(11, [] {
    auto f = Function::FromTyped([](Variant<int, String> v) { return v.as<int>().has_value(); });
    S(f(1).cast<bool>());
    S(f("a").cast<bool>());
    f(1.5);
  });
  show(12, [] {
    auto f = Function::FromTyped([](DLTensor *t) { return t->ndim; });
    f(1);
  });
  show(13, [] {
    auto f = Function::FromTyped([](TensorView t) { return t.ndim(); }, "k");
    S(f(Empty({1, 2})).cast<int>());
    f(nullptr);
  });
  show(14, [] {
    auto f = Function::FromTyped(
        [](TInt x, TNumber y, Optional<TInt> z, ObjectRef w) { return x->value; }, "obj");
    S(f(TInt(1), TInt(2), nullptr, TInt(3)).cast<int>());
    f(TInt(1), TVar("a"), nullptr, nullptr);
  });
  show(15, [] {
    auto f = Function::FromTyped([](const TIntObj *x) { return x->value; });
    S(f(TInt(7)).cast<int>());
    f(TFloat(1));
  });
  show(16, [] {
    auto f = Function::FromTyped([](TIntObj *x) {
      x->value++;
      return x->value;
    });
    S(f(TInt(7)).cast<int>());
  });
  show(17, [] {
    auto f = Function::FromTyped([](TPrimExpr x) { return x->dtype; });
    S(f(1).cast<std::string>());
    S(f("a").cast<String>());
    S(f(true).cast<String>());
    f(TInt(1));
  });
  show(18, [] {
    auto f = Function::FromTyped([](String s, Bytes b) { return s.size() + b.size(); });
    S(f("abc", Bytes("ab", 2)).cast<int>());
    S(f(std::string("abcdefghij"), Bytes(std::string("x"))).cast<int>());
    f(Bytes("a", 1), "a");
  });
  show(19, [] {
    auto f = Function::FromTyped([](int8_t x) { return x; });
    S(f(100).cast<int>());
    auto g = Function::FromTyped([](uint64_t x) { return x; });
    S(g(1).cast<uint64_t>());
  });
  show(20, [] {
    auto f = Function::FromTyped([](bool x) { return x; });
    S(f(1).cast<bool>());
    S(f(true).cast<int>());
    f("a");
  });
  show(21, [] {
    auto f = Function::FromTyped([](double x) { return x; });
    S(f(1).cast<double>());
    S(f(true).cast<double>());
    f("a");
  });
  show(22, [] {
    auto f = Function::FromTyped([](AnyView v) { return v.GetTypeKey(); });
    S(f("a").cast<String>());
    S(f(1.5).cast<String>());
    S(f(String("abcdefghijk")).cast<String>());
    auto g = Function::FromTyped([](Any v) -> Any { return v; });
    S(g("a").type_index());
    S(g(TInt(1)).cast<TInt>()->value);
  });
  show(23, [] {
    auto f = Function::FromTyped([](Function g, int x) { return g(x).cast<int>(); });
    S(f(Function::FromTyped([](int x) { return x * 2; }), 4).cast<int>());
    f(1, 2);
  });
  show(24, [] {
    auto f = Function::FromTyped([](TypedFunction<int(int)> g) { return g(3); });
    S(f(Function::FromTyped([](int x) { return x * 2; })).cast<int>());
    S(f(TypedFunction<int(int)>([](int x) { return x - 1; })).cast<int>());
  });
  show(25, [] {
    TypedFunction<int(int)> f = [](int x) { return x + 1; };
    S(f(1));
    Function g = f;
    S(g(2).cast<int>());
    S(f == nullptr);
    TypedFunction<int(int)> h;
    S(h == nullptr);
    h = f;
    S(h != nullptr);
    S(f.packed()(4).cast<int>());
    TypedFunction<void(int)> v([](int x) {}, "named");
    v(1);
    v.packed()("a");
  });
  show(26, [] {
    TypedFunction<int(int)> f([](int x) -> int { return x; }, "fname");
    f.packed()(1, 2);
  });
  show(27, [] {
    Function f = Function::FromTyped([](int x) -> String { return "a"; });
    TypedFunction<int(int)> t = f;
    t(1);
  });
  show(28, [] {
    int (*fp)(int, int) = [](int a, int b) { return a + b; };
    auto f = Function::FromTyped(fp, "fp");
    S(f(1, 2).cast<int>());
    f(1);
  });
  show(29, [] {
    auto f = Function::FromTyped(TInt::StaticAdd);
    S(f(TInt(1), TInt(2)).cast<TInt>()->value);
  });
  show(30, [] {
    Function f;
    S(f == nullptr);
    S(f.defined());
    Function g(nullptr);
    S(g != nullptr);
  });
  show(31, [] {
    S(Function::GetGlobal("test.published.none").has_value());
    Function::SetGlobal("test.published.f", Function::FromTyped([](int x) { return x; }));
    S(Function::GetGlobal("test.published.f").has_value());
    S(Function::GetGlobal(String("test.published.f")).value()(3).cast<int>());
    S(Function::GetGlobal(std::string("test.published.f"))->defined());
    auto names = Function::ListGlobalNames();
    S(std::find(names.begin(), names.end(), "test.published.f") != names.end());
    Function::RemoveGlobal("test.published.f");
    S(Function::GetGlobal("test.published.f").has_value());
    Function::GetGlobalRequired("test.published.f");
  });
  show(32, [] {
    auto sc = [](void *h, const TVMFFIAny *a, int32_t n, TVMFFIAny *r) -> int {
      r->type_index = kTVMFFIInt;
      r->v_int64 = a[0].v_int64 + 1;
      return 0;
    };
    auto f = Function::FromExternC(nullptr, sc, nullptr);
    S(f(2).cast<int>());
    S(Function::InvokeExternC(nullptr, sc, 5).cast<int>());
  });
  show(33, [] {
    auto sc = [](void *h, const TVMFFIAny *a, int32_t n, TVMFFIAny *r) -> int {
      TVMFFIErrorSetRaisedFromCStr("ValueError", "from c");
      return -1;
    };
    auto f = Function::FromExternC(nullptr, sc, nullptr);
    S(f.CallExpected(1).error().message());
    f(1);
  });
  show(34, [] {
    auto f = Function::FromTyped([](std::vector<int> v) { return v; }, "stl");
    S(f(Array<int>{1, 2}).cast<std::vector<int>>().size());
    S(f(List<int>{1}).cast<Array<int>>().size());
    f(Array<Any>{"x"});
  });
  show(35, [] {
    auto f = Function::FromTyped([](std::unordered_map<String, int> v) { return v; }, "stl");
    S(f(Map<String, int>{{"x", 1}}).cast<std::unordered_map<String, int>>().at("x"));
    f(1);
  });
  show(36, [] {
    auto f = Function::FromTyped([](std::function<int(int)> g) -> std::function<int(int)> {
      return [g](int x) { return g(g(x)); };
    });
    auto g = f(Function::FromTyped([](int x) { return x * 3; })).cast<std::function<int(int)>>();
    S(g(2));
  });
  show(37, [] {
    auto f =
        Function::FromTyped([](std::tuple<int, std::string> v) { return std::get<1>(v); }, "stl");
    S(f(Array<Any>{1, "abc"}).cast<String>());
    f(Array<Any>{1});
  });
  show(38, [] {
    auto f = Function::FromTyped([](std::optional<int> v) { return v; }, "stl");
    S(f(1).cast<std::optional<int>>());
    S(f(nullptr) == nullptr);
    f("x");
  });
  show(39, [] {
    auto f = Function::FromTyped([](std::variant<int, std::string> v) { return v; }, "stl");
    S(f(1).cast<int>());
    S(f("abc").cast<std::string>());
    f(1.5);
  });
  show(40, [] {
    auto f = Function::FromTyped([](std::array<int, 2> v) { return v; }, "stl");
    S(f(Array<int>{1, 2}).cast<Array<int>>()[1]);
    f(Array<int>{1});
  });
  show(41, [] {
    S(details::FunctionInfo<int(int, String)>::Sig());
    S(details::FunctionInfo<void (*)(Array<int>)>::Sig());
    S(details::FunctionInfo<int(int)>::num_args);
    S(details::FunctionInfo<int(int, Optional<TensorView>)>::TypeSchema());
    auto l = [](int a) mutable -> Any { return a; };
    S(details::FunctionInfo<decltype(l)>::Sig());
    S(details::FunctionInfo<decltype(&TFloatObj::Add)>::Sig());
  });
  show(42, [] {
    auto f = Function::FromTyped([]() -> int { throw std::runtime_error("std err"); });
    S(f.CallExpected().error().kind());
    S(f.CallExpected().error().message());
    f();
  });
  show(43, [] {
    auto f = Function::FromTyped([]() { TVM_FFI_THROW(KeyError) << "thrown"; });
    S(f.CallExpected<void>().error().kind());
    f();
  });
  show(44, [] {
    auto f = Function::FromTyped([](DLDataType d) { return 1; }, "k");
    f("flob");
  });
  show(45, [] {
    auto f = Function::FromTyped([](const std::string &s, const char *c) { return s + c; }, "k");
    S(f("a", "b").cast<std::string>());
    S(f(String("abcdefghijk"), "b").cast<std::string>());
    S(f(Bytes("zz", 2), "b").cast<std::string>());
    f(1, "b");
  });
  show(46, [] {
    auto f = Function::FromTyped([](const std::string &s, const char *c) { return s + c; }, "k");
    f("x", String("b"));
  });
  show(47, [] {
    auto f = Function::FromTyped([](const char *c) { return std::string(c); }, "k");
    f(1);
  });
  show(48, [] {
    auto f = Function::FromTyped([](void *p) { return p == nullptr; });
    S(f(nullptr).cast<bool>());
    S(f(reinterpret_cast<void *>(8)).cast<bool>());
    f(1);
  });
  show(49, [] {
    auto f = Function::FromTyped([](TVMFFIByteArray *b) { return b->size; });
    TVMFFIByteArray b{"abc", 3};
    S(f(&b).cast<int>());
    f("x");
  });
  show(50, [] {
    auto f = Function::FromTyped([](En e) { return e; });
    S(static_cast<int>(f(En::B).cast<En>()));
    S(f(2).cast<int>());
    f("x");
  });
  show(51, [] {
    auto f = Function::FromTyped([](Error e) { return e.message(); });
    S(f(Error("A", "msg", "")).cast<String>());
    f(1);
  });
  show(52, [] {
    auto f = Function::FromTyped([](int a, int b = 3) { return a + b; });
    f(1);
  });
  show(53, [] {
    auto f = Function::FromTyped(
        [](Optional<Module> m, List<int> l, Dict<String, int> d) { return m.has_value(); });
    S(f(nullptr, List<int>{1}, Dict<String, int>()).cast<bool>());
    f(nullptr, 1, Dict<String, int>());
  });
  show(54, [] {
    auto f = Function::FromTyped([](ObjectPtr<TIntObj> p, Arc<TIntObj> q) { return p ? 1 : 0; });
    S(f(nullptr, TInt(1)).cast<int>());
    f(nullptr, nullptr);
  });
  show(55, [] {
    auto f = Function::FromTyped([](Expected<int> e) { return e.is_ok(); });
    S(f(1).cast<bool>());
    S(f(Error("a", "b", "")).cast<bool>());
    f("x");
  });
  show(56, [] {
    auto f = Function::FromTyped([](Variant<TInt, String> v, Tuple<int, Optional<String>> t) {
      return t.get<1>().has_value();
    });
    S(f(TInt(1), Array<Any>{1, nullptr}).cast<bool>());
    f(1, Array<Any>{1, nullptr});
  });
  show(57, [] {
    auto f = Function::FromTyped([](Variant<TInt, String> v, Tuple<int, Optional<String>> t) {
      return t.get<1>().has_value();
    });
    f("a", Array<Any>{1, 2});
  });
  show(58, [] {
    auto f = Function::FromTyped([](Array<Array<int>> a) { return a.size(); });
    S(f(Array<Any>{Array<Any>{1}}).cast<int>());
    f(Array<Any>{Array<int>{1}, Array<Any>{1, "x"}});
  });
  show(59, [] {
    auto f = Function::FromTyped([](Map<String, Array<int>> a) { return a.size(); });
    f(Map<String, Any>{{"k", Array<Any>{1, "x"}}});
  });
  show(60, [] {
    auto f = Function::FromTyped([](Array<Optional<TInt>> a) { return a.size(); });
    S(f(Array<Any>{nullptr, TInt(1)}).cast<int>());
    f(Array<Any>{1});
  });
  show(61, [] {
    auto f = Function::FromTyped([](BigInt b) { return b == BigInt(5); });
    S(f(5).cast<bool>());
    S(f(true).cast<bool>());
    f("a");
  });
  show(62, [] {
    auto f = Function::FromTyped([](int64_t b) { return b; });
    f(BigInt(1) << 70);
  });
  show(63, [] {
    auto f = Function::FromTyped([](double b) { return b; });
    f(BigInt(1) << 70);
  });
  show(64, [] {
    auto f = Function::FromTyped([]() -> const char * { return "cstr"; });
    S(f().cast<String>());
    auto g = Function::FromTyped([]() -> std::string { return "stdstr longer than 7"; });
    S(g().cast<std::string>());
    auto h = Function::FromTyped([]() -> Error { return Error("a", "b", ""); });
    S(h().GetTypeKey());
  });
  show(65, [] {
    auto f = Function::FromTyped(
        [](Function self, int n) -> int { return n <= 0 ? 0 : 1 + self(self, n - 1).cast<int>(); });
    S(f(f, 10).cast<int>());
  });
  show(66, [] {
    S(Function::FromTyped([](int) {}).use_count());
    Function f = Function::FromTyped([](int) {});
    Any a = f;
    S(f.use_count());
    S(a.cast<Function>().same_as(f));
    S(a.as<FunctionObj>() != nullptr);
    S(f.GetTypeKey());
    S(f->IsInstance<FunctionObj>());
    S(f.get()->safe_call != nullptr);
  });
  show(67, [] {
    Any a = 1;
    a = "x";
    a = TInt(1);
    a = nullptr;
    a = Array<int>{1};
    a = AnyView(2);
    a = Any(3);
    S(a.cast<int>());
    a = std::string("s");
    S(a.cast<String>());
    a = 1.5f;
    S(a.cast<double>());
    a = En::A;
    a = DLDevice{kDLCPU, 0};
    a = static_cast<int8_t>(-3);
    S(a.cast<int8_t>());
    a = 'c';
    S(a.cast<char>());
    a = static_cast<size_t>(9);
    S(a.cast<size_t>());
    a = true;
    S(a.cast<bool>());
  });
  show(68, [] {
    AnyView v;
    v = 1;
    v = "x";
    v = TInt(1);
    v = nullptr;
    TInt t(2);
    v = t;
    S(v.cast<TInt>()->value);
    S(t.use_count());
    String s("abcdefghijkl");
    v = s;
    S(v.cast<String>());
    v.reset();
    S(v == nullptr);
    AnyView w = 3;
    v.swap(w);
    S(v.cast<int>());
    S(v != nullptr);
  });
  show(69, [] {
    S(Any(TInt(1)).as<TIntObj>()->value);
    if (auto *p = Any(TInt(1)).as<TIntObj>())
      S("ptr");
    if (auto o = Any(3).as<int64_t>())
      S(*o);
    if (const auto *n = AnyView(TInt(4)).as<TNumberObj>())
      S(n->IsInstance<TIntObj>());
  });
  show(70, [] {
    S(Any(TInt(1)).cast<ObjectRef>().use_count());
    ObjectRef o = Any(TInt(1)).cast<ObjectRef>();
    S(o->GetTypeKeyHash() == TInt(3)->GetTypeKeyHash());
  });
  show(71, [] {
    Optional<Function> f = Function::GetGlobal("ffi.Array");
    S(f.has_value());
    std::optional<Function> g = Function::GetGlobal("ffi.Array");
    S((*g)(1, 2).cast<Array<int>>().size());
    const auto h = Function::GetGlobal("ffi.Map");
    S((*h)("a", 1).cast<Map<String, int>>()["a"]);
  });
  show(72, [] {
    for (const char *n : {"ffi.ArrayGetItem",
                          "ffi.ArraySize",
                          "ffi.ArrayContains",
                          "ffi.List",
                          "ffi.ListGetItem",
                          "ffi.ListSetItem",
                          "ffi.ListSize",
                          "ffi.ListAppend",
                          "ffi.ListReserve",
                          "ffi.MapGetItem",
                          "ffi.MapSize",
                          "ffi.MapCount",
                          "ffi.MapForwardIterFunctor",
                          "ffi.DictSetItem",
                          "ffi.DeepCopy",
                          "ffi.ReprPrint",
                          "ffi.json.Parse",
                          "ffi.StructuralHash",
                          "ffi.StructuralEqual",
                          "ffi.GetRegisteredTypeKeys",
                          "ffi.ModuleGetKind",
                          "ffi.MakeObjectFromPackedArgs",
                          "ffi.StructuralMap",
                          "ffi.StructuralMutate",
                          "ffi.StructuralVisit",
                          "ffi.StructuralVisitorDefaultVisit",
                          "ffi.GetFirstStructuralMismatch",
                          "ffi.ToJSONGraphString",
                          "ffi.FromJSONGraphString",
                          "ffi.VisitErrorContext.FindAccessPaths"})
      S(Function::GetGlobal(n).has_value());
  });
}
