// Owns: asking the loader. See program_image.hpp.
#include "os/program_image.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "os/memory.hpp"
#include "os/module_imports.hpp"
#include "os/openmp_names.hpp"
#include "os/process.hpp"

namespace xylem::os {

namespace {

void read_zeros(const ElfW(Phdr) & segment, ProgramImage& image) {
  if ((segment.p_flags & PF_W) == 0 || segment.p_memsz <= segment.p_filesz) return;
  const uintptr_t page = page_size();
  const uintptr_t start =
      (image.base + segment.p_vaddr + segment.p_filesz + page - 1) / page * page;
  const uintptr_t end = (image.base + segment.p_vaddr + segment.p_memsz + page - 1) / page * page;
  if (end <= start) return;
  image.zeros = start;
  image.zero_bytes = end - start;
}

void read_notes(const ElfW(Phdr) & segment, ProgramImage& image) {
  const char* at = reinterpret_cast<const char*>(image.base + segment.p_vaddr);
  const char* end = at + segment.p_memsz;
  const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const char* name = at + sizeof note;
    const char* text = name + padded(note.n_namesz);
    at = text + padded(note.n_descsz);
    if (at > end) return;
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || std::memcmp(name, "GNU", 4) != 0)
      continue;
    image.build_id = reinterpret_cast<const unsigned char*>(text);
    image.build_id_bytes = note.n_descsz;
  }
}

// Written once, by whoever asks first; never freed.
constinit std::atomic<const ProgramImage*> known_image{nullptr};

struct ModuleSearch {
  std::string_view name;
  uintptr_t base = 0;
};

// Where dladdr() says that a module begins: at the page of its first segment. dladdr() itself is
// not asked: the loader's two locks would be taken the wrong way round.
int find_module(dl_phdr_info* module, std::size_t, void* context) {
  auto& search = *static_cast<ModuleSearch*>(context);
  const std::string_view path = path_of(*module);
  if (path.empty() || file_of(path) != search.name) return 0;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    if (module->dlpi_phdr[i].p_type != PT_LOAD) continue;
    search.base = (module->dlpi_addr + module->dlpi_phdr[i].p_vaddr) / page_size() * page_size();
    return 1;
  }
  return 0;
}

// The loader tells of the program first.
int read_program(dl_phdr_info* module, std::size_t, void* context) {
  auto& image = *static_cast<ProgramImage*>(context);
  image.base = module->dlpi_addr;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD) image.entry = segment.p_vaddr;
    if (segment.p_type == PT_LOAD) read_zeros(segment, image);
    if (segment.p_type == PT_NOTE) read_notes(segment, image);
  }
  return 1;
}

}  // namespace

const ProgramImage& program_image() {
  // pairs with the exchange below
  const ProgramImage* image = known_image.load(std::memory_order_acquire);
  if (image != nullptr) return *image;
  auto* made = new ProgramImage;
  dl_iterate_phdr(read_program, made);
  if (known_image.compare_exchange_strong(image, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *image;
}

namespace {

// 0: the module is not there.
uintptr_t base_of_module(std::string_view name) {
  const ProgramImage& program = program_image();
  const ModuleOf first = module_of(reinterpret_cast<const void*>(program.base + program.entry));
  if (first.name == name) return first.base;
  ModuleSearch search{name};
  dl_iterate_phdr(find_module, &search);
  return search.base;
}

}  // namespace

AddressName name_address(const void* address) {
  const ModuleOf module = module_of(address);
  AddressName name;
  std::snprintf(name.data(), name.size(), "%.*s+0x%" PRIxPTR,
                static_cast<int>(std::min<std::size_t>(module.name.size(), 70)), module.name.data(),
                reinterpret_cast<uintptr_t>(address) - module.base);
  return name;
}

uintptr_t named_address(std::string_view name) {
  const std::size_t plus = name.rfind("+0x");
  if (plus == name.npos) return 0;
  uintptr_t offset = 0;
  const char* end = name.data() + name.size();
  const auto [read, error] = std::from_chars(name.data() + plus + 3, end, offset, 16);
  if (error != std::errc() || read != end) return 0;
  const uintptr_t base = base_of_module(name.substr(0, plus));
  return base == 0 ? 0 : base + offset;
}

ModuleOf module_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return {file_of(info.dli_fname), reinterpret_cast<uintptr_t>(info.dli_fbase)};
}

}  // namespace xylem::os
