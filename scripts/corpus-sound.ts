import { deflateZlib } from "../packages/simtape/src/codec/deflate.ts";
import { loadZstd } from "../packages/simtape/src/codec/zstd.ts";
import type { CaseFiles } from "../packages/simtape/src/testing/corpus.ts";
import type { Frame } from "../packages/simtape/src/formats/nanover/layout/layout.ts";
import { makeTown, RELEASES } from "../packages/simtape/test/fixtures/carla/make.ts";
import {
  gzipped,
  makeContinuous,
  makeFirstLayout,
  makeNormal,
  makeRecovery,
} from "../packages/simtape/test/fixtures/flightgear/make.ts";
import {
  DICTIONARY_ID,
  dictionaryBytes,
  productionRun,
  twoEpochs,
  walk,
} from "../packages/simtape/test/fixtures/hcrp/make.ts";
import { race } from "../packages/simtape/test/fixtures/hcrp/race.ts";
import { compacted, joined, production, segmented } from "../packages/simtape/test/fixtures/hcrp/recording.ts";
import { LAYOUTS } from "../packages/simtape/test/fixtures/mcap/layouts.ts";
import { makeMcap } from "../packages/simtape/test/fixtures/mcap/make.ts";
import { patrol as drive } from "../packages/simtape/test/fixtures/mcap/patrol.ts";
import { patrol } from "../packages/simtape/test/fixtures/mira/make.ts";
import { type Content, makeTape, type Writing } from "../packages/simtape/test/fixtures/mira/tape.ts";
import {
  type Entry,
  type Moment,
  stateOf,
  trajOf,
  zipOf,
} from "../packages/simtape/test/fixtures/nanover/containers.ts";
import { makeMoments } from "../packages/simtape/test/fixtures/nanover/make.ts";

/** A recording for the corpus, before its expectations are made. */
export interface Made {
  readonly id: string;
  readonly about: string;
  readonly features: readonly string[];
  /** The main file is first. */
  readonly files: CaseFiles;
}

/** Every sound case, and files that a format's own programs leave when they crash. The same in every run. */
export async function soundCases(): Promise<Made[]> {
  return [...carla(), ...flightgear(), ...(await hcrp()), ...(await mcap()), ...mira(), ...nanover()];
}

function carla(): Made[] {
  return RELEASES.map((release) => ({
    id: `carla/${release.name}`,
    about: `Two vehicles, a walker, a light and a sensor: every packet that CARLA ${release.name} writes.`,
    features: [
      `header version ${release.version}`,
      release.scalar === 4 ? "float32" : "float64",
      `wheels of ${release.wheel} bytes`,
      `packets to ${release.until}`,
      ...Object.entries(release.late).map(([id, kind]) => `${id} ${kind}`),
    ],
    files: { "town.log": makeTown(release, 13) },
  }));
}

