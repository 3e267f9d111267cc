// libFuzzer's options that we use, for compilers without libFuzzer: random bytes, or files.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  long runs = -1, seconds = 0, seed = 0, done = 0;
  bool files = false;
  for (int k = 1; k < argc; ++k) {
    const std::string option = argv[k];
    auto takes = [&](const char* name, long& value) {
      if (option.rfind(name, 0) != 0) return false;
      value = std::atol(argv[k] + std::strlen(name));
      return true;
    };
    if (takes("-runs=", runs) || takes("-max_total_time=", seconds) || takes("-seed=", seed) ||
        option[0] == '-')
      continue;
    if (!std::filesystem::is_regular_file(option)) continue;  // a folder of examples
    std::ifstream file(option, std::ios::binary);
    const std::vector<char> data((std::istreambuf_iterator<char>(file)), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(data.data()), data.size());
    files = true;
  }
  if (files) return 0;
  const auto begin = std::chrono::steady_clock::now();
  for (; runs < 0 || done < runs; ++done) {
    if (seconds > 0 && std::chrono::steady_clock::now() - begin > std::chrono::seconds(seconds)) break;
    std::mt19937_64 random(static_cast<uint64_t>(seed) * 1000003 + done);
    std::vector<uint8_t> data(random() % 400);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
    // What fails can be run again from this file.
    std::ofstream("crash-last", std::ios::binary)
        .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    LLVMFuzzerTestOneInput(data.data(), data.size());
  }
  std::remove("crash-last");
  std::fprintf(stderr, "Done %ld runs\n", done);
  return 0;
}
