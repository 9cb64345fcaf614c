#include "artifact/Jit.h"

#include <dlfcn.h>

#include <list>
#include <map>
#include <string_view>
#include <unordered_map>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

#include "fairlead/AsyncCpu.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/Frameworks.h"
#include "fairlead/Runtime.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead {
namespace {

using namespace llvm;
using namespace llvm::jitlink;
using llvm::orc::ExecutorAddr;

/// The runtime's functions by address, since the library may have been loaded out of sight of the
/// process's global symbols.
void *findInRuntime(std::string_view name) {
  static const auto *functions = [] {
    auto *made = new std::unordered_map<std::string_view, void *>;
    auto define = [&](const char *name, auto *function) {
      made->emplace(name, reinterpret_cast<void *>(function));
    };
    define("FairleadCpuLaunch", &FairleadCpuLaunch);
    define("FairleadCpuAssert", &FairleadCpuAssert);
    define("FairleadCpuLevel", &FairleadCpuLevel);
    define("FairleadCpuFrame", &FairleadCpuFrame);
    define("FairleadCpuRunThreads_2", &FairleadCpuRunThreads_2);
    define("FairleadCpuBulkCopy", &FairleadCpuBulkCopy);
    define("FairleadCpuBulkMulticast", &FairleadCpuBulkMulticast);
    define("FairleadCpuMapShared", &FairleadCpuMapShared);
    define("FairleadCpuMbarrier", &FairleadCpuMbarrier);
    define("FairleadCpuTensorCopy", &FairleadCpuTensorCopy);
    define("FairleadCpuTensorMulticast", &FairleadCpuTensorMulticast);
    define("FairleadCpuWarpgroupMma", &FairleadCpuWarpgroupMma);
    define("FairleadCpuWarpgroupMmaRows", &FairleadCpuWarpgroupMmaRows);
    define("FairleadCpuTensorMap", &FairleadCpuTensorMap);
    define("FairleadCheckWaits", &FairleadCheckWaits);
    define("FairleadCheckTogether", &FairleadCheckTogether);
    define("FairleadCheckTensorRange", &FairleadCheckTensorRange);
    define("FairleadCheckTensor", &FairleadCheckTensor);
    define("FairleadCheckStop", &FairleadCheckStop);
    define("FairleadCheckSpans", &FairleadCheckSpans);
    define("FairleadCheckSink", &FairleadCheckSink);
    define("FairleadCheckRepeats", &FairleadCheckRepeats);
    define("FairleadCheckRange", &FairleadCheckRange);
    define("FairleadCheckOrder", &FairleadCheckOrder);
    define("FairleadCheckIndex", &FairleadCheckIndex);
    define("FairleadCheckInstead", &FairleadCheckInstead);
    define("FairleadCheckFinite", &FairleadCheckFinite);
    define("FairleadCheckAccess", &FairleadCheckAccess);
    define("FairleadCheckMemset", &FairleadCheckMemset);
    define("FairleadCheckMemmove", &FairleadCheckMemmove);
    define("FairleadCheckMemcpy", &FairleadCheckMemcpy);
    define("FairleadCheckUninitialised", &FairleadCheckUninitialised);
    define("FairleadCheckSharedShadow", &FairleadCheckSharedShadow);
    define("FairleadCheckOwn", &FairleadCheckOwn);
    define("FairleadCheckContext", &FairleadCheckContext);
    define("FairleadCheckStoreShadow8", &FairleadCheckStoreShadow8);
    define("FairleadCheckStoreShadow4", &FairleadCheckStoreShadow4);
    define("FairleadCheckStoreShadow2", &FairleadCheckStoreShadow2);
    define("FairleadCheckStoreShadow1", &FairleadCheckStoreShadow1);
    define("FairleadCheckStoreShadow", &FairleadCheckStoreShadow);
    define("FairleadCheckLoadShadow8", &FairleadCheckLoadShadow8);
    define("FairleadCheckLoadShadow4", &FairleadCheckLoadShadow4);
    define("FairleadCheckLoadShadow2", &FairleadCheckLoadShadow2);
    define("FairleadCheckLoadShadow1", &FairleadCheckLoadShadow1);
    define("FairleadCheckLoadShadow", &FairleadCheckLoadShadow);
    define("FairleadCudaKernelPrepare", &FairleadCudaKernelPrepare);
    define("FairleadCudaLaunch", &FairleadCudaLaunch);
    define("FairleadCudaModuleLoad", &FairleadCudaModuleLoad);
    define("FairleadCudaTensorMap", &FairleadCudaTensorMap);
    define("FairleadPrintf", &FairleadPrintf);
    define("FairleadRaise", &FairleadRaise);
    define("FairleadXlaCall", &FairleadXlaCall);
    define("TVMFFIEnvGetStream", &TVMFFIEnvGetStream);
    define("TVMFFIStringFromByteArray", &TVMFFIStringFromByteArray);
    return made;
  }();
  auto found = functions->find(name);
  return found == functions->end() ? nullptr : found->second;
}

/// The process, for libc; then libm.
void *findInProcess(const char *name) {
  static void *const math = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  if (void *address = dlsym(RTLD_DEFAULT, name))
    return address;
  return math ? dlsym(math, name) : nullptr;
}

Error failure(const Twine &text) { return createStringError(inconvertibleErrorCode(), text); }

/// One load: all objects are laid out together, then resolved against one another, then written.
class Linkage : public JITLinkMemoryManager {
public:
  explicit Linkage(ArrayRef<std::pair<std::string, void *>> definitions) {
    for (const auto &[name, address] : definitions)
      symbols[name] = address;
  }

