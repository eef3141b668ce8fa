package simtape;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Sends recordings to <code>simtape record --hub</code>. No method but {@link #close} waits for anything: what the hub
 * does not take in time is dropped and counted. What still holds is sent again when there is room, or when the hub is
 * back. All methods may be called by any thread.
 */
public final class Hub implements AutoCloseable {
    private static final long FIRST_PAUSE_NS = 250_000_000L;
    private static final long LONGEST_PAUSE_NS = 10_000_000_000L;
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(3);

    private final Options options;
    private final Thread writer;
    private final Map<String, Recording> open = new LinkedHashMap<>();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    /** Null while the hub cannot be reached. */
    private volatile Connection current;
    private volatile boolean isClosing;
    /** The one that the present lines are for. */
    private Connection present;
    private final StringBuilder begins = new StringBuilder();
    private final StringBuilder lines = new StringBuilder();
    private int count;
    private boolean isBehind;
    private long droppedBefore;

    private Hub(Options options) {
        this.options = options;
        this.writer = new Thread(this::run, "simtape writer");
        writer.setDaemon(true);
    }

    /** Where the hub listens, and how to send to it. Ends with {@link Options#start}. */
    public static Options to(String host, int port) {
        return new Options(host, port);
    }

    /** How to reach a hub, and where messages go. */
    public static final class Options {
        private final String host;
        private final int port;
        private String token;
        private int limit = 4 << 20;
        private Consumer<String> log = message -> {};
        private Consumer<String> answers = line -> {};

        private Options(String host, int port) {
            this.host = host;
            this.port = port;
        }

        /** The token of <code>--token</code>. */
        public Options token(String token) {
            this.token = token;
            return this;
        }

        /** Bytes that may wait for the hub; 4 MiB. With more, moves and the like are dropped. */
        public Options limit(int bytes) {
            this.limit = bytes;
            return this;
        }

        /** Gets a sentence when the connection comes or goes, and when lines are dropped. Must not wait. */
        public Options log(Consumer<String> log) {
            this.log = log;
            return this;
        }

        /** Gets each answer of the hub, a line of JSON, from a thread of its own. */
        public Options answers(Consumer<String> answers) {
            this.answers = answers;
            return this;
        }

        /** Connects, and connects again whenever the connection ends, until {@link Hub#close}. */
        public Hub start() {
            Hub hub = new Hub(this);
            hub.writer.start();
            return hub;
        }
    }

    /** How much was done. <code>sent</code> and <code>dropped</code> are lines, <code>waiting</code> is bytes. */
    public record Status(boolean isConnected, long sent, long dropped, long waiting) {}

    public Status status() {
        Connection now = current;
        return new Status(now != null, sent.get(), dropped.get(), now == null ? 0 : now.waiting());
    }

    /**
     * Begins a recording.
     *
     * @param name letters, digits and <code>. _ -</code>; new in the hub's folder
     * @param header such as <code>server</code>, <code>dataVersion</code>, <code>worldId</code>
     * @param least ticks; the hub throws a shorter one away
     */
    public Recording begin(String name, Map<String, ?> header, int least) {
        return add(new Recording(this, name, "begin", header, least == 0 ? null : least, null));
    }

    /** Keeps the last seconds of a world in the hub's memory; {@link Recording#save} makes recordings of them. */
    public Recording ring(String name, Map<String, ?> header, int seconds) {
        return add(new Recording(this, name, "ring", header, null, seconds));
    }

    /**
     * What was said since the last call has happened in this tick, and is sent. To be called once at the end of each
     * tick, of which there are 20 a second.
     */
    public synchronized void endTick(long tick) {
        if (isClosing) return;
        meet();
        if (present == null) return;
        if (hasRoom()) for (Recording recording : open.values()) recording.tellOwed();
        if (lines.length() > 0 || !open.isEmpty() && !isBehind) {
            begins.append("{\"tick\":").append(tick).append("}\n");
            count++;
        }
        handOver();
        // what may not be dropped has no room either: begin again with what holds
        if (present.waiting() > 2L * options.limit) present.giveUp();
    }

    /** Ends what is open as abandoned, and waits for the hub to take what waits: three seconds at most. */
    @Override
    public void close() {
        close(CLOSE_LIMIT);
    }

    /** The same with another limit. What is not sent then is dropped and counted. */
    public void close(Duration limit) {
        Connection last;
        synchronized (this) {
            for (Recording recording : new ArrayList<>(open.values())) recording.end("abandoned", null);
            last = present;
            if (last != null) handOver();
            isClosing = true;
        }
        if (last != null) last.finish();
        LockSupport.unpark(writer);
        try {
            writer.join(Math.max(1, limit.toMillis()));
            if (last != null) last.giveUp();
            writer.join(Math.max(1, limit.toMillis()));
        } catch (InterruptedException interrupted) {
            if (last != null) last.giveUp();
            Thread.currentThread().interrupt();
        }
    }

    // ── for recordings, who hold the lock ─────────────────────────────────

    /** Begins what is open again when the connection is another than before. To be called before what is for it. */
    void meet() {
        Connection now = current;
        if (now == present) return;
        present = now;
        dropped.addAndGet(count);
        forget();
        isBehind = false;
        for (Recording recording : open.values()) recording.tellAll();
    }

    /** The same as `tell` of a line that stands before those of the tick. */
    boolean tellFirst(String line) {
        return take(begins, line, true);
    }

    /** Whether a line was taken. One that is needed is always taken while there is a connection. */
    boolean tell(String line, boolean isNeeded) {
        return take(lines, line, isNeeded);
    }

    void remove(Recording recording) {
        open.values().remove(recording);
    }

    // ── within ────────────────────────────────────────────────────────────

    private synchronized Recording add(Recording recording) {
        meet();
        if (isClosing) throw new IllegalStateException("the hub is closed: begin before close()");
        if (open.putIfAbsent(recording.name, recording) != null)
            throw new IllegalArgumentException(recording.name + " is open: end it first, or take another name");
        recording.tellAll();
        return recording;
    }

    private boolean take(StringBuilder to, String line, boolean isNeeded) {
        if (present == null || present != current || isClosing || !isNeeded && !hasRoom()) {
            dropped.incrementAndGet();
            return false;
        }
        to.append(line).append('\n');
        count++;
        return true;
    }

    /** Whether what may be dropped is taken: the hub keeps up, or has caught up with half of what waited. */
    boolean hasRoom() {
        long waiting = present.waiting() + begins.length() + lines.length();
        if (!isBehind && waiting > options.limit) {
            isBehind = true;
            droppedBefore = dropped.get();
            options.log.accept("simtape: the hub does not keep up; moves are dropped and counted");
        } else if (isBehind && waiting < options.limit / 2) {
            isBehind = false;
            long now = dropped.get() - droppedBefore;
            options.log.accept("simtape: the hub keeps up again; " + now + " lines were dropped");
        }
        return !isBehind;
    }

    private void handOver() {
        if (count > 0) present.offer(begins.append(lines).toString(), count);
        forget();
    }

    private void forget() {
        begins.setLength(0);
        lines.setLength(0);
        count = 0;
    }

    private void run() {
        String first = options.token == null ? Json.object("simtape", 1) : Json.object("token", options.token);
        String where = options.host + ":" + options.port;
        long pause = FIRST_PAUSE_NS;
        boolean isReported = false;
        while (!isClosing) {
            long began = System.nanoTime();
            Connection connection = new Connection(writer);
            String why = "the hub has closed it";
            try {
                connection.open(options.host, options.port, first, options.answers);
                options.log.accept("simtape: connected to " + where);
                isReported = false;
                current = connection;
                connection.write(sent);
            } catch (IOException broken) {
                why = broken.getMessage();
            }
            current = null;
            connection.giveUp();
            dropped.addAndGet(connection.left());
            if (isClosing) break;
            if (!isReported) options.log.accept("simtape: no connection to " + where + ": " + why + "; trying again");
            isReported = true;
            pause = System.nanoTime() - began > LONGEST_PAUSE_NS ? FIRST_PAUSE_NS : pause;
            long until = System.nanoTime() + pause;
            for (long left = pause; left > 0 && !isClosing; left = until - System.nanoTime()) LockSupport.parkNanos(left);
            pause = Math.min(2 * pause, LONGEST_PAUSE_NS);
        }
    }
}
