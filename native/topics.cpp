// Occurrences of the words of topics in sliding windows over documents: windows of each word and of each pair of words.
#include <algorithm>
#include <vector>

#include "array.hpp"

namespace calipers {
namespace {

constexpr std::size_t tile = 4096, lanes_of_tile = tile / 64;  // windows of a long document that are counted together

// Pairs of words of one topic: the words after `word` that it is paired with are partners[starts[word]...].
struct Pairs {
    const std::int64_t *starts, *partners;
    std::size_t words, count;
};

// A window is named by its first token, so that a word at `place` is in the windows from place - size + 1 to place. The
// windows of each word are a set of bits, and those of a pair are the bits that both have.
class Windows {
public:
    explicit Windows(const Pairs& pairs)
        : pairs_(pairs), bits_(pairs.words * lanes_of_tile), until_(pairs.words), is_present_(pairs.words) {}

    // Adds the windows of one document: their number, those of each word, those of each pair.
    void count(const std::uint32_t* codes, std::size_t length, std::size_t size, std::int64_t* out) {
        if (size == 0) size = length;
        const std::size_t windows = length > size ? length - size + 1 : 1;
        out[0] += static_cast<std::int64_t>(windows);
        for (std::size_t begin = 0; begin < windows; begin += tile) {
            const std::size_t end = std::min(windows, begin + tile);
            for (std::size_t place = begin; place < std::min(length, end - 1 + size); ++place)
                if (codes[place] < pairs_.words) mark(codes[place], place, size, begin, end);
            add(begin, end, out);
        }
    }

private:
    void mark(std::uint32_t word, std::size_t place, std::size_t size, std::size_t begin, std::size_t end) {
        std::uint64_t* const bits = bits_.data() + word * lanes_of_tile;
        if (!is_present_[word]) {
            is_present_[word] = true, until_[word] = begin;
            std::fill_n(bits, (end - begin + 63) / 64, std::uint64_t{0});
            present_.push_back(word);
        }
        const std::size_t first = std::max(until_[word], place + 1 > size ? place + 1 - size : 0);
        const std::size_t last = std::min(place, end - 1);
        for (std::size_t at = first; at <= last;) {  // a lane at a time
            const std::size_t bit = (at - begin) % 64, some = std::min(64 - bit, last + 1 - at);
            bits[(at - begin) / 64] |= (some == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << some) - 1) << bit;
            at += some;
        }
        until_[word] = std::max(until_[word], last + 1);
    }

    void add(std::size_t begin, std::size_t end, std::int64_t* out) {
        const std::size_t lanes = (end - begin + 63) / 64;
        for (const std::uint32_t word : present_) {
            const std::uint64_t* const mine = bits_.data() + word * lanes_of_tile;
            out[1 + word] += shared(mine, mine, lanes);
            for (std::int64_t at = pairs_.starts[word]; at < pairs_.starts[word + 1]; ++at) {
                const auto other = static_cast<std::size_t>(pairs_.partners[at]);
                if (!is_present_[other]) continue;
                out[1 + pairs_.words + static_cast<std::size_t>(at)] +=
                    shared(mine, bits_.data() + other * lanes_of_tile, lanes);
            }
        }
        for (const std::uint32_t word : present_) is_present_[word] = false;
        present_.clear();
    }

    static std::int64_t shared(const std::uint64_t* a, const std::uint64_t* b, std::size_t lanes) {
        std::int64_t sum = 0;
        for (std::size_t l = 0; l < lanes; ++l) sum += __builtin_popcountll(a[l] & b[l]);
        return sum;
    }

    const Pairs& pairs_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::size_t> until_;  // the first window that the word may still be missing from
    std::vector<char> is_present_;
    std::vector<std::uint32_t> present_;
};

nb::object count_windows(nb::handle codes, nb::handle ends, nb::handle blocks, std::size_t block_count, std::size_t size,
                         nb::handle starts, nb::handle partners) {
    const View tokens(codes, "codes"), until(ends, "ends"), of(blocks, "blocks");
    const View from(starts, "starts"), to(partners, "partners");
    const bool whole = until.holds<std::int64_t>() && from.holds<std::int64_t>() && to.holds<std::int64_t>();
    if (!tokens.holds<std::uint32_t>() || !of.holds<std::uint8_t>() || !whole)
        tokens.fail(" must be uint32, blocks uint8, ends, starts and partners int64");
    if (until.n != of.n || from.n == 0) until.fail(" and blocks differ in length");
    const Pairs pairs{from.dense<std::int64_t>(), to.dense<std::int64_t>(), from.n - 1, to.n};
    const std::int64_t* const end = until.dense<std::int64_t>();
    const std::uint8_t* const block = of.dense<std::uint8_t>();
    std::int64_t before = 0;
    for (std::size_t d = 0; d < until.n; before = end[d++])
        if (end[d] < before || end[d] > static_cast<std::int64_t>(tokens.n) || block[d] >= block_count)
            until.fail(" must rise to the number of codes, and blocks be below their count");
    const std::size_t width = 1 + pairs.words + pairs.count;
    const Fresh out(dtype<std::int64_t>(), nb::make_tuple(block_count, width));
    std::fill_n(out.as<std::int64_t>(), block_count * width, std::int64_t{0});
    const std::uint32_t* const code = tokens.dense<std::uint32_t>();
    {
        nb::gil_scoped_release release;
        Windows windows(pairs);
        for (std::size_t d = 0, begin = 0; d < until.n; begin = static_cast<std::size_t>(end[d++]))
            windows.count(code + begin, static_cast<std::size_t>(end[d]) - begin, size,
                          out.as<std::int64_t>() + block[d] * width);
    }
    return out.array;
}

}  // namespace

void init_topics(nb::module_& m) {
    m.def("count_windows", &count_windows, nb::arg("codes"), nb::arg("ends"), nb::arg("blocks"), nb::arg("block_count"),
          nb::arg("size"), nb::arg("starts"), nb::arg("partners"),
          "By block of documents: the windows of `size` tokens (0: whole documents), those with each word, with each pair.");
}

}  // namespace calipers
