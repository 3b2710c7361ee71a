// Owns: the file that keeps what copies to and from devices take, one for each machine, in the
// user's cache: it is measured once.
//
// Invariant: whatever the file says, reading it is safe, and a file that is not whole counts as
// none. It is a text: a head, a line for each device (fixed time and time for a byte, in
// femtoseconds, to the device and from it, and the device's name), an end.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "hetero/driver/driver.hpp"
#include "os/files.hpp"

namespace xylem::hetero {

// Devices of one name are alike.
struct KeptLinks {
  decltype(DeviceAbout::name) name{};
  DeviceLinks links;
};

// "" where there is no cache folder. The key: mem::costs_key().
os::PathBuffer links_path(const char* cache_folder, uint64_t machine_key);

// What the file would give back: the next process decides by the same numbers as the one that
// measured.
DeviceLinks as_kept(const DeviceLinks& links);

std::vector<char> links_text(std::span<const KeptLinks> devices);
// False, and nothing is read: the text is not whole.
bool parse_links(std::string_view text, std::vector<KeptLinks>& devices);

// Empty: there is no file, or it is not whole.
std::vector<KeptLinks> read_links(const char* path);
// Replaces the file. 0, or a negative errno.
int write_links(const char* path, std::span<const KeptLinks> devices);

}  // namespace xylem::hetero
