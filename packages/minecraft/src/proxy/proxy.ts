import { createServer, type Server, type Socket } from "node:net";
import type { GameData } from "../game/data.ts";
import { Connection } from "./connection.ts";
import { Room } from "./room.ts";
import type { Ended } from "./world-recording.ts";

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

/**
 * Stands between clients and a server, and records the players. All bytes pass as they are. A recording of a dimension
 * begins when the first player comes into it, and ends when the last one has gone.
 */
export class GameProxy {
  readonly #options: ProxyOptions;
  readonly #door: Server;
  readonly #connections = new Set<Connection>();
  readonly #rooms = new Map<string, Room>();
  /** By the UUIDs of their players. */
  readonly #players = new Map<string, Connection>();
  readonly #closing = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  /** Recordings that could not be written, and lines that are missing in others. */
  failed = 0;
  skipped = 0;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#door = createServer({ noDelay: true, allowHalfOpen: true }, (client) => this.#admit(client));
    this.#timer = setInterval(() => {
      for (const room of this.#rooms.values()) room.poll();
    }, POLL_EVERY);
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

  /** Sends all clients away, and finishes the recordings. */
  async close(): Promise<void> {
    this.#door.close();
    const connections = [...this.#connections];
    this.#connections.clear();
    for (const connection of connections) {
      connection.destroy();
      connection.leave();
    }
    clearInterval(this.#timer);
    await Promise.all(this.#closing);
  }

  #admit(client: Socket): void {
    const connection = new Connection({
      client,
      server: this.#options.server,
      logsIn: (of, uuid) => this.#players.set(uuid, of),
      room: (of, dimension, data) => this.#enter(of, dimension, data),
      left: (of, room) => this.#leave(of, room),
      blind: (blind) => this.#report({ blind }),
      unreachable: (reason) => this.#report({ error: `the server cannot be reached: ${reason}` }),
    });
    this.#connections.add(connection);
    client.once("close", () => {
      if (!this.#connections.delete(connection)) return;
      const { player, packets, faults } = connection;
      const wasThere = player !== null && player.id !== null;
      if (player !== null && this.#players.get(player.uuid) === connection) this.#players.delete(player.uuid);
      connection.leave();
      if (wasThere) this.#report({ left: player.name, packets, faults });
    });
  }

  #enter(connection: Connection, dimension: string, data: GameData): Room {
    let room = this.#rooms.get(dimension);
    if (room === undefined) {
      const failed = (id: string, error: unknown): void => {
        this.failed++;
        this.#report({ error: `${id} is not recorded: ${messageOf(error)}` });
      };
      const isOwn = (uuid: string): boolean => this.#players.has(uuid);
      room = new Room({ store: this.#options.store, dimension, data, isOwn, failed });
      this.#rooms.set(dimension, room);
      this.#report({ began: room.id });
    }
    room.players.add(connection);
    this.#report({ joined: connection.player!.name });
    return room;
  }

  #leave(connection: Connection, room: Room): void {
    room.players.delete(connection);
    if (room.players.size > 0) return;
    this.#rooms.delete(room.dimension);
    const { recording } = room;
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
