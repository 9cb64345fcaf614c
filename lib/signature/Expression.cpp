#include "signature/Expression.h"

#include <algorithm>

#include "base/TextScanner.h"

namespace fairlead {
namespace {

using Kind = Expression::Kind;
using Token = TextScanner::Token;

/// Nesting that a text may have: each level is a frame of the parser and of the emitter.
constexpr int kMaxDepth = 200;

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a ^ b) < 0); }

/// The value of an operation of constants; false if it has none.
bool compute(Kind kind, int64_t a, int64_t b, int64_t &result) {
  bool overflows = a == INT64_MIN && b == -1;
  switch (kind) {
  case Kind::Add:
    return !__builtin_add_overflow(a, b, &result);
  case Kind::Subtract:
    return !__builtin_sub_overflow(a, b, &result);
  case Kind::Multiply:
    return !__builtin_mul_overflow(a, b, &result);
  case Kind::FloorDivide:
    return b != 0 && !overflows && (result = floorDivide(a, b), true);
  case Kind::Modulo:
    return b != 0 && (result = overflows ? 0 : a - floorDivide(a, b) * b, true);
  case Kind::CeilDivide:
    return b != 0 && !overflows && (result = a / b + (a % b != 0 && (a ^ b) >= 0), true);
  case Kind::Min:
    return result = std::min(a, b), true;
  case Kind::Max:
    return result = std::max(a, b), true;
  default:
    return false;
  }
}

class Parser {
public:
  Parser(std::string_view text, const Signature &signature, const std::string &what)
      : scanner(text, Diagnostic::LaunchText, what), signature(signature) {}

  Expression wholeExpression() {
    Expression result = sum();
    finish();
    return result;
  }

  /// A tensor, a scalar as it is, or a cast of an integer.
  KernelArgument wholeArgument() {
    KernelArgument argument;
    Token first = scanner.peek();
    DType cast = DType::Int64;
    if (isCast(first.text, cast)) {
      scanner.take();
      scanner.expect("(");
      argument.value = sum();
      scanner.expect(")");
      argument.value.text = first.text;
      argument.value.text += "(...)";
      argument.dtype = cast;
    } else {
      bare = true;
      argument.value = sum();
    }
    finish();
    argument.value.text = std::string(scanner.slice(first.column, scanner.end()));
    if (bare && argument.value.kind == Kind::Param) {
      int index = argument.value.index;
      if (const auto *scalar = std::get_if<ScalarParam>(&signature.params[index].type)) {
        argument.dtype = scalar->dtype;
        argument.scalarParam = index;
      } else {
        argument.isTensor = true;
      }
    }
    return argument;
  }

private:
  static bool isCast(std::string_view name, DType &type) {
    std::optional<DType> parsed = parseDType(name);
    if (!parsed || className(*parsed) == name || !isInteger(*parsed) || bitWidth(*parsed) < 32)
      return false;
    type = *parsed;
    return true;
  }

  void finish() {
    if (scanner.peek().kind != TextScanner::Kind::End)
      scanner.failExpected("an operator (+ - * // %) or the end");
  }

  struct Depth {
    explicit Depth(Parser &parser) : parser(parser) {
      if (++parser.depth > kMaxDepth)
        parser.scanner.fail("expected at most 200 levels of nesting", parser.scanner.peek().column);
    }
    ~Depth() { --parser.depth; }
    Parser &parser;
  };

  Expression sum() {
    Depth level(*this);
    size_t from = scanner.peek().column;
    Expression left = product();
    for (;;) {
      size_t column = scanner.peek().column;
      if (scanner.accept("+"))
        left = operation(Kind::Add, std::move(left), product(), from, column);
      else if (scanner.accept("-"))
        left = operation(Kind::Subtract, std::move(left), product(), from, column);
      else
        return left;
    }
  }

  Expression product() {
    size_t from = scanner.peek().column;
    Expression left = unary();
    for (;;) {
      size_t column = scanner.peek().column;
      if (scanner.accept("*"))
        left = operation(Kind::Multiply, std::move(left), unary(), from, column);
      else if (scanner.accept("//"))
        left = operation(Kind::FloorDivide, std::move(left), unary(), from, column);
      else if (scanner.accept("%"))
        left = operation(Kind::Modulo, std::move(left), unary(), from, column);
      else if (scanner.peek().text == "/")
        scanner.fail("`/` gives a fraction: write `//`, or ceil_div(a, b)", column);
      else
        return left;
    }
  }

  Expression unary() {
    Depth level(*this);
    size_t from = scanner.peek().column;
    if (!scanner.accept("-"))
      return primary();
    Expression operand = unary();
    return operation(Kind::Subtract, Expression{}, std::move(operand), from, from);
  }

  Expression primary() {
    Token token = scanner.peek();
    Expression result;
    if (token.kind == TextScanner::Kind::Integer) {
      scanner.take();
      result.constant = token.integer;
    } else if (scanner.accept("(")) {
      result = sum();
      scanner.expect(")");
    } else if (token.kind == TextScanner::Kind::Name) {
      scanner.take();
      result = named(token);
    } else {
      scanner.failExpected("an integer, a name or `(`");
    }
    result.text = std::string(scanner.slice(token.column, scanner.end()));
    return result;
  }

