import { createSerializer } from "../game/protocol.ts";
import { basename } from "node:path";
import { Zip, ZipDeflate } from "fflate";
import { open, type Recording, type Store } from "simtape";
import { fromFile, toFile } from "simtape/node";
import { UsageError } from "simtape/serving";
import { GameData } from "../game/data.ts";
import type { Packet } from "../game/packet.ts";
import type { Adapter } from "../scene/adapter.ts";
import { difference } from "../scene/difference.ts";
import { adapterFor } from "../scene/families.ts";
import { Instants } from "../scene/instants.ts";
import { EMPTY, SceneMaker } from "../scene/scene.ts";
import { GRID, type Thing } from "../scene/thing.ts";
import { profilesOf } from "../scene/profiles.ts";
import { Backdrop } from "../world/backdrop.ts";
import { worldIn } from "../world/names.ts";
import { mayWrite } from "./target.ts";

/** What came of an export. */
export interface ExportReport {
  readonly version: string;
  readonly packets: number;
  readonly milliseconds: number;
  readonly marks: number;
  /** Chunks of the world that are in it, and those that are farther away than there is room for. */
  readonly chunks: number;
  readonly leftOut: number;
  /** Names that the version does not have; something else stands for them. */
  readonly unknown: readonly string[];
}

const WATCHER = { uuid: "00000000-0000-4000-8000-000000000000", username: "simtape" };
const MS = 1e6;
/** Milliseconds. */
const TICK = 50;
/** Chunks each way around the first player. */
const AROUND = 4;

/** Chunks of the world at most, those nearest to the first player. */
const MOST_CHUNKS = 10_000;

export interface ExportOptions {
  /** Whether a file that is there is written over. Default true. */
  readonly force?: boolean | undefined;
  /** Has the world below the recording; absent: it stands over nothing. */
  readonly worlds?: Store | undefined;
}

