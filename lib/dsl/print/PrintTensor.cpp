/// Values, layouts and tensors as text, by calls of printf.
#include "dsl/trace/Builder.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Print.h"
#include "fairlead/dsl/TracingDialect.h"

#include <optional>

namespace fairlead::dsl {

namespace {

/// Tensors up to this many elements print without loops.
constexpr int64_t kMostUnrolled = 128;
/// Values of one call: CUDA's printf takes 32.
constexpr size_t kMostValues = 16;
/// Values of one line in the published form, which is one call of CUDA's printf.
constexpr size_t kMostPublished = 32;

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '%' ? "%%" : std::string(1, c);
  return result;
}

/// Collects text and values, to use as few calls of printf as possible.
class Printer {
public:
  ~Printer() = default;

  bool signSpace = false; ///< of elements, so that columns meet: see value()
  size_t conversions = 0; ///< so far

  void text(const std::string &part) { format += escaped(part); }

  /// `signSpace`: print a blank in place of a missing minus, so that columns align.
  void value(const Scalar &scalar, bool signSpace = false) {
    if (scalar.isLiteral() && !scalar.isFloatLiteral()) {
      int64_t number = scalar.literalInt();
      if (signSpace && number >= 0)
        text(" ");
      text(std::to_string(number));
      return;
    }
    DType type = scalar.dtype();
    if (isFloat(type))
      conversion(signSpace ? "% f" : "%f", scalar);
    else if (type == DType::Boolean || isSigned(type))
      conversion(signSpace ? "% d" : "%d", scalar);
    else
      conversion(signSpace ? " %u" : "%u", scalar);
  }

  void conversion(const char *kind, const Scalar &scalar) {
    if (values.size() == kMostValues)
      flush();
    format += kind;
    values.push_back(bitWidth(scalar.dtype()) > 64 ? cast(scalar, DType::Int64) : scalar);
    ++conversions;
  }

  void tuple(const layout::IntTuple &tuple) {
    if (tuple.isLeaf()) {
      const layout::Int &leaf = tuple.leaf();
      if (leaf.isStatic() || leaf.isStep())
        text(leaf.str());
      else
        value(toScalar(leaf));
      return;
    }
    text("(");
    for (size_t i = 0; i < tuple.modes().size(); ++i) {
      text(i ? "," : "");
      this->tuple(tuple.modes()[i]);
    }
    text(")");
  }

  void layout(const layout::Layout &layout) {
    tuple(layout.shape());
    text(":");
    tuple(layout.stride());
  }

  void pointer(const Pointer &pointer) {
    // "ptr<f32, gmem, align<4>>"
    std::string type = pointer.str();
    type = type.substr(4, type.size() - 5);
    if (type.find("align<") == std::string::npos)
      type += ", align<" + std::to_string(pointer.alignment()) + ">";
    text("raw_ptr(0x");
    conversion("%016x", cast(pointer.toInt(), DType::Uint64));
    text(": " + type + ")");
  }

  void head(const Tensor &tensor) {
    if (tensor.isCoordinates())
      tuple(tensor.origin());
    else
      pointer(tensor.pointer());
    text(" o ");
    if (auto swizzle = tensor.composed().swizzle()) {
      text(swizzle->str() + " o ");
      tuple(tensor.composed().offset());
      text(" o ");
    }
    layout(tensor.layout());
  }

