import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Engine } from "../../src/engine/engine.ts";
import { outline, record } from "../../src/engine/records.ts";
import { dissect } from "../../src/inspect/dissect/dissect.ts";
import type { Field } from "../../src/inspect/dissect/fields.ts";
import type { Opened, RecordBytes } from "../../src/protocol.ts";
import { example } from "../support/viewer.ts";

const EXAMPLES = ["buckyball.nanover.zip", "flight.fgtape", "patrol.tape", "race.hcrp", "town.log"] as const;
const { signal } = new AbortController();
const ignore = (): void => undefined;

async function opened(name: string): Promise<{ engine: Engine; known: Opened }> {
  const engine = new Engine();
  const file = new File([new Uint8Array(readFileSync(example(name)))], name);
  return { engine, known: await engine.open({ kind: "files", name, files: [file] }, signal, ignore) };
}

/** The first record of a kind, and its fields. */
async function first(name: string, kind: string): Promise<{ fields: readonly Field[]; found: RecordBytes }> {
  const { engine, known } = await opened(name);
  const { recording } = known;
  const { kind: kinds } = await outline(engine, { recording, limit: 1e6 }, signal, ignore);
  const found = (await record(engine, { recording, index: kinds.indexOf(kind) }, signal, ignore))!;
  return { found, fields: fieldsOf(known, found) };
}

function fieldsOf({ info }: Opened, { kind, bytes, signals }: RecordBytes): readonly Field[] {
  return dissect(kind, bytes, { format: info.format, metadata: info.metadata, signals });
}

function text(fields: readonly Field[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.text;
}

describe("the fields of a record", () => {
  test.each(EXAMPLES)("are all of it, without a gap, in %s; nothing is left unnamed", async (name) => {
    const { engine, known } = await opened(name);
    const { recording } = known;
    const { kind, length } = await outline(engine, { recording, limit: 1e6 }, signal, ignore);
    for (const each of new Set(kind)) {
      const found = (await record(engine, { recording, index: kind.indexOf(each) }, signal, ignore))!;
      const fields = fieldsOf(known, found);
      expect(found.length).toBe(length[kind.indexOf(each)]);
      let at = 0;
      for (const { start, end } of fields) {
        expect(start).toBe(at);
        at = end;
      }
      expect(at).toBe(found.bytes.length);
      if (each !== "zip-directory") expect([each, text(fields, "rest")]).toEqual([each, undefined]);
    }
  });

  test("are named", async () => {
    const town = (await first("town.log", "position")).fields;
    expect(text(town, "[0].location.x")).toBe("5000");
    expect(text(town, "[0].rotation.z")).toBe("90");
    const patrol = (await first("patrol.tape", "message")).fields;
    expect(text(patrol, "channel")).toBe("/robot/Odometry");
    expect(patrol.at(-1)).toMatchObject({ name: "payload", role: "payload" });
    const flight = (await first("flight.fgtape", "frame")).fields;
    expect(flight[0]).toMatchObject({ name: "time, s", end: 8 });
    expect(flight.some(({ name }) => name.includes("latitude-deg"))).toBe(true);
    const race = (await first("race.hcrp", "header")).fields;
    expect(text(race, "ticks")).toBe("900");
    const frame = (await first("buckyball.nanover.zip", "message")).fields;
    expect(frame.some(({ role }) => role === "value")).toBe(true);
  });

  test("of a compressed chunk are its messages, inflated", async () => {
    const { found } = await first("race.hcrp", "chunk");
    const { bytes, start, end } = found.contents!;
    expect(start.length).toBeGreaterThan(100);
    for (const [i, at] of start.entries()) expect(at).toBeLessThanOrEqual(end[i]!);
    expect(end.at(-1)).toBeLessThanOrEqual(bytes.length);
  });

  test("cover bytes of any kind, and end where these stop making sense", () => {
    const formats = fc.constantFrom("carla", "mira", "flightgear", "nanover", "hypercube");
    const kinds = fc.constantFrom(
      "header",
      "message",
      "index",
      "frame",
      "chunk",
      "position",
      "channel-info",
      "container",
    );
    fc.assert(
      fc.property(formats, kinds, fc.uint8Array({ maxLength: 200 }), (format, kind, bytes) => {
        const fields = dissect(kind, bytes, { format, metadata: { kind: "normal", generation: 2 }, signals: [] });
        expect(fields.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(bytes.length);
      }),
    );
  });
});
