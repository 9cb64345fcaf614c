/// The interfaces of operations, from tables and from models of foreign operations.
#include "ir/Interfaces.h"
#include "Kernel.h"

namespace fairlead::ir {
namespace {

class Collectives : public Kernel {
protected:
  CollectiveOp collective(llvm::StringRef name, llvm::StringRef body) {
    return mlir::cast<CollectiveOp>(first(name, body));
  }
};

TEST_F(Collectives, Barriers) {
  CollectiveOp barrier = collective("nvvm.barrier", "nvvm.barrier");
  EXPECT_EQ(barrier.getScope(), Scope::Block);
  EXPECT_TRUE(barrier.takesAll(std::nullopt));
  EXPECT_FALSE(barrier.isAligned());
}

TEST_F(Collectives, BarriersOfSomeThreads) {
  CollectiveOp barrier = collective("nvvm.barrier", R"(
    %id = arith.constant 1 : i32
    %threads = arith.constant 64 : i32
    nvvm.barrier id = %id number_of_threads = %threads)");
  EXPECT_TRUE(barrier.takesAll(64));
  EXPECT_FALSE(barrier.takesAll(128));
  EXPECT_FALSE(barrier.takesAll(std::nullopt));
  EXPECT_EQ(barrier.getUniformOperands().size(), 2u);
}

TEST_F(Collectives, LanesOfShuffles) {
  constexpr char kBody[] = R"(
    %%mask = arith.constant %s : i32
    %%x = nvvm.shfl.sync bfly %%mask, %%n, %%n, %%n : i32 -> i32)";
  for (auto [mask, all] : {std::pair("-1", true), std::pair("15", false)}) {
    char body[256];
    std::snprintf(body, sizeof(body), kBody, mask);
    CollectiveOp shuffle = collective("nvvm.shfl.sync", body);
    EXPECT_EQ(shuffle.getScope(), Scope::Warp);
    EXPECT_TRUE(shuffle.getLanes());
    EXPECT_EQ(shuffle.takesAll(32), all);
    EXPECT_EQ(shuffle.getTitle(), "a shuffle");
  }
}

TEST_F(Collectives, Elections) {
  CollectiveOp election = collective("nvvm.elect.sync", "%x = nvvm.elect.sync -> i1");
  EXPECT_TRUE(election.electsLane());
  EXPECT_FALSE(collective("nvvm.barrier", "nvvm.barrier").electsLane());
}

TEST_F(Collectives, Matrices) {
  CollectiveOp load = collective("fairlead.load_matrix", "%x = fairlead.load_matrix %w : i32");
  EXPECT_EQ(load.getScope(), Scope::Warp);
  EXPECT_TRUE(load.isAligned());
  EXPECT_TRUE(load.takesAll(64));
  EXPECT_FALSE(load.takesAll(48));
  EXPECT_FALSE(load.takesAll(std::nullopt));
}

constexpr char kWarpgroupMma[] = R"(
  %yes = arith.constant true
  %x:4 = fairlead.warpgroup_mma 8 s32 = s8(%w : i64) * s8(%w) add %yes to (%n, %n, %n, %n)
    : (i32, i32, i32, i32) -> (i32, i32, i32, i32))";
/// %t: an address in tensor memory.
std::string onTensorMemory(const std::string &body) {
  return "%t = llvm.inttoptr %n : i32 to !llvm.ptr<6>\n" + body;
}
const std::string kTensorMma = onTensorMemory(R"(
  %yes = arith.constant true
  fairlead.tcgen05.mma 128 x 64 f32(%t) = f16(%w : i64) * f16(%w) add %yes : !llvm.ptr<6>)");

TEST_F(Collectives, MmasOfWarpgroups) {
  CollectiveOp mma = collective("fairlead.warpgroup_mma", kWarpgroupMma);
  EXPECT_EQ(mma.getScope(), Scope::Warpgroup);
  EXPECT_EQ(mma.getTitle(), "an MMA of a warpgroup");
  EXPECT_TRUE(mma.isAligned());
  EXPECT_TRUE(mma.takesAll(256));
  EXPECT_FALSE(mma.takesAll(64));
  EXPECT_FALSE(mma.takesAll(std::nullopt));
}

