import { type Corruption, plan } from "../packages/simtape/src/ops/corrupt.ts";
import type { CaseFiles } from "../packages/simtape/src/testing/corpus.ts";
import type { CorruptionStep } from "../packages/simtape/src/testing/damage.ts";

/** How a sound case is to be damaged. */
export interface Harm {
  /** Id of the sound case. */
  readonly id: string;
  /** Name of the damaged case: its folder, inside the folder of the sound case. */
  readonly name: string;
  readonly about: string;
  readonly file: string;
  readonly steps: readonly CorruptionStep[];
}

/**
 * The sound cases that are damaged. `byHand`: every damage of `byHandOf`, or its first four. `seeds`: how many times
 * random damage is made. `spared`: bytes at the beginning that `byHandOf` leaves intact, because the header is most of
 * a small file.
 */
const BASES: Readonly<Record<string, readonly [byHand: "every" | "few", seeds: number, spared?: number]>> = {
  "carla/0.9.15": ["every", 3],
  "carla/0.10": ["few", 2],
  "flightgear/continuous": ["every", 3, 3700],
  "flightgear/continuous-deflated": ["few", 3, 3700],
  "flightgear/continuous-first": ["few", 0, 3700],
  "flightgear/normal-3-plain": ["few", 2, 3700],
  "flightgear/normal-3-multiplayer": ["few", 2],
  "hcrp/walk": ["every", 3],
  "hcrp/plain": ["few", 2],
  "hcrp/columns": ["few", 2],
  "hcrp/segmented": ["few", 2],
  "hcrp/production-5": ["few", 2],
  "mcap/chunks": ["every", 3],
  "mcap/chunks-in-zstd": ["few", 3],
  "mcap/no-chunks": ["few", 2],
  "mira/recommended": ["every", 3],
  "mira/everything-else": ["few", 2],
  "nanover/pair": ["every", 3],
  "nanover/traj-1": ["few", 2],
  "nanover/zip": ["every", 3],
  "nanover/zip-deflated": ["few", 2],
};

/** Every damage of a sound case; none for a case that is not in `BASES`. */
export function harmsOf(id: string, files: CaseFiles): Harm[] {
  const base = BASES[id];
  if (base === undefined) return [];
  const [byHand, seeds, spared = 0] = base;
  return Object.entries(files).flatMap(([file, bytes], i) => {
    const hand = byHandOf(bytes, i === 0 ? spared : 0);
    // A file beside the main one gets only the first two: a cut and a flipped bit.
    if (i > 0) {
      const prefix = file.replaceAll(".", "-");
      return hand
        .slice(0, 2)
        .map(([name, about, steps]) => ({ id, name: `${prefix}-${name}`, about: `In ${file}: ${about}`, file, steps }));
    }
    const chosen = [...(byHand === "every" ? hand : hand.slice(0, 4)), ...bySeed(bytes, seeds)];
    return chosen.map(([name, about, steps]) => ({ id, name, about, file, steps }));
  });
}

type Chosen = readonly [name: string, about: string, steps: readonly CorruptionStep[]];

function byHandOf(bytes: Uint8Array, spared: number): Chosen[] {
  const at = (part: number): number => spared + Math.floor((bytes.length - spared) * part);
  const rest = (offset: number): number => bytes.length - offset;
  const damage = (...corruptions: Corruption[]): CorruptionStep[] => [{ kind: "corrupt", seed: 1, corruptions }];
  const [early, middle, later] = [at(0.4), at(0.55), at(0.8)];
  return [
    ["cut", "cut off at two thirds.", damage({ kind: "cut", offset: at(2 / 3), length: rest(at(2 / 3)) })],
    ["flip", "one bit in the middle is flipped.", damage({ kind: "flip", offset: middle, length: 1 })],
    ["zeros", "170 bytes in the middle are zeros.", damage({ kind: "zero", offset: middle, length: 170 })],
    ["removed", "53 bytes are missing in the middle.", [{ kind: "remove", offset: middle, length: 53 }]],
    ["inserted", "41 bytes too many in the middle.", damage({ kind: "lengthen", offset: middle, length: 41 })],
    ["swapped", "two runs of 64 bytes have changed places.", damage({ kind: "swap", offset: middle, length: 64 })],
    ["end", "the last 9 bytes are missing.", damage({ kind: "cut", offset: bytes.length - 9, length: 9 })],
    ["tail", "zeros from four fifths on.", damage({ kind: "zero", offset: later, length: rest(later) })],
    [
      "two-places",
      "two places are hit.",
      damage({ kind: "flip", offset: early, length: 6 }, { kind: "flip", offset: later, length: 6 }),
    ],
  ];
}

function bySeed(bytes: Uint8Array, count: number): Chosen[] {
  return Array.from({ length: count }, (_, i) => {
    const seed = i + 1;
    const corruptions = plan(bytes.length, seed, 1 + (seed % 3));
    const about = `random damage: ${corruptions.map(({ kind, length }) => `${kind} ${length}`).join(", ")}.`;
    return [`seed-${seed}`, about, [{ kind: "corrupt", seed, corruptions }]] as const;
  });
}
