// What is asked of a ranked query: a measure with its parameters, and the discounts of its ranks.
#pragma once

#include <cmath>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace calipers {

enum class Measured {
    cg, dcg, idcg, ndcg, map, mrr, p, recall, success, rprec, err, rbp, bpref,
    relative, set_f, iprec, eleven, infap, residual
};

inline Measured kind_of(const std::string& name) {
    static constexpr const char* names[] = {"cg",       "dcg",   "idcg",  "ndcg",   "map",   "mrr", "p",
                                            "recall",   "success", "rprec", "err",  "rbp",   "bpref",
                                            "relative", "set_f", "iprec", "eleven", "infap", "residual"};
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (name == names[i]) return static_cast<Measured>(i);
    throw std::invalid_argument("no measure of a ranking is called " + name);
}

// k: cutoff, infinite for none; level: relevant from this grade on; extra: 1 for exponential gains (cg, dcg, idcg, ndcg)
// and for the smaller of |relevant| and k (map), the persistence (rbp, residual), the greatest grade there is (err), the
// weight of recall (set_f), the recall (iprec).
struct Step {
    Measured kind;
    double k, level, extra;
};

// log2(rank + 1), rank from 1.
class Discounts {
public:
    explicit Discounts(std::size_t n) : log_(n) {
        for (std::size_t i = 0; i < n; ++i) log_[i] = std::log2(static_cast<double>(i) + 2);
    }
    double operator[](std::size_t i) const { return log_[i]; }

private:
    std::vector<double> log_;
};

}  // namespace calipers
