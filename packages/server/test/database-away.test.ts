import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../../viewer/test/support/viewer.ts";
import { isDatabaseAway } from "../src/database/away.ts";
import { browse } from "./support/browser.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";
import { startPostgres, type TestPostgres, withoutPostgres } from "./support/postgres.ts";

const METHODS = ["get", "head", "post", "put", "patch", "delete"] as const;
/** What needs no database. */
const ANSWERED = ["GET /health"];

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

describe.skipIf(withoutPostgres !== null)("a database that is away", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-away-"));
  let postgres: TestPostgres;
  let node: TestNode;
  let admin: Caller;

  beforeAll(async () => {
    const library = join(folder, "library");
    mkdirSync(library);
    postgres = await startPostgres();
    const words = [library, "--database", await postgres.database()];
    expect((await userCommand(["add", "ada", ...words, "--role", "admin"])).exit).toBe(0);
    node = await startNode([...words, "--bus", "postgres"]);
    admin = await Caller.signedIn(node, "ada");
  });

  afterAll(async () => {
    await node?.kill();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("every route says so with 503 and when to ask again, a live sender, too", async () => {
    const { paths } = await json<Document>(node.address, "/openapi.json");
    await postgres.kill();
    // answers that were kept for a moment
    await until(
      () => admin.status("GET", "/api/me"),
      (status) => status === 503,
    );
    const wrong: string[] = [];
    let asked = 0;
    for (const [path, methods] of Object.entries(paths))
      for (const method of METHODS.filter((one) => one in methods)) {
        const route = `${method.toUpperCase()} ${path}`;
        if (ANSWERED.includes(route)) continue;
        asked++;
        const sends = ["post", "put", "patch"].includes(method) ? {} : undefined;
        const answer = await admin.ask(method.toUpperCase(), path.replace(/\{\w+\}/g, "nothing"), sends);
        const { status, headers } = answer;
        const text = await answer.text();
        const isSaid = method === "head" || (JSON.parse(text) as { status: number }).status === 503;
        const isProblem = headers.get("content-type")?.startsWith("application/problem+json") === true;
        if (status !== 503 || !isSaid || !isProblem || !(Number(headers.get("retry-after")) > 0))
          wrong.push(`${route}: ${status} ${text}`);
      }
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(80);
    expect(await new Caller(node).status("GET", "/health")).toBe(200);
    const sent = await admin.ask("POST", "/api/live/run", { tick: 0 });
    expect([sent.status, Number(sent.headers.get("retry-after")) > 0]).toEqual([503, true]);
  });

  test("the page and all that it is made of come nevertheless", async () => {
    const shell = await fetch(`${node.address}/`);
    expect(shell.status).toBe(200);
    const parts = [...(await shell.text()).matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!);
    expect(parts).toContain("/icon.svg");
    expect(parts.some((path) => path.endsWith(".js")) && parts.some((path) => path.endsWith(".css"))).toBe(true);
    for (const path of [...parts, "/r/some-recording", "/room/some-room"])
      expect((await fetch(node.address + path)).status, path).toBe(200);
    expect((await fetch(`${node.address}/assets/not-there.js`)).status).toBe(404);
  });

  test.skipIf(!hasChromium)("the page says why it shows nothing, and shows it when the database is back", async () => {
    const browser = await browse();
    const page = await browser.page();
    await page.goto(node.address);
    await page.getByText("The server cannot reach its database at the moment.").waitFor();
    await postgres.start();
    await page.getByLabel("Password").waitFor();
    await browser.close();
  });
});

test.each([
  [true, { code: "57P02" }],
  [true, { code: "08006" }],
  [true, { code: "ENOENT", syscall: "connect" }],
  [true, { message: "Connection terminated unexpectedly" }],
  [false, { code: "ENOENT", syscall: "open" }],
  [false, { code: "23505" }],
  [false, { message: "something else" }],
])("away is %s: %j", (isAway, error) => {
  expect(isDatabaseAway(Object.assign(new Error(""), error))).toBe(isAway);
});
