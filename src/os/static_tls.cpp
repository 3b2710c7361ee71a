// Owns: the list of modules with thread-local data, and copying what late ones begin with into made
// blocks. See static_tls.hpp.
//
// Invariant: a made block has the data of each module whose `came` is at most the block's scan: the
// loader gave it that. What came later is `pending` until start_static_data() has copied it.
#include "os/static_tls.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <cstdlib>

#include "os/module_imports.hpp"
#include "os/tls.hpp"

// The loader's (x86-64 ABI for thread-local storage): the caller's data of a module.
extern "C" void* __tls_get_addr(size_t* module_and_offset);

namespace xylem::os {

namespace {

// A module's thread-local data as it begins. A module that has none, and binds another's, is known
// by where it is.
struct Image {
  size_t module = 0;           // the loader's number
  const void* data = nullptr;  // `given` bytes; what follows of `bytes` is zero
  size_t given = 0;
  size_t bytes = 0;
  int came = 0;  // the scan that saw it first
  bool pending = false;
  bool binds = false;  // binds_thread_data(): it may bind its own and those of other modules
};

struct Images {
  Image* list = nullptr;
  size_t count = 0, room = 0;
  // What the loader had counted when the list was made.
  unsigned long long modules_added = 0, modules_removed = 0;
  bool complete = false;
};

constinit Images known;
constinit int scans = 0;

// Out of memory: as if the module had no thread-local data.
void add(Images& images, const Image& image) {
  if (images.count == images.room) {
    const size_t room = images.room ? 2 * images.room : 32;
    auto* larger = static_cast<Image*>(std::realloc(images.list, room * sizeof(Image)));
    if (!larger) return;
    images.list = larger;
    images.room = room;
  }
  images.list[images.count++] = image;
}

const Image* find(const Images& images, const Image& like) {
  for (size_t i = 0; i < images.count; ++i) {
    const Image& image = images.list[i];
    if (image.module == like.module && image.data == like.data && image.bytes == like.bytes)
      return &image;
  }
  return nullptr;
}

Image image_of(const dl_phdr_info& info) {
  Image image;
  image.data = info.dlpi_phdr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type != PT_TLS) continue;
    image.module = info.dlpi_tls_modid;
    image.data = reinterpret_cast<const void*>(info.dlpi_addr + header.p_vaddr);
    image.given = header.p_filesz;
    image.bytes = header.p_memsz;
  }
  return image;
}

// Stops at the first module if none came or went since the last scan.
int collect(dl_phdr_info* info, size_t, void* raw) {
  auto& now = *static_cast<Images*>(raw);
  if (info->dlpi_adds == known.modules_added && info->dlpi_subs == known.modules_removed) return 1;
  now.modules_added = info->dlpi_adds;
  now.modules_removed = info->dlpi_subs;
  now.complete = true;
  Image image = image_of(*info);
  if (const Image* before = find(known, image)) {
    image = *before;
  } else {
    image.came = scans + 1;
    image.pending = image.bytes > 0 && scans > 0;  // no block is made before the first scan
    image.binds = binds_thread_data(*info);
  }
  if (image.bytes > 0 || image.binds) add(now, image);
  return 0;
}

// Whether this module, or one that came with it or after it, has it at one place in all blocks.
bool may_be_bound(const Image& image) {
  for (size_t i = 0; i < known.count; ++i)
    if (known.list[i].binds && known.list[i].came >= image.came) return true;
  return false;
}

size_t static_bytes() {
  using Info = void (*)(size_t*, size_t*);
  static const auto info = reinterpret_cast<Info>(dlsym(RTLD_DEFAULT, "_dl_get_tls_static_info"));
  size_t bytes = 0, alignment = 0;
  if (info) info(&bytes, &alignment);
  return bytes;
}

struct Copy {
  const Image* image;
  ptrdiff_t from_pointer;
  int before;  // into blocks made with an earlier look
};

void copy_into(void* block, int its_scan, void* raw) {
  const Copy& copy = *static_cast<Copy*>(raw);
  if (its_scan >= copy.before) return;
  char* to = static_cast<char*>(block) + copy.from_pointer;
  memcpy(to, copy.image->data, copy.image->given);
  memset(to + copy.image->given, 0, copy.image->bytes - copy.image->given);
}

}  // namespace

int scan_static_data() {
  Images now;
  dl_iterate_phdr(collect, &now);
  if (!now.complete) return scans;
  std::free(known.list);
  known = now;
  return ++scans;
}

size_t late_module(Late which) {
  scan_static_data();
  for (size_t i = 0; i < known.count; ++i) {
    const Image& image = known.list[i];
    if (image.pending && (which == Late::any || may_be_bound(image))) return image.module;
  }
  return 0;
}

// Data at one place in all blocks is below the thread pointer, within the loader's part of a block.
ptrdiff_t locate_static_data(size_t module) {
  size_t where[2] = {module, 0};
  const ptrdiff_t distance =
      static_cast<char*>(__tls_get_addr(where)) - static_cast<char*>(thread_pointer());
  return distance < 0 && static_cast<size_t>(-distance) <= static_bytes() ? distance : 0;
}

// A block that is made between the loader's listing a library and its setting up the library's data
// has seen the library and not its data: where nobody uses these yet every block gets them.
void start_static_data(size_t module, ptrdiff_t distance, Late which) {
  for (size_t i = 0; i < known.count; ++i) {
    Image& image = known.list[i];
    if (image.module != module) continue;
    Copy copy{&image, distance, which == Late::bound ? scans + 1 : image.came};
    if (image.pending && distance != 0) each_made_block(copy_into, &copy);
    image.pending = false;
  }
}

}  // namespace xylem::os
