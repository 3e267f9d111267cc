// exp, sigmoid and tanh as plain arithmetic, so that loops over them vectorise and all machines agree. Forced
// inline: files with other rules for contraction must not share one compiled copy.
#pragma once

#include <bit>
#include <cstdint>

namespace enpda {

// exp(x) for x <= 0 within 2 ulp.
[[gnu::always_inline]] inline float exp_negative(float x) {
  x = x < -87.0f ? -87.0f : x;
  const float t = x * 1.44269504f;
  const float k = static_cast<float>(static_cast<int32_t>(t - 0.5f));  // round to nearest for t <= 0
  const float r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  return p * std::bit_cast<float>((static_cast<int32_t>(k) + 127) << 23);
}

// x / (1 + exp(-x)), the exponential as a power of 2: adding 1.5 * 2^23 rounds and leaves the integer part in
// the low bits. The limits keep every product away from denormal numbers, which are slow.
[[gnu::always_inline]] inline float silu(float x) {
  float t = x * -1.44269504f;
  t = t < 60.0f ? t : 60.0f;
  t = t > -60.0f ? t : -60.0f;
  const float shifted = t + 12582912.0f;
  const float r = t - (shifted - 12582912.0f);
  float p = 1.3333558e-3f;
  p = p * r + 9.6181291e-3f;
  p = p * r + 5.5504109e-2f;
  p = p * r + 2.4022651e-1f;
  p = p * r + 6.9314718e-1f;
  p = p * r + 1.0f;
  const float e = std::bit_cast<float>(std::bit_cast<uint32_t>(p) + (std::bit_cast<uint32_t>(shifted) << 23));
  return x / (1.0f + e);
}

// Within 1e-7; 0 at 0.
[[gnu::always_inline]] inline float tanh_plain(float x) {
  const float e = exp_negative(x < 0 ? 2 * x : -2 * x);
  const float t = (1.0f - e) / (1.0f + e);
  return x < 0 ? -t : t;
}

// 2^tanh(x), exactly 1 at 0.
[[gnu::always_inline]] inline float step_factor(float x) {
  const float t = tanh_plain(x);
  const float e = exp_negative((t < 0 ? t : -t) * 0.693147181f);
  return t < 0 ? e : 1.0f / e;
}

}  // namespace enpda
