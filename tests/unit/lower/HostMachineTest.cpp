/// The machines that host code is compiled for.
#include "lower/machine/HostMachine.h"

#include <gtest/gtest.h>

#include "fairlead/Error.h"

namespace fairlead::lower {
namespace {

constexpr char kArm[] = "aarch64-unknown-linux-gnu";

TEST(HostMachine, PortableIsAnyMachineOfThisKind) {
  const HostMachine &portable = HostMachine::portable();
  EXPECT_EQ(portable.triple, HostMachine::native().triple);
  EXPECT_EQ(portable.cpu, portable.isX86() ? "x86-64" : "generic");
  EXPECT_EQ(portable.features, "");
  EXPECT_EQ(HostMachine::portable("").str(), portable.str());
}

TEST(HostMachine, PortableIsTheMachineThatIsNamed) {
  EXPECT_EQ(HostMachine::portable("linux-aarch64").triple, kArm);
  EXPECT_EQ(HostMachine::portable("linux-aarch64").cpu, "generic");
  EXPECT_EQ(HostMachine::portable("linux-x86_64").cpu, "x86-64");
  EXPECT_THROW(HostMachine::portable("linux-vax"), Error);
}

TEST(HostMachine, TargetsChooseTheMachine) {
  EXPECT_EQ(HostMachine::of("", Target::cpu()).str(), HostMachine::native().str());
  EXPECT_EQ(HostMachine::of("", Target::cuda("sm_80")).str(), HostMachine::portable().str());
  EXPECT_EQ(HostMachine::of("linux-aarch64", Target::cpu()).triple, kArm);
  EXPECT_EQ(HostMachine::of("linux-aarch64", Target::cuda("sm_80")).triple, kArm);
  EXPECT_EQ(HostMachine::of("linux-x86_64", Target::cpu("x86-64-v3")).cpu, "x86-64-v3");
  EXPECT_THROW(HostMachine::of("linux-aarch64", Target::cpu("x86-64-v3")), Error);
}

} // namespace
} // namespace fairlead::lower
