import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { SETTINGS } from "../src/settings.ts";
import { json, startNode, until } from "./support/node.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const deploy = join(root, "packages/server/deploy");
const page = readFileSync(join(root, "docs/operations.md"), "utf8");
const simtape = (...words: readonly string[]): Promise<string> => printed(words, "correct horse battery\n");

describe("the page for who runs a server", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-operations-"));
  const help = new Map<string, string>();
  beforeAll(async () => {
    for (const command of ["serve", "work", "backup", "restore", "user"])
      help.set(command, await simtape(command, "--help"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("names commands and settings that there are", async () => {
    const flags = new Set(
      Object.keys(SETTINGS).map((name) => name.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)),
    );
    const known = [...help.values()].join(" ") + (await simtape("user", "add", "--help"));
    // those of other programs
    const curl = ["--silent", "--show-error", "--fail", "--retry", "--header"];
    const theirs = ["--global", "--system", "--home-dir", "--now", ...curl];
    for (const [flag] of page.matchAll(/--[a-z][a-z-]+/g))
      if (!theirs.includes(flag)) expect(flags.has(flag.slice(2)) || known.includes(flag), flag).toBe(true);
    for (const [, command] of page.matchAll(/\bsimtape (serve|work|backup|restore|user|copy)\b/g))
      expect(command === "copy" || help.get(command!) !== "", command).toBe(true);
  });

  test("has settings that a server takes, and files that systemd takes", async () => {
    for (const name of readdirSync(deploy).filter((one) => one.endsWith(".json"))) {
      expect(page).toContain(name);
      const stdout = await simtape("serve", "--config", join(deploy, name), "--print-config");
      expect(JSON.parse(stdout)).toMatchObject(JSON.parse(readFileSync(join(deploy, name), "utf8")) as object);
    }
    const units = readdirSync(deploy).filter((name) => name.endsWith(".service"));
    expect(units).toHaveLength(2);
    const found = spawnSync("systemd-analyze", ["verify", ...units.map((name) => join(deploy, name))], {
      encoding: "utf8",
    });
    // where it is installed
    if (found.error === undefined) expect(found.stderr + found.stdout).toBe("");
  });

  test("names metrics that there are", async () => {
    await printed(["demo", "hcrp", "-o", join(folder, "library"), "--seconds", "2"]);
    const node = await startNode([join(folder, "library")]);
    try {
      // counts of rows are kept for a while: none are asked for before there is a row
      await until(
        () => json<{ recordings: readonly unknown[] }>(node.address, "/api/recordings"),
        ({ recordings }) => recordings.length === 1,
      );
      const metrics = await (await fetch(`${node.address}/metrics`)).text();
      const named = [...page.matchAll(/^\| `([a-z_]+)(?:\{([a-z,]+)\})?` \|/gm)];
      expect(named.length).toBeGreaterThan(6);
      for (const [, name, labels = ""] of named) {
        expect(metrics).toContain(`# TYPE ${name} `);
        for (const label of labels.split(",").filter((one) => one !== ""))
          expect(metrics, name).toMatch(new RegExp(`^${name}(_bucket|_sum|_count)?\\{[^}]*${label}=`, "m"));
      }
    } finally {
      await node.stop();
    }
  });

  test("has steps of a backup that work as they are written", async () => {
    const library = join(folder, "library");
    const backup = join(folder, "backup.tar.gz");
    const run = async (line: string): Promise<void> => {
      expect(page).toContain(line.split(" ").slice(0, 2).join(" "));
      await simtape(...line.split(" ").slice(1));
    };
    await run(`simtape user add anna ${library} --role admin`);
    await run(`simtape backup ${library} --output ${backup}`);
    await run(`simtape restore ${backup} ${library} --data ${join(folder, "another")}`);
  });
});