function flightgear(): Made[] {
  const of = (name: string, about: string, features: readonly string[], bytes: Uint8Array): Made => ({
    id: `flightgear/${name}`,
    about,
    features,
    files: { "flight.fgtape": bytes },
  });
  const frames = 13;
  const all = ["continuous", "signals", "multiplayer", "extra-properties"];
  return [
    of(
      "continuous",
      "A Continuous tape with signals, two pilots, extra properties and an unknown item.",
      all,
      makeContinuous({ frames }),
    ),
    of(
      "continuous-deflated",
      "The same, every frame deflated.",
      [...all, "deflate"],
      makeContinuous({ frames, compression: "1" }),
    ),
    of(
      "continuous-deflated-silent",
      "Deflated frames that the header says nothing of.",
      [...all, "deflate", "no compression in header"],
      makeContinuous({ frames, compression: null, isDeflated: true }),
    ),
    of(
      "continuous-unix-time",
      "Times count from 1970.",
      [...all, "unix time"],
      makeContinuous({ frames, shift: 1_795_214_002.2 }),
    ),
    of(
      "continuous-no-filler",
      "Records end with their values; real writers leave 8 bytes.",
      [...all, "no filler"],
      makeContinuous({ frames, filler: 0 }),
    ),
    of(
      "continuous-multiplayer",
      "Packets alone, no signals.",
      ["continuous", "multiplayer"],
      makeContinuous({ frames, data: ["multiplayer"] }),
    ),
    of(
      "continuous-extra-first",
      "Extra properties in front of the signals.",
      ["continuous", "extra-properties", "signals"],
      makeContinuous({ frames, data: ["extra-properties", "signals"] }),
    ),
    of("continuous-empty", "A header and no frame.", ["continuous", "no messages"], makeContinuous({ frames: 0 })),
    of(
      "continuous-first",
      "The layout of the snapshots of June to December 2020.",
      ["continuous", "first layout", "multiplayer"],
      makeFirstLayout(frames),
    ),
    of("recovery", "One frame.", ["recovery"], makeRecovery()),
    of("recovery-deflated", "One frame, deflated.", ["recovery", "deflate"], makeRecovery(true)),
    of(
      "normal-1",
      "Generation 1 in three buffers of falling rate.",
      ["normal", "generation 1", "gzip"],
      gzipped(makeNormal({ generation: 1, frames: 24 })),
    ),
    of(
      "normal-2",
      "Generation 2.",
      ["normal", "generation 2", "gzip"],
      gzipped(makeNormal({ generation: 2, frames: 24 })),
    ),
    of(
      "normal-2-multiplayer",
      "Generation 2 with counted packets.",
      ["normal", "generation 2", "gzip", "multiplayer"],
      gzipped(makeNormal({ generation: 2, packets: "counted", frames: 24 })),
    ),
    of(
      "normal-3",
      "Generation 3.",
      ["normal", "generation 3", "gzip"],
      gzipped(makeNormal({ generation: 3, frames: 24 })),
    ),
    of(
      "normal-3-plain",
      "Generation 3, not gzipped.",
      ["normal", "generation 3"],
      makeNormal({ generation: 3, frames: 24 }),
    ),
    of(
      "normal-3-multiplayer",
      "Generation 3 with listed packets.",
      ["normal", "generation 3", "gzip", "multiplayer"],
      gzipped(makeNormal({ generation: 3, packets: "listed", frames: 24 })),
    ),
    of(
      "normal-3-empty",
      "Three empty buffers.",
      ["normal", "generation 3", "gzip", "no messages"],
      gzipped(makeNormal({ generation: 3, frames: 0 })),
    ),
  ];
}

async function hcrp(): Promise<Made[]> {
  const zstd = await loadZstd();
  const of = (name: string, about: string, features: readonly string[], files: CaseFiles): Made => ({
    id: `hcrp/${name}`,
    about,
    features,
    files,
  });
  const one = (bytes: Uint8Array): CaseFiles => ({ "run.hcrp": bytes });
  const dictionary = { id: DICTIONARY_ID, bytes: dictionaryBytes() };
  const stretch = [
    { ticks: 50, snapshot: [], records: [] },
    { ticks: 12_000, snapshot: null, records: [] },
    walk().chunks[0]!,
  ];
  return [
    of(
      "race",
      "Five players race up a tower: every event of version 1 that a game makes.",
      ["version 1", "extended", "compacted", "snapshots"],
      one(compacted(zstd, race())),
    ),
    of(
      "walk",
      "Two players for 12 s in four chunks.",
      ["version 1", "extended", "compacted"],
      one(compacted(zstd, walk())),
    ),
    of(
      "plain",
      "The plain profile: no checksums.",
      ["version 1", "plain", "compacted"],
      one(compacted(zstd, walk(), { profile: "plain", level: 3 })),
    ),
    of(
      "columns",
      "Its chunks in columns, for readers that know them (flag 3).",
      ["version 1", "extended", "compacted", "columns"],
      one(compacted(zstd, walk(), { columns: true })),
    ),
    of(
      "gaps",
      "Bytes between the chunks that belong to none.",
      ["version 1", "extended", "gaps"],
      one(compacted(zstd, walk(), { gap: 9 })),
    ),
    of(
      "behind",
      "Bytes behind the last chunk.",
      ["version 1", "extended", "bytes behind"],
      one(joined([compacted(zstd, walk()), new Uint8Array(33)])),
    ),
    of("empty", "No chunk.", ["version 1", "extended", "no messages"], one(compacted(zstd, { chunks: [] }))),
    of(
      "stretches",
      "Chunks without an event, one of ten minutes.",
      ["version 1", "extended", "empty chunks"],
      one(compacted(zstd, { chunks: stretch })),
    ),
    of(
      "epochs",
      "Two epochs: a block is renamed, host events are renumbered, one event is unknown.",
      ["version 1", "extended", "epochs", "host events"],
      one(compacted(zstd, twoEpochs())),
    ),
    of(
      "dictionary",
      "Compressed with a zstd dictionary, which lies beside it.",
      ["version 1", "extended", "dictionary"],
      { ...one(compacted(zstd, walk(), { dictionary })), [`${DICTIONARY_ID}.dict`]: dictionary.bytes },
    ),
    of(
      "segmented",
      "A metadata file and two segments.",
      ["version 1", "extended", "segmented"],
      segmented(zstd, walk(), 2, { level: 3 }),
    ),
    of(
      "segmented-plain",
      "The same in the plain profile.",
      ["version 1", "plain", "segmented"],
      segmented(zstd, walk(), 3, { profile: "plain" }),
    ),
    of(
      "production-4",
      "A run in format 4 of the production dialect.",
      ["production 4", "compacted"],
      one(production(zstd, 4, productionRun(4))),
    ),
    of(
      "production-5",
      "The same in format 5.",
      ["production 5", "compacted"],
      one(production(zstd, 5, productionRun(5))),
    ),
  ];
}

