/// Inline PTX as operations that every target has, for the CPU.
///
/// Registers hold numbers of the width that instructions read them with; an instruction takes its
/// operands as the type it names. Instructions without such a form are an UnknownPtx.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include "fairlead/dsl/Block.h"

namespace fairlead::dsl::ptx {

/// The parts of an instruction's name after its first, and operands.
using Words = llvm::ArrayRef<llvm::StringRef>;
using Operands = llvm::ArrayRef<llvm::StringRef>;

/// `@!p ld.global.b32 x, [a];`, a declaration, whose name is ".reg", or a label `x:`, whose name is
/// ":" and whose operand is x.
struct Statement {
  llvm::StringRef guard; ///< "p"; empty without a predicate
  bool guardIsNegated = false;
  llvm::StringRef name; ///< "ld"
  llvm::SmallVector<llvm::StringRef, 8> words, operands;
  bool isInBraces = false;
};

/// The statements of `text`, which refer to it. Braces of scopes are dropped: names of scopes
/// differ in programs that assemble.
std::vector<Statement> statementsOf(llvm::StringRef text);
/// The text without comments, with one blank for each run of white space, and "$" for LLVM's "$$".
std::string plainText(llvm::StringRef assembly);
/// Splits at commas outside of braces and brackets.
llvm::SmallVector<llvm::StringRef, 8> operandsOf(llvm::StringRef text);

/// The place of a word among the words of `list`, which blanks separate; -1 if it has none.
int placeIn(const char *list, llvm::StringRef word);
/// Returns the enumerator whose number is the place of a word in a list.
template <typename Enum> std::optional<Enum> enumIn(const char *list, llvm::StringRef word) {
  const int place = placeIn(list, word);
  return place < 0 ? std::nullopt : std::optional(static_cast<Enum>(place));
}
/// True if one of the words is `word`.
bool has(Words words, llvm::StringRef word);

/// Thrown for an instruction that is not read here.
struct UnknownPtx {};
[[noreturn]] void unknown();
/// Throws UnknownPtx unless the text is of a form that is known.
inline void require(bool isKnown) {
  if (!isKnown)
    unknown();
}

/// Returns the values of `results` that the assembly computes from `operands`. Constraints are
/// LLVM's. Returns nothing for an unknown instruction; operations for earlier ones are then
/// emitted.
std::optional<Scalars> computed(const std::vector<DType> &results, const Scalars &operands,
                                const std::string &assembly, const std::string &constraints);

class Reader {
public:
  Reader(const std::vector<DType> &results, const Scalars &operands, llvm::StringRef constraints);
  void execute(llvm::ArrayRef<Statement> statements);
  Scalars results();

private:
  struct Instruction;
  struct Access;
  static const Instruction kInstructions[];

  // Registers and operands (Reader.cpp).
  Scalar read(llvm::StringRef name, DType type);
  Scalar joined(llvm::StringRef text, DType type);
  llvm::SmallVector<llvm::StringRef, 8> parts(llvm::StringRef text) const;
  /// Returns the registers of an operand that may be a vector.
  llvm::SmallVector<llvm::StringRef, 8> elements(llvm::StringRef text, int count) const;
  void write(llvm::StringRef name, const Scalar &value);
  void declare(const Statement &statement);
  void run(llvm::StringRef name, Words words, Operands operands);
  void execute(const Statement &statement);
  void executeIf(const Scalar &holds, const Statement &statement);
  /// Returns the operands from `first` on as numbers of one type.
  Scalars values(Operands operands, size_t first, DType type);

  // Branches.cpp
  void branch(const Statement &statement);
  void arriveAt(llvm::StringRef label);
  size_t waited(llvm::ArrayRef<Statement> statements);
  size_t repeated(llvm::ArrayRef<Statement> statements);
  std::optional<Scalar> conditionOf(const Statement &statement);

  // KernelRegisters.cpp
  bool isKernelRegister(llvm::StringRef name) const;
  Scalar kernelValue(llvm::StringRef name) const;
  void storeInKernel(llvm::StringRef name, const Scalar &value) const;
  void keepKernelRegisters();

  // TensorMemory.cpp
  void tensorMemory(Words words, Operands operands);

