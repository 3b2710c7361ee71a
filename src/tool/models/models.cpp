// `xylem models`: what codelets take on this machine, as programs have measured it.
//
// Owns the list and its pruning. The file: hetero/model/models_file.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>

#include "hetero/model/models_file.hpp"
#include "mem/cost/costs_file.hpp"
#include "omp/env/settings_folders.hpp"
#include "tool/command/common.hpp"
#include "tool/command/drawing.hpp"
#include "tool/command/subcommands.hpp"
#include "tool/command/usage.hpp"

namespace xylem::tool {

namespace {

using hetero::Model;

constexpr const char* kExamples = R"(Examples:
  xylem models                     what was measured of every codelet on this machine
  xylem models multiply scale      of these
  xylem models --prune multiply    forget what was measured of this one
  xylem models --prune             forget everything

Programs measure where the policy for codelets asks for models: XYLEM_CODELET_POLICY=earliest or
data. A codelet has a line for each kind of executor and each shape of its data. Times are of the
last 15 runs, without the first of each process. Exit code: 0; 2 bad use, or a file that cannot be
written.)";

bool is_named(const Model& model, const std::vector<std::string>& names) {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return hetero::Name(name).view() == model.codelet.view();
         });
}

std::string executor_text(int kind) {
  return kind == 0 ? "processor" : fmt::format("device {}", kind);
}

std::string model_text(const Model& model) {
  std::vector<double> samples = model.samples;
  std::sort(samples.begin(), samples.end());
  constexpr double us = 1000;
  return fmt::format("{:<24} {:<10} {:>10} {:>5} {:>12.2f} {:>12.2f} {:>12.2f}\n",
                     printable(model.codelet.view()), executor_text(model.kind),
                     memory_text(model.bytes), samples.size(), samples[samples.size() / 2] / us,
                     samples.front() / us, samples.back() / us);
}

int list(std::vector<Model> models, const std::vector<std::string>& names) {
  std::erase_if(
      models, [&](const Model& model) { return model.samples.empty() || !is_named(model, names); });
  if (models.empty()) {
    fmt::print("No models of {} are kept for this machine.\n",
               names.empty() ? "codelets" : "these codelets");
    return kSuccess;
  }
  std::sort(models.begin(), models.end(), [](const Model& one, const Model& other) {
    const int order = one.codelet.view().compare(other.codelet.view());
    if (order != 0) return order < 0;
    return std::tie(one.kind, one.bytes, one.key) < std::tie(other.kind, other.bytes, other.key);
  });
  fmt::print("{:<24} {:<10} {:>10} {:>5} {:>12} {:>12} {:>12}\n", "codelet", "runs on", "data",
             "runs", "median us", "least us", "most us");
  for (const Model& model : models) fmt::print("{}", model_text(model));
  return kSuccess;
}

int prune(const char* path, std::vector<Model> models, const std::vector<std::string>& names) {
  const std::size_t removed =
      std::erase_if(models, [&](const Model& model) { return is_named(model, names); });
  if (removed > 0) {
    if (const int error = hetero::write_models(path, models))
      return complain(kBadUse, "models: {} cannot be written ({})", path, std::strerror(-error));
  }
  fmt::print("{} removed.\n", counted(static_cast<long long>(removed), "model"));
  return kSuccess;
}

int serve_models(bool prunes, const std::vector<std::string>& names) {
  const Drawing drawing = chosen_drawing("", current_environment());
  const base::Result<topo::Machine*> loaded = topo::load_machine(drawing.text, true);
  if (!loaded.ok()) return complain(kBadUse, "{}", trouble_with(drawing, loaded.error()));
  const std::unique_ptr<topo::Machine> machine(loaded.value());
  const os::PathBuffer path = hetero::models_path(omp::cache_folder(), mem::costs_key(*machine));
  if (path.size() == 0)
    return complain(kBadUse, "models: none are kept: neither XDG_CACHE_HOME nor HOME is set");
  std::vector<Model> models = hetero::read_models(path.c_str());
  return prunes ? prune(path.c_str(), std::move(models), names) : list(std::move(models), names);
}

}  // namespace

Command make_models(CLI::App& parent) {
  auto prunes = std::make_shared<bool>(false);
  CLI::App* app = parent.add_subcommand("models", "Show what codelets take, as it was measured");
  app->add_flag("--prune", *prunes, "Forget the models of the codelets named, or all");
  app->allow_extras();
  set_usage(*app, "xylem models [--prune] [codelet...]");
  app->footer(kExamples);
  return {app,
          [prunes](const std::vector<std::string>& words) { return serve_models(*prunes, words); }};
}

}  // namespace xylem::tool
