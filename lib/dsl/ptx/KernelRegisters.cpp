/// Registers that inline PTX declares outside of braces. They belong to the kernel: its other
/// assembly reads and writes them. They are private memory, which its attribute names.
#include "dsl/ptx/Reader.h"
#include "dsl/trace/Builder.h"

using namespace mlir;
using llvm::StringRef;

namespace fairlead::dsl::ptx {
namespace {

constexpr const char *kName = "ptx_register";
constexpr const char *kType = "ptx_type";
constexpr const char *kConstant = "ptx_constant";

LLVM::AllocaOp memoryOf(Program::Impl &impl, StringRef name) {
  for (auto memory : impl.kernel->function.getBody().front().getOps<LLVM::AllocaOp>())
    if (auto attribute = memory->getAttrOfType<StringAttr>(kName); attribute && attribute == name)
      return memory;
  return nullptr;
}

Pointer pointerTo(LLVM::AllocaOp memory) {
  const auto type = static_cast<DType>(memory->getAttrOfType<IntegerAttr>(kType).getInt());
  return Pointer(type, toHandle(memory.getResult()), AddressSpace::Register, byteSize(type));
}

/// Makes the memory of a register. A number that is known while tracing is one for all assembly,
/// since instructions need theirs then.
LLVM::AllocaOp makeMemory(Program::Impl &impl, StringRef name, DType type,
                          std::optional<int64_t> number) {
  OpBuilder &b = impl.builder;
  const Tensor tensor = registerTensor(type, layout::Layout(layout::IntTuple(1)));
  auto memory = known(impl, tensor.pointer().handle()).getDefiningOp<LLVM::AllocaOp>();
  memory->setAttr(kName, b.getStringAttr(name));
  memory->setAttr(kType, b.getI32IntegerAttr(static_cast<int>(type)));
  if (number)
    memory->setAttr(kConstant, b.getI64IntegerAttr(*number));
  return memory;
}

} // namespace

bool Reader::isKernelRegister(StringRef name) const {
  return !name.empty() && !name.starts_with("$") && !declared_.contains(name) &&
         !registers_.contains(name) && memoryOf(kernelImpl("inline assembly"), name);
}

Scalar Reader::kernelValue(StringRef name) const {
  LLVM::AllocaOp memory = memoryOf(kernelImpl("inline assembly"), name);
  const Pointer pointer = pointerTo(memory);
  if (auto number = memory->getAttrOfType<IntegerAttr>(kConstant))
    return constant(pointer.dtype(), number.getInt());
  return pointer.load();
}

void Reader::storeInKernel(StringRef name, const Scalar &value) const {
  LLVM::AllocaOp memory = memoryOf(kernelImpl("inline assembly"), name);
  require(!memory->hasAttr(kConstant));
  const Pointer pointer = pointerTo(memory);
  pointer.store(asType(value, pointer.dtype()));
}

void Reader::keepKernelRegisters() {
  Program::Impl &impl = kernelImpl("inline assembly");
  for (const auto &[name, type] : kernelRegisters_) {
    auto entry = registers_.find(name);
    if (entry == registers_.end()) {
      makeMemory(impl, name, type, std::nullopt);
      continue;
    }
    const std::optional<int64_t> number = entry->second.staticInt();
    LLVM::AllocaOp memory = memoryOf(impl, name);
    if (!memory)
      memory = makeMemory(impl, name, type, number);
    auto constantNumber = memory->getAttrOfType<IntegerAttr>(kConstant);
    if (constantNumber && number == constantNumber.getInt())
      continue;
    memory->removeAttr(kConstant);
    storeInKernel(name, entry->second);
  }
}

} // namespace fairlead::dsl::ptx
