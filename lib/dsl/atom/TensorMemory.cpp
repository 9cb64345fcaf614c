#include "fairlead/dsl/atom/TensorMemory.h"

#include "dsl/atom/Need.h"
#include "dsl/atom/TensorInstructions.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// What tcgen05.mma calls a kind, and the numbers of types in its descriptor.
struct ProductTypes {
  DType type;
  const char *kind;
  uint32_t number;
};
constexpr ProductTypes kProductTypes[] = {{DType::Float16, "f16", 0},
                                          {DType::BFloat16, "f16", 1},
                                          {DType::TFloat32, "tf32", 2},
                                          {DType::Float8E4M3FN, "f8f6f4", 0},
                                          {DType::Float8E5M2, "f8f6f4", 1},
                                          {DType::Uint8, "i8", 0},
                                          {DType::Int8, "i8", 1}};

const ProductTypes *productTypes(DType type) {
  for (const ProductTypes &row : kProductTypes)
    if (row.type == type)
      return &row;
  return nullptr;
}

/// Bits of an address above the column.
constexpr int64_t kLane = 1 << 16;
constexpr int kLanes = 128, kColumns = 512;

/// The program, inside a kernel that is compiled for GPUs which have the instruction `what`.
Program::Impl &tensorImpl(const std::string &what) {
  Program::Impl &impl = kernelImpl(what);
  for (const Target &target : impl.targets)
    if (target.kind == Target::Kind::Cpu)
      throw makeError(Diagnostic::NoCpuForm,
                      {{"kernel", impl.kernel->function.getName().str()},
                       {"operation", what + ", with --target cuda:sm_100a"}});
  Program::current()->requireFeature(GpuFeature::TensorMemory, what);
  return impl;
}

/// PTX with words (`r`), numbers of 64 bits and of 16 bits; results, which are words, come first.
SmallVector<mlir::Value> assembled(Program::Impl &impl, int results, ArrayRef<mlir::Value> given,
                                   const std::string &text) {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  std::string constraints;
  for (int i = 0; i < results; ++i)
    constraints += "=r,";
  SmallVector<mlir::Value> operands;
  for (mlir::Value value : given) {
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      value = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), value);
    operands.push_back(value);
    constraints += value.getType().isInteger(64)   ? "l,"
                   : value.getType().isInteger(16) ? "h,"
                                                   : "r,";
  }
  SmallVector<mlir::Type> words(results, b.getI32Type());
  mlir::Type whole = results > 1    ? LLVM::LLVMStructType::getLiteral(b.getContext(), words)
                     : results == 1 ? b.getI32Type()
                                    : mlir::Type();
  auto op = LLVM::InlineAsmOp::create(b, loc, whole ? TypeRange(whole) : TypeRange(), operands,
                                      text, constraints + "~{memory}", /*has_side_effects=*/true,
                                      /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<mlir::Value> values;
  for (int i = 0; i < results; ++i)
    values.push_back(results == 1
                         ? op.getResult(0)
                         : LLVM::ExtractValueOp::create(b, loc, op.getResult(0), i).getResult());
  return values;
}

/// By one thread of the warp. As with copies of boxes, the others compute the operands, too.
std::string elected(const std::string &instruction) {
  return "{ .reg .pred one; elect.sync _|one, -1; @one " + instruction + " }";
}

/// "$3, $4", or with one more `end`.
std::string places(int begin, int end) {
  std::string text;
  for (int i = begin; i < end; ++i)
    text += (i == begin ? "$" : ", $") + std::to_string(i);
  return text;
}

std::string shapeOf(const CopyAtom &atom) {
  return "32x32b.x" + std::to_string(atom.op().matrices) + ".b32 ";
}

mlir::Value columnsOf(Program::Impl &impl, const Scalar &columns, const char *what) {
  std::optional<int64_t> number = columns.staticInt();
  if (number && (*number < 32 || *number > kColumns || (*number & (*number - 1))))
    rejectUse("a power of two from 32 to 512 as the columns for " + std::string(what),
              std::to_string(*number));
  return emitAs(impl, columns, DType::Int32);
}

void requireSpace(const Pointer &pointer, AddressSpace space, const char *what) {
  if (pointer.space() != space)
    rejectUse(std::string(nameOf(space)) + " for " + what, pointer.str());
}

} // namespace

