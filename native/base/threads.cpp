#include "base/threads.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace enpda {

void run_on_threads(size_t others, const Deadline& deadline, const std::function<void()>& work) {
  std::mutex lock;
  std::condition_variable stopped;
  size_t running = 0;
  std::exception_ptr failure;
  auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard guard(lock);
      if (!failure) failure = std::current_exception();
      deadline.cancel();
    }
  };
  std::vector<std::thread> pool;
  pool.reserve(others);
  for (size_t t = 0; t < others; ++t) {
    try {
      {
        const std::lock_guard guard(lock);
        ++running;
      }
      pool.emplace_back([&] {
        guarded();
        const std::lock_guard guard(lock);
        --running;
        stopped.notify_one();
      });
    } catch (const std::system_error&) {  // no more threads to be had: those that run will do
      const std::lock_guard guard(lock);
      --running;
      break;
    }
  }
  guarded();
  for (std::unique_lock guard(lock); running > 0;) {
    stopped.wait_for(guard, std::chrono::milliseconds(20));
    guard.unlock();
    deadline.expired();
    guard.lock();
  }
  for (auto& t : pool) t.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace enpda
