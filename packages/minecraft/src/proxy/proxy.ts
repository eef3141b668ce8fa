import { mkdir } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
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
import { reportIn } from "../stored/report.ts";
import { Connection } from "./connection.ts";
import { type FinishedRun, writeRun } from "./kept-run.ts";
import { Losses } from "./losses.ts";
import { plain, stamp } from "./names.ts";
import { Room, type Worlds } from "./room.ts";
import { Runner } from "./runner.ts";
import type { Ended } from "./world-recording.ts";
import type { KeptClip, Report, RingLengths } from "./world-ring.ts";

export interface ProxyOptions {
  /** Port to listen on; 0: any free port. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  readonly server: { readonly host: string; readonly port: number };
  /** Folder of the recordings. */
  readonly store: string;
  /** The course on which runs begin and end: its players race against ghosts, and their runs are saved. */
  readonly course?: Course | undefined;
  /** Keeps only the last minutes, in memory, of which players save clips by reports; absent: everything is recorded. */
  readonly ring?: RingLengths | undefined;
  /** Store for the chunks that clients are shown; absent: they are not kept. */
  readonly worlds?: Worlds | undefined;
  /** Whether `/report` goes to the server; absent: the proxy handles it. */
  readonly leavesReports?: boolean | undefined;
  readonly report?: ((event: ProxyEvent) => void) | undefined;
}

/** An event that a proxy reports; it has one of these members. */
export type ProxyEvent =
  | { readonly joined: string }
  | { readonly left: string; readonly packets: number; readonly faults: number }
  | { readonly blind: string }
  | { readonly began: string }
  | { readonly ended: Ended }
  | { readonly lost: Lost }
  | { readonly run: string }
  | { readonly clip: KeptClip }
  | { readonly report: Report; readonly recording: string }
  | { readonly error: string };

/** Number of events that are missing in a recording. */
export interface Lost {
  readonly id: string;
  readonly count: number;
  /** The first reasons. */
  readonly reasons: readonly string[];
}

const MILLISECONDS_OF_A_TICK = 50;
const POLL_EVERY = 250;

/**
 * Relays packets between clients and a server, and records the players. All bytes pass unchanged. A recording of a
 * dimension begins when the first player enters it, and ends when the last one has left. With rings it keeps only the
 * last minutes, until a player reports another.
 */
export class GameProxy {
  readonly #options: ProxyOptions;
  readonly #door: Server;
  readonly #connections = new Set<Connection>();
  readonly #rooms = new Map<string, Room>();
  /** Connections by the UUIDs of their players. */
  readonly #players = new Map<string, Connection>();
  readonly #closing = new Set<Promise<unknown>>();
  /** Names of clips that are being saved. */
  readonly #clips = new Set<string>();
  readonly #poll: NodeJS.Timeout;
  readonly #runs: Runs;
  /** Recordings that could not be written, and events that are missing in others. */
  failed = 0;
  readonly losses: Losses = new Losses();

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#door = createServer({ noDelay: true, allowHalfOpen: true }, (client) => this.#admit(client));
    this.#runs = new Runs(options.store);
    const pollAll = (): void => {
      for (const room of this.#rooms.values()) room.poll();
    };
    // after the process was held up, it reads what has arrived meanwhile first
    this.#poll = setInterval(() => setImmediate(pollAll), POLL_EVERY);
  }

  /** Settles when clients can connect. Rejects when the port is taken, or the folder cannot be made. */
  static async listen(options: ProxyOptions): Promise<GameProxy> {
    await mkdir(options.store, { recursive: true });
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

  /** Disconnects all clients, and finishes the recordings. */
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
    clearInterval(this.#poll);
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
    const { course, ring, leavesReports = false } = this.#options;
    if (course === undefined && leavesReports) return null;
    if (isVersion(version)) return adapterFor(version, GHOSTLY);
    if (course !== undefined || ring !== undefined)
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

  /** Handles a command of the proxy; returns whether it was one. */
  #command(connection: Connection, text: string): boolean {
    const [, word, rest = ""] = /^\/(\S+)\s*(.*)$/s.exec(text.trim()) ?? [];
    const does =
      word === "ghost" && this.#options.course !== undefined
        ? () => connection.opponents!.command(text)
        : word === "report" && this.#options.leavesReports !== true
          ? () => this.#reports(connection, rest)
          : null;
    if (does !== null)
      void connection
        .ready!.then(does)
        .catch((error: unknown) => this.#report({ error: `${text}: ${messageOf(error)}` }));
    return does !== null;
  }

  /** A player reports another, in the form `Sam flies`. */
  #reports(connection: Connection, text: string): void {
    const { room, player } = connection;
    const { name, words: reason } = reportIn(text);
    const subject = room?.people.named(name) ?? null;
    if (name === "") connection.tell("/report NAME WORDS", "gray");
    else if (subject === null) connection.tell(`No player ${name} was here.`, "red");
    else {
      const reporter = { uuid: player!.uuid, name: player!.name };
      const { ring, recording } = room!;
      const reported = ring?.report({ subject, reporter, reason }) ?? recording!.report(subject, reason, reporter);
      if (typeof reported === "string") connection.tell(reported, "red");
      else if (reported === null) {
        connection.tell(`Reported: ${subject.name}`, "gray");
        const { uuid, name } = subject;
        this.#report({ report: { subject: { uuid, name }, reporter, reason }, recording: room!.id });
      } else this.#keepClip(connection, reported);
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
      mark: (event) => room.adds(connection, event),
      elapsed: () => room.events.elapsed,
      finished: (run) => this.#keep(connection, course, room, run),
    });
  }

  #keep(connection: Connection, { map, dimension }: Course, room: Room, run: FinishedRun): void {
    const id = `${plain(map)}-${plain(connection.player!.name)}-${stamp()}`;
    const startedAt = Math.floor(room.events.startedAt + run.start * MILLISECONDS_OF_A_TICK);
    const header = { ...room.header, epoch: BigInt(startedAt) * 1_000_000n, metadata: { map } };
    const events: FinishedRun["events"] = [[0, { kind: "dimension", value: dimension }], ...run.events];
    const kept = writeRun(join(this.#options.store, `${id}.hcrp`), header, { ...run, events })
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
        const { losses } = room.events;
        this.losses.addAll(losses);
        if (ended !== null) this.#report({ ended });
        if (losses.count > 0) this.#report({ lost: { id: room.id, count: losses.count, reasons: losses.reasons } });
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
