import { connect, createServer, type Server, type Socket } from "node:net";
import { frame, textBytes } from "../game/framing.ts";
import { OWN_PACKETS, OwnMoves } from "./own-moves.ts";
import { Tap } from "./tap.ts";
import { type Ended, WorldRecording } from "./world-recording.ts";

export interface ProxyOptions {
  /** Port to listen on; 0 takes one that is free. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  readonly server: { readonly host: string; readonly port: number };
  /** Folder of recordings. */
  readonly store: string;
  readonly report?: ((event: ProxyEvent) => void) | undefined;
}

/** Something that a proxy reports: one of the members is there. */
export type ProxyEvent =
  | { readonly joined: string }
  | { readonly left: string; readonly packets: number; readonly faults: number }
  | { readonly blind: string }
  | { readonly began: string }
  | { readonly ended: Ended }
  | { readonly error: string };

const POLL_EVERY = 250;
/** Number of the packet that refuses a login, in all versions. */
const REFUSED = 0;

/**
 * Stands between clients and a server, and records the players. All bytes pass as they are. A recording begins when the
 * first player comes, and ends when the last one has gone.
 */
export class GameProxy {
  readonly #options: ProxyOptions;
  readonly #door: Server;
  readonly #sockets = new Set<Socket>();
  readonly #players = new Set<OwnMoves>();
  readonly #closing = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #recording: WorldRecording | null = null;
  /** Recordings that could not be written, and lines that are missing in others. */
  failed = 0;
  skipped = 0;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#door = createServer({ noDelay: true, allowHalfOpen: true }, (client) => this.#admit(client));
    this.#timer = setInterval(() => this.#recording?.poll(), POLL_EVERY);
  }

  /** Settles when clients can come. */
  static async listen(options: ProxyOptions): Promise<GameProxy> {
    const proxy = new GameProxy(options);
    try {
      await new Promise<void>((resolve, reject) => {
        proxy.#door.once("error", reject).listen(options.port, options.host, resolve);
      });
    } catch (error) {
      clearInterval(proxy.#timer);
      throw error;
    }
    return proxy;
  }

  get port(): number {
    return (this.#door.address() as { port: number }).port;
  }

  /** Sends all clients away, and finishes the recording. */
  async close(): Promise<void> {
    this.#door.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const player of this.#players) player.leave();
    this.#players.clear();
    this.#finish();
    clearInterval(this.#timer);
    await Promise.all(this.#closing);
  }

  #admit(client: Socket): void {
    const server = connect({ ...this.#options.server, noDelay: true, allowHalfOpen: true });
    let player: OwnMoves | null = null;
    let isConnected = false;
    const tap = new Tap(OWN_PACKETS, {
      login: (uuid, name, version) => {
        player = this.#enter(uuid, name, version);
      },
      packet: (direction, packet) => player?.see(direction, packet),
    });
    let wasBlind = false;
    const look = (direction: "toServer" | "toClient", bytes: Buffer): void => {
      tap.see(direction, bytes);
      if (tap.blind === null || wasBlind) return;
      wasBlind = true;
      this.#report({ blind: tap.blind });
    };
    for (const socket of [client, server]) this.#sockets.add(socket);
    client.on("data", (bytes: Buffer) => look("toServer", bytes)).pipe(server);
    server.on("data", (bytes: Buffer) => look("toClient", bytes)).pipe(client);
    server.once("connect", () => {
      isConnected = true;
    });
    server.on("error", (error) => {
      if (isConnected) return;
      this.#report({ error: `the server cannot be reached: ${error.message}` });
      if (tap.isInLogin) client.write(frame(REFUSED, textBytes(JSON.stringify({ text: "The server is not there." }))));
      client.end();
    });
    client.on("error", () => undefined);
    client.once("close", () => {
      this.#sockets.delete(client);
      server.destroy();
      if (player !== null) this.#leave(player, tap);
    });
    server.once("close", () => {
      this.#sockets.delete(server);
      // what the server has said last still goes out
      client.end();
    });
  }

  #enter(uuid: string, name: string, version: string): OwnMoves {
    this.#recording ??= this.#begin(version);
    const recording = this.#recording;
    const player = new OwnMoves(uuid, name, (line) => recording.give(line));
    this.#players.add(player);
    this.#report({ joined: name });
    return player;
  }

  #leave(player: OwnMoves, { packets, faults }: Tap): void {
    if (!this.#players.delete(player)) return;
    player.leave();
    this.#report({ left: player.name, packets, faults });
    if (this.#players.size === 0) this.#finish();
  }

  #begin(version: string): WorldRecording {
    const id = `world-${new Date().toISOString().replaceAll(/[-:]/g, "").replace(".", "-")}`;
    const recording = new WorldRecording(this.#options.store, id, `minecraft ${version}, simtape-mc proxy`, (error) => {
      this.failed++;
      this.#report({ error: `${id} is not recorded: ${messageOf(error)}` });
    });
    this.#report({ began: id });
    return recording;
  }

  #finish(): void {
    const recording = this.#recording;
    if (recording === null) return;
    this.#recording = null;
    const closed = recording
      .close()
      .then((ended) => {
        this.skipped += recording.skipped;
        if (ended !== null) this.#report({ ended });
      })
      .catch((error: unknown) => {
        this.failed++;
        this.#report({ error: `${recording.id}: ${messageOf(error)}` });
      });
    this.#closing.add(closed);
    void closed.finally(() => this.#closing.delete(closed));
  }

  #report(event: ProxyEvent): void {
    this.#options.report?.(event);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
