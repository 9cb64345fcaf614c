/// Array, List, Map, Dict, Tuple and Variant. As published programs use them; prints the same with
/// either headers and library.
#include "Published.h"

PROGRAM(Sequences) {
  show(0, [] {
    Array<int> a{1, 2, 3};
    Array<int> b = a;
    a.push_back(4);
    S(a.size());
    S(b.size());
    a.Set(0, 9);
    S(a[0]);
    S(b[0]);
    a.insert(a.begin() + 1, 7);
    S(a[1]);
    std::vector<int> v{5, 6};
    a.insert(a.end(), v.begin(), v.end());
    S(a.size());
    a.pop_back();
    a.erase(a.begin());
    a.erase(a.begin(), a.begin() + 2);
    S(a.size());
    a.resize(10);
    S(a.size());
    a.clear();
    S(a.empty());
    a.pop_back();
  });
  show(1, [] {
    Array<int> a;
    a.reserve(10);
    S(a.capacity());
    a.emplace_back(1);
    S(a[0]);
    a.resize(-1);
  });
  show(2, [] {
    Array<Any> a{1, "a", 2.5, nullptr, TInt(1)};
    S(a[0].cast<int>());
    S(a[1].cast<String>());
    S(a[2].cast<double>());
    S(a[3] == nullptr);
    S(a[4].cast<TInt>()->value);
  });
  show(3, [] {
    Array<String> a{"a", "b"};
    auto b = a.Map([](String s) { return s + "x"; });
    S(b[0]);
    auto c = a.Map([](String s) { return s; });
    S(c.same_as(a));
    auto d = a.Map([](String s) { return static_cast<int>(s.size()); });
    S(d[0]);
    a.MutateByApply([](String s) { return s + "y"; });
    S(a[1]);
  });
  show(4, [] {
    Array<TInt> a{TInt(1), TInt(2)};
    Array<TNumber> n = a;
    S(n.size());
    Array<ObjectRef> o = n;
    S(o.size());
    Array<Any> y = a;
    S(y.size());
    Any any = n;
    S(any.cast<Array<TInt>>().size());
    S(any.as<Array<TFloat>>().has_value());
    any.cast<Array<TFloat>>();
  });
  show(5, [] {
    Array<int> a{1};
    Any v = a;
    S(v.cast<Array<double>>()[0]);
    S(v.as<Array<double>>().has_value());
    S(v.cast<Array<Any>>().size());
    S(v.cast<List<int>>().size());
    v = 1;
    v.cast<Array<int>>();
  });
  show(6, [] {
    Array<int> a{1, 2};
    Array<int> b = std::move(a);
    S(a.defined());
    S(a.size());
    S(b.size());
    a[0];
  });
  show(7, [] {
    Array<int> a{1};
    S(a == a);
    S(a.same_as(Array<int>{1}));
    S(a.use_count());
    S(a.unique());
    Array<Array<int>> n{{1, 2}, {3}};
    S(n[0][1]);
    Array<Optional<int>> o{1, std::nullopt};
    S(o[1].has_value());
    Array<Tuple<int, String>> t{Tuple<int, String>(1, "a")};
    S(t[0].get<1>());
  });
  show(8, [] { Array<int> a(ObjectPtr<Object>(nullptr)); });
  show(9, [] {
    Array<int> a{1, 2, 3};
    a.erase(a.end());
  });
  show(10, [] {
    Array<int> a{1, 2, 3};
    a.erase(a.begin() + 2, a.begin() + 1);
  });
  show(11, [] {
    Array<int> a{1, 2, 3};
    a.insert(a.end() + 1, 3);
  });
  show(12, [] {
    Array<int> a;
    a.front();
  });
  show(13, [] {
    Array<int> a;
    a.back();
  });
  show(14, [] {
    Array<int> a(UnsafeInit{});
    a.push_back(1);
    S(a.size());
  });
  show(15, [] {
    Array<String> a = {String("x"), "y"};
    S(a.size());
    a = {"z"};
    S(a[0]);
    Array<int> r = {1, 2};
    r = r;
    S(r.size());
  });
  show(16, [] {
    Array<Any> a;
    a.push_back(1);
    a.push_back("s");
    a.insert(a.begin(), nullptr);
    S(a.size());
    S(a[2].cast<String>());
    a.Set(0, TInt(1));
    S(a[0].GetTypeKey());
  });
  show(17, [] {
    Array<int> a{1, 2, 3};
    const ArrayObj *o = a.as<ArrayObj>();
    S(o->size());
    S(o->at(1).cast<int>());
    S((*o)[0].cast<int>());
    S(o->begin() != o->end());
    S(o->front().cast<int>());
    S(o->capacity() >= 3);
    o->at(5);
  });
  show(18, [] {
    List<int> l{1, 2, 3};
    List<int> m = l;
    m.push_back(4);
    S(l.size());
    l.Set(0, 5);
    S(m[0]);
    l.insert(l.begin(), 0);
    l.pop_back();
    l.erase(l.begin());
    S(l.size());
    for (int x : l)
      S(x);
    l.resize(5);
    S(l.size());
    l.clear();
    S(m.empty());
    l.front();
  });
  show(19, [] {
    List<Any> l{1, "a"};
    S(l[1].cast<String>());
    l.reserve(100);
    S(l.capacity() >= 100);
    l.emplace_back(3);
    l[9];
  });
  show(20, [] {
    List<int> l{1, 2};
    Any a = l;
    S(a.cast<List<int>>().same_as(l));
    S(a.cast<Array<int>>().size());
    S(a.GetTypeKey());
    S(a.cast<List<double>>().same_as(l));
    S(a.as<List<String>>().has_value());
    a.cast<List<String>>();
  });
  show(21, [] {
    List<int> l{1};
    l.resize(-1);
  });
  show(22, [] {
    Map<String, int> m{{"a", 1}, {"b", 2}};
    S(m.size());
    S(m["a"]);
    S(m.at("b"));
    S(m.count("c"));
    S(m.empty());
    for (auto kv : m) {
      S(kv.first);
      S(kv.second);
    }
    for (auto [k, v] : m) {
      S(k);
      S(v);
    }
    m.Set("c", 3);
    S(m.size());
    S(m.Get("c").value());
    S(m.Get("zz").has_value());
    S(m.find("a") != m.end());
    S((*m.find("a")).second);
    S(m.find("zz") == m.end());
    m.erase("a");
    S(m.count("a"));
    m.at("a");
  });
  show(23, [] {
    Map<String, int> m{{"a", 1}};
    Map<String, int> n = m;
    m.Set("a", 5);
    S(n["a"]);
    S(m["a"]);
    m.clear();
    S(m.size());
    S(n.size());
    S(m.CopyOnWrite() != nullptr);
    m["x"];
  });
  show(24, [] {
    Map<Any, Any> m;
    m.Set(1, "a");
    m.Set("x", TInt(1));
    m.Set(TInt(5), 2.5);
    S(m.size());
    S(m[1].cast<String>());
    S(m["x"].cast<TInt>()->value);
    S(m.count(1.0));
    S(m.at(String("x")).GetTypeKey());
  });
  show(25, [] {
    Map<String, int> m;
    for (int i = 0; i < 20; ++i)
      m.Set(std::to_string(i), i);
    S(m.size());
    m.erase("3");
    m.Set("5", 50);
    std::string o;
    for (auto [k, v] : m)
      o += std::string(k) + ":" + std::to_string(v) + ",";
    S(o);
  });
  show(26, [] {
    Map<String, int> m{{"a", 1}};
    Map<String, int> n{{"b", 2}, {"a", 3}};
    auto r = Merge(m, n);
    S(r.size());
    S(r["a"]);
  });
  show(27, [] {
    Map<String, TInt> m{{"a", TInt(1)}};
    Map<String, TNumber> n = m;
    S(n.size());
    Map<String, ObjectRef> o = m;
    Map<Any, Any> q = m;
    S(q.size());
    Any a = m;
    S(a.cast<Map<String, TInt>>().size());
    S(a.as<Map<String, TFloat>>().has_value());
    a.cast<Map<String, TFloat>>();
  });
  show(28, [] {
    Map<String, int> m{{"a", 1}};
    Any a = m;
    S(a.cast<Map<String, double>>()["a"]);
    S(a.cast<Map<Any, Any>>().size());
    S(a.cast<Dict<String, int>>().size());
    a = 1;
    a.cast<Map<String, int>>();
  });
  show(29, [] {
    Map<Any, Any> m{{1, 2}};
    Any a = m;
    a.cast<Map<String, int>>();
  });
  show(30, [] {
    Map<TInt, int> m;
    TInt k(1);
    m.Set(k, 5);
    S(m[k]);
    S(m.count(TInt(1)));
  });
  show(31, [] {
    Map<String, int> m{{"a", 1}};
    Map<String, int> n = std::move(m);
    S(m.defined());
    S(n.size());
    S(m.size());
  });
  show(32, [] { Map<String, int> m(ObjectPtr<Object>(nullptr)); });
  show(33, [] {
    Map<int, int> m;
    for (int i = 0; i < 5; ++i)
      m.Set(i, i);
    Map<int, int> c = m;
    c.erase(0);
    S(m.size());
    S(c.size());
    S(m.count(0));
    S(c.count(0));
  });
  show(34, [] {
    Dict<String, int> d{{"a", 1}};
    Dict<String, int> e = d;
    e.Set("b", 2);
    S(d.size());
    S(d["b"]);
    d.erase("a");
    S(e.count("a"));
    for (auto [k, v] : d) {
      S(k);
      S(v);
    }
    S(d.Get("b").value());
    S(d.find("b") != d.end());
    d.clear();
    S(e.empty());
    d.at("q");
  });
  show(35, [] {
    Dict<Any, Any> d;
    d.Set(1, 2);
    Any a = d;
    S(a.GetTypeKey());
    S(a.cast<Dict<int, int>>().same_as(d));
    S(a.cast<Map<int, int>>().size());
    S(a.as<Map<int, int>>().has_value());
    a.cast<Dict<String, int>>();
  });
  show(36, [] {
    Tuple<int, String> t(1, "a");
    Any x = t;
    S(x.cast<Array<Any>>().size());
    S(x.cast<Tuple<double, String>>().get<0>());
    S(x.as<Tuple<int, String>>().has_value());
    x = Array<Any>{1, 2, 3};
    x.cast<Tuple<int, int>>();
  });
  show(37, [] {
    Tuple t(1, String("x"), TInt(3));
    S(t.get<2>()->value);
    Tuple<int, TNumber> w = Tuple<int, TInt>(1, TInt(2));
    S(w.get<0>());
    Tuple<> e;
    Tuple<int> d;
    S(d.get<0>());
  });
  show(38, [] {
    Tuple<Any, Optional<int>> t(nullptr, std::nullopt);
    S(t.get<0>() == nullptr);
    S(t.get<1>().has_value());
    S((std::tuple_size_v<Tuple<int, float>>));
    S((std::is_same_v<std::tuple_element_t<1, Tuple<int, float>>, float>));
  });
  show(39, [] {
    Tuple<int, String> t(1, "a");
    Tuple<int, String> u = std::move(t);
    S(t.defined());
    S(u.get<0>());
    S(u == u);
    S(u.use_count());
    S(std::move(u).get<1>());
  });
  show(40, [] {
    Variant<int, TInt> v = TInt(3);
    S(v.as<TIntObj>()->value);
    S(v.get<TInt>()->value);
    Any a = v;
    S(a.cast<Variant<int, TInt>>().as<TInt>().has_value());
    S((a.as<Variant<int, String>>().has_value()));
    a = 1.5;
    a.cast<Variant<int, String>>();
  });
}
