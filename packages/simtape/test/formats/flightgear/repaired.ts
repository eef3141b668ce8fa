import { expect } from "vitest";
import type { FlightGearReader } from "../../../src/formats/flightgear/read/reader.ts";
import { repair } from "../../../src/formats/flightgear/repair/repair.ts";
import { check, type Finding, MemoryFiles, Recording } from "../../../src/index.ts";
import { Findings } from "../../../src/model/error.ts";
import { readerOf } from "./specimens.ts";

/** What came out of a repair, and what it reported. */
export interface Repaired {
  readonly bytes: Uint8Array;
  readonly reader: FlightGearReader;
  readonly lost: Finding[];
  readonly rebuilt: Finding[];
}

/** Repairs and checks that what came out is sound. */
export async function repaired(damaged: Uint8Array, reported = ""): Promise<Repaired> {
  const files = new MemoryFiles();
  const lost: Finding[] = [];
  const rebuilt: Finding[] = [];
  await repair(await readerOf(damaged), files, {
    lost: (finding) => lost.push(finding),
    rebuilt: (finding) => rebuilt.push(finding),
  });
  const findings = new Findings();
  const reader = await readerOf(files.bytes, findings);
  const { status, findings: found } = await check(new Recording(reader, findings));
  expect(status, `${reported} ${JSON.stringify(found)}`).toBe("sound");
  return { bytes: files.bytes, reader, lost, rebuilt };
}
