// Distinct byte strings, numbered in order of first appearance; and codes of many rows through such dictionaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "array.hpp"
#include "parallel.hpp"

namespace calipers {

// Up to 16 bytes, a and b are the whole string, followed by zeros, and equality needs no second look at memory; beyond that
// they are a fingerprint and the bytes are compared.
struct Key {
    std::uint64_t a, b;
    std::uint64_t extent;  // 8 * bytes + kind: Python strings of different width may have equal bytes
    const char* data;

    std::size_t bytes() const { return static_cast<std::size_t>(extent >> 3); }
    bool operator==(const Key& other) const {
        return a == other.a && b == other.b && extent == other.extent &&
               (bytes() <= 16 || same(data, other.data, bytes()));
    }

    // More than 8 bytes, word by word and without a branch: a call of memcmp would cost as much as the rest of a row.
    static bool same(const char* x, const char* y, std::size_t bytes) {
        const auto differ = [&](std::size_t at) {
            std::uint64_t a, b;
            std::memcpy(&a, x + at, 8), std::memcpy(&b, y + at, 8);
            return a ^ b;
        };
        std::uint64_t any = differ(bytes - 8);
        for (std::size_t at = 0; at + 8 < bytes; at += 8) any |= differ(at);
        return any == 0;
    }
    std::uint64_t hash() const {
        std::uint64_t h = a * 0x9E3779B97F4A7C15u + b * 0xC2B2AE3D27D4EB4Fu + extent * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
        return h * 0xFF51AFD7ED558CCDu;
    }
};

inline Key key_of(const char* data, std::size_t bytes, unsigned kind = 0) {
    const auto word = [](const char* at) {
        std::uint64_t w;
        std::memcpy(&w, at, 8);
        return w;
    };
    const auto half = [](const char* at) {
        std::uint32_t w;
        std::memcpy(&w, at, 4);
        return std::uint64_t{w};
    };
    Key key{0, 0, (static_cast<std::uint64_t>(bytes) << 3) | kind, data};
    if (bytes > 16) {
        for (std::size_t i = 0; i + 8 < bytes; i += 8) {
            key.a = (key.a ^ word(data + i)) * 0x9E3779B97F4A7C15u;
            key.a ^= key.a >> 29;
        }
        key.b = word(data + bytes - 8);
    } else if (bytes >= 8) {  // the two reads overlap, and so cover any length without a loop
        const std::size_t half_shift = 4 * (16 - bytes);
        key.a = word(data);
        key.b = word(data + bytes - 8) >> half_shift >> half_shift;
    } else if (bytes >= 4) {
        key.a = half(data) | half(data + bytes - 4) << 8 * (bytes - 4);
    } else if (bytes > 0) {
        const auto at = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(data[i])} << 8 * i; };
        key.a = at(0) | at(bytes / 2) | at(bytes - 1);
    }
    return key;
}

// The same where 16 bytes can be read, of which at most 16 are the text. It has no branch on the length: texts of 7 and of
// 8 bytes that take turns cost more in wrong guesses than all the rest.
inline Key short_key_of(const char* data, std::size_t bytes) {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    std::uint64_t words[2];
    std::memcpy(words, data, 16);
    const std::size_t first = bytes < 8 ? bytes : 8, half_shift = 4 * (8 - first), other = 4 * (8 - (bytes - first));
    return {words[0] & (all >> half_shift >> half_shift), words[1] & (all >> other >> other),
            static_cast<std::uint64_t>(bytes) << 3, data};
}

// Open addressing with linear probing, at most half full.
class Dictionary {
public:
    struct Entry {
        Key key;
        std::size_t row;
    };

    std::uint32_t code(const Key& key, std::size_t row) {
        const std::size_t at = slot(key);
        if (slots_[at]) return slots_[at] - 1;
        entries_.push_back({key, row});
        slots_[at] = static_cast<std::uint32_t>(entries_.size());
        if (2 * entries_.size() > slots_.size()) grow();
        return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    // The bytes of the newest entry now lie here.
    void rebase(const char* data) { entries_.back().key.data = data; }
    bool has(const Key& key) const { return slots_[slot(key)] != 0; }
    const std::vector<Entry>& entries() const { return entries_; }

private:
    std::size_t slot(const Key& key) const {
        std::size_t at = static_cast<std::size_t>(key.hash() >> shift_);
        while (slots_[at] && !(entries_[slots_[at] - 1].key == key)) at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    void grow() {
        slots_.assign(slots_.size() * 4, 0);
        shift_ -= 2;
        for (std::size_t i = 0; i < entries_.size(); ++i)
            slots_[slot(entries_[i].key)] = static_cast<std::uint32_t>(i + 1);
    }

    std::vector<Entry> entries_;
    // Index of the entry + 1; 0 is free. A few dozen classes rarely share a place among 1024.
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, 0);
    int shift_ = 64 - 10;
};

// Each block of rows has a dictionary of its own; they are joined in block order, so that the numbering is that of one
// pass over all rows, for any number of threads.
class Encoder {
public:
    explicit Encoder(std::size_t n) : local_(new std::uint16_t[n]) {}

