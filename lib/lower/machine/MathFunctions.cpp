#include "lower/machine/HostPasses.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "fairlead/Diagnostics.h"
#include "lower/Lowering.h"
#include "lower/common/EmbeddedFile.h"

using namespace llvm;

FAIRLEAD_EMBED(fairleadCpuMath, FAIRLEAD_CPU_MATH_BITCODE)

namespace fairlead::lower {
namespace {

/// A function that takes angles has a part for small ones, without branches, and one for the
/// others.
constexpr char kNearPrefix[] = "FairleadNear_", kFarPrefix[] = "FairleadFar_";
constexpr unsigned kWidths[] = {2, 4, 8, 16};
/// Numbers from here on are the far ones.
constexpr double kFarAngle = 0x1p30;

bool isMath(const Function &function) { return function.getName().starts_with(kMathPrefix); }

std::string vectorName(StringRef scalar, unsigned width) {
  return (scalar + "." + Twine(width)).str();
}

FunctionType *vectorType(FunctionType *scalar, unsigned width) {
  SmallVector<Type *> parameters;
  for (Type *parameter : scalar->params())
    parameters.push_back(FixedVectorType::get(parameter, width));
  return FunctionType::get(FixedVectorType::get(scalar->getReturnType(), width), parameters, false);
}

void setPure(Function &function) {
  function.setMemoryEffects(MemoryEffects::none());
  function.setDoesNotThrow();
  for (Attribute::AttrKind kind : {Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree,
                                   Attribute::NoCallback, Attribute::Speculatable})
    function.addFnAttr(kind);
}

/// Builds the vector form of a function of one block: each of its instructions becomes a vector's.
class Widener {
public:
  Widener(Function &scalar, unsigned width, IRBuilder<> &b) : scalar(scalar), width(width), b(b) {}

  Value *emit(ArrayRef<Value *> arguments) {
    for (auto [parameter, argument] : zip(scalar.args(), arguments))
      values[&parameter] = argument;
    if (scalar.size() != 1)
      fail("branches");
    for (Instruction &instruction : scalar.front()) {
      if (auto *end = dyn_cast<ReturnInst>(&instruction))
        return wide(end->getReturnValue());
      values[&instruction] = widened(instruction);
    }
    return nullptr;
  }

private:
  [[noreturn]] void fail(const char *what) {
    throw makeError(Diagnostic::CompileFailed,
                    {{"stage", "widening of " + scalar.getName().str()}, {"message", what}});
  }

  Type *wide(Type *type) { return FixedVectorType::get(type, width); }
  Value *wide(Value *value) {
    if (auto *constant = dyn_cast<Constant>(value))
      return ConstantVector::getSplat(ElementCount::getFixed(width), constant);
    return values.lookup(value);
  }

  Value *widened(Instruction &instruction) {
    SmallVector<Value *> operands;
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
      for (auto [place, argument] : enumerate(call->args()))
        operands.push_back(isFlag(*call, place) ? argument.get() : wide(argument.get()));
      return b.CreateIntrinsic(wide(call->getType()), call->getIntrinsicID(), operands);
    }
    for (Value *operand : instruction.operands())
      operands.push_back(wide(operand));
    Value *made = nullptr;
    if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
      made = b.CreateBinOp(binary->getOpcode(), operands[0], operands[1]);
    else if (auto *unary = dyn_cast<UnaryOperator>(&instruction))
      made = b.CreateUnOp(unary->getOpcode(), operands[0]);
    else if (auto *compare = dyn_cast<CmpInst>(&instruction))
      made = b.CreateCmp(compare->getPredicate(), operands[0], operands[1]);
    else if (auto *cast = dyn_cast<CastInst>(&instruction))
      made = b.CreateCast(cast->getOpcode(), operands[0], wide(cast->getType()));
    else if (isa<SelectInst>(instruction))
      made = b.CreateSelect(operands[0], operands[1], operands[2]);
    else if (isa<FreezeInst>(instruction))
      made = b.CreateFreeze(operands[0]);
    else
      fail(instruction.getOpcodeName());
    if (auto *same = dyn_cast<Instruction>(made))
      same->copyIRFlags(&instruction);
    return made;
  }