  Expected<std::unique_ptr<LoadedCode>> load(ArrayRef<std::string> objects,
                                             const std::vector<std::string> &wanted,
                                             const std::vector<std::string> &optional) {
    for (const std::string &object : objects)
      if (Error failed = begin(object))
        return failed;
    if (Error failed = layOut())
      return failed;
    // A list may grow while what it holds goes on.
    for (auto &each : takeAll(allocated))
      each();
    for (auto &[names, goOn] : takeAll(lookups))
      resolve(names, *goOn);
    if (error)
      return std::move(error);
    std::string problem;
    if (!code->memory.write(image.data(), problem))
      return failure(problem);
    if (Error failed = collect(wanted, optional))
      return failed;
    for (const auto &[object, sections] : debugged)
      code->shown.emplace_back(*object, sections);
    return std::move(code);
  }

  void allocate(const JITLinkDylib *, LinkGraph &graph, OnAllocatedFunction goOn) override {
    waiting.push_back({BasicLayout(graph), std::move(goOn)});
  }
  void deallocate(std::vector<FinalizedAlloc> pieces, OnDeallocatedFunction done) override {
    for (FinalizedAlloc &piece : pieces)
      piece.release();
    done(Error::success());
  }

private:
  /// A piece of the image, which is written when all pieces are there.
  struct Piece : InFlightAlloc {
    void abandon(OnAbandonedFunction done) override { done(Error::success()); }
    void finalize(OnFinalizedFunction done) override { done(FinalizedAlloc(ExecutorAddr())); }
  };

  /// One object's part in it.
  class Context : public JITLinkContext {
  public:
    Context(Linkage &linkage, const std::string &object)
        : JITLinkContext(nullptr), linkage(linkage), object(object) {}

    JITLinkMemoryManager &getMemoryManager() override { return linkage; }
    void notifyFailed(Error failed) override {
      linkage.error = joinErrors(std::move(linkage.error), std::move(failed));
    }
    void lookup(const LookupMap &names,
                std::unique_ptr<JITLinkAsyncLookupContinuation> goOn) override {
      linkage.lookups.emplace_back(names, std::move(goOn));
    }
    Error notifyResolved(LinkGraph &graph) override {
      for (Symbol *symbol : graph.defined_symbols())
        if (symbol->hasName() && symbol->getScope() != Scope::Local)
          linkage.symbols[(*symbol->getName()).str()] = symbol->getAddress().toPtr<void *>();
      // Objects with line tables are shown to debuggers.
      if (object.find(".debug_line") != std::string::npos) {
        auto &sections = linkage.debugged.emplace_back(&object, Sections()).second;
        for (Section &section : graph.sections())
          if (section.getMemLifetime() != orc::MemLifetime::NoAlloc)
            if (SectionRange range(section); !range.empty())
              sections[section.getName().str()] = range.getStart().toPtr<const void *>();
      }
      return Error::success();
    }
    void notifyFinalized(FinalizedAlloc piece) override { piece.release(); }
    Error modifyPassConfig(LinkGraph &, PassConfiguration &passes) override {
      // Nothing unwinds through generated code.
      passes.PrePrunePasses.insert(passes.PrePrunePasses.begin(), dropUnwindTable);
      return Error::success();
    }

  private:
    static Error dropUnwindTable(LinkGraph &graph) {
      Section *table = graph.findSectionByName(".eh_frame");
      if (!table)
        return Error::success();
      std::vector<Symbol *> named(table->symbols().begin(), table->symbols().end());
      for (Symbol *symbol : named)
        graph.removeDefinedSymbol(*symbol);
      std::vector<Block *> blocks(table->blocks().begin(), table->blocks().end());
      for (Block *block : blocks)
        graph.removeBlock(*block);
      graph.removeSection(*table);
      return Error::success();
    }

