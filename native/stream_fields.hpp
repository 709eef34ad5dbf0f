// Columns that grow a batch at a time: codes of labels, and numbers. Text that must be numbers is read here, by one rule,
// whatever wrote it.
#pragma once

#include "arrow_rows.hpp"
#include "pages.hpp"

#include <charconv>
#include <cstdlib>
#include <memory>
#include <utility>

namespace calipers {

struct BadCell {
    std::size_t row;
    std::string text;
};

class Field {
public:
    virtual ~Field() = default;
    virtual void append(const Rows& rows, char decimal) = 0;
    virtual nb::object result(bool more) = 0;  // of the rows since the last result; more: others follow

    std::size_t n = 0;  // rows in all
    std::size_t taken() {
        const std::size_t rows = n - taken_;
        taken_ = n;
        return rows;
    }

private:
    std::size_t taken_ = 0;
};

// The bytes of batches, one after the other, in pieces that grow: large ones are in huge pages, whose faults cost less than
// those of as many small ones. Pieces are used again where others follow.
class Bytes {
public:
    // Room for so many bytes, not initialised, after the others.
    char* add(std::size_t bytes) {
        if (pieces_.empty() || pieces_.back().capacity - pieces_.back().used < bytes) {
            if (spare_.empty() || spare_.back().capacity < bytes) {
                const std::size_t capacity = std::max(bytes, next_);
                spare_.push_back({pages<char>(capacity), capacity});
                next_ = std::min(2 * next_, most);
            }
            pieces_.push_back(std::move(spare_.back()));
            spare_.pop_back();
        }
        Piece& last = pieces_.back();
        last.used += bytes;
        return last.data.get() + last.used - bytes;
    }

    void move_to(char* out, bool more) {
        for (Piece& piece : pieces_) {
            std::memcpy(out, piece.data.get(), piece.used);
            out += piece.used;
            if (more) spare_.push_back({std::move(piece.data), piece.capacity});
            piece.data.reset();
        }
        pieces_.clear();
    }

private:
    static constexpr std::size_t least = std::size_t{1} << 16, most = std::size_t{1} << 25;
    struct Piece {
        Pages<char> data;
        std::size_t capacity, used = 0;
    };
    std::vector<Piece> pieces_, spare_;
    std::size_t next_ = least;
};

// Codes of a batch, as narrow as the classes met so far allow.
struct CodeBlock {
    std::size_t n;
    std::size_t width;
    std::vector<char> data;
};

class LabelField : public Field {
public:
    explicit LabelField(std::string format) : format_(std::move(format)) {}

    void append(const Rows& rows, char) override {
        std::vector<std::uint32_t> codes(rows.n);
        const bool nulls = rows.has_nulls();
        check_text(format_, rows);
        if (rows.n > 0)
            with_text(format_, rows, [&](auto key_at) {
                for (std::size_t i = 0; i < rows.n; ++i) {
                    if (nulls && !rows.valid(i)) {
                        codes[i] = kMissing;
                        continue;
                    }
                    const Key key = key_at(i);
                    codes[i] = classes_.code(key, n + i);
                    if (codes[i] == texts_.size()) {  // a new one: its bytes go with the batch
                        texts_.emplace_back(new char[key.bytes() + 1]);
                        std::memcpy(texts_.back().get(), key.data, key.bytes());
                        classes_.rebase(texts_.back().get());
                    }
                }
            });
        narrowest(texts_.size(), [&](auto zero) {
            using C = decltype(zero);
            CodeBlock block{rows.n, sizeof(C), std::vector<char>(rows.n * sizeof(C))};
            for (std::size_t i = 0; i < rows.n; ++i) {
                const C code = static_cast<C>(codes[i]);
                std::memcpy(block.data.data() + i * sizeof(C), &code, sizeof(C));
            }
            blocks_.push_back(std::move(block));
        });
        n += rows.n;
    }

    nb::object result(bool) override {
        nb::list values;
        for (const auto& entry : classes_.entries()) {
            const auto bytes = static_cast<Py_ssize_t>(entry.key.bytes());
            auto text = nb::steal(PyUnicode_DecodeUTF8(entry.key.data, bytes, "replace"));
            if (!text.is_valid()) throw nb::python_error();
            values.append(text);
        }
        const std::size_t rows = taken();
        return narrowest(texts_.size(), [&](auto zero) {
            using C = decltype(zero);
            Fresh out(dtype<C>(), rows);
            {
                nb::gil_scoped_release free;
                C* to = out.as<C>();
                for (auto& block : blocks_) {
                    to = block.width == 1 ? widen<std::uint8_t>(block, to)
                       : block.width == 2 ? widen<std::uint16_t>(block, to)
                                          : widen<std::uint32_t>(block, to);
                    block.data = {};
                }
                blocks_.clear();
            }
            return nb::object(nb::make_tuple("labels", out.array, values, nb::list()));
        });
    }

private:
    static constexpr std::uint32_t kMissing = 0xFFFFFFFF;

