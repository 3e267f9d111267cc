#include "exact.hpp"

#include <algorithm>
#include <limits>

#include "threads.hpp"

namespace enpda {

// A node that was bounded and branched; it lives as long as one of its children is open.
struct Tree::Node {
  Ascent ascent;
  Decisions decisions;
  int32_t depth = 0, record = 0;
  size_t* memory = nullptr;  // of the tree, once it counts there

  explicit Node(Ascent a) : ascent(std::move(a)) {}
  Node(const Node&) = delete;
  ~Node() {
    if (memory != nullptr) *memory -= ascent.bytes();
  }
  void count(size_t& total) {
    memory = &total;
    total += ascent.bytes();
  }
};

struct Tree::Open {
  std::shared_ptr<Node> parent;
  int32_t child;  // of the parent's record
  int32_t row, column;
  int32_t depth;
  int64_t bound;  // whole edges, inherited
};

Tree::Tree(const Pair& pair, Ascent root, const RltOptions& rlt, const BranchOptions& options,
           const Deadline& deadline)
    : pair_(pair), rlt_(rlt), options_(options), deadline_(deadline), known_(root.known()) {
  rlt_.patience = options.patience;
  auto node = std::make_shared<Node>(std::move(root));
  node->decisions = Decisions(pair);
  records_.emplace_back();
  branch(node, node->ascent.upper());
}

Tree::~Tree() = default;

int64_t Tree::upper() const {
  int64_t most = std::max<int64_t>(known_, closed_at_);
  for (const Open& o : open_) most = std::max(most, o.bound);
  for (int64_t bound : held_) most = std::max(most, bound);
  return most;
}

Tree::End Tree::run(int known, int64_t nodes, const Improved& improved) {
  known_ = std::max(known_, known);
  improved_ = improved;
  if (!met_.empty()) improved_(met_);
  met_.clear();
  const int64_t last = nodes > std::numeric_limits<int64_t>::max() - nodes_
                           ? std::numeric_limits<int64_t>::max()
                           : nodes_ + nodes;
  run_on_threads(static_cast<size_t>(options_.threads) - 1, deadline_, [&] { work(last); });
  if (upper() <= enough()) return End::proven;
  return deadline_.expired() ? End::deadline : End::nodes;
}

// The largest bound, then the deepest; when memory is short, the deepest.
Tree::Open Tree::take() {
  const bool dive = memory_ > options_.memory;
  const auto at = std::max_element(open_.begin(), open_.end(), [&](const Open& x, const Open& y) {
    if (dive || x.bound == y.bound) return std::pair(x.depth, -x.child) < std::pair(y.depth, -y.child);
    return x.bound < y.bound;
  });
  Open result = std::move(*at);
  *at = std::move(open_.back());
  open_.pop_back();
  return result;
}

void Tree::work(int64_t last) {
  std::unique_lock guard(lock_);
  for (;;) {
    // Wait for work as long as somebody may still make some.
    while (open_.empty() && active_ > 0 && !deadline_.expired())
      changed_.wait_for(guard, std::chrono::milliseconds(5));
    // Diving keeps one split a level: beyond all measure the tree ends where it is.
    if (open_.empty() || nodes_ >= last || deadline_.expired() || memory_ > 8 * options_.memory) return;
    Open open = take();
    if (open.bound <= enough()) {  // its parent's bound closes it
      closed_at_ = std::max(closed_at_, open.bound);
      continue;
    }
    ++nodes_;
    ++active_;
    held_.push_back(open.bound);
    const int known = known_;
    const RltOptions rlt = rlt_;
    guard.unlock();

    auto node = std::make_shared<Node>(Ascent(open.parent->ascent, open.row, open.column, rlt));
    const auto end = node->ascent.run(known, std::numeric_limits<int32_t>::max());

    guard.lock();
    --active_;
    held_.erase(std::find(held_.begin(), held_.end(), open.bound));
    learn(node->ascent);
    if (end == Ascent::End::deadline) {
      open_.push_back(std::move(open));  // as open as before: a bound without its record proves nothing
    } else {
      node->depth = open.depth;
      node->decisions = open.parent->decisions;
      node->decisions.add(open.row, open.column);
      if (rlt_.record) {
        node->record = static_cast<int32_t>(records_.size());
        records_[open.parent->record].children[open.child].record = node->record;
        records_.emplace_back();
      }
      branch(node, open.bound);
    }
    changed_.notify_all();
  }
}

// A larger mapping is known to every node from now on.
void Tree::learn(const Ascent& ascent) {
  if (ascent.met_size() <= known_) return;
  known_ = ascent.met_size();
  if (improved_) {
    improved_(ascent.met());
  } else {
    met_ = ascent.met();
  }
}

// Deletes what can be deleted, chooses a line and opens its children. Under the lock (or alone).
void Tree::branch(const std::shared_ptr<Node>& node, int64_t inherited) {
  if (node->ascent.upper() > enough()) {
    node->ascent.settle();
    learn(node->ascent);
  }
  const int64_t bound = std::min(inherited, node->ascent.upper());
  if (bound <= enough()) {
    closed_at_ = std::max(closed_at_, bound);
  } else {
    auto children =
        ways_to_branch(pair_, node->ascent, node->decisions, options_.automorphism_steps, deadline_);
    for (size_t k = 0; k < children.size(); ++k)
      if (!children[k].left_out())
        open_.push_back(
            {node, static_cast<int32_t>(k), children[k].row, children[k].column, node->depth + 1, bound});
    if (rlt_.record) records_[node->record].children = std::move(children);
    node->count(memory_);
  }
  keep(node->record, node->ascent.stages());
}

void Tree::keep(int32_t record, std::vector<Stage> stages) {
  if (!rlt_.record) return;
  for (const Stage& s : stages)
    recorded_ += 12 * s.a.size() + 4 * (s.u.size() + s.v.size()) + 64 * s.pieces.size() + sizeof(Stage);
  records_[record].stages = std::move(stages);
  if (recorded_ <= options_.record_memory) return;
  rlt_.record = false;
  records_ = {};
}

}  // namespace enpda
