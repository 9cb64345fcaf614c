/// The number of traces of a function, and their targets.
#include "Tracing.h"

namespace fairlead::dsl {
namespace {

struct Traced {
  Program made;
  bool launches;
  Program &program() { return made; }
  bool launchesKernels() const { return launches; }
};

/// A function to trace, and the traces that were made of it: "cuda:sm_80, host reads".
struct Traces {
  bool asksTarget = false, asksHostReads = false, launches = true;
  std::vector<std::string> all = {};

  std::vector<std::string> compiled(const std::vector<Target> &targets,
                                    const std::optional<Target> &host = {}) {
    auto trace = [&](const std::vector<Target> &family, bool hostReads) {
      all.push_back(joinTargets(family) + (hostReads ? ", host reads" : ""));
      Program program(Signature{"f", {}, {}, {}}, family);
      program.setHostReads(hostReads);
      program.enter();
      if (asksTarget)
        program.target();
      if (asksHostReads)
        program.hostReads();
      program.exit(/*finished=*/true);
      return Traced{std::move(program), launches};
    };
    std::vector<std::string> compiled;
    for (Traced &traced : traceAll(targets, host, trace))
      compiled.push_back(joinTargets(traced.program().targets()));
    return compiled;
  }
};

using Texts = std::vector<std::string>;
const Target kCpu = Target::cpu(), kAmpere = Target::cuda("sm_80"),
             kHopper = Target::cuda("sm_90a");

TEST(TraceAll, OnceForAllTargets) {
  Traces traces;
  EXPECT_EQ(traces.compiled({kAmpere, kHopper}), Texts{"cuda:sm_80, cuda:sm_90a"});
  EXPECT_EQ(traces.all, Texts{"cuda:sm_80, cuda:sm_90a"});
}

TEST(TraceAll, ForEachFamilyIfTheFunctionAsksForTheTarget) {
  Traces traces{.asksTarget = true};
  EXPECT_EQ(traces.compiled({kAmpere, kHopper, kCpu}), (Texts{"cuda:sm_80", "cuda:sm_90a", "cpu"}));
  EXPECT_EQ(traces.all, (Texts{"cuda:sm_80, cuda:sm_90a, cpu", "cuda:sm_90a", "cpu"}));
}

TEST(TraceAll, HostCodeReadsTensorsOnTheCpu) {
  Traces traces{.asksHostReads = true};
  traces.compiled({kCpu});
  EXPECT_EQ(traces.all, Texts{"cpu, host reads"});
}

TEST(TraceAll, AFunctionWithoutKernelsIsForTheHost) {
  Traces traces{.launches = false};
  EXPECT_EQ(traces.compiled({kHopper}, kCpu), Texts{"cpu"});
  EXPECT_EQ(traces.all, Texts{"cuda:sm_90a, host reads"});
  Traces asking{.asksTarget = true, .launches = false};
  EXPECT_EQ(asking.compiled({kHopper}, kCpu), Texts{"cpu"});
  EXPECT_EQ(asking.all, (Texts{"cuda:sm_90a, host reads", "cpu, host reads"}));
}

TEST(TraceAll, WithKernelsForGpusHostCodeDoesNotRead) {
  Traces traces{.asksHostReads = true};
  EXPECT_EQ(traces.compiled({kHopper}, kCpu), Texts{"cuda:sm_90a"});
  EXPECT_EQ(traces.all, (Texts{"cuda:sm_90a, host reads", "cuda:sm_90a"}));
  Traces indifferent;
  indifferent.compiled({kHopper}, kCpu);
  EXPECT_EQ(indifferent.all, Texts{"cuda:sm_90a, host reads"});
}

} // namespace
} // namespace fairlead::dsl
