// Identifiers as byte strings, whatever held them: compared, ordered and looked up in place. A dictionary of all of them
// would cost more than everything else that is done to the documents of a ranking.
#pragma once

#include "array.hpp"
#include "arrow.hpp"
#include "dictionary.hpp"
#include "pages.hpp"

#include <optional>

namespace calipers {

class Ids {
public:
    struct Piece {
        const char* data;
        std::size_t bytes;
    };

    // Ids that lie anywhere: `set` says where.
    explicit Ids(std::size_t n) : n_(n), piece_(pages<Piece>(n)) {}
    // Ids of up to `width` bytes, each in a place of that width, filled up with zeros: `letters` is where to write them.
    Ids(std::size_t n, std::size_t width, bool padded)
        : n_(n), width_(width), padded_(padded), letters_(pages<char>(n * width + 16)) {
        std::memset(letters_.get() + n * width, 0, 16);
    }

    void set(std::size_t i, const char* data, std::size_t bytes) { piece_[i] = {data, bytes}; }
    char* letters() { return letters_.get(); }

    std::size_t size() const { return n_; }
    Piece piece(std::size_t i) const {
        if (!width_) return piece_[i];
        const char* const data = letters_.get() + i * width_;
        std::size_t bytes = width_;
        while (padded_ && bytes > 0 && !data[bytes - 1]) --bytes;
        return {data, bytes};
    }
    // A fingerprint, which equal ids share.
    std::uint32_t hash(std::size_t i) const {
        if (!width_ || width_ > 16) return hash_of(piece(i));
        const char* const data = letters_.get() + i * width_;
        const std::uint64_t a = load<std::uint64_t>(data), b = load<std::uint64_t>(data + 8);
        return width_ < 8 ? mixed(a & ones(width_), 0) : mixed(a, b & ones(width_ - 8));
    }
    bool same(std::size_t i, const Ids& other, std::size_t j) const {
        const Piece a = piece(i), b = other.piece(j);
        return a.bytes == b.bytes && std::memcmp(a.data, b.data, a.bytes) == 0;
    }
    // The first eight bytes, as a number that sorts as they do; shorter ids are filled up with zeros.
    std::uint64_t prefix(std::size_t i) const {
        const Piece id = piece(i);
        const std::uint64_t first = words(id.data, std::min<std::size_t>(8, id.bytes)).a;
        std::uint64_t number = 0;
        for (int b = 0; b < 8; ++b) number |= (first >> 8 * b & 0xff) << (56 - 8 * b);
        return number;
    }
    // Asks for the memory of an id that will soon be compared.
    void fetch(std::size_t i) const {
#ifdef __GNUC__
        __builtin_prefetch(width_ ? letters_.get() + i * width_ : piece_[i].data);
#else
        (void)i;
#endif
    }
    nb::object text(std::size_t i) const {
        const Piece id = piece(i);
        return nb::steal(PyUnicode_DecodeUTF8(id.data, static_cast<Py_ssize_t>(id.bytes), "replace"));
    }
    // In order of bytes, which for UTF-8 is that of code points.
    bool less(std::size_t i, std::size_t j) const {
        const Piece a = piece(i), b = piece(j);
        const int first = std::memcmp(a.data, b.data, std::min(a.bytes, b.bytes));
        return first != 0 ? first < 0 : a.bytes < b.bytes;
    }

    // What the pieces point into.
    std::optional<ArrowChunks> chunks;
    nb::object held;

private:
    struct Words {
        std::uint64_t a, b;
    };

    static std::uint64_t ones(std::size_t bytes) { return bytes < 8 ? (std::uint64_t{1} << 8 * bytes) - 1 : ~std::uint64_t{0}; }
    // Up to 16 bytes as two words, filled up with zeros, without a read beyond them.
    static Words words(const char* data, std::size_t bytes) {
        if (bytes >= 8) {
            const std::uint64_t last = load<std::uint64_t>(data + bytes - 8);
            return {load<std::uint64_t>(data), bytes == 8 ? 0 : last >> 8 * (16 - bytes)};
        }
        std::uint64_t a = 0;
        if (bytes >= 4) {
            const std::uint64_t last = load<std::uint32_t>(data + bytes - 4);
            return {load<std::uint32_t>(data) | (last >> 8 * (8 - bytes)) << 32, 0};
        }
        for (std::size_t i = 0; i < bytes; ++i) a |= std::uint64_t{static_cast<unsigned char>(data[i])} << 8 * i;
        return {a, 0};
    }
    static std::uint32_t mixed(std::uint64_t a, std::uint64_t b) {
        std::uint64_t h = a * 0x9E3779B97F4A7C15u + b * 0xC2B2AE3D27D4EB4Fu;
        h ^= h >> 32;
        return static_cast<std::uint32_t>(h * 0xFF51AFD7ED558CCDu >> 32);
    }
    static std::uint32_t hash_of(const Piece& id) {
        if (id.bytes > 16) return static_cast<std::uint32_t>(key_of(id.data, id.bytes).hash() >> 32);
        const Words w = words(id.data, id.bytes);
        return mixed(w.a, w.b);
    }

    std::size_t n_, width_ = 0;
    bool padded_ = false;
    Pages<Piece> piece_;
    Pages<char> letters_;
};

}  // namespace calipers
