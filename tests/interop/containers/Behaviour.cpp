/// Prints sizes, error texts, names and schemas of the containers. Compiled with either project's
/// headers it has to print the same.
#include <cstdio>
#include <cstdlib>

#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/container/map.h"
#include "tvm/ffi/container/tuple.h"
#include "tvm/ffi/container/variant.h"
#include "tvm/ffi/expected.h"
#include "tvm/ffi/extra/stl.h"
#include "tvm/ffi/function.h"
#include "tvm/ffi/optional.h"

using namespace tvm::ffi;

namespace {

template <typename F> void attempt(F f) {
  try {
    f();
    std::puts("ok");
  } catch (const Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.what());
  }
}

template <typename T> void convert(Any value) {
  attempt([&] { value.cast<T>(); });
}
template <typename T> void pass(Any value) {
  attempt([&] { Function::FromTyped([](T) {})(value); });
}
template <typename T> void describe() {
  std::printf("%s %s\n", TypeTraits<T>::TypeStr().c_str(), TypeTraits<T>::TypeSchema().c_str());
}

void layouts() {
#define SIZE(...) std::printf("%s %d\n", #__VA_ARGS__, int(sizeof(__VA_ARGS__)))
  SIZE(ArrayObj);
  SIZE(ListObj);
  SIZE(MapObj);
  SIZE(DictObj);
  SIZE(Array<int>);
  SIZE(List<int>);
  SIZE(Map<int, int>);
  SIZE(Dict<int, int>);
  SIZE(Tuple<int, String>);
  SIZE(Variant<int, String>);
  SIZE(Expected<int>);
  SIZE(Expected<void>);
  SIZE(Optional<int>);
  SIZE(Optional<Array<int>>);
  SIZE(Any);
  SIZE(String);
}

void schemas() {
  describe<Array<int>>();
  describe<List<Array<String>>>();
  describe<Map<String, Any>>();
  describe<Dict<int, Optional<double>>>();
  describe<Tuple<int, String, Array<Any>>>();
  describe<Variant<int, String, Map<Any, Any>>>();
  describe<Expected<int>>();
  describe<Expected<void>>();
  describe<TypedFunction<void(int, Array<int>)>>();
  describe<std::vector<std::vector<std::string>>>();
  describe<std::array<int, 3>>();
  describe<std::tuple<int, String>>();
  describe<std::map<int, String>>();
  describe<std::unordered_map<String, double>>();
  describe<std::optional<int>>();
  describe<std::variant<int, String>>();
  describe<std::function<int(String, double)>>();
}

void conversions() {
  convert<Array<int>>(Array<Any>{1, "x"});
  convert<Array<int>>(Array<Any>{1, true});
  convert<Array<double>>(List<Any>{1, 2.5});
  convert<List<int>>(Array<Any>{1, "x"});
  convert<Array<int>>(List<Any>{1, "x"});
  convert<Map<String, int>>(Dict<Any, Any>{{1, 2}});
  convert<Dict<String, int>>(Map<Any, Any>{{"a", 2.5}});
  convert<Map<String, double>>(Dict<Any, Any>{{"a", 2}});
  convert<Tuple<int, int>>(Array<Any>{1});
  convert<Tuple<int, int>>(Array<Any>{1, "x"});
  convert<Tuple<int, int>>(List<Any>{1, 2});
  convert<Tuple<int, double>>(Array<Any>{1, 2});
  convert<Variant<int, Array<int>>>(Any(2.5));
  convert<Variant<int, Array<int>>>(Array<Any>{"x"});
  convert<Optional<Array<int>>>(Array<Any>{"x"});
  convert<Array<Array<int>>>(Array<Any>{Array<Any>{1, "longer than seven"}});
  convert<Array<Map<String, int>>>(Array<Any>{Map<Any, Any>{{1, 2}}});
  convert<Map<int, Array<String>>>(Map<Any, Any>{{1, Array<Any>{2}}});
  convert<Map<Any, int>>(3);
  convert<Array<int>>(nullptr);
  convert<Tuple<int, Array<int>>>(Array<Any>{1, Array<Any>{"x"}});
  pass<std::vector<int>>(Array<Any>{1, "x"});
  pass<std::vector<int>>(List<Any>{1, 2});
  pass<std::array<int, 3>>(Array<Any>{1});
  pass<std::tuple<int, int>>(Array<Any>{1, "x"});
  pass<std::map<int, int>>(Map<Any, Any>{{1, "x"}});
  pass<std::map<int, int>>(Dict<Any, Any>{{1, 2}});
  pass<std::variant<int, String>>(2.5);
  pass<std::optional<int>>(nullptr);
  pass<std::function<int(int)>>(3);
}

void errors() {
  attempt([] { Array<int>(ObjectPtr<Object>(nullptr)); });
  attempt([] { List<int>(ObjectPtr<Object>(nullptr)); });
  attempt([] { Map<int, int>(ObjectPtr<Object>(nullptr)); });
  attempt([] { Dict<int, int>(ObjectPtr<Object>(nullptr)); });
  attempt([] { Map<int, int>().at(3); });
  attempt([] { Dict<int, int>().at(3); });
  attempt([] { List<int>()[0]; });
  attempt([] { Array<int>()[-1]; });
  attempt([] { List<int>().front(); });
  attempt([] { Array<int>().back(); });
  attempt([] { List<int>().pop_back(); });
  attempt([] { Array<int>().pop_back(); });
  attempt([] { Array<int>().Set(1, 1); });
  attempt([] { Array<int>().resize(-1); });
  attempt([] { List<int>().resize(-1); });
  attempt([] {
    Array<int> array{1};
    array.erase(array.begin() + 1);
  });
  attempt([] {
    Array<int> array{1};
    array.insert(array.begin() + 3, 1);
  });
  attempt([] {
    List<int> list{1};
    list.erase(list.begin(), list.begin() + 3);
  });
  attempt([] { Variant<int, String>(1).get<String>(); });
  attempt([] { Expected<int>(3).error(); });
  attempt([] { Expected<int>(Error("ValueError", "bad", "")).value(); });
}

Expected<int> checked(int x) {
  TVM_FFI_RET_CHECK(x > 0, ValueError) << "got " << x;
  if (x == 5)
    TVM_FFI_RET_CHECK_EQ(x, 6, TypeError);
  else
    TVM_FFI_RET_ICHECK_LT(x, 9) << "too large";
  if (x == 8)
    return TVM_FFI_UNEXPECTED(KeyError) << "no " << x;
  return x;
}

void expecteds() {
  for (int x : {0, 1, 5, 8, 9})
    attempt([&] { checked(x).value(); });
  Function function = Function::FromTyped(checked);
  std::puts(function.CallExpected<int>(0).error().what());
  std::puts(function.CallExpected<String>(3).error().what());
  std::puts(function.CallExpected<int>("x").error().what());
  std::printf("%d %f\n", function.CallExpected(3).value().cast<int>(),
              function.CallExpected<double>(3).value());
  std::puts(Expected<Any>(3).as_or_error<String>().error().what());
}

} // namespace

int main() {
  layouts();
  schemas();
  conversions();
  errors();
  expecteds();
}
