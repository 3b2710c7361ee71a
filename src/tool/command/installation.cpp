// Where this command finds the library: see installation.hpp.
#include "tool/command/installation.hpp"

#include <array>
#include <filesystem>
#include <initializer_list>

#include "os/launch.hpp"

namespace xylem::tool {

namespace {

// The first of the folders beside this command's own that holds the file; "" if none does.
std::string folder_with(const char* file, std::initializer_list<const char*> folders) {
  std::array<char, 4096> buffer;
  if (os::own_path(buffer.data(), buffer.size()) < 0) return {};
  const auto prefix = std::filesystem::path(buffer.data()).parent_path().parent_path();
  for (const char* folder : folders) {
    std::error_code ignored;
    if (std::filesystem::exists(prefix / folder / file, ignored)) {
      return (prefix / folder).string();
    }
  }
  return {};
}

}  // namespace

std::string library_folder() {
  return folder_with("libxylem.so", {"lib", "lib/xylem", "lib64", "lib64/xylem",
                                     "lib/x86_64-linux-gnu/xylem", "lib/aarch64-linux-gnu/xylem",
                                     "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"});
}

std::string bench_folder() {
  return folder_with("run", {"bench", "libexec/xylem/bench", "lib/xylem/bench"});
}

}  // namespace xylem::tool