async function mcap(): Promise<Made[]> {
  const cases: Made[] = [];
  for (const [name, layout] of Object.entries(LAYOUTS)) {
    cases.push({
      id: `mcap/${name.replaceAll(/[ ,]+/g, "-")}`,
      about: `A robot that drives for two seconds: ${name}.`,
      features: Object.entries(layout).map(([key, value]) => `${key} ${String(value)}`),
      files: { "drive.mcap": await makeMcap(drive(2), layout) },
    });
  }
  const nothing = await makeMcap({ channels: [], messages: [] }, { chunk: 5 });
  return [
    ...cases,
    { id: "mcap/empty", about: "No message.", features: ["no messages"], files: { "drive.mcap": nothing } },
  ];
}

function mira(): Made[] {
  const whole = patrol();
  const content: Content = { ...whole, messages: whole.messages.slice(0, 28) };
  const readings: readonly (readonly [name: string, about: string, writing: Partial<Writing>])[] = [
    ["recommended", "The reading of the open points that fits most.", {}],
    ["big-endian", "Numbers with the highest byte first.", { isLittle: false }],
    ["sizes-with-header", "Sizes of chunks count their headers.", { sizeIncludesHeader: true }],
    ["spanning-blocks", "A block's size spans its contents.", { blockSpans: true }],
    ["header-24", "A header of 24 bytes: no zone.", { headerBytes: 24 }],
    ["header-20", "A header of 20 bytes: no start, no zone.", { headerBytes: 20 }],
    ["header-48", "A header of 48 bytes, 16 of them unknown.", { headerBytes: 48 }],
    ["pointers-to-payload", "Pointers lead behind the headers of chunks.", { pointers: "payload" }],
    ["inside-from-block", "Places inside a block count from its header.", { insideBase: "block-header" }],
    ["inside-to-payload", "Places inside a block lead behind the header of the message.", { insideTarget: "payload" }],
    ["block-size-with-header", "The size that a block tells counts its header.", { blockSize: "with-block-header" }],
    [
      "creation-order",
      "Index tables and channels in the order of their creation.",
      { indexOrder: "creation", nextOrder: "creation" },
    ],
    ["data-size-uncompressed", "Channels tell their size before compression.", { dataSize: "uncompressed" }],
    [
      "everything-else",
      "All of the other readings at once.",
      {
        isLittle: false,
        sizeIncludesHeader: true,
        blockSpans: true,
        pointers: "payload",
        insideBase: "block-payload",
        insideTarget: "payload",
        blockSize: "payloads",
        indexOrder: "creation",
        nextOrder: "name",
        dataSize: "uncompressed",
      },
    ],
    ["one-block", "All messages in one block.", { maxBlock: 1 << 20 }],
    [
      "unknown-codec",
      "Payloads in an unknown compression.",
      { compress: (bytes) => deflateZlib(bytes).map((byte) => byte ^ 0x5a) },
    ],
    ["unclosed", "The recorder died: no index, no counts.", { end: "unclosed" }],
    ["no-index", "Closed, but without index tables.", { end: "no-index" }],
  ];
  const options = { compress: (bytes: Uint8Array) => deflateZlib(bytes, 9), maxBlock: 2000 };
  return [
    ...readings.map(([name, about, writing]) => ({
      id: `mira/${name}`,
      about,
      features: Object.entries(writing).map(([key, value]) =>
        typeof value === "function" ? key : `${key} ${String(value)}`,
      ),
      files: { "robot.tape": makeTape(content, { ...options, ...writing }) },
    })),
    {
      id: "mira/empty",
      about: "A header alone.",
      features: ["no messages"],
      files: { "robot.tape": makeTape({ ...content, messages: [] }, options) },
    },
  ];
}

