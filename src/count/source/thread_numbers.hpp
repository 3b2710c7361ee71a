// Owns: which number in the outermost region the OpenMP thread has that a kernel thread runs.
//
// A kernel thread says so when it begins a member of a region. Where it runs several members in
// turn, what it does counts for the one that it began last. A full table leaves threads out.
// Any thread, at any time; takes no lock and no memory but its own, which is static.
#pragma once

namespace xylem::count {

// Of the calling kernel thread.
void say_thread_number(int number);
// The same; true if the kernel thread had none before, and the table had room for it.
bool record_thread_number(int number);
// 0: the kernel thread has not said.
int thread_number_of(int kernel_thread);

}  // namespace xylem::count