  void flush() {
    if (!format.empty())
      printFormatted(format, values);
    format.clear();
    values.clear();
  }

private:
  std::string format;
  Scalars values;
};

/// The elements of a tensor, values or coordinates, one at a time.
struct Elements {
  std::vector<Scalar> extents; ///< of the top-level modes
  std::function<void(Printer &, const Scalars &coordinate)> print;
  bool unrolled = false;
};

/// Runs `body(i)` for each i below the extent, while tracing or as a loop of the program.
void each(Printer &printer, const Elements &elements, const Scalar &extent,
          const std::function<void(const Scalar &)> &body) {
  if (elements.unrolled) {
    for (int64_t i = 0; i < extent.literalInt(); ++i)
      body(Scalar(i));
    return;
  }
  printer.flush();
  for_(0, extent, [&](const Scalar &i) {
    body(i);
    printer.flush();
  });
}

/// Prints `text` if the condition holds.
void textWhere(Printer &printer, const Scalar &condition, const std::string &text) {
  if (condition.isLiteral()) {
    if (condition.literalInt())
      printer.text(text);
    return;
  }
  printer.flush();
  if_(condition, [&] {
    printer.text(text);
    printer.flush();
  });
}

/// From the outermost bracket in: the last mode to mode 2, then rows (mode 0) of columns (mode 1).
std::vector<int> bracketOrder(int rank) {
  std::vector<int> order;
  for (int mode = rank - 1; mode >= 2; --mode)
    order.push_back(mode);
  order.push_back(0);
  if (rank > 1)
    order.push_back(1);
  return order;
}

/// Prints a tensor in brackets, like a matrix, with at most three rows and columns at each end.
class Brackets {
public:
  Brackets(Printer &printer, const Elements &elements)
      : printer(printer), elements(elements),
        order(bracketOrder(static_cast<int>(elements.extents.size()))),
        coordinate(elements.extents.size(), Scalar(0)) {
    int64_t count = 1;
    for (const Scalar &extent : elements.extents)
      count *= extent.isLiteral() ? std::min<int64_t>(extent.literalInt(), kShown) : kMostUnrolled;
    unrolled = elements.unrolled || (count > 0 && count < kMostUnrolled);
  }

  void print() {
    // A tensor of one mode is a column.
    if (order.size() == 1)
      shown(
          order[0],
          [&](const Scalar &cut, const Scalar &position) {
            separate(cut, position, rowGap(0));
            printer.text("[");
            elements.print(printer, coordinate);
            printer.text(", ]");
          },
          std::string(",").append(rowGap(0)).append("..."));
    else
      level(0);
  }

private:
  using Body = std::function<void(const Scalar &cut, const Scalar &position)>;

  /// Runs the body for each printed position of a mode, with its coordinate set. Prints `dots`
  /// for the positions left out between the ends, if any (`cut`).
  void shown(int mode, const Body &body, const std::string &dots) {
    const Scalar &extent = elements.extents[mode];
    if (unrolled) {
      int64_t count = extent.literalInt();
      bool cut = count > 2 * kEdge;
      for (int64_t i = 0; i < (cut ? kShown : count); ++i) {
        coordinate[mode] = Scalar(cut && i > kEdge ? count - kShown + i : i);
        if (cut && i == kEdge)
          printer.text(dots);
        else
          body(Scalar(cut), Scalar(i));
      }
      return;
    }
    printer.flush();
    Scalar cut = extent > Scalar(int64_t{2 * kEdge});
    for_(0, select(cut, Scalar(int64_t{kShown}), extent), [&](const Scalar &i) {
      coordinate[mode] = select(cut && i > Scalar(int64_t{kEdge}), extent - kShown + i, i);
      if_(
          cut && i == Scalar(int64_t{kEdge}),
          [&] {
            printer.text(dots);
            printer.flush();
          },
          [&] {
            body(cut, i);
            printer.flush();
          });
    });
  }

  void level(size_t depth) {
    int mode = order[depth];
    printer.text("[");
    if (depth + 1 == order.size()) {
      shown(
          mode,
          [&](const Scalar &, const Scalar &position) {
            textWhere(printer, position != 0, " ");
            elements.print(printer, coordinate);
            printer.text(",");
          },
          " ...,");
      printer.text(" ");
    } else {
      bool rows = depth + 2 == order.size();
      std::string gap(rows ? "" : "\n");
      gap += rowGap(depth + 1);
      shown(
          mode,
          [&](const Scalar &cut, const Scalar &position) {
            separate(cut, position, gap);
            level(depth + 1);
          },
          "," + gap + "...");
    }
    printer.text("]");
  }

