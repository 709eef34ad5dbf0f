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

}  // namespace

void init_ids(nb::module_& m) {
    nb::class_<Ids>(m, "Ids").def("__len__", &Ids::size);
    m.def("ids_fixed", &ids_fixed, "Identifiers of a 2-D array of letters; None where some are not ASCII.");
    m.def("ids_integers", &ids_integers, "Identifiers that are int64.");
    m.def("ids_objects", &ids_objects, "Identifiers of a tuple of str; IndexError of the row that holds something else.");
    m.def("ids_arrow", &ids_arrow, "Identifiers of an Arrow stream of one text column; None where it is no such.");
}

}  // namespace calipers
