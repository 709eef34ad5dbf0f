// Records of delimited text, counted without reading them: a second opinion on what a reader of CSV made of a file.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstring>

namespace nb = nanobind;

namespace calipers {
namespace {

bool ends(char c) { return c == '\n' || c == '\r'; }

class Records {
public:
    Records(char delimiter, std::size_t cells, bool quotes) : delimiter_(delimiter), marks_(cells - 1), quotes_(quotes) {}

    void feed(nb::bytes chunk) {
        const char* const text = chunk.c_str();
        const std::size_t n = chunk.size();
        nb::gil_scoped_release free;
        if (n > 0 && !quoted_ && !(quotes_ && std::memchr(text, '"', n))) return plain(text, n);
        for (std::size_t i = 0; i < n; ++i) {
            const char c = text[i];
            if (c == '"' && (quoted_ || start_ || closed_)) {  // anywhere else it is part of the text; "" is one quote
                closed_ = quoted_, quoted_ = !quoted_;
                begun_ = line_ = true;
                continue;
            }
            closed_ = false;
            if (ends(c)) {
                end_line();
                inside_ += quoted_;
                if (!quoted_) count_ += begun_, begun_ = false, start_ = true;
                continue;
            }
            marks_here_ += c == delimiter_;
            start_ = !quoted_ && (c == delimiter_ || (start_ && c == ' '));
            begun_ = line_ = true;
        }
    }

    // Records so far; one that was begun counts. Blank ones do not.
    std::size_t count() const { return count_ + begun_; }
    // Whether text in quotes runs over line ends, and yet each line alone has the cells of a row.
    bool ambiguous() const { return inside_ > 0 && ragged_ + (line_ && marks_here_ != marks_) == 0; }

private:
    void end_line() {
        ragged_ += line_ && marks_here_ != marks_;
        line_ = false, marks_here_ = 0;
    }

    // Most text: no quotes, and a loop that the compiler vectorises. Cells are counted only in lines that go on before
    // or after the chunk, where quotes may be; the reader has counted the others.
    void plain(const char* text, std::size_t n) {
        std::size_t found = begun_ && ends(text[0]), head = 0, tail = n;
        for (std::size_t i = 1; i < n; ++i) found += int(ends(text[i])) & int(!ends(text[i - 1]));
        count_ += found;
        while (head < n && !ends(text[head])) marks_here_ += text[head++] == delimiter_;
        line_ |= head > 0;
        if (head < n) {
            end_line();
            while (!ends(text[tail - 1])) marks_here_ += text[--tail] == delimiter_;
            line_ = tail < n;
        }
        begun_ = !ends(text[n - 1]);
        std::size_t last = n;
        while (last > 0 && text[last - 1] == ' ') --last;
        if (last > 0) start_ = ends(text[last - 1]) || text[last - 1] == delimiter_;
        closed_ = false;
    }

    char delimiter_;
    std::size_t marks_;
    bool quotes_;
    bool quoted_ = false, closed_ = false, start_ = true;  // in quotes, just after them, where a cell begins
    bool begun_ = false, line_ = false;                    // whether the record and the line hold something
    std::size_t count_ = 0, ragged_ = 0, marks_here_ = 0, inside_ = 0;
};

}  // namespace

void init_lines(nb::module_& m) {
    nb::class_<Records>(m, "Records", "Counts the records of delimited text, fed in chunks.")
        .def(nb::init<char, std::size_t, bool>(), nb::arg("delimiter"), nb::arg("cells"), nb::arg("quotes"))
        .def("feed", &Records::feed)
        .def_prop_ro("count", &Records::count)
        .def_prop_ro("ambiguous", &Records::ambiguous);
}

}  // namespace calipers
