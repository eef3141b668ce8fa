package simtape;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * One recording, or one ring, of a hub. Things have ids of the sender's own, texts or whole numbers. Places are in
 * blocks, angles in degrees. What holds may be given at every tick: only what has changed is sent.
 */
public final class Recording {
    /** Edits of blocks that a hub gets again when it has come back. */
    private static final int MOST_BLOCKS = 10_000;
    /** Keys of what holds that are no ids and no kinds of lines. */
    private static final Object BLOCKS = new Object();
    private static final Object COMING = new Object();
    private static final Object STANCE = new Object();

    /** A property of a player's profile; the skin is the one called "textures". The signature may be null. */
    public record Property(String name, String value, String signature) {}

    /** Where a thing is and looks: blocks, degrees. */
    public record Stance(double x, double y, double z, float yaw, float pitch, float headYaw, boolean onGround) {}

    /** What holds until it changes. */
    private static final class Held {
        final String kind;
        final String fields;
        boolean isOwed;

        Held(String kind, String fields) {
            this.kind = kind;
            this.fields = fields;
        }
    }

    final String name;
    private final Hub hub;
    private final String kind;
    private final Map<String, ?> header;
    private final Integer least;
    private final Integer seconds;
    /** By thing, or the world itself, and by what of it. */
    private final Map<Object, Map<Object, Held>> state = new LinkedHashMap<>();
    private int part;
    private boolean owes;
    private boolean hasEnded;

