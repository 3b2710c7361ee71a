// A program as the user named it, and whether Xylem can serve it.
//
// Owns: finding it as a shell would, following a script to its interpreter, and the verdict that
// `xylem run` and `xylem doctor` tell. Nothing here runs the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "os/thread_imports.hpp"
#include "tool/command/common.hpp"
#include "tool/command/library_closure.hpp"

namespace xylem::tool {

struct Program {
  std::string name;  // as typed
  std::string path;  // what will be executed; empty if not found
  int code = 0;      // 0, kNotFound or kCannotExecute
  std::string why;   // one line if code is not 0
  bool is_script = false;
  bool is_elf = false;
};

// Looks along PATH unless the name has a slash.
Program find_program(const std::string& name, const Environment& environment);

enum class Fit {
  served,          // uses OpenMP and Xylem will be it
  unknown,         // a script or a format that is not ours to read
  perhaps_later,   // links no OpenMP; may load it while it runs
  other_machine,   // 32 bits or another processor
  static_program,  // nothing can be loaded into it
  static_openmp,   // and it has OpenMP inside: the user would be misled
  own_openmp,      // dynamic, but libgomp.a or the like linked in
  raises_rights,   // the loader will ignore LD_PRELOAD
  open_acc,        // needs what Xylem does not serve
  other_version,   // needs a version of the OpenMP interface that Xylem does not have
};

struct Inspection {
  Fit fit = Fit::unknown;
  std::string line;                   // one sentence for the user; empty if there is nothing to say
  bool can_start = true;              // false: starting it under Xylem would end in a loader error
  bool set_up = true;                 // false: run it without Xylem
  bool preload = true;                // false: LD_LIBRARY_PATH alone (an AddressSanitizer program)
  std::vector<std::string> runtimes;  // OpenMP libraries it links: "libgomp.so.1" ...
  std::vector<std::string> runtime_users;  // for each of those who asks for it first
  bool runs_on_xylem = false;              // one of those is Xylem, without `xylem run`
  // Whether each OpenMP thread is given a kernel thread of its own (os/thread_imports.hpp), and the
  // first symbol of that need with the file that imports it; "": none.
  os::KernelThreadNeed kernel_threads = os::KernelThreadNeed::none;
  std::string thread_import, thread_importer;
  bool leads_further = false;  // it may open libraries or start programs that its files do not name
};

// xylem_library: path of libxylem.so, "" if it is not known.
Inspection inspect_program(const Program& program, const Environment& environment,
                           const std::string& xylem_library);

}  // namespace xylem::tool
