// A unit of MIRA that sends channels to `simtape record --input tcp://127.0.0.1:9100`, as HCRP.
//
// Copy it and `simtape.hpp` into a package of yours, build it as any unit, and start it with your configuration:
//
//   <unit id="Recorder" class="simtape::RecorderUnit">
//     <To>tcp://127.0.0.1:9100</To>
//     <Robot>SCITOS</Robot>
//   </unit>
//
// Each message becomes an event of the channel `mira:NAME`, with its time stamp, frame id and sequence id; what it says of
// the robot becomes state, which viewers show and `simtape convert` writes into tapes. `observe` is where channels are
// added: copy a line.
//
// It was compiled and run with stand-ins for the few classes that it uses, made after public units for MIRA; it has not
// been built with MIRA itself. MIT licence, see LICENSE of simtape.
#include <fw/MicroUnit.h>
#include <robot/BatteryState.h>
#include <robot/Odometry.h>

#include "simtape.hpp"

namespace simtape {

class RecorderUnit : public mira::MicroUnit {
  MIRA_OBJECT(RecorderUnit)

 public:
  RecorderUnit() = default;
  ~RecorderUnit() override {
    if (out_ != nullptr) out_->close();
  }

  template <typename Reflector>
  void reflect(Reflector& r) {
    mira::MicroUnit::reflect(r);
    r.property("To", to_, "Where simtape record listens, or the path of a file", std::string("tcp://127.0.0.1:9100"));
    r.property("Token", token_, "The token of simtape record --token", std::string());
    r.property("Robot", robot_, "Name of the robot in the recording", std::string("robot"));
  }

 protected:
  void initialize() override {
    Options options;
    options.token = token_;
    // a unit must not wait when it starts: the first connection is made in the background, too
    options.wait = std::chrono::milliseconds(0);
    out_ = std::make_unique<Sender>(to_, Fields{{"server", "MIRA"}, {"sets", sets()}}, options);
    observe();
  }

 private:
  // ── channels ───────────────────────────────────────────────────────────────

  void observe() {
    subscribe<mira::robot::Odometry2>("/robot/Odometry", &RecorderUnit::onOdometry, this);
    subscribe<mira::robot::BatteryState>("/robot/charger/Battery", &RecorderUnit::onBattery, this);
    subscribe<bool>("/robot/Bumper", &RecorderUnit::onBumper, this);
    subscribe<float>("/robot/Mileage", &RecorderUnit::onMileage, this);
    subscribe<std::string>("/navigation/PilotEvent", &RecorderUnit::onPilotEvent, this);
  }

  void onOdometry(mira::ChannelRead<mira::robot::Odometry2> data) {
    const auto& pose = data->value().pose;
    const auto& velocity = data->value().velocity;
    message("/robot/Odometry", data,
            Json::object({{"pose", {pose.x(), pose.y(), pose.phi()}}, {"velocity", {velocity.x(), velocity.y(), velocity.phi()}}}));
    out_->put("robots", robot_,
              {{"position", {pose.x(), pose.y(), 0.0}},
               {"rotation", {0.0, 0.0, pose.phi()}},
               {"velocity", {velocity.x(), velocity.y(), 0.0}},
               {"angular-velocity", {0.0, 0.0, velocity.phi()}},
               {"label", robot_}});
  }

  void onBattery(mira::ChannelRead<mira::robot::BatteryState> data) {
    const mira::robot::BatteryState& battery = data->value();
    const Json value = Json::object({{"voltage", battery.voltage},
                                     {"current", battery.current},
                                     {"lifePercent", static_cast<int>(battery.lifePercent)},
                                     {"charging", battery.charging}});
    message("/robot/charger/Battery", data, value);
    out_->set("robot/charger/Battery", value);
  }

  void onBumper(mira::ChannelRead<bool> data) { value("/robot/Bumper", data); }
  void onMileage(mira::ChannelRead<float> data) { value("/robot/Mileage", data); }
  void onPilotEvent(mira::ChannelRead<std::string> data) { value("/navigation/PilotEvent", data); }

  // ── what is sent ───────────────────────────────────────────────────────────

  /// The message as an event, and its value as the value of its path.
  template <typename T>
  void value(const std::string& channel, const mira::ChannelRead<T>& data) {
    const Json value(data->value());
    message(channel, data, value);
    out_->set(channel.substr(1), value);
  }

  /// Moves to the time of the message, in seconds since the first one, and sends it. Stamps are texts: JSON has no 64 bits.
  template <typename T>
  void message(const std::string& channel, const mira::ChannelRead<T>& data, const Json& value) {
    const auto stamp = static_cast<std::int64_t>(data->timestamp.toUnixNS());
    if (first_ == 0) first_ = stamp;
    out_->time(static_cast<double>(stamp - first_) / 1e9);
    out_->event("mira:" + channel, Json::object({{"timestamp", std::to_string(stamp)},
                                                 {"frameID", data->frameID},
                                                 {"sequenceID", data->sequenceID},
                                                 {"value", value}}));
  }

  /// Metres and radians, x forward, y left, z up; a robot's velocities are along its own axes.
  static Json sets() {
    const Json axes = Json::object({{"handed", "right"}, {"up", "z"}, {"velocities", "own"}});
    const Json columns = Json::object({{"position", "m"}, {"rotation", "rad"}, {"velocity", "m/s"}, {"angular-velocity", "rad/s"}});
    return Json::object({{"robots", Json::object({{"axes", axes}, {"columns", columns}})}});
  }

  std::string to_, token_, robot_;
  std::int64_t first_ = 0;
  std::unique_ptr<Sender> out_;
};

}  // namespace simtape

MIRA_CLASS_SERIALIZATION(simtape::RecorderUnit, mira::MicroUnit);
