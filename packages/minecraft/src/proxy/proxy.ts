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
import type { GhostTeam } from "../ghosts/team.ts";
import type { Adapter } from "../scene/adapter.ts";
import { adapterFor } from "../scene/families.ts";
import { isVersion, versionList } from "../scene/versions.ts";
import { Connection } from "./connection.ts";
import { type FinishedRun, writeRun } from "./kept-run.ts";
import { plain, stamp } from "./names.ts";
import { Room, type Worlds } from "./room.ts";
import { Runner } from "./runner.ts";
import type { Ended } from "./world-recording.ts";
import type { KeptClip, RingLengths } from "./world-ring.ts";

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
  /** Only the last minutes are kept, in memory, and reports of players make clips of them; absent: all is recorded. */
  readonly ring?: RingLengths | undefined;
  /** Where the chunks go that clients are shown; absent: they are not kept. */
  readonly worlds?: Worlds | undefined;
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
  | { readonly clip: KeptClip }
  | { readonly error: string };

const POLL_EVERY = 250;
/** Milliseconds: no tick is passed over. */
const ADVANCE_EVERY = 25;

/**
 * Stands between clients and a server, and records the players. All bytes pass as they are. A recording of a dimension
 * begins when the first player comes into it, and ends when the last one has gone. With rings only the last minutes are
 * kept, until a player reports something.
 */
export class GameProxy {
  readonly #options: ProxyOptions;
  readonly #door: Server;
  readonly #connections = new Set<Connection>();
  readonly #rooms = new Map<string, Room>();
  /** By the UUIDs of their players. */
  readonly #players = new Map<string, Connection>();
  readonly #closing = new Set<Promise<unknown>>();
  /** Names of clips that are being kept. */
  readonly #clips = new Set<string>();
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
      refused: (reason) => this.#report({ error: `a player cannot be shown what it should see: ${reason}` }),
      adapter: (version) => this.#adapterOf(version),
      opponents: (of, adapter, team) => this.#opponentsOf(of, adapter, team),
      command: (of, text) => this.#command(of, text),
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
      const { store, ring, worlds } = this.#options;
      room = new Room({ ...{ store, dimension, data, isOwn, ring, worlds }, failed });
      this.#rooms.set(dimension, room);
      if (room.recording !== null) this.#report({ began: room.id });
    }
    room.players.add(connection);
    this.#report({ joined: connection.player!.name });
    return room;
  }

  #adapterOf(version: string): Promise<Adapter> | null {
    const { course, ring } = this.#options;
    if (course === undefined && ring === undefined) return null;
    if (isVersion(version)) return adapterFor(version, GHOSTLY);
    this.#report({ error: `players of ${version} cannot be shown anything, only those of ${versionList("and")}` });
    return null;
  }

  #opponentsOf(connection: Connection, adapter: Adapter, team: GhostTeam): Opponents | null {
    const { course, store } = this.#options;
    if (course === undefined) return null;
    const { uuid } = connection.player!;
    const send = (packets: readonly Packet[]): boolean => connection.show(packets);
    return new Opponents({ adapter, course, store, runs: this.#runs, uuid, team, send });
  }

  /** Whether it is one of the proxy's own. */
  #command(connection: Connection, text: string): boolean {
    const [, word, rest = ""] = /^\/(\S+)\s*(.*)$/s.exec(text.trim()) ?? [];
    const does =
      word === "ghost" && this.#options.course !== undefined
        ? () => connection.opponents!.command(text)
        : word === "report" && this.#options.ring !== undefined
          ? () => this.#reports(connection, rest)
          : null;
    if (does !== null)
      void connection
        .ready!.then(does)
        .catch((error: unknown) => this.#report({ error: `${text}: ${messageOf(error)}` }));
    return does !== null;
  }

  /** A player reports another, as `Sam flies`. */
  #reports(connection: Connection, text: string): void {
    const { room, player } = connection;
    const [, name = "", reason = ""] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
    const subject = room?.people.named(name) ?? null;
    if (name === "") connection.tell("/report NAME WORDS", "gray");
    else if (subject === null) connection.tell(`No player ${name} was here.`, "red");
    else {
      const { uuid, name: by } = player!;
      const clip = room!.ring!.report({ subject, reporter: { uuid, name: by }, reason });
      if (typeof clip === "string") connection.tell(clip, "red");
      else this.#keepClip(connection, clip);
    }
  }

  #keepClip(connection: Connection, { id, kept }: { readonly id: string; readonly kept: Promise<KeptClip> }): void {
    connection.tell(`Reported: ${id}`, "gray");
    if (this.#clips.has(id)) return;
    this.#clips.add(id);
    const done = kept
      .then((clip) => this.#report({ clip }))
      .catch((error: unknown) => {
        this.failed++;
        connection.tell(`${id} could not be kept.`, "red");
        this.#report({ error: `${id} is not kept: ${messageOf(error)}` });
      })
      .finally(() => this.#clips.delete(id));
    this.#closes(done);
  }

  #closes(work: Promise<unknown>): void {
    this.#closing.add(work);
    void work.finally(() => this.#closing.delete(work));
  }

  #runnerOf(connection: Connection, room: Room): Runner | null {
    const { course } = this.#options;
    if (course === undefined || course.dimension !== room.dimension) return null;
    return new Runner({
      course,
      opponents: () => connection.opponents,
      mark: (line) => room.lines.giveToo(line),
      tick: () => room.lines.now,
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
    this.#closes(kept);
  }

  #leave(connection: Connection, room: Room): void {
    room.players.delete(connection);
    if (room.players.size > 0) return;
    this.#rooms.delete(room.dimension);
    const closed = room
      .close()
      .then((ended) => {
        this.skipped += room.lines.skipped;
        if (ended !== null) this.#report({ ended });
      })
      .catch((error: unknown) => {
        this.failed++;
        this.#report({ error: `${room.id}: ${messageOf(error)}` });
      });
    this.#closes(closed);
  }

  #report(event: ProxyEvent): void {
    this.#options.report?.(event);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
