import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RecordingError } from "simtape";
import { LayoutError, type ZipDamage } from "simtape/kit";
import { directoryStore, fromFile, toFile } from "simtape/node";
import type { Store } from "simtape";
import { compact, EventRecorder, faultIn, type LiveEvent, record, roomIn } from "simtape/record";
import { Capture } from "../capture/capture.ts";
import type { Tally } from "../capture/carry.ts";
import { GameData } from "../game/data.ts";
import type { WorldName } from "simtape/world";
import { chunkIn } from "../world/packets.ts";
import { worldId, worldIdOf, worldVersion, worldVersionOf } from "../world/names.ts";
import { type Edit, ChunkSink } from "../world/sink.ts";
import { unreadable } from "./error.ts";
import { mayWrite } from "./target.ts";
import { Archive, RECORDING, type SmallFile } from "./archive.ts";
import { Packets } from "./packets.ts";

/** The result of an import. */
export interface ImportReport {
  readonly version: string;
  readonly packets: number;
  readonly ticks: number;
  readonly milliseconds: number;
  readonly marks: number;
  /** Packets by name. */
  readonly tally: ReadonlyMap<string, Tally>;
  /** Packets that do not fit this version. */
  readonly unread: number;
  /** Events that the recorder refused, such as a position that is not a number: how many, and the first reason. */
  readonly refused: { readonly count: number; readonly first: string } | null;
  /** The world that its chunks went into; null: its chunks count as not recorded. */
  readonly world: (WorldName & { readonly chunks: number }) | null;
  /** Where the file differs from what was written, in the order of discovery. */
  readonly findings: readonly ZipDamage[];
  /** The damage of the file in one line; null: none. */
  readonly damage: string | null;
  /** The part of the file that is missing in the recording, or may be wrong there; null: none. */
  readonly lost: Lost | null;
}

/** The loss in a file's packets. */
export interface Lost {
  /** Bytes of packets that could be read, and bytes that were written; null: the file no longer says how many. */
  readonly kept: number;
  readonly written: number | null;
  /** Milliseconds after the last packet that the file's metadata mention; null: they mention none. */
  readonly milliseconds: number | null;
}

export interface ImportOptions {
  /** Whether to overwrite an existing file. Default true. */
  readonly force?: boolean | undefined;
  /** Sink for the chunks of the world; absent: they are left out. */
  readonly worlds?: Store | undefined;
  /** The world's id and version; absent: those in the file, or those that follow from its server and its date. */
  readonly worldId?: string | undefined;
  readonly worldVersion?: string | undefined;
  /** Version of the game, when the file no longer says it. */
  readonly version?: string | undefined;
}

interface MetaData {
  readonly protocol?: unknown;
  readonly mcversion?: unknown;
  readonly date?: unknown;
  readonly serverName?: unknown;
  readonly duration?: unknown;
  /** The world, as exports of simtape name it. */
  readonly simtape?: { readonly worldId?: unknown; readonly worldVersion?: unknown };
}

interface Marker {
  readonly realTimestamp?: unknown;
  readonly value?: { readonly name?: unknown };
}

const TICK = 50;
/** Milliseconds after which a client takes a silent server for gone. */
const CLIENT_TIMEOUT = 30_000;
const ID = "import";
const MOST_TICKS = 2 ** 31 - 1;
/** The last moment that a header can hold, Unix milliseconds. */
const LAST_DATE = Date.UTC(9999, 11, 31);

/**
 * Makes an HCRP recording from a `.mcpr`. The sound part is kept; the report says where it ends. Throws
 * `RecordingError` for a file that is no `.mcpr`, and for an unknown version; `UsageError` for an invalid id or version
 * of a world.
 */
