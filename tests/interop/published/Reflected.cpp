/// Reflection, JSON, serialization, structural equality, big integers and modules. As published
/// programs use them; prints the same with either headers and library.
#include "Published.h"

PROGRAM(Reflected) {
  show(0, [] {
    refl::FieldGetter g("test.published.Int", "value");
    S(g(TInt(5)).cast<int>());
    refl::FieldSetter s("test.published.Int", "value");
    TInt x(1);
    s(x, 9);
    S(x->value);
    S(g(make_object<TIntObj>(4)).cast<int>());
    S(g(static_cast<const TIntObj *>(x.get())).cast<int>());
    s(x, "str");
  });
  show(1, [] {
    S(refl::GetMethod("test.published.Int", "static_add")(TInt(1), TInt(2)).cast<TInt>()->value);
    S(refl::GetMethod("test.published.Float", "sub")(TFloat(10), 3.0).cast<double>());
    S(refl::GetMethod("test.published.Float", "add")(TFloat(10), 3.0).cast<double>());
    const TVMFFIFieldInfo *i = refl::GetFieldInfo("test.published.Int", "value");
    S(std::string(i->name.data, i->name.size));
    S(std::string(i->doc.data, i->doc.size));
    S(std::string(i->metadata.data, i->metadata.size));
    S(i->flags);
    S(i->offset);
    S(i->size);
    S(i->field_static_type_index);
    S(AnyView::CopyFromTVMFFIAny(i->default_value_or_factory).cast<int>());
    refl::GetFieldInfo("test.published.Int", "none");
  });
  show(2, [] {
    const TVMFFIMethodInfo *m = refl::GetMethodInfo("test.published.Int", "static_add");
    S(std::string(m->doc.data, m->doc.size));
    S(std::string(m->metadata.data, m->metadata.size));
    S(m->flags);
    refl::GetMethod("test.published.Int", "none");
  });
  show(3, [] { refl::GetMethod("test.published.Int", "get_value")(TFloat(1)); });
  show(4, [] { refl::GetMethod("test.published.Float", "add")(TFloat(1), 1, 2); });
  show(5, [] {
    const TVMFFITypeInfo *t = TVMFFIGetTypeInfo(TIntObj::RuntimeTypeIndex());
    S(t->num_fields);
    S(t->num_methods);
    refl::ForEachFieldInfo(
        t, [](const TVMFFIFieldInfo *f) { S(std::string(f->name.data, f->name.size)); });
    S(refl::ForEachFieldInfoWithEarlyStop(t, [](const TVMFFIFieldInfo *f) { return true; }));
    S(t->metadata->total_size);
    S(t->metadata->creator != nullptr);
    S(t->type_depth);
  });
  show(6, [] {
    refl::ObjectCreator c("test.published.Int");
    Any a = c(Map<String, Any>{{"value", 7}});
    S(a.cast<TInt>()->value);
    S(c(Map<String, Any>()).cast<TInt>()->value);
    c(Map<String, Any>{{"bad", 1}});
  });
  show(7, [] {
    refl::ObjectCreator c("test.published.Func");
    c(Map<String, Any>{{"params", Array<TVar>()}});
  });
  show(8, [] { refl::ObjectCreator c("test.published.Var"); });
  show(9, [] {
    refl::ObjectCreator c("test.published.Int");
    c({{"value", "abc"}});
  });
  show(10, [] {
    refl::TypeAttrDef<TIntObj>()
        .def("probe_attr", [](const TIntObj *x) { return x->value; })
        .attr("probe_attr2", 5);
    refl::TypeAttrColumn col("probe_attr");
    S(col[TIntObj::RuntimeTypeIndex()].cast<Function>()(TInt(3)).cast<int>());
    S(col[TFloatObj::RuntimeTypeIndex()] == nullptr);
    S(refl::TypeAttrColumn("probe_attr2")[TIntObj::RuntimeTypeIndex()].cast<int>());
    refl::EnsureTypeAttrColumn("probe_attr3");
    S(refl::TypeAttrColumn("probe_attr3")[0] == nullptr);
    refl::TypeAttrColumn("probe_none");
  });
  show(11, [] {
    refl::GlobalDef()
        .def(
            "test.published.g.add", [](int a, int b) { return a + b; }, "doc",
            refl::Metadata{{"k", 1}, {"s", "t"}, {"b", true}})
        .def_packed("test.published.g.packed", [](PackedArgs a, Any *r) { *r = a.size(); })
        .def_method("test.published.g.get", &TIntObj::GetValue);
    S(Function::GetGlobalRequired("test.published.g.add")(1, 2).cast<int>());
    S(Function::GetGlobalRequired("test.published.g.packed")(1, 2, 3).cast<int>());
    S(Function::GetGlobalRequired("test.published.g.get")(TInt(4)).cast<int>());
    S(Function::GetGlobalRequired("ffi.GetGlobalFuncMetadata")("test.published.g.add")
          .cast<String>());
    S(Function::GetGlobalRequired("ffi.GetGlobalFuncMetadata")("test.published.g.packed")
          .cast<String>());
    S(Function::GetGlobalRequired("ffi.GetGlobalFuncMetadata")("test.published.g.get")
          .cast<String>());
    Function::GetGlobalRequired("test.published.g.add")("x", 1);
  });
  show(12, [] {
    refl::GlobalDef().def("test.published.g.bad", [](int) {}, refl::Metadata{{"k", 1.5}});
  });
  show(13, [] {
    refl::AccessPath p = refl::AccessPath::Root()
                             ->Attr("x")
                             ->ArrayItem(2)
                             ->MapItem("k")
                             ->AttrMissing("m")
                             ->ArrayItemMissing(3)
                             ->MapItemMissing("z");
    S(p->depth);
    auto st = p->ToSteps();
    S(st.size());
    S(static_cast<int>(st[0]->kind));
    S(st[0]->key.cast<String>());
    S(p->PathEqual(p));
    S(refl::AccessPath::Root()->IsPrefixOf(p));
    S(p->IsPrefixOf(refl::AccessPath::Root()));
    S(p->GetParent().value()->depth);
    S(refl::AccessPath::FromSteps(st)->PathEqual(p));
    S(refl::AccessPath::FromSteps(st.begin(), st.end())->depth);
    S(refl::AccessStep::Attr("q")->StepEqual(refl::AccessStep::Attr("q")));
    S(refl::AccessPath::Root()->GetParent().has_value());
    S(ReprPrint(p));
  });
  show(14, [] {
    refl::AccessPath p = refl::AccessPath::Root()->Extend(refl::AccessStep::ArrayItem(1));
    S(p->step.value()->key.cast<int>());
    S(p->parent.has_value());
    S(StructuralEqual()(p, refl::AccessPath::Root()->ArrayItem(1)));
    S(static_cast<int>(refl::AccessKind::kMapItem));
    refl::AccessPathPair pp(p, p);
    S(pp.get<0>()->depth);
  });
  show(15, [] {
    auto f = refl::overload_cast<double>(&TFloatObj::Add, refl::const_);
    S((std::is_member_function_pointer_v<decltype(f)>));
  });
  show(16, [] {
    S(tvm::ffi::type_attr::kHash.name);
    S(tvm::ffi::type_attr::kEq.name);
    S(tvm::ffi::type_attr::kCompare.name);
    S(tvm::ffi::type_attr::kSHash.name);
    S(tvm::ffi::type_attr::kDataFromJson.name);
    S(tvm::ffi::type_attr::kStructuralMutate.name);
    S(tvm::ffi::type_attr::kStructuralMaybeInplaceMutate.name);
    S(tvm::ffi::type_attr::kEnumState.name);
    S(tvm::ffi::type_attr::kNew.name);
    S(tvm::ffi::type_attr::kShallowCopy.name);
    S(tvm::ffi::type_attr::kTypeFinal.name);
    S(tvm::ffi::type_attr::kConvertTypeSchema.name);
    S(tvm::ffi::type_attr::kAnyEqual.name);
  });
  show(17, [] {
    TVMFFIByteArray b{"hi", 2};
    S(Base64Encode(b));
    TVMFFIByteArray c{"aGk=", 4};
    S(Base64Decode(c).size());
  });
  show(18, [] {
    S(json::Stringify(json::Parse("{\"a\": [1, 2.5, true, null, \"x\\u0041\"]}")));
    S(json::Stringify(json::Parse("[1,2]"), 2));
    S(json::Stringify(json::Parse("{\"b\":{},\"c\":[]}"), 4));
    json::Value v = json::Parse("{\"k\":1}");
    S(v.cast<json::Object>()["k"].cast<int>());
    json::Array a{1, "b", nullptr};
    S(json::Stringify(a));
    json::Object o{{"z", 1.0}, {"y", true}};
    S(json::Stringify(o));
  });
  show(19, [] {
    String err;
    json::Value v = json::Parse("[1,", &err);
    S(v == nullptr);
    S(err);
    String e2;
    json::Parse("[1]", &e2);
    S(e2.empty());
  });
  show(20, [] {
    S(json::Stringify(Any(1.0)));
    S(json::Stringify(Any(1e100)));
    S(json::Stringify(Any(0.1)));
    S(json::Stringify(Any(std::nan(""))));
    S(json::Stringify(Any(INFINITY)));
    S(json::Stringify(Any(String("a/b\""))));
    json::Stringify(Any(TInt(1)));
  });
  show(21, [] { json::Stringify(Map<Any, Any>{{1, 2}}); });
  show(22, [] { json::Parse("{\"a\":1 \"b\":2}"); });
  show(23, [] {
    Any g = ToJSONGraph(Array<Any>{1, "a", 2.5, nullptr, true});
    S(json::Stringify(g));
    Any b = FromJSONGraph(g);
    S(b.cast<Array<Any>>().size());
    S(json::Stringify(ToJSONGraph(TInt(5))));
    S(FromJSONGraph(ToJSONGraph(TInt(5))).cast<TInt>()->value);
    S(json::Stringify(ToJSONGraph(
        Map<String, Any>{{"a", DLDevice{kDLCUDA, 1}}, {"b", DLDataType{kDLFloat, 16, 1}}})));
    S(json::Stringify(ToJSONGraph(Shape{1, 2})));
    S(json::Stringify(ToJSONGraph(Bytes("ab", 2))));
    S(json::Stringify(ToJSONGraph(Any(1), Map<String, Any>{{"m", 1}})));
  });
  show(24, [] { FromJSONGraph(json::Parse("{\"root_index\":7,\"nodes\":[]}")); });
  show(25, [] { FromJSONGraph(json::Parse("1")); });
  show(26, [] { ToJSONGraph(Function::FromTyped([]() {})); });
  show(27, [] { S(json::Stringify(ToJSONGraph(TVar("x")))); });
  show(28, [] {
    S(json::Stringify(ToJSONGraph(List<int>{1, 2})));
    S(json::Stringify(ToJSONGraph(Dict<String, int>{{"a", 1}})));
    S(FromJSONGraph(ToJSONGraph(Dict<String, int>{{"a", 1}})).GetTypeKey());
  });
  show(29, [] {
    auto m = StructuralEqual::GetFirstMismatch(Array<int>{1, 2}, Array<int>{1});
    S(ReprPrint(m.value()));
    m = StructuralEqual::GetFirstMismatch(Map<String, int>{{"a", 1}}, Map<String, int>{{"b", 1}});
    S(ReprPrint(m.value()));
    m = StructuralEqual::GetFirstMismatch(1, 2);
    S(ReprPrint(m.value()));
  });
  show(30, [] {
    S(ReprPrint(
        Array<Any>{1, "a", 2.5, nullptr, true, DLDevice{kDLCPU, 0}, DLDataType{kDLInt, 8, 1}}));
    S(ReprPrint(Map<Any, Any>{{1, "x"}}));
    S(ReprPrint(TFunc({}, {TInt(4)}, std::nullopt)));
    S(ReprPrint(Shape{1, 2}));
    S(ReprPrint(Bytes("a\x01", 2)));
    S(ReprPrint(String("q'\"\n")));
    S(ReprPrint(Tuple<int, float>(1, 2.f)));
    S(ReprPrint(List<int>{1}));
    S(ReprPrint(Dict<String, int>{{"a", 1}}));
    S(ReprPrint(Any()));
    S(ReprPrint(TFloat(0.5)));
  });
  show(31, [] { RecursiveLt(Map<String, int>(), Map<String, int>()); });
  show(32, [] {
    BigInt a(5), b(7);
    S(a + b == BigInt(12));
    S(a < b);
    S(static_cast<int64_t>(a));
    BigInt c = BigInt(INT64_MAX) + BigInt(1);
    S(c > a);
    Any x = c;
    S(x.GetTypeKey());
    S(x.cast<BigInt>() == c);
    S((c - BigInt(1)) == BigInt(INT64_MAX));
    S(-c < c);
    S((c << 3) > c);
    S((c >> 62) == BigInt(2));
    S(c / BigInt(2) < c);
    S(c % BigInt(10) == BigInt(8));
    S(floordiv(BigInt(-7), BigInt(2)) == BigInt(-4));
    S(floormod(BigInt(-7), BigInt(2)) == BigInt(1));
    BigInt(1) / BigInt(0);
  });
  show(33, [] {
    std::ostringstream o;
    o << (BigInt(INT64_MAX) * BigInt(INT64_MAX));
    S(o.str());
    S(static_cast<double>(BigInt(1) << 70));
    S((BigInt(6) & BigInt(3)) == BigInt(2));
    S((BigInt(6) | BigInt(3)) == BigInt(7));
    S((BigInt(6) ^ BigInt(3)) == BigInt(5));
    S(~BigInt(0) == BigInt(-1));
    S(std::hash<BigInt>()(BigInt(3)) == std::hash<BigInt>()(BigInt(3)));
    static_cast<int64_t>(BigInt(1) << 64);
  });
  show(34, [] { BigInt(1) << -1; });
  show(35, [] { BigInt x(std::numeric_limits<double>::infinity()); });
  show(36, [] { BigInt x(std::nan("")); });
  show(37, [] {
    TVMFFIByteArray n{"ffi.Array", 9};
    int32_t i;
    S(TVMFFITypeKeyToIndex(&n, &i));
    S(i);
    TVMFFIByteArray m{"nokey", 5};
    S(TVMFFITypeKeyToIndex(&m, &i));
    TVMFFIObjectHandle h;
    TVMFFIErrorMoveFromRaised(&h);
    S(h != nullptr);
    TVMFFIObjectDecRef(h);
  });
  show(38, [] {
    void *s = reinterpret_cast<void *>(8), *o = nullptr;
    S(TVMFFIEnvSetStream(2, 1, s, &o));
    S(o == nullptr);
    S(TVMFFIEnvGetStream(2, 1) == s);
    S(TVMFFIEnvSetStream(2, 1, nullptr, &o));
    S(o == s);
    S(TVMFFIEnvCheckSignals());
  });
  show(39, [] { S(TVMFFIEnvGetDLPackManagedTensorAllocator() == nullptr); });
  show(40, [] {
    S(TVMFFIGetTypeInfo(kTVMFFIArray)->type_depth);
    S(TVMFFIGetTypeInfo(TIntObj::RuntimeTypeIndex())->type_ancestors[1]->type_index ==
      TNumberObj::RuntimeTypeIndex());
  });
  show(41, [] { Module::LoadFromFile("noext"); });
  show(42, [] {
    S(symbol::tvm_ffi_symbol_prefix);
    S(symbol::tvm_ffi_main);
    S(symbol::tvm_ffi_library_ctx);
    S(symbol::tvm_ffi_library_bin);
    S(symbol::tvm_ffi_metadata_prefix);
    S(symbol::tvm_ffi_doc_prefix);
  });
  show(43, [] {
    Any m = Function::GetGlobalRequired("ffi.SystemLib")();
    Module mod = m.cast<Module>();
    S(std::string(mod->kind()));
    S(mod->GetPropertyMask());
    S(mod->GetFunction("nope").has_value());
    S(mod->GetFunction("nope", true).has_value());
    S(mod->ImplementsFunction("nope"));
    S(mod->imports().size());
    S(mod->GetFunctionDoc("x", false).has_value());
    S(mod->GetFunctionMetadata("x", false).has_value());
    S(mod->InspectSource(""));
    S(mod->GetWriteFormats().size());
    mod->WriteToFile("/tmp/x", "so");
  });
  show(44, [] {
    Module mod = Function::GetGlobalRequired("ffi.SystemLib")("p_").cast<Module>();
    S(mod.same_as(Function::GetGlobalRequired("ffi.SystemLib")("p_").cast<Module>()));
    mod->ImportModule(mod);
  });
  show(45, [] {
    Module mod = Function::GetGlobalRequired("ffi.SystemLib")().cast<Module>();
    mod->SaveToBytes();
  });
  show(46, [] {
    S(EnumObj::_type_key);
    S(IntEnumObj::_type_key);
    S(StrEnumObj::_type_key);
    Any a = TInt(1);
    a.cast<Enum>();
  });
  show(47, [] {
    S(std::is_default_constructible_v<Enum>);
    S(std::is_default_constructible_v<IntEnum>);
  });
  show(48, [] {
    auto f = Function::FromTyped([](int x) -> double { return 1.5; });
    auto r = f.CallExpected<int>(1);
    S(r.error().message());
    S(f.CallExpected<Optional<double>>(1).is_ok());
    S(f.CallExpected<Any>(1).is_ok());
    auto g = Function::FromTyped([](int x) -> int { return 1; });
    S(g.CallExpected<double>(1).is_ok());
    S(g.CallExpected<bool>(1).is_ok());
  });
  show(49, [] {
    auto f = Function::FromTyped([]() -> Array<int> { return Array<int>{1}; });
    S(f.CallExpected<Array<double>>().is_ok());
    S(f.CallExpected<Shape>().is_ok());
    auto h = Function::FromTyped([]() -> bool { return true; });
    S(h.CallExpected<int>().is_ok());
  });
  show(50, [] {
    auto g = [](const char *n) { return Function::GetGlobalRequired(n); };
    Array<Any> a{1, "b"};
    S(g("ffi.ArrayGetItem")(a, 0).cast<int>());
    S(g("ffi.ArraySize")(a).cast<int>());
    S(g("ffi.ArrayContains")(a, "b").cast<bool>());
    g("ffi.ArrayGetItem")(a, 5);
  });
  show(51, [] {
    auto g = [](const char *n) { return Function::GetGlobalRequired(n); };
    List<Any> a{1, "b"};
    g("ffi.ListAppend")(a, 3);
    S(a.size());
    g("ffi.ListInsert")(a, 0, 9);
    S(g("ffi.ListPop")(a, -1).cast<int>());
    g("ffi.ListReverse")(a);
    g("ffi.ListErase")(a, 0);
    g("ffi.ListReplaceSlice")(a, 0, 1, Array<Any>{7, 8});
    S(ReprPrint(a));
    g("ffi.ListEraseRange")(a, 0, 1);
    g("ffi.ListClear")(a);
    S(a.size());
    g("ffi.ListPop")(a, 0);
  });
  show(52, [] {
    auto g = [](const char *n) { return Function::GetGlobalRequired(n); };
    Map<Any, Any> m{{"a", 1}};
    S(g("ffi.MapGetItem")(m, "a").cast<int>());
    S(g("ffi.MapCount")(m, "z").cast<int>());
    S(g("ffi.MapGetItemOrMissing")(m, "z").GetTypeKey());
    auto it = g("ffi.MapForwardIterFunctor")(m).cast<Function>();
    S(it(0).cast<String>());
    S(it(1).cast<int>());
    S(it(2).cast<bool>());
    g("ffi.MapGetItem")(m, "q");
  });
  show(53, [] {
    S(Function::GetGlobalRequired("ffi.MakeObjectFromPackedArgs")("test.published.Int", "value", 5)
          .cast<TInt>()
          ->value);
  });
  show(54, [] {
    S(Function::GetGlobalRequired("ffi.Shape")(1, 2).cast<Shape>());
    Function::GetGlobalRequired("ffi.Shape")("a");
  });
  show(55, [] { refl::EnumDef<EnumObj>("probe_a"); });
  show(56, [] {
    S(ToJSONGraph(Any(1)).cast<json::Object>().size());
    S(FromJSONGraph(json::Parse("{\"root_index\":0,\"nodes\":[{\"type\":\"None\"}]}")) == nullptr);
    S(FromJSONGraph(json::Parse("{\"root_index\":0,\"nodes\":[{\"type\":\"int\",\"data\":5}]}"))
          .cast<int>());
    FromJSONGraph(json::Parse("{\"nodes\":[]}"));
  });
  show(57, [] { S(json::Stringify(ToJSONGraph(TFunc({TVar("v")}, {TInt(1)}, String("c"))))); });
  show(58, [] {
    json::Value v = json::Parse("{\"a\":[1,2,{\"b\":null}]}");
    auto o = v.cast<json::Object>();
    S(o["a"].cast<json::Array>()[2].cast<json::Object>()["b"] == nullptr);
    S(o.size());
    for (auto [k, x] : o) {
      S(k.cast<String>());
      S(x.GetTypeKey());
    }
  });
  show(59, [] { json::Stringify(Array<Any>{Function::FromTyped([]() {})}); });
  show(60, [] {
    S(StructuralEqual()(Map<String, int>{{"a", 1}, {"b", 2}},
                        Map<String, int>{{"b", 2}, {"a", 1}}));
    S(StructuralEqual()(1, 1.0));
    S(StructuralEqual()(String("a"), "a"));
    S(StructuralEqual()(nullptr, nullptr));
    S(StructuralEqual()(TInt(1), TFloat(1)));
    S(StructuralEqual()(Empty({0}), Empty({0})));
    S(StructuralEqual::Equal(Empty({0}), Empty({0}), false, true));
    S(StructuralEqual()(NAN, NAN));
    S(StructuralEqual()(0.0, -0.0));
    S(StructuralEqual()(DLDevice{kDLCPU, 0}, DLDevice{kDLCPU, 0}));
    S(StructuralEqual()(List<int>{1}, Array<int>{1}));
  });
  show(61, [] {
    S(RecursiveEq(NAN, NAN));
    S(RecursiveEq(0.0, -0.0));
    S(RecursiveEq(List<int>{1}, Array<int>{1}));
    S(RecursiveLt(String("a"), String("b")));
    S(RecursiveLt(Array<int>{1, 2}, Array<int>{1, 3}));
    S(RecursiveEq(TInt(1), TInt(1)));
    S(RecursiveLt(TInt(1), TInt(2)));
    S(RecursiveEq(nullptr, nullptr));
    S(RecursiveLt(true, 2));
    S(RecursiveGe(1.5, 1));
    S(RecursiveEq(Bytes("a", 1), String("a")));
    S(RecursiveEq(BigInt(1) << 70, BigInt(1) << 70));
    S(RecursiveLt(1, BigInt(1) << 70));
  });
  show(62, [] {
    S(ReprPrint(1));
    S(ReprPrint(-1.0));
    S(ReprPrint(1e20));
    S(ReprPrint(0.1));
    S(ReprPrint(NAN));
    S(ReprPrint(INFINITY));
    S(ReprPrint("x"));
    S(ReprPrint(TVar("a")));
    S(ReprPrint(Error("K", "m", "")));
    S(ReprPrint(Array<int>{}));
    S(ReprPrint(Map<String, int>()));
    S(ReprPrint(BigInt(1) << 70));
    S(ReprPrint(reinterpret_cast<void *>(0)));
    S(ReprPrint(Shape{}));
    S(ReprPrint(Tuple<int>(1)));
    S(ReprPrint(Map<String, Any>{{"k", Array<Any>{nullptr, TInt(2)}}}));
  });
  show(63, [] {
    Array<Any> a{1};
    List<Any> l{a};
    l.push_back(l);
    S(ReprPrint(l));
  });
  show(64, [] {
    S(Function::_type_is_nullable);
    S(Tensor::_type_is_nullable);
    S(Shape::_type_is_nullable);
    S(Error::_type_is_nullable);
    S(ObjectRef::_type_is_nullable);
    S(refl::AccessPath::_type_is_nullable);
    S(refl::AccessStep::_type_is_nullable);
    S(StructuralKey::_type_is_nullable);
    S(EnumState::_type_is_nullable);
    S(VisitErrorContext::_type_is_nullable);
    S(VisitInterrupt::_type_is_nullable);
    S(StructuralVisitor::_type_is_nullable);
    S(StructuralMutator::_type_is_nullable);
    S((Tuple<int>::_type_is_nullable));
    S((List<int>::_type_is_nullable));
    S((Dict<int, int>::_type_is_nullable));
  });
  show(65, [] {
    S((std::is_default_constructible_v<refl::AccessPath>));
    S((std::is_default_constructible_v<Error>));
    S((std::is_default_constructible_v<StructuralKey>));
    S((std::is_default_constructible_v<VisitErrorContext>));
    S((std::is_default_constructible_v<VisitInterrupt>));
    S((std::is_default_constructible_v<StructuralVisitor>));
    S((std::is_default_constructible_v<Shape>));
    S((std::is_default_constructible_v<Bytes>));
    S((std::is_default_constructible_v<Expected<int>>));
    S((std::is_default_constructible_v<Variant<int, String>>));
    S((std::is_default_constructible_v<Tuple<int>>));
    S((std::is_default_constructible_v<TensorView>));
    S((std::is_default_constructible_v<StructuralMutator>));
  });
  show(66, [] {
    S(TypeTraits<Module>::TypeStr());
    auto f = Function::FromTyped([](Function f, Tensor t, ObjectRef o) { return f.defined(); });
    S(f(nullptr, nullptr, nullptr).cast<bool>());
    auto g = Function::FromTyped([](Error e) { return 1; });
    g(nullptr);
  });
  show(67, [] {
    auto g = Function::FromTyped([](Shape e) { return 1; });
    g(nullptr);
  });
  show(68, [] {
    auto g = Function::FromTyped([](refl::AccessPath e) { return 1; });
    g(nullptr);
  });
  show(69, [] {
    auto g = Function::FromTyped([](StructuralKey e) { return 1; });
    g(nullptr);
  });
  show(70, [] {
    auto g = Function::FromTyped([](Array<int> e) { return 1; });
    g(nullptr);
  });
}