//===--- atoms ---------------------------------------------------------------------------------===

MmaAtom MmaAtom::inTensorMemory(DType a, DType b, DType accumulator, std::array<int, 3> shape,
                                const TensorMemory &operands) {
  auto [m, n, k] = shape;
  std::string extents = "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  std::string given =
      extents + "." + elementName(accumulator) + "." + elementName(a) + "." + elementName(b);
  const ProductTypes *left = productTypes(a), *right = productTypes(b);
  bool bytes = left && bitWidth(a) == 8;
  bool fits =
      left && right && left->kind == right->kind && (bytes || a == b) &&
      accumulator == (a == DType::Int8 || a == DType::Uint8 ? DType::Int32 : DType::Float32);
  if (!fits)
    rejectUse("the types of tcgen05.mma: Float16, BFloat16, TFloat32 or floats of 8 bits with "
              "Float32 accumulators, Int8 and Uint8 with Int32",
              given);
  const int least = 256 / bitWidth(a);
  bool integers = accumulator == DType::Int32;
  bool hasN = n >= 16 && n <= 256 && n % 16 == 0 && (!integers || n == 16 || n % 32 == 0);
  if (m != kLanes || k != least || !hasN)
    rejectUse("(128, N, " + std::to_string(least) + ") as the shape of tcgen05.mma of " +
                  std::string(className(a)) + " in one block, N up to 256 in steps of " +
                  (integers ? "32 (or 16)" : "16"),
              given);
  if (bitWidth(a) != 16 && (operands.aTransposed || operands.bTransposed))
    rejectUse("K-major operands for tcgen05.mma of elements that are not of 16 bits", given);
  auto whole = [](int rows, int columns) {
    return *layout::Layout::make(layout::tuple(1, layout::tuple(rows, columns)),
                                 layout::tuple(0, layout::tuple(1, rows)));
  };
  MmaAtom atom{
      "tcgen05." + given, shape,       a,           b,   accumulator, *layout::Layout::make(1, 0),
      whole(m, k),        whole(n, k), whole(m, n), 100, 86,          ""};
  atom.tensorMemory = operands;
  return atom;
}

uint32_t instructionDescriptor(const MmaAtom &atom) {
  auto [m, n, k] = atom.shape;
  // Sums of integers stay at the ends of their range.
  uint32_t sum = atom.c == DType::Float32 ? 1 << 4 : 2 << 4 | 1 << 3;
  return sum | productTypes(atom.a)->number << 7 | productTypes(atom.b)->number << 10 |
         uint32_t(atom.tensorMemory->aTransposed) << 15 |
         uint32_t(atom.tensorMemory->bTransposed) << 16 | static_cast<uint32_t>(n) >> 3 << 17 |
         static_cast<uint32_t>(m) >> 4 << 24;
}

layout::Layout tensorMemoryLayout(const MmaAtom &atom, const layout::IntTuple &shape) {
  bool fits = !shape.isLeaf() && shape.isStatic() && shape.modes().size() >= 1 &&
              shape[0] == layout::tuple(atom.shape[0], atom.shape[1]);
  if (!fits)
    rejectUse("a static shape ((" + std::to_string(atom.shape[0]) + ", " +
                  std::to_string(atom.shape[1]) + "), ...) of a partition of C for make_fragment_C",
              shape.str());
  // One atom's columns after the other's.
  int64_t reached = atom.shape[1];
  std::vector<layout::IntTuple> strides{layout::tuple(kLane, 1)};
  for (size_t mode = 1; mode < shape.modes().size(); ++mode) {
    std::vector<layout::Int> steps;
    for (const layout::Int &extent : shape[static_cast<int>(mode)].leaves()) {
      steps.emplace_back(extent.is(1) ? 0 : reached);
      reached *= extent.value();
    }
    strides.push_back(layout::unflatten(steps, shape[static_cast<int>(mode)]));
  }
  if (reached > kColumns)
    rejectUse("up to 512 columns of tensor memory for make_fragment_C", shape.str());
  return *layout::Layout::make(shape, layout::IntTuple(std::move(strides)));
}

//===--- instructions --------------------------------------------------------------------------===

