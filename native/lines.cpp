// Records of delimited text, counted without reading them: a second opinion on what a reader of CSV made of a file.
#include "array.hpp"

#include <nanobind/nanobind.h>

namespace calipers {
namespace {

bool ends(char c) { return c == '\n' || c == '\r'; }

// The records that end in this chunk; blank ones are none. `quoted` and `begun` say where the last chunk left off.
nb::tuple count_records(nb::bytes chunk, bool quoted, bool begun) {
    const char* const text = chunk.c_str();
    const std::size_t n = chunk.size();
    std::size_t count = 0;
    {
        nb::gil_scoped_release free;
        if (!quoted && n > 0 && !std::memchr(text, '"', n)) {  // most files: a loop that the compiler vectorises
            count = begun && ends(text[0]);
            for (std::size_t i = 1; i < n; ++i) count += ends(text[i]) & !ends(text[i - 1]);
            begun = !ends(text[n - 1]);
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                if (text[i] == '"') quoted = !quoted, begun = true;
                else if (quoted || !ends(text[i])) begun = true;
                else count += begun, begun = false;
            }
        }
    }
    return nb::make_tuple(count, quoted, begun);
}

}  // namespace

void init_lines(nb::module_& m) {
    m.def("count_records", &count_records, nb::arg("chunk"), nb::arg("quoted"), nb::arg("begun"),
          "How many records end in a chunk of text, and whether it ends inside quotes or inside a record.");
}

}  // namespace calipers
