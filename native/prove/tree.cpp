#include "prove/tree.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/threads.hpp"

namespace enpda {

// A node that was bounded and branched; it lives as long as one of its children is open.
struct Tree::Node {
  std::shared_ptr<Ascent> ascent;  // none: forgotten
  Decisions decisions;
  std::vector<Child> children;  // until they are opened
  int32_t record = 0;
  size_t* memory = nullptr;  // of the tree, once it counts there

  explicit Node(Ascent a) : ascent(std::make_shared<Ascent>(std::move(a))) {}
  Node(const Node&) = delete;
  ~Node() { forget(); }
  void count(size_t& total) {
    memory = &total;
    total += ascent->bytes();
  }
  void forget() {
    if (memory != nullptr) *std::exchange(memory, nullptr) -= ascent->bytes();
    ascent.reset();
  }
};

struct Tree::Open {
  std::shared_ptr<Node> parent;
  int32_t child;  // of the parent's record
  Choice choice;
  int64_t bound;  // whole edges, inherited

  size_t depth() const { return parent->decisions.choices.size(); }
};

Tree::Tree(const Pair& pair, Ascent root, const RltOptions& rlt, const BranchOptions& options,
           const Deadline& deadline)
    : pair_(pair), rlt_(rlt), options_(options), deadline_(deadline), known_(root.known()), freed_(deadline) {
  rlt_.patience = options.patience;
  auto node = std::make_shared<Node>(std::move(root));
  root_ = node->ascent;
  node->decisions = Decisions(pair);
  records_.emplace_back();
  branch(*node, enough());
  open_up(node, node->ascent->upper());
}

Tree::~Tree() = default;

int64_t Tree::upper() const {
  int64_t most = std::max<int64_t>(known_, closed_at_);
  for (const Open& o : open_) most = std::max(most, o.bound);
  for (int64_t bound : held_) most = std::max(most, bound);
  return most;
}

Tree::End Tree::run(int known, int64_t nodes, int64_t work, const Improved& improved) {
  known_ = std::max(known_, known);
  improved_ = improved;
  if (!met_.empty()) improved_(met_);
  met_.clear();
  auto after = [](int64_t done, int64_t more) {
    const int64_t most = std::numeric_limits<int64_t>::max();
    return more > most - done ? most : done + more;
  };
  const int64_t last_node = after(nodes_, nodes), last_work = after(work_, work);
  run_on_threads(static_cast<size_t>(options_.threads) - 1, deadline_, [&] { serve(last_node, last_work); });
  if (upper() <= enough()) return End::proven;
  return deadline_.expired() ? End::deadline : End::turn;
}

// The largest bound, then the deepest; when memory is short, the deepest.
Tree::Open Tree::take() {
  const bool dive = memory_ > options_.memory;
  const auto at = std::max_element(open_.begin(), open_.end(), [&](const Open& x, const Open& y) {
    if (dive || x.bound == y.bound) return std::pair(x.depth(), -x.child) < std::pair(y.depth(), -y.child);
    return x.bound < y.bound;
  });
  Open result = std::move(*at);
  *at = std::move(open_.back());
  open_.pop_back();
  return result;
}

void Tree::serve(int64_t last_node, int64_t last_work) {
  std::unique_lock guard(lock_);
  for (;;) {
    // Wait for work as long as somebody may still make some.
    while (open_.empty() && active_ > 0 && !deadline_.expired())
      changed_.wait_for(guard, std::chrono::milliseconds(5));
    if (open_.empty() || nodes_ >= last_node || work_ >= last_work || deadline_.expired()) return;
    Open open = take();
    if (open.bound <= enough()) {  // its parent's bound closes it
      closed_at_ = std::max(closed_at_, open.bound);
      continue;
    }
    ++nodes_;
    ++active_;
    held_.push_back(open.bound);
    const int known = known_;
    const int64_t wanted = enough();
    const RltOptions rlt = rlt_;
    const std::shared_ptr<const Ascent> near = open.parent->ascent;
    guard.unlock();

    Decisions decisions = open.parent->decisions;
    decisions.add(open.choice);
    // Where the parent is forgotten, the root and all decisions say the same, with fewer deletions.
    const auto choices = std::span<const Choice>(decisions.choices);
    auto node =
        std::make_shared<Node>(near ? Ascent(*near, choices.last(1), rlt) : Ascent(*root_, choices, rlt));
    node->decisions = std::move(decisions);
    const auto end = node->ascent->run(known, std::numeric_limits<int32_t>::max());
    if (end != Ascent::End::deadline) branch(*node, wanted);

    guard.lock();
    --active_;
    work_ += node->ascent->work();
    held_.erase(std::find(held_.begin(), held_.end(), open.bound));
    learn(*node->ascent);
    if (end == Ascent::End::deadline) {
      open_.push_back(std::move(open));  // as open as before: a bound without its record proves nothing
    } else {
      if (rlt_.record) {
        node->record = static_cast<int32_t>(records_.size());
        records_[open.parent->record].children[open.child].record = node->record;
        records_.emplace_back();
      }
      open_up(node, open.bound);
      forget();
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

// Deletes what can be deleted and chooses a line. Without the lock: what takes time here is a node's own
// matter.
void Tree::branch(Node& node, int64_t wanted) const {
  Ascent& ascent = *node.ascent;
  if (ascent.upper() > wanted) ascent.settle();
  if (ascent.upper() > std::max<int64_t>(wanted, ascent.met_size()))
    node.children = ways_to_branch(pair_, ascent, node.decisions, options_.automorphism_steps, deadline_);
}

// Opens what a node was branched into, unless its bound closes it by now.
void Tree::open_up(const std::shared_ptr<Node>& node, int64_t inherited) {
  learn(*node->ascent);
  const int64_t bound = std::min(inherited, node->ascent->upper());
  auto children = std::exchange(node->children, {});
  if (bound <= enough()) {
    closed_at_ = std::max(closed_at_, bound);
  } else {
    for (size_t k = 0; k < children.size(); ++k)
      if (!children[k].left_out())
        open_.push_back({node, static_cast<int32_t>(k), {children[k].row, children[k].column}, bound});
    if (rlt_.record) records_[node->record].children = std::move(children);
    node->count(memory_);
    if (memory_ > accounted_) {
      freed_.add(memory_ - accounted_);
      accounted_ = memory_;
    }
  }
  keep(node->record, node->ascent->stages());
}

// Diving keeps shares for every level: when that is too much, those of the upper levels go, to which it
// comes back last.
void Tree::forget() {
  while (memory_ > options_.most_memory) {
    Node* highest = nullptr;
    for (const Open& o : open_)
      if (o.parent->ascent && o.parent->ascent != root_ &&
          (!highest || o.depth() < highest->decisions.choices.size()))
        highest = o.parent.get();
    if (!highest) return;
    highest->forget();
    // A child made from the root lacks deletions of its parent, which a proof would ask for.
    stop_recording();
  }
}

void Tree::keep(int32_t record, std::vector<Stage> stages) {
  if (!rlt_.record) return;
  for (const Stage& s : stages)
    recorded_ += 12 * s.a.size() + 4 * (s.u.size() + s.v.size()) + 64 * s.pieces.size() + sizeof(Stage);
  records_[record].stages = std::move(stages);
  if (recorded_ > options_.record_memory) stop_recording();
}

void Tree::stop_recording() {
  if (!rlt_.record) return;
  rlt_.record = false;
  root_stages_ = std::move(records_[0].stages);
  records_ = {};
}

}  // namespace enpda