    Linkage &linkage;
    const std::string &object;
  };

  using Sections = std::map<std::string, const void *>;
  struct Waiting {
    BasicLayout layout;
    OnAllocatedFunction goOn;
  };

  template <typename List> static List takeAll(List &list) { return std::exchange(list, List()); }

  Error begin(const std::string &object) {
    auto graph = createLinkGraphFromObject(MemoryBufferRef(object, "artifact"), names);
    if (!graph)
      return graph.takeError();
    link(std::move(*graph), std::make_unique<Context>(*this, object));
    return std::move(error);
  }

  /// Code, then constants, of all objects in one piece; what can be written in another one.
  Error layOut() {
    size_t codeBytes = 0, dataBytes = 0;
    struct Place {
      BasicLayout::Segment *segment;
      size_t offset;
      bool isData;
    };
    std::vector<Place> places;
    auto put = [&](bool isData, bool executable) {
      for (Waiting &each : waiting)
        for (auto &[group, segment] : each.layout.segments()) {
          const orc::MemProt access = group.getMemProt();
          const bool writes = (access & orc::MemProt::Write) != orc::MemProt::None,
                     runs = (access & orc::MemProt::Exec) != orc::MemProt::None;
          if (writes != isData || (!isData && runs != executable))
            continue;
          size_t &end = isData ? dataBytes : codeBytes;
          const size_t at = alignTo(end, segment.Alignment);
          places.push_back({&segment, at, isData});
          end = at + segment.ContentSize + segment.ZeroFillSize;
        }
    };
    put(false, true);
    put(false, false);
    put(true, false);
    std::string problem;
    if (!code->memory.take(codeBytes, dataBytes, problem))
      return failure(problem);
    image.resize(codeBytes);
    for (const Place &place : places) {
      if (place.segment->Alignment > Align(sys::Process::getPageSizeEstimate()))
        return failure("a section asks for more than a page's alignment");
      char *final = (place.isData ? code->memory.data() : code->memory.code()) + place.offset;
      place.segment->Addr = ExecutorAddr::fromPtr(final);
      place.segment->WorkingMem = place.isData ? final : image.data() + place.offset;
    }
    for (Waiting &each : waiting) {
      if (Error failed = each.layout.apply())
        return failed;
      allocated.push_back([goOn = std::move(each.goOn)]() mutable {
        goOn(AllocResult(std::make_unique<Piece>()));
      });
    }
    return Error::success();
  }

  void resolve(const JITLinkContext::LookupMap &wanted, JITLinkAsyncLookupContinuation &goOn) {
    AsyncLookupResult found;
    std::vector<std::string> missing;
    for (const auto &[name, flags] : wanted) {
      const std::string text = (*name).str();
      void *address = find(text);
      if (address)
        found[name] = {ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
      else if (flags == SymbolLookupFlags::RequiredSymbol)
        missing.push_back("`" + text + "`");
    }
    if (missing.empty())
      return goOn.run(std::move(found));
    sort(missing);
    goOn.run(failure("nothing defines " + join(missing, ", ")));
  }

  void *find(const std::string &name) const {
    if (auto own = symbols.find(name); own != symbols.end())
      return own->second;
    void *address = findInRuntime(name);
    return address ? address : findInProcess(name.c_str());
  }

  Error collect(const std::vector<std::string> &wanted, const std::vector<std::string> &optional) {
    for (const auto &[list, required] : {std::pair(&wanted, true), std::pair(&optional, false)})
      for (const std::string &name : *list) {
        auto found = symbols.find(name);
        if (required && found == symbols.end())
          return failure("the code does not define `" + name + "`");
        code->addresses.push_back(found == symbols.end() ? nullptr : found->second);
      }
    return Error::success();
  }

  // Names outlive what refers to them.
  std::shared_ptr<orc::SymbolStringPool> names = std::make_shared<orc::SymbolStringPool>();
  std::unique_ptr<LoadedCode> code = std::make_unique<LoadedCode>();
  std::string image;
  std::unordered_map<std::string, void *> symbols;
  Error error = Error::success();
  std::list<Waiting> waiting;
  std::list<unique_function<void()>> allocated;
  std::list<std::pair<JITLinkContext::LookupMap, std::unique_ptr<JITLinkAsyncLookupContinuation>>>
      lookups;
  std::vector<std::pair<const std::string *, Sections>> debugged;
};

} // namespace

Expected<std::unique_ptr<LoadedCode>>
loadObjects(ArrayRef<std::string> objects, const std::vector<std::string> &symbols,
            ArrayRef<std::pair<std::string, void *>> definitions,
            const std::vector<std::string> &optional) {
  return Linkage(definitions).load(objects, symbols, optional);
}

} // namespace fairlead
