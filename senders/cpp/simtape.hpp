// Sends what a simulator does to `simtape record`, as lines of JSON (docs/line-protocol.md of simtape).
//
// One header, C++17, POSIX sockets, no other dependency: copy it into your project and link with -pthread. MIT licence,
// see LICENSE of simtape.
//
//   simtape::Sender out("tcp://127.0.0.1:9100", {{"server", "drone 1.0"}, {"rate", 50}});
//   for (int tick = 0; tick < 200; tick++) {
//     out.tick(tick);
//     out.put("drones", "one", {{"position", {0.0, 0.0, tick / 50.0}}});
//   }
//   out.close();
//
// No call but the constructor and `close` waits for anything: one thread writes. While the recorder is away or behind,
// ticks wait in a buffer. Beyond its limit they are merged into a later tick (values, things) or dropped (events); both
// are counted. Each new connection gets the state again, and each gap is an event of the recording.
#ifndef SIMTAPE_HPP
#define SIMTAPE_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace simtape {

/// What a line says, as docs/line-protocol.md has it.
namespace kind {
// kinds: made by `npm run schemas` of the lines that a recorder takes
inline constexpr const char* SIMTAPE = "simtape";
inline constexpr const char* TICK = "tick";
inline constexpr const char* TIME = "time";
inline constexpr const char* SPAWN = "spawn";
inline constexpr const char* JOIN = "join";
inline constexpr const char* LEAVE = "leave";
inline constexpr const char* REMOVE = "remove";
inline constexpr const char* MOVE = "move";
inline constexpr const char* TELEPORT = "teleport";
inline constexpr const char* VELOCITY = "velocity";
inline constexpr const char* EXACT = "exact";
inline constexpr const char* MOUNT = "mount";
inline constexpr const char* STATE = "state";
inline constexpr const char* EQUIPMENT = "equipment";
inline constexpr const char* HELD_SLOT = "heldSlot";
inline constexpr const char* ITEM_USE = "itemUse";
inline constexpr const char* SWING = "swing";
inline constexpr const char* HURT = "hurt";
inline constexpr const char* METADATA = "metadata";
inline constexpr const char* EFFECT = "effect";
inline constexpr const char* VITALS = "vitals";
inline constexpr const char* VIEW = "view";
inline constexpr const char* BLOCK = "block";
inline constexpr const char* CLEAR_BLOCKS = "clearBlocks";
inline constexpr const char* DIMENSION = "dimension";
inline constexpr const char* WORLD = "world";
inline constexpr const char* CHAT = "chat";
inline constexpr const char* SOUND = "sound";
inline constexpr const char* PARTICLES = "particles";
inline constexpr const char* MARK = "mark";
inline constexpr const char* SUBJECT = "subject";
inline constexpr const char* SET = "set";
inline constexpr const char* ENTITIES = "entities";
inline constexpr const char* SETS = "sets";
inline constexpr const char* EVENT = "event";
inline constexpr const char* COMMIT = "commit";
inline constexpr const char* SNAPSHOT = "snapshot";
inline constexpr const char* SESSION = "session";
inline constexpr const char* VERSIONS = "versions";
inline constexpr const char* RESET = "reset";
inline constexpr const char* REPORT = "report";
inline constexpr const char* END = "end";
// end of kinds
}  // namespace kind

/// Channel of the events that say what a recording lacks.
inline constexpr const char* GAP = "sender:gap";

// ── JSON ─────────────────────────────────────────────────────────────────────

/// A value as JSON. Numbers have as many digits as it takes to read the same number again. JSON has no NaN, which becomes
/// null (for a cell that means unknown); infinite becomes 1e999, which JSON readers take for it.
class Json {
 public:
  Json(std::nullptr_t) : text_("null") {}
  Json(const char* text) { quote(text_, text); }
  Json(const std::string& text) { quote(text_, text); }
  Json(std::string_view text) { quote(text_, text); }
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Json(T number) {
    add(number);
  }
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Json(const std::vector<T>& numbers) {
    addAll(numbers.data(), numbers.size());
  }
  template <typename T, std::size_t N, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Json(const std::array<T, N>& numbers) {
    addAll(numbers.data(), N);
  }
  Json(std::initializer_list<double> numbers) { addAll(numbers.begin(), numbers.size()); }

  using Fields = std::vector<std::pair<std::string, Json>>;

  static Json object(const Fields& fields) {
    Json made;
    made.text_ = "{";
    for (const auto& [key, value] : fields) made.member(key, value);
    made.text_ += '}';
    return made;
  }

  static Json list(const std::vector<Json>& items) {
    Json made;
    made.text_ = "[";
    for (const Json& item : items) {
      if (made.text_.size() > 1) made.text_ += ',';
      made.text_ += item.text_;
      made.isFinite_ = made.isFinite_ && item.isFinite_;
    }
    made.text_ += ']';
    return made;
  }

  /// Text that is JSON already.
  static Json raw(std::string text) {
    Json made;
    made.text_ = std::move(text);
    return made;
  }

  const std::string& text() const { return text_; }
  bool isNull() const { return text_ == "null"; }
  /// Whether no number in it is NaN or infinite.
  bool isFinite() const { return isFinite_; }

  /// Appends a text in quotes. What is not UTF-8 becomes U+FFFD, since a recorder takes nothing else.
  static void quote(std::string& to, std::string_view text) {
    static const char* hex = "0123456789abcdef";
    to += '"';
    for (std::size_t i = 0; i < text.size();) {
      const unsigned char c = static_cast<unsigned char>(text[i]);
      if (c == '"' || c == '\\') {
        to += '\\';
        to += static_cast<char>(c);
        i++;
      } else if (c < 0x20 || c == 0x7f) {
        to += "\\u00";
        to += hex[c >> 4];
        to += hex[c & 15];
        i++;
      } else if (c < 0x80) {
        to += static_cast<char>(c);
        i++;
      } else if (const std::size_t length = sequence(text, i); length > 0) {
        to.append(text, i, length);
        i += length;
      } else {
        to += "\xef\xbf\xbd";
        i++;
      }
    }
    to += '"';
  }

 private:
  std::string text_;
  bool isFinite_ = true;

  Json() = default;

