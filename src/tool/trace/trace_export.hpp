// What can be made of a trace: a summary, and files for other programs to show.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "tool/trace/trace_file.hpp"

namespace xylem::tool {

// The summary in sentences and tables.
std::string summary_text(const Trace& trace);

// The events of the table as a Markdown table; docs/trace.md has it.
std::string event_table_text();

// JSON for chrome://tracing and Perfetto: a track for each kernel thread (worker, extra, external),
// slices for members and tasks, instants for steals and turns, arrows from wakes.
void write_chrome(const Trace& trace, std::FILE* out);

// The Paje format: containers for the machine's levels and kernel threads.
void write_paje(const Trace& trace, std::FILE* out);

// What the film draws; docs/trace.md describes it.
void write_film_data(const Trace& trace, std::FILE* out);

// The film: one HTML page with the data inside.
void write_film(const Trace& trace, std::FILE* out);

// The same as text.
std::string film_data(const Trace& trace);

// "external 2", "PU 3", "PU 3, extra 7": the source, by the PU on which it was seen first; "turns"
// of the one that has none (-1).
std::string source_name(const Trace& trace, int source, int64_t pu);

}  // namespace xylem::tool
