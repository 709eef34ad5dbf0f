// Scores on disk, in buckets of ascending score and by class, for samples that do not fit into memory. A bucket lies
// between two neighbouring splitters; the rows with the value of a splitter have a bucket of their own, so that however
// many rows tie, no other bucket grows. One file holds the blocks of all buckets in the order in which they were full.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <vector>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include "split.hpp"

namespace calipers {
namespace {

[[noreturn]] void fail_with_errno() {
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
}

void seek(int file, std::int64_t to) {
#ifdef _WIN32
    const std::int64_t at = _lseeki64(file, to, SEEK_SET);
#else
    const std::int64_t at = lseek(file, static_cast<off_t>(to), SEEK_SET);
#endif
    if (at != to) fail_with_errno();
}

void write_all(int file, const char* from, std::size_t bytes) {
    while (bytes > 0) {
        const auto done = ::write(file, from, std::min<std::size_t>(bytes, 1 << 30));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail_with_errno();
        from += done, bytes -= std::size_t(done);
    }
}

void read_all(int file, char* to, std::size_t bytes) {
    while (bytes > 0) {
        const auto done = ::read(file, to, std::min<std::size_t>(bytes, 1 << 30));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail_with_errno();
        if (done == 0) throw std::runtime_error("a temporary file ends too early");
        to += done, bytes -= std::size_t(done);
    }
}

// How many splitters are at most x, which is the number of rounds' worth of bits; then buckets 2k - 1 for the value of
// splitter k - 1 itself, and 2k for what lies between. Splitters are padded with NaN to 2^rounds - 1 and one more.
template <class T>
CALIPERS_CLONES void find_buckets(const T* __restrict x, std::size_t n, const T* __restrict splitters, int rounds,
                                  std::uint32_t* __restrict out) {
    for (std::size_t k = 0; k < n; ++k) out[k] = 0;
    for (int round = rounds - 1; round >= 0; --round) {
        const std::uint32_t half = 1u << round;
        for (std::size_t k = 0; k < n; ++k) out[k] += splitters[out[k] + half - 1] <= x[k] ? half : 0;
    }
    for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t before = out[k] > 0 ? out[k] - 1 : (1u << rounds) - 1;  // the last one is NaN
        out[k] = 2 * out[k] - (splitters[before] == x[k] ? 1 : 0);
    }
}

struct Block {
    std::int64_t offset;
    std::size_t rows;
};

// The rows of one bucket and class: `filled` in memory, the blocks on disk.
struct Bin {
    std::unique_ptr<char[]> data;
    std::size_t filled = 0, rows = 0;
    std::vector<Block> blocks;
};

struct Beside {
    std::string dtype;
    std::size_t size;
};

class Spill {
public:
    // beside: the types of columns that go with the scores. Without any, rows that tie with a splitter are counted only.
    Spill(int file, nb::handle splitters, std::size_t block_rows, std::vector<std::string> beside)
        : file_(file), block_rows_(std::max<std::size_t>(block_rows, 1)) {
        const View view(splitters, "splitters");
        view.floats([&](auto zero) {
            using T = decltype(zero);
            size_ = sizeof(T);
            while ((std::size_t{1} << rounds_) <= view.n) ++rounds_;
            std::vector<T> padded(std::size_t{1} << rounds_, std::numeric_limits<T>::quiet_NaN());
            std::copy_n(view.dense<T>(), view.n, padded.begin());
            splitters_.resize(padded.size() * sizeof(T));
            std::memcpy(splitters_.data(), padded.data(), splitters_.size());
        });
        for (std::string& dtype : beside) {
            const auto size = std::size_t(dtype.back() - '0');
            if (size != 2 && size != 8) throw nb::type_error("columns beside scores have 2 or 8 bytes a row");
            beside_.push_back({std::move(dtype), size}), row_bytes_ += size;
        }
        row_bytes_ += size_;
        bins_.resize(2 * (2 * view.n + 1));
    }

    Spill(const Spill&) = delete;

    // Rows with a score that is not a number are not added: how many there are, and the first.
    nb::tuple add(nb::handle scores, nb::handle codes, std::uint32_t positive, std::vector<nb::object> columns) {
        const View view(scores, "scores"), code_view(codes, "codes");
        const Positives truth{Codes(code_view), positive};
        if (view.n != code_view.n || columns.size() != beside_.size())
            throw nb::value_error("scores, codes and the columns beside them do not match");
        std::vector<std::unique_ptr<View>> views;
        std::vector<const char*> sides;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            views.push_back(std::make_unique<View>(columns[c], "a column beside scores"));
            const View& side = *views.back();
            if (side.n != view.n || side.size != beside_[c].size || side.stride != std::ptrdiff_t(side.size))
                side.fail(" must be dense, of the type that was announced, and as long as scores");
            sides.push_back(side.data);
        }
        std::size_t nans = 0;
        std::ptrdiff_t first_nan = -1;
        view.floats([&](auto zero) {
            using T = decltype(zero);
            if (sizeof(T) != size_) view.fail(" must have the type of the splitters");
            const Column<T> rows(view);
            T spare[chunk_rows], x[chunk_rows];
            std::int32_t other[chunk_rows];
            std::uint32_t buckets[chunk_rows];
            for (std::size_t at = 0; at < view.n; at += chunk_rows) {
                const std::size_t n = std::min(chunk_rows, view.n - at);
                const T* from = rows.rows(at, n, spare);
                for (std::size_t k = 0; k < n; ++k) x[k] = from[k] + T(0);  // -0.0 ties with 0.0
                truth.mark_others(at, n, other);
                find_buckets(x, n, reinterpret_cast<const T*>(splitters_.data()), rounds_, buckets);
                for (std::size_t k = 0; k < n; ++k) {
                    if (x[k] != x[k]) {
                        if (nans++ == 0) first_nan = std::ptrdiff_t(at + k);
                        continue;
                    }
                    Bin& bin = bins_[2 * buckets[k] + std::size_t(other[k] & 1)];
                    ++bin.rows;
                    if (beside_.empty() && buckets[k] % 2 == 1) continue;
                    append(bin, x[k], sides, at + k);
                }
            }
        });
        return nb::make_tuple(nans, first_nan);
    }