TEST_F(Collectives, OrdersOfWarpgroups) {
  const std::tuple<const char *, const char *, const char *> kForms[] = {
      {"nvvm.wgmma.fence.aligned", "", "a fence of a warpgroup"},
      {"nvvm.wgmma.commit.group.sync.aligned", "", "a commit of a warpgroup's MMAs"},
      {"nvvm.wgmma.wait.group.sync.aligned", " 1", "a wait for a warpgroup's MMAs"}};
  for (auto [name, operand, title] : kForms) {
    CollectiveOp order = collective(name, std::string(name) + operand);
    EXPECT_EQ(order.getScope(), Scope::Warpgroup) << name;
    EXPECT_EQ(order.getTitle(), title);
    EXPECT_TRUE(order.isAligned()) << name;
    EXPECT_TRUE(order.takesAll(256)) << name;
    EXPECT_FALSE(order.takesAll(64)) << name;
    EXPECT_FALSE(order.takesAll(std::nullopt)) << name;
  }
}

TEST_F(Collectives, TensorMemory) {
  const std::pair<const char *, const char *> kForms[] = {
      {"alloc", "fairlead.tcgen05.alloc %n to %s : !llvm.ptr<3>"},
      {"dealloc", "fairlead.tcgen05.dealloc %n at %t : !llvm.ptr<6>"},
      {"relinquish_alloc_permit", "fairlead.tcgen05.relinquish_alloc_permit"},
      {"ld", "%x = fairlead.tcgen05.ld %t shape 32 x 32 : !llvm.ptr<6> -> i32"},
      {"st", "fairlead.tcgen05.st %n to %t shape 32 x 32 : !llvm.ptr<6>"},
      {"wait", "fairlead.tcgen05.wait ld"}};
  for (auto [name, text] : kForms) {
    const std::string instruction = std::string("tcgen05.") + name;
    CollectiveOp op = collective("fairlead." + instruction, onTensorMemory(text));
    EXPECT_EQ(op.getScope(), Scope::Warp) << name;
    EXPECT_TRUE(op.isAligned()) << name;
    EXPECT_EQ(op.getTitle(), instruction);
  }
  EXPECT_FALSE(mlir::isa<CollectiveOp>(first("fairlead.tcgen05.mma", kTensorMma)));
  EXPECT_FALSE(
      mlir::isa<CollectiveOp>(first("fairlead.tcgen05.fence", "fairlead.tcgen05.fence after")));
}

TEST_F(Collectives, PhasesOfMbarriers) {
  CollectiveOp wait =
      collective("fairlead.mbarrier.wait", "fairlead.mbarrier.wait %s, %n : !llvm.ptr<3>");
  EXPECT_EQ(wait.getScope(), Scope::Lane);
  EXPECT_FALSE(wait.takesAll(1));
}

TEST_F(Collectives, CopiesAreNone) {
  EXPECT_FALSE(mlir::isa<CollectiveOp>(
      first("fairlead.mbarrier.init", "fairlead.mbarrier.init %s, %n : !llvm.ptr<3>")));
}

class AsyncOps : public Kernel {};

TEST_F(AsyncOps, CountedByMbarriers) {
  auto load = mlir::cast<AsyncOp>(
      first("fairlead.bulk_load",
            "fairlead.bulk_load %g, %n to %s at %s : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>"));
  EXPECT_EQ(load.getEngine(), Engine::BulkCopies);
  EXPECT_EQ(load.getCompletionBarrier(), load->getOperand(3));
  EXPECT_EQ(load.getCopySource(), load->getOperand(1));
}

TEST_F(AsyncOps, OfGroups) {
  auto store = mlir::cast<AsyncOp>(
      first("fairlead.bulk_store", "fairlead.bulk_store %s, %n to %g : !llvm.ptr<3>, !llvm.ptr"));
  EXPECT_EQ(store.getEngine(), Engine::BulkCopies);
  EXPECT_FALSE(store.getCompletionBarrier());
}

TEST_F(AsyncOps, ElementCopies) {
  auto copy = mlir::cast<AsyncOp>(
      first("nvvm.cp.async.shared.global",
            "%p = llvm.addrspacecast %g : !llvm.ptr to !llvm.ptr<1>\n"
            "nvvm.cp.async.shared.global %s, %p, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>"));
  EXPECT_EQ(copy.getEngine(), Engine::ElementCopies);
  EXPECT_FALSE(copy.getCompletionBarrier());
  EXPECT_EQ(copy.getCopySource(), copy->getOperand(1));
}

