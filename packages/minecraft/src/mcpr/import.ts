import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RecordingError } from "simtape";
import { LayoutError } from "simtape/kit";
import { directoryStore, fromFile, toFile } from "simtape/node";
import type { Store } from "simtape";
import { compact, type Recorder, record } from "simtape/record";
import { LineProtocol } from "simtape/serving";
import { Capture, type Line, type Tally } from "../capture/capture.ts";
import { GameData } from "../game/data.ts";
import type { WorldName } from "simtape/world";
import { chunkIn } from "../world/packets.ts";
import { worldId, worldIdOf, worldVersion, worldVersionOf } from "../world/names.ts";
import { type Edit, ChunkSink } from "../world/sink.ts";
import { unreadable } from "./error.ts";
import { mayWrite } from "./target.ts";
import { archiveAt, readRecording } from "./archive.ts";
import { Packets } from "./packets.ts";

/** What came of an import. */
export interface ImportReport {
  readonly version: string;
  readonly packets: number;
  readonly ticks: number;
  readonly milliseconds: number;
  readonly marks: number;
  /** Packets by name. */
  readonly tally: ReadonlyMap<string, Tally>;
  /** Packets that are none of this version. */
  readonly unread: number;
  /** What the recorder did not take, as a place that is no number: how often, and the first reason. */
  readonly refused: { readonly count: number; readonly first: string } | null;
  /** The world that its chunks went into; null: they are counted as left. */
  readonly world: (WorldName & { readonly chunks: number }) | null;
  /** Why the recording ends before the file does; null: it does not. */
  readonly damage: string | null;
}

export interface ImportOptions {
  /** Whether a file that is there is written over. Default true. */
  readonly force?: boolean | undefined;
  /** Gets the chunks of the world; absent: they are left out. */
  readonly worlds?: Store | undefined;
  /** The world's id and version; absent: those that the file says or that follow from its server and its date. */
  readonly worldId?: string | undefined;
  readonly worldVersion?: string | undefined;
}

interface MetaData {
  readonly protocol?: unknown;
  readonly mcversion?: unknown;
  readonly date?: unknown;
  readonly serverName?: unknown;
  readonly duration?: unknown;
  /** The world, as exports of simtape say it. */
  readonly simtape?: { readonly worldId?: unknown; readonly worldVersion?: unknown };
}

interface Marker {
  readonly realTimestamp?: unknown;
  readonly value?: { readonly name?: unknown };
}

const TICK = 50;
/** Milliseconds after which a client takes a silent server for gone. */
const PATIENCE = 30_000;
const ID = "import";
const MOST_TICKS = 2 ** 31 - 1;
/** The last moment that a header can name, Unix milliseconds. */
const LAST_DATE = Date.UTC(9999, 11, 31);

/**
 * Makes an HCRP recording of a `.mcpr`. What is whole is kept; the report says where it ends. Throws `RecordingError` for
 * what is no `.mcpr`, and for a version that is not known; `UsageError` for what is no id or no version of a world.
 */
