import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { SECTION, writePalettes } from "../../src/formats/hcrp/layout/chunk.ts";
import { EVENT } from "../../src/formats/hcrp/layout/events.ts";
import { writeChat, writePaletteAdd } from "../../src/formats/hcrp/layout/world-events.ts";
import { open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { epochs } from "../fixtures/hcrp/make.ts";
import { built, compacted, event } from "../fixtures/hcrp/recording.ts";
import { loadZstd } from "../../src/kit.ts";
import { PayloadSet } from "../../src/ops/edit/payload-set.ts";
import { mustBeWithout } from "../../src/ops/edit/scan.ts";
import { BookReader, type BookState } from "../support/hcrp-by-the-book.ts";
import { simtape, temporaryFile } from "./run.ts";

const zstd = await loadZstd();
const fixture = (path: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../fixtures/${path}`, import.meta.url)));
const race = temporaryFile("race.hcrp", fixture("hcrp/tower-race.hcrp"));

function fresh(name: string): string {
  return join(mkdtempSync(join(tmpdir(), "simtape-test-")), name);
}

function book(path: string): BookReader {
  const bytes = new Uint8Array(readFileSync(path));
  return BookReader.open(bytes, (frame, size) => zstd.decompress(frame, { size, allowUnknownSize: true }));
}

/** All that is in a file, chunks inflated. */
function contentOf(path: string): Buffer {
  const { metadata, chunks } = book(path);
  return Buffer.concat([metadata, ...chunks.map(({ raw }) => raw)]);
}

async function valuesOf(path: string, channel: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await simtape(["cat", path, "-c", channel]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as { value: Record<string, unknown> }).value);
}

async function made(...words: string[]): Promise<string> {
  const to = fresh("out.hcrp");
  const { exit, stderr } = await simtape([words[0]!, words[1]!, to, ...words.slice(2)]);
  expect([exit, stderr]).toEqual([0, ""]);
  return to;
}

function position(state: BookState, id: string | number): unknown {
  return (state.bodies[Number(id)] as { position: unknown } | undefined)?.position;
}

describe("a redacted recording", () => {
  test("has no text of the chat that was taken out, wherever it stood", async () => {
    const said = (await valuesOf(race, "chat")).map((value) =>
      Object.values(value).find((one) => typeof one === "string"),
    );
    expect(said.length).toBe(8);
    const to = await made("redact", race, "-c", "chat");
    const content = contentOf(to);
    for (const text of said as string[]) {
      expect(contentOf(race).includes(text)).toBe(true);
      expect(content.includes(text), text).toBe(false);
    }
    expect(content.includes("Elif: checkpoint 1")).toBe(true);
    expect((await simtape(["cat", to, "-c", "palette-add", "-c", "chat"])).stdout).not.toContain(said[0]);
  });

  test("has no mark in its metadata that was taken out of its messages", async () => {
    const content = contentOf(await made("redact", race, "-c", "mark"));
    for (const label of ["warm-up", "checkpoint 1", "reset", "finish"])
      expect(content.includes(`: ${label}`) || content.includes(`${label}\0`), label).toBe(false);
  });

  test("has no player's name and id when nothing that is kept says them", async () => {
    const content = contentOf(
      await made(
        "redact",
        race,
        ...["spawn", "join", "snapshot", "chat", "mark", "palette-add"].flatMap((name) => ["-c", name]),
      ),
    );
    for (const name of ["Amaya", "Bo_Jumps", "cedar", "Elif"]) expect(content.includes(name), name).toBe(false);
    expect(content.includes(Buffer.from("5a1e0c713b2d4f618c90e4d2a7b6f001", "hex"))).toBe(false);
  });

  test("is not written at all when a text would be left", async () => {
    const name = "Elif fell and is back at checkpoint 3";
    const source = temporaryFile(`${name}.hcrp`, readFileSync(race));
    const to = fresh("out.hcrp");
    const { exit, stderr } = await simtape(["redact", source, to, "-c", "chat"]);
    expect(exit).toBe(1);
    expect(stderr).toContain("would still be in the result, so it was not written");
    expect(existsSync(to)).toBe(false);
    expect(readdirSync(dirname(to))).toEqual([]);
  });

  test("carries no original", async () => {
    const tape = temporaryFile("patrol.tape", fixture("mira/patrol.tape"));
    const hub = await made("convert", tape);
    expect((await valuesOf(hub, "simtape:original")).length).toBeGreaterThan(0);
    for (const command of [
      ["redact", hub, "-c", "simtape:value", "--until", "1s"],
      ["filter", hub, "--exclude", "simtape:value"],
    ]) {
      const { exit, stdout } = await simtape(["cat", await made(...command), "-c", "simtape:original"]);
      expect([exit, stdout]).not.toEqual([0, expect.stringContaining("sequence")]);
    }
  });

  test("has everything where it was, behind the moves that were taken out and before them", async () => {
    const whole = [...book(race).states()];
    const cut = [...book(await made("redact", race, "-c", "move", "--from", "31s", "--until", "33s")).states()];
    expect(cut.length).toBe(whole.length);
    cut.forEach((state, tick) => {
      if (tick < 620 || tick >= 660) expect(JSON.stringify(state), `tick ${tick}`).toBe(JSON.stringify(whole[tick]));
    });
    expect(JSON.stringify(cut[640])).not.toBe(JSON.stringify(whole[640]));
  });
});

describe("a filtered recording", () => {
  test("has moves that lead where they led, without what they counted from", async () => {
    const whole = [...book(race).states()];
    const without = [...book(await made("filter", race, "--exclude", "place", "--exclude", "chat")).states()];
    expect(without.length).toBe(whole.length);
    const moved = new Map<string, Set<number>>();
    for (const line of (await simtape(["cat", race, "-c", "move"])).stdout.split("\n").filter(Boolean)) {
      const { time, value } = JSON.parse(line) as { time: number; value: { entity: number } };
      const id = String(value.entity);
      moved.set(id, (moved.get(id) ?? new Set()).add(time / 5e7));
    }
    for (const [id, ticks] of moved)
      for (const tick of ticks)
        expect(position(without[tick]!, id), `${id} at ${tick}`).toEqual(position(whole[tick]!, id));
    expect(contentOf(race).includes("fell and is back")).toBe(true);
  });
});

describe("a recording from which an edit of before took chat and left its texts in the palettes", () => {
  const text = (entry: string): Uint8Array => new TextEncoder().encode(entry);
  const texts = [text("secret of the snapshot"), text("said"), text("short")];
  const palettes = built((out) => writePalettes(out, [[], [], [], [], [], texts]));
  const events = [
    event(EVENT.paletteAdd, (out) => writePaletteAdd(out, { kind: 5, entry: text("secret of an event") })),
    event(EVENT.paletteAdd, (out) => writePaletteAdd(out, { kind: 5, entry: text("said again") })),
    event(EVENT.chat, (out) => writeChat(out, { kind: 0, sender: null, text: 2 })),
    event(EVENT.chat, (out) => writeChat(out, { kind: 0, sender: null, text: 5 })),
  ];
  const snapshot = [{ type: SECTION.palettes, body: palettes }];
  const chunk = { ticks: 5, snapshot, records: [{ tick: 1, events }] };
  const left = temporaryFile("left.hcrp", compacted(zstd, { chunks: [chunk, chunk], metadata: epochs([1]) }));

  test("is found to have them, short ones too, by who looks for what was taken out", async () => {
    await using recording = await open(fromFile(left));
    const nothing = { payloads: new PayloadSet(), messages: new Map(), made: new Set<string>() };
    const refused = (...gone: string[]): Promise<unknown> =>
      mustBeWithout(recording, fromFile(left), [text("a note with a secret")], { ...nothing, gone: new Set(gone) }, []);
    for (const gone of ["secret of the snapshot", "secret of an event", "short", "note with a"])
      await expect(refused(gone), gone).rejects.toThrow("a text of the redacted messages would still be in the result");
    await refused("said", "said again", "nowhere at all", "not");
  });

  test.each([
    ["copied again", ["copy", left, "--rewrite"]],
    ["filtered", ["filter", left, "--exclude", "mark"]],
    ["trimmed", ["trim", left, "--until", "450ms"]],
    ["compacted", ["compact", left]],
  ])("is without them when it is %s", async (_, command) => {
    expect(contentOf(left).includes("secret")).toBe(true);
    const to = await made(...command);
    expect(contentOf(to).includes("secret")).toBe(false);
    const said = (await valuesOf(to, "chat")).map((value) =>
      Object.values(value).find((one) => typeof one === "string"),
    );
    expect(said).toEqual(["said", "said again", "said", "said again"]);
  });
});
