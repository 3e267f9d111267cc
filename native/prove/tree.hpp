// Branch and bound above the RLT-1 bound: the largest bound first, so that the global bound falls while it
// runs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "prove/branching.hpp"

namespace enpda {

struct BranchOptions {
  int64_t patience = 60;            // iterations before the ascent of a node may give up
  size_t memory = 12 << 20;         // bytes of shares; beyond, the deepest node comes first
  size_t most_memory = 96 << 20;    // beyond, shares are forgotten, and made again from the root's
  size_t record_memory = 12 << 20;  // bytes of recorded proof; beyond, nothing is recorded
  int automorphism_steps = 64;      // for each question whether two children are alike
  int threads = 1;
};

// What the proof of one node rests on: its stages, and its children unless its bound closes it.
struct Record {
  std::vector<Stage> stages;
  std::vector<Child> children;
};

class Tree {
 public:
  // Takes over from an ascent that has given up.
  Tree(const Pair& pair, Ascent root, const RltOptions& rlt, const BranchOptions& options,
       const Deadline& deadline);
  ~Tree();

  enum class End { proven, turn, deadline };
  using Improved = std::function<void(const Mapping&)>;
  // Goes on until every node is closed, or for so many nodes or so much work. `improved` hears of mappings
  // with more than `known` edges; it is called by one thread at a time.
  End run(int known, int64_t nodes, int64_t work, const Improved& improved);

  // No mapping has more edges than this.
  int64_t upper() const;
  int known() const { return known_; }
  int64_t nodes() const { return nodes_; }
  int64_t work() const { return work_; }  // see Ascent::work
  // The proof, the root first; empty when it is not recorded, or was too large for that.
  std::vector<Record> records() { return rlt_.record ? std::move(records_) : std::vector<Record>(); }
  // What is left of a proof that was too large: the root's own bound.
  const std::vector<Stage>& root_stages() const { return root_stages_; }

 private:
  struct Node;
  struct Open;
  Open take();
  void serve(int64_t last_node, int64_t last_work);
  void branch(Node& node, int64_t wanted) const;
  void open_up(const std::shared_ptr<Node>& node, int64_t inherited);
  // A node whose bound is this small is closed.
  int64_t enough() const { return std::max(known_, rlt_.target); }
  void learn(const Ascent& ascent);
  void keep(int32_t record, std::vector<Stage> stages);
  void forget();
  void stop_recording();

  const Pair& pair_;
  RltOptions rlt_;
  BranchOptions options_;
  const Deadline& deadline_;
  Improved improved_;
  Mapping met_;  // by the root, before anybody listened
  int known_;
  int64_t closed_at_ = -1;  // the largest bound of a node that was closed
  int64_t nodes_ = 0, work_ = 0;
  int active_ = 0;             // threads at work on a node
  std::vector<int64_t> held_;  // bounds of the nodes they work on
  size_t memory_ = 0, recorded_ = 0;
  Held freed_;            // in time: the memory
  size_t accounted_ = 0;  // of it
  std::shared_ptr<const Ascent> root_;
  std::vector<Open> open_;
  std::vector<Record> records_;
  std::vector<Stage> root_stages_;
  std::mutex lock_;
  std::condition_variable changed_;
};

}  // namespace enpda