  /// Prints the separator before a row: no comma after dots.
  void separate(const Scalar &cut, const Scalar &position, const std::string &gap) {
    textWhere(printer, position != 0 && !(cut && position == Scalar(int64_t{kEdge + 1})), ",");
    textWhere(printer, position != 0, gap);
  }

  static std::string rowGap(size_t depth) { return std::string("\n").append(kIndent + depth, ' '); }

  static constexpr size_t kIndent = 7;
  static constexpr int kEdge = 3;              ///< rows or columns that are shown at each end
  static constexpr int kShown = 2 * kEdge + 1; ///< with one for the dots
  Printer &printer;
  const Elements &elements;
  std::vector<int> order;
  bool unrolled; ///< what is shown, without loops
  Scalars coordinate;
};

void printLines(Printer &printer, const Elements &elements, size_t mode, Scalars &coordinate) {
  if (mode < elements.extents.size()) {
    each(printer, elements, elements.extents[mode], [&](const Scalar &i) {
      coordinate[mode] = i;
      printLines(printer, elements, mode + 1, coordinate);
    });
    return;
  }
  printer.text("\t(");
  for (size_t i = 0; i < coordinate.size(); ++i) {
    printer.text(i ? "," : "");
    printer.value(coordinate[i]);
  }
  printer.text(")= ");
  elements.print(printer, coordinate);
  printer.text("\n");
}

void printData(Printer &printer, const Elements &elements, bool verbose) {
  if (verbose) {
    printer.text(", data= (\n");
    Scalars coordinate(elements.extents.size(), Scalar(0));
    printLines(printer, elements, 0, coordinate);
  } else {
    printer.text(", data=\n       ");
    printer.signSpace = true;
    Brackets(printer, elements).print();
  }
  printer.text(")\n");
}

Elements elementsOf(const layout::IntTuple &shape) {
  Elements elements;
  std::vector<layout::IntTuple> modes =
      shape.isLeaf() ? std::vector<layout::IntTuple>{shape} : shape.modes();
  for (const layout::IntTuple &mode : modes)
    elements.extents.push_back(toScalar(layout::size(mode, arithmetic())));
  layout::Int count = layout::size(shape);
  elements.unrolled = count.isStatic() && count.value() <= kMostUnrolled;
  return elements;
}

layout::IntTuple toTuple(const Scalars &coordinate) {
  std::vector<layout::IntTuple> modes;
  for (const Scalar &entry : coordinate)
    modes.emplace_back(toIndex(entry));
  return modes.size() == 1 ? modes[0] : layout::IntTuple(std::move(modes));
}

Elements elementsOf(const Tensor &tensor) {
  Elements elements = elementsOf(tensor.layout().shape());
  elements.print = [tensor](Printer &printer, const Scalars &coordinate) {
    if (tensor.isCoordinates()) {
      printer.text(printer.signSpace && tracingDialect().publishedForm ? " " : "");
      printer.tuple(tensor.at(toTuple(coordinate)));
    } else {
      printer.value(tensor.load(coordinate), printer.signSpace);
    }
  };
  return elements;
}

/// In the published form, lines name nested coordinates, mode 0 fastest.
void printPublishedLines(Printer &printer, const Tensor &tensor) {
  const layout::IntTuple &shape = tensor.layout().shape();
  Elements elements = elementsOf(tensor.withLayout(layout::flatten(tensor.layout())));
  Scalars coordinate(elements.extents.size(), Scalar(0));
  std::function<void(size_t)> level = [&](size_t left) {
    if (left > 0)
      return each(printer, elements, elements.extents[left - 1], [&](const Scalar &i) {
        coordinate[left - 1] = i;
        level(left - 1);
      });
    std::vector<layout::Int> leaves;
    for (const Scalar &entry : coordinate)
      leaves.push_back(toIndex(entry));
    printer.text("\t");
    printer.tuple(layout::unflatten(leaves, shape));
    printer.text("= ");
    elements.print(printer, coordinate);
    printer.text("\n");
  };
  printer.text(", data= (\n");
  level(coordinate.size());
  printer.text(")\n");
}

void printTensorData(Printer &printer, const Tensor &tensor, bool verbose) {
  if (!tracingDialect().publishedForm)
    return printData(printer, elementsOf(tensor), verbose);
  if (verbose)
    return printPublishedLines(printer, tensor);
  // Matrices follow one another, whatever number of modes counts them.
  Tensor matrices = tensor.rank() > 3
                        ? tensor.withLayout(*layout::groupModes(tensor.layout(), 2, tensor.rank()))
                        : tensor;
  printData(printer, elementsOf(matrices), false);
}

/// Returns values in registers as elements, with static coordinates.
Elements elementsOf(const TensorExpr &values) {
  Elements elements = elementsOf(values.shape());
  elements.unrolled = true;
  elements.print = [values](Printer &printer, const Scalars &coordinate) {
    std::vector<layout::Coordinate> modes;
    for (const Scalar &entry : coordinate)
      modes.emplace_back(layout::Int(entry.literalInt()));
    printer.value(
        values.element(modes.size() == 1 ? modes[0] : layout::Coordinate(std::move(modes))),
        printer.signSpace);
  };
  return elements;
}

/// Evaluates an expression of static shape; others are evaluated only when they are assigned.
TensorExpr inRegisters(const TensorExpr &values) {
  TensorExpr evaluated = TensorExpr::evaluated(values);
  if (!evaluated.isValues())
    throw makeError(Diagnostic::WholeTensorShape,
                    {{"expected", "a static shape"}, {"got", values.shape().str()}});
  return evaluated;
}

std::string vectorText(const TensorExpr &values) {
  DType type = values.element(layout::Int(0)).dtype();
  return "vector<" + std::to_string(values.elements().size()) + "x" + elementName(type) + "> o " +
         values.shape().str();
}

/// All elements in one line, mode 0 fastest.
void printLine(Printer &printer, const Elements &elements) {
  printer.text("( ");
  std::function<void(size_t, Scalars &, const Scalar &)> level =
      [&](size_t left, Scalars &coordinate, const Scalar &before) {
        if (left == 0) {
          textWhere(printer, before != 0, ", ");
          elements.print(printer, coordinate);
          return;
        }
        each(printer, elements, elements.extents[left - 1], [&](const Scalar &i) {
          coordinate[left - 1] = i;
          Scalar nonZero = i.isLiteral() && before.isLiteral()
                               ? Scalar(i.literalInt() || before.literalInt() ? 1 : 0)
                               : before + i;
          level(left - 1, coordinate, nonZero);
        });
      };
  Scalars coordinate(elements.extents.size(), Scalar(0));
  level(coordinate.size(), coordinate, Scalar(0));
  printer.text(" )");
}

/// Prints as many elements as one call of printf can take.
void printPublishedLine(Printer &printer, const Tensor &tensor) {
  Elements elements = elementsOf(tensor);
  auto count = static_cast<size_t>(layout::size(tensor.layout()).value());
  size_t shown = std::min(count, kMostPublished - std::min(kMostPublished, printer.conversions));
  printer.text("\n  ( ");
  for (size_t i = 0; i < shown; ++i) {
    printer.text(i ? ", " : "");
    elements.print(printer, {Scalar(static_cast<int64_t>(i))});
  }
  printer.text(shown < count ? ", [...] )" : " )");
}

/// True if a tensor may have no data (address 0) at run time. In other spaces address 0 is valid.
bool mayLackData(const Tensor &tensor) {
  return !tensor.isCoordinates() &&
         (tensor.space() == AddressSpace::Global || tensor.space() == AddressSpace::Generic);
}

Scalar hasData(const Tensor &tensor) { return Pointer(tensor).toInt() != 0; }

struct PrintValue {
  Printer &printer;
  bool withData = true; ///< all tensors have data; else one may have none

