#include <atomic>
#include <memory>
#include <optional>

#include "base/threads.hpp"
#include "bindings/common.hpp"
#include "rlt/ascent.hpp"

namespace enpda {
namespace {

// Many pairs at once, for whoever trains a network to share profit: candidates and ACG edges of all of them
// in a row.
class ShareBatch {
 public:
  ShareBatch(const std::vector<std::pair<const Graph*, const Graph*>>& pairs, int threads)
      : pairs_(pairs.size()), shares_(pairs.size()), threads_(threads) {
    each([&](size_t k) {
      pairs_[k] = std::make_unique<Pair>(*pairs[k].first, *pairs[k].second, forever_);
      shares_[k].emplace(*pairs_[k], forever_);
    });
    for (const auto& one : shares_) {
      candidate_start.push_back(candidate_start.back() + static_cast<int64_t>(one->candidates()));
      edge_start.push_back(edge_start.back() + static_cast<int64_t>(one->edges()));
      row_start.push_back(row_start.back() + one->outer().rows());
      column_start.push_back(column_start.back() + one->outer().columns());
    }
    const size_t candidates = candidate_start.back(), edges = edge_start.back();
    row.resize(candidates), column.resize(candidates), cell.resize(candidates), a.resize(edges),
        b.resize(edges);
    each([&](size_t k) {
      auto put = [](const std::vector<int32_t>& from, int64_t at, int64_t shift, std::vector<int64_t>& to) {
        for (size_t x = 0; x < from.size(); ++x) to[at + x] = from[x] + shift;
      };
      const Shares& s = *shares_[k];
      put(s.rows(), candidate_start[k], row_start[k], row);
      put(s.columns(), candidate_start[k], column_start[k], column);
      for (size_t x = 0; x < s.candidates(); ++x)
        cell[candidate_start[k] + x] = pairs_[k]->place(s.survivors()[x]);
      put(s.first_owner(), edge_start[k], candidate_start[k], a);
      put(s.second_owner(), edge_start[k], candidate_start[k], b);
    });
  }

  // Bounds, in edges, and readings under these shares of the first copies.
  auto evaluate(const Vector<float>& shares) {
    const size_t candidates = candidate_start.back(), edges = edge_start.back();
    if (shares.size() != edges) throw std::invalid_argument("one share for each edge");
    std::vector<double> bounds(shares_.size());
    std::vector<float> nodes(Reading::kCandidate * candidates), first(Reading::kArc * edges),
        second(Reading::kArc * edges);
    {
      nb::gil_scoped_release release;
      each([&](size_t k) {
        thread_local Reading reading;
        Shares& s = *shares_[k];
        s.divide(std::span(shares.data() + edge_start[k], s.edges()));
        bounds[k] = static_cast<double>(s.evaluate(forever_)) / kUnit;
        s.centralise();
        s.read(reading);
        std::copy(reading.candidate.begin(), reading.candidate.end(),
                  nodes.begin() + Reading::kCandidate * candidate_start[k]);
        std::copy(reading.a.begin(), reading.a.end(), first.begin() + Reading::kArc * edge_start[k]);
        std::copy(reading.b.begin(), reading.b.end(), second.begin() + Reading::kArc * edge_start[k]);
      });
    }
    return std::tuple(array(std::move(bounds)), array(std::move(nodes), {candidates, Reading::kCandidate}),
                      array(std::move(first), {edges, Reading::kArc}),
                      array(std::move(second), {edges, Reading::kArc}));
  }

  // Shares of the first copies after so many sweeps from the even shares, as an ascent begins.
  auto swept(int sweeps) {
    std::vector<float> out(edge_start.back());
    {
      nb::gil_scoped_release release;
      each([&](size_t k) {
        thread_local Reading reading;
        const RltOptions options;
        Shares& s = *shares_[k];
        s.even();
        for (int t = 0; t < sweeps; ++t) {
          s.evaluate(forever_);
          s.centralise();
          s.sweep(options.first_fraction, t % 2 == 1, forever_);
        }
        s.evaluate(forever_);
        s.centralise();
        s.read(reading);
        for (size_t e = 0; e < s.edges(); ++e) out[edge_start[k] + e] = reading.a[Reading::kArc * e];
      });
    }
    return array(std::move(out));
  }

