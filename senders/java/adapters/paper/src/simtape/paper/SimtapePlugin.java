package simtape.paper;

import com.destroystokyo.paper.event.server.ServerTickEndEvent;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.bukkit.Bukkit;
import org.bukkit.Location;
import org.bukkit.command.Command;
import org.bukkit.command.CommandSender;
import org.bukkit.entity.Player;
import org.bukkit.event.EventHandler;
import org.bukkit.event.EventPriority;
import org.bukkit.event.Listener;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;
import org.bukkit.event.player.PlayerTeleportEvent;
import org.bukkit.plugin.java.JavaPlugin;
import simtape.Hub;
import simtape.Recording;
import simtape.Recording.Property;
import simtape.Recording.Stance;

/**
 * Keeps the last minutes of all players in a ring, and records runs for other plugins. Players are compared at the end
 * of each tick, so it does not matter which code has moved them.
 */
public final class SimtapePlugin extends JavaPlugin implements Listener {
    private static final int RING_SECONDS = 300;
    private static final int TAIL_SECONDS = 10;
    private static final int LEAST_TICKS = 20;

    private final Map<UUID, Recording> runs = new HashMap<>();
    private final Set<UUID> jumped = new HashSet<>();
    private Hub hub;
    private Recording ring;

    @Override
    public void onEnable() {
        saveDefaultConfig();
        Hub.Options options = Hub.to(getConfig().getString("host", "127.0.0.1"), getConfig().getInt("port", 9100));
        String token = getConfig().getString("token", "");
        if (!token.isEmpty()) options.token(token);
        hub = options.log(getLogger()::info).answers(this::answered).start();
        // a ring is no file; a server that has crashed may be back before the hub has closed the last one
        String name = getConfig().getString("name", "server") + "-" + Instant.now().getEpochSecond();
        ring = hub.ring(name, header(), RING_SECONDS);
        for (Player player : Bukkit.getOnlinePlayers()) join(ring, player);
        getServer().getPluginManager().registerEvents(this, this);
    }

    @Override
    public void onDisable() {
        hub.close();
    }

    /** For other plugins: a run of a player begins. The name is new in the hub's folder; marks go to what is returned. */
    public Recording begin(Player player, String name) {
        finish(player, "reset", null);
        Recording run = hub.begin(name, header(), LEAST_TICKS);
        join(run, player);
        run.mark("start", "start", player.getUniqueId());
        runs.put(player.getUniqueId(), run);
        return run;
    }

    /** For other plugins: the game has ended; the duration is what the game has measured, or null. */
    public void finish(Player player, String outcome, Long durationMs) {
        Recording run = runs.remove(player.getUniqueId());
        if (run != null) run.end(outcome, durationMs);
    }

    @EventHandler
    public void onJoin(PlayerJoinEvent event) {
        join(ring, event.getPlayer());
    }

    @EventHandler
    public void onQuit(PlayerQuitEvent event) {
        finish(event.getPlayer(), "abandoned", null);
        ring.leave(event.getPlayer().getUniqueId());
    }

    @EventHandler(priority = EventPriority.MONITOR, ignoreCancelled = true)
    public void onTeleport(PlayerTeleportEvent event) {
        jumped.add(event.getPlayer().getUniqueId());
    }

    @EventHandler
    public void onTickEnd(ServerTickEndEvent event) {
        for (Player player : Bukkit.getOnlinePlayers()) {
            compare(ring, player);
            Recording run = runs.get(player.getUniqueId());
            if (run != null) compare(run, player);
        }
        jumped.clear();
        hub.endTick(event.getTickNumber());
    }

    @Override
    public boolean onCommand(CommandSender sender, Command command, String label, String[] words) {
        if (words.length != 1) return false;
        ring.save(words[0], TAIL_SECONDS, "asked by " + sender.getName());
        sender.sendMessage("The clip is saved in " + TAIL_SECONDS + " seconds.");
        return true;
    }

    private void compare(Recording recording, Player player) {
        UUID id = player.getUniqueId();
        if (jumped.contains(id)) recording.teleport(id, stanceOf(player));
        else recording.move(id, stanceOf(player));
        // the game numbers poses in this order
        recording.state(id, player.getPose().ordinal(), flagsOf(player));
        recording.heldSlot(id, player.getInventory().getHeldItemSlot());
        recording.vitals(id, (float) player.getHealth(), player.getFoodLevel(), player.getLevel());
    }

    private static void join(Recording recording, Player player) {
        List<Property> properties = player.getPlayerProfile().getProperties().stream()
                .map(each -> new Property(each.getName(), each.getValue(), each.getSignature()))
                .toList();
        recording.join(player.getUniqueId(), player.getUniqueId(), player.getName(), stanceOf(player), properties);
    }

    private static Stance stanceOf(Player player) {
        Location at = player.getLocation();
        float yaw = at.getYaw();
        return new Stance(at.getX(), at.getY(), at.getZ(), yaw, at.getPitch(), yaw, player.isOnGround());
    }

    private static int flagsOf(Player player) {
        return (player.getFireTicks() > 0 ? 1 : 0)
                | (player.isSneaking() ? 2 : 0)
                | (player.isRiptiding() ? 4 : 0)
                | (player.isSprinting() ? 8 : 0)
                | (player.isSwimming() ? 16 : 0)
                | (player.isInvisible() ? 32 : 0)
                | (player.isGlowing() ? 64 : 0)
                | (player.isGliding() ? 128 : 0);
    }

    @SuppressWarnings("deprecation") // the number is what a recording holds, and is nowhere else
    private static Map<String, Object> header() {
        return Map.of("server", Bukkit.getVersion(), "dataVersion", Bukkit.getUnsafe().getDataVersion());
    }

    private void answered(String line) {
        if (line.contains("\"error\"")) getLogger().warning("simtape: " + line);
    }
}
