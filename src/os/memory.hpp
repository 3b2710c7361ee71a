// Owns: mapping, guarding and dropping pages: of stacks, and those that are to lie on nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xylem::os {

size_t page_size();

// Reserves readable, writable, lazily committed memory with no huge pages, for `bytes` of at least
// a page. Where the process locks what it maps (mlockall), pages are locked as they are touched,
// not all at once. nullptr on failure.
char* map_pages(size_t bytes);
void unmap_pages(char* start, size_t bytes);

// True if memory that is only reserved counts against a limit of the process or of the machine:
// ulimit -v and -d, vm.overcommit_memory=2.
bool reserving_is_limited();

// Makes [start, start + bytes) fault on access. `light` guards leave the mapping whole (kernel 6.13
// on); others split it in the kernel's books, where a process may have 65,530 pieces.
enum class Guard { light, split, none };
Guard guard_pages(char* start, size_t bytes, bool allow_split);

// Lets programs run what they write to [start, start + bytes). 0 or a negative errno (-EACCES: the
// kernel's security policy refuses it).
int make_executable(char* start, size_t bytes);

// Gives the pages' memory back; they read as zero afterwards. Guards inside stay.
void drop_pages(char* start, size_t bytes);

// Readable, writable, private pages of zeros, none of them there yet, as the process's memory is:
// they count against its limits. `bytes` is a multiple of the page size. nullptr on failure.
char* map_memory(size_t bytes);
// The same of huge pages that the administrator reserved; `bytes` is a multiple of their size.
// nullptr where there are not enough.
char* map_huge_memory(size_t bytes);

// present[i] is 1 if page i is there: it was touched since it was mapped, and is not in a swap
// area. Pages that nobody mapped are not there. `start` is on a page.
void pages_present(const void* start, std::span<uint8_t> present);

// Makes the pages of a private mapping be there, as if each had been written to; what they hold
// stays. 0 or a negative errno (-ENOMEM, -EINVAL: this kernel cannot): then some may be there.
int populate_pages(void* start, size_t bytes);

}  // namespace xylem::os
