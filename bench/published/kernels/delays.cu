// SPDX-License-Identifier: Apache-2.0
// Sums over channels of samples that come later by a channel's delay times a measure of dispersion, as the tables of tuned kernels describe it: 25,000
// samples, 2,048 measures from 0 on in steps of 0.02, 1,536 channels of 25,650 bytes. A block of x by y threads, each with own results beside each other
// or the block apart. `channels`: as many as run. Names: delays_X_Y_OWNX_OWNY_APARTX_APARTY.
namespace {

constexpr int kSamples = 25000, kMeasures = 2048, kChannels = 1536, kChannelBytes = kSamples + 650;
constexpr float kFirst = 0.0f, kStep = 0.02f;

// Samples by which a channel comes later for each unit of the measure: 4,148.808 s times the difference of its frequency's and the highest one's inverse
// squares (MHz), over 40.96 us a sample. Channels are 0.1953125 MHz apart from 1,425 MHz on.
struct Shifts {
  float of[kChannels] = {};
  constexpr Shifts() {
    constexpr double kLow = 1425.0, kApart = 0.1953125, kHigh = kLow + (kChannels - 1) * kApart, kSample = 0.00004096;
    for (int c = 0; c < kChannels; ++c) {
      const double f = kLow + c * kApart;
      of[c] = static_cast<float>(4148.808 * (1 / (f * f) - 1 / (kHigh * kHigh)) / kSample);
    }
    of[kChannels - 1] = 0;
  }
};
__device__ const Shifts shifts;

template <int X, int Y, int OwnX, int OwnY, bool kApartX, bool kApartY>
__device__ void delays(const unsigned char* in, float* out, int channels) {
  const int x = blockIdx.x * X * OwnX + threadIdx.x * (kApartX ? 1 : OwnX);
  const int y = blockIdx.y * Y * OwnY + threadIdx.y * (kApartY ? 1 : OwnY);
  for (int i = 0; i < OwnX; ++i) {
    const int sample = x + i * (kApartX ? X : 1);
    if (sample >= kSamples) continue;
    for (int j = 0; j < OwnY; ++j) {
      const int measure = y + j * (kApartY ? Y : 1);
      if (measure >= kMeasures) continue;
      float sum = 0;
      for (int channel = 0; channel < channels; ++channel) {
        const unsigned shift = (kFirst + measure * kStep) * shifts.of[channel];
        sum += in[channel * kChannelBytes + (sample + shift)];
      }
      out[measure * kSamples + sample] = sum;
    }
  }
}

}  // namespace

#define DELAYS(X, Y, OWNX, OWNY, APARTX, APARTY)                                                      \
  extern "C" __global__ void delays_##X##_##Y##_##OWNX##_##OWNY##_##APARTX##_##APARTY(                \
      const unsigned char* in, float* out, int channels) {                       \
    delays<X, Y, OWNX, OWNY, APARTX, APARTY>(in, out, channels);                              \
  }
DELAYS(4, 64, 1, 3, 0, 1)
DELAYS(2, 256, 4, 1, 1, 0)
DELAYS(8, 128, 4, 7, 1, 0)
DELAYS(1, 88, 1, 8, 0, 0)
