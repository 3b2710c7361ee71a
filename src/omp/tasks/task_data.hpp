// Owns: tasks whose depend clauses name data of codelets (include/xylem/codelet.h): with codelets
// that use it they run in the order of submission, and find its value in main memory.
#pragma once

#include <boost/container/small_vector.hpp>

#include "hetero/run/named_access.hpp"
#include "omp/tasks/depend.hpp"

namespace xylem::omp {

using DataNames = boost::container::small_vector<hetero::Named, 8>;
// What is out, inout or in a set of any kind reads and writes. Of all memory none is named.
DataNames names_of(DependList dependences);

// enter_dependences(), where some data of codelets is known.
bool enter_with_data(ExplicitTask& task, DependList dependences);

}  // namespace xylem::omp
