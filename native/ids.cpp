// Columns of identifiers, each kind of column in its own way, to one form.
#include "ids.hpp"

#include "arrow_rows.hpp"
#include "lanes.hpp"
#include "parallel.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <atomic>

namespace calipers {
namespace {

constexpr std::size_t block_rows = std::size_t{1} << 14;

// A 2-D array of letters: NumPy's text of a fixed width.
struct Letters {
    explicit Letters(nb::handle array) : view(array, "the array", 2), wide(view.size == 4) {
        if (view.kind != 'u' || (!wide && view.size != 1) || view.across != static_cast<std::ptrdiff_t>(view.size))
            view.fail(" must hold whole rows of uint8 or uint32");
    }

    // Writes rows [begin, end) as a byte a letter, one row after another, and says whether all are ASCII.
    bool pack(std::size_t begin, std::size_t end, char* to) const {
        std::uint32_t any = 0;
        std::size_t done = begin;
        if (wide && view.columns <= 16 && view.stride == static_cast<std::ptrdiff_t>(4 * view.columns)) {
            const std::size_t spare = (16 + view.columns - 1) / view.columns;  // rows that 16 letters may reach into
            const std::size_t last = end > begin + spare ? end - spare : begin;
            any = pack_wide(row(begin), view.columns, last - begin, to);
            done = last;
        }
        for (std::size_t i = done; i < end; ++i)
            for (std::size_t c = 0; c < view.columns; ++c) {
                const char* const from = row(i) + c * view.size;
                const std::uint32_t letter = wide ? load<std::uint32_t>(from) : static_cast<unsigned char>(*from);
                any |= letter, to[(i - begin) * view.columns + c] = static_cast<char>(letter);
            }
        return any < 128;
    }

    const View view;
    const bool wide;

private:
    const char* row(std::size_t i) const { return view.data + static_cast<std::ptrdiff_t>(i) * view.stride; }

    // Sixteen letters at a time: those of the next row, which follow, are overwritten by it.
    CALIPERS_CLONES static std::uint32_t pack_wide(const char* from, std::size_t columns, std::size_t rows, char* to) {
        typedef std::uint32_t Wide __attribute__((vector_size(64)));
        typedef std::uint8_t Narrow __attribute__((vector_size(16)));
        Wide any{};
        for (std::size_t i = 0; i < rows; ++i) {
            const Wide letters = lanes<Wide>(from + 4 * columns * i);
            const Narrow packed = __builtin_convertvector(letters, Narrow);
            any |= letters;
            std::memcpy(to + columns * i, &packed, sizeof(packed));
        }
        std::uint32_t all = 0;
        for (int l = 0; l < 16; ++l) all |= any[l];
        return all;
    }
};

// NumPy's fixed-width text: one byte a character where all are ASCII; None where some are not.
std::unique_ptr<Ids> ids_fixed(nb::handle array) {
    const Letters letters(array);
    const std::size_t n = letters.view.n, width = letters.view.columns;
    auto ids = std::make_unique<Ids>(n, width, true);
    std::atomic<bool> foreign{false};
    {
        nb::gil_scoped_release release;
        for_blocks(n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
            if (!letters.pack(begin, end, ids->letters() + begin * width)) foreign = true;
        });
    }
    return foreign ? nullptr : std::move(ids);
}

// Integers as eight bytes that sort as the numbers do.
std::unique_ptr<Ids> ids_integers(nb::handle array) {
    const View view(array, "the array");
    if (!view.holds<std::int64_t>()) view.fail(" must be int64");
    auto ids = std::make_unique<Ids>(view.n, 8, false);
    nb::gil_scoped_release release;
    for_blocks(view.n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::int64_t number = load<std::int64_t>(view.data + static_cast<std::ptrdiff_t>(i) * view.stride);
            const std::uint64_t key = static_cast<std::uint64_t>(number) ^ std::uint64_t{1} << 63;
            for (int b = 0; b < 8; ++b) ids->letters()[8 * i + static_cast<std::size_t>(b)] = static_cast<char>(key >> (56 - 8 * b));
        }
    });
    return ids;
}

// A tuple of str. An IndexError names the row of the first item that is not a str; the caller explains it.
std::unique_ptr<Ids> ids_objects(nb::tuple column) {
    const std::size_t n = column.size();
    auto ids = std::make_unique<Ids>(n);
    ids->held = column;
    for (std::size_t i = 0; i < n; ++i) {
        PyObject* const item = PyTuple_GetItem(column.ptr(), static_cast<Py_ssize_t>(i));
        if (!PyUnicode_Check(item)) throw nb::index_error(std::to_string(i).c_str());
        Py_ssize_t bytes = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(item, &bytes);  // of ASCII text its own letters
        if (!text) throw nb::python_error();
        ids->set(i, text, static_cast<std::size_t>(bytes));
    }
    return ids;
}

