// Becoming another program, and what of this one decides whether that can work.
//
// Owns: replace_process and the look at a file before it. Used by the command, not the runtime.
#pragma once

#include <cstddef>
#include <span>

namespace xylem::os {

enum class FileState { missing, folder, not_executable, executable };

// Whether this process could execute the file.
FileState file_state(const char* path);

// Whether the file gives the process that executes it rights of its own (set-user-id and the
// like), for which the loader ignores LD_PRELOAD.
bool raises_rights(const char* path);

// Replaces this process. argv and variables end with a null pointer. Returns only on failure, the
// negative errno.
int replace_process(const char* path, char* const* argv, char* const* variables);

// The same by /bin/sh, for a file whose format the kernel does not know (-ENOEXEC), as execvp does.
int replace_by_shell(const char* path, char* const* argv, char* const* variables);

// The process's environment; valid until it is changed.
std::span<char* const> environment_variables();

// The path of the running command itself into `buffer`, ended by a zero; its length or a negative
// errno. Without /proc: by the name under which it was started, so before the folder is changed.
int own_path(char* buffer, std::size_t room);

}  // namespace xylem::os
