// The simulations of the tests: `play SCENE TO [WORD…]`. Log and answers go to standard output, a line each.
#include "../simtape.hpp"

#include <fstream>
#include <iostream>

using simtape::Json;
using simtape::Sender;
using Clock = std::chrono::steady_clock;

namespace {

std::mutex mutex;

void say(const std::string& line) {
  const std::lock_guard<std::mutex> lock(mutex);
  std::cout << line << std::endl;
}

constexpr int PLAYERS = 24;

simtape::Sender::Point place(int player, long tick) {
  return {player * 4 + tick * 0.125, 64 + tick % 8 / 16.0, 4 - player / 4.0};
}

std::array<double, 2> look(long tick) { return {tick % 64 * 5.625, 0}; }

std::string uuid(int player) {
  char text[37];
  std::snprintf(text, sizeof text, "00000000-0000-4000-8000-%012d", player);
  return text;
}

/// 24 players for three seconds, one of whom leaves.
void world(Sender& out) {
  for (long tick = 0; tick < 60; tick++) {
    out.tick(tick);
    for (int player = 0; player < PLAYERS; player++) {
      const std::string id = "p" + std::to_string(player);
      if (tick == 0) out.join(id, uuid(player), "Player" + std::to_string(player), place(player, 0), {{"look", look(0)}});
      else if (tick < 50 || player + 1 < PLAYERS) out.move(id, {{"at", place(player, tick)}, {"look", look(tick)}});
    }
    if (tick == 0) out.equipment("p1", 0, "minecraft:stone");
    if (tick == 20) out.chat("half \"way\"\n", "p0");
    if (tick == 30) out.mark("checkpoint", {{"kind", "checkpoint"}, {"id", "p2"}});
    if (tick == 40) out.block(1, 64, -3, "minecraft:oak_stairs[facing=north]");
    if (tick == 41) out.world({{"weather", 1}});
    // no recorder takes such a place, or a thing that does not exist
    if (tick == 42) out.move("p0", {{"at", std::array<double, 3>{NAN, 64, 0}}});
    if (tick == 43) out.move("ghost", {{"at", place(0, 0)}});
    if (tick == 49) out.leave("p23");
  }
}

/// Drones at 50 ticks a second: exact numbers, values that are no numbers, and things that come and go.
void state(Sender& out) {
  for (int tick = 0; tick < 100; tick++) {
    out.tick(tick);
    out.put("drones", "one", {{"position", {tick / 3.0, tick == 50 ? NAN : 1.0, tick == 60 ? INFINITY : -tick / 7.0}}, {"armed", tick >= 10}});
    if (tick >= 20 && tick < 80) out.put("drones", "two", {{"position", {0.1, 0.2, 1e-300}}, {"label", "d\"2\"\n"}});
    if (tick == 80) out.takeAway("drones", "two");
    if (tick == 90) out.takeAway("drones", "one");
    if (tick == 90) out.put("drones", "one", {{"position", {1, 2, 3}}});
    out.set("wind/speed", tick * 0.1);
    if (tick == 70) out.set("wind/speed", nullptr);
    if (tick == 30) out.set("scenario", Json::object({{"name", "crossing"}, {"seeds", Json::list({1, NAN, "three"})}}));
    if (tick == 40) out.event("drones:gust", Json::object({{"speed", 12.5}}), 2);
    if (tick == 41) out.eventBytes("drones:image", "\0\x01\xff\x7f", 4);
    if (tick == 42) out.event("no channel", 1);
    if (tick == 43) out.put("drones", "", {{"position", {1, 2, 3}}});
  }
}

/// One change of a value for each tick, far faster than any recorder, until a line is read.
void flood(Sender& out) {
  std::size_t most = 0;
  double slowest = 0;
  for (int tick = 0; tick < 300000; tick++) {
    const auto before = Clock::now();
    out.tick(tick);
    for (int id = 0; id < 4; id++) out.put("drones", std::to_string(id), {{"position", {tick * 1.0, id * 1.0, 0.5}}});
    if (tick % 10 == 0) out.event("drones:note", tick);
    slowest = std::max(slowest, std::chrono::duration<double>(Clock::now() - before).count());
    if (tick % 100 == 0) most = std::max(most, out.status().waiting);
  }
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  say("flooded " + std::to_string(most) + " " + std::to_string(pages * ::sysconf(_SC_PAGESIZE)) + " " + std::to_string(slowest));
  std::string line;
  std::getline(std::cin, line);
  // the last tick has room when the recorder has taken half of what waited
  while (out.status().waiting > 1 << 18) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  out.tick(300000);
  out.set("last", true);
}

/// 20 ticks a second until a line is read.
void unbroken(Sender& out, bool isWorld) {
  std::atomic<bool> isEnough{false};
  std::thread reader([&] {
    std::string line;
    std::getline(std::cin, line);
    isEnough = true;
  });
  for (long tick = 0; !isEnough; tick++) {
    out.tick(tick);
    if (isWorld) {
      if (tick == 0) out.spawn("cow", "minecraft:cow", place(0, 0));
      else out.move("cow", {{"at", place(0, tick)}});
      if (tick == 0) out.spawn("gone", "minecraft:pig", place(1, 0));
      if (tick == 100) out.remove("gone");
    } else {
      out.put("drones", "one", {{"position", place(0, tick)}});
      if (tick == 0) out.set("name", "unbroken");
      if (tick == 5) out.put("drones", "still", {{"position", place(1, 0)}});
      out.event("drones:tick", tick);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  reader.join();
}

std::string bytesOf(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

/// Lines of 100 things, as many as asked for, as fast as it goes.
void bench(Sender& out, long lines) {
  const auto began = Clock::now();
  const long ticks = lines / 100;
  for (long tick = 0; tick < ticks; tick++) {
    out.tick(tick);
    for (int id = 0; id < 100; id++) {
      const double x = tick * 0.37 + id;
      out.put("cars", std::to_string(id), {{"position", {x, id * 3.1, 0.5}}, {"rotation", {0, 0, x}}, {"speed", x / 3}});
    }
  }
  out.flush();
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  say("bench " + std::to_string(ticks * 100 / seconds) + " things a second, " + std::to_string(seconds / ticks * 1e6) + " us a tick of 100");
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const std::string scene = words[1];
  simtape::Options options;
  options.log = options.answers = say;
  if (scene == "flood") options.limit = 1 << 20;
  if (scene == "overflow") options.limit = 4096;
  if (scene == "bench") options.limit = 1 << 30;
  if (const char* token = std::getenv("SIMTAPE_TOKEN")) options.token = token;
  const Json columns = Json::object({{"position", "m"}, {"armed", Json::object({{"kind", "u8"}})}});
  const Json sets = Json::object({{"drones", Json::object({{"columns", columns}})}});
  simtape::Fields header{{"server", "play \"1\""}};
  if (scene == "state") header.emplace_back("rate", 50);
  if (scene != "world" && scene != "unbroken-world") header.emplace_back("sets", sets);
  Sender out(words[2], header, options);
  if (scene == "world") world(out);
  else if (scene == "state") state(out);
  else if (scene == "flood") flood(out);
  else if (scene == "unbroken" || scene == "overflow") unbroken(out, false);
  else if (scene == "unbroken-world") unbroken(out, true);
  else if (scene == "bench") bench(out, std::atol(words[3]));
  else if (scene == "texts") {
    out.tick(0);
    for (int i = 3; i < count; i++) {
      const std::string text = bytesOf(words[i]);
      out.put("things", std::to_string(i - 3), {{"label", text}});
      out.put("things", text.substr(0, 100), {{"label", "key"}});
      out.event("play:text", text);
    }
  } else {
    return 2;
  }
  const auto status = out.close("completed", std::chrono::seconds(8));
  say("status " + Json::object({{"sent", status.sent}, {"merged", status.merged}, {"dropped", status.dropped}, {"lost", status.lost},
                                {"refused", status.refused}, {"connections", status.connections}, {"waiting", status.waiting}}).text());
  return 0;
}
