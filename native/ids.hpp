// Identifiers as byte strings with a fingerprint each, whatever held them: compared, ordered and looked up in place. A
// dictionary of all of them would cost more than everything else that is done to the documents of a ranking.
#pragma once

#include "array.hpp"
#include "arrow.hpp"
#include "dictionary.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace calipers {

class Ids {
public:
    struct Piece {
        const char* data;
        std::size_t bytes;
    };

    explicit Ids(std::size_t n) : n_(n), hash_(new std::uint64_t[n]), piece_(new Piece[n]) {}

    void set(std::size_t i, const char* data, std::size_t bytes) {
        piece_[i] = {data, bytes};
        hash_[i] = key_of(data, bytes).hash();
    }
    std::size_t size() const { return n_; }
    std::uint64_t hash(std::size_t i) const { return hash_[i]; }
    bool same(std::size_t i, const Ids& other, std::size_t j) const {
        const Piece &a = piece_[i], &b = other.piece_[j];
        return a.bytes == b.bytes && std::memcmp(a.data, b.data, a.bytes) == 0;
    }
    // The first eight bytes, as a number that sorts as they do; shorter ids are filled up with zeros.
    std::uint64_t prefix(std::size_t i) const {
        std::uint64_t number = 0;
        const std::size_t bytes = std::min<std::size_t>(8, piece_[i].bytes);
        for (std::size_t b = 0; b < bytes; ++b)
            number |= std::uint64_t{static_cast<unsigned char>(piece_[i].data[b])} << (56 - 8 * b);
        return number;
    }
    // Asks for the memory of an id that will soon be compared.
    void fetch(std::size_t i) const {
#ifdef __GNUC__
        __builtin_prefetch(piece_[i].data);
#else
        (void)i;
#endif
    }
    nb::object text(std::size_t i) const {
        return nb::steal(PyUnicode_DecodeUTF8(piece_[i].data, static_cast<Py_ssize_t>(piece_[i].bytes), nullptr));
    }
    // In order of bytes, which for UTF-8 is that of code points.
    bool less(std::size_t i, std::size_t j) const {
        const Piece &a = piece_[i], &b = piece_[j];
        const int first = std::memcmp(a.data, b.data, std::min(a.bytes, b.bytes));
        return first != 0 ? first < 0 : a.bytes < b.bytes;
    }

    // What the pieces point into.
    std::unique_ptr<char[]> bytes;
    std::optional<ArrowChunks> chunks;
    nb::object held;

private:
    std::size_t n_;
    std::unique_ptr<std::uint64_t[]> hash_;
    std::unique_ptr<Piece[]> piece_;
};

}  // namespace calipers
