// `xylem models`: what codelets take on this machine, as programs have measured it.
//
// Owns the list and its pruning. The file: hetero/model/models_file.hpp; the plot: models_plot.hpp.
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
#include "tool/models/families.hpp"
#include "tool/models/models_plot.hpp"

namespace xylem::tool {

namespace {

using hetero::Model;

constexpr const char* kExamples = R"(Examples:
  xylem models                     what was measured of every codelet on this machine
  xylem models multiply scale      of these
  xylem models --plot models.html  draw measured points and the laws through them (- is stdout)
  xylem models --prune multiply    forget what was measured of this one
  xylem models --prune             forget everything

Programs measure where the policy for codelets asks for models: XYLEM_CODELET_POLICY=random,
earliest or data. A codelet has a line for each kind of executor and each shape of its data. Times
are of the last 15 runs, without the first of each process; where the newest ones took another time
the older ones were forgotten, as often as "drifts" says. Below stand the laws that give the time of
sizes that were never measured. Exit code: 0; 2 bad use, or a file that cannot be written.)";

struct ModelsOptions {
  bool prunes = false;
  std::string plot;
};

bool is_named(const Model& model, const std::vector<std::string>& names) {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return hetero::Name(name).view() == model.about.codelet.view();
         });
}

std::string size_text(const hetero::About& about) {
  if (about.unit == hetero::Unit::work)
    return fmt::format("{:.3g}", static_cast<double>(about.size));
  return about.size < 1024 ? fmt::format("{} B", about.size) : memory_text(about.size);
}

std::string model_text(const Model& model) {
  std::vector<double> samples = model.samples;
  std::sort(samples.begin(), samples.end());
  constexpr double us = 1000;
  return fmt::format("{:<24} {:<10} {:>10} {:>6} {:>5} {:>12.2f} {:>12.2f} {:>12.2f}\n",
                     printable(model.about.codelet.view()), executor_text(model.about.kind),
                     size_text(model.about), model.drifts, samples.size(),
                     samples[samples.size() / 2] / us, samples.front() / us, samples.back() / us);
}

// Those of the codelets named, by codelet, kind of executor and size.
std::vector<Model> chosen(std::vector<Model> models, const std::vector<std::string>& names) {
  std::erase_if(
      models, [&](const Model& model) { return model.samples.empty() || !is_named(model, names); });
  std::sort(models.begin(), models.end(), [](const Model& one, const Model& other) {
    const auto rank = [](const hetero::About& about) {
      return std::tuple(about.codelet.view(), about.kind, about.family, about.size, about.key);
    };
    return rank(one.about) < rank(other.about);
  });
  return models;
}

int list(const std::vector<Model>& models) {
  fmt::print("{:<24} {:<10} {:>10} {:>6} {:>5} {:>12} {:>12} {:>12}\n", "codelet", "runs on",
             "data", "drifts", "runs", "median us", "least us", "most us");
  for (const Model& model : models) fmt::print("{}", model_text(model));
  const std::vector<Family> families = families_of(models);
  const bool any = std::any_of(families.begin(), families.end(),
                               [](const Family& family) { return family.law.factor > 0; });
  if (any) fmt::print("\n");
  for (const Family& family : families)
    if (family.law.factor > 0)
      fmt::print("{}, {}: {}\n", printable(family.about.codelet.view()),
                 executor_text(family.about.kind), law_text(family));
  return kSuccess;
}

int show(std::vector<Model> models, const std::vector<std::string>& names,
         const std::string& file) {
  models = chosen(std::move(models), names);
  if (models.empty()) {
    fmt::print("No models of {} are kept for this machine.\n",
               names.empty() ? "codelets" : "these codelets");
    return kSuccess;
  }
  if (file.empty()) return list(models);
  return write_drawing(models_page(families_of(models)), "--plot", file);
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

int serve_models(const ModelsOptions& options, const std::vector<std::string>& names) {
  const Drawing drawing = chosen_drawing("", current_environment());
  const base::Result<topo::Machine*> loaded = topo::load_machine(drawing.text, true);
  if (!loaded.ok()) return complain(kBadUse, "{}", trouble_with(drawing, loaded.error()));
  const std::unique_ptr<topo::Machine> machine(loaded.value());
  const os::PathBuffer path = hetero::models_path(omp::cache_folder(), mem::costs_key(*machine));
  if (path.size() == 0)
    return complain(kBadUse, "models: none are kept: neither XDG_CACHE_HOME nor HOME is set");
  std::vector<Model> models = hetero::read_models(path.c_str());
  if (options.prunes) return prune(path.c_str(), std::move(models), names);
  return show(std::move(models), names, options.plot);
}

}  // namespace

Command make_models(CLI::App& parent) {
  auto options = std::make_shared<ModelsOptions>();
  CLI::App* app = parent.add_subcommand("models", "Show what codelets take, as it was measured");
  auto* prunes =
      app->add_flag("--prune", options->prunes, "Forget the models of the codelets named, or all");
  app->add_option("--plot", options->plot,
                  "Draw measured points and laws into FILE, a page, instead (- is stdout)")
      ->type_name("FILE")
      ->excludes(prunes);
  app->allow_extras();
  set_usage(*app, "xylem models [--plot FILE | --prune] [codelet...]");
  app->footer(kExamples);
  return {app, [options](const std::vector<std::string>& words) {
            return serve_models(*options, words);
          }};
}

}  // namespace xylem::tool
