// What the loader would find in an ELF file: see elf_file.hpp.
#include "tool/command/elf_file.hpp"

#include <fmt/core.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string_view>

#include "os/thread_imports.hpp"

// Of this command, where the loader put it.
// NOLINTNEXTLINE(readability-identifier-naming): the linker's
extern "C" [[gnu::visibility("hidden")]] const Elf64_Ehdr __ehdr_start;

namespace xylem::tool {

namespace {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using OpenElf = std::unique_ptr<Elf, EndElf>;

// Null if the bytes are no ELF file. `header` is in this machine's byte order, whatever the file's.
OpenElf open_elf(std::span<const std::byte> bytes, GElf_Ehdr& header) {
  elf_version(EV_CURRENT);
  // libelf writes to the bytes of files only that were opened for writing.
  auto* image = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
  OpenElf elf(elf_memory(image, bytes.size()));
  if (elf && gelf_getehdr(elf.get(), &header) == nullptr) elf.reset();
  return elf;
}

// A function by which a program gets code that its file does not name.
bool leads_further(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "dlopen", "execve", "execv", "execvp", "execvpe", "posix_spawn", "posix_spawnp"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool speaks_of_openmp(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kPrefixes = {
      "GOMP_", "__kmpc_", "omp_", "GOACC_", "acc_", "kmp_", "ompt_"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Of what a file asks others for. Of the thousands of names that libraries define only those that
// speak of OpenMP count.
bool is_interesting(const std::string& name) {
  return speaks_of_openmp(name) || leads_further(name) || os::sees_kernel_thread(name.c_str());
}

// Reads one ELF file of this machine. Damaged parts are left out.
class Reader {
 public:
  Reader(Elf* elf, Symbols symbols, ElfFile& out) : elf_(elf), symbols_(symbols), out_(out) {}

  void read() {
    read_segments();
    for (Elf_Scn* at = nullptr; (at = elf_nextscn(elf_, at)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(at, &header) != nullptr) read_section(header, at);
    }
  }

 private:
  void read_segments();
  void read_dynamic(Elf_Data* entries);
  void read_section(const GElf_Shdr& header, Elf_Scn* section);
  void read_symbols(const GElf_Shdr& header, Elf_Data* symbols);
  void read_needed_versions(const GElf_Shdr& header, Elf_Data* needs);
  std::string loaded_text(std::uint64_t address) const;
  std::string text(std::size_t section, std::size_t offset) const {
    const char* const found = elf_strptr(elf_, section, offset);
    return found == nullptr ? "" : found;
  }

  Elf* elf_;
  Symbols symbols_;
  ElfFile& out_;
  std::vector<GElf_Phdr> loads_;
};

// Segments are all that the loader looks at: a file may have no sections.
void Reader::read_segments() {
  GElf_Phdr segment;
  Elf_Data* dynamic = nullptr;
  for (int index = 0; gelf_getphdr(elf_, index, &segment) != nullptr; ++index) {
    if (segment.p_type == PT_LOAD) loads_.push_back(segment);
    if (segment.p_type == PT_INTERP) out_.has_interpreter = true;
    if (segment.p_type != PT_DYNAMIC) continue;
    out_.has_dynamic = true;
    dynamic = elf_getdata_rawchunk(elf_, static_cast<std::int64_t>(segment.p_offset),
                                   segment.p_filesz, ELF_T_DYN);
  }
  if (dynamic != nullptr) read_dynamic(dynamic);
}

// The text of the file that is loaded at the address.
std::string Reader::loaded_text(std::uint64_t address) const {
  std::size_t size = 0;
  const char* const file = elf_rawfile(elf_, &size);
  for (const GElf_Phdr& load : loads_) {
    const std::uint64_t offset = address - load.p_vaddr + load.p_offset;
    if (address >= load.p_vaddr && address - load.p_vaddr < load.p_filesz && offset < size)
      return {file + offset, strnlen(file + offset, size - offset)};
  }
  return "";
}

void Reader::read_dynamic(Elf_Data* entries) {
  GElf_Dyn entry;
  std::uint64_t strings = 0;
  const auto is_there = [&](int index) {
    return gelf_getdyn(entries, index, &entry) != nullptr && entry.d_tag != DT_NULL;
  };
  for (int index = 0; is_there(index); ++index)
    if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
  if (strings == 0) return;
  for (int index = 0; is_there(index); ++index) {
    const auto text = [&] { return loaded_text(strings + entry.d_un.d_val); };
    if (entry.d_tag == DT_NEEDED) out_.needed.push_back(text());
    if (entry.d_tag == DT_SONAME) out_.soname = text();
    if (entry.d_tag == DT_RPATH) out_.rpath = text();
    if (entry.d_tag == DT_RUNPATH) out_.runpath = text();
  }
}

void Reader::read_section(const GElf_Shdr& header, Elf_Scn* section) {
  const bool has_symbols = header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB;
  if (!has_symbols && header.sh_type != SHT_GNU_verneed) return;
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr) return;
  if (has_symbols)
    read_symbols(header, data);
  else
    read_needed_versions(header, data);
}

void Reader::read_symbols(const GElf_Shdr& header, Elf_Data* symbols) {
  GElf_Sym symbol;
  for (int index = 0; gelf_getsym(symbols, index, &symbol) != nullptr; ++index) {
    const bool is_undefined = symbol.st_shndx == SHN_UNDEF;
    const bool is_function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
    if (!is_undefined && (symbols_ == Symbols::undefined || !is_function)) continue;
    const char* const found = elf_strptr(elf_, header.sh_link, symbol.st_name);
    if (found == nullptr || (!is_undefined && !speaks_of_openmp(found))) continue;
    std::string name(found, std::strcspn(found, "@"));
    if (!is_undefined)
      out_.defined.push_back(std::move(name));
    else if (is_interesting(name))
      out_.undefined.push_back(std::move(name));
  }
}

void Reader::read_needed_versions(const GElf_Shdr& header, Elf_Data* needs) {
  GElf_Verneed need;
  GElf_Vernaux entry;
  for (int offset = 0; gelf_getverneed(needs, offset, &need) != nullptr;) {
    int at = offset + static_cast<int>(need.vn_aux);
    for (int left = need.vn_cnt; left > 0 && gelf_getvernaux(needs, at, &entry); --left) {
      out_.needs_versions.push_back(
          {text(header.sh_link, need.vn_file), text(header.sh_link, entry.vna_name)});
      at += static_cast<int>(entry.vna_next);
    }
    if (need.vn_next == 0) return;
    offset += static_cast<int>(need.vn_next);
  }
}

void read_defined_versions(Elf* elf, std::size_t strings, Elf_Data* definitions,
                           std::vector<std::string>& out) {
  GElf_Verdef definition;
  GElf_Verdaux entry;
  for (int offset = 0; gelf_getverdef(definitions, offset, &definition) != nullptr;) {
    const int first = offset + static_cast<int>(definition.vd_aux);
    const char* name = gelf_getverdaux(definitions, first, &entry) != nullptr
                           ? elf_strptr(elf, strings, entry.vda_name)
                           : nullptr;
    if (name != nullptr) out.emplace_back(name);
    if (definition.vd_next == 0) return;
    offset += static_cast<int>(definition.vd_next);
  }
}

// Whether this command's own libraries could be loaded into the file's program.
bool is_of_this_machine(const GElf_Ehdr& header) {
  constexpr bool is_little = std::endian::native == std::endian::little;
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == __ehdr_start.e_machine &&
         header.e_ident[EI_DATA] == (is_little ? ELFDATA2LSB : ELFDATA2MSB);
}

}  // namespace

std::optional<ElfFile> read_elf(std::span<const std::byte> bytes, Symbols symbols) {
  GElf_Ehdr header;
  const OpenElf elf = open_elf(bytes, header);
  if (!elf) return std::nullopt;
  ElfFile file;
  file.is_64 = header.e_ident[EI_CLASS] == ELFCLASS64;
  file.type = header.e_type;
  file.machine = header.e_machine;
  file.same_machine = is_of_this_machine(header);
  if (file.same_machine) Reader(elf.get(), symbols, file).read();
  return file;
}

std::vector<std::string> defined_versions(std::span<const std::byte> bytes) {
  std::vector<std::string> names;
  GElf_Ehdr header;
  const OpenElf elf = open_elf(bytes, header);
  if (!elf || !is_of_this_machine(header)) return names;
  for (Elf_Scn* at = nullptr; (at = elf_nextscn(elf.get(), at)) != nullptr;) {
    GElf_Shdr section;
    if (gelf_getshdr(at, &section) == nullptr || section.sh_type != SHT_GNU_verdef) continue;
    if (Elf_Data* const data = elf_getdata(at, nullptr))
      read_defined_versions(elf.get(), section.sh_link, data, names);
  }
  return names;
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
