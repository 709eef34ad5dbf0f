// Labels to dense codes. Every function returns (codes, first): class k is the value at row first[k].
#include <algorithm>
#include <vector>

#include "array.hpp"
#include "dictionary.hpp"
#include "integers.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

nb::object first_rows(const Dictionary& classes) {
    std::vector<std::int64_t> rows;
    for (const auto& entry : classes.entries()) rows.push_back(static_cast<std::int64_t>(entry.row));
    return row_numbers(rows);
}

nb::tuple encode_integers(nb::handle array) {
    const View view(array, "the array");
    if (!std::strchr("biu", view.kind)) throw nb::type_error("encode_integers needs bool or integers");
    return Integers(view).encode();
}

nb::tuple encode_fixed(nb::handle array) {
    const View view(array, "the array", 2);
    if (view.columns > 1 && view.across != static_cast<std::ptrdiff_t>(view.size))
        throw nb::type_error("encode_fixed needs an array with the rows whole");
    const std::size_t width = view.columns * view.size;
    Encoder encoder(view.n);
    {
        nb::gil_scoped_release free;
        encoder.append(view.n, [&](std::size_t i, Key& key) {
            key = key_of(view.data + static_cast<std::ptrdiff_t>(i) * view.stride, width);
            return true;
        });
    }
    return nb::make_tuple(codes_of(encoder), first_rows(encoder.classes()));
}

nb::object recode(nb::handle codes, nb::handle table) {
    const View from_view(codes, "codes"), to_view(table, "table");
    const Codes from(from_view), to(to_view);
    const std::size_t n = from_view.n, last = to_view.n;
    return to.rows([&](auto number) {
        using C = std::decay_t<decltype(number[0])>;
        const Fresh out(dtype<C>(), n);
        std::vector<C> numbers(last + 1, static_cast<C>(-1));  // the last one is for codes without an entry
        for (std::size_t i = 0; i < last; ++i) numbers[i] = number[i];
        {
            nb::gil_scoped_release release;
            for_blocks(n, encoded_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
                from.rows([&](auto at) {
                    const C* const lookup = numbers.data();
                    C* const target = out.as<C>();
                    for (std::size_t i = begin; i < end; ++i) target[i] = lookup[std::min<std::size_t>(at[i], last)];
                });
            });
        }
        return out.array;
    });
}

}  // namespace

void init_encode(nb::module_& m) {
    m.def("encode_integers", &encode_integers, "Codes in order of value, and a row of each class.");
    m.def("encode_fixed", &encode_fixed, "Codes of the rows of a 2-D array in order of appearance, and their rows.");
    m.def("recode", &recode, "Codes through a table; what has no entry becomes the missing code.");
}

}  // namespace calipers
