/// How many threads run a launch.
#ifndef FAIRLEAD_LIB_RUNTIME_CPU_THREADCOUNT_H_
#define FAIRLEAD_LIB_RUNTIME_CPU_THREADCOUNT_H_

namespace fairlead::cpu {

constexpr unsigned kMaxThreads = 1024;

/// The threads that `text`, the value of FAIRLEAD_NUM_THREADS, asks for: 1 to kMaxThreads; 0 when
/// it is not such a decimal number. NULL or empty: `cores`.
unsigned parseThreadCount(const char *text, unsigned cores);

/// Cores that this process may run on (its affinity mask), 1 to kMaxThreads.
unsigned availableCores();

} // namespace fairlead::cpu
#endif // FAIRLEAD_LIB_RUNTIME_CPU_THREADCOUNT_H_