  void operator()(const std::string &text) const { printer.text(text); }
  void operator()(const Scalar &scalar) const {
    if (scalar.isFloatLiteral())
      printer.conversion("%f", scalar);
    else
      printer.value(scalar);
  }
  void operator()(const layout::IntTuple &tuple) const { printer.tuple(tuple); }
  void operator()(const layout::Layout &layout) const { printer.layout(layout); }
  void operator()(const Pointer &pointer) const { printer.pointer(pointer); }
  void operator()(const Tensor &tensor) const {
    printer.head(tensor);
    if (tracingDialect().publishedForm && !tensor.layout().isStatic())
      return;
    printer.text(" = ");
    auto line = [&] {
      if (tracingDialect().publishedForm)
        printPublishedLine(printer, tensor);
      else
        printLine(printer, elementsOf(tensor));
    };
    if (withData || !mayLackData(tensor))
      return line();
    printer.flush();
    if_(
        hasData(tensor),
        [&] {
          line();
          printer.flush();
        },
        [&] {
          printer.text("( null )");
          printer.flush();
        });
  }
  void operator()(const TensorExpr &given) const {
    TensorExpr values = inRegisters(given);
    printer.text(vectorText(values) + " = ");
    printLine(printer, elementsOf(values));
  }
};

/// Returns the texts around the `{}` of a format, with `{{` and `}}` replaced by single braces.
std::vector<std::string> textsAround(const std::string &format) {
  std::vector<std::string> texts(1);
  for (size_t at = 0; at < format.size(); ++at) {
    char c = format[at], next = at + 1 < format.size() ? format[at + 1] : 0;
    bool place = c == '{' && next == '}';
    if (place)
      texts.emplace_back();
    else
      texts.back() += c;
    if (place || ((c == '{' || c == '}') && next == c))
      ++at;
  }
  return texts;
}

} // namespace