// A text column of Arrow without nulls, in its chunks.
struct Text {
    ArrowChunks chunks;
    std::string format;
    std::size_t n;

    // Calls f(row, key) for rows [begin, end).
    template <class F>
    void each(std::size_t begin, std::size_t end, const F& f) const {
        std::size_t start = 0;
        for (const auto& array : chunks.arrays) {
            const Rows rows(array.value);
            const std::size_t from = std::max(begin, start), until = std::min(end, start + rows.n);
            if (from < until)
                with_text(format, rows, [&](auto key_at) {
                    for (std::size_t i = from; i < until; ++i) f(i, key_at(i - start));
                });
            start += rows.n;
        }
    }
};

// Nothing if it is another kind of column, or contains nulls.
std::optional<Text> text_of(nb::handle capsule) {
    Owned<ArrowArrayStream> stream(capsule, "arrow_array_stream");
    Text text{drain(stream), "", 0};
    text.format = text.chunks.schema.value.format;
    for (const auto& array : text.chunks.arrays) {
        const Rows rows(array.value);
        text.n += rows.n;
        for (std::size_t i = 0; rows.has_nulls() && i < rows.n; ++i)
            if (!rows.valid(i)) return std::nullopt;
    }
    if (text.chunks.schema.value.dictionary || !is_text(text.format)) return std::nullopt;
    for (const auto& array : text.chunks.arrays) check_text(text.format, Rows(array.value));
    return text;
}

// Text of Arrow; None if it is something else, or contains nulls.
std::unique_ptr<Ids> ids_arrow(nb::handle capsule) {
    std::optional<Text> text = text_of(capsule);
    if (!text) return nullptr;
    auto ids = std::make_unique<Ids>(text->n);
    {
        nb::gil_scoped_release release;
        for_blocks(text->n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
            text->each(begin, end, [&](std::size_t i, const Key& key) { ids->set(i, key.data, key.bytes()); });
        });
    }
    ids->chunks.emplace(std::move(text->chunks));
    return ids;
}

// Parts of the rows, one per thread; the numbers of the parts become those of one pass.
struct Shares {
    explicit Shares(std::size_t n)
        : n(n), count(std::max<std::size_t>(1, std::min<std::size_t>(threads(), n >> 16))), size((n + count - 1) / count) {}
    template <class F>
    void each(const F& f) const {
        for_blocks(count, 1, [&](std::size_t p, std::size_t, std::size_t) {
            f(p, p * size, std::min(n, (p + 1) * size));
        }, 2);
    }
    std::size_t n, count, size;
};

// Distinct texts, numbered in order of appearance; at most a quarter full, so that hardly a search needs a second look.
class Distinct {
public:
    std::uint32_t code(const Key& key, std::size_t row) {
        const std::uint64_t hash = key.hash();
        const auto tag = static_cast<std::uint32_t>(hash);
        std::size_t at = static_cast<std::size_t>(hash >> shift_);
        while (slots_[at].code && !(slots_[at].tag == tag && keys[slots_[at].code - 1] == key))
            at = (at + 1) & (slots_.size() - 1);
        return slots_[at].code ? slots_[at].code - 1 : add(key, row, at, tag);
    }
    std::vector<std::size_t> rows;  // the first of each
    std::vector<Key> keys;

private:
    struct Slot {
        std::uint32_t tag = 0, code = 0;  // + 1; 0 is free
    };
    std::uint32_t add(const Key& key, std::size_t row, std::size_t at, std::uint32_t tag) {
        rows.push_back(row), keys.push_back(key);
        slots_[at] = {tag, static_cast<std::uint32_t>(rows.size())};
        if (4 * rows.size() > slots_.size()) grow();
        return static_cast<std::uint32_t>(rows.size() - 1);
    }
    void grow() {
        slots_.assign(slots_.size() * 4, Slot());
        shift_ -= 2;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::uint64_t hash = keys[i].hash();
            std::size_t at = static_cast<std::size_t>(hash >> shift_);
            while (slots_[at].code) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = {static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(i + 1)};
        }
    }
    std::vector<Slot> slots_ = std::vector<Slot>(64);
    int shift_ = 58;
};

