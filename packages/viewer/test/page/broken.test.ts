import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { MemoryFiles } from "simtape";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { demo } from "../../../demo/src/hcrp.ts";
import { dictionaryBytes } from "../../../simtape/test/fixtures/hcrp/make.ts";
import { FarServer, partHeaders } from "../support/far-server.ts";
import {
  drop,
  example,
  hasChromium,
  hashOf,
  layoutOf,
  startViewer,
  untilOpen,
  type Viewer,
} from "../support/viewer.ts";

/** A recording that needs dictionary 32769. */
const COMPRESSED = new URL("../../../simtape/test/fixtures/hcrp/dictionary.hcrp", import.meta.url);

/** So much of a file a server gives that is about to fail: what is needed to open it. */
const HEAD = 256 * 1024;

/** How a server misbehaves; `good` is that of an ordinary one. */
type Manner = "good" | "gone behind the head" | "another file behind the head" | "no ranges" | "no CORS" | "not there";

/** A file on a server whose manner is reported by `mannerNow`. */
function misbehaving(file: Uint8Array, mannerNow: () => Manner): FarServer {
  return new FarServer((response, { start, ...asked }, { url }) => {
    const manner = mannerNow();
    if (manner === "no CORS") response.removeHeader("Access-Control-Allow-Origin");
    const end = Math.min(file.length, asked.end);
    const isBehind = end > HEAD;
    if (manner === "not there" || url?.endsWith(".dict") === true) response.writeHead(404).end();
    else if (manner === "gone behind the head" && isBehind) response.destroy();
    else {
      response.setHeader("ETag", manner === "another file behind the head" && isBehind ? '"b"' : '"a"');
      if (manner === "no ranges") response.writeHead(200, { "Content-Length": file.length }).end(file);
      else response.writeHead(206, partHeaders(start, end, file.length)).end(file.subarray(start, end));
    }
  });
}

