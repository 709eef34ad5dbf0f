// Ascending samples of one class become one, on all threads: blocks that cut no tie know where they write.
#include "parallel.hpp"
#include "runs.hpp"

namespace calipers {
namespace {

// One value's weights, in ascending order: no merge then depends on which sample came first.
template <class T>
void merge_weighted(const TwoSamples<T>& s, State from, State to, const double* wa, const double* wb, T* values,
                    double* weights) {
    for (State at = from; at.i < to.i || at.j < to.j;) {
        const T value = s.value(at);
        const std::size_t begin = at.i + at.j;
        for (; at.i < to.i && s.pos[at.i] == value; ++at.i) weights[at.i + at.j] = wa[at.i];
        for (; at.j < to.j && s.neg[at.j] == value; ++at.j) weights[at.i + at.j] = wb[at.j];
        std::fill(values + begin, values + at.i + at.j, value);
        std::sort(weights + begin, weights + at.i + at.j);
    }
}

nb::tuple merge_weighted_samples(nb::handle a, nb::handle b, nb::handle a_weights, nb::handle b_weights) {
    return with_samples(a, b, [&](const auto& s) {
        using T = std::decay_t<decltype(*s.pos)>;
        const Weights wa(a_weights, "a_weights", s.positives), wb(b_weights, "b_weights", s.negatives);
        if (wa.data == nullptr || wb.data == nullptr) throw nb::type_error("a_weights and b_weights must be arrays");
        const Fresh values(dtype<T>(), s.size()), weights(dtype<double>(), s.size());
        {
            nb::gil_scoped_release release;
            for_blocks(s.size(), cached_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
                const State x = s.group_of(begin), y = s.group_of(end);
                merge_weighted(s, x, y, wa.data, wb.data, values.as<T>(), weights.as<double>());
            });
        }
        return nb::make_tuple(values.array, weights.array);
    });
}

// Where numbers are no longer below a value: a search that takes few steps if this is near the begin.
template <class T>
const T* first_from(const Run<T>& run, T value) {
    std::size_t far = 1;
    while (far < run.size() && run.begin[far] < value) far *= 2;
    return std::lower_bound(run.begin + far / 2, run.begin + std::min(far + 1, run.size()), value);
}

// Any number of ascending samples, cut at the same values into blocks that fit the cache: there they are merged two by two,
// and only the last merge of a block writes to memory.
template <class T>
class Blocks {
public:
    explicit Blocks(const Runs<T>& samples) : samples_(samples.size()) {
        Runs<T> left = samples;
        for (const T border : borders(samples)) {
            for (Run<T>& rest : left) {
                const T* const at = first_from(rest, border);
                runs_.push_back({rest.begin, at});
                rest.begin = at;
            }
        }
        runs_.insert(runs_.end(), left.begin(), left.end());
        for (std::size_t b = 0, rows = 0; b < runs_.size(); b += samples_) {
            starts_.push_back(rows);
            for (std::size_t k = b; k < b + samples_; ++k) rows += runs_[k].size();
        }
    }

    void merge_to(T* to) const {
        const auto merge_block = [&](std::size_t b, std::size_t, std::size_t) {
            Runs<T> runs;
            for (std::size_t k = b * samples_; k < (b + 1) * samples_; ++k)
                if (runs_[k].size() > 0) runs.push_back(runs_[k]);
            merge_runs(std::move(runs), to + starts_[b]);
        };
        for_blocks(starts_.size(), 1, merge_block, 2);
    }

private:
    // Of every sample each so-many-th value: between two borders lie as many of these as there are samples, so that a block
    // has at most `cached_rows` rows, if no value occurs more often.
    static std::vector<T> borders(const Runs<T>& samples) {
        const std::size_t step = std::max<std::size_t>(1, cached_rows / (2 * samples.size()));
        std::vector<T> values, out;
        for (const Run<T>& sample : samples)
            for (std::size_t k = step; k < sample.size(); k += step) values.push_back(sample.begin[k]);
        std::sort(values.begin(), values.end());
        for (std::size_t k = samples.size(); k < values.size(); k += samples.size())
            if (out.empty() || out.back() < values[k]) out.push_back(values[k]);
        return out;
    }

    std::size_t samples_;
    Runs<T> runs_;  // of each block, a run of each sample
    std::vector<std::size_t> starts_;
};

nb::object merge_sorted(nb::list arrays) {
    const Samples samples(arrays);
    return samples.floats([&](auto zero) {
        using T = decltype(zero);
        const Runs<T> runs = samples.runs<T>();
        const Fresh values(dtype<T>(), rows_of(runs));
        {
            nb::gil_scoped_release release;
            if (!runs.empty()) Blocks<T>(runs).merge_to(values.as<T>());
        }
        return values.array;
    });
}

}  // namespace

void init_merge(nb::module_& m) {
    m.def("merge_sorted", &merge_sorted, nb::arg("samples"), "The numbers of ascending samples of one type, ascending.");
    m.def("merge_weighted", &merge_weighted_samples, nb::arg("a"), nb::arg("b"), nb::arg("a_weights"), nb::arg("b_weights"),
          "(values, weights) of two ascending samples, ascending; weights ascend within equal values.");
}

}  // namespace calipers
