// The measures of one ranked query. Documents of the same score may be marked as tied: every measure is then its
// expectation over all orders of theirs, in closed form.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "ranked_measures.hpp"

namespace calipers {

class RankedQuery {
public:
    explicit RankedQuery(const Discounts& discounts) : discounts_(discounts) {}

    // gains: of the documents in rank order, NaN where not judged; pool: of all that are judged, in any order. -infinity is
    // a document of the pool that was left out of the sample to judge: only inferred AP tells it from one outside of it.
    void read(const double* gains, const bool* tied, std::size_t n, const double* pool, std::size_t judged,
              bool condensed) {
        retrieved_ = n, known_ = 0, tied_ = tied != nullptr;
        pool_.clear(), sorted_ = false;
        std::copy_if(pool, pool + judged, std::back_inserter(pool_), is_judged);
        if (!tied && !condensed) return read_plain(gains, n);
        grade_.clear(), judged_.clear(), pooled_.clear(), ends_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            const bool known = is_judged(gains[i]);
            known_ += known;
            if (i > 0 && !(tied && tied[i]) && ends_.size() < grade_.size()) close_group();
            if (condensed && !known) continue;
            grade_.push_back(known ? gains[i] : 0.0), judged_.push_back(known), pooled_.push_back(!std::isnan(gains[i]));
        }
        close_group();
    }

    void count(std::int64_t* out) const {
        out[0] = static_cast<std::int64_t>(retrieved_), out[1] = static_cast<std::int64_t>(known_);
        out[2] = std::count_if(pool_.begin(), pool_.end(), [](double g) { return g > 0; });
        out[3] = static_cast<std::int64_t>(pool_.size());
    }

    double measure(const Step& step) {
        const std::size_t n = grade_.size();
        const std::size_t cut = step.k < static_cast<double>(n) ? static_cast<std::size_t>(step.k) : n;
        const auto relevant = static_cast<double>(std::count_if(
            pool_.begin(), pool_.end(), [&](double g) { return g >= step.level; }));
        switch (step.kind) {
            case Measured::cg: return gained(step, cut, false);
            case Measured::dcg: return gained(step, cut, true);
            case Measured::idcg: return ideal(step);
            case Measured::ndcg: return share(gained(step, cut, true), ideal(step));
            case Measured::map:
                return share(precisions(step.level, cut), step.extra == 1 ? std::min(relevant, step.k) : relevant);
            case Measured::mrr: return first(step.level, cut, false);
            case Measured::p: return share(hits(step.level, cut), std::isinf(step.k) ? static_cast<double>(n) : step.k);
            case Measured::recall: return share(hits(step.level, cut), relevant);
            case Measured::success: return first(step.level, cut, true);
            case Measured::rprec:
                return share(hits(step.level, std::min(n, static_cast<std::size_t>(relevant))), relevant);
            case Measured::err: return stopped(step.extra, cut);
            case Measured::rbp: return persisted(step, cut);
            case Measured::bpref: return preferred(step.level, relevant);
            case Measured::relative: return share(hits(step.level, cut), std::min(relevant, step.k));
            case Measured::set_f:
                return share((1 + step.extra) * hits(step.level, n), static_cast<double>(n) + step.extra * relevant);
            case Measured::iprec: return best_from(step.level, wanted(step.extra, relevant));
            case Measured::eleven: return eleven_points(step.level, relevant);
            case Measured::infap: return share(inferred(step.level), relevant);
            case Measured::residual: return unseen(step, cut);
        }
        return 0;
    }

private:
    static double share(double part, double whole) { return whole > 0 ? part / whole : 0.0; }
    static double gain(double grade, const Step& step) { return step.extra == 1 ? std::exp2(grade) - 1 : grade; }

    static bool is_judged(double gain) { return gain > -std::numeric_limits<double>::infinity(); }

