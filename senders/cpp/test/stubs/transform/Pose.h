#pragma once

namespace mira {

class Pose2 {
 public:
  Pose2(float x, float y, float phi) : x_(x), y_(y), phi_(phi) {}
  float x() const { return x_; }
  float y() const { return y_; }
  float phi() const { return phi_; }

 private:
  float x_, y_, phi_;
};

using Velocity2 = Pose2;

}  // namespace mira
