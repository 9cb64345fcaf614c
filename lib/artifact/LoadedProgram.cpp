#include "artifact/ArtifactImpl.h"

#include <utility>

#include "artifact/CompiledProgram.h"
#include "artifact/Jit.h"
#include "dsl/trace/Symbols.h"
#include "fairlead/Cache.h"
#include "fairlead/Unload.h"
#include "lower/Lowering.h"

namespace fairlead {

DeviceModule::DeviceModule(const std::string &name, std::vector<DeviceImage> images,
                           std::vector<std::string> kernels)
    : name(name), images(std::move(images)), kernels(std::move(kernels)) {
  for (const DeviceImage &image : this->images)
    imageTable.push_back({image.arch.c_str(), image.data.data(), image.data.size()});
  for (const std::string &kernel : this->kernels)
    kernelTable.push_back(kernel.c_str());
  module = {nullptr,
            this->name.c_str(),
            static_cast<int32_t>(imageTable.size()),
            static_cast<int32_t>(kernelTable.size()),
            imageTable.data(),
            kernelTable.data()};
}

DeviceModule::~DeviceModule() { FairleadCudaModuleRetire(&module); }

LoadedProgram::~LoadedProgram() {
  if (definedModule)
    FairleadCudaModuleRetire(definedModule);
}

llvm::Expected<std::shared_ptr<const LoadedProgram>>
LoadedProgram::load(const ProgramCode &code, std::unique_ptr<DeviceModule> module,
                    const std::string &name, bool hasLoader,
                    std::shared_ptr<const CompiledProgram> compiled) {
  auto program = std::make_shared<LoadedProgram>();
  std::vector<std::pair<std::string, void *>> definitions;
  if (compiled) {
    definitions.emplace_back(dsl::kPlacesSymbol, const_cast<char *>(compiled->places.c_str()));
    program->later = std::make_unique<LaterKernels>(
        [program = compiled.get()] { return program->laterObject(); }, definitions);
    program->compiled = std::move(compiled);
  }
  if (!code.images.empty()) {
    program->module = module ? std::move(module)
                             : std::make_unique<DeviceModule>(name, code.images, code.kernels);
    definitions.emplace_back(lower::kCudaModuleSymbol, &program->module->module);
  }
  auto loaded = loadObjects(code.objects, definitions, program->later.get());
  if (!loaded)
    return loaded.takeError();
  program->code = std::move(*loaded);
  program->entry = program->code->find("__tvm_ffi_" + name);
  void *loader = program->code->find("__fairlead_load_" + name);
  if (!program->entry || (hasLoader && !program->module && !loader))
    return llvm::createStringError("the code does not define `" + name + "`");
  if (program->module) {
    program->loadDevice = [module = &program->module->module](int32_t device) {
      return FairleadCudaModuleLoad(module, device);
    };
  } else if (hasLoader) {
    program->loadDevice = reinterpret_cast<int32_t (*)(int32_t)>(loader);
    program->definedModule =
        static_cast<FairleadCudaModule *>(program->code->find(FAIRLEAD_MODULE_PREFIX + name));
  }
  return program;
}

std::string ProgramCode::pack() const {
  std::vector<std::string> archs, data;
  for (const DeviceImage &image : images) {
    archs.push_back(image.arch);
    data.push_back(image.data);
  }
  return packFields(
      {packFields(objects), packFields(archs), packFields(data), packFields(kernels)});
}

std::optional<ProgramCode> ProgramCode::unpack(std::string_view bytes) {
  auto fields = unpackFields(bytes);
  if (!fields || fields->size() != 4)
    return std::nullopt;
  auto objects = unpackFields((*fields)[0]), archs = unpackFields((*fields)[1]),
       data = unpackFields((*fields)[2]), kernels = unpackFields((*fields)[3]);
  if (!objects || objects->empty() || !archs || !data || archs->size() != data->size() || !kernels)
    return std::nullopt;
  ProgramCode code{std::move(*objects), {}, std::move(*kernels)};
  for (size_t i = 0; i < archs->size(); ++i)
    code.images.push_back({std::move((*archs)[i]), std::move((*data)[i])});
  return code;
}

} // namespace fairlead
