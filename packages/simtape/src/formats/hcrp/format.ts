import { ByteCursor } from "../../bytes/cursor.ts";
import type { FileNames } from "../../model/format-files.ts";
import type { Format, FormatOption } from "../../model/format.ts";
import type { HcrpChannels } from "./chunk/channel-types.ts";
import type { DictionaryLookup } from "./chunk/dictionary.ts";
import { FORMAT_ID, MAGIC } from "./layout/framing.ts";
import type { NameFixer, NameKind } from "./chunk/names.ts";
import { isSegment } from "./read/segments.ts";

/** What recordings need beside their files. Everything is optional. */
export interface HcrpOptions {
  /** Where zstd dictionaries come from; without it recordings that need one are refused. */
  readonly dictionaries?: DictionaryLookup | undefined;
  /**
   * Brings names of the game up to date, in state and in values, where a chunk's data version is not the newest of its
   * recording; without it they stay as they were recorded. Payloads are never changed.
   */
  readonly fixer?: NameFixer | undefined;
  /**
   * The world that recordings are to be shown in, and its version: 16 bytes or text (spec §3). One that was made in
   * another world or version has the finding `other-world`: it can be shown without the world, or beside it.
   */
  readonly world?: { readonly id: string; readonly version?: string | Uint8Array | undefined } | undefined;
}

const DICTIONARY: FormatOption = {
  name: "dictionary",
  what: "trained zstd dictionary",
  help: "zstd dictionary of an HCRP recording that has no <id>.dict beside it",
  ending: ".dict",
  fileName: async (content) => (await import("./chunk/dictionary.ts")).dictionaryName(content),
};

/** Main files of a recording that is a folder: the metadata file, or what is there without it (spec §8). */
const MAINS: readonly string[] = ["meta.hcrp", "preamble.dat", "seg-00000000.hcs"];

/** Members of replays of ReplayMod, one of which is the first (samples/hypercube/cap8-flyingsquid-1.16.5.mcpr). */
const REPLAY_MEMBERS: readonly string[] = ["metaData.json", "recording.tmcpr", "recording.tmcpr.crc32", "markers.json"];
/** What a local header of a zip begins with, its length, and where it has that of its name (APPNOTE 4.3.7). */
const ZIP_MAGIC = 0x504b0304;
const LOCAL_HEADER = 30;
const NAME_LENGTH_AT = 26;

const FILES: FileNames = {
  folder: { mains: MAINS, dialect: "v1-segmented" },
  mayNeed: (main, name) =>
    MAINS.includes(main) ? /\.(hcrp|hcs|dat|dict)$/.test(name) : main.endsWith(".hcrp") && name.endsWith(".dict"),
};

/**
 * The format with its dictionaries. `Known` says what channels hold where more is known than `HcrpChannels` says: a
 * recording of version 1 with a host's event is of `HcrpEvents & { "race:lap": Uint8Array }`.
 */
export function createHcrp<Known extends object = HcrpChannels>(options: HcrpOptions = {}): Format<Known, "hcrp"> {
  return {
    id: FORMAT_ID,
    name: "HCRP",
    extensions: ["hcrp"],
    // what a function makes of names no text tells
    ...(options.fixer === undefined ? {} : { variant: null }),
    files: FILES,
    options: [DICTIONARY],
    // a header whose first bytes are damaged may be put right, or made again from segments
    sniff: (head, { name }) =>
      isRecording(head) || isSegment(head) ? "certain" : name?.endsWith(".hcrp") === true ? "possible" : null,
    advice: (head) =>
      isReplay(head)
        ? "a replay of ReplayMod or ServerReplay, which is converted first: simtape-mc import IN.mcpr OUT.hcrp"
        : null,
    // what reads and what writes is loaded on use
    open: async (from, report, open) => {
      const { dictionaries = null, fixer = null, world } = options;
      const { HcrpReader } = await import("./read/reader.ts");
      const reader = await HcrpReader.open(from, report, open, dictionaries, fixer);
      if (world !== undefined)
        (await import("./write/world-check.ts")).checkWorld(reader.preamble.head, world.id, world.version, report);
      return reader;
    },
    traits: async () => (await import("./traits.ts")).traits,
    writing: async () => (await import("./writing.ts")).writing,
  };
}

function isRecording(head: Uint8Array): boolean {
  return head.length >= 4 && new ByteCursor(head).u32be() === MAGIC;
}

/** Whether it begins as a zip whose first member is one that every `.mcpr` has. */
function isReplay(head: Uint8Array): boolean {
  if (head.length < LOCAL_HEADER || new ByteCursor(head).u32be() !== ZIP_MAGIC) return false;
  const nameLength = head[NAME_LENGTH_AT]! | (head[NAME_LENGTH_AT + 1]! << 8);
  const name = new TextDecoder("latin1").decode(head.subarray(LOCAL_HEADER, LOCAL_HEADER + nameLength));
  return REPLAY_MEMBERS.includes(name);
}

/** HCRP recordings of a Minecraft server: version 1, and versions 4 and 5 of the production dialect. */
export const hcrp: Format<HcrpChannels, "hcrp"> = createHcrp();

export type { DictionaryLookup, NameFixer, NameKind };
export type * from "./chunk/channel-types.ts";
