/// The memory behind addresses, and the use that operations make of it.
#include "Kernel.h"
#include "ir/Analysis/MemoryRoot.h"
#include "ir/Analysis/MemoryUse.h"

namespace fairlead::ir {
namespace {

class MemoryRoots : public Kernel {
protected:
  /// The root of the address of the first load.
  MemoryRoot rootOf(llvm::StringRef body) {
    return MemoryRoot::of(first("llvm.load", body)->getOperand(0));
  }
};

TEST_F(MemoryRoots, Parameters) {
  MemoryRoot root = rootOf("%x = llvm.load %g : !llvm.ptr -> f32");
  EXPECT_EQ(root.kind, MemoryRoot::Kind::Parameter);
  EXPECT_EQ(root.distance, 0);
  EXPECT_FALSE(root.boundedByIndices);
}

TEST_F(MemoryRoots, ConstantSteps) {
  MemoryRoot root = rootOf(R"(
    %two = arith.constant 2 : i64
    %a = llvm.getelementptr %g[3] : (!llvm.ptr) -> !llvm.ptr, f32
    %b = llvm.getelementptr %a[%two] : (!llvm.ptr, i64) -> !llvm.ptr, f64
    %x = llvm.load %b : !llvm.ptr -> f32)");
  EXPECT_EQ(root.kind, MemoryRoot::Kind::Parameter);
  EXPECT_EQ(root.distance, 28);
}

TEST_F(MemoryRoots, ComputedSteps) {
  MemoryRoot root = rootOf(R"(
    %a = llvm.getelementptr %g[%w] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %b = llvm.getelementptr %a[1] : (!llvm.ptr) -> !llvm.ptr, f32
    %x = llvm.load %b : !llvm.ptr -> f32)");
  EXPECT_EQ(root.kind, MemoryRoot::Kind::Parameter);
  EXPECT_EQ(root.distance, std::nullopt);
}

TEST_F(MemoryRoots, PrivateMemoryThroughCasts) {
  MemoryRoot root = rootOf(R"(
    %p = llvm.alloca %n x f32 : (i32) -> !llvm.ptr
    %i = llvm.ptrtoint %p : !llvm.ptr to i64
    %q = llvm.inttoptr %i : i64 to !llvm.ptr
    %x = llvm.load %q : !llvm.ptr -> f32)");
  EXPECT_TRUE(root.isPrivate());
  EXPECT_EQ(root.base.getDefiningOp()->getName().getStringRef(), "llvm.alloca");
}

TEST_F(MemoryRoots, CheckedIndices) {
  MemoryRoot root = rootOf(R"(
    %a = fairlead.index %g[%w, %w] of "Float32 4:1" in global modes [0] whole : !llvm.ptr
    %x = llvm.load %a : !llvm.ptr -> f32)");
  EXPECT_EQ(root.kind, MemoryRoot::Kind::Parameter);
  EXPECT_TRUE(root.boundedByIndices);
}

TEST_F(MemoryRoots, SharedAllocations) {
  MemoryRoot root = rootOf(R"(
    %a = llvm.getelementptr %s[64] {fairlead.allocation = array<i64: 64, 16>} : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b = llvm.getelementptr %a[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %x = llvm.load %b : !llvm.ptr<3> -> f32)");
  EXPECT_EQ(root.kind, MemoryRoot::Kind::Shared);
  EXPECT_EQ(root.distance, 4);
  EXPECT_EQ(root.allocation, (llvm::ArrayRef<int64_t>{64, 16}));
}

TEST_F(MemoryRoots, NumbersAreUnknown) {
  MemoryRoot root = rootOf(R"(
    %q = llvm.inttoptr %w : i64 to !llvm.ptr
    %x = llvm.load %q : !llvm.ptr -> f32)");
  EXPECT_EQ(root.kind, MemoryRoot::Kind::Unknown);
}

class MemoryUses : public Kernel {
protected:
  /// The uses of an operation's operands: "r", "w", "rw", "e" (escapes), "-".
  std::string usesOf(mlir::Operation *op) {
    std::string text;
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      const MemoryUse use = MemoryUse::of(operand);
      std::string letters =
          std::string(use.reads ? "r" : "") + (use.writes ? "w" : "") + (use.escapes ? "e" : "");
      text += (text.empty() ? "" : " ") + (letters.empty() ? "-" : letters);
    }
    return text;
  }
};

TEST_F(MemoryUses, LoadsAndStores) {
  EXPECT_EQ(usesOf(first("llvm.load", "%x = llvm.load %g : !llvm.ptr -> f32")), "r");
  EXPECT_EQ(usesOf(first("llvm.store", "llvm.store %w, %g : i64, !llvm.ptr")), "e w");
}

TEST_F(MemoryUses, Copies) {
  EXPECT_EQ(usesOf(first("fairlead.tensor_store",
                         "fairlead.tensor_store %s to %g[%n] : !llvm.ptr<3>, !llvm.ptr")),
            "rw r e");
  EXPECT_EQ(usesOf(first("fairlead.bulk_load",
                         "fairlead.bulk_load %g, %n to %s at %s : !llvm.ptr, !llvm.ptr<3>, "
                         "!llvm.ptr<3>")),
            "w r e rw");
  EXPECT_EQ(usesOf(first("nvvm.cp.async.shared.global",
                         "%p = llvm.addrspacecast %g : !llvm.ptr to !llvm.ptr<1>\n"
                         "nvvm.cp.async.shared.global %s, %p, 16, cache = cg : !llvm.ptr<3>, "
                         "!llvm.ptr<1>")),
            "w r");
}

TEST_F(MemoryUses, TensorMemory) {
  auto usesOfTensorOp = [&](const std::string &name, const std::string &text) {
    return usesOf(
        first("fairlead.tcgen05." + name, "%t = llvm.inttoptr %n : i32 to !llvm.ptr<6>\n"
                                          "%yes = arith.constant true\nfairlead.tcgen05." +
                                              name + text));
  };
  EXPECT_EQ(usesOfTensorOp("alloc", " %n to %s : !llvm.ptr<3>"), "w e");
  EXPECT_EQ(usesOfTensorOp("st", " %n to %t shape 32 x 32 : !llvm.ptr<6>"), "w e");
  EXPECT_EQ(
      usesOfTensorOp("mma", " 128 x 64 f32(%t) = f16(%w : i64) * f16(%w) add %yes : !llvm.ptr<6>"),
      "rw r r e");
  EXPECT_EQ(usesOfTensorOp("commit", " %s : !llvm.ptr<3>"), "rw");
  EXPECT_EQ(usesOf(first("fairlead.tcgen05.ld",
                         "%t = llvm.inttoptr %n : i32 to !llvm.ptr<6>\n"
                         "%x = fairlead.tcgen05.ld %t shape 32 x 32 : !llvm.ptr<6> -> i32")),
            "r");
}

TEST_F(MemoryUses, WithoutStatedEffects) {
  EXPECT_EQ(usesOf(first("fairlead.mbarrier.init", "fairlead.mbarrier.init %s, %n : !llvm.ptr<3>")),
            "rwe rwe");
  EXPECT_EQ(usesOf(first("llvm.inline_asm",
                         "llvm.inline_asm \"st.b32 [$0], 1;\", \"l\" %w : (i64) -> ()")),
            "rwe");
}

TEST_F(MemoryUses, Arithmetic) {
  mlir::Operation *sum = first("arith.addi", "%x = arith.addi %w, %w : i64");
  EXPECT_EQ(usesOf(sum), "- -");
  EXPECT_TRUE(computesAddress(sum));
  EXPECT_FALSE(computesAddress(first("arith.cmpi", "%x = arith.cmpi eq, %w, %w : i64")));
  EXPECT_FALSE(computesAddress(first("llvm.load", "%x = llvm.load %g : !llvm.ptr -> i64")));
}

TEST_F(MemoryUses, Regions) {
  mlir::Operation *loop = first("scf.for", "scf.for %i = %n to %n step %n : i32 { }");
  EXPECT_EQ(usesOf(loop), "rwe rwe rwe");
  EXPECT_FALSE(computesAddress(loop));
}

TEST_F(MemoryUses, TensorMapsHoldTheirOperands) {
  EXPECT_TRUE(holdsOperands(first("fairlead.tensor_map",
                                  "%m = fairlead.tensor_map %g[%w] strides [] box [4] type 7 "
                                  "bytes 4 swizzle 0 : !llvm.ptr -> !llvm.ptr")));
  EXPECT_FALSE(holdsOperands(first("llvm.load", "%x = llvm.load %g : !llvm.ptr -> f32")));
}

} // namespace
} // namespace fairlead::ir
