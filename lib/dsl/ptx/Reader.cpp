#include "dsl/ptx/Reader.h"

#include <bit>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Location.h"

using llvm::StringRef;

namespace fairlead::dsl::ptx {

struct Reader::Instruction {
  llvm::StringLiteral name;
  void (Reader::*run)(Words, Operands);
};

const Reader::Instruction Reader::kInstructions[] = {
    {"mul", &Reader::mul},
    {"mad", &Reader::mad},
    {"mov", &Reader::move},
    {"cvta", &Reader::move},
    {"cvt", &Reader::convert},
    {"set", &Reader::setTo},
    {"setp", &Reader::compareTo},
    {"selp", &Reader::selectOne},
    {"shl", &Reader::shiftLeft},
    {"shr", &Reader::shiftRight},
    {"prmt", &Reader::permute},
    {"dp4a", &Reader::dotOfBytes},
    {"lop3", &Reader::lop3},
    {"popc", &Reader::countOnes},
    {"brev", &Reader::reverse},
    {"clz", &Reader::countZeros},
    {"bfind", &Reader::findHighest},
    {"bfe", &Reader::extract},
    {"bfi", &Reader::insert},
    {"shf", &Reader::shiftPair},
    {"mul24", &Reader::mul24},
    {"mad24", &Reader::mad24},
    {"ld", &Reader::load},
    {"st", &Reader::store},
    {"atom", &Reader::atomicOf},
    {"red", &Reader::reduce},
    {"cp", &Reader::bulkCopy},
    {"ldmatrix", &Reader::loadMatrices},
    {"mapa", &Reader::mapAddress},
    {"createpolicy", &Reader::makePolicy},
    {"vote", &Reader::voteOf},
    {"shfl", &Reader::shuffleOf},
    {"redux", &Reader::reduxOf},
    {"bar", &Reader::barrierOf},
    {"barrier", &Reader::barrierOf},
    {"fence", &Reader::fenceOf},
    {"membar", &Reader::membar},
    {"trap", &Reader::trap},
    {"mma", &Reader::mma},
    {"elect", &Reader::elect},
    {"mbarrier", &Reader::mbarrier},
    {"tcgen05", &Reader::tensorMemory},
    // Hints.
    {"prefetch", &Reader::nothing},
    {"nanosleep", &Reader::nothing},
    {"griddepcontrol", &Reader::nothing},
    {"discard", &Reader::nothing},
};

namespace {

/// The type of the register that a constraint of LLVM's names.
std::optional<DType> registerType(StringRef constraint) {
  constexpr DType kTypes[] = {DType::Uint16, DType::Uint32, DType::Uint64, DType::Float32,
                              DType::Float64};
  const int place = placeIn("h r l f d", constraint);
  return place < 0 ? std::nullopt : std::optional(kTypes[place]);
}

Scalar constantOf(DType type, double number) { return constant(type, number); }

/// The number of a literal as PTX writes it: `0f3F800000`, `1.5`, `0x10U`.
std::optional<Scalar> literal(StringRef text, DType type) {
  const bool isDouble = text.starts_with_insensitive("0d");
  uint64_t bits = 0;
  if ((text.starts_with_insensitive("0f") && text.size() == 10) ||
      (isDouble && text.size() == 18)) {
    if (text.drop_front(2).getAsInteger(16, bits))
      return std::nullopt;
    return constantOf(type, isDouble ? std::bit_cast<double>(bits)
                                     : std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  double number = 0;
  if (text.contains('.') && !text.getAsDouble(number))
    return constantOf(type, number);
  const bool isNegative = text.consume_front("-");
  text.consume_back("U");
  if (text.getAsInteger(0, bits))
    return std::nullopt;
  if (type == DType::Boolean || isFloat(type))
    return constantOf(type, isNegative ? -static_cast<double>(bits) : static_cast<double>(bits));
  const int above = 64 - bitWidth(type);
  bits = (isNegative ? 0 - bits : bits) << above;
  return constant(type, isSigned(type) ? static_cast<int64_t>(bits) >> above
                                       : static_cast<int64_t>(bits >> above));
}

} // namespace

void unknown() { throw UnknownPtx(); }

DType typeOf(StringRef word) {
  constexpr DType kTypes[] = {
      DType::Uint8,   DType::Uint16,   DType::Uint32,  DType::Uint64,  DType::Uint8,  DType::Uint16,
      DType::Uint32,  DType::Uint64,   DType::Int8,    DType::Int16,   DType::Int32,  DType::Int64,
      DType::Float16, DType::BFloat16, DType::Float32, DType::Float64, DType::Boolean};
  const int place =
      placeIn("u8 u16 u32 u64 b8 b16 b32 b64 s8 s16 s32 s64 f16 bf16 f32 f64 pred", word);
  require(place >= 0);
  return kTypes[place];
}

DType lastType(Words words) {
  require(!words.empty());
  return typeOf(words.back());
}

DType unsignedOf(int width) {
  for (DType type : {DType::Uint8, DType::Uint16, DType::Uint32, DType::Uint64})
    if (bitWidth(type) == width)
      return type;
  unknown();
}

DType doubleOf(DType type) {
  const DType doubled = unsignedOf(2 * bitWidth(type));
  if (!isSigned(type))
    return doubled;
  return doubled == DType::Uint16   ? DType::Int16
         : doubled == DType::Uint32 ? DType::Int32
                                    : DType::Int64;
}

Scalar asType(const Scalar &value, DType type) {
  const DType source = value.dtype();
  if (source == type)
    return value;
  if (type == DType::Boolean)
    return compare(CompareOp::Ne, value, 0);
  const DType target = unsignedOf(bitWidth(type));
  if (source == DType::Boolean)
    return bitcast(cast(value, target), type);
  const DType bits = unsignedOf(bitWidth(source));
  return bitcast(cast(bitcast(value, bits), target), type);
}

Reader::Reader(const std::vector<DType> &results, const Scalars &operands, StringRef constraints) {
  llvm::SmallVector<StringRef, 8> split, outputs, inputs;
  constraints.split(split, ',');
  for (StringRef constraint : split) {
    constraint = constraint.trim();
    if (constraint.consume_front("=")) {
      constraint.consume_front("&");
      outputs.push_back(constraint);
    } else if (!constraint.empty() && !constraint.starts_with("~")) {
      inputs.push_back(constraint);
    }
  }
  require(outputs.size() == results.size() && inputs.size() == operands.size());
  for (auto [output, result] : llvm::zip(outputs, results))
    results_.emplace_back(registerType(output).value_or(result), result);
  for (size_t index = 0; index < inputs.size(); ++index) {
    Scalar value = materialize(operands[index]);
    if (value.dtype() == DType::Boolean)
      value = cast(value, DType::Uint32);
    StringRef constraint = inputs[index];
    size_t output = 0;
    const bool isTied = !constraint.getAsInteger(10, output);
    if (isTied && output >= outputs.size())
      unknown();
    if (std::optional<DType> type = registerType(isTied ? outputs[output] : constraint))
      value = asType(value, *type);
    if (isTied)
      registers_[("$" + llvm::Twine(output)).str()] = value;
    registers_[("$" + llvm::Twine(outputs.size() + index)).str()] = value;
  }
}

Scalars Reader::results() {
  Scalars values;
  for (auto [index, types] : llvm::enumerate(results_))
    values.push_back(asType(read(("$" + llvm::Twine(index)).str(), types.first), types.second));
  return values;
}

Scalar Reader::read(StringRef name, DType type) {
  name = name.trim();
  if (auto value = special(name))
    return asType(*value, type);
  if (auto entry = registers_.find(name); entry != registers_.end())
    return asType(entry->second, type);
  if (name.starts_with("{") || vectors_.contains(name))
    return joined(name, type);
  if (name.consume_front("!"))
    return unary(type == DType::Boolean ? UnaryOp::Not : UnaryOp::Invert, read(name, type));
  if (auto number = literal(name, type))
    return *number;
  if (isKernelRegister(name))
    return asType(kernelValue(name), type);
  unknown();
}

Scalar Reader::joined(StringRef text, DType type) {
  auto names = parts(text);
  const int width = bitWidth(type) / static_cast<int>(names.size());
  const DType bitsType = unsignedOf(bitWidth(type));
  Scalar bits = constant(bitsType, int64_t{0});
  for (auto [index, name] : llvm::enumerate(names))
    bits =
        bits | (asType(read(name, unsignedOf(width)), bitsType) << static_cast<int>(index) * width);
  return asType(bits, type);
}

llvm::SmallVector<StringRef, 8> Reader::parts(StringRef text) const {
  text = text.trim();
  if (auto entry = vectors_.find(text); entry != vectors_.end())
    return llvm::SmallVector<StringRef, 8>(entry->second.begin(), entry->second.end());
  if (!text.consume_front("{") || !text.consume_back("}"))
    unknown();
  auto names = operandsOf(text);
  require(!names.empty());
  return names;
}

llvm::SmallVector<StringRef, 8> Reader::elements(StringRef text, int count) const {
  if (count == 1)
    return {text};
  auto names = parts(text);
  require(static_cast<int>(names.size()) == count);
  return names;
}

void Reader::write(StringRef name, const Scalar &value) {
  if (!name.starts_with("{") && !vectors_.contains(name)) {
    if (isKernelRegister(name))
      storeInKernel(name, value);
    else if (name != "_")
      registers_[name] = value;
    return;
  }
  auto names = parts(name);
  const int totalBits = bitWidth(value.dtype()), width = totalBits / static_cast<int>(names.size());
  Scalar bits = asType(value, unsignedOf(totalBits));
  for (auto [index, part] : llvm::enumerate(names))
    write(part, cast(bits >> static_cast<int>(index) * width, unsignedOf(width)));
}

/// `.reg .b32 a, b<2>`, or `.reg .v4 .f32 name`: its parts are registers, name.x and so on.
void Reader::declare(const Statement &statement) {
  Words words = statement.words;
  if (words.size() == 3 && (words[0] == ".v2" || words[0] == ".v4")) {
    for (char part : StringRef("xyzw").take_front(words[0] == ".v2" ? 2 : 4))
      vectors_[words[2]].push_back((words[2] + "." + llvm::Twine(part)).str());
    return;
  }
  if (words.size() < 2)
    return;
  std::optional<DType> type; // none: only the assembly itself uses such registers
  try {
    type = typeOf(words.front().drop_front());
  } catch (const UnknownPtx &) {
  }
  const std::string names = llvm::join(words.drop_front(), " ");
  for (StringRef name : operandsOf(names)) {
    auto [stem, rest] = name.split('<');
    unsigned count = 0;
    rest.consumeInteger(10, count);
    for (unsigned index = 0; index < std::max(count, 1U); ++index) {
      const std::string full = count == 0 ? stem.str() : (stem + llvm::Twine(index)).str();
      declared_.insert(full);
      if (type && !statement.isInBraces)
        kernelRegisters_.emplace_back(full, *type);
    }
  }
}

Scalars Reader::values(Operands operands, size_t first, DType type) {
  Scalars numbers;
  for (StringRef operand : operands.drop_front(std::min(first, operands.size())))
    numbers.push_back(read(operand, type));
  return numbers;
}

void Reader::run(StringRef name, Words words, Operands operands) {
  for (const Instruction &instruction : kInstructions)
    if (instruction.name == name)
      return (this->*instruction.run)(words, operands);
  if (!approximate(name, words, operands) && !arithmetic(name, words, operands))
    unknown();
}

void Reader::executeIf(const Scalar &holds, const Statement &statement) {
  StringRef name = statement.name;
  if (name == "trap")
    return assertThat(!holds, "trap");
  StringRef target = statement.operands.empty() ? "" : statement.operands.front();
  if (placeIn("st red cp fence membar tcgen05", name) >= 0 || isKernelRegister(target) ||
      (name == "mbarrier" && target == "_")) {
    OpenBranch branch(holds);
    run(name, statement.words, statement.operands);
    return branch.close();
  }
  // An instruction whose only effect is its result can be executed always; its predicate then
  // chooses the result.
  if (placeIn("atom ld bar barrier vote shfl redux elect mbarrier", name) >= 0 ||
      target.contains('|') || target.starts_with("{") || vectors_.contains(target))
    unknown();
  auto before = registers_.find(target);
  std::optional<Scalar> old;
  if (before != registers_.end())
    old = before->second;
  run(name, statement.words, statement.operands);
  if (!old)
    return;
  const Scalar now = registers_[target];
  registers_[target] = select(holds, now, asType(*old, now.dtype()));
}

void Reader::execute(const Statement &statement) {
  if (statement.name == ".reg")
    return declare(statement);
  if (const auto holds = conditionOf(statement))
    return executeIf(*holds, statement);
  run(statement.name, statement.words, statement.operands);
}

std::optional<Scalars> computed(const std::vector<DType> &results, const Scalars &operands,
                                const std::string &assembly, const std::string &constraints) {
  const std::string text = plainText(assembly);
  try {
    Reader reader(results, operands, constraints);
    reader.execute(statementsOf(text));
    return reader.results();
  } catch (const UnknownPtx &) {
    return std::nullopt;
  }
}

namespace {

/// Drops a comment at the beginning of the text.
bool consumeComment(StringRef &text) {
  const bool toLineEnd = text.starts_with("//");
  if (!toLineEnd && !text.starts_with("/*"))
    return false;
  const size_t end = toLineEnd ? text.find('\n') : text.find("*/", 2);
  text = end == StringRef::npos ? StringRef() : text.drop_front(end + (toLineEnd ? 1 : 2));
  return true;
}

/// Drops a label at the beginning of the text, and returns it; empty if there is none.
StringRef consumeLabel(StringRef &text) {
  const StringRef name = text.take_while(
      [](char letter) { return llvm::isAlnum(letter) || letter == '_' || letter == '$'; });
  const StringRef rest = text.drop_front(name.size()).ltrim();
  if (name.empty() || !rest.starts_with(":") || rest.starts_with("::"))
    return StringRef();
  text = rest.drop_front().ltrim();
  return name;
}

Statement statementOf(StringRef text) {
  Statement statement;
  if (text.consume_front("@")) {
    statement.guardIsNegated = text.consume_front("!");
    std::tie(statement.guard, text) = text.split(' ');
  }
  auto [opcode, arguments] = text.split(' ');
  if (opcode.starts_with(".")) {
    statement.name = opcode;
    arguments.split(statement.words, ' ');
    return statement;
  }
  opcode.split(statement.words, '.');
  statement.name = statement.words.front();
  statement.words.erase(statement.words.begin());
  statement.operands = operandsOf(arguments);
  return statement;
}

} // namespace

std::string plainText(StringRef assembly) {
  std::string plain;
  while (!assembly.empty()) {
    if (consumeComment(assembly) || llvm::isSpace(assembly.front())) {
      assembly = assembly.ltrim();
      if (!plain.empty() && plain.back() != ' ')
        plain += ' ';
      continue;
    }
    // The text is emitted once: its labels need no number.
    if (assembly.consume_front("${:uid}"))
      continue;
    if (assembly.starts_with("$$"))
      assembly = assembly.drop_front();
    plain += assembly.front();
    assembly = assembly.drop_front();
  }
  return plain;
}

std::vector<Statement> statementsOf(StringRef text) {
  std::vector<Statement> statements;
  int depth = 0;
  for (StringRef part : llvm::split(text, ';')) {
    part = part.trim(" ");
    while (true) {
      if (part.starts_with("{") || part.starts_with("}")) {
        depth += part.front() == '{' ? 1 : -1;
        part = part.drop_front().ltrim();
      } else if (StringRef label = consumeLabel(part); !label.empty()) {
        statements.emplace_back().name = ":";
        statements.back().operands = {label};
      } else {
        break;
      }
    }
    if (part.empty())
      continue;
    statements.push_back(statementOf(part));
    statements.back().isInBraces = depth > 0;
  }
  return statements;
}

llvm::SmallVector<StringRef, 8> operandsOf(StringRef text) {
  llvm::SmallVector<StringRef, 8> operands;
  int depth = 0;
  size_t start = 0;
  for (auto [index, letter] : llvm::enumerate(text)) {
    depth += (letter == '{' || letter == '[') - (letter == '}' || letter == ']');
    if (letter == ',' && depth == 0) {
      operands.push_back(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  if (!text.trim().empty())
    operands.push_back(text.substr(start).trim());
  return operands;
}

int placeIn(const char *list, StringRef word) {
  StringRef rest = list;
  for (int place = 0; !rest.empty(); ++place) {
    auto [first, others] = rest.split(' ');
    if (first == word)
      return place;
    rest = others;
  }
  return -1;
}

bool has(Words words, StringRef word) { return llvm::is_contained(words, word); }

} // namespace fairlead::dsl::ptx
