// Columns of identifiers, each kind of column in its own way, to one form.
#include "ids.hpp"

#include "arrow_rows.hpp"
#include "parallel.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <atomic>

namespace calipers {
namespace {

constexpr std::size_t block_rows = std::size_t{1} << 14;

// NumPy's fixed-width text: one byte a character where all are ASCII; None where some are not.
std::unique_ptr<Ids> ids_fixed(nb::handle array) {
    const View view(array, "the array", 2);
    const bool wide = view.size == 4;
    if (view.kind != 'u' || (!wide && view.size != 1) || view.across != static_cast<std::ptrdiff_t>(view.size))
        view.fail(" must hold whole rows of uint8 or uint32");
    auto ids = std::make_unique<Ids>(view.n);
    ids->bytes.reset(new char[view.n * view.columns + 1]);
    std::atomic<bool> foreign{false};
    {
        nb::gil_scoped_release release;
        for_blocks(view.n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::uint32_t any = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const char* const from = view.data + static_cast<std::ptrdiff_t>(i) * view.stride;
                char* const to = ids->bytes.get() + i * view.columns;
                std::size_t length = 0;
                for (std::size_t c = 0; c < view.columns; ++c) {
                    const std::uint32_t letter =
                        wide ? load<std::uint32_t>(from + 4 * c) : static_cast<unsigned char>(from[c]);
                    any |= letter;
                    to[c] = static_cast<char>(letter);
                    length = letter ? c + 1 : length;  // NumPy fills up with zeros
                }
                ids->set(i, to, length);
            }
            if (any >= 128) foreign = true;
        });
    }
    return foreign ? nullptr : std::move(ids);
}

// Integers as eight bytes that sort as the numbers do.
std::unique_ptr<Ids> ids_integers(nb::handle array) {
    const View view(array, "the array");
    if (!view.holds<std::int64_t>()) view.fail(" must be int64");
    auto ids = std::make_unique<Ids>(view.n);
    ids->bytes.reset(new char[view.n * 8 + 1]);
    nb::gil_scoped_release release;
    for_blocks(view.n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::int64_t number = load<std::int64_t>(view.data + static_cast<std::ptrdiff_t>(i) * view.stride);
            const std::uint64_t key = static_cast<std::uint64_t>(number) ^ std::uint64_t{1} << 63;
            char* const to = ids->bytes.get() + 8 * i;
            for (int b = 0; b < 8; ++b) to[b] = static_cast<char>(key >> (56 - 8 * b));
            ids->set(i, to, 8);
        }
    });
    return ids;
}

// A tuple of str. The row of the first item that is none is told by an IndexError, which the caller explains.
std::unique_ptr<Ids> ids_objects(nb::tuple column) {
    const std::size_t n = column.size();
    auto ids = std::make_unique<Ids>(n);
    ids->held = column;
    for (std::size_t i = 0; i < n; ++i) {
        PyObject* const item = PyTuple_GET_ITEM(column.ptr(), i);
        if (!PyUnicode_Check(item)) throw nb::index_error(std::to_string(i).c_str());
        Py_ssize_t bytes = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(item, &bytes);  // of ASCII text its own letters
        if (!text) throw nb::python_error();
        ids->set(i, text, static_cast<std::size_t>(bytes));
    }
    return ids;
}

// Text of Arrow; None where it is something else, or holds nulls.
std::unique_ptr<Ids> ids_arrow(nb::handle capsule) {
    Owned<ArrowArrayStream> stream(capsule, "arrow_array_stream");
    ArrowChunks chunks = drain(stream);
    const std::string format = chunks.schema.value.format;
    std::size_t n = 0;
    for (const auto& array : chunks.arrays) {
        const Rows rows(array.value);
        n += rows.n;
        for (std::size_t i = 0; rows.has_nulls() && i < rows.n; ++i)
            if (!rows.valid(i)) return nullptr;
    }
    if (chunks.schema.value.dictionary || !is_text(format)) return nullptr;
    auto ids = std::make_unique<Ids>(n);
    {
        nb::gil_scoped_release release;
        std::size_t start = 0;
        for (const auto& array : chunks.arrays) {
            const Rows rows(array.value);
            if (rows.n == 0) continue;
            with_text(format, rows, [&](auto key_at) {
                for_blocks(rows.n, block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                        const Key key = key_at(i);
                        ids->set(start + i, key.data, key.bytes());
                    }
                });
            });
            start += rows.n;
        }
    }
    ids->chunks.emplace(std::move(chunks));
    return ids;
}

// Shares of the rows, one a thread; numbers that each gave on its own become those of one pass.
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

