/// printf of traced programs.
#include <cstring>

#include "dsl/trace/Builder.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/Print.h"
#include "ir/Attributes.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Matches C's format with the values: each value gets the type that its conversion reads, and
/// conversions of 64-bit integers get their length modifier.
class FormatBuilder {
public:
  FormatBuilder(Program::Impl &impl, const std::string &format, const Scalars &values)
      : impl(impl), format(format), values(values) {}

  void build() {
    for (size_t i = 0; i < format.size();) {
      if (format[i] != '%') {
        text += format[i++];
      } else if (i + 1 < format.size() && format[i + 1] == '%') {
        text += "%%";
        i += 2;
      } else {
        i = conversion(i);
      }
    }
    if (operands.size() != values.size())
      fail(std::to_string(operands.size()) + " values", std::to_string(values.size()));
  }

  std::string text;
  SmallVector<mlir::Value> operands;

private:
  [[noreturn]] void fail(const std::string &expected, const std::string &got) {
    throw makeError(Diagnostic::PrintFormat,
                    {{"format", format}, {"expected", expected}, {"got", got}});
  }

  size_t conversion(size_t begin) {
    size_t flagsEnd = format.find_first_not_of("-+ #0123456789.", begin + 1);
    size_t kindAt =
        flagsEnd == std::string::npos ? flagsEnd : format.find_first_not_of("hlLqjzt", flagsEnd);
    if (kindAt == std::string::npos)
      fail("a conversion such as %d or %f after %", "the end of the text");
    char kind = format[kindAt];
    bool isFloating = std::strchr("eEfFgGaA", kind), isInt = std::strchr("diuxXoc", kind);
    if (!isFloating && !isInt)
      fail("conversions of numbers (%d %i %u %x %o %c %e %f %g %a)", std::string("%") + kind);
    if (operands.size() == values.size())
      fail("as many values as conversions", std::to_string(values.size()));
    const Scalar &value = values[operands.size()];
    text += format.substr(begin, flagsEnd - begin);
    if (isFloating) {
      operands.push_back(emitAs(impl, value, DType::Float64));
    } else if (isFloat(value.dtype())) {
      fail(std::string("an integer for %") + kind, std::string(className(value.dtype())));
    } else if (bitWidth(value.dtype()) == 64) {
      text += "ll";
      operands.push_back(emit(impl, value));
    } else {
      operands.push_back(
          emitAs(impl, value, isSigned(value.dtype()) ? DType::Int32 : DType::Uint32));
    }
    text += kind;
    return kindAt + 1;
  }

  Program::Impl &impl;
  const std::string &format;
  const Scalars &values;
};

} // namespace

static gpu::PrintfOp emitPrint(Program::Impl &impl, const std::string &format,
                               const Scalars &values) {
  FormatBuilder built(impl, format, values);
  built.build();
  return gpu::PrintfOp::create(impl.builder, impl.builder.getUnknownLoc(), StringRef(built.text),
                               built.operands);
}

void printFormatted(const std::string &format, const Scalars &values, SourceLoc at) {
  AtSourceLoc placed(at);
  emitPrint(currentImpl("printf"), format, values);
}

void stop(const std::string &format, const Scalars &values, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("breakpoint");
  emitPrint(impl, format, values)->setAttr(ir::kStopAttribute, impl.builder.getUnitAttr());
  // Blocks stop one after the other.
  if (!(*impl.module)->hasAttr(ir::kScheduleAttribute))
    (*impl.module)
        ->setAttr(ir::kScheduleAttribute, impl.builder.getI32IntegerAttr(kFairleadScheduleForward));
}

void recordEvent(int kind, const std::string &name, const Scalars &payload, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = kernelImpl("an event of a timeline");
  SmallVector<mlir::Value> operands;
  for (const Scalar &value : payload)
    operands.push_back(emitAs(impl, value, isFloat(value.dtype()) ? DType::Float64 : DType::Int64));
  auto event =
      gpu::PrintfOp::create(impl.builder, impl.builder.getUnknownLoc(), StringRef(name), operands);
  event->setAttr(ir::kTimelineAttribute, impl.builder.getI32IntegerAttr(kind));
}

} // namespace fairlead::dsl