describe.skipIf(!hasChromium)("what goes wrong is reported, and the page goes on", () => {
  let viewer: Viewer;
  let page: Page;
  let far: FarServer;
  let manner: Manner = "good";

  beforeAll(async () => {
    const files = new MemoryFiles("far.hcrp");
    await demo({ seconds: 200, entities: 24, seed: 1 }, files);
    far = misbehaving(files.bytes, () => manner);
    await far.listen();
    const given = new Map([["32769.dict", dictionaryBytes()]]);
    viewer = await startViewer([example(""), fileURLToPath(COMPRESSED)], given);
    ({ page } = await viewer.page("about:blank"));
    page.setDefaultTimeout(20_000);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    await far?.[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    manner = "good";
    await go(viewer.address());
  });

  async function go(address: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(address + hashOf({ shared: { layout: layoutOf(["state"]) } }));
  }

  function goFar(how: Manner): Promise<void> {
    manner = how;
    return go(`${viewer.address()}?url=${encodeURIComponent(far.addressOf("far.hcrp"))}`);
  }

  async function expectTold(text: RegExp): Promise<void> {
    await page.getByRole("alert").filter({ hasText: text }).waitFor();
    // Whatever else, another one can be opened.
    await page.getByRole("button", { name: /^Open( files …)?$/ }).click({ trial: true });
  }

  test.each([
    ["an empty file", "empty.log", new Uint8Array(0), /the file is empty/],
    ["a file that is none", "notes.txt", new TextEncoder().encode("no recording"), /not a recording of .*CARLA/],
    ["one that only looks like one", "head.hcrp", bytesOf("race.hcrp").slice(0, 40), /head\.hcrp/],
    ["a header without anything", "head.fgtape", bytesOf("flight.fgtape").slice(0, 20), /head\.fgtape/],
    ["random bytes", "noise.tape", Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251), /not a recording/],
  ])("%s", async (_, name, bytes, text) => {
    await drop(page, { [name]: bytes });
    await expectTold(text);
  });

  test.each(["buckyball.nanover.zip", "flight.fgtape", "patrol.tape", "race.hcrp", "town.log"])(
    "%s, cut in the middle, shows what is left, or says why not",
    async (name) => {
      const whole = bytesOf(name);
      await drop(page, { [name]: whole.slice(0, whole.length >> 1) });
      await page.waitForFunction(() => ["open", "failed"].includes(simtape.state.value.phase));
      const phase = await page.evaluate(() => simtape.state.value.phase);
      if (phase === "failed") return expectTold(new RegExp(name));
      await untilOpen(page);
      await page.getByRole("button", { name: /^\d+ findings?$/ }).waitFor();
      await page.keyboard.press("End");
      await page.waitForFunction(() => simtape.frame!.time === simtape.bounds.end);
    },
  );

  test("a recording of one moment is shown, and can be played", async () => {
    const head = bytesOf("town.log");
    const first = await lengthOfFirstFrame(head);
    await drop(page, { "moment.log": head.slice(0, first) });
    await untilOpen(page);
    await page.keyboard.press(" ");
    await page.waitForFunction(() => !simtape.isPlaying);
    await page.getByRole("button", { name: "Loop the whole recording" }).click();
    await page.getByRole("status").filter({ hasText: "nothing to loop" }).waitFor();
    await page.getByRole("slider", { name: "Timeline" }).waitFor();
  });

  test("a server without the file", async () => {
    await goFar("not there");
    await expectTold(/404/);
  });

  test("a server that lets no other page read", async () => {
    await goFar("no CORS");
    await expectTold(/cannot reach the server.*allow this page/);
  });

  test("a server without ranges is read as a whole", async () => {
    await goFar("no ranges");
    await untilOpen(page);
    await page.keyboard.press("End");
    await page.waitForFunction(() => simtape.frame!.time === simtape.bounds.end);
  });

  test("a server that goes away while it plays, and comes back", async () => {
    await goFar("gone behind the head");
    await untilOpen(page);
    await page.evaluate(() => {
      simtape.setRate(64);
      simtape.play();
    });
    await page
      .getByRole("alert")
      .filter({ hasText: /cannot reach the server|answer ends/ })
      .waitFor();
    expect(await page.evaluate(() => [simtape.isPlaying, simtape.state.value.status.phase])).toEqual([false, "failed"]);
    manner = "good";
    await page.getByRole("button", { name: "Play (Space)" }).click();
    await page.waitForFunction(() => simtape.frame!.time === simtape.bounds.end);
    await page.locator(".notices [role=alert]").waitFor({ state: "detached" });
  });

  test("a file that is changed on the server", async () => {
    await goFar("another file behind the head");
    await untilOpen(page);
    await page.keyboard.press("End");
    await expectTold(/changed on the server/);
    manner = "good";
    await page.getByRole("button", { name: "Open again" }).click();
    await page.locator(".notices [role=alert]").waitFor({ state: "detached" });
    await untilOpen(page);
    await page.keyboard.press("End");
    await page.waitForFunction(() => simtape.frame?.time === simtape.bounds.end);
  });

  test("a recording whose dictionary is missing is shown when that is dropped", async () => {
    await drop(page, { "dictionary.hcrp": new Uint8Array(readFileSync(COMPRESSED)) });
    await page
      .getByRole("alert")
      .filter({ hasText: /zstd dictionary 32769.*Drop the dictionary \(32769\.dict\)/ })
      .waitFor();
    await drop(page, { "any-name.dict": dictionaryBytes() });
    await untilOpen(page);
    await page.keyboard.press("End");
    await page.waitForFunction(() => simtape.frame!.time === simtape.bounds.end);
  });

  test("a dictionary that the server was given is found without being asked for", async () => {
    await go(viewer.address("dictionary.hcrp"));
    await untilOpen(page);
    await page.keyboard.press("End");
    await page.waitForFunction(() => simtape.frame!.time === simtape.bounds.end);
  });

  test("an address that is none, and one that was cut", async () => {
    await go(`${viewer.address()}?url=ftp://example.org/a.log`);
    await expectTold(/not a web address/);
    await page.goto("about:blank");
    await page.goto(`${viewer.address("town.log")}#%7B%22t%22%3A1.5%2C%22sha`);
    await untilOpen(page);
  });
});

function bytesOf(name: string): Uint8Array {
  return new Uint8Array(readFileSync(example(name)));
}

/** Of a CARLA log, as far as its second frame begins. */
async function lengthOfFirstFrame(log: Uint8Array): Promise<number> {
  const { open } = await import("simtape");
  await using recording = await open(log);
  for await (const records of recording.records()) {
    const second = records.filter(({ kind }) => kind === "frame-start")[1];
    if (second !== undefined) return second.offset;
  }
  return log.length;
}
