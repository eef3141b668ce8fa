#pragma once

#include <transform/Pose.h>

namespace mira::robot {

struct Odometry2 {
  Pose2 pose;
  Velocity2 velocity;
};

}  // namespace mira::robot
