import { createSerializer } from "../game/protocol.ts";
import { basename } from "node:path";
import { Zip, ZipDeflate } from "fflate";
import { open, type Recording, type Store } from "simtape";
import { fromFile, toFile } from "simtape/node";
import { UsageError } from "simtape/command";
import { bytesOf } from "../game/encoding.ts";
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
import { View } from "./view.ts";
import { mayWrite } from "./target.ts";

/** The result of an export. */
export interface ExportReport {
  readonly version: string;
  readonly packets: number;
  readonly milliseconds: number;
  readonly marks: number;
  /**
   * Number of chunks of the world in the file; and number of those that were left out because they are too far away, or
   * because other content is shown there.
   */
  readonly chunks: number;
  readonly leftOut: number;
  /** Names that the version does not have; other things stand for them. */
  readonly unknown: readonly string[];
}

const WATCHER = { uuid: "00000000-0000-4000-8000-000000000000", username: "simtape" };
const MS = 1e6;
/** Milliseconds. */
const TICK = 50;
/** Most chunks of the world: those nearest to the first player. */
const MOST_CHUNKS = 10_000;

export interface ExportOptions {
  /** Whether to overwrite an existing file. Default true. */
  readonly force?: boolean | undefined;
  /** Store with the world below the recording; absent: it stands over an empty world. */
  readonly worlds?: Store | undefined;
}

/**
 * Makes a `.mcpr` of a recording, for clients of `version`. Rejects like `open`; `RangeError` for an unknown version.
 */
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
  const { start, end } = await recording.timeline();
  const { ticks } = recording.info.metadata as { ticks?: unknown };
  const milliseconds = typeof ticks === "number" ? ticks * TICK - 1 : Math.round((end - start) / MS);
  const marks = await marksOf(recording, start);
  // The data that readers need for the packets come before them, so that a cut file can be read.
  archive.text("metaData.json", JSON.stringify(metaDataOf(recording, version, milliseconds)));
  archive.text("markers.json", JSON.stringify(marks));
  const file = archive.file("recording.tmcpr");
  const writer = new PacketWriter(version, (bytes) => file.push(bytes, false));
  writer.begin();
  let [shown, since] = [EMPTY, start - 1];
  let [chunks, leftOut] = [0, 0];
  let view: View | null = null;
  for await (const state of recording.states()) {
    const scene = scenes.sceneOf(state);
    const at = Math.round((state.time - start) / MS);
    const isBegun = state.values.has("world/dimension") || scene.things.size + scene.blocks.size > 0;
    if (!isBegun && shown === EMPTY) continue;
    if (shown === EMPTY) {
      const [first] = scene.things.values();
      view = new View(adapter, chunkOf(first));
      const all = backdrop === null ? [] : await spotsAround(backdrop, scene.dimension, first);
      const spots = all.filter((spot) => view!.reaches(spot)).slice(0, MOST_CHUNKS);
      [chunks, leftOut] = [spots.length, all.length - spots.length];
      writer.add(at, [...begun(adapter, first), ...view.begin()]);
      if (chunks === 0) writer.add(at, view.fill(view.near()));
      for (const [x, z] of spots) {
        const chunk = await backdrop!.chunk(scene.dimension, x, z);
        if (chunk !== null) writer.add(at, [...view.take([x, z]), ...adapter.chunk({ x, z, chunk })]);
        await archive.settled();
      }
    }
    // A world holds only known chunks: an empty chunk beside it would claim that the place is empty.
    if (view !== null && chunks === 0) writer.add(at, view.fill(View.newIn(shown, scene)));
    if (scene.blocks !== shown.blocks) await backdrop?.learn(scene.dimension, scene.blocks.keys());
    writer.add(at, difference(shown, scene, adapter, skin, false, backdrop?.base(scene.dimension)));
    shown = scene;
    for await (const { kind, entity, text, amount, sound } of instants.between(since, state.time)) {
      const thing = entity === null ? undefined : scene.things.get(entity);
      if (kind === "chat")
        writer.add(at, adapter.chat({ text: thing === undefined ? text : `<${thing.name}> ${text}` }));
      else if (sound !== null) writer.add(at, adapter.sound(sound));
      else if (kind === "swing" && thing !== undefined) writer.add(at, adapter.swing(thing, amount === 1));
      else if (kind === "hurt" && thing !== undefined) writer.add(at, adapter.hurt(thing, amount));
    }
    since = state.time;
    await archive.settled();
  }
  file.push(new Uint8Array(0), true);
  const unknown = [...adapter.unknown];
  leftOut += view?.beyond ?? 0;
  return { version, packets: writer.count, milliseconds, marks: marks.length, chunks, leftOut, unknown };
}

/** Places of chunks, the nearest to some content first. */
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
    ...adapter.mode(WATCHER.uuid, "spectator"),
    ...adapter.put({ ...place, yaw: 0, pitch: 0 }),
  ];
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
    marks.push({
      realTimestamp: Math.round((time - start) / MS),
      value: { name: typeof label === "string" ? label : "", position },
    });
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

/** Packets in the form of a `.mcpr`. */
class PacketWriter {
  readonly #version: string;
  readonly #push: (bytes: Uint8Array) => void;
  readonly #serializers = new Map<string, ReturnType<typeof createSerializer>>();
  count = 0;

  constructor(version: string, push: (bytes: Uint8Array) => void) {
    this.#version = version;
    this.#push = push;
  }

  /** The packets before the state `play`. */
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

  #add(state: string, at: number, packet: Packet): void {
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
    const bytes = bytesOf(serializer, packet);
    const head = Buffer.alloc(8);
    head.writeInt32BE(at, 0);
    head.writeInt32BE(bytes.length, 4);
    this.#push(Buffer.concat([head, bytes]));
    this.count++;
  }
}

/** A zip archive that is written as data arrives. */
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

  /** Settles when all given bytes are in the file. */
  async settled(): Promise<void> {
    await this.#written;
    if (this.#failure !== null) throw this.#failure;
  }

  async end(): Promise<void> {
    this.#zip.end();
    await this.settled();
  }
}
