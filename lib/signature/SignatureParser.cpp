/// Signature::parse.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/TextScanner.h"
#include "fairlead/Signature.h"

namespace fairlead {
namespace {

using Kind = TextScanner::Kind;
using Token = TextScanner::Token;

constexpr size_t kMaxRank = 32;
/// Instances that one function may have: each is an entry and a kernel.
constexpr int kMaxInstances = 64;

class Parser {
public:
  explicit Parser(std::string_view text) : scanner(text, Diagnostic::SignatureText, "signature") {}

  Signature parse() {
    signature.name = scanner.expectName("the function's name").text;
    scanner.expect("(");
    while (!scanner.accept(")")) {
      parseParam();
      if (scanner.peek().text != ")" && !scanner.accept(","))
        scanner.failExpected("`,` or `)`");
    }
    if (scanner.accept("where"))
      do
        parseConstraint();
      while (scanner.accept(","));
    if (scanner.peek().kind != Kind::End)
      scanner.failExpected("`where` or the end");
    resolveDTypes();
    checkBound();
    return std::move(signature);
  }

private:
  /// A dtype's name, until the constraints are read maybe a variable's.
  struct DTypeUse {
    size_t param;
    Token name;
  };
  /// The first place of a symbol.
  struct SymbolUse {
    Token name;
    bool bound = false; ///< an extent, or a stride before any product of it, gives its value
  };

  void parseParam() {
    Token name = scanner.expectName("a parameter's name");
    std::optional<Token> direction;
    if ((name.text == "out" || name.text == "inout") && scanner.peek().text != ":")
      direction = std::exchange(name, scanner.expectName("a parameter's name"));
    for (const Param &other : signature.params)
      if (other.name == name.text)
        scanner.fail("two parameters are called `" + other.name + "`", name.column);
    checkReserved(name);
    paramNames.push_back(name);
    scanner.expect(":");
    Param param{std::string(name.text), ScalarParam{}};
    Token type =
        scanner.expectName("a type: Tensor([...], dtype), Stream, or a dtype such as float32");
    if (type.text == "Tensor") {
      param.type = parseTensor();
    } else if (type.text == "Stream") {
      for (const Param &other : signature.params)
        if (std::holds_alternative<StreamParam>(other.type))
          scanner.fail("a function takes one stream, and `" + other.name + "` is one already",
                       type.column);
      param.type = StreamParam{};
    } else {
      dtypeUses.push_back({signature.params.size(), type});
    }
    if (direction)
      setAccess(param, *direction);
    signature.params.push_back(std::move(param));
  }

  void setAccess(Param &param, const Token &direction) {
    MemoryAccess *access = param.access();
    if (!access)
      scanner.fail("`" + std::string(direction.text) + "` is for tensors, and `" + param.name +
                       "` is none",
                   direction.column);
    *access = {.read = direction.text == "inout", .written = true};
  }

  TensorParam parseTensor() {
    TensorParam tensor;
    scanner.expect("(");
    tensor.shape = parseExtents(/*strides=*/false);
    scanner.expect(",");
    dtypeUses.push_back({signature.params.size(), scanner.expectName("a dtype such as float32")});
    std::optional<std::vector<Extent>> strides;
    bool aligned = false;
    while (scanner.accept(",") && scanner.peek().text != ")") {
      Token option = scanner.expectName("strides=, align=, no_alias or device=");
      if (option.text == "no_alias" && !std::exchange(tensor.noAlias, true))
        continue;
      scanner.expect("=");
      if (option.text == "strides" && !strides) {
        size_t column = scanner.peek().column;
        strides = parseExtents(/*strides=*/true);
        if (strides->size() != tensor.shape.size())
          scanner.fail("expected " + std::to_string(tensor.shape.size()) +
                           " strides, one for each extent, but got " +
                           std::to_string(strides->size()),
                       column);
      } else if (option.text == "align" && !aligned) {
        size_t column = scanner.peek().column;
        tensor.alignment = scanner.expectInteger("a number of bytes", 1);
        aligned = true;
        if (tensor.alignment > (1 << 20) || (tensor.alignment & (tensor.alignment - 1)))
          scanner.fail("expected a power of two of at most 1048576, but got " +
                           std::to_string(tensor.alignment),
                       column);
      } else if (option.text == "device") {
        if (!scanner.accept("cuda"))
          scanner.failExpected("`cuda`, where a kernel's tensors are");
      } else {
        scanner.fail("expected strides=, align=, no_alias or device=, each once, but got `" +
                         std::string(option.text) + "`",
                     option.column);
      }
    }
    scanner.expect(")");
    tensor.strides = strides ? std::move(*strides) : rowMajorStrides(tensor.shape);
    return tensor;
  }