/** Makes a `.mcpr` of a recording, for clients of `version`. Rejects as `open` does; `RangeError` for another version. */
export async function exportMcpr(
  input: string,
  output: string,
  version: string,
  { force = true, worlds }: ExportOptions = {},
): Promise<ExportReport> {
  await mayWrite(output, force);
  const adapter = await adapterFor(version);
  await using recording = await open(fromFile(input));
  if (recording.info.format !== "hcrp")
    throw new UsageError(`${input}: no HCRP recording, but ${recording.info.format}`);
  const sink = await toFile(output, { keep: !force }).open();
  try {
    const archive = new Archive((bytes) => sink.write(bytes));
    const world = worldIn(recording.info);
    const backdrop = worlds === undefined || world === null ? null : new Backdrop(worlds, world);
    const report = await write(basename(input), recording, adapter, archive, backdrop);
    await archive.end();
    await sink.close();
    return report;
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

async function write(
  input: string,
  recording: Recording,
  adapter: Adapter,
  archive: Archive,
  backdrop: Backdrop | null,
): Promise<ExportReport> {
  const { version } = adapter;
  const { dataVersion, skins } = profilesOf(recording);
  const scenes = new SceneMaker(input, dataVersion);
  const skin = (thing: Thing) => skins.get(thing.uuid) ?? [];
  const instants = new Instants(recording);
  const file = archive.file("recording.tmcpr");
  const writer = new PacketWriter(version, (bytes) => file.push(bytes, false));
  const { start, end } = await recording.timeline();
  writer.begin();
  let [shown, since] = [EMPTY, start - 1];
  let [chunks, leftOut] = [0, 0];
  for await (const state of recording.states()) {
    const scene = scenes.sceneOf(state);
    const at = Math.round((state.time - start) / MS);
    const isBegun = state.values.has("world/dimension") || scene.things.size + scene.blocks.size > 0;
    if (!isBegun && shown === EMPTY) continue;
    if (shown === EMPTY) {
      const [first] = scene.things.values();
      const spots = backdrop === null ? [] : await spotsAround(backdrop, scene.dimension, first);
      [chunks, leftOut] = [Math.min(spots.length, MOST_CHUNKS), Math.max(0, spots.length - MOST_CHUNKS)];
      writer.add(at, begun(adapter, first));
      if (chunks === 0) writer.add(at, nothingAround(adapter, first));
      for (const [x, z] of spots.slice(0, chunks)) {
        const chunk = await backdrop!.chunk(scene.dimension, x, z);
        if (chunk !== null) writer.add(at, adapter.chunk({ x, z, chunk }));
        await archive.settled();
      }
    }
    if (scene.blocks !== shown.blocks) await backdrop?.learn(scene.dimension, scene.blocks.keys());
    writer.add(at, difference(shown, scene, adapter, skin, false, backdrop?.base(scene.dimension)));
    shown = scene;
    for await (const { kind, entity, text, amount } of instants.between(since, state.time)) {
      const thing = entity === null ? undefined : scene.things.get(entity);
      if (kind === "chat")
        writer.add(at, adapter.chat({ text: thing === undefined ? text : `<${thing.name}> ${text}` }));
      else if (kind === "swing" && thing !== undefined) writer.add(at, adapter.swing(thing, amount === 1));
      else if (kind === "hurt" && thing !== undefined) writer.add(at, adapter.hurt(thing, amount));
    }
    since = state.time;
    await archive.settled();
  }
  file.push(new Uint8Array(0), true);
  const { ticks } = recording.info.metadata as { ticks?: unknown };
  const milliseconds = typeof ticks === "number" ? ticks * TICK - 1 : Math.round((end - start) / MS);
  const marks = await marksOf(recording, start);
  archive.text("markers.json", JSON.stringify(marks));
  archive.text("metaData.json", JSON.stringify(metaDataOf(recording, version, milliseconds)));
  const unknown = [...adapter.unknown];
  return { version, packets: writer.count, milliseconds, marks: marks.length, chunks, leftOut, unknown };
}

/** Where there are chunks, the nearest to something first. */
async function spotsAround(
  backdrop: Backdrop,
  dimension: string,
  thing: Thing | undefined,
): Promise<(readonly [x: number, z: number])[]> {
  const [x, z] = [(thing?.x ?? 0) / GRID / 16 - 0.5, (thing?.z ?? 0) / GRID / 16 - 0.5];
  const spots = [];
  for await (const spot of backdrop.places(dimension)) spots.push(spot);
  return spots.sort((a, b) => Math.hypot(a[0] - x, a[1] - z) - Math.hypot(b[0] - x, b[1] - z));
}

function begun(adapter: Adapter, first: Thing | undefined): Packet[] {
  const place = { x: (first?.x ?? 0) / GRID, y: (first?.y ?? 80 * GRID) / GRID + 3, z: (first?.z ?? 0) / GRID };
  return [
    ...adapter.login(1, 20),
    ...adapter.self(WATCHER.uuid, WATCHER.username, "spectator"),
    ...adapter.mode("spectator"),
    ...adapter.put({ ...place, yaw: 0, pitch: 0 }),
    ...adapter.around(...chunkOf(first), AROUND),
  ];
}

/** Without a world. */
function nothingAround(adapter: Adapter, first: Thing | undefined): Packet[] {
  const [x, z] = chunkOf(first);
  const chunks: Packet[] = [];
  for (let dx = -AROUND; dx <= AROUND; dx++)
    for (let dz = -AROUND; dz <= AROUND; dz++) chunks.push(...adapter.emptyChunk(x + dx, z + dz));
  return chunks;
}

function chunkOf(thing: Thing | undefined): [x: number, z: number] {
  return [Math.floor((thing?.x ?? 0) / GRID / 16), Math.floor((thing?.z ?? 0) / GRID / 16)];
}

async function marksOf(recording: Recording, start: number): Promise<object[]> {
  const marks: object[] = [];
  if (!recording.channels.some(({ name }) => name === "mark")) return marks;
  for await (const { time, value } of recording.messages("mark")) {
    const { label } = value as Readonly<Record<string, unknown>>;
    const position = { x: 0, y: 0, z: 0, yaw: 0, pitch: 0, roll: 0 };
    marks.push({ realTimestamp: Math.round((time - start) / MS), value: { name: String(label ?? ""), position } });
  }
  return marks;
}

function metaDataOf(recording: Recording, version: string, duration: number): object {
  const world = worldIn(recording.info);
  const { startedAt } = recording.info.metadata as { startedAt?: unknown };
  return {
    singleplayer: false,
    serverName: "simtape",
    duration,
    date: typeof startedAt === "number" ? startedAt : 0,
    mcversion: version,
    fileFormat: "MCPR",
    fileFormatVersion: 14,
    protocol: GameData.of(version).protocol,
    generator: "simtape-mc",
    selfId: -1,
    players: [],
    ...(world === null ? {} : { simtape: { worldId: world.id, worldVersion: world.version } }),
  };
}

/** Packets as a `.mcpr` has them. */
class PacketWriter {
  readonly #version: string;
  readonly #push: (bytes: Uint8Array) => void;
  readonly #serializers = new Map<string, ReturnType<typeof createSerializer>>();
  count = 0;

  constructor(version: string, push: (bytes: Uint8Array) => void) {
    this.#version = version;
    this.#push = push;
  }

  /** What comes before the state `play`. */
  begin(): void {
    const { raw } = GameData.of(this.#version);
    this.#add("login", 0, ["success", { ...WATCHER, properties: [] }]);
    if (!raw.supportFeature("hasConfigurationState")) return;
    const { dimensionCodec } = raw.loginPacket as unknown as { dimensionCodec: Readonly<Record<string, object>> };
    // one for each registry since 1.20.5
    const isOne = !raw.supportFeature("segmentedRegistryCodecData");
    const registries = isOne ? [{ codec: dimensionCodec }] : Object.values(dimensionCodec);
    for (const registry of registries) this.#add("configuration", 0, ["registry_data", registry]);
    this.#add("configuration", 0, ["finish_configuration", {}]);
  }

  add(at: number, packets: readonly Packet[]): void {
    for (const packet of packets) this.#add("play", at, packet);
  }

  #add(state: string, at: number, [name, params]: Packet): void {
    let serializer = this.#serializers.get(state);
    if (serializer === undefined) {
      serializer = createSerializer({
        state: state as never,
        isServer: true,
        version: this.#version,
        customPackets: {},
      });
      this.#serializers.set(state, serializer);
    }
    const bytes = serializer.createPacketBuffer({ name, params }) as Buffer;
    const head = Buffer.alloc(8);
    head.writeInt32BE(at, 0);
    head.writeInt32BE(bytes.length, 4);
    this.#push(Buffer.concat([head, bytes]));
    this.count++;
  }
}

/** A zip archive that is written as it comes. */
class Archive {
  readonly #zip: Zip;
  #written: Promise<unknown> = Promise.resolve();
  #failure: Error | null = null;

  constructor(write: (bytes: Uint8Array) => Promise<unknown>) {
    this.#zip = new Zip((error, bytes) => {
      if (error !== null) this.#failure ??= error;
      else this.#written = this.#written.then(() => write(bytes));
    });
  }

  file(name: string): ZipDeflate {
    // The same recording gives the same bytes.
    const file = new ZipDeflate(name, { level: 6 });
    file.mtime = new Date(1980, 0, 2);
    this.#zip.add(file);
    return file;
  }

  text(name: string, text: string): void {
    this.file(name).push(Buffer.from(text), true);
  }

  /** Settles when what was given is in the file. */
  async settled(): Promise<void> {
    await this.#written;
    if (this.#failure !== null) throw this.#failure;
  }

  async end(): Promise<void> {
    this.#zip.end();
    await this.settled();
  }
}