    // key_at(i, key) fills in the key of row i of the next n rows, or returns false: the value is missing.
    template <class KeyAt>
    void append(std::size_t n, const KeyAt& key_at) {
        append_blocks(n, [&](Dictionary& here) {
            return [&, seen = std::vector<Seen>(Seen::size)](std::size_t i) mutable {
                Key key;
                if (!key_at(i, key)) return kMissing;
                Seen& last = seen[Seen::place(key)];
                if (!(last.key == key)) last = {key, static_cast<std::uint16_t>(here.code(key, rows_ + i))};
                return last.code;
            };
        });
    }

    // The same for rows that point to entries: entry_at(i) is the number of one of `keys`, or their count if missing.
    template <class EntryAt>
    void append_entries(std::size_t n, const std::vector<Key>& keys, const EntryAt& entry_at) {
        if (keys.size() > kRows)  // a table a block would be larger than the block
            return append(n, [&](std::size_t i, Key& key) {
                const std::size_t entry = entry_at(i);
                return entry < keys.size() && (key = keys[entry], true);
            });
        append_blocks(n, [&](Dictionary& here) {
            constexpr std::uint16_t unknown = kMissing - 1;
            std::vector<std::uint16_t> codes(keys.size() + 1, unknown);
            codes.back() = kMissing;
            return [&, codes = std::move(codes)](std::size_t i) mutable {
                std::uint16_t& code = codes[entry_at(i)];
                if (code == unknown)
                    code = static_cast<std::uint16_t>(here.code(keys[&code - codes.data()], rows_ + i));
                return code;
            };
        });
    }

    // Gives class i the number numbers[i].
    void renumber(const std::vector<std::uint32_t>& numbers) {
        for (auto& block : blocks_)
            for (auto& code : block.codes) code = numbers[code];
    }

    template <class C>
    void write(C* out) const {
        const auto one = [&](std::size_t b, std::size_t, std::size_t) {
            std::vector<C> codes(blocks_[b].codes.begin(), blocks_[b].codes.end());
            for (std::size_t i = blocks_[b].begin; i < blocks_[b].end; ++i)
                out[i] = local_[i] == kMissing ? static_cast<C>(-1) : codes[local_[i]];
        };
        for_blocks(blocks_.size(), 1, one, 8);
    }

    const Dictionary& classes() const { return classes_; }
    std::size_t rows() const { return rows_; }

private:
    // Keys that were seen of late, found by one multiplication and one comparison.
    struct Seen {
        Key key{0, 0, ~std::uint64_t{0}, nullptr};  // of no extent that a key has
        std::uint16_t code = 0;
        static constexpr std::size_t size = 256;
        static std::size_t place(const Key& key) { return ((key.a ^ key.b << 7) * 0x9E3779B97F4A7C15u) >> 56; }
    };
    static constexpr std::size_t kRows = std::size_t{1} << 15;  // so that a block's codes fit in 16 bits, one spare
    static constexpr std::uint16_t kMissing = 0xFFFF;
    struct Block {
        std::size_t begin, end;
        std::vector<std::uint32_t> codes;  // of the block's own classes
    };

    // start(dictionary) gives a function from the row to its code in the dictionary of the block.
    template <class Start>
    void append_blocks(std::size_t n, const Start& start) {
        std::uint16_t* const local = local_.get() + rows_;
        std::vector<Dictionary> found(block_count(n, kRows));
        for_blocks(
            n, kRows,
            [&](std::size_t b, std::size_t begin, std::size_t end) {
                Dictionary here;
                auto code_at = start(here);
                for (std::size_t i = begin; i < end; ++i) local[i] = code_at(i);
                found[b] = std::move(here);
            },
            2 * kRows);
        for (std::size_t b = 0; b < found.size(); ++b) {
            Block block{rows_ + b * kRows, rows_ + std::min(n, (b + 1) * kRows), {}};
            for (const auto& entry : found[b].entries()) block.codes.push_back(classes_.code(entry.key, entry.row));
            blocks_.push_back(std::move(block));
            found[b] = {};
        }
        rows_ += n;
    }

    std::unique_ptr<std::uint16_t[]> local_;
    std::vector<Block> blocks_;
    Dictionary classes_;
    std::size_t rows_ = 0;
};

inline nb::object codes_of(const Encoder& encoder) {
    return narrowest(encoder.classes().entries().size(), [&](auto zero) {
        using C = decltype(zero);
        Fresh out(dtype<C>(), encoder.rows());
        {
            nb::gil_scoped_release free;
            encoder.write(out.as<C>());
        }
        return out.array;
    });
}

}  // namespace calipers
