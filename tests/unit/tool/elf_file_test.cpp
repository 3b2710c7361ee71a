// The ELF reader on this test program itself, and on damaged copies of it.
#include "tool/command/elf_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "os/mapped_file.hpp"
#include "tool/command/library_closure.hpp"

namespace xylem::tool {
namespace {

std::vector<std::byte> own_bytes() {
  const os::MappedFile file("/proc/self/exe");
  return {file.bytes().begin(), file.bytes().end()};
}

TEST(ElfFile, ReadsThisProgram) {
  const auto elf = read_elf(own_bytes());
  ASSERT_TRUE(elf);
  EXPECT_TRUE(elf->is_64);
  EXPECT_TRUE(elf->same_machine);
  EXPECT_FALSE(elf->is_static());
  EXPECT_NE(std::find(elf->needed.begin(), elf->needed.end(), "libc.so.6"), elf->needed.end());
  EXPECT_FALSE(elf->needs_versions.empty());
}

TEST(ElfFile, RefusesWhatIsNone) {
  EXPECT_FALSE(read_elf({}));
  const std::vector<std::byte> zeros(1000);
  EXPECT_FALSE(read_elf(zeros));
  std::vector<std::byte> cut = own_bytes();
  cut.resize(40);
  EXPECT_FALSE(read_elf(cut));
}

TEST(ElfFile, SeesAnotherMachine) {
  std::vector<std::byte> bytes = own_bytes();
  bytes[4] = std::byte{1};
  bytes[18] = std::byte{3};
  bytes[19] = std::byte{0};
  const auto elf = read_elf(bytes);
  ASSERT_TRUE(elf);
  EXPECT_FALSE(elf->same_machine);
  EXPECT_EQ(machine_name(elf->machine, elf->is_64), "Intel 80386");
}

TEST(ElfFile, SurvivesDamage) {
  const std::vector<std::byte> whole = own_bytes();
  const std::size_t size = std::min<std::size_t>(whole.size(), 65536);
  std::mt19937 random(1);
  for (int turn = 0; turn < 300; ++turn) {
    std::vector<std::byte> bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    for (int byte = 0; byte < 40; ++byte) {
      const std::size_t at = 20 + random() % (turn % 2 == 0 ? 600 : size - 20);
      bytes[at] = static_cast<std::byte>(random());
    }
    bytes.resize(64 + random() % (size - 64));
    read_elf(bytes);
    defined_versions(bytes);
  }
  // The tables stand at the end of a file: damage the whole one's headers too.
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<std::byte> bytes = whole;
    for (int byte = 0; byte < 8; ++byte)
      bytes[20 + random() % 500] = static_cast<std::byte>(random());
    const std::size_t tail = std::min<std::size_t>(bytes.size(), 3000);
    for (int byte = 0; byte < 30; ++byte) {
      bytes[bytes.size() - 1 - random() % tail] = static_cast<std::byte>(random());
    }
    read_elf(bytes);
    defined_versions(bytes);
  }
}

TEST(Closure, FollowsLibrariesOfLibraries) {
  auto elf = read_elf(own_bytes());
  ASSERT_TRUE(elf);
  const Closure closure = load_closure("/proc/self/exe", *elf, "");
  EXPECT_NE(closure.find("libc.so"), nullptr);
  EXPECT_NE(closure.find("ld-linux"), nullptr);  // libc needs it
  EXPECT_TRUE(closure.missing.empty()) << closure.missing[0];
  EXPECT_EQ(closure.find("libnothing.so"), nullptr);
  const os::MappedFile libc(closure.find("libc.so")->path.c_str());
  const std::vector<std::string> versions = defined_versions(libc.bytes());
  EXPECT_NE(std::find(versions.begin(), versions.end(), "GLIBC_2.34"), versions.end());
  EXPECT_TRUE(closure.find("libc.so")->elf.defined.empty()) << "nobody asked for them";
}

}  // namespace
}  // namespace xylem::tool
