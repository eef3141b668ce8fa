// Made by `npm run schemas` of the lines that a recorder takes.
package simtape;

/** What a line says, as docs/line-protocol.md has it. */
final class Kind {
    static final String SIMTAPE = "simtape";
    static final String TICK = "tick";
    static final String TIME = "time";
    static final String SPAWN = "spawn";
    static final String JOIN = "join";
    static final String LEAVE = "leave";
    static final String REMOVE = "remove";
    static final String MOVE = "move";
    static final String TELEPORT = "teleport";
    static final String VELOCITY = "velocity";
    static final String EXACT = "exact";
    static final String MOUNT = "mount";
    static final String STATE = "state";
    static final String EQUIPMENT = "equipment";
    static final String HELD_SLOT = "heldSlot";
    static final String ITEM_USE = "itemUse";
    static final String SWING = "swing";
    static final String HURT = "hurt";
    static final String METADATA = "metadata";
    static final String EFFECT = "effect";
    static final String VITALS = "vitals";
    static final String VIEW = "view";
    static final String BLOCK = "block";
    static final String CLEAR_BLOCKS = "clearBlocks";
    static final String DIMENSION = "dimension";
    static final String WORLD = "world";
    static final String CHAT = "chat";
    static final String SOUND = "sound";
    static final String PARTICLES = "particles";
    static final String MARK = "mark";
    static final String SUBJECT = "subject";
    static final String SET = "set";
    static final String ENTITIES = "entities";
    static final String SETS = "sets";
    static final String EVENT = "event";
    static final String COMMIT = "commit";
    static final String SNAPSHOT = "snapshot";
    static final String SESSION = "session";
    static final String VERSIONS = "versions";
    static final String RESET = "reset";
    static final String REPORT = "report";
    static final String END = "end";

    private Kind() {
    }
}
