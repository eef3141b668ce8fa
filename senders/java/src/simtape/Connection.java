package simtape;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * One connection to a hub. The tick thread puts lines into its queue and never waits: the queue has no lock. The writer
 * thread empties it into the socket. A second thread reads the answers, and so notices at once that the hub is gone.
 */
final class Connection {
    private static final int CONNECT_MS = 5_000;
    /** The writer checks at least this often whether the connection has ended. */
    private static final long LOOK_EVERY_NS = 100_000_000;

    private record Batch(byte[] bytes, int lines) {}

    private final Socket socket = new Socket();
    private final Queue<Batch> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong waiting = new AtomicLong();
    private final Thread writer;
    private volatile boolean hasEnded;
    private volatile boolean isLast;

    Connection(Thread writer) {
        this.writer = writer;
    }

    /** Bytes that are not in the socket yet. */
    long waiting() {
        return waiting.get();
    }

    /** Called by the tick thread. */
    void offer(String text, int lines) {
        Batch batch = new Batch(text.getBytes(ISO_8859_1), lines);
        waiting.addAndGet(batch.bytes.length);
        queue.add(batch);
        LockSupport.unpark(writer);
    }

    /** What is in the queue is the last; `write` returns when the hub has taken it. */
    void finish() {
        isLast = true;
        LockSupport.unpark(writer);
    }

    /** Ends it at once, whatever waits. */
    void giveUp() {
        hasEnded = true;
        try {
            socket.close();
        } catch (IOException already) {
            // it is gone, which is what is wanted
        }
        LockSupport.unpark(writer);
    }

    void open(String host, int port, String firstLine, Consumer<String> answers) throws IOException {
        socket.connect(new InetSocketAddress(host, port), CONNECT_MS);
        socket.setTcpNoDelay(true);
        socket.getOutputStream().write((firstLine + '\n').getBytes(ISO_8859_1));
        Thread reader = new Thread(() -> read(answers), "simtape answers");
        reader.setDaemon(true);
        reader.start();
    }

    /** Writes until the connection ends, or all is written. Throws what has broken it. */
    void write(AtomicLong sent) throws IOException {
        OutputStream out = socket.getOutputStream();
        while (!hasEnded) {
            boolean isAll = isLast;
            Batch batch = queue.peek();
            if (batch == null) {
                if (isAll && !socket.isOutputShutdown()) socket.shutdownOutput();
                LockSupport.parkNanos(LOOK_EVERY_NS);
                continue;
            }
            out.write(batch.bytes);
            queue.remove();
            waiting.addAndGet(-batch.bytes.length);
            sent.addAndGet(batch.lines);
        }
    }

    /** Lines that were not written. */
    long left() {
        return queue.stream().mapToLong(Batch::lines).sum();
    }

    private void read(Consumer<String> answers) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) answers.accept(line);
        } catch (IOException broken) {
            // the writer says that the connection is gone
        } finally {
            giveUp();
        }
    }
}
