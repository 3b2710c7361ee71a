// A program as the user named it, and whether Xylem can serve it: see program.hpp.
#include "tool/command/program.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include "os/launch.hpp"
#include "os/mapped_file.hpp"
#include "os/openmp_names.hpp"

namespace xylem::tool {

namespace {

bool is_runtime(const std::string& library) { return os::is_openmp_runtime(library.c_str()); }

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// The interpreter of "#!/bin/sh -e", or "".
std::string script_interpreter(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                        std::min<std::size_t>(bytes.size(), 256));
  if (!text.starts_with("#!")) return {};
  text = text.substr(2, text.find('\n') - 2);
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  text.remove_prefix(first);
  return std::string(text.substr(0, text.find_first_of(" \t\r")));
}

void judge_file(Program& program) {
  switch (os::file_state(program.path.c_str())) {
    case os::FileState::executable:
      return;
    case os::FileState::missing:
      program.code = kNotFound;
      program.why = fmt::format("'{}' does not exist", program.name);
      return;
    case os::FileState::folder:
      program.code = kCannotExecute;
      program.why = fmt::format("'{}' is a folder, not a program", program.name);
      return;
    case os::FileState::not_executable:
      program.code = kCannotExecute;
      program.why =
          fmt::format("'{}' may not be executed; `chmod +x` it if it is a program", program.name);
      return;
  }
}

void find_on_path(Program& program, const std::string& path) {
  std::string_view rest = path.empty() ? "/usr/local/bin:/usr/bin:/bin" : std::string_view(path);
  std::string unusable;
  while (!rest.empty()) {
    const std::size_t cut = rest.find(':');
    const std::string folder(rest.substr(0, cut));
    rest = cut == std::string_view::npos ? std::string_view{} : rest.substr(cut + 1);
    const std::string full = (folder.empty() ? "." : folder) + "/" + program.name;
    const os::FileState state = os::file_state(full.c_str());
    if (state == os::FileState::executable) {
      program.path = full;
      return;
    }
    if (state == os::FileState::not_executable && unusable.empty()) unusable = full;
  }
  program.path = unusable;
  if (!unusable.empty()) return judge_file(program);
  program.code = kNotFound;
  program.why =
      fmt::format("there is no program '{}' along PATH; write ./{} if it is in this folder",
                  program.name, program.name);
}

// Looks at how the file starts. A script whose interpreter is not there cannot be executed,
// whatever the kernel's words.
void judge_start(Program& program) {
  const os::MappedFile file(program.path.c_str());
  program.is_elf = file.bytes().size() > 4 && std::memcmp(file.bytes().data(), "\177ELF", 4) == 0;
  const std::string interpreter = script_interpreter(file.bytes());
  if (interpreter.empty()) return;
  program.is_script = true;
  if (os::file_state(interpreter.c_str()) == os::FileState::executable) return;
  program.code = kCannotExecute;
  program.why = fmt::format("the script '{}' names the interpreter '{}', which cannot be executed",
                            program.name, interpreter);
}

bool defines_openmp(const ElfFile& elf) {
  return std::any_of(elf.defined.begin(), elf.defined.end(), [](const std::string& name) {
    return name == "GOMP_parallel" || name == "__kmpc_fork_call";
  });
}

// Whether the file leaves a function of OpenMP's to others.
bool wants_openmp(const ElfFile& elf) {
  return std::any_of(elf.undefined.begin(), elf.undefined.end(),
                     [](const std::string& name) { return os::is_openmp_function(name.c_str()); });
}

void record_runtimes(const Closure& closure, Inspection& out) {
  std::set<std::string> seen;
  for (std::size_t at = 1; at < closure.files.size(); ++at) {
    const LoadedFile& file = closure.files[at];
    if (!is_runtime(file.name) || !seen.insert(file.path).second) continue;
    std::error_code ignored;
    const auto real = std::filesystem::canonical(file.path, ignored);
    out.runs_on_xylem |= real.filename().string().starts_with("libxylem.so");
    out.runtimes.push_back(file.name);
    out.runtime_users.push_back(
        base_name(closure.files[static_cast<std::size_t>(file.asked_by)].path));
  }
}

void record_thread_imports(const Closure& closure, Inspection& out) {
  for (const LoadedFile& file : closure.files) {
    if (is_runtime(file.name) || file.name.starts_with("libxylem")) continue;
    os::ThreadImports imports;
    for (const std::string& symbol : file.elf.undefined) imports.add(symbol.c_str());
    if (imports.need() <= out.kernel_threads) continue;
    out.kernel_threads = imports.need();
    out.thread_import = imports.reason();
    out.thread_importer = base_name(file.path);
  }
}

// Whether a file but the runtimes' own may open libraries or start programs.
bool leads_further(const Closure& closure) {
  return std::any_of(closure.files.begin(), closure.files.end(), [](const LoadedFile& file) {
    const auto& names = file.elf.undefined;
    return !is_runtime(file.name) && std::any_of(names.begin(), names.end(), [](const auto& name) {
      return name == "dlopen" || name.starts_with("exec") || name.starts_with("posix_spawn");
    });
  });
}

bool uses_openmp(const Closure& closure, const Inspection& inspection) {
  if (!inspection.runtimes.empty() || closure.find("libxylem.so") != nullptr) return true;
  for (const std::string& name : closure.missing) {
    if (is_runtime(name)) return true;
  }
  return std::any_of(closure.files.begin(), closure.files.end(),
                     [](const LoadedFile& file) { return wants_openmp(file.elf); });
}

// What of OpenACC a file needs; "" if nothing. The OpenMP runtimes themselves do not count.
std::string wants_open_acc(const LoadedFile& file) {
  if (is_runtime(file.name)) return {};
  for (const std::string& name : file.elf.undefined) {
    if (name.starts_with("GOACC_")) return name;
  }
  for (const ElfFile::Version& version : file.elf.needs_versions) {
    const bool open_acc = version.name.starts_with("OACC_") || version.name.starts_with("GOACC_");
    if (is_runtime(version.library) && open_acc) return version.name;
  }
  return {};
}

// A version of the OpenMP interface that the file needs and Xylem does not define; "" if none.
std::string wants_other_version(const LoadedFile& file, const std::set<std::string>& known) {
  if (is_runtime(file.name)) return {};
  for (const ElfFile::Version& version : file.elf.needs_versions) {
    if (is_runtime(version.library) && !known.contains(version.name)) {
      return fmt::format("{} of {}", version.name, version.library);
    }
  }
  return {};
}

std::set<std::string> versions_of(const std::string& library) {
  const os::MappedFile file(library.c_str());
  const std::vector<std::string> names = defined_versions(file.bytes());
  return {names.begin(), names.end()};
}

void decide(Inspection& out, Fit fit, bool set_up, std::string line) {
  out.fit = fit;
  out.set_up = set_up;
  out.line = std::move(line);
}

// True if the program's file alone decides.
bool judge_elf(const std::string& name, const ElfFile& elf, Inspection& out) {
  if (!elf.same_machine) {
    decide(out, Fit::other_machine, false,
           fmt::format("'{}' is a {}-bit program for {}, which Xylem cannot be loaded into, so it "
                       "runs without Xylem",
                       name, elf.is_64 ? 64 : 32, machine_name(elf.machine, elf.is_64)));
    return true;
  }
  if (elf.is_static() && defines_openmp(elf)) {
    decide(out, Fit::static_openmp, false,
           fmt::format("'{}' is a static program with an OpenMP runtime inside, which Xylem cannot "
                       "replace; link it without -static, or start it without xylem",
                       name));
    out.can_start = false;
    return true;
  }
  if (elf.soname.starts_with("ld-linux")) return true;  // the loader, started by hand
  if (elf.is_static()) {
    decide(out, Fit::static_program, false,
           fmt::format("'{}' is a static program: nothing can be loaded into it, so it runs "
                       "without Xylem",
                       name));
    return true;
  }
  if (defines_openmp(elf)) {
    decide(out, Fit::own_openmp, false,
           fmt::format("'{}' has an OpenMP runtime of its own linked in, so it runs without Xylem; "
                       "link the shared libgomp or libomp instead of the .a file",
                       name));
    return true;
  }
  return false;
}

// True if something in the closure would end in a loader error.
bool judge_needs(const std::string& name, const Closure& closure, const std::string& xylem_library,
                 Inspection& out) {
  const std::set<std::string> known = versions_of(xylem_library);
  for (const LoadedFile& file : closure.files) {
    const std::string who = &file == &closure.files[0]
                                ? fmt::format("'{}'", name)
                                : fmt::format("'{}', by its library {},", name, file.name);
    if (const std::string what = wants_open_acc(file); !what.empty()) {
      decide(out, Fit::open_acc, false,
             fmt::format("{} uses OpenACC ({}), which Xylem does not serve; start it without xylem",
                         who, what));
      out.can_start = false;
      return true;
    }
    if (const std::string what = wants_other_version(file, known);
        !known.empty() && !what.empty()) {
      decide(out, Fit::other_version, false,
             fmt::format("{} needs the version {}, which this Xylem does not have; start it "
                         "without xylem",
                         who, what));
      out.can_start = false;
      return true;
    }
  }
  return false;
}

}  // namespace