// The codes of n texts: each thread numbers its share of the rows, and joined in order the numbers are those of one pass.
// number(distinct, begin, end, codes) numbers rows.
template <class Number>
Distinct number_rows(std::size_t n, std::uint32_t* codes, const Number& number) {
    const Shares shares(n);
    std::vector<Distinct> found(shares.count);
    shares.each([&](std::size_t p, std::size_t begin, std::size_t end) { number(found[p], begin, end, codes); });
    Distinct all;
    std::vector<std::vector<std::uint32_t>> numbers(shares.count);
    for (std::size_t p = 0; p < shares.count; ++p)
        for (std::size_t i = 0; i < found[p].rows.size(); ++i)
            numbers[p].push_back(all.code(found[p].keys[i], found[p].rows[i]));
    shares.each([&](std::size_t p, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; p > 0 && i < end; ++i) codes[i] = numbers[p][codes[i]];
    });
    return all;
}

// (codes, first rows) of NumPy's fixed-width ASCII text of up to 16 letters; None for any other.
nb::object fixed_codes(nb::handle array) {
    const Letters letters(array);
    const std::size_t n = letters.view.n, width = letters.view.columns;
    if (width > 16) return nb::none();
    const Fresh codes(dtype<std::uint32_t>(), n);
    std::atomic<bool> foreign{false};
    Distinct found;
    {
        nb::gil_scoped_release release;
        found = number_rows(n, codes.as<std::uint32_t>(), [&](Distinct& here, std::size_t begin, std::size_t end, auto* code) {
            constexpr std::size_t chunk = 1024;
            char packed[16 * chunk + 16];
            const std::uint64_t first = width < 8 ? (std::uint64_t{1} << 8 * width) - 1 : ~std::uint64_t{0};
            const std::uint64_t rest = width < 16 ? (std::uint64_t{1} << 8 * (std::max<std::size_t>(width, 8) - 8)) - 1 : ~std::uint64_t{0};
            for (std::size_t at = begin; at < end; at += chunk) {
                const std::size_t count = std::min(chunk, end - at);
                if (!letters.pack(at, at + count, packed)) foreign = true;
                for (std::size_t i = 0; i < count; ++i) {
                    const char* const text = packed + i * width;
                    const Key key{load<std::uint64_t>(text) & first, load<std::uint64_t>(text + 8) & rest, 0, nullptr};
                    code[at + i] = here.code(key, at + i);
                }
            }
        });
    }
    if (foreign) return nb::none();
    const Fresh first(dtype<std::int64_t>(), found.rows.size());
    std::copy(found.rows.begin(), found.rows.end(), first.as<std::int64_t>());
    return nb::make_tuple(codes.array, first.array);
}

// (codes, texts) of an Arrow stream of one text column, in order of appearance; None if it is not one, or contains nulls.
nb::object arrow_codes(nb::handle capsule) {
    const std::optional<Text> text = text_of(capsule);
    if (!text) return nb::none();
    const Fresh codes(dtype<std::uint32_t>(), text->n);
    Distinct found;
    {
        nb::gil_scoped_release release;
        found = number_rows(text->n, codes.as<std::uint32_t>(), [&](Distinct& here, std::size_t begin, std::size_t end, auto* code) {
            text->each(begin, end, [&](std::size_t i, const Key& key) { code[i] = here.code(key, i); });
        });
    }
    nb::list texts;
    for (const Key& key : found.keys) {
        const auto decoded = nb::steal(PyUnicode_DecodeUTF8(key.data, static_cast<Py_ssize_t>(key.bytes()), nullptr));
        if (!decoded.is_valid()) throw nb::python_error();
        texts.append(decoded);
    }
    return nb::make_tuple(codes.array, texts);
}

}  // namespace

void init_ids(nb::module_& m) {
    nb::class_<Ids>(m, "Ids").def("__len__", &Ids::size).def("text", &Ids::text, "The id of a row, of text.");
    m.def("fixed_codes", &fixed_codes, "(codes, first rows) of a 2-D array of ASCII letters, or None.");
    m.def("arrow_codes", &arrow_codes, "(codes, texts) of an Arrow stream of one text column, or None.");
    m.def("ids_fixed", &ids_fixed, "Identifiers of a 2-D array of letters; None where some are not ASCII.");
    m.def("ids_integers", &ids_integers, "Identifiers that are int64.");
    m.def("ids_objects", &ids_objects, "Identifiers of a tuple of str; IndexError of the row that holds something else.");
    m.def("ids_arrow", &ids_arrow, "Identifiers of an Arrow stream of one text column; None where it is no such.");
}

}  // namespace calipers
