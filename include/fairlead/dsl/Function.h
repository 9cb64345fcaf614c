/// Functions of the C++ DSL: `jit` and `kernel` wrap a callable, `compile` traces it for given
/// argument descriptions.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/Compile.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Arguments.h"
#include "fairlead/dsl/Checks.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Fake.h"
#include "fairlead/dsl/LaunchOptions.h"
#include "fairlead/dsl/Location.h"
#include "fairlead/dsl/Parameter.h"
#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/Program.h"
#include "tvm/ffi/function.h"

namespace fairlead::dsl {

namespace detail {

template <typename T> struct CallableTraits : CallableTraits<decltype(&T::operator())> {};
template <typename C, typename... A> struct CallableTraits<void (C::*)(A...) const> {
  using Parameters = std::tuple<std::decay_t<A>...>;
};
template <typename... A> struct CallableTraits<void (*)(A...)> {
  using Parameters = std::tuple<std::decay_t<A>...>;
};

template <typename Body> using Parameters = typename CallableTraits<Body>::Parameters;

/// A trace for traceAll.
struct Trace {
  Program result;
  Program &program() { return result; }
  static bool launchesKernels() { return true; }
};

/// The place of a launch's config. For a variable without braces (`LaunchConfig config;`), whose
/// place is its declaration, that of the kernel.
inline SourceLoc sourceLocOf(const LaunchConfig &config, SourceLoc kernel) {
  const SourceLoc declared = LaunchConfig().at;
  return config.at.line == declared.line && std::string_view(config.at.file) == declared.file
             ? kernel
             : config.at;
}

} // namespace detail

/// A kernel of the C++ DSL: traced when it is launched.
template <typename Body> struct KernelFunction {
  std::string name;
  Body body;
  SourceLoc at = {}; ///< where it was made
};
template <typename Body>
KernelFunction<Body> kernel(std::string name, Body body, SourceLoc at = SourceLoc::here()) {
  return {std::move(name), std::move(body), at};
}

/// Traces the kernel for these arguments, one for each parameter of its body.
template <typename Body, typename... Args>
Kernel trace(const KernelFunction<Body> &function, const Args &...args) {
  Program *program = Program::current();
  if (!program)
    throw makeError(Diagnostic::OutsideTrace,
                    {{"what", "launching kernel `" + function.name + "`"}});
  using Parameters = detail::Parameters<Body>;
  static_assert(sizeof...(Args) == std::tuple_size_v<Parameters>,
                "a kernel is launched with an argument for each parameter of its body");
  Parameters given(args...);
  std::vector<Argument> actuals;
  flatten(actuals, given);
  std::vector<Argument> formals = program->beginKernel(function.name, actuals);
  try {
    ArgumentReader reader(formals, function.name);
    InBody launched;
    AtSourceLoc at(function.at);
    InBody inside;
    std::apply(function.body, reader.take<Parameters>(&given));
    return program->endKernel();
  } catch (...) {
    program->abandonKernel();
    throw;
  }
}

/// Traces the kernel for these arguments and launches it.
template <typename Body, typename... Args>
void launch(const KernelFunction<Body> &function, const LaunchConfig &config, const Args &...args) {
  AtSourceLoc at(detail::sourceLocOf(config, function.at));
  Kernel kernel = trace(function, args...);
  Program::current()->launch(kernel, config);
}
/// Launches with options: `launch(body, config, LaunchOptions{.cooperative = true}, a, b)`.
template <typename Body, typename... Args>
void launch(const KernelFunction<Body> &function, const LaunchConfig &config,
            const LaunchOptions &options, const Args &...args) {
  AtSourceLoc at(detail::sourceLocOf(config, function.at));
  Kernel kernel = trace(function, args...);
  launch(*Program::current(), kernel, config, options);
}

/// A host function of the C++ DSL.
template <typename Body> struct JitFunction {
  std::string name;
  std::vector<Parameter> parameters;
  Body body;
  SourceLoc at = {}; ///< where it was made

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const Parameter &parameter : parameters)
      result.push_back(parameter.name);
    return result;
  }
};
/// `parameters` are the names for signatures and messages, one for each parameter of `body`, or of
/// a struct (fairlead/dsl/Arguments.h) for each of its fields; with a default, if Python's callers
/// are to have one (see callFacts): `{"x", {"factor", 2.0}}`.
template <typename Body>
JitFunction<Body> jit(std::string name, std::vector<Parameter> parameters, Body body,
                      SourceLoc at = SourceLoc::here()) {
  return {std::move(name), std::move(parameters), std::move(body), at};
}

} // namespace fairlead::dsl

namespace fairlead {

/// Traces the function for arguments of these descriptions and compiles it. Throws fairlead::Error
/// (TypeError: ArgumentAnnotation, ParameterCount) if descriptions do not fit the parameters of the
/// body. Errors begin with the file and line of the failed call, or of jit().
template <typename Body>
std::shared_ptr<const Artifact> compileArtifact(const dsl::JitFunction<Body> &function,
                                                const std::vector<dsl::Fake> &arguments,
                                                const CompileOptions &options) {
  std::vector<std::string> names = function.names();
  using Parameters = dsl::detail::Parameters<Body>;
  std::vector<Target> targets = options.targets;
  if (targets.empty())
    targets.push_back(options.target);
  auto traceHere = [&](const std::vector<Target> &family, bool hostReads) {
    dsl::Program program(dsl::makeSignature(function.name, names, arguments), family);
    program.setHostReads(hostReads);
    const bool guards = options.checks == "guards" ||
                        (options.checks.empty() &&
                         std::any_of(family.begin(), family.end(), [](const Target &target) {
                           return target.info().schedulesThreads;
                         }));
    dsl::setChecks(program, guards ? "guards" : options.checks);
    if (options.lineInfo || (!options.checks.empty() && !guards))
      dsl::recordLocations(program, dsl::currentSourceLoc);
    else if (guards)
      dsl::recordAccesses(program, dsl::currentSourceLoc);
    else
      dsl::recordReads(program, dsl::currentSourceLoc);
    program.enter();
    dsl::ArgumentReader reader(program.arguments(), function.name, names, arguments);
    Parameters parameters = reader.take<Parameters>(nullptr);
    reader.finish();
    {
      dsl::InBody inside;
      std::apply(function.body, std::move(parameters));
    }
    program.exit(/*finished=*/true);
    return dsl::detail::Trace{std::move(program)};
  };
  auto trace = [&](const std::vector<Target> &family, bool hostReads) {
    dsl::forgetSourceLoc();
    dsl::AtSourceLoc at(function.at);
    try {
      return traceHere(family, hostReads);
    } catch (const Error &error) {
      throw dsl::withSourceLoc(error);
    }
  };
  std::vector<dsl::Program> programs;
  for (dsl::detail::Trace &traced : dsl::traceAll(targets, std::nullopt, trace))
    programs.push_back(std::move(traced.result));
  return compile(std::move(programs), options);
}

/// The artifact as a function: takes `DLTensor*`, `TensorView` or `Tensor` arguments, checks them,
/// and throws tvm::ffi::Error.
FAIRLEAD_API tvm::ffi::Function makeFunction(std::shared_ptr<const Artifact> artifact);

/// Compiles for `Target::detect()` and makes the function.
template <typename Body, typename... Args>
tvm::ffi::Function compile(const dsl::JitFunction<Body> &function, const Args &...arguments) {
  CompileOptions options;
  options.target = Target::detect();
  return makeFunction(compileArtifact(function, {dsl::Fake(arguments)...}, options));
}

} // namespace fairlead
