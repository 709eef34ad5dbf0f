// Columns of text or numbers from Arrow data of any library.
#include "arrow_rows.hpp"

#include <memory>

namespace calipers {
namespace {

struct ArrowColumn {
    const ArrowSchema* schema;
    std::vector<Rows> chunks;
    std::string format() const { return schema->format; }
    std::size_t rows() const {
        std::size_t n = 0;
        for (const auto& chunk : chunks) n += chunk.n;
        return n;
    }
};

// Calls f with the numbers of the rows' dictionary entries. None is negative, so that signed and unsigned read alike.
template <class F>
void with_indices(const std::string& format, const Rows& rows, F&& f) {
    switch (format[0]) {
        case 'c': case 'C': return f(rows.values<std::uint8_t>());
        case 's': case 'S': return f(rows.values<std::uint16_t>());
        case 'i': case 'I': return f(rows.values<std::uint32_t>());
        case 'l': case 'L': return f(rows.values<std::uint64_t>());
        default: throw nb::type_error(("Arrow dictionary indices of format '" + format + "'").c_str());
    }
}

Rows entries_of(const Rows& rows) {
    if (!rows.array->dictionary) throw BrokenArrow("the dictionary is missing");
    return Rows(*rows.array->dictionary);
}

template <class KeyAt>
void append(Encoder& encoder, const Rows& rows, const KeyAt& key_at) {
    const bool nulls = rows.has_nulls();
    encoder.append(rows.n, [&, nulls](std::size_t i, Key& key) {
        return (!nulls || rows.valid(i)) && (key = key_at(i), true);
    });
}

// The keys of the entries of a dictionary; an entry may be null itself.
struct Entries {
    std::vector<Key> keys;
    std::vector<std::size_t> numbers;  // of the key of each entry; the count of the keys for null

