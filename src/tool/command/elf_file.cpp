// What the loader would find in an ELF file: see elf_file.hpp.
#include "tool/command/elf_file.hpp"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "os/mapped_file.hpp"

namespace xylem::tool {

namespace {

using Bytes = std::span<const std::byte>;

// The T at `offset`, or nullopt if it does not lie whole in the file.
template <typename T>
std::optional<T> at(Bytes bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// The text that starts at `offset` and ends at a zero or the end of the table.
std::string_view text_at(Bytes table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const auto* text = reinterpret_cast<const char*>(table.data() + offset);
  return {text, strnlen(text, table.size() - offset)};
}

Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size()) return {};
  return bytes.subspan(offset, std::min<std::uint64_t>(size, bytes.size() - offset));
}

bool starts_with_any(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// A function by which a program gets code that its file does not name.
bool leads_further(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "dlopen", "execve", "execv", "execvp", "execvpe", "posix_spawn", "posix_spawnp"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_interesting(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kPrefixes = {
      "GOMP_", "__kmpc_", "omp_", "GOACC_", "acc_", "kmp_", "ompt_"};
  return starts_with_any(name, kPrefixes) || leads_further(name.substr(0, name.find('@')));
}

// One ELF file of 64 bits in this machine's byte order.
class Reader {
 public:
  Reader(Bytes bytes, const Elf64_Ehdr& header, ElfFile& out)
      : bytes_(bytes), header_(header), out_(out) {}

  void read() {
    read_segments();
    read_dynamic();
    read_sections();
  }

 private:
  void read_segments();
  void read_dynamic();
  void read_sections();
  void read_symbols(const Elf64_Shdr& section);
  void read_needed_versions(const Elf64_Shdr& section);
  void read_defined_versions(const Elf64_Shdr& section);
  std::optional<Elf64_Shdr> section(std::uint64_t index) const;
  Bytes strings_of(const Elf64_Shdr& section) const;
  std::uint64_t file_offset(std::uint64_t address) const;

  Bytes bytes_;
  const Elf64_Ehdr& header_;
  ElfFile& out_;
  std::vector<Elf64_Phdr> loads_;
  std::optional<Elf64_Phdr> dynamic_;
};

void Reader::read_segments() {
  for (unsigned index = 0; index < header_.e_phnum; ++index) {
    const auto segment =
        at<Elf64_Phdr>(bytes_, header_.e_phoff + std::uint64_t{index} * sizeof(Elf64_Phdr));
    if (!segment) return;
    if (segment->p_type == PT_LOAD) loads_.push_back(*segment);
    if (segment->p_type == PT_INTERP) out_.has_interpreter = true;
    if (segment->p_type == PT_DYNAMIC) dynamic_ = segment;
  }
  out_.has_dynamic = dynamic_.has_value();
}

std::uint64_t Reader::file_offset(std::uint64_t address) const {
  for (const Elf64_Phdr& load : loads_) {
    if (address >= load.p_vaddr && address - load.p_vaddr < load.p_filesz) {
      return address - load.p_vaddr + load.p_offset;
    }
  }
  return UINT64_MAX;
}

void Reader::read_dynamic() {
  if (!dynamic_) return;
  const Bytes table = part(bytes_, dynamic_->p_offset, dynamic_->p_filesz);
  std::vector<Elf64_Dyn> entries;
  std::uint64_t strings = UINT64_MAX;
  for (std::uint64_t offset = 0;; offset += sizeof(Elf64_Dyn)) {
    const auto entry = at<Elf64_Dyn>(table, offset);
    if (!entry || entry->d_tag == DT_NULL) break;
    entries.push_back(*entry);
    if (entry->d_tag == DT_STRTAB) strings = file_offset(entry->d_un.d_ptr);
  }
  const Bytes names = part(bytes_, strings, bytes_.size());
  for (const Elf64_Dyn& entry : entries) {
    const auto text = [&] { return std::string(text_at(names, entry.d_un.d_val)); };
    if (entry.d_tag == DT_NEEDED) out_.needed.push_back(text());
    if (entry.d_tag == DT_SONAME) out_.soname = text();
    if (entry.d_tag == DT_RPATH) out_.rpath = text();
    if (entry.d_tag == DT_RUNPATH) out_.runpath = text();
  }
}

std::optional<Elf64_Shdr> Reader::section(std::uint64_t index) const {
  if (index >= header_.e_shnum || header_.e_shoff > bytes_.size()) return std::nullopt;
  return at<Elf64_Shdr>(bytes_, header_.e_shoff + index * sizeof(Elf64_Shdr));
}

Bytes Reader::strings_of(const Elf64_Shdr& owner) const {
  const auto strings = section(owner.sh_link);
  return strings ? part(bytes_, strings->sh_offset, strings->sh_size) : Bytes{};
}

void Reader::read_sections() {
  for (unsigned index = 0; index < header_.e_shnum; ++index) {
    const auto found = section(index);
    if (!found) return;
    if (found->sh_type == SHT_DYNSYM || found->sh_type == SHT_SYMTAB) read_symbols(*found);
    if (found->sh_type == SHT_GNU_verneed) read_needed_versions(*found);
    if (found->sh_type == SHT_GNU_verdef) read_defined_versions(*found);
  }
}

void Reader::read_symbols(const Elf64_Shdr& table) {
  const Bytes symbols = part(bytes_, table.sh_offset, table.sh_size);
  const Bytes names = strings_of(table);
  for (std::uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= symbols.size();
       offset += sizeof(Elf64_Sym)) {
    const auto symbol = at<Elf64_Sym>(symbols, offset);
    const std::string_view name = text_at(names, symbol->st_name);
    if (!is_interesting(name)) continue;
    const bool is_code = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
    if (symbol->st_shndx == SHN_UNDEF) {
      out_.undefined.emplace_back(name.substr(0, name.find('@')));
    } else if (is_code) {
      out_.defined.emplace_back(name.substr(0, name.find('@')));
    }
  }
}

void Reader::read_needed_versions(const Elf64_Shdr& table) {
  const Bytes needs = part(bytes_, table.sh_offset, table.sh_size);
  const Bytes names = strings_of(table);
  std::uint64_t offset = 0;
  for (unsigned files = 0; files < table.sh_info; ++files) {
    const auto need = at<Elf64_Verneed>(needs, offset);
    if (!need) return;
    std::uint64_t entry_offset = offset + need->vn_aux;
    for (unsigned entries = 0; entries < need->vn_cnt; ++entries) {
      const auto entry = at<Elf64_Vernaux>(needs, entry_offset);
      if (!entry) return;
      out_.needs_versions.push_back({std::string(text_at(names, need->vn_file)),
                                     std::string(text_at(names, entry->vna_name))});
      if (entry->vna_next == 0) break;
      entry_offset += entry->vna_next;
    }
    if (need->vn_next == 0) return;
    offset += need->vn_next;
  }
}

void Reader::read_defined_versions(const Elf64_Shdr& table) {
  const Bytes definitions = part(bytes_, table.sh_offset, table.sh_size);
  const Bytes names = strings_of(table);
  std::uint64_t offset = 0;
  for (unsigned index = 0; index < table.sh_info; ++index) {
    const auto definition = at<Elf64_Verdef>(definitions, offset);
    if (!definition) return;
    const auto entry = at<Elf64_Verdaux>(definitions, offset + definition->vd_aux);
    if (entry) out_.defines_versions.push_back({"", std::string(text_at(names, entry->vda_name))});
    if (definition->vd_next == 0) return;
    offset += definition->vd_next;
  }
}

// This command's own machine, read once from its own file.
std::uint16_t own_machine() {
  const os::MappedFile self("/proc/self/exe");
  const auto header = at<Elf64_Ehdr>(self.bytes(), 0);
  return header ? header->e_machine : std::uint16_t{EM_NONE};
}

}  // namespace

std::optional<ElfFile> read_elf(std::span<const std::byte> bytes) {
  const auto ident = at<std::array<unsigned char, EI_NIDENT>>(bytes, 0);
  if (!ident || std::memcmp(ident->data(), ELFMAG, SELFMAG) != 0) return std::nullopt;
  ElfFile file;
  file.is_64 = (*ident)[EI_CLASS] == ELFCLASS64;
  const bool swapped =
      ((*ident)[EI_DATA] == ELFDATA2LSB) != (std::endian::native == std::endian::little);
  // The first fields of the header are alike in both classes.
  const auto type = at<std::uint16_t>(bytes, EI_NIDENT);
  const auto machine = at<std::uint16_t>(bytes, EI_NIDENT + 2);
  if (!type || !machine) return std::nullopt;
  const auto in_order = [&](std::uint16_t value) {
    return swapped ? static_cast<std::uint16_t>(value << 8 | value >> 8) : value;
  };
  file.type = in_order(*type);
  file.machine = in_order(*machine);
  file.same_machine = file.is_64 && !swapped && file.machine == own_machine();
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!file.same_machine) return file;
  if (!header) return std::nullopt;
  Reader(bytes, *header, file).read();
  return file;
}

std::string machine_name(std::uint16_t machine, bool is_64) {
  const char* name = nullptr;
  switch (machine) {
    case EM_386:
      name = "Intel 80386";
      break;
    case EM_X86_64:
      name = is_64 ? "x86-64" : "x32";
      break;
    case EM_ARM:
      name = "ARM";
      break;
    case EM_AARCH64:
      name = "AArch64";
      break;
    case EM_PPC64:
      name = "POWER";
      break;
    case EM_S390:
      name = "S/390";
      break;
    case EM_RISCV:
      name = "RISC-V";
      break;
    default:
      return fmt::format("machine {}", machine);
  }
  return name;
}

}  // namespace xylem::tool
