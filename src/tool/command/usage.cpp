// The first lines of a subcommand's --help: see usage.hpp.
#include "tool/command/usage.hpp"

#include <memory>
#include <utility>

namespace xylem::tool {

namespace {

class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: " + usage_ + "\n";
  }
  const std::string& usage() const { return usage_; }

 private:
  std::string usage_;
};

}  // namespace

void set_usage(CLI::App& app, const std::string& text) {
  auto formatter = std::make_shared<UsageFormatter>(text);
  formatter->column_width(26);
  app.formatter(formatter);
}

std::string usage_of(const CLI::App& app) {
  const auto* own = dynamic_cast<const UsageFormatter*>(app.get_formatter().get());
  return own ? own->usage() : app.get_name();
}

std::vector<const CLI::Option*> shown_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

const CLI::App* find_subcommand(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found[0];
}

}  // namespace xylem::tool