// (codes, first) of NumPy's fixed-width ASCII text of up to 16 letters; None for any other.
nb::object fixed_codes(nb::handle array) {
    const View view(array, "the array", 2);
    const bool wide = view.size == 4;
    if (view.columns > 16 || view.kind != 'u' || (!wide && view.size != 1)) return nb::none();
    const Shares shares(view.n);
    const Fresh codes(dtype<std::uint32_t>(), view.n);
    std::uint32_t* const code = codes.as<std::uint32_t>();
    std::vector<Dictionary> found(shares.count);
    Dictionary all;
    std::atomic<bool> foreign{false};
    {
        nb::gil_scoped_release release;
        shares.each([&](std::size_t p, std::size_t begin, std::size_t end) {
            std::uint32_t any = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const char* const from = view.data + static_cast<std::ptrdiff_t>(i) * view.stride;
                char letters[16] = {};
                for (std::size_t c = 0; c < view.columns; ++c) {
                    const std::uint32_t letter =
                        wide ? load<std::uint32_t>(from + 4 * c) : static_cast<unsigned char>(from[c]);
                    any |= letter, letters[c] = static_cast<char>(letter);
                }
                code[i] = found[p].code({load<std::uint64_t>(letters), load<std::uint64_t>(letters + 8), 0, nullptr}, i);
            }
            if (any >= 128) foreign = true;
        });
        std::vector<std::vector<std::uint32_t>> numbers(shares.count);
        for (std::size_t p = 0; p < shares.count; ++p)
            for (const auto& entry : found[p].entries()) numbers[p].push_back(all.code(entry.key, entry.row));
        shares.each([&](std::size_t p, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; p > 0 && i < end; ++i) code[i] = numbers[p][code[i]];
        });
    }
    if (foreign) return nb::none();
    const Fresh first(dtype<std::int64_t>(), all.entries().size());
    for (std::size_t c = 0; c < all.entries().size(); ++c)
        first.as<std::int64_t>()[c] = static_cast<std::int64_t>(all.entries()[c].row);
    return nb::make_tuple(codes.array, first.array);
}

// Distinct ids in order of appearance, by their fingerprints.
class Distinct {
public:
    explicit Distinct(const Ids& ids) : ids_(ids), slots_(64) {}
    std::uint32_t code(std::size_t row) {
        const std::uint64_t hash = ids_.hash(row);
        std::size_t at = static_cast<std::size_t>(hash >> shift_);
        while (slots_[at].code && !(slots_[at].hash == hash && ids_.same(rows[slots_[at].code - 1], ids_, row)))
            at = (at + 1) & (slots_.size() - 1);
        if (!slots_[at].code) {
            rows.push_back(row);
            slots_[at] = {hash, static_cast<std::uint32_t>(rows.size())};
            if (2 * rows.size() > slots_.size()) grow();
            return static_cast<std::uint32_t>(rows.size() - 1);
        }
        return slots_[at].code - 1;
    }
    std::vector<std::size_t> rows;  // the first of each

private:
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t code = 0;  // + 1; 0 is free
    };
    void grow() {
        std::vector<Slot> old(slots_.size() * 4);
        old.swap(slots_), shift_ -= 2;
        for (const Slot& slot : old) {
            if (!slot.code) continue;
            std::size_t at = static_cast<std::size_t>(slot.hash >> shift_);
            while (slots_[at].code) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = slot;
        }
    }
    const Ids& ids_;
    std::vector<Slot> slots_;
    int shift_ = 58;
};

// (codes, first): each thread numbers its share of the rows; joined in order, the numbers are those of one pass.
nb::tuple id_codes(const Ids& ids) {
    const Shares shares(ids.size());
    const Fresh codes(dtype<std::uint32_t>(), ids.size());
    std::uint32_t* const code = codes.as<std::uint32_t>();
    std::vector<Distinct> found(shares.count, Distinct(ids));
    Distinct all(ids);
    {
        nb::gil_scoped_release release;
        shares.each([&](std::size_t p, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) code[i] = found[p].code(i);
        });
        std::vector<std::vector<std::uint32_t>> numbers(shares.count);
        for (std::size_t p = 0; p < shares.count; ++p)
            for (const std::size_t row : found[p].rows) numbers[p].push_back(all.code(row));
        shares.each([&](std::size_t p, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; p > 0 && i < end; ++i) code[i] = numbers[p][code[i]];
        });
    }
    nb::list first;
    for (const std::size_t row : all.rows) first.append(ids.text(row));
    return nb::make_tuple(codes.array, first);
}

}  // namespace

void init_ids(nb::module_& m) {
    nb::class_<Ids>(m, "Ids").def("__len__", &Ids::size).def("text", &Ids::text, "The id of a row, of text.");
    m.def("fixed_codes", &fixed_codes, "(codes, first rows) of a 2-D array of ASCII letters, or None.");
    m.def("id_codes", &id_codes, "(codes, texts) of ids of text, in order of appearance.");
    m.def("ids_fixed", &ids_fixed, "Identifiers of a 2-D array of letters; None where some are not ASCII.");
    m.def("ids_integers", &ids_integers, "Identifiers that are int64.");
    m.def("ids_objects", &ids_objects, "Identifiers of a tuple of str; IndexError of the row that holds something else.");
    m.def("ids_arrow", &ids_arrow, "Identifiers of an Arrow stream of one text column; None where it is no such.");
}

}  // namespace calipers
