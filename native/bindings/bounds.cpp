#include <nanobind/stl/variant.h>

#include "base/assignment.hpp"
#include "base/errors.hpp"
#include "bindings/caps.hpp"
#include "bindings/common.hpp"
#include "bounds/caps.hpp"
#include "bounds/lifted.hpp"

namespace enpda {
namespace {

template <class T>
auto assign_matrix(const Matrix<T>& w) {
  const int n = static_cast<int>(w.shape(0)), m = static_cast<int>(w.shape(1));
  Assignment<T> r;
  {
    nb::gil_scoped_release release;
    r = assign<T>(std::span<const T>(w.data(), w.size()), n, m, Deadline());
  }
  return std::tuple(r.value, array(r.column), array(r.row_potential), array(r.column_potential));
}

// Calls f with all that caps may look at but prices, as far as the time suffices for a pair.
template <class F>
auto with_evidence(const Graph& a, const Graph& b, const Terms& terms, const Deadline& deadline, F&& f) {
  if (Pair::worth_beginning(Pair::check_size(a, b), deadline)) {
    const Pair pair(a, b, deadline, terms);
    if (pair.complete()) {
      Evidence given(pair, std::nullopt, deadline);
      return f(given);
    }
  }
  Evidence given(a, b, terms, deadline);
  return f(given);
}

auto price_bound(const Graph& a, const Graph& b, const Vector<float>& prices, Scales scales) {
  const Deadline forever;
  const Pair pair(a, b, forever);
  Evidence given(pair, view(prices), forever);
  auto r = repaired_prices(given, scales);
  return std::tuple(r.value, r.scale, array(std::move(r.row)), array(std::move(r.column)));
}

}  // namespace

void bind_bounds(nb::module_& module) {
  module.def("assign", &assign_matrix<double>, "weight"_a);
  module.def("assign", &assign_matrix<int64_t>, "weight"_a,
             "Maximum-weight partial assignment: value, column per row, row and column potentials.");

  std::vector<std::pair<std::string, std::string>> names;
  for (const Cap& cap : kCaps) names.emplace_back(cap.name, cap.kind);
  module.attr("CAPS") = nb::tuple(nb::cast(names));
  module.def(
      "caps",
      [](const Graph& a, const Graph& b, const Terms& terms, double time_limit) {
        check_terms(terms, a, b);
        return by_name(interruptibly(time_limit, [&](const Deadline& deadline) {
          Caps caps = quick_caps(a, b, terms);
          with_evidence(a, b, terms, deadline, [&](Evidence& given) { caps.add(given); });
          return caps;
        }));
      },
      "a"_a, "b"_a, "terms"_a = Terms(), "time_limit"_a = -1.0,
      "Caps by name, without those that the terms, or the time, do not allow, or that need prices.");
  module.def(
      "cap_witness",
      [](const Graph& a, const Graph& b, const std::string& name, const Terms& terms) {
        check_terms(terms, a, b);
        const auto cap = std::ranges::find(kCaps, name, &Cap::name);
        if (cap == kCaps.end() || !cap->proves()) throw InputError("no witness for the bound " + name);
        return interruptibly(-1.0, [&](const Deadline& deadline) {
          return with_evidence(a, b, terms, deadline, [&](Evidence& given) { return cap->witness(given); });
        });
      },
      "a"_a, "b"_a, "name"_a, "terms"_a = Terms(), "What a verifier needs to derive a cap again.");

  module.attr("PRICE_UNIT") = kPriceUnit;
  nb::enum_<Scales>(module, "Scales").value("exact", Scales::exact).value("grid", Scales::grid);
  module.def("repaired_prices", &price_bound, "a"_a, "b"_a, "prices"_a, "scales"_a,
             "Theorem 3: whole edges, scale, row and column potentials in units of 1 / PRICE_UNIT.");

  nb::enum_<Lifting>(module, "Lifting")
      .value("mccormick", Lifting::mccormick)
      .value("aggregated", Lifting::aggregated);
  module.def(
      "lift",
      [](const Graph& a, const Graph& b, Lifting lifting, size_t most, double time_limit,
         const Terms& terms) {
        std::optional<Lifted> r = interruptibly(time_limit, [&](const Deadline& whole) {
          const int64_t cells = Pair::check_size(a, b);
          const double kept = Pair::seconds_kept(a, b, terms, cells);
          const Deadline deadline(whole, std::max(0.0, whole.remaining() - kept), Deadline::Seconds());
          if (!Pair::worth_beginning(cells, deadline, 2e-8)) return std::optional<Lifted>();
          const Pair pair(a, b, deadline, terms);
          auto made = pair.complete() ? lift(pair, lifting, most, deadline) : std::nullopt;
          if (made)
            for (Cell& c : made->candidates) c = pair.place(c);
          return made;
        });
        auto arrays = [&] {
          return std::tuple(array(std::move(r->candidates)), array(std::move(r->ends)),
                            array(std::move(r->worth)), array(std::move(r->start)),
                            array(std::move(r->index)), array(std::move(r->value)),
                            array(std::move(r->upper)));
        };
        return r ? std::optional(arrays()) : std::nullopt;
      },
      "a"_a, "b"_a, "lifting"_a, "most"_a, "time_limit"_a, "terms"_a = Terms(),
      "The lifted programme: candidates, ends and worth of the edge variables, rows (start, index, value, "
      "upper); nothing when the time limit struck.");
}

}  // namespace enpda