  // How often an ascent of so many iterations chose each candidate of late, given sizes that are known.
  auto usage(const Vector<int32_t>& known, int64_t iterations) {
    if (known.size() != shares_.size()) throw std::invalid_argument("one size for each pair");
    std::vector<float> out(candidate_start.back());
    {
      nb::gil_scoped_release release;
      each([&](size_t k) {
        RltOptions options;
        options.patience = 0;
        options.collect = true;
        Ascent ascent(*pairs_[k], options, forever_);
        ascent.run(known.data()[k], iterations);
        const auto &cells = shares_[k]->survivors(), &left = ascent.survivors();
        for (size_t x = 0; x < left.size(); ++x) {
          const auto at = std::lower_bound(cells.begin(), cells.end(), left[x]) - cells.begin();
          out[candidate_start[k] + at] = ascent.usage()[x];
        }
      });
    }
    return array(std::move(out));
  }

  std::vector<int64_t> candidate_start{0}, edge_start{0}, row_start{0}, column_start{0};
  std::vector<int64_t> row, column, cell, a, b;

 private:
  template <class F>
  void each(F&& f) {
    std::atomic<size_t> next{0};
    run_on_threads(static_cast<size_t>(threads_ - 1), forever_, [&] {
      for (size_t k; (k = next++) < shares_.size();) f(k);
    });
  }

  Deadline forever_;
  std::vector<std::unique_ptr<Pair>> pairs_;
  std::vector<std::optional<Shares>> shares_;
  int threads_;
};

template <auto Member>
nb::ndarray<nb::numpy, const int64_t> borrowed(nb::handle self) {
  const auto& values = nb::cast<const ShareBatch&>(self).*Member;
  return nb::ndarray<nb::numpy, const int64_t>(values.data(), {values.size()}, self);
}

}  // namespace

void bind_shares(nb::module_& module) {
  nb::class_<ShareBatch>(module, "ShareBatch",
                         "ShareBatch of many pairs, candidates and association edges in a row.")
      .def(
          "__init__",
          [](ShareBatch* self, const std::vector<std::pair<const Graph*, const Graph*>>& pairs, int threads) {
            nb::gil_scoped_release release;
            new (self) ShareBatch(pairs, threads);
          },
          "pairs"_a, "threads"_a = 1, nb::keep_alive<1, 2>())
      .def_prop_ro("candidate_start", &borrowed<&ShareBatch::candidate_start>)
      .def_prop_ro("edge_start", &borrowed<&ShareBatch::edge_start>)
      .def_prop_ro("row_start", &borrowed<&ShareBatch::row_start>)
      .def_prop_ro("column_start", &borrowed<&ShareBatch::column_start>)
      .def_prop_ro("row", &borrowed<&ShareBatch::row>)
      .def_prop_ro("column", &borrowed<&ShareBatch::column>)
      .def_prop_ro("cell", &borrowed<&ShareBatch::cell>)
      .def_prop_ro("a", &borrowed<&ShareBatch::a>)
      .def_prop_ro("b", &borrowed<&ShareBatch::b>)
      .def("swept", &ShareBatch::swept, "sweeps"_a,
           "Shares of the first copies after so many sweeps from the even shares.")
      .def("usage", &ShareBatch::usage, "known"_a, "iterations"_a,
           "How often an ascent of so many iterations chose each candidate of late.")
      .def("evaluate", &ShareBatch::evaluate, "shares"_a,
           "Bounds in edges, candidates, first and second copies of the association edges.");
}

}  // namespace enpda
