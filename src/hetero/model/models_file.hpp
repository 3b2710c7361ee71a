// Owns: the file that keeps models between processes, one for each machine, in the user's cache.
//
// Invariant: whatever the file says, reading it is safe, and a file that is not whole counts as
// none. It is a text: a head, a line for each model (its key and its family's, kind of executor,
// unit and size, drifts, samples in whole nanoseconds, the codelet's name), an end.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hetero/model/model.hpp"
#include "os/files.hpp"

namespace xylem::hetero {

// Where models of the machine are kept; "" where there is no cache folder. The key:
// mem::costs_key().
os::PathBuffer models_path(const char* cache_folder, uint64_t machine_key);

std::vector<char> models_text(std::span<const Model> models);
// False, and nothing is read: the text is not whole.
bool parse_models(std::string_view text, std::vector<Model>& models);

// Empty: there is no file, or it is not whole.
std::vector<Model> read_models(const char* path);
// Replaces the file. 0, or a negative errno.
int write_models(const char* path, std::span<const Model> models);
// Adds models to the file; they take the place of those with their keys. Of two processes that do
// so at once the models of one may be lost.
int merge_models(const char* path, std::span<const Model> models);

}  // namespace xylem::hetero
