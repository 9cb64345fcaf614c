#include "foreign/Foreign.h"

#include "base/TextScanner.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/Runtime.h"

namespace fairlead {
namespace {

using Kind = TextScanner::Kind;

constexpr const char *kParts =
    "grid=, block=, cluster=, shared=, cooperative=, programmatic= or args=";

class LaunchParser {
public:
  explicit LaunchParser(std::string_view text) : scanner(text, Diagnostic::LaunchText, "launch") {}

  KernelLaunch parse() {
    while (scanner.peek().kind != Kind::End) {
      part();
      if (scanner.peek().kind != Kind::End && !scanner.accept(","))
        scanner.failExpected("`,` or the end");
    }
    return std::move(launch);
  }

private:
  void part() {
    TextScanner::Token name = scanner.expectName(kParts);
    for (std::string_view other : names)
      if (other == name.text)
        scanner.fail("`" + std::string(name.text) + "` is given twice", name.column);
    names.push_back(name.text);
    scanner.expect("=");
    if (name.text == "grid")
      launch.grid = extents();
    else if (name.text == "block")
      launch.block = extents();
    else if (name.text == "cluster")
      launch.cluster = extents();
    else if (name.text == "args")
      launch.args = list();
    else if (name.text == "shared")
      launch.shared = expression();
    else if (name.text == "cooperative")
      launch.cooperative = flag();
    else if (name.text == "programmatic")
      launch.programmatic = flag();
    else
      scanner.fail("expected " + std::string(kParts) + ", but got `" + std::string(name.text) + "`",
                   name.column);
  }

  bool flag() {
    if (scanner.accept("True") || scanner.accept("true"))
      return true;
    if (!scanner.accept("False") && !scanner.accept("false"))
      scanner.failExpected("True or False");
    return false;
  }

  /// One expression, or a tuple or list of them.
  std::vector<std::string> extents() {
    size_t column = scanner.peek().column;
    std::vector<std::string> values = list();
    if (values.empty() || values.size() > 3)
      scanner.fail("expected one to three extents, but got " + std::to_string(values.size()),
                   column);
    return values;
  }

  std::vector<std::string> list() {
    TextScanner ahead = scanner;
    const char *close = scanner.peek().text == "(" ? ")" : scanner.peek().text == "[" ? "]" : "";
    if (*close) {
      // `(n + 1) * 2` begins like a tuple; the token after the parenthesis decides.
      std::vector<std::string> values;
      scanner.take();
      while (!scanner.accept(close)) {
        values.push_back(expression());
        if (scanner.peek().text != close && !scanner.accept(","))
          scanner.failExpected("`,` or `" + std::string(close) + "`");
      }
      if (scanner.peek().kind == Kind::End || scanner.peek().text == ",")
        return values;
      scanner = ahead;
    }
    return {expression()};
  }

  /// The text up to a comma or a closing bracket that is not its own.
  std::string expression() {
    size_t from = scanner.peek().column;
    int depth = 0;
    while (scanner.peek().kind != Kind::End) {
      std::string_view text = scanner.peek().text;
      if (text == "(" || text == "[")
        ++depth;
      else if (depth == 0 && (text == ")" || text == "]" || text == ","))
        break;
      else if (text == ")" || text == "]")
        --depth;
      scanner.take();
    }
    if (scanner.peek().column == from || scanner.end() <= from)
      scanner.failExpected("an expression");
    return std::string(scanner.slice(from, scanner.end()));
  }

  TextScanner scanner;
  KernelLaunch launch;
  std::vector<std::string_view> names;
};

} // namespace

KernelLaunch KernelLaunch::parse(std::string_view text) { return LaunchParser(text).parse(); }

} // namespace fairlead

namespace fairlead::kernels {
namespace {

Expression constant(int64_t value) {
  Expression result;
  result.constant = value;
  result.text = std::to_string(value);
  return result;
}

class PlanMaker {
public:
  PlanMaker(const Signature &signature, const KernelLaunch &launch)
      : signature(signature), launch(launch) {}

  entry::LaunchPlan make() {
    entry::LaunchPlan plan;
    plan.grid = extents(launch.grid, "grid", 0, 1);
    plan.block = extents(launch.block, "block", 1, 1);
    plan.cluster = extents(launch.cluster, "cluster", 1, launch.cluster.empty() ? 0 : 1);
    checkThreads(plan.block);
    plan.sharedBytes = extent(launch.shared, "shared", 0);
    plan.flags = (launch.cooperative ? kFairleadLaunchCooperative : 0) |
                 (launch.programmatic ? kFairleadLaunchProgrammatic : 0);
    plan.args = arguments();
    return plan;
  }

private:
  std::string where(const std::string &what) const {
    return what + " in the launch of `" + signature.name + "`";
  }

  [[noreturn]] void fail(const std::string &what, const std::string &problem) const {
    throw makeError(Diagnostic::LaunchText, {{"what", where(what)}, {"problem", problem}});
  }

  std::array<Expression, 3> extents(const std::vector<std::string> &texts, const std::string &what,
                                    int64_t least, int64_t others) const {
    if (texts.size() > 3)
      fail(what, "expected one to three extents, but got " + std::to_string(texts.size()));
    std::array<Expression, 3> result = {constant(others), constant(others), constant(others)};
    for (size_t axis = 0; axis < texts.size(); ++axis)
      result[axis] = extent(texts[axis], what, least);
    return result;
  }

  Expression extent(const std::string &text, const std::string &what, int64_t least) const {
    Expression result = parseExpression(text, signature, where(what));
    if (result.kind == Expression::Kind::Constant &&
        (result.constant < least || result.constant > INT32_MAX))
      fail(what, "expected an integer from " + std::to_string(least) + " to 2147483647, but got " +
                     std::to_string(result.constant));
    return result;
  }

  /// Checks constant extents now: no device has blocks of more than 1024 threads.
  void checkThreads(const std::array<Expression, 3> &block) const {
    int64_t threads = 1;
    for (const Expression &extent : block)
      if (extent.kind == Expression::Kind::Constant)
        threads *= std::min<int64_t>(extent.constant, 2048);
    if (threads > 1024)
      fail("block", "expected at most 1024 threads, but got " + block[0].text + " x " +
                        block[1].text + " x " + block[2].text);
  }

  std::vector<KernelArgument> arguments() const {
    std::vector<KernelArgument> result;
    if (launch.args) {
      for (size_t i = 0; i < launch.args->size(); ++i)
        result.push_back(parseKernelArgument((*launch.args)[i], signature,
                                             where("args[" + std::to_string(i) + "]")));
      return result;
    }
    for (const Param &param : signature.params)
      if (!std::holds_alternative<StreamParam>(param.type))
        result.push_back(parseKernelArgument(param.name, signature, where("args")));
    return result;
  }

  const Signature &signature;
  const KernelLaunch &launch;
};

} // namespace

entry::LaunchPlan makePlan(const Signature &signature, const KernelLaunch &launch) {
  return PlanMaker(signature, launch).make();
}

} // namespace fairlead::kernels
