// All files the loader would map for a program: see library_closure.hpp.
#include "tool/command/library_closure.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "os/mapped_file.hpp"

namespace xylem::tool {

namespace {

using Paths = std::vector<std::string>;

// The loader's cache in the format glibc has written since 2.2: a header of 48 bytes, entries of
// 24 (flags, name, path as offsets from the header, version, capabilities), then the strings.
class LoaderCache {
 public:
  explicit LoaderCache(const std::string& path) : file_(path.c_str()) {
    constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
    const auto* text = reinterpret_cast<const char*>(file_.bytes().data());
    start_ = std::string_view(text, file_.bytes().size()).find(kMagic);
    if (start_ != std::string_view::npos) count_ = word(kMagic.size());
  }

  Paths paths(std::string_view name) const {
    Paths found;
    for (std::uint32_t index = 0; index < count_; ++index) {
      const std::uint64_t entry = 48 + std::uint64_t{24} * index;
      if (start_ + entry + 24 > file_.bytes().size()) break;
      if (text_at(word(entry + 4)) == name) found.emplace_back(text_at(word(entry + 8)));
    }
    return found;
  }

 private:
  std::uint32_t word(std::uint64_t offset) const {
    std::uint32_t value = 0;
    if (start_ + offset + sizeof value > file_.bytes().size()) return 0;
    std::memcpy(&value, file_.bytes().data() + start_ + offset, sizeof value);
    return value;
  }
  std::string_view text_at(std::uint64_t offset) const {
    if (start_ + offset >= file_.bytes().size()) return {};
    const auto* text = reinterpret_cast<const char*>(file_.bytes().data()) + start_ + offset;
    return {text, strnlen(text, file_.bytes().size() - start_ - offset)};
  }

  os::MappedFile file_;
  std::size_t start_ = 0;
  std::uint32_t count_ = 0;  // entries
};

Paths split(std::string_view text, std::string_view separators) {
  Paths parts;
  while (!text.empty()) {
    const std::size_t cut = text.find_first_of(separators);
    parts.emplace_back(text.substr(0, cut));
    text = cut == std::string_view::npos ? std::string_view{} : text.substr(cut + 1);
  }
  return parts;
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
}

class Search {
 public:
  Search(Closure& closure, const std::string& library_path, const std::string& root)
      : closure_(closure), root_(root), cache_(root + "/etc/ld.so.cache") {
    library_folders_ = split(library_path, ":;");
  }

  // Opens the library `name` that file `from` needs; false if it is nowhere.
  bool open(const std::string& name, int from);

 private:
  LoadedFile& file(int index) { return closure_.files[static_cast<std::size_t>(index)]; }
  bool try_path(const std::string& path, const std::string& name, int from);
  bool try_folders(const Paths& folders, const std::string& name, int from, int origin);
  bool try_rpaths(const std::string& name, int from);
  std::string expand(std::string folder, int origin);

  Closure& closure_;
  std::string root_;
  LoaderCache cache_;
  Paths library_folders_;
};

std::string Search::expand(std::string folder, int origin) {
  if (folder.find('$') == std::string::npos) return folder;
  std::error_code ignored;
  const auto real = std::filesystem::canonical(file(origin).path, ignored);
  const std::string home =
      (ignored ? std::filesystem::path(file(origin).path) : real).parent_path().string();
  for (const char* word : {"${ORIGIN}", "$ORIGIN"}) replace_all(folder, word, home);
  for (const char* word : {"${LIB}", "$LIB"}) replace_all(folder, word, "lib/x86_64-linux-gnu");
  for (const char* word : {"${PLATFORM}", "$PLATFORM"}) replace_all(folder, word, "x86_64");
  return folder;
}

bool Search::try_path(const std::string& path, const std::string& name, int from) {
  const os::MappedFile mapped(path.c_str());
  std::optional<ElfFile> elf = read_elf(mapped.bytes(), Symbols::undefined);
  if (!elf || !elf->same_machine) return false;
  closure_.files.push_back({path, name, std::move(*elf), from});
  return true;
}

bool Search::try_folders(const Paths& folders, const std::string& name, int from, int origin) {
  for (const std::string& folder : folders) {
    const std::string full = expand(folder.empty() ? "." : folder, origin) + "/" + name;
    if (try_path(full, name, from)) return true;
  }
  return false;
}

// The DT_RPATH of who asks, of who asked for that, and so on; a DT_RUNPATH in who asks turns all
// of them off.
bool Search::try_rpaths(const std::string& name, int from) {
  if (file(from).elf.runpath) return false;
  for (int owner = from; owner >= 0; owner = file(owner).asked_by) {
    const ElfFile& elf = file(owner).elf;
    if (!elf.rpath || elf.runpath) continue;
    if (try_folders(split(*elf.rpath, ":"), name, from, owner)) return true;
  }
  return false;
}

bool Search::open(const std::string& name, int from) {
  if (name.find('/') != std::string::npos) return try_path(expand(name, from), name, from);
  if (try_rpaths(name, from) || try_folders(library_folders_, name, from, from)) return true;
  const std::optional<std::string> runpath = file(from).elf.runpath;
  if (runpath && try_folders(split(*runpath, ":"), name, from, from)) return true;
  for (const std::string& path : cache_.paths(name)) {
    if (try_path(root_ + path, name, from)) return true;
  }
  Paths defaults;
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
                             "/usr/lib64", "/lib/aarch64-linux-gnu", "/lib", "/usr/lib"}) {
    defaults.push_back(root_ + folder);
  }
  return try_folders(defaults, name, from, from);
}

}  // namespace

const LoadedFile* Closure::find(std::string_view prefix) const {
  for (const LoadedFile& file : files) {
    if (&file != &files[0] &&
        (file.name.starts_with(prefix) || file.elf.soname.starts_with(prefix)))
      return &file;
  }
  return nullptr;
}

Closure load_closure(const std::string& program, ElfFile elf, const std::string& library_path,
                     const std::string& root) {
  Closure closure;
  closure.files.push_back({program, program, std::move(elf), -1});
  Search search(closure, library_path, root);
  std::set<std::string> asked;
  for (std::size_t at = 0; at < closure.files.size(); ++at) {
    const std::vector<std::string> needed = closure.files[at].elf.needed;
    for (const std::string& name : needed) {
      if (!asked.insert(name).second) continue;
      if (!search.open(name, static_cast<int>(at))) closure.missing.push_back(name);
    }
  }
  return closure;
}

}  // namespace xylem::tool
