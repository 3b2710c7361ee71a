// xylem-manual FOLDER: writes the manual pages and the completion of shells below FOLDER.
//
// Part of the build, not of what is installed.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "tool/command/command_line.hpp"
#include "tool/manual/completion.hpp"
#include "tool/manual/manual.hpp"

namespace {

using namespace xylem::tool;

class Pages {
 public:
  explicit Pages(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void write(const std::filesystem::path& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::FILE* out = std::fopen(path.c_str(), "w");
    const bool written = out != nullptr && std::fputs(text.c_str(), out) >= 0;
    const bool closed = out != nullptr && std::fclose(out) == 0;
    if (!written || !closed) throw std::runtime_error(path.string() + " cannot be written");
  }

 private:
  std::filesystem::path folder_;
};

void write_all(Pages pages) {
  const CommandLine line;
  pages.write("man/man1/xylem.1", command_page(line));
  for (const Command& command : line.commands) {
    const CLI::App& app = *command.app;
    pages.write(fmt::format("man/man1/xylem-{}.1", app.get_name()), subcommand_page(app));
  }
  pages.write("man/man7/xylem-settings.7", settings_page());
  pages.write("bash-completion/completions/xylem", bash_completion(line));
  pages.write("zsh/_xylem", zsh_completion(line));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("Usage: xylem-manual FOLDER\n", stderr);
    return 2;
  }
  try {
    write_all(Pages(argv[1]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xylem-manual: %s\n", error.what());
    return 1;
  }
}
