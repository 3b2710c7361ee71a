// Owns: which data begins at an address, for who names data by its address alone.
#pragma once

#include <atomic>
#include <boost/intrusive/set_hook.hpp>

namespace xylem::hetero {

class Handle;
using AddressHook =
    boost::intrusive::set_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>;

// Once, before the first data.
void start_addresses();

// Data with an address, from its making to its end. A part may begin where its whole does.
void record_address(Handle& handle);
void forget_address(Handle& handle);

// How many there are. Relaxed: who registers data and then names it, or has another thread do so
// that it tells of it, sees it.
extern constinit std::atomic<int> addresses;
inline bool any_named() { return addresses.load(std::memory_order_relaxed) > 0; }

// The data there that was made last and that fits; null: there is none. Under the lock of the order
// of tasks (data_order.hpp), or as a hint.
Handle* find_named(const void* address, bool (*fits)(const Handle& handle));

// A forked child's data is its parent's.
void forget_addresses_in_child();

}  // namespace xylem::hetero