  std::vector<Extent> parseExtents(bool strides) {
    std::vector<Extent> extents;
    scanner.expect("[");
    while (!scanner.accept("]")) {
      if (extents.size() == kMaxRank)
        scanner.fail("a tensor has at most 32 extents", scanner.peek().column);
      extents.push_back(parseExtent());
      markBinding(extents.back());
      if (!strides && scanner.peek().text == "%")
        parseDivisor(extents.back());
      if (scanner.peek().text != "]" && !scanner.accept(","))
        scanner.failExpected("`,` or `]`");
    }
    return extents;
  }

  Extent parseExtent() {
    Extent extent;
    do {
      if (scanner.peek().kind == Kind::Integer) {
        Token token = scanner.take();
        if (__builtin_mul_overflow(extent.coefficient, token.integer, &extent.coefficient))
          scanner.fail("expected an extent of at most 64 bits", token.column);
      } else {
        extent.symbols.push_back(symbol(scanner.expectName("an extent: an integer or a symbol")));
      }
    } while (scanner.accept("*"));
    if (extent.coefficient == 0 && !extent.symbols.empty())
      scanner.fail("a product with 0 is written 0", scanner.peek().column);
    return extent;
  }

  void markBinding(const Extent &extent) {
    if (extent.isSymbol())
      uses[extent.symbols.front()].bound = true;
  }

  /// `n % 8` in a shape: every value of n is a multiple of 8.
  void parseDivisor(const Extent &extent) {
    Token percent = scanner.take();
    if (!extent.isSymbol())
      scanner.fail("`%` follows a single symbol, as in `n % 8`", percent.column);
    setDivisor(extent.symbols.front(), percent.column);
  }

  void setDivisor(int symbol, size_t column) {
    int64_t divisor = scanner.expectInteger("a divisor of 1 or more", 1);
    int64_t &current = signature.symbols[symbol].divisibility;
    if (current != 1 && current != divisor)
      scanner.fail("`" + signature.symbols[symbol].name + "` is stated to be a multiple of " +
                       std::to_string(current) + " already",
                   column);
    current = divisor;
  }

  /// The index of a symbol by its name; `_` is a new one each time.
  int symbol(const Token &name) {
    if (name.text != "_")
      for (size_t i = 0; i < uses.size(); ++i)
        if (signature.symbols[i].name == name.text)
          return static_cast<int>(i);
    checkReserved(name);
    signature.symbols.push_back({std::string(name.text), /*width=*/64, /*divisibility=*/1});
    uses.push_back({name});
    return static_cast<int>(uses.size()) - 1;
  }

  void checkReserved(const Token &name) {
    static constexpr std::string_view kReserved[] = {"where", "in",     "Tensor",   "Stream",
                                                     "min",   "max",    "ceil_div", "int32",
                                                     "int64", "uint32", "uint64"};
    if (std::find(std::begin(kReserved), std::end(kReserved), name.text) != std::end(kReserved))
      scanner.fail("`" + std::string(name.text) + "` is a word of the language, not a name",
                   name.column);
  }

  void parseConstraint() {
    Token name =
        scanner.expectName("a constraint, such as `n % 8 == 0` or `T in {float16, float32}`");
    if (scanner.accept("in")) {
      parseChoices(name);
      return;
    }
    for (size_t i = 0; i < uses.size(); ++i)
      if (signature.symbols[i].name == name.text && name.text != "_") {
        size_t column = scanner.peek().column;
        if (!scanner.accept("%"))
          scanner.failExpected("`%` or `in`");
        setDivisor(static_cast<int>(i), column);
        if (scanner.accept("==") && scanner.expectInteger("`0`", 0) != 0)
          scanner.fail("a symbol is constrained as in `n % 8 == 0`", column);
        return;
      }
    scanner.fail("`" + std::string(name.text) +
                     "` is not a symbol of a shape or stride; those are " +
                     joinWords(symbolNames()),
                 name.column);
  }

  void parseChoices(const Token &name) {
    checkReserved(name);
    if (parseDType(name.text))
      scanner.fail("`" + std::string(name.text) + "` is a dtype already", name.column);
    for (const DTypeVariable &other : signature.dtypeVariables)
      if (other.name == name.text)
        scanner.fail("the choices of `" + other.name + "` are given twice", name.column);
    DTypeVariable variable{std::string(name.text), {}};
    scanner.expect("{");
    do {
      Token choice = scanner.expectName("a dtype such as float32");
      DType type = dtype(choice);
      if (std::find(variable.choices.begin(), variable.choices.end(), type) !=
          variable.choices.end())
        scanner.fail("`" + std::string(choice.text) + "` is given twice", choice.column);
      variable.choices.push_back(type);
    } while (scanner.accept(",") && scanner.peek().text != "}");
    scanner.expect("}");
    variableNames.push_back(name);
    signature.dtypeVariables.push_back(std::move(variable));
    if (signature.numInstances() > kMaxInstances)
      scanner.fail("a function has at most 64 combinations of dtypes", name.column);
  }

