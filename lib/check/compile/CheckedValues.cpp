#include "check/compile/CheckedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "ir/Interfaces.h"

using namespace mlir;

namespace fairlead::check {

bool isInside(const Root &root, int64_t bytes) {
  return root.distance && *root.distance >= 0 && *root.distance + bytes <= root.allocation[1];
}

Value restOfSharedMemory(ImplicitLocOpBuilder &b, const Root &root) {
  Value all = NVVM::DynamicSmemSize::create(b, b.getI32Type());
  Value reserved = arith::ConstantOp::create(b, b.getI64IntegerAttr(root.allocation[0]));
  Value bytes = arith::ExtUIOp::create(b, b.getI64Type(), all);
  return arith::SubIOp::create(b, bytes, reserved);
}

static void placeOf(Location location, std::string &file, std::string &line) {
  if (auto place = dyn_cast<FileLineColLoc>(location)) {
    file = place.getFilename().str();
    line = std::to_string(place.getLine());
  }
}

std::string siteText(Operation *op, StringRef kernel, const Root &root, StringRef what,
                     StringRef memoryKind) {
  constexpr char kField = '\x1f';
  std::string file, line = "0";
  placeOf(op->getLoc(), file, line);
  std::string text = file + kField + line + kField + kernel.str() + kField;
  if (memoryKind.empty())
    memoryKind = root.kind == Root::Kind::Shared ? "shared" : "global";
  text += what.str() + kField + memoryKind.str() + kField;
  if (root.kind == Root::Kind::Shared || root.isPrivate()) {
    std::string from, at = "0";
    placeOf(root.base.getLoc(), from, at);
    text += from + kField + at;
  }
  if (root.kind == Root::Kind::Shared)
    text +=
        kField + std::to_string(root.allocation[0]) + kField + std::to_string(root.allocation[1]);
  return text;
}

std::optional<Root> memoryOfDescriptor(Value descriptor) {
  std::optional<Root> memory;
  SmallVector<Value> values{descriptor};
  llvm::SmallDenseSet<Value> visited;
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || !visited.insert(op->getResult(0)).second)
      continue;
    if (isa<LLVM::PtrToIntOp>(op)) {
      Root root = Root::of(op->getOperand(0));
      if (root.kind != Root::Kind::Shared || (memory && memory->base != root.base))
        return std::nullopt;
      memory = root;
    } else if (isa<arith::ArithDialect>(op->getDialect())) {
      llvm::append_range(values, op->getOperands());
    }
  }
  return memory;
}

bool readsSharedLater(Operation *op) {
  auto async = dyn_cast<ir::AsyncOp>(op);
  return async && async.getEngine() != ir::Engine::ElementCopies && !async.getCompletionBarrier();
}

/// True if the operation is a product of a warpgroup.
static bool isProduct(Operation *op) {
  auto async = dyn_cast<ir::AsyncOp>(op);
  return async && async.getEngine() == ir::Engine::Products;
}

bool isOfProduct(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isProduct(op))
      return true;
    if (!isa<LLVM::BitcastOp, arith::ShRUIOp, arith::TruncIOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}
bool isForProducts(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<LLVM::BitcastOp, arith::ExtUIOp, arith::ShLIOp, arith::OrIOp>(user))
      return isForProducts(user->getResult(0));
    return isProduct(user);
  });
}

} // namespace fairlead::check
