import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Engine } from "../../src/engine/engine.ts";
import { message } from "../../src/engine/messages.ts";
import { outline, record } from "../../src/engine/records.ts";
import { fieldClasses, holderOf, ownersOf, sayingAt } from "../../src/inspect/field-colors.ts";
import type { NamedBytes, NamedField, Opened, RecordBytes } from "../../src/protocol.ts";
import { example } from "../support/viewer.ts";

const EXAMPLES = ["buckyball.nanover.zip", "flight.fgtape", "patrol.tape", "race.hcrp", "town.log"] as const;
const { signal } = new AbortController();
const ignore = (): void => undefined;

async function opened(name: string): Promise<{ engine: Engine; known: Opened }> {
  const engine = new Engine();
  const file = new File([new Uint8Array(readFileSync(example(name)))], name);
  return { engine, known: await engine.open({ kind: "files", name, files: [file] }, signal, ignore) };
}

/** The first record of a kind. */
async function first(name: string, kind: string): Promise<RecordBytes> {
  const { engine, known } = await opened(name);
  const { recording } = known;
  const { kind: kinds } = await outline(
    engine,
    { recording, limit: 1e6, end: Number.POSITIVE_INFINITY },
    signal,
    ignore,
  );
  return (await record(engine, { recording, index: kinds.indexOf(kind) }, signal, ignore))!;
}

function text({ fields }: NamedBytes, name: string): string | undefined {
  return fields.find((field) => field.name === name)?.text;
}

function expectCover({ bytes, fields }: NamedBytes): void {
  let at = 0;
  for (const { start, end } of fields) {
    expect(start).toBe(at);
    at = end;
  }
  expect(at).toBe(bytes.length);
}

describe("what the worker hands out of a record", () => {
  test.each(EXAMPLES)("is its own, and named to the last byte, in %s", async (name) => {
    const { engine, known } = await opened(name);
    const { recording } = known;
    const { kind, length } = await outline(
      engine,
      { recording, limit: 1e6, end: Number.POSITIVE_INFINITY },
      signal,
      ignore,
    );
    for (const each of new Set(kind)) {
      const index = kind.indexOf(each);
      const found = structuredClone((await record(engine, { recording, index }, signal, ignore))!);
      expect(found.length).toBe(length[index]);
      expectCover(found);
      if (found.contents !== null) expectCover(found.contents);
      expect([each, found.fields.filter(({ role }) => role === "unknown")]).toEqual([each, []]);
    }
  });

  test("has names, texts and units", async () => {
    expect(text(await first("town.log", "position"), "[0].location.x")).toBe("5000");
    expect(text(await first("patrol.tape", "message"), "pose.x")).toBe("3");
    const flight = await first("flight.fgtape", "frame");
    expect(flight.fields[0]).toMatchObject({ name: "time", end: 8, note: "s" });
    expect(text(await first("race.hcrp", "header"), "tickCount")).toBe("900");
    expect(text((await first("race.hcrp", "chunk")).contents!, "ticks[0].tick")).toBe("0");
  });

  test("is so of a message, too", async () => {
    const { engine, known } = await opened("buckyball.nanover.zip");
    const { recording } = known;
    const batches = engine.recording(recording).batches({ channels: [engine.recording(recording).channel("frame")] });
    for await (const { time, sequence } of batches) {
      const ask = { recording, time: time[0]!, sequence: sequence[0]! };
      const found = structuredClone((await message(engine, ask, signal, ignore))!);
      expectCover(found);
      const positions = found.fields.find(({ name, role }) => role === "value" && name.endsWith("particle.positions"))!;
      expect(positions.items).toBeInstanceOf(Float32Array);
      expect(sayingAt(positions, positions.start + 13)).toMatch(/^\[3\] = -?[\d.]+ nm$/);
      break;
    }
  });
});

describe("colours", () => {
  const field = (name: string, role: NamedField["role"], start: number): NamedField => {
    return { name, role, start, end: start + 2, text: "", note: null, items: null };
  };
  const fields = [
    field("count", "frame", 0),
    field("[0].id", "value", 2),
    field("[0].location.x", "value", 4),
    field("[0].location.y", "value", 6),
    field("[0].name.length", "frame", 8),
    field("[0].location.z", "value", 10),
    field("/position/latitude-deg", "value", 12),
    field("not understood", "unknown", 14),
  ];

  test("go together for what belongs together, and neighbours differ", () => {
    const classes = fieldClasses(fields);
    const hues = classes.map((one) => /field-value-(\d)/.exec(one)?.[1] ?? null);
    expect(hues).toEqual([null, "0", "1", "1", null, "1", "2", null]);
    for (const [i, one] of classes.entries()) expect(one).not.toBe(classes[i - 1]);
    expect(classes[7]).toContain("field-unknown");
  });

  test("are by what holds a field", () => {
    expect(fields.map(({ name }) => holderOf(name))).toEqual([
      ...["", "[0]", "[0].location", "[0].location", "[0].name", "[0].location", "/position", ""],
    ]);
    expect(holderOf("color[3]")).toBe("color");
  });

  test("each byte knows its field", () => {
    expect([...ownersOf(fields, 18)]).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 0, 0]);
  });
});
