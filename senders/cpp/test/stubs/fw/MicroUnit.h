// As much of MIRA's units and channels as `mira_unit.cpp` uses. Messages are published by the test, in its own thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#define MIRA_OBJECT(name)
#define MIRA_CLASS_SERIALIZATION(name, base) static_assert(std::is_base_of_v<base, name>)

namespace mira {

struct Time {
  std::uint64_t nanoseconds;
  std::uint64_t toUnixNS() const { return nanoseconds; }
};

template <typename T>
struct Stamped {
  T data;
  Time timestamp;
  std::string frameID;
  std::uint32_t sequenceID;
  const T& value() const { return data; }
};

template <typename T>
class ChannelRead {
 public:
  explicit ChannelRead(const Stamped<T>& message) : message_(&message) {}
  const Stamped<T>* operator->() const { return message_; }

 private:
  const Stamped<T>* message_;
};

template <typename T>
struct Channel {};

class MicroUnit {
 public:
  virtual ~MicroUnit() = default;
  template <typename Reflector>
  void reflect(Reflector&) {}
  void checkin() { initialize(); }

  template <typename T>
  void deliver(const std::string& channel, const Stamped<T>& message) {
    const ChannelRead<T> read(message);
    subscribers_.at(channel)(&read);
  }

 protected:
  virtual void initialize() = 0;

  template <typename T, typename Class>
  Channel<T> subscribe(const std::string& channel, void (Class::*callback)(ChannelRead<T>), Class* to) {
    subscribers_[channel] = [callback, to](const void* read) { (to->*callback)(*static_cast<const ChannelRead<T>*>(read)); };
    return {};
  }

 private:
  std::map<std::string, std::function<void(const void*)>> subscribers_;
};

}  // namespace mira
