/// Barriers in shared memory, and the fences that go with them.
#include "Atoms.h"

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Cluster.h"
#include "fairlead/dsl/Mbarrier.h"

namespace fairlead::python {

namespace {

/// Returns a pointer, or that of a number in shared memory, which its attribute `ptr` holds.
dsl::Pointer pointerArgument(nb::handle object, const char *name) {
  const nb::object held = nb::isinstance<dsl::Pointer>(object)
                              ? nb::borrow(object)
                              : nb::getattr(object, "ptr", nb::none());
  if (!nb::isinstance<dsl::Pointer>(held))
    throw makeError(Diagnostic::PointerExpected,
                    {{"what", name}, {"expected", "a pointer"}, {"got", typeName(object)}});
  return nb::cast<dsl::Pointer>(held);
}

dsl::Pointer barrierArgument(nb::handle object) { return pointerArgument(object, "mbar_ptr"); }

std::optional<Scalar> blockArgument(nb::handle block) {
  return block.is_none() ? std::nullopt
                         : std::optional(toScalar(block, "peer_cta_rank_in_cluster"));
}

} // namespace

void bindMbarriers(nb::module_ &m) {
  using Remote =
      void (*)(const dsl::Pointer &, const Scalar &, const std::optional<Scalar> &, dsl::SourceLoc);
  constexpr std::pair<const char *, Remote> kRemote[] = {
      {"mbarrier_arrive", &dsl::arrive},
      {"mbarrier_arrive_expecting", &dsl::arriveExpecting},
      {"mbarrier_expect", &dsl::expectBytes}};
  for (auto [name, emit] : kRemote)
    m.def(
        name,
        [emit = emit](nb::handle barrier, nb::handle number, nb::handle block) {
          emit(barrierArgument(barrier), toScalar(number, "an mbarrier"), blockArgument(block),
               dsl::SourceLoc::here());
        },
        nb::arg("barrier").none(), nb::arg("number").none(), nb::arg("block").none());
  m.def(
      "mbarrier_init",
      [](nb::handle barrier, nb::handle arrivals) {
        dsl::initMbarrier(barrierArgument(barrier), toScalar(arrivals, "cnt"));
      },
      nb::arg("barrier").none(), nb::arg("arrivals").none());
  m.def(
      "mbarrier_arrive_after_reading",
      [](nb::handle barrier, nb::handle block) {
        dsl::arriveAfterReading(barrierArgument(barrier), blockArgument(block));
      },
      nb::arg("barrier").none(), nb::arg("block").none());
  m.def(
      "store_async",
      [](nb::handle target, nb::handle value, nb::handle barrier, nb::handle block) {
        dsl::storeAsync(pointerArgument(target, "smem_ptr"), toScalar(value, "value"),
                        barrierArgument(barrier), blockArgument(block));
      },
      nb::arg("target").none(), nb::arg("value").none(), nb::arg("barrier").none(),
      nb::arg("block").none());
  m.def("fence_mbarriers", [] { dsl::fenceMbarriers(); });
  m.def(
      "mbarrier_arrive_after_copies",
      [](nb::handle barrier) { dsl::arriveAfterCopies(barrierArgument(barrier)); },
      nb::arg("barrier").none());
  m.def(
      "mbarrier_wait",
      [](nb::handle barrier, nb::handle parity) {
        dsl::waitMbarrier(barrierArgument(barrier), toScalar(parity, "phase"));
      },
      nb::arg("barrier").none(), nb::arg("parity").none());
  using Question = Scalar (*)(const dsl::Pointer &, const Scalar &, dsl::SourceLoc);
  constexpr std::pair<const char *, Question> kQuestions[] = {
      {"mbarrier_try_wait", &dsl::tryWait}, {"mbarrier_test_wait", &dsl::testWait}};
  for (auto [name, ask] : kQuestions)
    m.def(
        name,
        [ask = ask](nb::handle barrier, nb::handle parity) {
          return toPython(
              ask(barrierArgument(barrier), toScalar(parity, "phase"), dsl::SourceLoc::here()));
        },
        nb::arg("barrier").none(), nb::arg("parity").none());
  m.def(
      "fence_proxy",
      [](const std::string &kind, const std::string &space) { dsl::fenceProxy(kind, space); },
      nb::arg("kind"), nb::arg("space"));
  m.def("fence_cluster", [] { dsl::fenceCluster(); });
  m.def(
      "try_cancel_cluster",
      [](nb::handle response, nb::handle barrier, bool multicast) {
        dsl::tryCancelCluster(pointerArgument(response, "clc_response_ptr"),
                              barrierArgument(barrier), multicast);
      },
      nb::arg("response").none(), nb::arg("barrier").none(), nb::arg("multicast"));
  m.def(
      "query_cancelled_cluster",
      [](nb::handle response) {
        auto answer = dsl::queryCancelledCluster(pointerArgument(response, "result_addr"));
        const dsl::Dim3 &first = answer.firstBlock;
        return nb::make_tuple(toPython(first.x), toPython(first.y), toPython(first.z),
                              toPython(answer.cancelled));
      },
      nb::arg("response").none());
  m.def(
      "barrier_arrive",
      [](nb::handle id, nb::handle threads) {
        dsl::barrierArrive(toScalar(id, "barrier_id"), toScalar(threads, "number_of_threads"));
      },
      nb::arg("id").none(), nb::arg("threads").none());
  m.def(
      "set_registers", [](int count, bool increase) { dsl::setRegisters(count, increase); },
      nb::arg("count"), nb::arg("more"));
}

} // namespace fairlead::python