void emitTensorProduct(Program::Impl &impl, const MmaAtom &atom, mlir::Value sum, mlir::Value a,
                       mlir::Value b, mlir::Value added) {
  tensorImpl("the MMA atom " + atom.name);
  if (atom.c == DType::Int32)
    Program::current()->requireFeature(GpuFeature::TensorMemoryInt8, "the MMA atom " + atom.name);
  OpBuilder &builder = impl.builder;
  mlir::Value flag =
      arith::ExtUIOp::create(builder, builder.getUnknownLoc(), builder.getI32Type(), added);
  mlir::Value word = emitIntConstant(impl, DType::Int32, instructionDescriptor(atom));
  assembled(impl, 0, {sum, a, b, word, flag},
            "{ .reg .pred added; setp.ne.b32 added, $4, 0; " +
                elected("tcgen05.mma.cta_group::1.kind::" +
                        std::string(productTypes(atom.a)->kind) + " [$0], $1, $2, $3, added;") +
                " }");
}

SmallVector<mlir::Value> emitTensorLoad(Program::Impl &impl, const CopyAtom &atom,
                                        mlir::Value memory) {
  tensorImpl(atom.str());
  // The wait belongs to it: what reads the registers knows of no order but theirs.
  const int count = atom.destinationValues();
  return assembled(impl, count, memory,
                   "tcgen05.ld.sync.aligned." + shapeOf(atom) + "{" + places(0, count) + "}, [$" +
                       std::to_string(count) + "]; tcgen05.wait::ld.sync.aligned;");
}

void emitTensorStore(Program::Impl &impl, const CopyAtom &atom, mlir::Value memory,
                     ValueRange words) {
  tensorImpl(atom.str());
  SmallVector<mlir::Value> operands{memory};
  operands.append(words.begin(), words.end());
  assembled(impl, 0, operands,
            "tcgen05.st.sync.aligned." + shapeOf(atom) + "[$0], {" +
                places(1, static_cast<int>(operands.size())) + "};");
}

void allocateTensorMemory(const Pointer &place, const Scalar &columns) {
  Program::Impl &impl = tensorImpl("tcgen05.alloc");
  requireSpace(place, AddressSpace::Shared, "what tcgen05.alloc writes");
  assembled(impl, 0, {emitPointer(impl, place), columnsOf(impl, columns, "tcgen05.alloc")},
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], $1;");
}

void freeTensorMemory(const Pointer &memory, const Scalar &columns) {
  Program::Impl &impl = tensorImpl("tcgen05.dealloc");
  requireSpace(memory, AddressSpace::Tensor, "tcgen05.dealloc");
  assembled(impl, 0, {emitPointer(impl, memory), columnsOf(impl, columns, "tcgen05.dealloc")},
            "tcgen05.dealloc.cta_group::1.sync.aligned.b32 $0, $1;");
}

void relinquishTensorMemory() {
  assembled(tensorImpl("tcgen05.relinquish_alloc_permit"), 0, {},
            "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}

void commitTensorProducts(const Pointer &barrier, const std::optional<Scalar> &mask, bool byOne) {
  Program::Impl &impl = tensorImpl("tcgen05.commit");
  requireSpace(barrier, AddressSpace::Shared, "the mbarrier of tcgen05.commit");
  SmallVector<mlir::Value> operands{emitPointer(impl, barrier)};
  if (mask)
    operands.push_back(emitAs(impl, *mask, DType::Int16));
  std::string text =
      std::string("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster") +
      (mask ? ".multicast::cluster.b64 [$0], $1;" : ".b64 [$0];");
  assembled(impl, 0, operands, byOne ? elected(text) : text);
}

void waitTensorLoads() {
  assembled(tensorImpl("tcgen05.wait"), 0, {}, "tcgen05.wait::ld.sync.aligned;");
}
void waitTensorStores() {
  assembled(tensorImpl("tcgen05.wait"), 0, {}, "tcgen05.wait::st.sync.aligned;");
}
void fenceTensorBefore() {
  assembled(tensorImpl("tcgen05.fence"), 0, {}, "tcgen05.fence::before_thread_sync;");
}
void fenceTensorAfter() {
  assembled(tensorImpl("tcgen05.fence"), 0, {}, "tcgen05.fence::after_thread_sync;");
}

} // namespace fairlead::dsl