  /// True if the operand is a flag of the intrinsic instead of a number.
  static bool isFlag(const IntrinsicInst &call, size_t place) {
    const Intrinsic::ID id = call.getIntrinsicID();
    return place == 1 &&
           (id == Intrinsic::abs || id == Intrinsic::ctlz || id == Intrinsic::is_fpclass);
  }

  Function &scalar;
  const unsigned width;
  IRBuilder<> &b;
  DenseMap<Value *, Value *> values;
};

/// Returns `near` with the lanes of far numbers, if any, recomputed one by one.
Value *replaceFar(IRBuilder<> &b, Value *x, Value *near, Function &far, unsigned width) {
  Function *function = b.GetInsertBlock()->getParent();
  LLVMContext &context = b.getContext();
  Value *size = b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  Value *isFar = b.CreateFCmpUGE(size, ConstantFP::get(x->getType(), kFarAngle));
  BasicBlock *entry = b.GetInsertBlock();
  auto *loop = BasicBlock::Create(context, "far", function),
       *one = BasicBlock::Create(context, "lane", function),
       *next = BasicBlock::Create(context, "next", function),
       *done = BasicBlock::Create(context, "done", function);
  b.CreateCondBr(b.CreateOrReduce(isFar), loop, done);
  b.SetInsertPoint(loop);
  PHINode *lane = b.CreatePHI(b.getInt32Ty(), 2), *all = b.CreatePHI(near->getType(), 2);
  b.CreateCondBr(b.CreateExtractElement(isFar, lane), one, next);
  b.SetInsertPoint(one);
  Value *changed =
      b.CreateInsertElement(all, b.CreateCall(&far, {b.CreateExtractElement(x, lane)}), lane);
  b.CreateBr(next);
  b.SetInsertPoint(next);
  PHINode *left = b.CreatePHI(near->getType(), 2);
  left->addIncoming(all, loop);
  left->addIncoming(changed, one);
  Value *following = b.CreateAdd(lane, b.getInt32(1));
  b.CreateCondBr(b.CreateICmpULT(following, b.getInt32(width)), loop, done);
  lane->addIncoming(b.getInt32(0), entry);
  lane->addIncoming(following, next);
  all->addIncoming(near, entry);
  all->addIncoming(left, next);
  b.SetInsertPoint(done);
  PHINode *result = b.CreatePHI(near->getType(), 2);
  result->addIncoming(near, entry);
  result->addIncoming(left, next);
  return result;
}

StringRef baseName(StringRef name) { return name.drop_front(sizeof(kMathPrefix) - 1); }

void defineVectorForm(Module &module, StringRef scalarName, Function &form, unsigned width) {
  const std::string base = baseName(scalarName).str();
  Function *near = module.getFunction(kNearPrefix + base),
           *far = module.getFunction(kFarPrefix + base);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "", &form));
  SmallVector<Value *> arguments;
  for (Argument &argument : form.args())
    arguments.push_back(&argument);
  Function *whole = near ? near : module.getFunction(scalarName);
  Value *result = Widener(*whole, width, b).emit(arguments);
  if (near)
    result = replaceFar(b, arguments[0], result, *far, width);
  b.CreateRet(result);
}

void linkFunctions(Module &module) {
  auto fail = [](const std::string &why) {
    throw makeError(fairlead::Diagnostic::CompileFailed,
                    {{"stage", "linking of the mathematical functions"}, {"message", why}});
  };
  // Load lazily: only linked bodies are read.
  auto library = getOwningLazyBitcodeModule(
      MemoryBuffer::getMemBuffer(fairleadCpuMath(), "mathematical functions", false),
      module.getContext());
  if (!library)
    fail(toString(library.takeError()));
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  // Remove the target attributes of the machine that they were compiled for.
  for (Function &function : **library) {
    for (const char *attribute : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(attribute);
    function.addFnAttr(kKernelAttribute);
  }
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded,
                          [](Module &linked, const StringSet<> &symbols) {
                            internalizeModule(linked, [&](const GlobalValue &value) {
                              return !value.hasName() || !symbols.contains(value.getName());
                            });
                          }))
    fail("the linker rejected it");
}

