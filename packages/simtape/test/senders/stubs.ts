import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * As much of the interfaces of Paper and Minestom as the adapters of `senders/java` use, by the name of the class: what
 * the adapters are compiled against where the servers' own jars are not at hand. They do nothing.
 */
const STUBS: Readonly<Record<string, string>> = {
  "com.destroystokyo.paper.event.server.ServerTickEndEvent":
    "public interface ServerTickEndEvent { int getTickNumber(); }",
  "com.destroystokyo.paper.profile.PlayerProfile":
    "public interface PlayerProfile { java.util.Set<ProfileProperty> getProperties(); }",
  "com.destroystokyo.paper.profile.ProfileProperty":
    "public interface ProfileProperty { String getName(); String getValue(); String getSignature(); }",
  "org.bukkit.Bukkit": `public final class Bukkit {
    public static java.util.Collection<? extends org.bukkit.entity.Player> getOnlinePlayers() { return null; }
    public static String getVersion() { return null; }
    @Deprecated public static UnsafeValues getUnsafe() { return null; } }`,
  "org.bukkit.UnsafeValues": "public interface UnsafeValues { int getDataVersion(); }",
  "org.bukkit.Server": "public interface Server { org.bukkit.plugin.PluginManager getPluginManager(); }",
  "org.bukkit.Location": `public interface Location {
    double getX(); double getY(); double getZ(); float getYaw(); float getPitch(); }`,
  "org.bukkit.command.Command": "public interface Command {}",
  "org.bukkit.command.CommandSender":
    "public interface CommandSender { String getName(); void sendMessage(String message); }",
  "org.bukkit.configuration.file.FileConfiguration": `public interface FileConfiguration {
    String getString(String path, String other); int getInt(String path, int other); }`,
  "org.bukkit.entity.Pose": "public enum Pose { STANDING }",
  "org.bukkit.entity.Player": `public interface Player {
    java.util.UUID getUniqueId(); String getName(); org.bukkit.Location getLocation(); Pose getPose();
    com.destroystokyo.paper.profile.PlayerProfile getPlayerProfile(); org.bukkit.inventory.PlayerInventory getInventory();
    boolean isOnGround(); double getHealth(); int getFoodLevel(); int getLevel(); int getFireTicks();
    boolean isSneaking(); boolean isRiptiding(); boolean isSprinting(); boolean isSwimming(); boolean isInvisible();
    boolean isGlowing(); boolean isGliding(); }`,
  "org.bukkit.event.EventHandler": `
    @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
    public @interface EventHandler {
    EventPriority priority() default EventPriority.NORMAL; boolean ignoreCancelled() default false; }`,
  "org.bukkit.event.EventPriority": "public enum EventPriority { NORMAL, MONITOR }",
  "org.bukkit.event.Listener": "public interface Listener {}",
  "org.bukkit.event.player.PlayerJoinEvent":
    "public interface PlayerJoinEvent { org.bukkit.entity.Player getPlayer(); }",
  "org.bukkit.event.player.PlayerQuitEvent":
    "public interface PlayerQuitEvent { org.bukkit.entity.Player getPlayer(); }",
  "org.bukkit.event.player.PlayerTeleportEvent":
    "public interface PlayerTeleportEvent { org.bukkit.entity.Player getPlayer(); }",
  "org.bukkit.inventory.PlayerInventory": "public interface PlayerInventory { int getHeldItemSlot(); }",
  "org.bukkit.plugin.Plugin": "public interface Plugin {}",
  "org.bukkit.plugin.PluginManager":
    "public interface PluginManager { void registerEvents(org.bukkit.event.Listener listener, Plugin plugin); }",
  "org.bukkit.plugin.java.JavaPlugin": `public abstract class JavaPlugin implements org.bukkit.plugin.Plugin {
    public void onEnable() {} public void onDisable() {} public void saveDefaultConfig() {}
    public org.bukkit.configuration.file.FileConfiguration getConfig() { return null; }
    public java.util.logging.Logger getLogger() { return null; }
    public final org.bukkit.Server getServer() { return null; }
    public boolean onCommand(org.bukkit.command.CommandSender sender, org.bukkit.command.Command command,
      String label, String[] args) { return false; } }`,

  "net.minestom.server.MinecraftServer": `public final class MinecraftServer {
    public static final int DATA_VERSION = 4189;
    public static net.minestom.server.event.GlobalEventHandler getGlobalEventHandler() { return null; }
    public static net.minestom.server.timer.SchedulerManager getSchedulerManager() { return null; } }`,
  "net.minestom.server.coordinate.Pos": "public record Pos(double x, double y, double z, float yaw, float pitch) {}",
  "net.minestom.server.entity.EntityPose": "public enum EntityPose { STANDING }",
  "net.minestom.server.entity.Player": `public interface Player {
    java.util.UUID getUuid(); String getUsername(); PlayerSkin getSkin(); EntityPose getPose();
    net.minestom.server.coordinate.Pos getPosition(); net.minestom.server.entity.metadata.EntityMeta getEntityMeta();
    boolean isOnGround(); boolean isSneaking(); byte getHeldSlot(); float getHealth(); int getFood(); int getLevel(); }`,
  "net.minestom.server.entity.PlayerSkin": "public record PlayerSkin(String textures, String signature) {}",
  "net.minestom.server.entity.metadata.EntityMeta": `public interface EntityMeta {
    boolean isOnFire(); boolean isSprinting(); boolean isSwimming(); boolean isInvisible();
    boolean isHasGlowingEffect(); boolean isFlyingWithElytra(); }`,
  "net.minestom.server.event.GlobalEventHandler": `public interface GlobalEventHandler {
    <E> GlobalEventHandler addListener(Class<E> event, java.util.function.Consumer<E> listener); }`,
  "net.minestom.server.event.player.PlayerDisconnectEvent":
    "public interface PlayerDisconnectEvent { net.minestom.server.entity.Player getPlayer(); }",
  "net.minestom.server.timer.ExecutionType": "public enum ExecutionType { TICK_START, TICK_END }",
  "net.minestom.server.timer.TaskSchedule":
    "public interface TaskSchedule { static TaskSchedule nextTick() { return null; } }",
  "net.minestom.server.timer.SchedulerManager": `public interface SchedulerManager {
    Object submitTask(java.util.function.Supplier<TaskSchedule> task, ExecutionType executionType);
    void buildShutdownTask(Runnable task); }`,
};

/** Writes them below a folder, as `javac` looks for them. */
export function writeStubs(folder: string): void {
  for (const [name, source] of Object.entries(STUBS)) {
    const path = join(folder, `${name.replaceAll(".", "/")}.java`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `package ${name.slice(0, name.lastIndexOf("."))};\n${source}\n`);
  }
}
