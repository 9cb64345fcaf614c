#include "artifact/Jit.h"

#include <atomic>

#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Debugging/ELFDebugObjectPlugin.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/Shared/OrcRTBridge.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/TargetParser/Host.h"

#include "fairlead/AsyncCpu.h"
#include "fairlead/Frameworks.h"
#include "fairlead/Runtime.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead {
namespace {

using namespace llvm;
using namespace llvm::orc;

/// This process, with what shows code to debuggers, which LLVM leaves to those who want it.
class ThisProcess : public SelfExecutorProcessControl {
public:
  ThisProcess()
      : SelfExecutorProcessControl(
            std::make_shared<SymbolStringPool>(), std::make_unique<InPlaceTaskDispatcher>(),
            Triple(sys::getProcessTriple()), sys::Process::getPageSizeEstimate(), nullptr) {
    BootstrapSymbols[rt::RegisterJITLoaderGDBAllocActionName] =
        ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderGDBAllocAction);
  }
};

/// One linker session for the process, leaked: loaded code is never unloaded.
class Session {
public:
  static Expected<Session *> get() {
    static Expected<Session *> *session = new Expected<Session *>(create());
    if (!*session)
      return createStringError(inconvertibleErrorCode(), "the in-process linker could not start");
    return **session;
  }

  Expected<std::vector<void *>> load(ArrayRef<std::string> objects,
                                     const std::vector<std::string> &symbols,
                                     ArrayRef<std::pair<std::string, void *>> definitions) {
    auto dylib = session->createJITDylib("artifact" + std::to_string(counter++));
    if (!dylib)
      return dylib.takeError();
    dylib->addToLinkOrder(*runtime);
    SymbolMap defined;
    for (const auto &[name, address] : definitions)
      defined[session->intern(name)] = {ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
    if (!defined.empty())
      if (Error error = dylib->define(absoluteSymbols(std::move(defined))))
        return error;
    for (const std::string &object : objects) {
      // Objects with line tables are shown to debuggers.
      bool lines = debugLayer && object.find(".debug_line") != std::string::npos;
      ObjectLinkingLayer &linker = lines ? *debugLayer : *layer;
      if (Error error = linker.add(*dylib, MemoryBuffer::getMemBufferCopy(object, "artifact")))
        return error;
    }
    SymbolLookupSet wanted;
    for (const std::string &symbol : symbols)
      wanted.add(session->intern(symbol));
    auto found =
        session->lookup({{&*dylib, JITDylibLookupFlags::MatchAllSymbols}}, std::move(wanted));
    if (!found)
      return found.takeError();
    std::vector<void *> addresses;
    for (const std::string &symbol : symbols)
      addresses.push_back((*found)[session->intern(symbol)].getAddress().toPtr<void *>());
    return addresses;
  }

private:
  static Expected<Session *> create() {
    auto *self = new Session;
    self->session = std::make_unique<ExecutionSession>(std::make_unique<ThisProcess>());
    // Errors reach the caller through the lookup; the session need not print them too.
    self->session->setErrorReporter([](Error error) { consumeError(std::move(error)); });
    self->layer = self->makeLayer();
    // A layer of its own: LLVM's plugin crashes where an object without lines fails to load.
    Error failed = Error::success();
    auto debugging = std::make_unique<ELFDebugObjectPlugin>(
        *self->session, /*RequireDebugSections=*/true, /*AutoRegisterCode=*/true, failed);
    if (failed) {
      consumeError(std::move(failed)); // without
    } else {
      self->debugLayer = self->makeLayer();
      self->debugLayer->addPlugin(std::move(debugging));
    }
    self->runtime = &self->session->createBareJITDylib("runtime");
    if (Error error = self->defineRuntime())
      return error;
    return self;
  }

  std::unique_ptr<ObjectLinkingLayer> makeLayer() {
    return std::make_unique<ObjectLinkingLayer>(
        *session,
        std::make_unique<jitlink::InProcessMemoryManager>(sys::Process::getPageSizeEstimate()));
  }

  /// The runtime's functions by address, since the library may have been loaded out of sight of the
  /// process's global symbols; then the process, for libc; then libm.
  Error defineRuntime() {
    SymbolMap map;
    auto define = [&](const char *name, auto *function) {
      map[session->intern(name)] = {ExecutorAddr::fromPtr(function),
                                    JITSymbolFlags::Exported | JITSymbolFlags::Callable};
    };
    define("FairleadCpuLaunch", &FairleadCpuLaunch);
    define("FairleadCpuAssert", &FairleadCpuAssert);
    define("FairleadCpuLevel", &FairleadCpuLevel);
    define("FairleadCpuFrame", &FairleadCpuFrame);
    define("FairleadCpuRunThreads", &FairleadCpuRunThreads);
    define("FairleadCpuBulkCopy", &FairleadCpuBulkCopy);
    define("FairleadCpuMbarrier", &FairleadCpuMbarrier);
    define("FairleadCpuTensorCopy", &FairleadCpuTensorCopy);
    define("FairleadCpuWarpgroupMma", &FairleadCpuWarpgroupMma);
    define("FairleadCpuTensorMap", &FairleadCpuTensorMap);
    define("FairleadCudaKernelPrepare", &FairleadCudaKernelPrepare);
    define("FairleadCudaLaunch", &FairleadCudaLaunch);
    define("FairleadCudaModuleLoad", &FairleadCudaModuleLoad);
    define("FairleadCudaTensorMap", &FairleadCudaTensorMap);
    define("FairleadPrintf", &FairleadPrintf);
    define("FairleadRaise", &FairleadRaise);
    define("FairleadXlaCall", &FairleadXlaCall);
    define("TVMFFIEnvGetStream", &TVMFFIEnvGetStream);
    define("TVMFFIStringFromByteArray", &TVMFFIStringFromByteArray);
    if (Error error = runtime->define(absoluteSymbols(std::move(map))))
      return error;
    auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess('\0');
    if (!process)
      return process.takeError();
    runtime->addGenerator(std::move(*process));
    if (auto generator = DynamicLibrarySearchGenerator::Load("libm.so.6", '\0'))
      runtime->addGenerator(std::move(*generator));
    else
      consumeError(generator.takeError());
    return Error::success();
  }

  std::unique_ptr<ExecutionSession> session;
  std::unique_ptr<ObjectLinkingLayer> layer;
  std::unique_ptr<ObjectLinkingLayer> debugLayer; ///< null where no debugger can be told
  JITDylib *runtime = nullptr;
  std::atomic<uint64_t> counter = 0;
};

} // namespace

Expected<std::vector<void *>> loadObjects(ArrayRef<std::string> objects,
                                          const std::vector<std::string> &symbols,
                                          ArrayRef<std::pair<std::string, void *>> definitions) {
  auto session = Session::get();
  if (!session)
    return session.takeError();
  return (*session)->load(objects, symbols, definitions);
}

} // namespace fairlead