/// Inlines the forms into their callers, except where a caller would become huge.
void inlineForms(ArrayRef<Function *> forms) {
  constexpr size_t kMostAdded = 4000;
  DenseMap<const Function *, size_t> added;
  for (Function *form : forms) {
    const size_t length = form->getInstructionCount();
    for (User *user : make_early_inc_range(form->users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call || (added[call->getFunction()] += length) > kMostAdded)
        continue;
      InlineFunctionInfo info;
      InlineFunction(*call, info);
    }
  }
}

} // namespace

void declareMathFunctions(Module &module) {
  SmallVector<GlobalValue *> forms;
  for (Function &function : make_early_inc_range(module)) {
    if (!isMath(function) || !function.isDeclaration() || function.use_empty())
      continue;
    setPure(function);
    SmallVector<std::string> variants;
    for (unsigned width : kWidths) {
      const std::string name = vectorName(function.getName(), width);
      auto *form = Function::Create(vectorType(function.getFunctionType(), width),
                                    GlobalValue::ExternalLinkage, name, module);
      setPure(*form);
      forms.push_back(form);
      variants.push_back("_ZGV_LLVM_N" + std::to_string(width) +
                         std::string(function.arg_size(), 'v') + "_" + function.getName().str() +
                         "(" + name + ")");
    }
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallInst>(user))
        VFABI::setVectorVariantNames(call, variants);
  }
  // The vector forms have no callers yet.
  if (!forms.empty())
    appendToCompilerUsed(module, forms);
}

void defineMathFunctions(Module &module) {
  removeFromUsedLists(module, [](Constant *value) {
    auto *function = dyn_cast<Function>(value->stripPointerCasts());
    return function && isMath(*function);
  });
  struct Form {
    Function *function;
    std::string scalar;
    unsigned width;
  };
  SmallVector<Form> forms;
  SmallVector<std::string> scalars;
  for (Function &function : make_early_inc_range(module)) {
    if (!isMath(function) || !function.isDeclaration())
      continue;
    if (function.use_empty()) {
      function.eraseFromParent();
      continue;
    }
    auto [scalar, width] = function.getName().split('.');
    scalars.push_back(scalar.str());
    if (!width.empty())
      forms.push_back({&function, scalar.str(), static_cast<unsigned>(std::stoul(width.str()))});
  }
  if (scalars.empty())
    return;
  // The module also needs the functions that the vector forms are built from.
  static const std::vector<std::string> *angles =
      new std::vector<std::string>{"sin", "cos", "tan", "sinf", "cosf", "tanf"};
  SmallVector<std::string> needed(scalars);
  for (const Form &form : forms) {
    Type *element = form.function->getReturnType()->getScalarType();
    SmallVector<Type *> parameters(form.function->arg_size(), element);
    auto *type = FunctionType::get(element, parameters, false);
    const std::string base = baseName(form.scalar).str();
    module.getOrInsertFunction(form.scalar, type);
    if (is_contained(*angles, base))
      for (const char *prefix : {kNearPrefix, kFarPrefix}) {
        module.getOrInsertFunction(prefix + base, type);
        needed.push_back(prefix + base);
      }
  }
  linkFunctions(module);
  SmallVector<Function *> inlined;
  for (Function &function : module) {
    const bool ours = isMath(function) || function.getName().starts_with(kNearPrefix) ||
                      function.getName().starts_with(kFarPrefix);
    if (!ours || (function.isDeclaration() && !function.getName().contains('.')))
      continue;
    function.setLinkage(GlobalValue::InternalLinkage);
    function.addFnAttr(kKernelAttribute);
  }
  for (const Form &form : forms)
    defineVectorForm(module, form.scalar, *form.function, form.width);
  for (Function &function : module)
    if (isMath(function) && !function.isDeclaration())
      inlined.push_back(&function);
  inlineForms(inlined);
  for (Function &function : make_early_inc_range(module))
    if (function.hasInternalLinkage() && function.use_empty() &&
        (isMath(function) || function.getName().starts_with(kNearPrefix) ||
         function.getName().starts_with(kFarPrefix)))
      function.eraseFromParent();
}

} // namespace fairlead::lower
