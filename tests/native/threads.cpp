// Everything of the core that runs on several threads, to be run under the thread sanitizer: pairs through
// the pool (`match_many`), rows (`matrix`), searches and trees with threads and a listener, graphs whose
// histograms are asked for at once; each also cancelled from outside, as Ctrl-C does.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "question.hpp"
#include "solve/many.hpp"

namespace {

using namespace enpda;

void need(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "FINDING: %s\n", what);
  std::abort();
}

struct Round {
  std::vector<fuzz::Question> questions;
  std::vector<std::unique_ptr<Graph>> first, second;

  Round(std::mt19937_64& random, int count) {
    while (static_cast<int>(questions.size()) < count) {
      std::vector<uint8_t> data(400);
      for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
      data[0] = 0;  // no large ones
      fuzz::Question q = fuzz::question(data.data(), data.size(), 8);
      q.limit = -1;
      for (SearchOptions& s : q.options.searches) s.threads = 3, s.noisy.assign(4, 1), s.noisy[0] = 0;
      q.options.tree.threads = 3;
      first.push_back(q.a.graph());
      second.push_back(q.b.graph());
      questions.push_back(std::move(q));
    }
  }
};

// Cancels after a while, from a thread of its own.
template <class Work>
void cancelled(bool cancels, std::mt19937_64& random, Work work) {
  Deadline deadline;
  std::thread other;
  if (cancels)
    other = std::thread([&deadline, pause = random() % 3000] {
      std::this_thread::sleep_for(std::chrono::microseconds(pause));
      deadline.cancel();
    });
  work(deadline);
  if (other.joinable()) other.join();
}

void alone(const Round& round, bool cancels, std::mt19937_64& random) {
  for (size_t k = 0; k < round.questions.size(); ++k)
    cancelled(cancels, random, [&](const Deadline& deadline) {
      int heard = 0;  // no lock: listeners are called one at a time
      const auto found = solve(*round.first[k], *round.second[k], round.questions[k].options, deadline,
                               [&](const Event& event, const Mapping&) { heard += event.score.edges >= 0; });
      const BareScore counted = bare_score(fuzz::bare(round.questions[k]), found.image);
      need(counted.worth == found.score.edges && counted.worth <= found.upper(),
           "a mapping counts otherwise");
      need(heard >= 0, "nothing was heard");
    });
}

void pool(const Round& round, bool leaves, bool cancels, std::mt19937_64& random) {
  Pool workers(3);
  for (size_t k = 0; k < round.questions.size(); ++k)
    workers.submit({round.first[k].get(), round.second[k].get(),
                    std::make_shared<const SolveOptions>(round.questions[k].options), -1});
  if (leaves) return;  // what runs is cancelled, what waits is dropped
  cancelled(cancels, random, [&](const Deadline& deadline) {
    Solution found;
    for (size_t k = 0; k < round.questions.size(); ++k) {
      if (!workers.next(found, deadline)) return;
      const BareScore counted = bare_score(fuzz::bare(round.questions[k]), found.image);
      need(counted.worth == found.score.edges && counted.worth <= found.upper(),
           "a mapping counts otherwise");
    }
  });
}

void rows(const Round& round, bool cancels, std::mt19937_64& random) {
  // Each graph of the one list with each of the other, so that graphs are shared between threads.
  std::vector<const Graph*> first, second;
  for (const auto& g : round.first) first.push_back(g.get());
  for (const auto& g : round.second) second.push_back(g.get());
  std::vector<int32_t> pairs, question;
  SolveOptions options;
  options.searches[0].discrete = 1;
  options.searches[0].passes = 10;
  options.bound = options.branch = true;
  for (size_t i = 0; i < first.size(); ++i)
    for (size_t j = 0; j < second.size(); ++j) {
      pairs.insert(pairs.end(), {static_cast<int32_t>(i), static_cast<int32_t>(j)});
      question.insert(question.end(), {static_cast<int32_t>((i + j) % 3), 0});
    }
  cancelled(cancels, random, [&](const Deadline& deadline) {
    const auto found = solve_rows(first, second, pairs, question, options, -1, 3, deadline);
    need(found.empty() || found.size() == pairs.size() / 2, "rows are missing");
  });
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 5;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const auto begin = std::chrono::steady_clock::now();
  long done = 0;
  for (; std::chrono::steady_clock::now() - begin < std::chrono::seconds(seconds); ++done) {
    std::mt19937_64 random(seed * 1000003 + done);
    const Round round(random, 4);
    const bool cancels = done % 2 == 1;
    alone(round, cancels, random);
    pool(round, done % 5 == 4, cancels, random);
    rows(round, cancels, random);
  }
  std::fprintf(stderr, "Done %ld runs\n", done);
  return 0;
}
