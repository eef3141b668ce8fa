package simtape.minestom;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import net.minestom.server.MinecraftServer;
import net.minestom.server.coordinate.Pos;
import net.minestom.server.entity.Player;
import net.minestom.server.entity.PlayerSkin;
import net.minestom.server.entity.metadata.EntityMeta;
import net.minestom.server.event.player.PlayerDisconnectEvent;
import net.minestom.server.timer.ExecutionType;
import net.minestom.server.timer.TaskSchedule;
import simtape.Hub;
import simtape.Recording;
import simtape.Recording.Property;
import simtape.Recording.Stance;

/**
 * Records players of a Minestom server. They are compared at the end of each tick, so it does not matter which code
 * has moved them. Instances tick in threads of their own: all methods may be called by any of them.
 *
 * <pre>
 * SimtapeRecorder recorder = new SimtapeRecorder(Hub.to("127.0.0.1", 9100).start());
 * Recording run = recorder.begin(player, "run-17", 20);
 * run.mark("checkpoint", "half", player.getUuid());
 * recorder.finish(player, "completed", 12_345L);
 * </pre>
 */
public final class SimtapeRecorder {
    private final Map<Player, Recording> runs = new ConcurrentHashMap<>();
    private final Hub hub;
    private long tick;

    public SimtapeRecorder(Hub hub) {
        this.hub = hub;
        MinecraftServer.getGlobalEventHandler().addListener(
                PlayerDisconnectEvent.class, event -> finish(event.getPlayer(), "abandoned", null));
        MinecraftServer.getSchedulerManager().submitTask(this::endTick, ExecutionType.TICK_END);
        MinecraftServer.getSchedulerManager().buildShutdownTask(hub::close);
    }

    /** A run begins. The name is new in the hub's folder; with fewer ticks than the least it is thrown away. */
    public Recording begin(Player player, String name, int least) {
        finish(player, "reset", null);
        Recording run = hub.begin(name, Map.of("server", "Minestom", "dataVersion", MinecraftServer.DATA_VERSION), least);
        PlayerSkin skin = player.getSkin();
        List<Property> properties =
                skin == null ? List.of() : List.of(new Property("textures", skin.textures(), skin.signature()));
        run.join(player.getUuid(), player.getUuid(), player.getUsername(), stanceOf(player), properties);
        run.mark("start", "start", player.getUuid());
        runs.put(player, run);
        return run;
    }

    /** The game has ended; the duration is what the game has measured, or null. */
    public void finish(Player player, String outcome, Long durationMs) {
        Recording run = runs.remove(player);
        if (run != null) run.end(outcome, durationMs);
    }

    private TaskSchedule endTick() {
        runs.forEach((player, run) -> {
            UUID id = player.getUuid();
            run.move(id, stanceOf(player));
            // the game numbers poses in this order
            run.state(id, player.getPose().ordinal(), flagsOf(player));
            run.heldSlot(id, player.getHeldSlot());
            run.vitals(id, player.getHealth(), player.getFood(), player.getLevel());
        });
        hub.endTick(tick++);
        return TaskSchedule.nextTick();
    }

    private static Stance stanceOf(Player player) {
        Pos at = player.getPosition();
        return new Stance(at.x(), at.y(), at.z(), at.yaw(), at.pitch(), at.yaw(), player.isOnGround());
    }

    private static int flagsOf(Player player) {
        EntityMeta meta = player.getEntityMeta();
        return (meta.isOnFire() ? 1 : 0)
                | (player.isSneaking() ? 2 : 0)
                | (meta.isSprinting() ? 8 : 0)
                | (meta.isSwimming() ? 16 : 0)
                | (meta.isInvisible() ? 32 : 0)
                | (meta.isHasGlowingEffect() ? 64 : 0)
                | (meta.isFlyingWithElytra() ? 128 : 0);
    }
}