  DType dtype(const Token &name) {
    if (std::optional<DType> type = parseDType(name.text))
      return *type;
    std::vector<std::string> names;
    for (int i = 0; i < kNumDTypes; ++i)
      names.emplace_back(dtypeName(static_cast<DType>(i)));
    for (const DTypeVariable &variable : signature.dtypeVariables)
      names.push_back(variable.name);
    scanner.fail("unknown type `" + std::string(name.text) + "`; known are Tensor, Stream, " +
                     joinWords(names) +
                     "; others are introduced as in `where T in {float16, float32}`",
                 name.column);
  }

  void resolveDTypes() {
    std::vector<bool> decided(signature.dtypeVariables.size());
    for (const DTypeUse &use : dtypeUses) {
      Param &param = signature.params[use.param];
      auto *tensor = std::get_if<TensorParam>(&param.type);
      auto *scalar = std::get_if<ScalarParam>(&param.type);
      DType &type = tensor ? tensor->dtype : scalar->dtype;
      int &variable = tensor ? tensor->dtypeVariable : scalar->dtypeVariable;
      for (size_t i = 0; i < signature.dtypeVariables.size(); ++i)
        if (signature.dtypeVariables[i].name == use.name.text) {
          variable = static_cast<int>(i);
          type = signature.dtypeVariables[i].choices.front();
          decided[i] = decided[i] || tensor;
        }
      if (variable < 0)
        type = dtype(use.name);
      if (scalar && !isParameterType(type))
        scanner.fail("`" + std::string(use.name.text) + "` is no type of a number that is passed",
                     use.name.column);
    }
    for (size_t i = 0; i < decided.size(); ++i)
      if (!decided[i])
        scanner.fail("no tensor has the dtype `" + signature.dtypeVariables[i].name +
                         "`, so that a call cannot tell which it is",
                     variableNames[i].column);
  }

  /// Every symbol gets its value from a place of its own before a product needs it.
  void checkBound() {
    for (size_t i = 0; i < uses.size(); ++i) {
      const std::string &name = signature.symbols[i].name;
      if (!uses[i].bound)
        scanner.fail(
            "`" + name +
                "` stands only in products: no argument's extent or stride gives its value",
            uses[i].name.column);
      for (size_t p = 0; p < signature.params.size(); ++p)
        if (signature.params[p].name == name)
          scanner.fail("`" + name +
                           "` is a symbol and a parameter: rename one, since expressions of "
                           "the launch could mean either",
                       paramNames[p].column);
      for (const DTypeVariable &variable : signature.dtypeVariables)
        if (variable.name == name)
          scanner.fail("`" + name + "` is a symbol and a dtype", uses[i].name.column);
    }
    // Shapes are read before strides, and these in the order of the arguments.
    std::vector<bool> isBound(uses.size());
    auto forTensors = [&](auto &&visit) {
      for (const Param &param : signature.params)
        if (const auto *tensor = std::get_if<TensorParam>(&param.type))
          visit(*tensor);
    };
    forTensors([&](const TensorParam &tensor) {
      for (const Extent &extent : tensor.shape)
        if (extent.isSymbol())
          isBound[extent.symbols.front()] = true;
    });
    auto require = [&](const Extent &extent) {
      if (extent.isSymbol())
        isBound[extent.symbols.front()] = true;
      for (int symbol : extent.symbols)
        if (!isBound[symbol])
          scanner.fail("`" + signature.symbols[symbol].name +
                           "` stands in a product before the stride that gives its value",
                       uses[symbol].name.column);
    };
    // Products in shapes are checked before any stride is read.
    forTensors([&](const TensorParam &tensor) {
      for (const Extent &extent : tensor.shape)
        require(extent);
    });
    forTensors([&](const TensorParam &tensor) {
      for (const Extent &extent : tensor.strides)
        require(extent);
    });
  }

  std::vector<std::string> symbolNames() const {
    std::vector<std::string> names;
    for (const Symbol &symbol : signature.symbols)
      if (symbol.name != "_")
        names.push_back(symbol.name);
    return names;
  }

  TextScanner scanner;
  Signature signature;
  std::vector<Token> paramNames, variableNames;
  std::vector<SymbolUse> uses; ///< by symbol
  std::vector<DTypeUse> dtypeUses;
};

} // namespace

Signature Signature::parse(std::string_view text) { return Parser(text).parse(); }

} // namespace fairlead
