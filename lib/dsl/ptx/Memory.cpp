/// Loads, stores, atomics and bulk copies of inline PTX.
#include "dsl/ptx/Reader.h"
#include "fairlead/dsl/Assembly.h"
#include "fairlead/dsl/Cluster.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Instructions.h"
#include "fairlead/dsl/Mbarrier.h"
#include "fairlead/dsl/Operation.h"

using llvm::StringRef;

namespace fairlead::dsl::ptx {

/// What the words of an access say.
struct Reader::Access {
  explicit Access(Words words);
  /// Returns the order of an atomic operation.
  AtomicOrder atomicOrder() const { return order.value_or(AtomicOrder::Relaxed); }
  /// Throws UnknownPtx if an access with an order cannot be an atomic operation.
  void requireOrderable() const;

  DType type;
  int count = 1; ///< numbers of a vector
  AddressSpace space = AddressSpace::Generic;
  std::optional<AtomicOrder> order; ///< none: an access that no other thread is concerned with
  AtomicScope scope = AtomicScope::Device;
};

namespace {

std::optional<AtomicOp> operationOf(Words words) {
  for (StringRef word : words)
    if (auto operation = enumIn<AtomicOp>("add and or xor min max exch", word))
      return operation;
  return std::nullopt;
}

int bytesOf(DType type) { return std::max(bitWidth(type) / 8, 1); }

} // namespace

std::pair<StringRef, int64_t> addressParts(StringRef text) {
  if (!text.consume_front("[") || !text.consume_back("]"))
    unknown();
  auto [base, step] = text.split('+');
  step = step.trim();
  int64_t bytes = 0;
  if (!step.empty() && step.getAsInteger(0, bytes))
    unknown();
  return {base.trim(), bytes};
}

Reader::Access::Access(Words words) : type(lastType(words)) {
  for (StringRef word : words) {
    if (word == "global")
      space = AddressSpace::Global;
    else if (word == "shared" || word == "shared::cta")
      space = AddressSpace::Shared;
    else if (word == "v2" || word == "v4" || word == "v8")
      count = word[1] - '0';
    else if (word == "cta")
      scope = AtomicScope::Block;
    else if (word == "sys")
      scope = AtomicScope::System;
    else if (word == "relaxed" || word == "volatile")
      order = AtomicOrder::Relaxed;
    else if (word == "acquire")
      order = AtomicOrder::Acquire;
    else if (word == "release")
      order = AtomicOrder::Release;
    else if (word == "acq_rel")
      order = AtomicOrder::AcquireRelease;
  }
}

void Reader::Access::requireOrderable() const { require(isInteger(type) && bitWidth(type) >= 32); }

/// Returns the pointer to shared memory in brackets, and the block of the cluster that it was
/// mapped to, if any.
std::pair<Pointer, std::optional<Scalar>> Reader::place(StringRef text, DType type) {
  auto [name, bytes] = addressParts(text);
  auto entry = registers_.find(name);
  require(entry != registers_.end() && bytes % bytesOf(type) == 0);
  auto location = sharedOffset(type, entry->second);
  require(location.has_value());
  if (bytes != 0)
    location->first = location->first + bytes / bytesOf(type);
  return *location;
}

Pointer Reader::address(StringRef text, DType type, AddressSpace space) {
  auto [name, bytes] = addressParts(text);
  auto entry = registers_.find(name);
  if (entry != registers_.end() && bitWidth(entry->second.dtype()) == 32) {
    // The low word of an address is one on GPUs alone.
    auto [pointer, block] = place(text, type);
    return block ? mapToBlock(pointer, *block) : pointer;
  }
  Scalar base = read(name, DType::Uint64);
  if (bytes != 0)
    base = base + bytes;
  return Pointer::fromInt(type, bitcast(base, DType::Int64), space, bytesOf(type));
}

void Reader::load(Words words, Operands operands) {
  const Access access(words);
  require(operands.size() >= 2);
  const Pointer pointer = address(operands[1], access.type, access.space);
  if (access.order)
    access.requireOrderable();
  Scalars loaded;
  for (int index = 0; index < access.count; ++index) {
    const Pointer element = pointer + index;
    loaded.push_back(access.order ? atomic(AtomicOp::Or, element, constant(access.type, int64_t{0}),
                                           *access.order, access.scope)
                                  : element.load());
  }
  for (auto [name, value] : llvm::zip(elements(operands[0], access.count), loaded))
    write(name, value);
}

/// To a block of the cluster, at whose mbarrier the bytes arrive.
void Reader::storeToBlock(Words words, Operands operands) {
  require(words.size() >= 4 && words[1] == "shared::cluster" &&
          words[2] == "mbarrier::complete_tx::bytes" && operands.size() == 3);
  const Access access(words);
  auto [target, block] = place(operands[0], access.type);
  const Pointer barrier = place(operands[2], DType::Int64).first;
  const Scalar rank = block ? *block : blockRankInCluster();
  for (auto [index, name] : llvm::enumerate(elements(operands[1], access.count)))
    storeAsync(target + index, read(name, access.type), barrier, rank);
}

void Reader::store(Words words, Operands operands) {
  if (words.front() == "async")
    return storeToBlock(words, operands);
  const Access access(words);
  require(operands.size() >= 2);
  if (access.order)
    access.requireOrderable();
  const Pointer pointer = address(operands[0], access.type, access.space);
  for (auto [index, name] : llvm::enumerate(elements(operands[1], access.count))) {
    const Pointer element = pointer + index;
    const Scalar value = read(name, access.type);
    if (access.order)
      atomic(AtomicOp::Exchange, element, value, *access.order, access.scope);
    else
      element.store(value);
  }
}

void Reader::atomicOf(Words words, Operands operands) {
  const Access access(words);
  require(access.count == 1 && operands.size() >= 3);
  const Pointer pointer = address(operands[1], access.type, access.space);
  const Scalars numbers = values(operands, 2, access.type);
  const bool countsUp = has(words, "inc");
  Scalar old;
  if (has(words, "cas")) {
    require(numbers.size() >= 2);
    old =
        atomicCompareExchange(pointer, numbers[0], numbers[1], access.atomicOrder(), access.scope);
  } else if (countsUp || has(words, "dec")) {
    require(access.type == DType::Uint32);
    old = atomicCount(pointer, numbers[0], countsUp, access.atomicOrder(), access.scope);
  } else {
    const auto operation = operationOf(words);
    require(operation.has_value());
    old = atomic(*operation, pointer, numbers[0], access.atomicOrder(), access.scope);
  }
  write(operands[0], old);
}

/// `red.global.add.noftz.bf16x2 [address], pair`: one atomic operation for each number.
void Reader::reducePair(Words words, Operands operands) {
  llvm::SmallVector<StringRef, 8> ofNumber(words.begin(), words.end());
  ofNumber.back() = words.back().drop_back(2);
  const Access access(ofNumber);
  const auto operation = operationOf(words);
  require(operation.has_value());
  const Pointer pointer = address(operands[0], access.type, access.space);
  const Scalar pair = read(operands[1], DType::Uint32);
  for (int index : {0, 1}) {
    const Scalar number = bitcast(cast(pair >> (16 * index), DType::Uint16), access.type);
    atomic(*operation, pointer + index, number, access.atomicOrder(), access.scope);
  }
}

void Reader::reduce(Words words, Operands operands) {
  require(!has(words, "async") && operands.size() >= 2);
  if (has(words, "L2::cache_hint"))
    operands = operands.drop_back();
  if (words.back() == "bf16x2" || words.back() == "f16x2")
    return reducePair(words, operands);
  const Access access(words);
  if (access.count == 1) {
    llvm::SmallVector<StringRef, 8> all = {"_"};
    all.append(operands.begin(), operands.end());
    return atomicOf(words, all);
  }
  require(has(words, "add"));
  const Pointer pointer = address(operands[0], access.type, access.space);
  for (auto [index, name] : llvm::enumerate(elements(operands[1], access.count)))
    atomic(AtomicOp::Add, pointer + index, read(name, access.type), access.atomicOrder(),
           access.scope);
}

/// Bytes of global memory into shared memory, whose mbarrier counts them.
void Reader::bulkLoad(Operands operands) {
  auto [target, block] = place(operands[0], DType::Uint8);
  auto [barrier, otherBlock] = place(operands[3], DType::Int64);
  require(!block && !otherBlock);
  const Pointer source = address(operands[1], DType::Uint8, AddressSpace::Global);
  OperationForm form;
  form.attributes = {{"fairlead.chosen_thread", true},
                     {"operandSegmentSizes", std::vector<int32_t>{1, 1, 1, 1, 0, 0}}};
  operation("bulk_load", {target, source, read(operands[2], DType::Int32), barrier}, form);
}

/// `mapa.shared::cluster.u32 d, a, rank`.
void Reader::mapAddress(Words words, Operands operands) {
  require(words.size() == 2 && words[0] == "shared::cluster" && words[1] == "u32" &&
          operands.size() == 3);
  auto [pointer, block] = place("[" + operands[1].str() + "]", DType::Uint8);
  require(!block);
  const Pointer mapped = mapToBlock(pointer, read(operands[2], DType::Int32));
  write(operands[0], cast(mapped.toInt(), DType::Uint32));
}

/// Bytes of shared memory into that of another block of the cluster, whose mbarrier counts them.
void Reader::bulkCopyToBlock(Operands operands) {
  auto [target, block] = place(operands[0], DType::Uint8);
  auto [source, ownBlock] = place(operands[1], DType::Uint8);
  auto [barrier, barrierBlock] = place(operands[3], DType::Int64);
  require(block && !ownBlock && barrierBlock);
  OperationForm form;
  form.attributes = {{"fairlead.chosen_thread", true}};
  operation("bulk_copy_to_block",
            {mapToBlock(target, *block), source, read(operands[2], DType::Int32),
             mapToBlock(barrier, *barrierBlock)},
            form);
}

/// `cp.async.ca.shared.global [to], [from], size, read, policy`, done at once: the words of the
/// instruction say whether there is a policy. Bytes from `read` on are zeros.
void Reader::asyncCopy(Words words, Operands operands) {
  require((words[1] == "ca" || words[1] == "cg") && words[2].starts_with("shared") &&
          words[3] == "global");
  if (words.back().ends_with("cache_hint"))
    operands = operands.drop_back();
  require(operands.size() == 3 || operands.size() == 4);
  const Pointer target = address(operands[0], DType::Uint8, AddressSpace::Shared);
  const Pointer source = address(operands[1], DType::Uint8, AddressSpace::Global);
  const Scalar size = read(operands[2], DType::Int32), zero = constant(DType::Int32, int64_t{0});
  const Scalar count = operands.size() == 3 ? size : min(read(operands[3], DType::Int32), size);
  auto forEachByte = [](const Scalar &first, const Scalar &end, auto copy) {
    OpenLoop loop(first, end, constant(DType::Int32, int64_t{1}), {});
    copy(loop.variable());
    loop.close({});
  };
  forEachByte(zero, count,
              [&](const Scalar &byte) { (target + byte).store((source + byte).load()); });
  forEachByte(count, size, [&](const Scalar &byte) {
    (target + byte).store(constant(DType::Uint8, int64_t{0}));
  });
}

/// `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {words}, [row]`
void Reader::loadMatrices(Words words, Operands operands) {
  int count = 0;
  for (StringRef word : words)
    if (word.consume_front("x"))
      word.getAsInteger(10, count);
  require(operands.size() == 2 && has(words, "m8n8") && words.back() == "b16" && count > 0);
  OperationForm form;
  if (has(words, "trans"))
    form.attributes = {{"transposed", true}};
  form.results.assign(count, DType::Uint32);
  const Pointer row = address(operands[1], DType::Uint8, AddressSpace::Shared);
  const Scalars numbers = operation("load_matrix", {row.toInt()}, form);
  for (auto [name, number] : llvm::zip(elements(operands[0], count), numbers))
    write(name, number);
}

/// Copies. Shared memory is combined with global memory element by element, and at once.
void Reader::bulkCopy(Words words, Operands operands) {
  const bool loads = words.size() == 5 && words[0] == "async" && words[1] == "bulk" &&
                     (words[2] == "shared::cta" || words[2] == "shared::cluster") &&
                     words[3] == "global" && words[4] == "mbarrier::complete_tx::bytes";
  if (loads && operands.size() == 4)
    return bulkLoad(operands);
  const StringRef toBlock[] = {"async", "bulk", "shared::cluster", "shared::cta",
                               "mbarrier::complete_tx::bytes"};
  if (words == Words(toBlock) && operands.size() == 4)
    return bulkCopyToBlock(operands);
  if (words.size() >= 4 && words[0] == "async" && words[1] != "bulk")
    return asyncCopy(words, operands);
  // Copies of a thread are done at once.
  if (words.size() == 2 && words[0] == "async" &&
      (words[1] == "commit_group" || words[1] == "wait_group" || words[1] == "wait_all"))
    return;
  const StringRef expected[] = {"reduce", "async", "bulk", "global", "shared::cta", "bulk_group"};
  require(words.size() >= 8 && words.take_front(6) == Words(expected) && operands.size() >= 3);
  const DType type = lastType(words);
  const auto operation = operationOf(words.slice(6, 1));
  require(operation && operation != AtomicOp::Exchange);
  const Pointer target = address(operands[0], type, AddressSpace::Global);
  const Pointer source = address(operands[1], type, AddressSpace::Shared);
  const Scalar count = binary(BinaryOp::FloorDiv, read(operands[2], DType::Int32), bytesOf(type));
  OpenLoop loop(constant(DType::Int32, int64_t{0}), count, constant(DType::Int32, int64_t{1}), {});
  const Scalar index = loop.variable();
  atomic(*operation, target + index, (source + index).load());
  loop.close({});
}

/// A policy of caches: a hint, without effect.
void Reader::makePolicy(Words, Operands operands) {
  require(!operands.empty());
  write(operands[0], constant(DType::Uint64, int64_t{0}));
}

} // namespace fairlead::dsl::ptx

namespace fairlead::dsl {

Scalar atomicCount(const Pointer &pointer, const Scalar &last, bool up, AtomicOrder order,
                   AtomicScope scope, SourceLoc at) {
  AtSourceLoc placed(at);
  const Scalar zero = constant(DType::Uint32, int64_t{0}), end = cast(last, DType::Uint32);
  auto next = [&](const Scalar &number) {
    if (up)
      return select(compare(CompareOp::Ge, number, end), zero, binary(BinaryOp::Add, number, 1));
    const Scalar isOut = binary(BinaryOp::Or, compare(CompareOp::Eq, number, 0),
                                compare(CompareOp::Gt, number, end));
    return select(isOut, end, binary(BinaryOp::Sub, number, 1));
  };
  const Scalar before = atomic(AtomicOp::Or, pointer, zero, order, scope);
  // Until the old value is the one that the exchange expected.
  OpenLoop loop({{"seen", before}, {"expected", ~before}}, [](const Scalars &carried) {
    return compare(CompareOp::Ne, carried[0], carried[1]);
  });
  const Scalar expected = loop.arguments()[0];
  const Scalar old = atomicCompareExchange(pointer, expected, next(expected), order, scope);
  return loop.close({old, expected}).front();
}

} // namespace fairlead::dsl