  void member(std::string_view key, const Json& value) {
    if (text_.size() > 1) text_ += ',';
    quote(text_, key);
    text_ += ':';
    text_ += value.text_;
    isFinite_ = isFinite_ && value.isFinite_;
  }

  template <typename T>
  void add(T number) {
    if constexpr (std::is_same_v<T, bool>) {
      text_ += number ? "true" : "false";
    } else if constexpr (std::is_floating_point_v<T>) {
      const double wide = static_cast<double>(number);
      if (!std::isfinite(wide)) {
        isFinite_ = false;
        text_ += std::isnan(wide) ? "null" : wide > 0 ? "1e999" : "-1e999";
        return;
      }
      char digits[32];
      const auto end = std::to_chars(digits, digits + sizeof digits, wide).ptr;
      text_.append(digits, end);
    } else {
      char digits[24];
      const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>(number)).ptr;
      text_.append(digits, end);
    }
  }

  template <typename T>
  void addAll(const T* numbers, std::size_t count) {
    text_ += '[';
    for (std::size_t i = 0; i < count; i++) {
      if (i > 0) text_ += ',';
      add(numbers[i]);
    }
    text_ += ']';
  }

  /// Length of the UTF-8 sequence that begins there; 0: no sequence begins there.
  static std::size_t sequence(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
    const unsigned first = byte(0);
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return 0;
    for (std::size_t i = 1; i < length; i++)
      if ((byte(i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
    return length;
  }
};

using Fields = Json::Fields;
using Log = std::function<void(const std::string&)>;

/// How to send. Only what differs needs to be given.
struct Options {
  /// The token of `--token`; it is the first line.
  std::string token;
  /// Bytes that may wait for the recorder.
  std::size_t limit = 4 << 20;
  /// How long the constructor waits for the first connection; later ones are made in the background.
  std::chrono::milliseconds wait{2000};
  /// Gets sentences; called by threads of the sender. Absent: they go to standard error.
  Log log;
  /// Gets each line that the recorder sends back.
  Log answers;
};

/// What was done up to now. `merged`: ticks whose changes are part of a later tick, because there was no room; `dropped`:
/// events that had no room; `lost`: lines that waited and can no longer be sent; `refused`: lines with numbers or texts that no recorder takes; `waiting`: bytes.
struct Status {
  bool isConnected = false;
  std::uint64_t connections = 0, sent = 0, merged = 0, dropped = 0, lost = 0, refused = 0;
  std::size_t waiting = 0;
};

namespace detail {

using Clock = std::chrono::steady_clock;

inline constexpr std::size_t LINE_LENGTH = 1 << 18;
inline constexpr std::size_t LONGEST_LINE = (1 << 20) - 64;
/// Edits of blocks that are sent again after a gap.
inline constexpr std::size_t MOST_BLOCKS = 10000;

/// What a batch of lines needs of the ones before it: the things that they have made; values, which it may lack for some
/// ticks; or nothing, since it has all of the state.
enum class Needs { BASE, VALUES, NOTHING, IS_HEADER };

/// Lines of a tick.
struct Batch {
  std::string bytes;
  std::uint64_t lines;
  Needs needs;
  std::uint64_t epoch;
};

// ── the connection ───────────────────────────────────────────────────────────

/// Connects, and connects again, until it is closed. One thread of its own writes, and reads the answers. What waits is
/// kept when a connection breaks.
class Link {
 public:
  Link(const std::string& to, std::string first, const Options& options)
      : to_(to), first_(std::move(first)), log_(options.log), answers_(options.answers) {
    if (to.rfind("tcp://", 0) == 0) {
      const std::string place = to.substr(6);
      const std::size_t colon = place.rfind(':');
      if (colon == std::string::npos) throw std::invalid_argument("expected tcp://host:port, found " + to);
      host_ = place.substr(0, colon);
      if (host_.size() > 1 && host_.front() == '[') host_ = host_.substr(1, host_.size() - 2);
      if (host_.empty()) host_ = "127.0.0.1";
      port_ = place.substr(colon + 1);
      isSocket_ = true;
    } else if (to.rfind("unix:", 0) == 0) {
      isSocket_ = true;
    } else if (to.find("://") != std::string::npos) {
      throw std::invalid_argument("expected tcp://host:port, unix:path, - or the path of a file, found " + to);
    }
    if (!log_) log_ = [](const std::string& sentence) { std::fprintf(stderr, "simtape: %s\n", sentence.c_str()); };
    if (::pipe(wake_) != 0) throw std::runtime_error("simtape: no pipe");
    for (const int end : wake_) ::fcntl(end, F_SETFL, O_NONBLOCK);
    for (const int end : wake_) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    thread_ = std::thread([this] { run(); });
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, options.wait, [this] { return connections_ > 0 || isClosed_; });
  }

  ~Link() {
    close(std::chrono::milliseconds(0));
    for (const int end : wake_) ::close(end);
  }

  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  bool isConnected() const { return isConnected_; }
  /// How often all of the state was needed again: a batch that builds on another one fits its own epoch alone.
  std::uint64_t epoch() const { return epoch_; }
  std::size_t waiting() const { return waiting_; }

  void offer(Batch batch) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (batch.needs == Needs::BASE && batch.epoch != epoch_) {
        lost_ += batch.lines;
        return;
      }
      waiting_ += batch.bytes.size();
      queue_.push_back(std::move(batch));
    }
    wake();
  }

  void log(const std::string& sentence) const { log_(sentence); }

  void close(std::chrono::milliseconds limit) {
    if (!thread_.joinable()) return;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      deadline_ = Clock::now() + limit;
      isClosing_ = true;
      changed_.notify_all();
    }
    wake();
    thread_.join();
    std::lock_guard<std::mutex> lock(mutex_);
    for (const Batch& batch : queue_) lost_ += batch.lines;
    queue_.clear();
    waiting_ = 0;
  }

  /// Lines that were lost since the last call, and when the last connection broke.
  std::pair<std::uint64_t, Clock::time_point> takeLost() {
    std::lock_guard<std::mutex> lock(mutex_);
    const std::uint64_t lost = lost_ - lostBefore_;
    lostBefore_ = lost_;
    return {lost, broken_};
  }

  std::string report() {
    std::lock_guard<std::mutex> lock(mutex_);
    return report_;
  }

  Status status() {
    std::lock_guard<std::mutex> lock(mutex_);
    Status status;
    status.isConnected = isConnected_;
    status.connections = connections_;
    status.sent = sent_;
    status.lost = lost_;
    status.waiting = waiting_;
    return status;
  }

 private:
  const std::string to_;
  const std::string first_;
  std::string host_, port_;
  bool isSocket_ = false;
  Log log_;
  Log answers_;
  int wake_[2];
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> queue_;
  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<bool> isConnected_{false};
  std::uint64_t connections_ = 0, sent_ = 0, lost_ = 0, lostBefore_ = 0;
  std::atomic<bool> isClosing_{false};
  bool isClosed_ = false;
  Clock::time_point deadline_{}, broken_ = Clock::now();
  std::string report_, rest_;

  void wake() {
    const char one = 1;
    // a full pipe wakes the thread, too
    if (::write(wake_[1], &one, 1) < 0) return;
  }

  bool isLate() const { return isClosing_ && Clock::now() > deadline_; }

  void run() {
    sigset_t pipes;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipes, nullptr);
    auto pause = std::chrono::milliseconds(250);
    const auto longest = std::chrono::milliseconds(10000);
    bool isReported = false;
    while (!isDone()) {
      const auto began = Clock::now();
      std::string why;
      const int fd = open(why);
      if (fd >= 0) {
        if (isSocket_) log_("connected to " + to_);
        isReported = false;
        begin();
        why = pump(fd);
        end();
        ::close(fd);
      }
      if (isDone()) break;
      if (!isSocket_) {
        log_("cannot write to " + to_ + ": " + why + "; the rest is not recorded");
        break;
      }
      if (!isReported) log_("no connection to " + to_ + ": " + why + "; trying again");
      isReported = true;
      if (Clock::now() - began > longest) pause = std::chrono::milliseconds(250);
      std::unique_lock<std::mutex> lock(mutex_);
      if (isClosing_) pause = std::min(pause, std::chrono::milliseconds(50));
      changed_.wait_for(lock, pause, [this, wasClosing = isClosing_.load()] { return isClosing_ && !wasClosing; });
      pause = std::min(pause * 2, longest);
    }
    std::lock_guard<std::mutex> lock(mutex_);
    isClosed_ = true;
    changed_.notify_all();
  }

  /// Whether there is nothing more to do: it is closed, and everything is sent or too late.
  bool isDone() {
    std::lock_guard<std::mutex> lock(mutex_);
    return isClosing_ && (queue_.empty() || isLate());
  }

  void begin() {
    std::lock_guard<std::mutex> lock(mutex_);
    rest_.clear();
    queue_.push_front({first_, 0, Needs::IS_HEADER, 0});
    waiting_ += first_.size();
    isConnected_ = true;
    connections_++;
    changed_.notify_all();
  }

  /// What was not sent as a whole is sent again, to a recorder that may be another: what builds on lines that it may not
  /// have is lost.
  void end() {
    std::lock_guard<std::mutex> lock(mutex_);
    isConnected_ = false;
    broken_ = Clock::now();
    if (!queue_.empty() && queue_.front().needs == Needs::IS_HEADER) discardFront();
    std::deque<Batch> kept;
    bool hasBase = false;
    while (!queue_.empty()) {
      hasBase = hasBase || queue_.front().needs == Needs::NOTHING;
      if (hasBase || queue_.front().needs == Needs::VALUES) {
        kept.push_back(std::move(queue_.front()));
        queue_.pop_front();
      } else {
        lost_ += queue_.front().lines;
        discardFront();
      }
    }
    queue_ = std::move(kept);
    if (!hasBase) epoch_++;
  }

  void discardFront() {
    waiting_ -= queue_.front().bytes.size();
    queue_.pop_front();
  }

  int open(std::string& why) {
    int fd = -1;
    if (to_ == "-") fd = ::dup(1);
    else if (!isSocket_) {
      struct stat about;
      const bool isPipe = ::stat(to_.c_str(), &about) == 0 && !S_ISREG(about.st_mode);
      fd = ::open(to_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (isPipe ? 0 : O_TRUNC), 0600);
    } else if (host_.empty()) {
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      const std::string path = to_.substr(5);
      if (path.size() >= sizeof address.sun_path) {
        why = "the path is too long";
        return -1;
      }
      std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
      fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
      if (fd >= 0 && !connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address)) fd = closed(fd);
    } else {
      addrinfo hints{};
      hints.ai_socktype = SOCK_STREAM;
      addrinfo* found = nullptr;
      if (const int code = ::getaddrinfo(host_.c_str(), port_.c_str(), &hints, &found); code != 0) {
        why = ::gai_strerror(code);
        return -1;
      }
      for (const addrinfo* each = found; each != nullptr && fd < 0; each = each->ai_next) {
        fd = ::socket(each->ai_family, each->ai_socktype, each->ai_protocol);
        if (fd >= 0 && !connect(fd, each->ai_addr, each->ai_addrlen)) fd = closed(fd);
      }
      ::freeaddrinfo(found);
      const int yes = 1;
      if (fd >= 0) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    if (fd < 0) why = std::strerror(errno);
    return fd;
  }

  static int closed(int fd) {
    const int error = errno;
    ::close(fd);
    errno = error;
    return -1;
  }

  /// In five seconds at most.
  static bool connect(int fd, const sockaddr* address, socklen_t length) {
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    if (::connect(fd, address, length) == 0) return true;
    if (errno != EINPROGRESS) return false;
    pollfd wait{fd, POLLOUT, 0};
    if (::poll(&wait, 1, 5000) <= 0) {
      errno = ETIMEDOUT;
      return false;
    }
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    errno = error;
    return error == 0;
  }

  /// Writes until the connection ends, or everything is written. Gives what has ended it.
  std::string pump(int fd) {
    std::size_t at = 0;
    bool isShut = false;
    for (;;) {
      if (isLate()) return "the time to end it has passed";
      const std::string* bytes = nullptr;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!queue_.empty()) bytes = &queue_.front().bytes;
      }
      if (bytes == nullptr && isClosing_) {
        if (!isSocket_) return "it is closed";
        if (!isShut) ::shutdown(fd, SHUT_WR);
        isShut = true;
      }
      const short writes = bytes == nullptr ? 0 : POLLOUT;
      pollfd wait[2] = {{fd, static_cast<short>((isSocket_ ? POLLIN : 0) | writes), 0}, {wake_[0], POLLIN, 0}};
      if (::poll(wait, 2, 100) < 0 && errno != EINTR) return std::strerror(errno);
      if (wait[1].revents != 0) {
        char drained[256];
        while (::read(wake_[0], drained, sizeof drained) > 0) continue;
      }
      if (isSocket_ && (wait[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !read(fd)) return "the recorder has closed it";
      if ((wait[0].revents & (POLLOUT | POLLERR)) == 0 || bytes == nullptr) continue;
      const std::size_t left = bytes->size() - at;
      const ssize_t written = isSocket_ ? ::send(fd, bytes->data() + at, left, MSG_NOSIGNAL | MSG_DONTWAIT)
                                        : ::write(fd, bytes->data() + at, std::min<std::size_t>(left, PIPE_BUF));
      if (written < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return std::strerror(errno);
      if (written < 0) continue;
      at += static_cast<std::size_t>(written);
      if (at < bytes->size()) continue;
      at = 0;
      std::lock_guard<std::mutex> lock(mutex_);
      sent_ += queue_.front().lines;
      discardFront();
    }
  }

  /// Answers of the recorder; false: there are no more.
  bool read(int fd) {
    char buffer[4096];
    for (;;) {
      const ssize_t got = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
      if (got == 0) return false;
      if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
      rest_.append(buffer, static_cast<std::size_t>(got));
      std::size_t from = 0;
      for (std::size_t to = rest_.find('\n'); to != std::string::npos; from = to + 1, to = rest_.find('\n', from))
        answer(rest_.substr(from, to - from));
      rest_.erase(0, from);
      if (rest_.size() > (1 << 20)) rest_.clear();
    }
  }

  void answer(const std::string& line) {
    if (answers_) answers_(line);
    if (line.rfind("{\"error\":", 0) == 0) log_("the recorder answers: " + line);
    else if (line.find("\"outcome\":") != std::string::npos) {
      std::lock_guard<std::mutex> lock(mutex_);
      report_ = line;
    }
  }
};

}  // namespace detail

