import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { expect, test } from "vitest";
import { subjectsOf } from "../../src/scene/profiles.ts";
import { Folder } from "../support/demo.ts";

const BIN = fileURLToPath(new URL("../../bin/simtape-mc.js", import.meta.url));

test("the demo plays, records and shows, and ends cleanly with Ctrl+C", async () => {
  using folder = new Folder();
  const demo = spawn(process.execPath, [BIN, "demo", "--store", folder.path, "--json"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(demo, "exit");
  const said: string[] = [];
  const players = new Promise<void>((resolve) => {
    createInterface(demo.stderr).on("line", (line) => {
      said.push(line);
      if (said.filter((one) => one.endsWith(" plays")).length === 4) resolve();
    });
  });
  const [line] = (await once(createInterface(demo.stdout), "line")) as [string];
  expect(JSON.parse(line)).toMatchObject({ game: expect.stringMatching(/^127\.0\.0\.1:\d+$/), store: folder.path });
  await Promise.race([players, ended]);
  await new Promise((resolve) => {
    setTimeout(resolve, 3000);
  });
  demo.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
  const text = said.join("\n");
  const id = /recording (\S+)/.exec(text)?.[1];
  expect(text).toMatch(/: \d+ ticks/);
  // all four were there, and have paved some of their way
  const info = JSON.parse(folder.simtape("info", `${folder.path}/${id}`, "--json")) as {
    channels: readonly { name: string; messages: number }[];
  };
  const count = (name: string): number => info.channels.find((channel) => channel.name === name)!.messages;
  await using recording = await open(fromFile(`${folder.path}/${id}/meta.hcrp`));
  expect(subjectsOf(recording).size).toBe(4);
  expect(count("set-block") + count("set-blocks")).toBeGreaterThan(0);
  expect(count("move")).toBeGreaterThan(20);
});
