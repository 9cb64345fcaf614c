/// fairlead._compiler: the C++ DSL and the compiler, for the Python package. Not for users:
/// fairlead and fairlead.cute are.
#include "Values.h"

NB_MODULE(_compiler, m) {
  using namespace fairlead::python;
  m.doc() = "Bindings of Fairlead's C++ DSL and compiler.";
  nanobind::set_leak_warnings(false);
  bindErrors(m);
  bindDialect(m);
  bindValues(m);
  bindTensors(m);
  bindControlFlow(m);
  bindSignatures(m);
  bindPrograms(m);
  bindBlock(m);
  bindPrint(m);
  bindLayouts(m);
  bindAtoms(m);
  bindTargets(m);
  bindCompile(m);
  bindKernels(m);
  bindDLPack(m);
  bindCuda(m);
  bindElfFiles(m);
  bindProductTiles(m);
  bindRemoteCache(m);
}
