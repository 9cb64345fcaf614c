/// Line tables: each operation's source location, as debug information.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

#include "lower/common/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class LineTable {
public:
  LineTable(MLIRContext *context, LineTableForm form) : context(context), form(form) {}

  void describe(LLVM::LLVMFuncOp function) {
    FileLineColLoc first = firstLoc(function);
    if (!first)
      return;
    LLVM::DIFileAttr file = fileOf(first.getFilename());
    auto name = StringAttr::get(context, function.getName());
    auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
    auto scope = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unitOf(file), file, name, name, file,
        first.getLine(), first.getLine(),
        LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type,
        /*retainedNodes=*/{}, /*annotations=*/{});
    function->setLoc(FusedLoc::get(context, {first}, scope));
    function.walk([&](Operation *op) {
      if (op == function)
        return;
      auto place = dyn_cast<FileLineColLoc>(op->getLoc());
      // A call may be inlined, and then must have a source location.
      if (!place)
        place = first;
      op->setLoc(place.getFilename() == first.getFilename()
                     ? Location(place)
                     : FusedLoc::get(context, {place}, otherFile(scope, place.getFilename())));
    });
  }

private:
  static FileLineColLoc firstLoc(LLVM::LLVMFuncOp function) {
    if (auto location = dyn_cast<FileLineColLoc>(function->getLoc()))
      return location;
    FileLineColLoc place;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      place = dyn_cast<FileLineColLoc>(op->getLoc());
      return place ? WalkResult::interrupt() : WalkResult::advance();
    });
    return place;
  }

  LLVM::DIFileAttr fileOf(StringRef path) {
    return LLVM::DIFileAttr::get(context, llvm::sys::path::filename(path),
                                 llvm::sys::path::parent_path(path));
  }

  LLVM::DICompileUnitAttr unitOf(LLVM::DIFileAttr file) {
    if (!unit)
      unit = LLVM::DICompileUnitAttr::get(
          DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_Python, file,
          StringAttr::get(context, "Fairlead"), /*isOptimized=*/true,
          form == LineTableForm::Directives ? LLVM::DIEmissionKind::DebugDirectivesOnly
                                            : LLVM::DIEmissionKind::LineTablesOnly);
    return unit;
  }

  Attribute otherFile(LLVM::DISubprogramAttr scope, StringRef path) {
    return LLVM::DILexicalBlockFileAttr::get(context, scope, fileOf(path), /*discriminator=*/0);
  }

  MLIRContext *context;
  LineTableForm form;
  LLVM::DICompileUnitAttr unit;
};

} // namespace

void addLineInfo(Operation *root, LineTableForm form) {
  LineTable table(root->getContext(), form);
  root->walk([&](LLVM::LLVMFuncOp function) {
    if (!function.isExternal())
      table.describe(function);
  });
}

} // namespace fairlead::lower