void print(const std::string &format, const std::vector<Printable> &values, SourceLoc at) {
  AtSourceLoc placed(at);
  currentImpl("printf");
  std::vector<std::string> texts = textsAround(format);
  if (texts.size() - 1 != values.size())
    throw makeError(Diagnostic::PrintFormat,
                    {{"format", format},
                     {"expected", std::to_string(texts.size() - 1) + " values"},
                     {"got", std::to_string(values.size())}});
  auto all = [&](bool withData) {
    Printer printer;
    for (size_t next = 0; next < values.size(); ++next) {
      printer.text(texts[next]);
      std::visit(PrintValue{printer, withData}, values[next].value());
    }
    printer.text(texts.back());
    printer.flush();
  };
  // If all tensors have data, print with as few calls of printf as possible: other threads print
  // at the same time.
  std::optional<Scalar> complete;
  for (const Printable &value : values)
    if (const auto *tensor = std::get_if<Tensor>(&value.value()); tensor && mayLackData(*tensor))
      complete = complete ? *complete && hasData(*tensor) : hasData(*tensor);
  if (complete)
    if_(*complete, [&] { all(true); }, [&] { all(false); });
  else
    all(true);
}

void printTensor(const Tensor &tensor, bool verbose, SourceLoc at) {
  AtSourceLoc placed(at);
  currentImpl("print_tensor");
  auto all = [&] {
    Printer printer;
    printer.text("tensor(");
    printer.head(tensor);
    printTensorData(printer, tensor, verbose);
    printer.flush();
  };
  if (!mayLackData(tensor))
    return all();
  if_(hasData(tensor), all, [&] {
    Printer printer;
    printer.text("tensor(");
    printer.head(tensor);
    printer.text(", data= null)\n");
    printer.flush();
  });
}

void printTensor(const TensorExpr &given, bool verbose, SourceLoc at) {
  AtSourceLoc placed(at);
  currentImpl("print_tensor");
  TensorExpr values = inRegisters(given);
  if (tracingDialect().publishedForm) {
    Tensor stored =
        registerTensor(values.element(layout::Int(0)).dtype(), layout::Layout(values.shape()));
    for (size_t i = 0; i < values.elements().size(); ++i)
      stored.store({Scalar(static_cast<int64_t>(i))}, values.elements()[i]);
    return printTensor(stored, verbose);
  }
  Printer printer;
  printer.text("tensor(" + vectorText(values));
  printData(printer, elementsOf(values), verbose);
  printer.flush();
}

} // namespace fairlead::dsl
