import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Line } from "../capture/capture.ts";
import type { GameData } from "../game/data.ts";
import type { Packet } from "../game/packet.ts";
import type { Course } from "../ghosts/course.ts";
import { Opponents } from "../ghosts/opponents.ts";
import { GHOSTLY } from "../ghosts/race.ts";
import { clockText } from "../ghosts/split.ts";
import { Runs } from "../ghosts/runs.ts";
import { adapterFor, VERSIONS } from "../scene/families.ts";
import { Connection } from "./connection.ts";
import { type FinishedRun, writeRun } from "./kept-run.ts";
import { plain, stamp } from "./names.ts";
import { Room } from "./room.ts";
import { Runner } from "./runner.ts";
import type { Ended } from "./world-recording.ts";

export interface ProxyOptions {
  /** Port to listen on; 0 takes one that is free. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  readonly server: { readonly host: string; readonly port: number };
  /** Folder of recordings. */
  readonly store: string;
  /** Where runs begin and end: players on it race against ghosts, and their runs are kept. */
  readonly course?: Course | undefined;
  readonly report?: ((event: ProxyEvent) => void) | undefined;
}

/** Something that a proxy reports: one of the members is there. */
export type ProxyEvent =
  | { readonly joined: string }
  | { readonly left: string; readonly packets: number; readonly faults: number }
  | { readonly blind: string }
  | { readonly began: string }
  | { readonly ended: Ended }
  | { readonly run: string }
  | { readonly error: string };

const POLL_EVERY = 250;
/** Milliseconds: no tick is passed over. */
const ADVANCE_EVERY = 25;

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
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #runs: Runs;
  /** Recordings that could not be written, and lines that are missing in others. */
  failed = 0;
  skipped = 0;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#door = createServer({ noDelay: true, allowHalfOpen: true }, (client) => this.#admit(client));
    this.#runs = new Runs(options.store);
    const poll = setInterval(() => {
      for (const room of this.#rooms.values()) room.poll();
    }, POLL_EVERY);
    const advance = setInterval(() => {
      for (const connection of this.#connections) connection.advance();
    }, ADVANCE_EVERY);
    this.#timers = options.course === undefined ? [poll] : [poll, advance];
    if (options.course === undefined) clearInterval(advance);
  }

  /** Settles when clients can come. */
  static async listen(options: ProxyOptions): Promise<GameProxy> {
    const proxy = new GameProxy(options);
    try {
      await new Promise<void>((resolve, reject) => {
        proxy.#door.once("error", reject).listen(options.port, options.host, resolve);
      });
    } catch (error) {
      proxy.#stop();
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
    this.#stop();
    await Promise.all(this.#closing);
  }

  #stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #admit(client: Socket): void {
    const connection = new Connection({
      client,
      server: this.#options.server,
      logsIn: (of, uuid) => this.#players.set(uuid, of),
      room: (of, dimension, data) => this.#enter(of, dimension, data),
      left: (of, room) => this.#leave(of, room),
      blind: (blind) => this.#report({ blind }),
      opponents: (of, version) => this.#opponentsOf(of, version),
      runner: (of, room) => this.#runnerOf(of, room),
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

  #opponentsOf(connection: Connection, version: string): Promise<Opponents> | null {
    const { course, store } = this.#options;
    if (course === undefined) return null;
    if (!VERSIONS.includes(version)) {
      this.#report({ error: `no ghosts in ${version}, only in ${VERSIONS.join(" and ")}` });
      return null;
    }
    const { uuid, name } = connection.player!;
    const send = (packets: readonly Packet[]): boolean => connection.show(packets);
    return adapterFor(version, GHOSTLY).then(
      (adapter) => new Opponents({ adapter, course, store, runs: this.#runs, uuid, name, send }),
    );
  }

  #runnerOf(connection: Connection, room: Room): Runner | null {
    const { course } = this.#options;
    if (course === undefined || course.dimension !== room.dimension) return null;
    return new Runner({
      course,
      opponents: () => connection.opponents,
      mark: (line) => room.recording.giveToo(line),
      tick: () => room.recording.now,
      finished: (run) => this.#keep(connection, course, room.header, run),
    });
  }

  #keep(connection: Connection, { map, dimension }: Course, header: Line, run: FinishedRun): void {
    const id = `${plain(map)}-${plain(connection.player!.name)}-${stamp()}`;
    const told = { ...header, metadata: { map } };
    const lines: FinishedRun["lines"] = [[0, { dimension }], ...run.lines];
    const kept = writeRun(join(this.#options.store, `${id}.hcrp`), told, { ...run, lines })
      .then(() => {
        connection.opponents?.tell(`${clockText(run.ticks)}: ${id}`, "gray");
        this.#report({ run: id });
      })
      .catch((error: unknown) => {
        this.failed++;
        this.#report({ error: `${id} is not kept: ${messageOf(error)}` });
      });
    this.#closing.add(kept);
    void kept.finally(() => this.#closing.delete(kept));
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
