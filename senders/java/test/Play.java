import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import simtape.Hub;
import simtape.Recording;
import simtape.Recording.Property;
import simtape.Recording.Stance;

/** The game of the tests: <code>Play GAME PORT TOKEN [ARGUMENT…]</code>. Its log and answers go to standard output. */
public final class Play {
    private static final int PLAYERS = 24;
    private static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in));

    public static void main(String[] words) throws Exception {
        Hub.Options options = Hub.to("127.0.0.1", Integer.parseInt(words[1])).log(Play::say).answers(Play::say);
        if (!words[2].isEmpty()) options.token(words[2]);
        if (words[0].startsWith("flood")) options.limit(1 << 20);
        Hub hub = options.start();
        if (!words[0].equals("refused")) while (!hub.status().isConnected()) Thread.sleep(5);
        switch (words[0]) {
            case "match" -> match(hub);
            case "unbroken" -> unbroken(hub);
            case "flood" -> flood(hub);
            case "flood-needed" -> floodNeeded(hub);
            case "texts" -> texts(hub, List.of(words).subList(3, words.length));
            case "refused" -> IN.readLine();
            default -> throw new IllegalArgumentException(words[0]);
        }
        hub.close(Duration.ofSeconds(20));
        say("status " + hub.status());
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }

    /** All numbers are on the grid of a recording, so they come back as they are. */
    static Stance stance(int player, long tick) {
        double x = player * 4 + tick * 0.125;
        double y = 64 + tick % 8 / 16.0;
        return new Stance(x, y, 4 - player / 4.0, tick % 64 * 5.625f, 0, 0, tick % 8 == 0);
    }

    private static UUID uuid(int player) {
        return new UUID(0x4000, 0x8000_0000_0000_0000L + player);
    }

    private static void join(Recording to, int player, long tick) {
        Property skin = new Property("textures", "skin-" + player + "=", player % 2 == 0 ? "signed" : null);
        to.join("p" + player, uuid(player), "Player" + player, stance(player, tick), List.of(skin));
    }

    /** 24 players for three seconds: a recording of all, one of each one's run, and a ring. */
    private static void match(Hub hub) throws Exception {
        Map<String, Object> header = Map.of("server", "play \"1\"", "dataVersion", 4189);
        Recording all = hub.begin("match", header, 0);
        Recording ring = hub.ring("lobby", header, 60);
        hub.begin("short", header, 20).end("reset", 0L);
        List<Recording> runs = new ArrayList<>();
        for (int player = 0; player < PLAYERS; player++) {
            runs.add(hub.begin("run-" + player, header, 20));
            for (Recording each : List.of(all, ring, runs.get(player))) join(each, player, 0);
            runs.get(player).mark("start", "start", "p" + player);
        }
        long next = System.nanoTime();
        for (int tick = 0; tick <= 60; tick++) {
            if (tick == 50) all.leave("p23");
            for (int player = 0; player < PLAYERS; player++) {
                Stance stance = stance(player, tick);
                for (Recording each : List.of(ring, runs.get(player))) each.move("p" + player, stance);
                if (player < 23 || tick < 50) all.move("p" + player, stance);
                if (player < 23) all.state("p" + player, 0, tick >= 30 ? 8 : 0);
                if (tick == 20 + player) runs.get(player).mark("checkpoint", "half of " + player, "p" + player);
            }
            if (tick == 10) all.block(3, 63, -5, "minecraft:oak_stairs[facing=north]");
            if (tick == 40) all.chat("well done", "p3");
            if (tick == 55) ring.save("report-1", 0, "flying");
            if (tick == 60) {
                for (int player = 0; player < PLAYERS; player++)
                    runs.get(player).end(player == 7 ? "reset" : "completed", 3000L + player);
                all.end("completed", null);
            }
            hub.endTick(5_000 + tick);
            next += 50_000_000;
            Thread.sleep(Math.max(0, (next - System.nanoTime()) / 1_000_000));
        }
    }

    /** One player runs until standard input says something, whatever becomes of the hub. */
    private static void unbroken(Hub hub) throws Exception {
        Recording run = hub.begin("run", Map.of(), 0);
        join(run, 0, 0);
        run.equipment("p0", Map.of(0, "minecraft:stick"));
        for (long tick = 0; !IN.ready(); tick++) {
            run.move("p0", stance(0, tick));
            hub.endTick(tick);
            Thread.sleep(10);
        }
        run.end("completed", null);
    }

    /** As fast as it goes, to a hub that reads nothing, until standard input says that it reads. */
    private static void flood(Hub hub) throws Exception {
        Recording all = hub.begin("all", Map.of(), 0);
        for (int player = 0; player < PLAYERS; player++) join(all, player, 0);
        hub.endTick(0);
        // the threads have begun, and have loaded what they need
        while (hub.status().sent() == 0) Thread.sleep(5);
        ThreadInfo before = self();
        long tick = 1;
        long most = 0;
        while (hub.status().dropped() < 100_000) {
            for (int player = 0; player < PLAYERS; player++) all.move("p" + player, stance(player, tick));
            hub.endTick(tick++);
            most = Math.max(most, hub.status().waiting());
        }
        ThreadInfo after = self();
        all.mark("bookmark", "behind", null);
        for (int player = 0; player < PLAYERS; player++) all.teleport("p" + player, stance(player, 1_000_000));
        hub.endTick(tick++);
        long waited = after.getWaitedCount() - before.getWaitedCount();
        long blocked = after.getBlockedCount() - before.getBlockedCount();
        say("flooded " + waited + " " + blocked + " " + most + " " + tick);
        IN.readLine();
        while (hub.status().waiting() > 0) Thread.sleep(5);
        hub.endTick(tick++);
    }

    /** Lines that are not dropped, to a hub that reads nothing, until there is another connection, and a tick more. */
    private static void floodNeeded(Hub hub) throws Exception {
        Recording all = hub.begin("all", Map.of(), 0);
        join(all, 0, 0);
        long tick = 0;
        while (hub.status().isConnected()) {
            for (int mark = 0; mark < 100; mark++) all.mark("bookmark", "mark " + mark, "p0");
            hub.endTick(tick++);
        }
        all.move("p0", stance(0, tick));
        while (!hub.status().isConnected()) Thread.sleep(5);
        hub.endTick(tick);
    }

    private static ThreadInfo self() {
        return ManagementFactory.getThreadMXBean().getThreadInfo(Thread.currentThread().getId());
    }

    /** Texts as their code units in hexadecimal, as no command line can hold them all. */
    private static void texts(Hub hub, List<String> texts) {
        Recording run = hub.begin("texts", Map.of(), 0);
        join(run, 0, 0);
        hub.endTick(0);
        for (int tick = 1; tick <= texts.size(); tick++) {
            StringBuilder text = new StringBuilder();
            String units = texts.get(tick - 1);
            for (int i = 0; i < units.length(); i += 4) text.append((char) Integer.parseInt(units.substring(i, i + 4), 16));
            run.chat(text.toString(), "p0");
            run.mark("bookmark", text.toString(), null);
            run.move("p0", new Stance(Double.NaN, tick, 0, 0, 0, 0, true));
            hub.endTick(tick);
        }
        hub.endTick(texts.size() + 20);
        run.end("completed", null);
    }
}
