// Lists of items by user: which items a user had before. An array with a place for each item, of which a user marks those
// that are known, is looked up instead of sorting or hashing pairs; a mark is the number of the user, so nothing is erased.
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "array.hpp"
#include "parallel.hpp"

namespace calipers {
namespace {

constexpr std::size_t shares = 64;  // of the users, each with marks of its own

const std::int64_t* checked(const View& starts, const View& items, std::size_t count) {
    if (!starts.holds<std::int64_t>() || !items.holds<std::uint32_t>() || !starts.n)
        starts.fail(" must be int64, the items uint32");
    const std::int64_t* const at = starts.dense<std::int64_t>();
    for (std::size_t u = 0; u + 1 < starts.n; ++u)
        if (at[u] > at[u + 1]) starts.fail(" must rise");
    if (at[0] != 0 || at[starts.n - 1] != static_cast<std::int64_t>(items.n)) starts.fail(" do not fit the items");
    const std::uint32_t* const item = items.dense<std::uint32_t>();
    for (std::size_t i = 0; i < items.n; ++i)
        if (item[i] >= count) items.fail(" are beyond their number");
    return at;
}

// Whether each item of a list is among the known ones of the same user; without known ones, whether it came before in
// the list.
nb::object listed_before(nb::handle starts, nb::handle items, nb::handle known_starts, nb::handle known, std::size_t count) {
    const View s(starts, "starts"), v(items, "items");
    const std::int64_t* const from = checked(s, v, count);
    const std::uint32_t* const item = v.dense<std::uint32_t>();
    const std::size_t users = s.n - 1;
    std::optional<View> ks, kv;
    const std::int64_t* known_from = nullptr;
    const std::uint32_t* known_item = nullptr;
    if (!known.is_none()) {
        ks.emplace(known_starts, "known_starts"), kv.emplace(known, "known");
        known_from = checked(*ks, *kv, count), known_item = kv->dense<std::uint32_t>();
        if (ks->n != s.n) ks->fail(" must have as many users");
    }
    if (users >= std::numeric_limits<std::uint32_t>::max()) s.fail(" have too many users");
    const Fresh found(dtype<bool>(), v.n);
    bool* const out = found.as<bool>();
    {
        nb::gil_scoped_release release;
        const std::size_t block = (users + shares - 1) / shares + 1;
        for_blocks(users, block, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<std::uint32_t> marks(count, 0);
            for (std::size_t u = begin; u < end; ++u) {
                const auto mark = static_cast<std::uint32_t>(u + 1);
                if (known_from)
                    for (std::int64_t i = known_from[u]; i < known_from[u + 1]; ++i) marks[known_item[i]] = mark;
                for (std::int64_t i = from[u]; i < from[u + 1]; ++i) {
                    out[i] = marks[item[i]] == mark;
                    if (!known_from) marks[item[i]] = mark;
                }
            }
        }, 2 * block);
    }
    return found.array;
}

}  // namespace

void init_lists(nb::module_& m) {
    m.def("listed_before", &listed_before, nb::arg("starts"), nb::arg("items"), nb::arg("known_starts").none(),
          nb::arg("known").none(), nb::arg("count"),
          "Whether each item of a list is among the known ones of the same user, or came before in the list.");
}

}  // namespace calipers