    // Without ties every document is a set of its own.
    void read_plain(const double* gains, std::size_t n) {
        grade_.resize(n), judged_.resize(n), pooled_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            judged_[i] = is_judged(gains[i]), pooled_[i] = gains[i] == gains[i];
            grade_[i] = judged_[i] ? gains[i] : 0.0;
            known_ += judged_[i];
        }
        for (std::size_t i = ends_.size(); i < n; ++i) ends_.push_back(i + 1);
    }

    void close_group() { ends_.resize(grade_.size(), grade_.size()); }

    // Calls f(begin, end) for each set of tied documents that begins before the cutoff.
    template <class F>
    void groups(std::size_t cut, const F& f) const {
        for (std::size_t begin = 0; begin < cut; begin = ends_[begin]) f(begin, ends_[begin]);
    }

    std::size_t relevant_in(double level, std::size_t begin, std::size_t end) const {
        return static_cast<std::size_t>(
            std::count_if(grade_.begin() + begin, grade_.begin() + end, [&](double g) { return g >= level; }));
    }

    double gained(const Step& step, std::size_t cut, bool discounted) const {
        double sum = 0;
        groups(cut, [&](std::size_t begin, std::size_t end) {
            double mean = 0;
            for (std::size_t i = begin; i < end; ++i) mean += gain(grade_[i], step);
            mean /= static_cast<double>(end - begin);
            for (std::size_t i = begin; i < std::min(end, cut); ++i) sum += discounted ? mean / discounts_[i] : mean;
        });
        return sum;
    }

    double ideal(const Step& step) {
        if (!sorted_) std::sort(pool_.begin(), pool_.end(), [](double a, double b) { return a > b; });
        sorted_ = true;
        double sum = 0;
        for (std::size_t i = 0; i < pool_.size() && static_cast<double>(i) < step.k; ++i)
            sum += gain(pool_[i], step) / discounts_[i];
        return sum;
    }

    double hits(double level, std::size_t cut) const {
        if (!tied_) return static_cast<double>(relevant_in(level, 0, cut));
        double sum = 0;
        groups(cut, [&](std::size_t begin, std::size_t end) {
            const auto part = static_cast<double>(relevant_in(level, begin, end));
            sum += end <= cut ? part : part * static_cast<double>(cut - begin) / static_cast<double>(end - begin);
        });
        return sum;
    }

    // The sum of precisions at relevant documents; of those in the group, (r - 1) / (n - 1) of the places before one
    // are relevant too (McSherry and Najork 2008).
    double precisions(double level, std::size_t cut) const {
        double sum = 0, before = 0;
        for (std::size_t i = 0; !tied_ && i < cut; ++i)
            if (grade_[i] >= level) sum += (before += 1) / static_cast<double>(i + 1);
        if (!tied_) return sum;
        groups(cut, [&](std::size_t begin, std::size_t end) {
            const auto r = static_cast<double>(relevant_in(level, begin, end)), n = static_cast<double>(end - begin);
            const double rest = n > 1 ? (r - 1) / (n - 1) : 0;
            if (r > 0)
                for (std::size_t i = begin; i < std::min(end, cut); ++i)
                    sum += r / n * (before + 1 + static_cast<double>(i - begin) * rest) / static_cast<double>(i + 1);
            before += r;
        });
        return sum;
    }

    // 1 / rank of the first relevant document, or whether there is one.
    double first(double level, std::size_t cut, bool any) const {
        for (std::size_t i = 0; !tied_ && i < cut; ++i)
            if (grade_[i] >= level) return any ? 1.0 : 1 / static_cast<double>(i + 1);
        if (!tied_) return 0;
        for (std::size_t begin = 0; begin < cut; begin = ends_[begin]) {
            const std::size_t end = ends_[begin];
            const auto r = static_cast<double>(relevant_in(level, begin, end));
            if (r == 0) continue;
            double none = 1, sum = 0;  // the probability that no place so far is relevant
            for (std::size_t i = begin; i < std::min(end, cut) && none > 0; ++i) {
                const double here = none * std::min(1.0, r / static_cast<double>(end - i));
                sum += any ? here : here / static_cast<double>(i + 1);
                none -= here;
            }
            return any && end <= cut ? 1.0 : sum;
        }
        return 0;
    }

    // ERR (Chapelle et al. 2009). Over orders of a group, the probability to reach place i is the mean over its subsets
    // of i documents of the product of their 1 - stop: m[i], built one document at a time.
    double stopped(double most, std::size_t cut) {
        double sum = 0, reached = 1;
        groups(cut, [&](std::size_t begin, std::size_t end) {
            const std::size_t places = std::min(end, cut) - begin;
            mean_.assign(places + 1, 0.0);
            mean_[0] = 1;
            for (std::size_t i = begin; i < end; ++i) {
                const double go = 1 - (std::exp2(grade_[i]) - 1) / std::exp2(most);
                const auto n = static_cast<double>(i - begin + 1);
                for (std::size_t j = std::min(places, i - begin + 1); j > 0; --j) {
                    const auto of = static_cast<double>(j);
                    mean_[j] = ((n - of) * mean_[j] + of * go * mean_[j - 1]) / n;
                }
            }
            for (std::size_t j = 0; j < places; ++j)
                sum += reached * (mean_[j] - mean_[j + 1]) / static_cast<double>(begin + j + 1);
            reached *= mean_[places];
        });
        return sum;
    }

    double persisted(const Step& step, std::size_t cut) const {
        double sum = 0, weight = 1 - step.extra;
        groups(cut, [&](std::size_t begin, std::size_t end) {
            const double mean = static_cast<double>(relevant_in(step.level, begin, end)) /
                                static_cast<double>(end - begin);
            for (std::size_t i = begin; i < std::min(end, cut); ++i, weight *= step.extra) sum += mean * weight;
        });
        return sum;
    }

    // bpref as trec_eval has it: judged documents only, at most min(R, N) of those not relevant. Above a relevant document
    // of a group stand 0 to m of its m others, each number as likely.
    double preferred(double level, double relevant) const {
        const double bound = std::min(relevant, static_cast<double>(pool_.size()) - relevant);
        double sum = 0, above = 0;
        groups(grade_.size(), [&](std::size_t begin, std::size_t end) {
            std::size_t r = 0, others = 0;
            for (std::size_t i = begin; i < end; ++i)
                if (judged_[i]) ++(grade_[i] >= level ? r : others);
            if (r > 0) {
                double mean = 0;
                for (std::size_t m = 0; m <= others; ++m)
                    mean += bound > 0 ? 1 - std::min(above + static_cast<double>(m), bound) / bound : 1.0;
                sum += static_cast<double>(r) * mean / static_cast<double>(others + 1);
            }
            above += static_cast<double>(others);
        });
        return share(sum, relevant);
    }

    // The relevant documents that a recall takes, rounded as trec_eval does.
    static double wanted(double recall, double relevant) { return std::floor(recall * relevant + 0.9); }

    // The highest precision at any rank with so many relevant documents or more.
    double best_from(double level, double wanted) const {
        double best = 0, found = 0;
        for (std::size_t i = 0; i < grade_.size(); ++i) {
            found += grade_[i] >= level;
            if (found >= wanted) best = std::max(best, found / static_cast<double>(i + 1));
        }
        return best;
    }

    double eleven_points(double level, double relevant) const {
        double sum = 0;
        for (int tenths = 0; tenths <= 10; ++tenths) sum += best_from(level, wanted(tenths / 10.0, relevant));
        return sum / 11;
    }

    // The sum of inferred precisions at relevant documents (Yilmaz and Aslam 2006), with trec_eval's constant against 0 / 0.
    double inferred(double level) const {
        constexpr double tiny = 0.00001;
        double sum = 0, relevant = 0, judged = 0, pooled = 0;
        for (std::size_t i = 0; i < grade_.size(); ++i) {
            const bool hit = judged_[i] && grade_[i] >= level;
            if (hit) {
                const double share = (relevant + tiny) / (judged + 2 * tiny);
                sum += (1 + pooled * share) / static_cast<double>(i + 1);
            }
            relevant += hit, judged += judged_[i], pooled += pooled_[i];
        }
        return sum;
    }

    // The most that unjudged documents, and those below the cutoff, could add to RBP.
    double unseen(const Step& step, std::size_t cut) const {
        double sum = 0, weight = 1 - step.extra;
        groups(cut, [&](std::size_t begin, std::size_t end) {
            const auto unknown = std::count(judged_.begin() + begin, judged_.begin() + end, 0);
            const double mean = static_cast<double>(unknown) / static_cast<double>(end - begin);
            for (std::size_t i = begin; i < std::min(end, cut); ++i, weight *= step.extra) sum += mean * weight;
        });
        return sum + weight / (1 - step.extra);
    }

    const Discounts& discounts_;
    std::vector<double> grade_, pool_, mean_;
    std::vector<char> judged_, pooled_;
    std::vector<std::size_t> ends_;  // of the set of tied documents that each one is in
    std::size_t retrieved_ = 0, known_ = 0;
    bool sorted_ = false, tied_ = false;
};

}  // namespace calipers