Program find_program(const std::string& name, const Environment& environment) {
  Program program;
  program.name = name;
  if (name.find('/') != std::string::npos) {
    program.path = name;
    judge_file(program);
  } else {
    find_on_path(program, value_of(environment, "PATH"));
  }
  if (program.code == 0) judge_start(program);
  return program;
}

Inspection inspect_program(const Program& program, const Environment& environment,
                           const std::string& xylem_library) {
  Inspection out;
  if (program.is_script) return out;
  std::optional<ElfFile> elf;
  {
    const os::MappedFile file(program.path.c_str());
    elf = read_elf(file.bytes());
  }
  if (!elf || judge_elf(program.name, *elf, out)) return out;
  const Closure closure =
      load_closure(program.path, std::move(*elf), value_of(environment, "LD_LIBRARY_PATH"));
  record_runtimes(closure, out);
  record_thread_imports(closure, out);
  out.runs_on_xylem |= closure.find("libxylem.so") != nullptr;
  out.leads_further = leads_further(closure);
  if (judge_needs(program.name, closure, xylem_library, out)) return out;
  out.preload = closure.find("libasan.so") == nullptr;
  if (os::raises_rights(program.path.c_str())) {
    decide(out, Fit::raises_rights, false,
           fmt::format("'{}' runs with another user's rights, so the loader lets nobody put Xylem "
                       "in; it runs without",
                       program.name));
  } else if (!uses_openmp(closure, out)) {
    decide(out, Fit::perhaps_later, true,
           fmt::format("neither '{}' nor the libraries it links use OpenMP; Xylem serves it only "
                       "if it loads such a library while it runs",
                       program.name));
  } else {
    decide(out, Fit::served, true, "");
  }
  return out;
}

}  // namespace xylem::tool
