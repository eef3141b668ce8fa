import { ByteCursor } from "../../bytes/cursor.ts";
import type { Format } from "../../model/reader.ts";
import type { DictionaryLookup } from "./dictionary.ts";
import { FORMAT_ID, MAGIC } from "./layout.ts";
import type { NameFixer, NameKind } from "./names.ts";
import { isSegment } from "./segments.ts";

export interface HypercubeOptions {
  /** Where zstd dictionaries come from; without it recordings that need one are refused. */
  readonly dictionaries?: DictionaryLookup | undefined;
  /**
   * Brings names of the game up to date, in state and in values, where a chunk's data version is not the newest of its
   * recording; without it they stay as they were recorded. Payloads are never changed.
   */
  readonly fixer?: NameFixer | undefined;
}

/** The format with its dictionaries. */
export function createHypercube(options: HypercubeOptions = {}): Format {
  return {
    id: FORMAT_ID,
    name: "HCRP",
    extensions: ["hcrp"],
    // a header whose first bytes are damaged may be put right, or made again from segments
    sniff: (head, { name }) =>
      isRecording(head) || isSegment(head) ? "certain" : name?.endsWith(".hcrp") === true ? "possible" : null,
    // what reads and what writes is loaded on use
    open: async (from, report, open) =>
      (await import("./reader.ts")).HypercubeReader.open(
        from,
        report,
        open,
        options.dictionaries ?? null,
        options.fixer ?? null,
      ),
    writing: async () => (await import("./writing.ts")).writing,
  };
}

function isRecording(head: Uint8Array): boolean {
  return head.length >= 4 && new ByteCursor(head).u32be() === MAGIC;
}

/** HCRP recordings of a Minecraft server: version 1, and versions 4 and 5 of the production dialect. */
export const hypercube: Format = createHypercube();

export type { DictionaryLookup, NameFixer, NameKind };
