/**
 * What the proxy adds to the way of a packet: `npm run bench:proxy [-- --packets 2000]`. A client sends
 * its place, and the server answers with that of a bat; through the proxy, which records both, and directly, in turns.
 * The proxy is a process of its own, client and server are this one. Prints the time from the one to the other.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as later } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import minecraftData from "minecraft-data";
import protocol, { type Client, type ServerClient } from "minecraft-protocol";

const MC = fileURLToPath(new URL("../bin/simtape-mc.js", import.meta.url));
const BAT = 7;
/** Milliseconds between two packets. */
const EVERY = 4;
/** Packets of each that do not count: until all is loaded. */
const FIRST = 200;

const { values } = parseArgs({ options: { packets: { type: "string", default: "2000" } } });
const version = "1.16.5";
const { loginPacket, entitiesByName } = minecraftData(version);

/** Answers each place of a client with that of a bat. */
function admit(client: ServerClient): void {
  client.on("position", ({ x, y, z }: { x: number; y: number; z: number }) =>
    client.write("entity_teleport", { entityId: BAT, x, y, z, yaw: 0, pitch: 0, onGround: false }),
  );
  client.write("login", { ...(loginPacket as object), entityId: 100 + client.id });
  client.write("position", { x: 0, y: 64, z: 0, yaw: 0, pitch: 0, flags: 0, teleportId: 1 });
  const place = { entityId: BAT, x: 0, y: 64, z: 0, yaw: 0, pitch: 0, headPitch: 0 };
  const bat = { entityUUID: "00000000-0000-0000-0000-000000000007", type: entitiesByName["bat"]!.id };
  client.write("spawn_entity_living", { ...place, ...bat, velocity: { x: 0, y: 0, z: 0 } });
}

/** A client that measures the way of its packets there and back. */
class Sender {
  readonly times: number[] = [];
  readonly #client: Client;
  #x = 0;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async join(port: number, username: string): Promise<Sender> {
    const client = protocol.createClient({ host: "127.0.0.1", port, username, version, auth: "offline" });
    const [{ teleportId }] = (await once(client as NodeJS.EventEmitter, "position")) as [{ teleportId: number }];
    client.write("teleport_confirm", { teleportId });
    return new Sender(client);
  }

  async send(): Promise<void> {
    const before = performance.now();
    this.#client.write("position", { x: ++this.#x / 8, y: 64, z: 0, onGround: true });
    await once(this.#client as NodeJS.EventEmitter, "entity_teleport");
    this.times.push(performance.now() - before);
  }

  end(): void {
    this.#client.end();
  }
}

function share(times: readonly number[], part: number): number {
  const sorted = times.slice(FIRST).sort((a, b) => a - b);
  return sorted[Math.floor(part * (sorted.length - 1))]!;
}

const folder = mkdtempSync(join(tmpdir(), "simtape-proxy-"));
const server = protocol.createServer({ "online-mode": false, version, port: 0, host: "127.0.0.1", keepAlive: false });
server.on("playerJoin" as "login", admit);
await once(server as NodeJS.EventEmitter, "listening");
const { port } = (server as unknown as { socketServer: { address(): { port: number } } }).socketServer.address();
const words = ["proxy", "--listen", "0", "--server", `127.0.0.1:${port}`, "--store", folder, "--no-world"];
const proxy = spawn(process.execPath, [MC, ...words], { stdio: ["ignore", "pipe", "ignore"] });
try {
  const [line] = (await once(createInterface(proxy.stdout), "line")) as [string];
  const direct = await Sender.join(port, "direct");
  const proxied = await Sender.join(Number(line.split(":").at(-1)), "proxied");
  for (let i = 0; i < Number(values.packets) + FIRST; i++) {
    // neither is always the first
    for (const sender of i % 2 === 0 ? [direct, proxied] : [proxied, direct]) await sender.send();
    await later(EVERY);
  }
  const [p50, p95] = [0.5, 0.95].map((part) => [share(direct.times, part), share(proxied.times, part)]);
  const row = (name: string, of: (values: readonly number[]) => number): string =>
    `${name.padEnd(18)} p50 ${of(p50!).toFixed(3)} ms, p95 ${of(p95!).toFixed(3)} ms`;
  console.log(`${version}, ${values.packets} packets there and back`);
  console.log(row("directly", ([own]) => own!));
  console.log(row("through the proxy", ([, own]) => own!));
  console.log(row("difference", ([before, after]) => after! - before!));
  for (const sender of [direct, proxied]) sender.end();
} finally {
  proxy.kill("SIGTERM");
  await once(proxy, "close");
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
