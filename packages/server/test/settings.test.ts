import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const CLI = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));
const SECRET = "hush-4711";

describe("settings", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-settings-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const printed = (words: readonly string[], environment: NodeJS.ProcessEnv = {}): Record<string, unknown> =>
    JSON.parse(
      execFileSync(process.execPath, [CLI, "serve", ...words, "--print-config"], {
        encoding: "utf8",
        env: { ...process.env, ...environment },
      }),
    ) as Record<string, unknown>;

  const refused = (words: readonly string[], environment: NodeJS.ProcessEnv = {}): string => {
    const env = { ...process.env, NO_COLOR: "1", ...environment };
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, "serve", ...words], {
      encoding: "utf8",
      env,
      timeout: 30_000,
    });
    expect(status).toBe(2);
    return stdout + stderr;
  };

  test("name a lake that is not in the library, and an address that is one", () => {
    expect(printed([folder, "--lake", "/srv/lake"])).toMatchObject({ lake: "/srv/lake" });
    expect(printed([folder])).toMatchObject({ lake: null });
    expect(refused([folder, "--lake", join(folder, "lake")])).toContain("must not be in the folder of recordings");
    expect(refused([folder, "--lake", "s3://bucket/lake"])).toContain("an access key and its secret are needed");
  });

  test("come from flags, then the environment, then a file, then what is usual", () => {
    const file = join(folder, "settings.json");
    writeFileSync(file, JSON.stringify({ port: 8001, host: "::1", workers: 3 }));
    const found = printed(["--config", file, "--workers", "5"], { SIMTAPE_PORT: "8002", SIMTAPE_WORKERS: "4" });
    expect(found).toMatchObject({ host: "::1", port: 8002, workers: 5, access: "auto", store: "." });
  });

  test("are printed without secrets, wherever these come from", () => {
    const file = join(folder, "secret.json");
    writeFileSync(file, JSON.stringify({ oidcSecret: SECRET, bus: `nats://me:${SECRET}@bus:4222` }));
    const found = printed(["--config", file, "--database", `postgres://me:${SECRET}@db/tapes?password=${SECRET}`], {
      SIMTAPE_S3_SECRET: SECRET,
      AWS_SECRET_ACCESS_KEY: SECRET,
    });
    expect(JSON.stringify(found)).not.toContain(SECRET);
    expect(found).toMatchObject({ database: "postgres://me:***@db/tapes", bus: "nats://me:***@bus:4222" });
    expect(found).toMatchObject({ oidcSecret: "***", s3Secret: "***" });
  });

  test.each([
    [["--port", "70000"], /--port: a whole number from 0 to 65535 is expected, not 70000/],
    [["--public-origin", "tapes.example.org"], /--public-origin: http:\/\/ or https:\/\/ .* is expected/],
    [["--access", "all"], /--access: one of auto, open, sign-in is expected, not all/],
    [["--config", "/nowhere/settings.json"], /\/nowhere\/settings.json cannot be read/],
  ])("that have no meaning are refused with what is expected: %s", (words, said) => {
    expect(refused(words)).toMatch(said);
  });

  test("of a file are refused when there is none of that name, and when it is no JSON", () => {
    const file = join(folder, "wrong.json");
    writeFileSync(file, JSON.stringify({ prot: 1 }));
    expect(refused(["--config", file])).toMatch(/no setting prot; there are store, data/);
    writeFileSync(file, "port: 1");
    expect(refused(["--config", file])).toMatch(/is no JSON/);
  });

  test("that are secret are not repeated by what refuses them", () => {
    for (const [words, environment] of [
      [["--database", `mysql://me:${SECRET}@db/tapes`], {}],
      [[folder, "--bus", `amqp://me:${SECRET}@bus`], {}],
      [[folder], { SIMTAPE_DATABASE: `postgres://me:${SECRET}@127.0.0.1:1/tapes` }],
      [[folder], { SIMTAPE_BUS: `nats://me:${SECRET}@127.0.0.1:1` }],
    ] as const) {
      const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, "serve", ...words, "--port", "0"], {
        encoding: "utf8",
        env: { ...process.env, ...environment },
        timeout: 30_000,
      });
      expect(status, words.join(" ")).not.toBe(0);
      expect(stderr).toMatch(/^simtape: /m);
      expect(stdout + stderr).not.toContain(SECRET);
    }
  });
});