export async function importMcpr(
  input: string,
  output: string,
  { force = true, worlds, ...wanted }: ImportOptions = {},
): Promise<ImportReport> {
  await mayWrite(output, force);
  const { files } = await archiveAt(input);
  const metaData = jsonIn<MetaData>(files.get("metaData.json"), input, "metaData.json");
  if (metaData === null) throw unreadable("unknown-format", `${input}: no metaData.json in it: it is no .mcpr`);
  const version = versionOf(metaData, input);
  const world = worlds === undefined ? null : worldOf(metaData, wanted);
  const folder = await mkdtemp(join(dirname(output), ".simtape-mc-"));
  try {
    const store = directoryStore(folder);
    const sink = worlds === undefined || world === null ? null : new ChunkSink(worlds, world);
    const marks = marksIn(jsonIn<Marker[]>(files.get("markers.json"), input, "markers.json"));
    const work = new Import(version, marks, sink);
    const report = await work.run(input, metaData, store);
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
    input: string,
    { date, serverName, duration }: MetaData,
    store: ReturnType<typeof directoryStore>,
  ): Promise<ImportReport> {
    let recorder: Recorder | null = null;
    let refused = null as ImportReport["refused"];
    const lines = new LineProtocol({
      open: async (header) => {
        // sounds, too; and however long it is, it is one recording
        recorder = await record(store, { id: ID, ...header, profile: "cinema", limits: { ticks: MOST_TICKS } });
        return recorder;
      },
      skipped: ({ message }) => {
        refused = { count: (refused?.count ?? 0) + 1, first: refused?.first ?? message.replace(/^line \d+: /, "") };
      },
    });
    const { data } = this.#packets;
    const header = {
      simtape: 1,
      startedAt: new Date(typeof date === "number" && date >= 0 && date <= LAST_DATE ? date : 0).toISOString(),
      protocol: data.protocol,
      dataVersion: data.dataVersion,
      ...(typeof serverName === "string" && serverName !== "" ? { server: serverName.slice(0, 200) } : {}),
      ...(this.#sink === null ? {} : { worldId: this.#sink.world.id, worldVersion: this.#sink.world.version }),
    };
    await lines.give(header);
    // The first tick that is named stands for the beginning.
    await lines.give({ tick: 0 });
    let damage: string | null = null;
    try {
      await readRecording(input, async (bytes) => {
        for await (const line of this.#linesOf(bytes)) await lines.give(line);
      });
      if (this.#packets.left > 0)
        damage = `recording.tmcpr: byte ${this.#packets.offset}: the file ends within a packet`;
    } catch (error) {
      if (!RecordingError.is(error) || this.#count === 0) throw error;
      damage = error.message;
    }
    // It goes on after its last packet, but not for longer than it can have lasted.
    const isLonger = damage === null && typeof duration === "number" && duration < this.#at + PATIENCE;
    const end = isLonger ? Math.max(this.#at, duration) : this.#at;
    for (const line of this.#marksUntil(Number.POSITIVE_INFINITY, end)) await lines.give(line);
    this.#tick = Math.max(this.#tick, Math.floor(end / TICK));
    await lines.give({ tick: this.#tick + 1 });
    await this.#sink?.flush();
    await lines.finish();
    await recorder!.close({ outcome: damage === null ? "completed" : "crashed", durationMs: this.#at });
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
      damage,
    };
  }

  async *#linesOf(bytes: Uint8Array): AsyncGenerator<Line> {
    const lines: Line[] = [];
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
      else if (state === "play") this.#capture.clientbound(name, params, lines);
      else this.#capture.count(name, "left");
      for (const line of lines) this.#note(line);
      yield* lines;
      lines.length = 0;
    }
  }

  /** What of a chunk is another than the world has it, as edits. */
  async #chunk(params: object): Promise<readonly Line[]> {
    const { data, dimension } = this.#capture;
    const placed = this.#sink === null || dimension === null ? null : orNull(() => chunkIn(data, params));
    this.#capture.count("map_chunk", placed === null ? "left" : "carried");
    if (placed === null) return [];
    return (await this.#sink!.see(dimension!, placed)).map(lineOf);
  }

  /** Edits are known where a chunk comes again. */
  #note({ block }: Line): void {
    const { dimension } = this.#capture;
    if (block === undefined || dimension === null) return;
    const { at, state } = block as { readonly at: readonly [number, number, number]; readonly state: string };
    this.#sink?.edit(dimension, ...at, state);
  }

  /** Marks behind the `end` are put there. */
  *#marksUntil(at: number, end: number = at): Generator<Line> {
    while (this.#marks.length > 0 && this.#marks[0]!.at <= at) {
      const { at: when, label } = this.#marks.shift()!;
      yield* this.#goTo(Math.min(when, end));
      yield { mark: { label, kind: "bookmark" } };
    }
  }

  *#goTo(at: number): Generator<Line> {
    const tick = Math.floor(at / TICK);
    if (tick <= this.#tick) return;
    this.#tick = tick;
    yield { tick };
  }
}

function lineOf({ x, y, z, name }: Edit): Line {
  return { block: { at: [x, y, z], state: name } };
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

/** As asked for, as the file says, or one that always follows from it. */
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

function versionOf({ protocol, mcversion }: MetaData, input: string): string {
  const version = typeof protocol === "number" ? GameData.versionOf(protocol) : null;
  const found = version ?? (typeof mcversion === "string" ? mcversion : null);
  if (found === null) throw unreadable("unsupported", `${input}: metaData.json names no version of the game`);
  try {
    return GameData.of(found).version;
  } catch {
    throw unreadable("unsupported", `${input}: recorded with ${found}, which is not known here`);
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

function jsonIn<T>(bytes: Buffer | undefined, input: string, name: string): T | null {
  if (bytes === undefined) return null;
  try {
    return JSON.parse(bytes.toString()) as T;
  } catch (error) {
    throw unreadable("malformed", `${input}: ${name} is no JSON: ${(error as Error).message}`);
  }
}