    Entries(const std::string& format, const Rows& rows) : numbers(rows.n, rows.n) {
        if (rows.n == 0) return;
        check_text(format, rows);
        with_text(format, rows, [&](auto key_at) {
            for (std::size_t i = 0; i < rows.n; ++i)
                if (!rows.has_nulls() || rows.valid(i)) numbers[i] = keys.size(), keys.push_back(key_at(i));
        });
        for (auto& number : numbers) number = std::min(number, keys.size());
    }
};

// Refuses rows that name an entry which the dictionary does not have.
void check_indices(const std::string& format, const Rows& rows, std::size_t entries) {
    with_indices(format, rows, [&, nulls = rows.has_nulls()](auto index) {
        for (std::size_t i = 0; i < rows.n; ++i)
            if ((!nulls || rows.valid(i)) && static_cast<std::size_t>(index[i]) >= entries)
                throw BrokenArrow("a row names an entry that its dictionary does not have");
    });
}

void append(Encoder& encoder, const std::string& format, const Rows& rows, const Entries& entries) {
    check_indices(format, rows, entries.numbers.size());
    with_indices(format, rows, [&, nulls = rows.has_nulls()](auto index) {
        encoder.append_entries(rows.n, entries.keys, [&, index, nulls](std::size_t i) {
            return !nulls || rows.valid(i) ? entries.numbers[static_cast<std::size_t>(index[i])] : entries.keys.size();
        });
    });
}

nb::list texts(const Dictionary& classes) {
    nb::list out;
    for (const auto& entry : classes.entries()) {
        const auto bytes = static_cast<Py_ssize_t>(entry.key.bytes());
        auto text = nb::steal(PyUnicode_DecodeUTF8(entry.key.data, bytes, nullptr));
        if (!text.is_valid()) throw nb::python_error();
        out.append(text);
    }
    return out;
}

nb::object labels(const ArrowColumn& column) {
    Encoder encoder(column.rows());
    Dictionary unused;
    {
        nb::gil_scoped_release free;
        std::vector<Entries> dictionaries;
        for (const auto& rows : column.chunks) {
            if (column.schema->dictionary)
                dictionaries.emplace_back(column.schema->dictionary->format, entries_of(rows));
            if (rows.n == 0) continue;
            if (column.schema->dictionary)
                append(encoder, column.format(), rows, dictionaries.back());
            else
                check_text(column.format(), rows), with_text(column.format(), rows, [&](auto key_at) { append(encoder, rows, key_at); });
        }
        for (const auto& entries : dictionaries)
            for (const auto& key : entries.keys)
                if (!encoder.classes().has(key)) unused.code(key, 0);
    }
    return nb::make_tuple("labels", codes_of(encoder), texts(encoder.classes()), texts(unused));
}

bool gather_numbers(const Number& number, const std::string& format, const Rows& rows, char* out, char* missing) {
    const Rows entries = entries_of(rows);
    std::vector<char> values(entries.n * number.size), absent(entries.n, 0);
    copy_numbers(number, entries, values.data(), absent.data());
    bool any = false;
    if (rows.n == 0) return any;
    check_indices(format, rows, entries.n);
    with_indices(format, rows, [&](auto index) {
        for (std::size_t i = 0; i < rows.n; ++i) {
            const bool valid = !rows.has_nulls() || rows.valid(i);
            const auto entry = valid ? static_cast<std::size_t>(index[i]) : 0;
            missing[i] = !valid || absent[entry], any |= missing[i] != 0;
            if (missing[i]) std::memset(out + i * number.size, 0, number.size);
            else std::memcpy(out + i * number.size, values.data() + entry * number.size, number.size);
        }
    });
    return any;
}

nb::object numbers(const ArrowColumn& column, const Number& number, const std::shared_ptr<ArrowChunks>& data) {
    if (column.chunks.size() == 1 && !column.schema->dictionary && column.chunks[0].n > 0 &&
        !column.chunks[0].has_nulls() && *number.format != 'b' && *number.format != 'n') {
        const Rows& rows = column.chunks[0];
        nb::capsule owner(new std::shared_ptr<ArrowChunks>(data),
                          [](void* held) noexcept { delete static_cast<std::shared_ptr<ArrowChunks>*>(held); });
        nb::ndarray<nb::numpy, nb::ro> view(
            static_cast<const char*>(rows.buffer(1)) + rows.offset * number.size, 1, &rows.n, owner, nullptr,
            number.type);
        return nb::make_tuple("numbers", view.cast(), nb::none());
    }
    const std::size_t n = column.rows();
    const Fresh out(nb::str(number.dtype), n), missing(dtype<bool>(), n);
    bool any = false;
    {
        nb::gil_scoped_release free;
        std::memset(missing.data, 0, n);
        std::size_t at = 0;
        for (const auto& rows : column.chunks) {
            char* const to = out.data + at * number.size;
            any |= column.schema->dictionary ? gather_numbers(number, column.format(), rows, to, missing.data + at)
                                             : copy_numbers(number, rows, to, missing.data + at);
            at += rows.n;
        }
    }
    return nb::make_tuple("numbers", out.array, any ? missing.array : nb::none());
}

nb::object read(const ArrowColumn& column, const std::shared_ptr<ArrowChunks>& data) {
    const std::string format = column.schema->dictionary ? column.schema->dictionary->format : column.format();
    if (is_text(format)) return labels(column);
    if (const Number* number = number_of(format)) return numbers(column, *number, data);
    throw nb::type_error(("Arrow format '" + format + "' is neither text nor numbers").c_str());
}

nb::list read_columns(ArrowChunks&& chunks, nb::handle columns) {
    const auto data = std::make_shared<ArrowChunks>(std::move(chunks));
    const ArrowSchema& schema = data->schema.value;
    nb::list out;
    if (columns.is_none()) {
        ArrowColumn column{&schema, {}};
        for (const auto& array : data->arrays) column.chunks.emplace_back(array.value);
        out.append(read(column, data));
        return out;
    }
    if (std::strcmp(schema.format, "+s") != 0)
        throw nb::type_error(("Arrow format '" + std::string(schema.format) + "' has no columns").c_str());
    for (nb::handle name : columns) {
        const std::string wanted = nb::cast<nb::str>(name).c_str();
        std::size_t at = 0;
        const auto count = static_cast<std::size_t>(schema.n_children);
        while (at < count && (!schema.children[at]->name || wanted != schema.children[at]->name)) ++at;
        if (at == count) throw nb::key_error(wanted.c_str());
        ArrowColumn column{schema.children[at], {}};
        for (const auto& array : data->arrays) column.chunks.emplace_back(array.value, at);
        out.append(read(column, data));
    }
    return out;
}

nb::list read_arrow(nb::handle capsule, nb::handle columns) {
    Owned<ArrowArrayStream> stream(capsule, "arrow_array_stream");
    return read_columns(drain(stream), columns);
}

nb::list read_arrow_array(nb::handle schema, nb::handle array, nb::handle columns) {
    ArrowChunks chunks{{schema, "arrow_schema"}, {}};
    chunks.arrays.emplace_back(array, "arrow_array");
    return read_columns(std::move(chunks), columns);
}

}  // namespace

void init_arrow(nb::module_& m) {
    m.def("read_arrow", &read_arrow, nb::arg("capsule"), nb::arg("columns").none(),
          "The column of an Arrow stream, or the named columns of a stream of record batches.");
    m.def("read_arrow_array", &read_arrow_array, nb::arg("schema"), nb::arg("array"), nb::arg("columns").none(),
          "The same for one array, given by the two capsules of __arrow_c_array__.");
}

}  // namespace calipers