    template <class From, class C>
    static C* widen(const CodeBlock& block, C* to) {
        const Dense<From> codes{block.data.data()};
        for (std::size_t i = 0; i < block.n; ++i)
            *to++ = codes[i] == static_cast<From>(-1) ? static_cast<C>(-1) : static_cast<C>(codes[i]);
        return to;
    }

    std::string format_;
    Dictionary classes_;
    std::vector<std::unique_ptr<char[]>> texts_;
    std::vector<CodeBlock> blocks_;
};

class NumberField : public Field {
public:
    explicit NumberField(const Number& number) : number_(number) {}

    void append(const Rows& rows, char) override {
        std::vector<char> missing(rows.has_nulls() || *number_.format == 'n' ? rows.n : 0);
        any_ |= copy_numbers(number_, rows, room(rows.n), missing.data());
        keep(std::move(missing), rows.n);
    }

    nb::object result(bool more) override {
        const std::size_t rows = taken();
        const bool any = std::exchange(any_, false);
        const Fresh out(nb::str(number_.dtype), rows), missing(dtype<bool>(), any ? rows : 0);
        {
            nb::gil_scoped_release free;
            numbers_.move_to(out.data, more);
            char* to = missing.data;
            for (const Marks& marks : marks_) {
                if (!any) break;
                if (marks.missing.empty()) std::memset(to, 0, marks.rows);
                else std::memcpy(to, marks.missing.data(), marks.rows);
                to += marks.rows;
            }
            marks_.clear();
        }
        return nb::make_tuple("numbers", out.array, any ? missing.array : nb::none());
    }

protected:
    char* room(std::size_t rows) { return numbers_.add(rows * number_.size); }

    // missing: 1 where there is no number; empty where there are all.
    void keep(std::vector<char> missing, std::size_t rows) {
        marks_.push_back({std::move(missing), rows});
        n += rows;
    }

    Number number_;
    bool any_ = false;

private:
    struct Marks {
        std::vector<char> missing;
        std::size_t rows;
    };
    Bytes numbers_;
    std::vector<Marks> marks_;
};

// Words that stand for no number, in any case; the empty cell is one too.
inline bool is_absent(const char* begin, const char* end) {
    static const char* const words[] = {"", "na", "n/a", "#n/a", "nan", "null", "none"};
    const auto n = static_cast<std::size_t>(end - begin);
    for (const char* word : words) {
        if (std::strlen(word) != n) continue;
        std::size_t i = 0;
        while (i < n && (begin[i] | (begin[i] >= 'A' && begin[i] <= 'Z' ? 0x20 : 0)) == word[i]) ++i;
        if (i == n) return true;
    }
    return false;
}

// The number that a cell spells; false when it spells none. One decimal mark, no marks between thousands.
inline bool number_from(const char* begin, const char* end, char decimal, double& value) {
    char spare[64];
    const auto n = static_cast<std::size_t>(end - begin);
    if (decimal != '.') {
        if (n >= sizeof(spare) || std::memchr(begin, '.', n)) return false;
        std::memcpy(spare, begin, n);
        if (void* mark = std::memchr(spare, decimal, n)) *static_cast<char*>(mark) = '.';
        begin = spare, end = spare + n;
    }
    if (*begin == '+' && n > 1 && begin[1] != '-') ++begin;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (stop != end) return false;
    if (error == std::errc::result_out_of_range) {  // too small is 0; too large is nothing that a double can hold
        value = std::strtod(std::string(begin, end).c_str(), nullptr);
        return value > -1 && value < 1;
    }
    return error == std::errc() && value == value;
}

// Text that must be numbers.
class ParsedField : public NumberField {
public:
    explicit ParsedField(std::string format) : NumberField(*number_of("g")), format_(std::move(format)) {}

    void append(const Rows& rows, char decimal) override {
        char* const block = room(rows.n);
        std::vector<char> missing(rows.n, 0);
        const bool nulls = rows.has_nulls();
        check_text(format_, rows);
        if (rows.n > 0)
            with_text(format_, rows, [&](auto key_at) {
                for (std::size_t i = 0; i < rows.n; ++i) {
                    double value = 0;
                    if (nulls && !rows.valid(i)) {
                        missing[i] = 1;
                    } else {
                        const Key key = key_at(i);
                        const char *begin = key.data, *end = key.data + key.bytes();
                        while (begin < end && (*begin == ' ' || *begin == '\t')) ++begin;
                        while (begin < end && (end[-1] == ' ' || end[-1] == '\t')) --end;
                        if (is_absent(begin, end)) missing[i] = 1, value = 0;
                        else if (!number_from(begin, end, decimal, value))
                            throw BadCell{n + i, std::string(key.data, std::min<std::size_t>(key.bytes(), 200))};
                    }
                    any_ |= missing[i] != 0;
                    std::memcpy(block + i * sizeof(double), &value, sizeof(double));
                }
            });
        if (std::memchr(missing.data(), 1, missing.size()) == nullptr) missing = {};
        keep(std::move(missing), rows.n);
    }

private:
    std::string format_;
};

}  // namespace calipers
