/// IR that MLIR or LLVM takes for invalid ends a compile, with a report, and nothing else.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "dsl/trace/Builder.h"
#include "fairlead/Compile.h"
#include "fairlead/Error.h"

namespace fairlead {
namespace {

namespace fs = std::filesystem;

/// A host program of one operation that `add` puts there, without a kernel.
dsl::Program traced(const Target &target, void (*add)(mlir::OpBuilder &, mlir::Location)) {
  dsl::Program program(Signature{"broken", {}, {}, {}}, {target});
  program.enter();
  dsl::Program::Impl &impl = program.impl();
  add(impl.builder, impl.builder.getUnknownLoc());
  program.exit(/*finished=*/true);
  return program;
}

/// An addition of different types, which the builder takes and the verifier does not.
void addMixed(mlir::OpBuilder &b, mlir::Location at) {
  mlir::OperationState addition(at, mlir::arith::AddIOp::getOperationName());
  addition.addOperands({mlir::arith::ConstantIntOp::create(b, at, 1, 32),
                        mlir::arith::ConstantIntOp::create(b, at, 1, 64)});
  addition.addTypes(b.getI32Type());
  b.create(addition);
}

/// An intrinsic whose second operand must be written in the code, which only LLVM's verifier knows.
void addIntrinsic(mlir::OpBuilder &b, mlir::Location at) {
  auto word = mlir::arith::ConstantIntOp::create(b, at, 1, 32);
  auto unknown = mlir::LLVM::UndefOp::create(b, at, b.getI1Type());
  mlir::LLVM::CallIntrinsicOp::create(b, at, b.getI32Type(), b.getStringAttr("llvm.ctlz"),
                                      mlir::ValueRange{word, unknown});
}

/// An operation that passes cannot turn into the LLVM dialect, and leave as it is.
void addUnknown(mlir::OpBuilder &b, mlir::Location at) {
  mlir::OperationState cast(at, mlir::UnrealizedConversionCastOp::getOperationName());
  cast.addOperands(mlir::arith::ConstantIntOp::create(b, at, 1, 32).getResult());
  cast.addTypes(b.getF32Type());
  mlir::arith::NegFOp::create(b, at, b.create(cast)->getResult(0));
}

class BrokenProgram : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("fairlead-broken-" + std::to_string(::getpid()));
    fs::create_directory(folder);
    setenv("FAIRLEAD_REPORT_DIR", folder.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("FAIRLEAD_REPORT_DIR");
    fs::remove_all(folder);
  }

  static std::string messageOf(dsl::Program program, const Target &target) {
    CompileOptions options;
    options.target = target;
    options.cache = false;
    try {
      compile(std::move(program), options);
    } catch (const Error &error) {
      return error.what();
    }
    return "";
  }

  /// The only report, which `message` names.
  std::string reportOf(const std::string &message) {
    std::vector<fs::path> files(fs::directory_iterator(folder), {});
    EXPECT_EQ(files.size(), 1u);
    if (files.empty())
      return "";
    EXPECT_NE(message.find(files.front().string()), std::string::npos) << message;
    std::stringstream text;
    text << std::ifstream(files.front()).rdbuf();
    fs::remove(files.front());
    return text.str();
  }

  void expectReport(void (*add)(mlir::OpBuilder &, mlir::Location), const std::string &stage,
                    const std::string &reason, const std::string &ir) {
    for (const char *text : {"cpu", "cpu:x86-64-v3", "cuda:sm_90a"}) {
      const Target target = Target::parse(text, "a test");
      const std::string message = messageOf(traced(target, add), target);
      EXPECT_NE(message.find("the compiler stopped while it compiled `broken()` for " +
                             std::string(text) + " (" + stage),
                std::string::npos)
          << message;
      const std::string report = reportOf(message);
      for (const std::string &part : {"stage: " + stage, reason, std::string("function: broken()"),
                                      std::string("targets: ") + text, std::string("options: -O3"),
                                      std::string("LLVM: 2"), ir})
        EXPECT_NE(report.find(part), std::string::npos) << part << " is not in\n" << report;
    }
  }

  fs::path folder;
};

TEST_F(BrokenProgram, MlirsVerifier) {
  expectReport(addMixed, "verification of the traced program",
               "reason: 'arith.addi' op requires the same type", "= arith.addi %");
}

TEST_F(BrokenProgram, Translation) {
  expectReport(addUnknown, "translation to LLVM IR",
               "reason: LLVM Translation failed for operation: builtin.unrealized_conversion_cast",
               "llvm.fneg");
}

TEST_F(BrokenProgram, LlvmsVerifier) {
  expectReport(addIntrinsic, "verification of LLVM IR",
               "reason: immarg operand has non-immediate parameter", "call i32 @llvm.ctlz.i32(");
}

TEST_F(BrokenProgram, OtherThreadsGoOn) {
  std::atomic<int> stopped = 0, done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const Target target = Target::parse("cpu", "a test");
      for (int round = 0; round < 10; ++round)
        if (i % 2)
          stopped += !messageOf(traced(target, addMixed), target).empty();
        else
          done +=
              messageOf(traced(target, [](mlir::OpBuilder &, mlir::Location) {}), target).empty();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(stopped, 20);
  EXPECT_EQ(done, 20);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 20);
}

} // namespace
} // namespace fairlead
