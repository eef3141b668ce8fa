import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { fromFile, toFile } from "simtape/node";
import { changeMetadata, writeVerdict } from "simtape/record";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { keepNote } from "../../src/serve/notes.ts";
import { pointsOf } from "../../src/serve/points.ts";
import { reviewOf } from "../../src/serve/review.ts";
import type { Stored } from "../../src/stored/recordings.ts";
import { Folder } from "../support/demo.ts";

const folder = new Folder();
let stored: Stored;
let count = 0;

beforeAll(() => {
  folder.withRace();
});

afterAll(() => folder[Symbol.dispose]());

beforeEach(() => {
  const path = folder.at(`race-${++count}.hcrp`);
  copyFileSync(folder.at("race.hcrp"), path);
  stored = { title: `race-${count}`, path, root: path };
});

async function uuidOf(name: string): Promise<string | null> {
  const { at } = (await pointsOf(stored))[0]!;
  await keepNote(stored, { at, kind: "report", text: `${name} is here` });
  return (await reviewOf(stored))!.suspect;
}

test("points are the marks of a recording and all notes, as they are now", async () => {
  const before = await pointsOf(stored);
  expect(before[1]).toMatchObject({ at: 3e9, kind: "bookmark", text: "race 1" });
  const notes = ["a", "b", "c"].map((text, i) => ({ at: i * 1e9, kind: "note", text }));
  await Promise.all(notes.map((note) => keepNote(stored, note)));
  const after = await pointsOf(stored);
  expect(after).toHaveLength(before.length + 3);
  expect(after.filter(({ kind }) => kind === "note").map(({ text }) => text)).toEqual(["a", "b", "c"]);
  // the same note again is the same note
  await keepNote(stored, notes[0]!);
  expect(await pointsOf(stored)).toEqual(after);
});

test("what is no list of notes is left as it is", async () => {
  const beside = `${stored.path}.provenance.json`;
  writeFileSync(beside, "mine");
  await expect(keepNote(stored, { at: 0, kind: "note", text: "a" })).rejects.toThrow("move it elsewhere");
  expect(readFileSync(beside, "utf8")).toBe("mine");
});

test("a recording of which nothing was reported has no review", async () => {
  expect(await reviewOf(stored)).toBeNull();
});

test("a review begins before the report, with the player that its words name first", async () => {
  await keepNote(stored, { at: 12e9, kind: "review", text: "Elfox watches" });
  await keepNote(stored, { at: 20e9, kind: "report", text: "well, kasam: flies (reported by Mizel)" });
  expect(await reviewOf(stored)).toMatchObject({ from: 15e9, point: { at: 20e9 }, suspect: await uuidOf("Kasam") });
});

test("who the metadata say was reported counts before the words", async () => {
  const uuid = await uuidOf("Mizel");
  const values = { reports: [{ subject: { uuid: uuid!, name: "renamed" }, reason: "Elfox saw it" }] };
  await changeMetadata(fromFile(stored.path), toFile(stored.path), { values });
  await keepNote(stored, { at: 2e9, kind: "report", text: "Elfox saw it" });
  expect(await reviewOf(stored)).toMatchObject({ from: 0, suspect: uuid });
});

test("a verdict of the server is reviewed, at its first mark", async () => {
  const verdict = { id: "r1", verdict: "fly", remark: "", subject: "Eldar", judge: "Anna", at: 0 };
  const marks = [{ time: 30e9, thing: null, label: "here", severity: 0 }];
  await writeVerdict(fromFile(stored.path), toFile(stored.path), { ...verdict, marks });
  expect(await reviewOf(stored)).toMatchObject({ from: 25e9, point: { kind: "review", text: "here" } });
  expect((await reviewOf(stored))!.suspect).toBe(await uuidOf("Eldar"));
});

test("a note of one who is in the recording, too, is not about its author", async () => {
  await keepNote(stored, { at: 20e9, kind: "review", text: "Elfox: look here" });
  expect(await reviewOf(stored)).toMatchObject({ from: 15e9, suspect: null });
});

test("a player who is not in it has no eyes", async () => {
  await keepNote(stored, { at: 20e9, kind: "report", text: "Herobrine flies" });
  expect(await reviewOf(stored)).toMatchObject({ from: 15e9, suspect: null });
});
