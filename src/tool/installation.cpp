// Where this command finds the library: see installation.hpp.
#include "tool/installation.hpp"

#include <array>
#include <filesystem>

#include "os/launch.hpp"

namespace xylem::tool {

std::string library_folder() {
  std::array<char, 4096> buffer;
  if (os::own_path(buffer.data(), buffer.size()) < 0) return {};
  const auto prefix = std::filesystem::path(buffer.data()).parent_path().parent_path();
  for (const char* folder :
       {"lib", "lib/xylem", "lib64", "lib64/xylem", "lib/x86_64-linux-gnu/xylem",
        "lib/aarch64-linux-gnu/xylem", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
    std::error_code ignored;
    if (std::filesystem::exists(prefix / folder / "libxylem.so", ignored)) {
      return (prefix / folder).string();
    }
  }
  return {};
}

}  // namespace xylem::tool