  Expression named(const Token &name) {
    if (scanner.peek().text == "(")
      return call(name);
    Expression result;
    for (size_t i = 0; i < signature.symbols.size(); ++i)
      if (signature.symbols[i].name == name.text && name.text != "_") {
        result.kind = Kind::Symbol;
        result.index = static_cast<int>(i);
        return result;
      }
    for (size_t i = 0; i < signature.params.size(); ++i)
      if (signature.params[i].name == name.text)
        return parameter(static_cast<int>(i), name);
    scanner.fail("unknown name `" + std::string(name.text) + "`; `" + signature.str() + "` has " +
                     joinWords(knownNames()),
                 name.column);
  }

  Expression parameter(int index, const Token &name) {
    const Param &param = signature.params[index];
    const auto *tensor = std::get_if<TensorParam>(&param.type);
    if (tensor && scanner.accept("."))
      return extent(*tensor, param.name);
    if (std::holds_alternative<StreamParam>(param.type))
      scanner.fail("`" + param.name + "` is a stream: the launch uses it, and no kernel takes it",
                   name.column);
    Expression result;
    result.kind = Kind::Param;
    result.index = index;
    const auto *scalar = std::get_if<ScalarParam>(&param.type);
    bool integer = scalar && (isInteger(scalar->dtype) && scalar->dtypeVariable < 0);
    // A tensor or a float can be an argument, but not part of a calculation.
    if (!integer && !(bare && scanner.peek().kind == TextScanner::Kind::End))
      scanner.fail("`" + param.name + "` is " +
                       (tensor ? "a tensor: name an extent or a stride of it, as in `" +
                                     param.name + ".shape[0]`"
                               : "no integer, and is passed as it is"),
                   name.column);
    return result;
  }

  /// Parses `x.shape[0]` or `x.stride[0]` into the signature's expression for it.
  Expression extent(const TensorParam &tensor, const std::string &name) {
    Token which = scanner.expectName("shape or stride");
    bool stride = which.text == "stride" || which.text == "strides";
    if (!stride && which.text != "shape")
      scanner.fail("a tensor has shape[...] and stride[...], not `" + std::string(which.text) + "`",
                   which.column);
    scanner.expect("[");
    size_t column = scanner.peek().column;
    int64_t mode = scanner.expectInteger("the number of a dimension", 0);
    scanner.expect("]");
    if (mode >= static_cast<int64_t>(tensor.shape.size()))
      scanner.fail("`" + name + "` has " + std::to_string(tensor.shape.size()) +
                       " dimensions, counted from 0",
                   column);
    const Extent &extent = stride ? tensor.strides[mode] : tensor.shape[mode];
    Expression result;
    result.constant = extent.coefficient;
    for (int symbol : extent.symbols) {
      Expression factor;
      factor.kind = Kind::Symbol;
      factor.index = symbol;
      factor.text = signature.symbols[symbol].name;
      if (result.kind == Kind::Constant && result.constant == 1) {
        result = std::move(factor);
        continue;
      }
      Expression product;
      product.kind = Kind::Multiply;
      product.text = name + (stride ? ".stride[" : ".shape[") + std::to_string(mode) + "]";
      product.operands = {std::move(result), std::move(factor)};
      result = std::move(product);
    }
    return result;
  }

  Expression call(const Token &name) {
    Kind kind;
    if (name.text == "ceil_div")
      kind = Kind::CeilDivide;
    else if (name.text == "min")
      kind = Kind::Min;
    else if (name.text == "max")
      kind = Kind::Max;
    else
      scanner.fail("unknown function `" + std::string(name.text) +
                       "`, known are ceil_div(a, b), min(a, b, ...), max(a, b, ...)" +
                       (bare ? "; a cast such as int32(n) stands around a whole argument" : ""),
                   name.column);
    scanner.expect("(");
    Expression result = sum();
    scanner.expect(",");
    result = operation(kind, std::move(result), sum(), name.column, name.column);
    while (kind != Kind::CeilDivide && scanner.accept(","))
      result = operation(kind, std::move(result), sum(), name.column, name.column);
    scanner.expect(")");
    return result;
  }

  Expression operation(Kind kind, Expression left, Expression right, size_t from, size_t column) {
    Expression result;
    result.kind = kind;
    result.text = std::string(scanner.slice(from, scanner.end()));
    if (kind >= Kind::Min && scanner.peek().text == ")")
      result.text += ")";
    if ((kind == Kind::FloorDivide || kind == Kind::Modulo || kind == Kind::CeilDivide) &&
        right.kind == Kind::Constant && right.constant == 0)
      scanner.fail("division by zero", column);
    if (left.kind == Kind::Constant && right.kind == Kind::Constant) {
      int64_t value;
      if (!compute(kind, left.constant, right.constant, value))
        scanner.fail("expected a value that fits 64 bits", column);
      result.kind = Kind::Constant;
      result.constant = value;
      return result;
    }
    result.operands = {std::move(left), std::move(right)};
    return result;
  }

  std::vector<std::string> knownNames() const {
    std::vector<std::string> names;
    for (const Symbol &symbol : signature.symbols)
      if (symbol.name != "_")
        names.push_back(symbol.name);
    for (const Param &param : signature.params)
      names.push_back(param.name);
    return names;
  }

  TextScanner scanner;
  const Signature &signature;
  bool bare = false; ///< a whole argument, which may be a tensor or a float
  int depth = 0;
};

} // namespace

Expression parseExpression(std::string_view text, const Signature &signature,
                           const std::string &what) {
  return Parser(text, signature, what).wholeExpression();
}

KernelArgument parseKernelArgument(std::string_view text, const Signature &signature,
                                   const std::string &what) {
  return Parser(text, signature, what).wholeArgument();
}

} // namespace fairlead
