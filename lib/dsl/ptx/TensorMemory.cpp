/// Products in tensor memory of inline PTX.
#include "dsl/atom/Need.h"
#include "dsl/ptx/Reader.h"
#include "fairlead/dsl/Operation.h"

using llvm::StringRef;

namespace fairlead::dsl::ptx {
namespace {

/// The bits of instruction descriptors that ask for more than a product: sparsity, saturation,
/// negation and a shift.
constexpr uint32_t kExtras = 7 | 1 << 3 | 3 << 13 | 3U << 30;

/// The word of a type in an operation, by its number in the instruction descriptor of a kind.
std::string typeWord(StringRef kind, uint32_t number) {
  const StringRef types = kind == "kind::f16"      ? "f16 bf16"
                          : kind == "kind::tf32"   ? "- - tf32"
                          : kind == "kind::f8f6f4" ? "e4m3 e5m2 - e2m3 e3m2 e2m1"
                          : kind == "kind::i8"     ? "u8 s8"
                                                   : "";
  llvm::SmallVector<StringRef, 8> words;
  types.split(words, ' ');
  require(number < words.size() && !words[number].empty() && words[number] != "-");
  return words[number].str();
}

OperationForm formOf(StringRef kind, uint32_t bits, bool ofPair) {
  const char *sums[] = {"f16", "f32", "s32"};
  require((bits & kExtras) == 0 && (bits >> 4 & 3) <= 2);
  OperationForm form;
  form.attributes = {{"m", static_cast<int32_t>((bits >> 24 & 31) << 4)},
                     {"n", static_cast<int32_t>((bits >> 17 & 63) << 3)},
                     {"d_type", std::string(sums[bits >> 4 & 3])},
                     {"a_type", typeWord(kind, bits >> 7 & 7)},
                     {"b_type", typeWord(kind, bits >> 10 & 7)},
                     {"a_transposed", (bits >> 15 & 1) != 0},
                     {"b_transposed", (bits >> 16 & 1) != 0},
                     {"group", std::string(ofPair ? "two" : "one")},
                     {"fairlead.chosen_thread", true}};
  return form;
}

} // namespace

/// `tcgen05.mma.cta_group::1.kind::f16 [d], a, b, descriptor, added`, with a descriptor that is
/// known while tracing. A may be in tensor memory.
void Reader::tensorMemory(Words words, Operands operands) {
  // On the CPU these operations are complete when they return.
  if (words.size() == 1 && operands.empty() &&
      (words[0] == "fence::before_thread_sync" || words[0] == "fence::after_thread_sync"))
    return;
  if (words.size() != 3 || words[0] != "mma" || operands.size() != 5 ||
      (words[1] != "cta_group::1" && words[1] != "cta_group::2"))
    unknown();
  const std::optional<int64_t> descriptor = read(operands[3], DType::Uint32).staticInt();
  require(descriptor.has_value());
  requireDescriptorWindow();
  auto memory = [&](StringRef text) {
    auto [name, step] = addressParts(text);
    const Scalar base = read(name, DType::Int32);
    return Pointer::fromInt(DType::Int32, step == 0 ? base : base + step, AddressSpace::Tensor, 4);
  };
  const bool ofTensor = operands[1].starts_with("[");
  const OperationOperand a =
      ofTensor ? OperationOperand(memory(operands[1])) : read(operands[1], DType::Int64);
  operation(
      "tcgen05.mma",
      {memory(operands[0]), a, read(operands[2], DType::Int64), read(operands[4], DType::Boolean)},
      formOf(words[2], static_cast<uint32_t>(*descriptor), words[1] == "cta_group::2"));
}

} // namespace fairlead::dsl::ptx
