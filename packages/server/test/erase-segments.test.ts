import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { json, startNode, until } from "./support/node.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-erase-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [NAME, ID] = ["Amalia", "71d87f3f-df6e-496b-8876-c1cda9d934ca"];

/** Two players who run, and say who they are, in several segments. */
function lines(): string {
  const players = [
    { id: "a", uuid: ID, name: NAME },
    { id: "b", uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Steve" },
  ];
  const text: unknown[] = [{ simtape: 1 }, { tick: 0 }];
  for (const player of players) text.push({ join: { ...player, at: [0, 64, 0] } }, { subject: player });
  for (let tick = 1; tick < 900; tick++) {
    text.push({ tick });
    for (const { id } of players) text.push({ move: { id, at: [tick / 10, 64, 0] } });
    if (tick % 300 === 0) text.push({ chat: { text: `${NAME} is here`, from: "a" } }, { commit: true });
  }
  return [...text, { end: "completed" }].map((line) => `${JSON.stringify(line)}\n`).join("");
}

test("erasing a player of a recording in segments leaves no segment with the name", async () => {
  const library = join(folder, "library");
  const recording = join(library, "run");
  await printed(["record", recording], lines());
  expect(readdirSync(recording).filter((name) => name.endsWith(".hcs")).length).toBeGreaterThan(0);
  const node = await startNode([library]);
  try {
    const { recordings } = await until(
      () => json<{ recordings: { id: string; state: string }[] }>(node.address, "/api/recordings"),
      (page) => page.recordings[0]?.state === "indexed",
    );
    const asked = await json<{ page: string }>(node.address, `/api/subjects/${ID}/erase`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ also: [NAME] }),
    });
    const { report } = await until(
      () => json<{ state: string; report: { isComplete: boolean; outcomes: unknown } }>(node.address, asked.page),
      ({ state }) => state === "done",
    );
    expect(report).toMatchObject({ isComplete: true, outcomes: [{ recording: recordings[0]!.id, did: "redacted" }] });
  } finally {
    await node.stop();
  }
  expect(readdirSync(recording).filter((name) => !name.startsWith("."))).toEqual(["meta.hcrp"]);
  const path = join(recording, "meta.hcrp");
  expect(await printed(["verify", path])).toContain("sound");
  const all =
    (await printed(["cat", path, "--json"])) +
    (await printed(["meta", "get", path])) +
    (await printed(["state", path, "--at", "100%"]));
  expect(all).not.toContain(NAME);
  expect(all).not.toContain(ID);
  expect(all).toContain("Steve");
});
