// Marks what the library exports; everything else is hidden (-fvisibility=hidden), and the version
// script has the last word.
#pragma once

#define XYLEM_EXPORT __attribute__((visibility("default")))

// Exports the extern "C" function, which must be XYLEM_EXPORT, under a name with a version, as
// "name@@NODE" (what linkers record) or "name@NODE" (for programs linked long ago). The function's
// own name is not in the version script. Used at namespace scope, as often as needed.
#define XYLEM_SYMBOL_VERSION(function, name_at_node) __asm__(".symver " #function ", " name_at_node)