function nanover(): Made[] {
  const options = { seconds: 3.4, rate: 3, isTimed: false, switchAt: 0.6 };
  const moments = makeMoments(options).map(fewAtoms);
  const timed = makeMoments({ ...options, isTimed: true }).map(fewAtoms);
  const pair: Moment[] = [];
  for (const moment of moments) {
    const last = pair.at(-1);
    if (moment.frame !== undefined && last?.frame === undefined && last?.state !== undefined) {
      pair[pair.length - 1] = { ...last, frame: moment.frame };
    } else pair.push(moment);
  }
  const [traj, state] = [trajOf(moments), stateOf(moments)];
  const shuffled = (entries: Entry[]): Entry[] => entries.map((_, i) => entries[(i * 7) % entries.length]!);
  const of = (name: string, about: string, features: readonly string[], files: CaseFiles): Made => ({
    id: `nanover/${name}`,
    about,
    features,
    files,
  });
  const zip = (name: string, about: string, feature: string, bytes: Uint8Array): Made =>
    of(name, about, feature === "" ? ["zip"] : ["zip", feature], { "run.nanover.zip": bytes });
  return [
    of(
      "pair",
      "Frames and state updates of version 2: a molecule is pulled at, then another is shown.",
      ["version 2", "traj", "state"],
      { "run.traj": traj, "run.state": state },
    ),
    of("pair-from-state", "The same, opened by its state.", ["version 2", "traj", "state"], {
      "run.state": state,
      "run.traj": traj,
    }),
    of("pair-swapped", "The two names exchanged.", ["version 2", "traj", "state", "swapped names"], {
      "run.traj": state,
      "run.state": traj,
    }),
    of("traj", "Frames of version 2 alone.", ["version 2", "traj"], { "run.traj": traj }),
    of("state", "State updates of version 2 alone.", ["version 2", "state"], { "run.state": state }),
    of("header", "A header alone.", ["version 2", "no messages"], { "run.traj": traj.slice(0, 16) }),
    of("traj-1", "Frames of version 1: no header, no indices.", ["version 1", "traj"], {
      "run.traj": trajOf(moments, 1),
    }),
    of("state-1", "State updates of version 1.", ["version 1", "state"], { "run.state": stateOf(moments, 1) }),
    of("pair-1", "Both of version 1.", ["version 1", "traj", "state"], {
      "run.traj": trajOf(moments, 1),
      "run.state": stateOf(moments, 1),
    }),
    zip("zip", "An archive as NanoVer lays it out.", "", zipOf(timed)),
    zip("zip-deflated", "Members deflated.", "deflate", zipOf(moments, { isDeflated: true })),
    zip("zip-64", "Sizes, place and end record in their 64-bit forms.", "zip64", zipOf(moments, { isZip64: true })),
    zip("zip-index-first", "The index in front of the messages.", "index first", zipOf(moments, { indexFirst: true })),
    zip("zip-extra", "Other members in front and behind.", "other members", zipOf(moments, { extra: true })),
    zip("zip-joined", "A frame and a state update in one message.", "joined messages", zipOf(pair)),
    zip("zip-no-types", "An index without types.", "no types", zipOf(pair, { omit: "types" })),
    zip(
      "zip-no-frame-indices",
      "An index without frame indices.",
      "no frame indices",
      zipOf(moments, { omit: "frame.index" }),
    ),
    zip("zip-shuffled", "Index entries in any order.", "shuffled entries", zipOf(moments, { entries: shuffled })),
    zip(
      "zip-subset",
      "An index of some messages, at times that are not whole.",
      "subset",
      zipOf(moments, {
        entries: (all) =>
          all.filter((_, i) => i % 3 !== 1).map((entry) => ({ ...entry, timestamp: entry.timestamp! / 3 })),
      }),
    ),
  ];
}

/** Atoms that the recordings of NanoVer keep of each molecule. */
const ATOMS = 3;

function fewAtoms(moment: Moment): Moment {
  if (moment.frame === undefined) return moment;
  const frame: Record<string, Frame[string]> = { ...moment.frame };
  for (const [name, perAtom] of [
    ["particle.elements", 1],
    ["particle.names", 1],
    ["particle.residues", 1],
    ["particle.positions", 3],
  ] as const) {
    const value = frame[name] as Uint8Array | undefined;
    if (value !== undefined) frame[name] = value.slice(0, ATOMS * perAtom);
  }
  if (frame["particle.count"] !== undefined) frame["particle.count"] = ATOMS;
  const pairs = frame["bond.pairs"] as Uint32Array | undefined;
  if (pairs !== undefined) {
    const kept: number[] = [];
    for (let i = 0; i < pairs.length; i += 2) {
      if (pairs[i]! < ATOMS && pairs[i + 1]! < ATOMS) kept.push(pairs[i]!, pairs[i + 1]!);
    }
    frame["bond.pairs"] = Uint32Array.from(kept);
  }
  return { ...moment, frame };
}
