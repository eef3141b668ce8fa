#pragma once

#include <cstdint>

namespace mira::robot {

struct BatteryState {
  float voltage, current;
  std::uint8_t lifePercent;
  bool charging;
};

}  // namespace mira::robot