    // Rows by bucket: positives, negatives.
    nb::object counts() const {
        const Fresh out(dtype<std::int64_t>(), nb::make_tuple(bins_.size() / 2, 2));
        for (std::size_t b = 0; b < bins_.size(); ++b) out.as<std::int64_t>()[b] = std::int64_t(bins_[b].rows);
        return out.array;
    }

    std::size_t blocks(std::size_t bucket, std::size_t other) const { return at(bucket, other).blocks.size() + 1; }

    // The scores of some blocks of a bucket, and the columns beside them; the last block is the one in memory.
    nb::list read(std::size_t bucket, std::size_t other, std::size_t begin, std::size_t end) {
        const Bin& bin = at(bucket, other);
        const bool all = end > bin.blocks.size();
        end = std::min(end, bin.blocks.size());
        std::size_t rows = all ? bin.filled : 0;
        for (std::size_t b = begin; b < end; ++b) rows += bin.blocks[b].rows;
        std::vector<Fresh> out;
        out.emplace_back(size_ == sizeof(double) ? dtype<double>() : dtype<float>(), rows);
        for (const Beside& column : beside_) out.emplace_back(nb::str(column.dtype.c_str()), rows);
        std::size_t done = 0;
        const auto take = [&](std::size_t count, const char* memory) {
            std::size_t offset = 0;
            for (std::size_t c = 0; c < out.size(); ++c) {
                const std::size_t size = c == 0 ? size_ : beside_[c - 1].size;
                char* const to = out[c].data + done * size;
                if (memory != nullptr) std::memcpy(to, memory + offset, count * size);
                else read_all(file_, to, count * size);
                offset += block_rows_ * size;
            }
            done += count;
        };
        for (std::size_t b = begin; b < end; ++b) seek(file_, bin.blocks[b].offset), take(bin.blocks[b].rows, nullptr);
        if (all && bin.filled > 0) take(bin.filled, bin.data.get());
        nb::list arrays;
        for (const Fresh& array : out) arrays.append(array.array);
        return arrays;
    }

    std::int64_t bytes() const { return end_; }

private:
    const Bin& at(std::size_t bucket, std::size_t other) const { return bins_.at(2 * bucket + other); }

    template <class T>
    CALIPERS_INLINE void append(Bin& bin, T x, const std::vector<const char*>& sides, std::size_t row) {
        if (!bin.data) bin.data.reset(new char[block_rows_ * row_bytes_]);
        std::memcpy(bin.data.get() + bin.filled * sizeof(T), &x, sizeof(T));
        std::size_t offset = block_rows_ * sizeof(T);
        for (std::size_t c = 0; c < sides.size(); ++c) {
            const std::size_t size = beside_[c].size;
            char* const to = bin.data.get() + offset + bin.filled * size;
            if (size == 2) std::memcpy(to, sides[c] + row * 2, 2);
            else std::memcpy(to, sides[c] + row * 8, 8);
            offset += block_rows_ * size;
        }
        if (++bin.filled == block_rows_) flush(bin);
    }

    void flush(Bin& bin) {
        seek(file_, end_);
        write_all(file_, bin.data.get(), block_rows_ * row_bytes_);
        bin.blocks.push_back({end_, block_rows_});
        end_ += std::int64_t(block_rows_ * row_bytes_);
        bin.filled = 0;
    }

    int file_;
    std::size_t block_rows_, size_ = 0, row_bytes_ = 0;
    int rounds_ = 0;
    std::int64_t end_ = 0;
    std::vector<char> splitters_;
    std::vector<Beside> beside_;
    std::vector<Bin> bins_;
};

}  // namespace

void init_spill(nb::module_& m) {
    nb::class_<Spill>(m, "Spill")
        .def(nb::init<int, nb::handle, std::size_t, std::vector<std::string>>(), nb::arg("file"), nb::arg("splitters"),
             nb::arg("block_rows"), nb::arg("beside"))
        .def("add", &Spill::add, nb::arg("scores"), nb::arg("codes"), nb::arg("positive"), nb::arg("columns"))
        .def("counts", &Spill::counts)
        .def("blocks", &Spill::blocks, nb::arg("bucket"), nb::arg("other"))
        .def("read", &Spill::read, nb::arg("bucket"), nb::arg("other"), nb::arg("begin"), nb::arg("end"))
        .def_prop_ro("bytes", &Spill::bytes);
}

}  // namespace calipers
