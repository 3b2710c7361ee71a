// The file of links: whatever is read has a text that is read as the same.
#include "fuzz.hpp"
#include "hetero/driver/links_file.hpp"
#include "os/clock.hpp"
#include "os/thread.hpp"

using namespace xylem;

// What the name of a file follows from while it is written: no file is written here.
pid_t os::thread_id() { __builtin_trap(); }
int64_t os::now_ns() { __builtin_trap(); }

FUZZED(text) {
  std::vector<hetero::KeptLinks> devices;
  if (!hetero::parse_links(text, devices)) return;
  const std::vector<char> written = hetero::links_text(devices);
  std::vector<hetero::KeptLinks> again;
  expect(hetero::parse_links({written.data(), written.size()}, again));
  expect(again.size() == devices.size());
  expect(hetero::links_text(again) == written);
  for (const hetero::KeptLinks& device : again)
    expect(hetero::as_kept(device.links).to.ns_per_byte == device.links.to.ns_per_byte);
}