export async function importMcpr(
  input: string,
  output: string,
  { force = true, worlds, ...wanted }: ImportOptions = {},
): Promise<ImportReport> {
  await mayWrite(output, force);
  await using archive = await Archive.open(input);
  const { version, metaData } = gameOf(archive, input, wanted.version);
  const world = worlds === undefined ? null : worldOf(metaData, wanted);
  const folder = await mkdtemp(join(dirname(output), ".simtape-mc-"));
  try {
    const store = directoryStore(folder);
    const sink = worlds === undefined || world === null ? null : new ChunkSink(worlds, world);
    const marks = marksIn(jsonIn<Marker[]>(archive.files.get("markers.json"), input, "markers.json"));
    const work = new Import(version, marks, sink);
    const report = await work.run(archive, metaData, store);
    await compact(fromFile(join(folder, ID, "meta.hcrp")), toFile(output, { keep: !force }));
    return report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class Import {
  readonly #packets: Packets;
  readonly #capture: Capture;
  readonly #marks: { readonly at: number; readonly label: string }[];
  readonly #markCount: number;
  readonly #sink: ChunkSink | null;
  #count = 0;
  #unread = 0;
  #tick = 0;
  #at = 0;

  constructor(version: string, marks: { readonly at: number; readonly label: string }[], sink: ChunkSink | null) {
    this.#packets = new Packets(version);
    this.#capture = new Capture({ version });
    this.#marks = marks;
    this.#sink = sink;
    this.#markCount = marks.length;
  }

  async run(
    archive: Archive,
    { date, serverName, duration }: MetaData,
    store: ReturnType<typeof directoryStore>,
  ): Promise<ImportReport> {
    const { data } = this.#packets;
    const startedAt = typeof date === "number" && date >= 0 && date <= LAST_DATE ? Math.floor(date) : 0;
    const recorder = await record(store, {
      id: ID,
      epoch: BigInt(startedAt) * 1_000_000n,
      protocol: data.protocol,
      dataVersion: data.dataVersion,
      ...(typeof serverName === "string" && serverName !== "" ? { server: serverName.slice(0, 200) } : {}),
      ...(this.#sink === null ? {} : { worldId: this.#sink.world.id, worldVersion: this.#sink.world.version }),
      // sounds, too; and however long it is, it becomes one recording
      profile: "cinema",
      limits: { ticks: MOST_TICKS },
    });
    const events = new EventRecorder(recorder);
    let refused = null as ImportReport["refused"];
    const take = (event: LiveEvent): Promise<void> | null => {
      const reason = reasonAgainst(events, event);
      if (reason !== null) refused = { count: (refused?.count ?? 0) + 1, first: refused?.first ?? reason };
      return recorder.ready === null ? null : roomIn(recorder);
    };
    const { findings } = archive;
    const before = findings.length;
    try {
      for await (const bytes of archive.recording()) for await (const event of this.#eventsOf(bytes)) await take(event);
      const { left, offset } = this.#packets;
      if (left > 0) findings.push({ offset, message: `${RECORDING}: byte ${offset}: the file ends within a packet` });
    } catch (error) {
      if (!RecordingError.is(error) || this.#count === 0) throw error;
      findings.push({ offset: this.#packets.offset, message: error.message });
    }
    const isCut = findings.length > before;
    if (isCut && this.#count === 0) throw unreadable("malformed", findings[before]!.message);
    const isLost = isCut || archive.written === null;
    const stated = typeof duration === "number" && Number.isFinite(duration) ? duration : null;
    const lost: Lost | null = isLost
      ? {
          kept: this.#packets.offset,
          written: archive.written,
          milliseconds: stated === null ? null : Math.max(0, stated - this.#at),
        }
      : null;
    // Time goes on after the last packet, but not for longer than the recording can have lasted.
    const isLonger = !isLost && typeof duration === "number" && duration < this.#at + CLIENT_TIMEOUT;
    const end = isLonger ? Math.max(this.#at, duration) : this.#at;
    for (const event of this.#marksUntil(Number.POSITIVE_INFINITY, end)) await take(event);
    this.#tick = Math.max(this.#tick, Math.floor(end / TICK));
    await take({ kind: "tick", value: this.#tick + 1 });
    await this.#sink?.flush();
    await recorder.close({ outcome: isLost ? "crashed" : "completed", durationMs: this.#at });
    return {
      version: data.version,
      packets: this.#count,
      ticks: this.#tick + 1,
      milliseconds: this.#at,
      marks: this.#markCount,
      tally: this.#capture.tally,
      unread: this.#unread,
      refused,
      world: this.#sink === null ? null : { ...this.#sink.world, chunks: this.#sink.kept },
      findings,
      damage: findings.length === 0 ? null : findings.map(({ message }) => message).join("; "),
      lost,
    };
  }

  async *#eventsOf(bytes: Uint8Array): AsyncGenerator<LiveEvent> {
    const events: LiveEvent[] = [];
    for (const { at, name, params, state } of this.#packets.push(bytes)) {
      this.#count++;
      this.#at = at;
      yield* this.#marksUntil(at);
      yield* this.#goTo(at);
      if (name === null) {
        this.#unread++;
        continue;
      }
      if (name === "map_chunk" && state === "play") yield* await this.#chunk(params);
      else if (state === "play") this.#capture.clientbound(name, params, events);
      else this.#capture.count(name, "left");
      for (const event of events) this.#note(event);
      yield* events;
      events.length = 0;
    }
  }

  /** Blocks of a chunk that differ from the world, as edits. */
  async #chunk(params: object): Promise<readonly LiveEvent[]> {
    const { data, dimension } = this.#capture;
    const placed = this.#sink === null || dimension === null ? null : orNull(() => chunkIn(data, params));
    this.#capture.count("map_chunk", placed === null ? "left" : "carried");
    if (placed === null) return [];
    return (await this.#sink!.see(dimension!, placed)).map(eventOf);
  }

  /** An edit becomes known when its chunk is sent again. */
  #note(event: LiveEvent): void {
    const { dimension } = this.#capture;
    if (event.kind !== "block" || dimension === null) return;
    const { at, state } = event.value;
    this.#sink?.edit(dimension, ...at, state);
  }

  /** Marks after the `end` are moved there. */
  *#marksUntil(at: number, end: number = at): Generator<LiveEvent> {
    while (this.#marks.length > 0 && this.#marks[0]!.at <= at) {
      const { at: when, label } = this.#marks.shift()!;
      yield* this.#goTo(Math.min(when, end));
      yield { kind: "mark", value: { label, kind: "bookmark" } };
    }
  }

  *#goTo(at: number): Generator<LiveEvent> {
    const tick = Math.floor(at / TICK);
    if (tick <= this.#tick) return;
    this.#tick = tick;
    yield { kind: "tick", value: tick };
  }
}

function eventOf({ x, y, z, name }: Edit): LiveEvent {
  return { kind: "block", value: { at: [x, y, z], state: name } };
}

/** Records an event. Returns a text when it cannot be recorded: the reason. */
function reasonAgainst(events: EventRecorder, event: LiveEvent): string | null {
  const fault = faultIn(event);
  if (fault !== null) return `${event.kind}: ${fault}`;
  try {
    events.record(event);
    return null;
  } catch (error) {
    return `${event.kind}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Null: it cannot be read. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

/** As the caller asked, as the file says, or as always follows from the file. */
function worldOf({ simtape, serverName, date, protocol }: MetaData, wanted: ImportOptions): WorldName {
  const [id, version] = [wanted.worldId ?? simtape?.worldId, wanted.worldVersion ?? simtape?.worldVersion];
  const server = typeof serverName === "string" ? serverName : "";
  return {
    id: typeof id === "string" ? worldId(id) : worldIdOf(server),
    version:
      typeof version === "string"
        ? worldVersion(version)
        : worldVersionOf(`${server} ${String(date)} ${String(protocol)}`),
  };
}

/** The metadata of a file. Damaged metadata count when both of their statements of the version agree. */
function gameOf(archive: Archive, input: string, wanted: string | undefined): { version: string; metaData: MetaData } {
  const file = archive.files.get("metaData.json");
  const metaData = jsonIn<MetaData>(file, input, "metaData.json");
  const isWhole = file?.isSound === true && metaData !== null;
  if (wanted !== undefined && !(isWhole && hasVersion(metaData)))
    return { version: knownVersion(wanted, input), metaData: metaData ?? {} };
  if (file === undefined && archive.findings.length === 0)
    throw unreadable("unknown-format", `${input}: no metaData.json in it: it is no .mcpr`);
  if (!isWhole && !(metaData !== null && isAgreed(metaData))) {
    const why = archive.findings[0]?.message ?? "it is empty";
    throw unreadable("malformed", `${input}: metaData.json is lost (${why}): --version says what it was recorded with`);
  }
  return { version: versionOf(metaData, input), metaData };
}

function hasVersion({ protocol, mcversion }: MetaData): boolean {
  return (typeof protocol === "number" && GameData.versionOf(protocol) !== null) || typeof mcversion === "string";
}

/** Whether protocol and version belong together. */
function isAgreed({ protocol, mcversion }: MetaData): boolean {
  try {
    return typeof mcversion === "string" && GameData.of(mcversion).protocol === protocol;
  } catch {
    return false;
  }
}

function versionOf({ protocol, mcversion }: MetaData, input: string): string {
  const version = typeof protocol === "number" ? GameData.versionOf(protocol) : null;
  const found = version ?? (typeof mcversion === "string" ? mcversion : null);
  if (found === null) throw unreadable("unsupported", `${input}: metaData.json names no version of the game`);
  return knownVersion(found, input);
}

function knownVersion(version: string, input: string): string {
  try {
    return GameData.of(version).version;
  } catch {
    throw unreadable("unsupported", `${input}: recorded with ${version}, which is not known here`);
  }
}

function marksIn(markers: readonly (Marker | null)[] | null): { readonly at: number; readonly label: string }[] {
  if (!Array.isArray(markers)) return [];
  return (markers as readonly (Marker | null)[])
    .filter((marker): marker is Marker => typeof marker?.realTimestamp === "number" && marker.realTimestamp >= 0)
    .map(({ realTimestamp, value }) => ({ at: Number(realTimestamp), label: labelOf(value?.name) }))
    .sort((a, b) => a.at - b.at);
}

function labelOf(name: unknown): string {
  return typeof name === "string" && name !== "" ? name : "mark";
}

/** Null: the file is missing, or so damaged that it cannot be parsed. */
function jsonIn<T>(file: SmallFile | undefined, input: string, name: string): T | null {
  if (file === undefined) return null;
  try {
    return JSON.parse(file.bytes.toString()) as T;
  } catch (error) {
    if (!file.isSound) return null;
    throw unreadable("malformed", `${input}: ${name} is no JSON: ${(error as Error).message}`);
  }
}