TEST_F(AsyncOps, ProductsOfWarpgroups) {
  auto mma = mlir::cast<AsyncOp>(first("fairlead.warpgroup_mma", kWarpgroupMma));
  EXPECT_EQ(mma.getEngine(), Engine::Products);
  EXPECT_FALSE(mma.getCompletionBarrier());
  EXPECT_FALSE(mma.getCopySource());
}

TEST_F(AsyncOps, ProductsInTensorMemory) {
  mlir::Operation *op = first("fairlead.tcgen05.mma", kTensorMma);
  auto mma = mlir::cast<AsyncOp>(op);
  EXPECT_EQ(mma.getEngine(), Engine::TensorProducts);
  EXPECT_FALSE(mma.getCompletionBarrier());
  EXPECT_FALSE(mma.getCopySource());
  EXPECT_TRUE(op->hasTrait<IssuedByOneLane>());
}

TEST(Instructions, ArePtxOfTheTable) {
  mlir::MLIRContext context;
  context.loadDialect<FairleadDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>("fairlead.cluster_fence", &context);
  auto fence = mlir::cast<PtxInstruction>(module->getBody()->front());
  EXPECT_EQ(fence.getPtx(), "fence.acq_rel.cluster;");
}

class PtxTexts : public Kernel {
protected:
  std::string ptx(llvm::StringRef name, llvm::StringRef body) {
    return mlir::cast<PtxInstruction>(first(name, body)).getPtx();
  }
};

TEST_F(PtxTexts, NameEnums) {
  EXPECT_EQ(ptx("fairlead.tcgen05.wait", "fairlead.tcgen05.wait st"),
            "tcgen05.wait::st.sync.aligned;");
  EXPECT_EQ(ptx("fairlead.tcgen05.fence", "fairlead.tcgen05.fence before"),
            "tcgen05.fence::before_thread_sync;");
}

TEST_F(PtxTexts, NumberEnums) {
  const char *name = "fairlead.tcgen05.alloc";
  EXPECT_EQ(ptx(name, "fairlead.tcgen05.alloc %n to %s : !llvm.ptr<3>"),
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], $1;");
  EXPECT_EQ(ptx(name, "fairlead.tcgen05.alloc %n to %s group two : !llvm.ptr<3>"),
            "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [$0], $1;");
}

class Requirements : public Kernel {
protected:
  TargetRequirements requirements(llvm::StringRef name, llvm::StringRef body) {
    return mlir::cast<TargetRequirements>(first(name, body));
  }
};

TEST_F(Requirements, OfTables) {
  auto replace =
      requirements("fairlead.map_replace", "fairlead.map_replace address in %g, %w : !llvm.ptr");
  EXPECT_EQ(replace.getRequiredFeature(), GpuFeature::TensorMapEdit);
  EXPECT_EQ(replace.getLeastPtx(), 83);
}

TEST_F(Requirements, OfAccesses) {
  auto load = [&](const std::string &words) {
    return requirements("llvm.load",
                        "%x = llvm.load " + words + " {alignment = 4 : i64} : !llvm.ptr -> i32");
  };
  EXPECT_EQ(load("%g").getLeastPtx(), 0);
  EXPECT_EQ(load("%g").getRequiredFeature(), std::nullopt);
  EXPECT_EQ(load("volatile %g").getLeastPtx(), 0);
  EXPECT_EQ(load("volatile %g atomic monotonic").getLeastPtx(), 82);
  EXPECT_EQ(load("%g atomic syncscope(\"device\") acquire").getRequiredFeature(), std::nullopt);
  EXPECT_EQ(load("%g atomic syncscope(\"cluster\") acquire").getRequiredFeature(),
            GpuFeature::Clusters);
}

TEST_F(Requirements, OfInlinePtx) {
  auto text = [&](const std::string &ptx) {
    return requirements("llvm.inline_asm",
                        "llvm.inline_asm has_side_effects \"" + ptx + "\", \"l\" %w : (i64) -> ()")
        .getLeastPtx();
  };
  EXPECT_EQ(text("prefetch.global.L2 [$0];"), 0);
  EXPECT_EQ(text("multimem.red.global.add.u32 [$0], 1;"), 81);
  EXPECT_EQ(text("multimem.red.global.add.u32 [$0], 1; st.bulk.shared::cta [$0], 8, 0;"), 86);
}

} // namespace
} // namespace fairlead::ir
