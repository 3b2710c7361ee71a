// What the process and its host are called: see process.hpp.
#include "os/process.hpp"

#include <unistd.h>

#include <cstdlib>

#include "os/files.hpp"

namespace xylem::os {

void host_name(char* buffer, std::size_t room) {
  if (::gethostname(buffer, room) != 0) buffer[0] = '\0';
  buffer[room - 1] = '\0';
}

int process_id() { return ::getpid(); }

void at_process_exit(void (*end)()) { std::atexit(end); }

void program_name(char* buffer, std::size_t room) {
  // Arguments, each ended by a zero; the first is the name.
  if (read_file("/proc/self/cmdline", {buffer, room}) < 0) buffer[0] = '\0';
}

}  // namespace xylem::os
