// Drives the unit as MIRA would: `mira TO`. A robot drives an arc for three seconds, with 40 messages of odometry a second.
#include "../mira_unit.cpp"

#include <iostream>

using mira::Stamped;
using mira::Time;

namespace {

/// Gives the unit its properties, as a configuration does.
struct Configuration {
  std::map<std::string, std::string> given;
  void property(const char* name, std::string& member, const char*, const std::string& otherwise) {
    member = given.count(name) > 0 ? given[name] : otherwise;
  }
};

constexpr std::uint64_t BEGIN = 1700000000123456789;

Time at(int step) { return {BEGIN + static_cast<std::uint64_t>(step) * 25000000}; }

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  simtape::RecorderUnit unit;
  Configuration configuration{{{"To", words[1]}, {"Robot", "SCITOS"}}};
  if (const char* token = std::getenv("SIMTAPE_TOKEN")) configuration.given["Token"] = token;
  unit.reflect(configuration);
  unit.checkin();
  std::uint32_t sequence = 0;
  for (int step = 0; step < 120; step++) {
    const float t = static_cast<float>(step) / 40;
    const mira::Pose2 pose(2 * std::sin(t / 2), 2 - 2 * std::cos(t / 2), t / 2);
    unit.deliver("/robot/Odometry", Stamped<mira::robot::Odometry2>{{pose, {1, 0, 0.5f}}, at(step), "/robot/OdometryFrame", sequence++});
    if (step == 40) unit.deliver("/robot/Bumper", Stamped<bool>{true, at(step), "", 7});
    if (step == 44) unit.deliver("/robot/Bumper", Stamped<bool>{false, at(step), "", 8});
    if (step == 60) unit.deliver("/navigation/PilotEvent", Stamped<std::string>{"Plan \"A\"\n", at(step), "", 1});
    if (step % 40 == 0) unit.deliver("/robot/Mileage", Stamped<float>{t, at(step), "", static_cast<std::uint32_t>(step)});
    if (step == 80) unit.deliver("/robot/charger/Battery", Stamped<mira::robot::BatteryState>{{24.5f, -1.25f, 87, false}, at(step), "", 1});
  }
  return 0;
}