    Recording(Hub hub, String name, String kind, Map<String, ?> header, Integer least, Integer seconds) {
        this.hub = hub;
        this.name = name;
        this.kind = kind;
        this.header = Map.copyOf(header);
        this.least = least;
        this.seconds = seconds;
        state.put(BLOCKS, new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Object, Held> eldest) {
                return size() > MOST_BLOCKS;
            }
        });
    }

    // ── things ────────────────────────────────────────────────────────────

    /** A player comes. The recording is about players with properties. */
    public void join(Object id, UUID uuid, String name, Stance stance, List<Property> properties) {
        List<Map<String, String>> stated = properties.stream().map(Recording::mapOf).toList();
        come(id, Kind.JOIN, stance, "uuid", uuid, "name", name, "properties", stated);
    }

    /** Something else comes: <code>minecraft:boat</code>. */
    public void spawn(Object id, String type, Stance stance) {
        come(id, Kind.SPAWN, stance, "type", type);
    }

    public void leave(Object id) {
        go(id, Kind.LEAVE);
    }

    public void remove(Object id) {
        go(id, Kind.REMOVE);
    }

    public void move(Object id, Stance stance) {
        hold(id, STANCE, Kind.MOVE, Json.object(at(id, stance)));
    }

    /** A jump, shown without anything in between. */
    public void teleport(Object id, Stance stance) {
        hold(id, STANCE, Kind.TELEPORT, Json.object(at(id, stance)));
    }

    /** The game's number of the pose; flags from bit 0 on: fire, sneak, riptide, sprint, swim, invisible, glow, elytra. */
    public void state(Object id, int pose, int flags) {
        hold(id, Kind.STATE, "id", id, "pose", pose, "flags", flags);
    }

    /** All slots of a thing: names of items, null for an empty one. */
    public void equipment(Object id, Map<Integer, String> items) {
        hold(id, Kind.EQUIPMENT, "id", id, "items", items);
    }

    public void heldSlot(Object id, int slot) {
        hold(id, Kind.HELD_SLOT, "id", id, "slot", slot);
    }

    /** Health is 20 at most. */
    public void vitals(Object id, float health, int food, int xp) {
        hold(id, Kind.VITALS, "id", id, "health", health, "food", food, "xp", xp);
    }

    /** Who sits on it now. */
    public void mount(Object id, List<?> passengers) {
        hold(id, Kind.MOUNT, "id", id, "passengers", passengers);
    }

    /** 0: main hand, 1: the other. */
    public void swing(Object id, int hand) {
        happen(Kind.SWING, false, "id", id, "hand", hand);
    }

    /** The attacker may be null. */
    public void hurt(Object id, Object attacker) {
        happen(Kind.HURT, false, "id", id, "attacker", attacker);
    }

    // ── the world ─────────────────────────────────────────────────────────

    /** An edit: <code>minecraft:oak_stairs[facing=north]</code>. */
    public void block(int x, int y, int z, String state) {
        List<Integer> at = List.of(x, y, z);
        hold(BLOCKS, at, Kind.BLOCK, Json.object("at", at, "state", state));
    }

    public void chat(String text, Object from) {
        happen(Kind.CHAT, true, "text", text, "from", from);
    }

    /** A moment worth finding again: kind as in the line protocol, as <code>checkpoint</code>; the id may be null. */
    public void mark(String kind, String label, Object id) {
        happen(Kind.MARK, true, "kind", kind, "label", label, "id", id);
    }

    /** Any other line of the protocol that says what happens, as its kind, and its fields as keys and values in turn. */
    public void tell(String kind, Object... fields) {
        happen(kind, true, fields);
    }

    // ── the recording ─────────────────────────────────────────────────────

    /** Of a ring: what it holds, and the moments of its tail, become <code>as.hcrp</code>. */
    public void save(String as, int tailSeconds, String reason) {
        synchronized (hub) {
            if (!isOpen()) return;
            String fields = Json.object("rec", called(), "as", as, "tailSeconds", tailSeconds, "reason", reason);
            hub.tell("{\"save\":" + fields + "}", true);
        }
    }

    /**
     * Ends the recording. Later calls have no effect.
     *
     * @param outcome <code>completed</code>, <code>reset</code>, <code>abandoned</code> or <code>crashed</code>
     * @param durationMs as the game has measured it, or null
     */
    public void end(String outcome, Long durationMs) {
        synchronized (hub) {
            if (!isOpen()) return;
            String fields = Json.object("rec", called(), "outcome", outcome, "durationMs", durationMs);
            hub.tell("{\"end\":" + fields + "}", true);
            hub.remove(this);
            hasEnded = true;
        }
    }

    // ── for the hub, which holds the lock ─────────────────────────────────

    /** A connection is new: begins the next part, with what holds. */
    void tellAll() {
        part++;
        String fields = Json.object("rec", called(), "header", header, "least", part == 1 ? least : null, "seconds", seconds);
        if (!hub.tellFirst("{\"" + kind + "\":" + fields + "}")) {
            part--;
            return;
        }
        for (Map<Object, Held> held : state.values())
            for (Map.Entry<Object, Held> each : held.entrySet())
                if (each.getKey() == COMING) send(each.getValue(), true);
                else each.getValue().isOwed = owes = true;
    }

    /** What there was no room for, as it is now, as far as there is room. */
    void tellOwed() {
        if (!owes) return;
        for (Map<Object, Held> held : state.values())
            for (Held each : held.values()) {
                if (!each.isOwed) continue;
                if (!hub.hasRoom()) return;
                send(each, false);
            }
        owes = false;
    }

    // ── within ────────────────────────────────────────────────────────────

    /** As the hub knows it: each connection begins a part of its own. */
    private String called() {
        return part < 2 ? name : name + "." + part;
    }

    private boolean isOpen() {
        hub.meet();
        return !hasEnded;
    }

    private static Object[] at(Object id, Stance stance, Object... more) {
        List<Double> at = List.of(stance.x, stance.y, stance.z);
        List<Float> look = List.of(stance.yaw, stance.pitch);
        Object[] own = {"id", id, "at", at, "look", look, "head", stance.headYaw, "onGround", stance.onGround};
        Object[] all = Arrays.copyOf(own, own.length + more.length);
        System.arraycopy(more, 0, all, own.length, more.length);
        return all;
    }

    private void come(Object id, String kind, Stance stance, Object... more) {
        synchronized (hub) {
            if (!isOpen()) return;
            Held held = new Held(kind, Json.object(at(id, stance, more)));
            Map<Object, Held> own = new LinkedHashMap<>();
            own.put(COMING, held);
            state.put(id, own);
            send(held, true);
        }
    }

    private void go(Object id, String kind) {
        synchronized (hub) {
            if (!isOpen()) return;
            state.remove(id);
            happen(kind, true, "id", id);
        }
    }

    private void happen(String kind, boolean isNeeded, Object... fields) {
        synchronized (hub) {
            if (isOpen()) send(new Held(kind, Json.object(fields)), isNeeded);
        }
    }

    private void hold(Object id, String kind, Object... fields) {
        hold(id, kind, kind, Json.object(fields));
    }

    private void hold(Object id, Object what, String kind, String fields) {
        synchronized (hub) {
            if (!isOpen()) return;
            Map<Object, Held> own = state.get(id);
            Held before = own == null ? null : own.get(what);
            if (before != null && before.fields.equals(fields)) return;
            Held held = new Held(kind, fields);
            // of a thing that has not come the hub says so
            if (own != null) own.put(what, held);
            send(held, false);
        }
    }

    private void send(Held held, boolean isNeeded) {
        held.isOwed = !hub.tell("{\"rec\":\"" + called() + "\",\"" + held.kind + "\":" + held.fields + "}", isNeeded);
        owes |= held.isOwed;
    }

    private static Map<String, String> mapOf(Property property) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("name", property.name);
        fields.put("value", property.value);
        if (property.signature != null) fields.put("signature", property.signature);
        return fields;
    }
}