  // Arithmetic.cpp
  bool arithmetic(llvm::StringRef name, Words words, Operands operands);
  void pairArithmetic(llvm::StringRef name, Words words, Operands operands);
  bool approximate(llvm::StringRef name, Words words, Operands operands);
  Scalar product(Words words, Operands operands);
  void mul(Words words, Operands operands);
  void mad(Words words, Operands operands);
  void move(Words words, Operands operands);
  void convert(Words words, Operands operands);
  void convertPair(Words words, Operands operands);
  /// Returns what holds and its contrary; of pairs, what holds of the lower and of the upper
  /// numbers.
  std::pair<Scalar, Scalar> compared(Words words, Operands operands);
  void compareTo(Words words, Operands operands);
  void setTo(Words words, Operands operands);
  void selectOne(Words words, Operands operands);

  // Bits.cpp
  void shiftLeft(Words words, Operands operands);
  void shiftRight(Words words, Operands operands);
  void permute(Words words, Operands operands);
  void lop3(Words words, Operands operands);
  void countOnes(Words words, Operands operands);
  void reverse(Words words, Operands operands);
  void countZeros(Words words, Operands operands);
  void findHighest(Words words, Operands operands);
  void extract(Words words, Operands operands);
  void insert(Words words, Operands operands);
  void shiftPair(Words words, Operands operands);
  Scalar productOf24(Words words, Operands operands);
  void mul24(Words words, Operands operands);
  void mad24(Words words, Operands operands);
  void dotOfBytes(Words words, Operands operands);

  // Memory.cpp
  std::pair<Pointer, std::optional<Scalar>> place(llvm::StringRef text, DType type);
  Pointer address(llvm::StringRef text, DType type, AddressSpace space);
  void load(Words words, Operands operands);
  void store(Words words, Operands operands);
  void storeToBlock(Words words, Operands operands);
  void atomicOf(Words words, Operands operands);
  void reduce(Words words, Operands operands);
  void reducePair(Words words, Operands operands);
  void bulkLoad(Operands operands);
  void bulkCopyToBlock(Operands operands);
  void mapAddress(Words words, Operands operands);
  void asyncCopy(Words words, Operands operands);
  void loadMatrices(Words words, Operands operands);
  void bulkCopy(Words words, Operands operands);
  void makePolicy(Words words, Operands operands);

  // Threads.cpp
  static std::optional<Scalar> special(llvm::StringRef name);
  void voteOf(Words words, Operands operands);
  void shuffleOf(Words words, Operands operands);
  void barrierOf(Words words, Operands operands);
  void fenceOf(Words words, Operands operands);
  void membar(Words words, Operands operands);
  void trap(Words words, Operands operands);
  void mma(Words words, Operands operands);
  void scaledMma(Words words, Operands operands);
  void elect(Words words, Operands operands);
  void reduxOf(Words words, Operands operands);
  void mbarrier(Words words, Operands operands);
  void arriveAtMbarrier(Words words, Operands operands);
  void nothing(Words, Operands) {}

  llvm::StringMap<Scalar> registers_;
  llvm::StringMap<std::vector<std::string>> vectors_; ///< their registers: "v.x", "v.y"
  std::vector<std::pair<DType, DType>> results_;      ///< types of the register and the result
  llvm::StringSet<> declared_;
  std::vector<std::pair<std::string, DType>> kernelRegisters_; ///< declared outside of braces
  std::optional<Scalar> isHere_;    ///< true for threads that took no branch past this place
  llvm::StringMap<Scalar> pending_; ///< labels ahead: true for threads that go on there
};

/// The register and the number behind it of `[register + number]`.
std::pair<llvm::StringRef, int64_t> addressParts(llvm::StringRef text);
/// The type that a word of an instruction names, as `s32`; throws UnknownPtx for another word.
DType typeOf(llvm::StringRef word);
/// The type that the last word of an instruction names.
DType lastType(Words words);
/// The unsigned integer of `width` bits, and the integer of twice the width of `type`.
DType unsignedOf(int width);
DType doubleOf(DType type);
/// A constant; -1 is all ones.
inline Scalar uint32(int64_t number) { return constant(DType::Uint32, number); }
/// Returns a register as a number of a type: the same bits, or the low ones, or zeros above.
Scalar asType(const Scalar &value, DType type);
/// The word of a direction (rz, rm, rp) among the words.
std::optional<llvm::StringRef> directionOf(Words words);

} // namespace fairlead::dsl::ptx