// ── a recording ──────────────────────────────────────────────────────────────

/// One recording. All methods may be called by any thread.
class Sender {
 public:
  /// `to`: `tcp://host:port` or `unix:path`, where `simtape record --input` listens; `-` for standard output; or the path
  /// of a file or pipe. `header`: fields of the first line, such as `server`, `rate`, `sets`, `metadata`. Throws
  /// `std::invalid_argument` for any other place.
  explicit Sender(const std::string& to, const Fields& header = {}, const Options& options = {})
      : limit_(options.limit), link_(to, firstLines(header, options.token), options) {}

  ~Sender() {
    if (!isClosed_) close("abandoned");
  }

  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // ── time ────────────────────────────────────────────────────────────────

  /// What follows happens in this tick; the one before is sent. Ticks never go backwards: a lower one is the same.
  void tick(std::int64_t number) { begin(kind::TICK, static_cast<double>(number)); }

  /// The same in seconds.
  void time(double seconds) { begin(kind::TIME, seconds); }

  /// Sends what there is of the present tick.
  void flush() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    handOver(false);
  }

  // ── the state of any simulator ───────────────────────────────────────────

  /// A value by its path; null takes it away.
  void set(const std::string& path, const Json& value) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (!isName(path)) return refuse();
    const auto found = values_.find(path);
    if (value.isNull()) {
      if (found == values_.end()) return;
      values_.erase(found);
    } else {
      if (found != values_.end() && found->second == value.text()) return;
      values_[path] = value.text();
    }
    newValues_[path] = true;
  }

  /// Cells of a thing by column; a thing that is new appears. Null makes a cell unknown. What has not changed is not sent.
  void put(std::string_view set, std::string_view id, std::initializer_list<std::pair<std::string_view, Json>> cells) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    putAll(set, id, cells);
  }
  void put(std::string_view set, std::string_view id, const Fields& cells) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    putAll(set, id, cells);
  }

  /// The thing disappears.
  void takeAway(const std::string& set, const std::string& id) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    const auto found = sets_.find(set);
    if (found == sets_.end()) return;
    const auto row = found->second.rows.find(id);
    if (row == found->second.rows.end()) return;
    auto& changed = found->second.changed;
    if (row->second->isChanged) changed.erase(std::find(changed.begin(), changed.end(), row->second.get()));
    lastRow_ = nullptr;
    found->second.rows.erase(row);
    found->second.gone.push_back(id);
  }

  /// Axes and columns of sets, as in the header; before their first use.
  void declare(const Json& sets) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    declared_.push_back("{\"sets\":" + sets.text() + "}");
    add(declared_.back());
  }

  // ── a world ──────────────────────────────────────────────────────────────

  using Point = std::array<double, 3>;

  /// Ids are texts or whole numbers. `more`: `look`, `head`, `onGround`, `uuid`, `name`.
  void spawn(const Json& id, const std::string& type, const Point& at, const Fields& more = {}) {
    tell(kind::SPAWN, with({{"id", id}, {"type", type}, {"at", at}}, more));
  }
  void join(const Json& id, const std::string& uuid, const std::string& name, const Point& at, const Fields& more = {}) {
    tell(kind::JOIN, with({{"id", id}, {"uuid", uuid}, {"name", name}, {"at", at}}, more));
  }
  void leave(const Json& id) { tell(kind::LEAVE, {{"id", id}}); }
  void remove(const Json& id) { tell(kind::REMOVE, {{"id", id}}); }
  /// `more`: `at`, `look`, `head`, `onGround`; only what differs is sent.
  void move(const Json& id, const Fields& more) { tell(kind::MOVE, with({{"id", id}}, more)); }
  void teleport(const Json& id, const Point& at, const Fields& more = {}) {
    tell(kind::TELEPORT, with({{"id", id}, {"at", at}}, more));
  }
  /// `more`: `pose`, `flags`.
  void state(const Json& id, const Fields& more) { tell(kind::STATE, with({{"id", id}}, more)); }
  /// One slot: a name, or null for nothing.
  void equipment(const Json& id, int slot, const Json& item) {
    tell(kind::EQUIPMENT, {{"id", id}, {"items", Json::object({{std::to_string(slot), item}})}});
  }
  void vitals(const Json& id, double health, int food, int xp) {
    tell(kind::VITALS, {{"id", id}, {"health", health}, {"food", food}, {"xp", xp}});
  }
  void mount(const Json& id, const std::vector<Json>& passengers) {
    tell(kind::MOUNT, {{"id", id}, {"passengers", Json::list(passengers)}});
  }
  void swing(const Json& id, int hand = 0) { tell(kind::SWING, {{"id", id}, {"hand", hand}}); }
  void block(int x, int y, int z, const std::string& state) {
    tell(kind::BLOCK, {{"at", std::array<int, 3>{x, y, z}}, {"state", state}});
  }
  /// `fields`: `time`, `weather`.
  void world(const Fields& fields) { tell(kind::WORLD, fields); }
  void chat(const std::string& text, const Json& from = nullptr) {
    tell(kind::CHAT, from.isNull() ? Fields{{"text", text}} : Fields{{"text", text}, {"from", from}});
  }
  /// A moment worth finding again; `more`: `kind`, `id`, `severity`.
  void mark(const std::string& label, const Fields& more = {}) { tell(kind::MARK, with({{"label", label}}, more)); }

  /// As `minecraft:the_nether`.
  void dimension(const std::string& name) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    const Json text(name);
    Held& held = world_.held["dimension"];
    if (held.whole == text.text()) return;
    held.kind = kind::DIMENSION;
    held.whole = text.text();
    line("", "dimension", lineOf(kind::DIMENSION, held.whole));
  }

  /// All edits of blocks are undone.
  void clearBlocks() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    for (const std::string& what : blocks_) {
      world_.held.erase(what);
      owed_.erase({"", what});
    }
    blocks_.clear();
    add("{\"clearBlocks\":true}");
  }

  /// Any line of a world (docs/line-protocol.md), as its kind and its fields.
  void tell(const std::string& kind, const Fields& fields) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    for (const auto& [key, value] : fields)
      if (!value.isFinite()) return refuse();
    if (kind == kind::SPAWN || kind == kind::JOIN) come(kind, fields);
    else if (kind == kind::LEAVE || kind == kind::REMOVE) go(kind, fields);
    else if (isHeld(kind)) hold(kind, fields);
    else add(lineOf(kind, Json::object(fields).text()));
  }

  // ── both ─────────────────────────────────────────────────────────────────

  /// A message of a channel, whose name has a namespace; its payload is the text of the value.
  void event(const std::string& channel, const Json& value, int version = 1) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (!isChannel(channel)) return refuse();
    add(Json::object({{"event", channel}, {"value", value}, {"version", version}}).text());
  }
  /// The same with bytes.
  void eventBytes(const std::string& channel, const void* data, std::size_t size, int version = 1) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (!isChannel(channel)) return refuse();
    const std::string text = base64(static_cast<const unsigned char*>(data), size);
    add(Json::object({{"event", channel}, {"base64", text}, {"version", version}}).text());
  }
  void commit() { single(kind::COMMIT, true); }
  void snapshot() { single(kind::SNAPSHOT, true); }
  /// Why the wall clock does not run evenly: `pause`, `resume`.
  void session(const std::string& reason) { single(kind::SESSION, reason); }
  /// `dataVersion`, `protocol`, `server` from the next tick on.
  void versions(const Fields& fields) { single(kind::VERSIONS, Json::object(fields)); }

  Status status() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    Status status = link_.status();
    status.merged = merged_;
    status.dropped = dropped_;
    status.refused = refused_;
    return status;
  }

  /// What the recorder has answered to the end, as JSON; empty: nothing yet.
  std::string report() { return link_.report(); }

  /// Ends the recording, and waits as long at most for the recorder to take everything.
  Status close(const std::string& outcome = "completed", std::chrono::milliseconds limit = std::chrono::milliseconds(3000)) {
    {
      std::lock_guard<std::recursive_mutex> lock(mutex_);
      if (isClosed_) return status();
      handOver(true);
      isClosed_ = true;
      link_.offer({lineOf(kind::END, Json(outcome).text()) + "\n", 1, detail::Needs::VALUES, 0});
    }
    link_.close(limit);
    const Status now = status();
    std::string sentence = std::to_string(now.sent) + " lines sent";
    if (now.merged + now.dropped + now.lost + now.refused > 0)
      sentence += "; " + std::to_string(now.merged) + " ticks are part of later ones, " + std::to_string(now.dropped) +
                  " events were dropped, " + std::to_string(now.lost) + " lines were lost with a connection, " +
                  std::to_string(now.refused) + " lines had numbers or texts that no recorder takes";
    link_.log(sentence);
    return now;
  }

 private:
  struct Cell {
    std::string column, text;
    bool isNew;
  };
  struct Set;
  struct Row {
    Set* set;
    std::string id;
    std::vector<Cell> cells;
    bool isChanged = false;
  };
  struct Set {
    std::string name;
    std::unordered_map<std::string, std::unique_ptr<Row>> rows;
    std::vector<Row*> changed;
    std::vector<std::string> gone;
  };
  /// What holds of a thing until it changes: its fields, or `whole`.
  struct Held {
    std::string kind, whole;
    Fields fields;
  };
  struct Thing {
    std::map<std::string, Held> held;
  };
  struct Gone {
    std::string owner, kind, come;
    Fields fields;
  };
  /// A line of the present tick: an event, or what holds of a thing (`what` is not empty).
  struct Line {
    std::string owner, what, text;
    Gone gone;
  };
  struct Gap {
    bool is = false;
    std::string why;
    detail::Clock::time_point since;
    std::uint64_t ticks = 0, events = 0, lines = 0;
    double after = std::numeric_limits<double>::quiet_NaN();
  };

  const std::size_t limit_;
  std::recursive_mutex mutex_;
  std::uint64_t epoch_ = std::numeric_limits<std::uint64_t>::max();
  bool isClosed_ = false, isBehind_ = false, hasSent_ = false, isUnsure_ = false, hasBlocks_ = false;
  const char* moment_ = nullptr;
  double last_ = -std::numeric_limits<double>::infinity();
  double after_ = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t merged_ = 0, dropped_ = 0, refused_ = 0;
  Gap gap_;
  std::map<std::string, std::string> values_;
  std::map<std::string, bool> newValues_;
  std::map<std::string, Set, std::less<>> sets_;
  Row* lastRow_ = nullptr;
  std::vector<std::string> declared_;
  std::unordered_map<std::string, Thing> things_;
  Thing world_;
  /// Edits, the oldest first.
  std::deque<std::string> blocks_;
  /// Owner and what.
  std::set<std::pair<std::string, std::string>> owed_;
  std::vector<Gone> gone_;
  std::vector<Line> lines_;
  std::size_t size_ = 0;
  // the last, so that its thread ends first
  detail::Link link_;

  static std::string firstLines(const Fields& header, const std::string& token) {
    const std::string first = token.empty() ? "" : Json::object({{"token", token}}).text() + "\n";
    return first + Json::object(with({{"simtape", 1}}, header)).text() + "\n";
  }

  static Fields with(Fields fields, const Fields& more) {
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
  }

  static std::string lineOf(const std::string& kind, const std::string& value) { return "{\"" + kind + "\":" + value + "}"; }

  void begin(const char* moment, double number) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (moment_ != nullptr || !lines_.empty()) handOver(false);
    if (!std::isfinite(number)) return refuse();
    last_ = std::max(last_, number);
    moment_ = moment;
  }

  void single(const char* kind, const Json& value) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    add(lineOf(kind, value.text()));
  }

  /// An event of the present tick.
  void add(std::string text) {
    if (text.size() > detail::LONGEST_LINE) refused_++;
    else if (size_ > limit_) dropped_++;
    else line("", "", std::move(text));
  }

  void line(std::string owner, std::string what, std::string text, Gone gone = {}) {
    size_ += text.size();
    lines_.push_back({std::move(owner), std::move(what), std::move(text), std::move(gone)});
    if (size_ > 4 * detail::LINE_LENGTH) handOver(false);
  }

  // ── state ────────────────────────────────────────────────────────────────

  Row& rowOf(std::string_view set, std::string_view id) {
    if (lastRow_ != nullptr && lastRow_->id == id && lastRow_->set->name == set) return *lastRow_;
    auto found = sets_.find(set);
    if (found == sets_.end()) {
      found = sets_.emplace(std::string(set), Set{}).first;
      found->second.name = std::string(set);
    }
    std::string key(id);
    auto& row = found->second.rows[key];
    if (row == nullptr) {
      row = std::make_unique<Row>();
      row->set = &found->second;
      row->id = std::move(key);
      change(*row);
    }
    lastRow_ = row.get();
    return *row;
  }

  static void change(Row& row) {
    if (row.isChanged) return;
    row.isChanged = true;
    row.set->changed.push_back(&row);
  }

  template <typename Cells>
  void putAll(std::string_view set, std::string_view id, const Cells& cells) {
    bool isGood = isName(set) && isName(id);
    for (const auto& [column, value] : cells) isGood = isGood && isName(column);
    if (!isGood) return refuse();
    Row& row = rowOf(set, id);
    for (const auto& [column, value] : cells) putCell(row, column, value);
  }

  /// What a recorder takes for the name of a set, thing, column or value.
  static bool isName(std::string_view name) { return !name.empty() && name.size() <= 256; }

  /// What a recorder takes for the name of a channel.
  static bool isChannel(std::string_view name) {
    const std::size_t colon = name.find(':');
    const bool hasSpace = name.find_first_of(" \t\n\v\f\r") != std::string_view::npos;
    return isName(name) && !hasSpace && colon > 0 && colon + 1 < name.size() && name.rfind("simtape:", 0) != 0;
  }

  /// Such a line would end the connection.
  void refuse() { refused_++; }

  static void putCell(Row& row, std::string_view column, const Json& value) {
    for (Cell& cell : row.cells) {
      if (cell.column != column) continue;
      if (cell.text == value.text()) return;
      cell.text = value.text();
      cell.isNew = true;
      change(row);
      return;
    }
    row.cells.push_back({std::string(column), value.text(), true});
    change(row);
  }

  /// Lines of one kind, made of members of members; none of them is too long.
  class Cut {
   public:
    Cut(const char* kind, std::string& to, std::uint64_t& lines) : kind_(kind), to_(to), lines_(lines) {}
    ~Cut() { finish(); }
    void member(const std::string& group, std::string_view key, const std::string& value) {
      if (isOpen_ && to_.size() - from_ + value.size() > detail::LINE_LENGTH) finish();
      if (!isOpen_) {
        from_ = to_.size();
        to_ += std::string("{\"") + kind_ + "\":{";
        isOpen_ = true;
        group_ = nullptr;
      }
      if (group.empty()) {
        if (to_.back() != '{') to_ += ',';
      } else if (group_ == nullptr || *group_ != group) {
        if (group_ != nullptr) to_ += "},";
        Json::quote(to_, group);
        to_ += ":{";
        group_ = &group;
      } else {
        to_ += ',';
      }
      Json::quote(to_, key);
      to_ += ':';
      to_ += value;
    }
    void finish() {
      if (!isOpen_) return;
      to_ += group_ == nullptr ? "}}\n" : "}}}\n";
      lines_++;
      isOpen_ = false;
    }

   private:
    const char* kind_;
    std::string& to_;
    std::uint64_t& lines_;
    bool isOpen_ = false;
    std::size_t from_ = 0;
    const std::string* group_ = nullptr;
  };

  void stateTo(std::string& to, std::uint64_t& lines) {
    {
      Cut cut(kind::SET, to, lines);
      for (const auto& [path, isNew] : newValues_) {
        const auto found = values_.find(path);
        const std::string text = found == values_.end() ? "null" : found->second;
        if (text.size() > detail::LONGEST_LINE - 1024) refused_++;
        else cut.member("", path, text);
      }
      newValues_.clear();
    }
    {
      // removals first: a thing of the same name may be there again
      Cut cut(kind::ENTITIES, to, lines);
      for (auto& [name, set] : sets_) {
        for (const std::string& id : set.gone) cut.member(name, id, "null");
        set.gone.clear();
      }
    }
    Cut cut(kind::ENTITIES, to, lines);
    std::string cells;
    for (auto& [name, set] : sets_) {
      for (Row* row : set.changed) {
        cells = "{";
        for (Cell& cell : row->cells) {
          if (!cell.isNew) continue;
          cell.isNew = false;
          if (cells.size() > 1) cells += ',';
          Json::quote(cells, cell.column);
          cells += ':';
          cells += cell.text;
        }
        cells += '}';
        row->isChanged = false;
        if (cells.size() > detail::LONGEST_LINE - 1024) refused_++;
        else cut.member(name, row->id, cells);
      }
      set.changed.clear();
    }
  }

  // ── a world ──────────────────────────────────────────────────────────────

  static bool isHeld(const std::string& of) {
    static const char* held[] = {kind::MOVE,      kind::TELEPORT, kind::VELOCITY, kind::EXACT,  kind::MOUNT,
                                 kind::STATE,     kind::EQUIPMENT, kind::HELD_SLOT, kind::ITEM_USE, kind::METADATA,
                                 kind::EFFECT,    kind::VITALS,   kind::VIEW,     kind::BLOCK,  kind::WORLD,
                                 kind::SUBJECT};
    return std::any_of(std::begin(held), std::end(held), [&](const char* each) { return of == each; });
  }

  static const Json* fieldOf(const Fields& fields, std::string_view key) {
    for (const auto& field : fields)
      if (field.first == key) return &field.second;
    return nullptr;
  }

  static std::string ownerOf(const Fields& fields) {
    const Json* id = fieldOf(fields, "id");
    return id == nullptr ? "" : id->text();
  }

  /// What of a thing a line is about: lines about the same replace each other.
  static std::string whatOf(const std::string& kind, const Fields& fields) {
    if (kind == kind::MOVE || kind == kind::TELEPORT) return "place";
    const char* more = kind == kind::BLOCK       ? "at"
                       : kind == kind::EFFECT    ? "name"
                       : kind == kind::EQUIPMENT ? "items"
                       : kind == kind::METADATA  ? "entries"
                                                 : nullptr;
    const Json* field = more == nullptr ? nullptr : fieldOf(fields, more);
    if (field == nullptr) return kind;
    // slots are what is named in front of the first colon
    const std::string& text = field->text();
    return kind + "/" + (text.front() == '{' ? text.substr(0, text.find(':')) : text);
  }

  void come(const std::string& kind, const Fields& fields) {
    const std::string owner = ownerOf(fields);
    const bool isThere = things_.count(owner) > 0;
    Thing& thing = things_[owner];
    thing.held.clear();
    thing.held["come"] = {kind, "", fields};
    Held& place = thing.held["place"];
    place.kind = kind::MOVE;
    for (const char* key : {"id", "at", "look", "head", "onGround"})
      if (const Json* field = fieldOf(fields, key)) place.fields.emplace_back(key, *field);
    line(owner, "come", lineOf(kind, Json::object(isThere ? with(fields, {{"still", true}}) : fields).text()));
  }

  void go(const std::string& kind, const Fields& fields) {
    const std::string owner = ownerOf(fields);
    const auto found = things_.find(owner);
    if (found == things_.end()) return refuse();
    const Held come = found->second.held["come"];
    things_.erase(found);
    line(owner, "go", lineOf(kind, "{\"id\":" + owner + "}"), {owner, kind, come.kind, come.fields});
  }

  void hold(const std::string& kind, const Fields& fields) {
    const std::string owner = ownerOf(fields);
    const auto found = things_.find(owner);
    if (!owner.empty() && found == things_.end()) return refuse();
    Thing& thing = owner.empty() ? world_ : found->second;
    const std::string what = whatOf(kind, fields);
    if (kind == kind::BLOCK && thing.held.count(what) == 0) {
      hasBlocks_ = true;
      blocks_.push_back(what);
      if (blocks_.size() > detail::MOST_BLOCKS) {
        thing.held.erase(blocks_.front());
        blocks_.pop_front();
      }
    }
    Held& held = thing.held[what];
    held.kind = kind;
    Fields changed;
    bool isChanged = false;
    for (const auto& [key, value] : fields) {
      const auto before = std::find_if(held.fields.begin(), held.fields.end(), [&, &name = key](const auto& field) { return field.first == name; });
      const bool isSame = before != held.fields.end() && before->second.text() == value.text();
      if (before == held.fields.end()) held.fields.emplace_back(key, value);
      else if (!isSame) before->second = value;
      const bool isName = key == "id" || (kind == kind::BLOCK && key == "at") || (kind == kind::EFFECT && key == "name");
      if (isName || !isSame || (kind == kind::TELEPORT && key == "at")) changed.emplace_back(key, value);
      isChanged = isChanged || (!isSame && key != "id");
    }
    if (isChanged) line(owner, what, lineOf(kind, Json::object(changed).text()));
  }

  // ── handing over ──────────────────────────────────────────────────────────

  bool hasRoom() {
    const std::size_t waiting = link_.waiting();
    if (!isBehind_ && waiting > limit_) {
      isBehind_ = true;
      const char* why = link_.isConnected() ? "the recorder does not keep up" : "there is no connection, and no more room";
      link_.log(std::string(why) + "; ticks are merged");
    } else if (isBehind_ && waiting < limit_ / 2) {
      isBehind_ = false;
      link_.log("there is room again; " + std::to_string(gap_.ticks) + " ticks were merged");
    }
    return !isBehind_;
  }

  bool hasState() const {
    return !newValues_.empty() || std::any_of(sets_.begin(), sets_.end(), [](const auto& each) {
      return !each.second.changed.empty() || !each.second.gone.empty();
    });
  }

  void handOver(bool isLast) {
    if (isClosed_) return;
    const bool isNew = meet();
    if (moment_ == nullptr && lines_.empty() && !hasState()) return;
    if (!isLast && !hasRoom()) {
      keep();
      return;
    }
    std::string bytes;
    std::uint64_t count = 0;
    const auto tell = [&](const std::string& line) {
      bytes += line;
      bytes += '\n';
      count++;
    };
    if (moment_ != nullptr) tell(lineOf(moment_, numberOf(last_)));
    if (isNew) {
      for (const std::string& line : declared_) tell(line);
      if (!values_.empty() || !sets_.empty()) tell("{\"reset\":true}");
    }
    if (gap_.is) tell(gapLine());
    std::vector<std::string> removals;
    if (isUnsure_ && hasBlocks_) tell("{\"clearBlocks\":true}");
    for (const Gone& gone : gone_) {
      // another recorder may not have the thing: with this line it has
      if (isUnsure_) tell(lineOf(gone.come, Json::object(with(gone.fields, {{"still", true}})).text()));
      const std::string removal = lineOf(gone.kind, "{\"id\":" + gone.owner + "}");
      if (things_.count(gone.owner) > 0) tell(removal);
      else removals.push_back(removal);
    }
    gone_.clear();
    isUnsure_ = false;
    oweTo(tell);
    for (const Line& line : lines_) tell(line.text);
    for (const std::string& removal : removals) tell(removal);
    stateTo(bytes, count);
    // a set that is declared in a line must not be used before it
    const bool isFree = things_.empty() && world_.held.empty() && declared_.empty();
    const auto needs = isNew ? detail::Needs::NOTHING : isFree ? detail::Needs::VALUES : detail::Needs::BASE;
    link_.offer({std::move(bytes), count, needs, epoch_});
    hasSent_ = true;
    if (moment_ != nullptr) after_ = last_;
    lines_.clear();
    size_ = 0;
  }

  static std::string numberOf(double number) { return Json(number).text(); }

  std::string gapLine() {
    const double seconds = std::chrono::duration<double>(detail::Clock::now() - gap_.since).count();
    Fields fields{{"why", gap_.why}, {"ticks", gap_.ticks}, {"events", gap_.events}, {"lines", gap_.lines},
                  {"seconds", std::round(seconds * 1000) / 1000}};
    if (!std::isnan(gap_.after)) fields.emplace_back("after", gap_.after);
    gap_ = Gap{};
    return Json::object({{"event", GAP}, {"value", Json::object(fields)}}).text();
  }

  template <typename Tell>
  void oweTo(const Tell& tell) {
    for (const bool isComing : {true, false})
      for (const auto& [owner, what] : owed_) {
        if ((what == "come") != isComing) continue;
        const auto found = things_.find(owner);
        if (!owner.empty() && found == things_.end()) continue;
        Thing& thing = owner.empty() ? world_ : found->second;
        const auto there = thing.held.find(what);
        if (there == thing.held.end()) continue;
        const Held& held = there->second;
        if (!held.whole.empty()) tell(lineOf(held.kind, held.whole));
        else tell(lineOf(held.kind, Json::object(isComing ? comingOf(thing) : held.fields).text()));
      }
    owed_.clear();
  }

  /// How a thing came, at the place where it is now.
  static Fields comingOf(Thing& thing) {
    Fields fields = thing.held["come"].fields;
    for (const auto& [key, value] : thing.held["place"].fields) {
      const auto same = std::find_if(fields.begin(), fields.end(), [&, &name = key](const auto& field) { return field.first == name; });
      if (same == fields.end()) fields.emplace_back(key, value);
      else same->second = value;
    }
    if (fieldOf(fields, "still") == nullptr) fields.emplace_back("still", true);
    return fields;
  }

  /// There is no room: what holds is owed, what happened is dropped. All of it is counted.
  void keep() {
    merged_++;
    if (!gap_.is) {
      gap_.is = true;
      gap_.why = link_.isConnected() ? "the recorder did not keep up" : "no connection";
      gap_.since = detail::Clock::now();
      gap_.after = after_;
    }
    gap_.ticks++;
    const std::size_t events = fold().size();
    dropped_ += events;
    gap_.events += events;
  }

  /// What lines of this tick say of things is owed now. Gives the others.
  std::vector<Line> fold() {
    std::vector<Line> events, lines;
    lines.swap(lines_);
    size_ = 0;
    for (Line& line : lines) {
      if (line.what.empty()) {
        events.push_back(std::move(line));
      } else if (line.what == "go") {
        // a thing of which the recorder knows nothing need not be removed
        if (owed_.count({line.owner, "come"}) == 0) gone_.push_back(line.gone);
        auto from = owed_.lower_bound({line.owner, ""});
        while (from != owed_.end() && from->first == line.owner) from = owed_.erase(from);
      } else {
        owed_.emplace(line.owner, line.what);
      }
    }
    return events;
  }

  /// Whether the next connection may be to a recorder that has nothing: everything is owed to it.
  bool meet() {
    const std::uint64_t now = link_.epoch();
    if (now == epoch_) return false;
    epoch_ = now;
    lines_ = fold();
    for (const Line& line : lines_) size_ += line.text.size();
    if (hasSent_) {
      const auto [lost, broken] = link_.takeLost();
      if (!gap_.is) gap_.since = broken;
      gap_.since = std::min(gap_.since, broken);
      if (!gap_.is) gap_.after = after_;
      gap_.is = true;
      gap_.why = "no connection";
      gap_.lines = lost;
      isUnsure_ = true;
    } else {
      gone_.clear();
    }
    newValues_.clear();
    for (const auto& [path, text] : values_) newValues_[path] = true;
    for (auto& [name, set] : sets_) {
      set.gone.clear();
      for (auto& [id, row] : set.rows) {
        for (Cell& cell : row->cells) cell.isNew = true;
        change(*row);
      }
    }
    owed_.clear();
    for (const auto& [what, held] : world_.held) owed_.emplace("", what);
    for (const auto& [owner, thing] : things_)
      for (const auto& [what, held] : thing.held) owed_.emplace(owner, what);
    return true;
  }

  static std::string base64(const unsigned char* data, std::size_t size) {
    static const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((size + 2) / 3 * 4);
    for (std::size_t i = 0; i < size; i += 3) {
      const unsigned second = i + 1 < size ? data[i + 1] : 0;
      const unsigned third = i + 2 < size ? data[i + 2] : 0;
      text += letters[data[i] >> 2];
      text += letters[(data[i] & 3) << 4 | second >> 4];
      text += i + 1 < size ? letters[(second & 15) << 2 | third >> 6] : '=';
      text += i + 2 < size ? letters[third & 63] : '=';
    }
    return text;
  }
};

}  // namespace simtape

#endif
