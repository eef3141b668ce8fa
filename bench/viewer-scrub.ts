/**
 * Dragging along the timeline of a recording behind HTTP, with 30 ms before each answer, in a real Chromium:
 * `npm run bench:scrub -- FILE [SECONDS]`; without a file ten minutes of the demo race. Prints how long it takes from a
 * seek to its frame, and from the pointer to one that is as new, and how requests follow each other. Once without the
 * scene, and once with it, until the picture is drawn, in software here.
 */
import { execFileSync } from "node:child_process";
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { Page } from "playwright-core";
import { hashOf, layoutOf, startViewer, untilOpen } from "../packages/viewer/test/support/viewer.ts";

/** Before each answer, milliseconds. */
const DELAY = 30;
/** Requests of any such time must not be more than one, milliseconds. */
const PACE = 50;
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

/** What the page has measured, milliseconds. */
interface Measured {
  readonly seeks: readonly number[];
  readonly pointer: readonly number[];
}

const [named, seconds = "15"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "simtape-scrub-"));
try {
  const file = named ?? demoIn(folder);
  await using viewer = await startViewer([]);
  const asked: number[] = [];
  const server = await served(viewer.folder, file, asked);
  const { port } = server.address() as AddressInfo;
  console.log(`${file}, ${(statSync(file).size / 1e6).toFixed(0)} MB, ${DELAY} ms before each answer`);
  for (const [what, panels] of [
    ["without the scene", ["state"]],
    ["with the scene", ["scene"]],
  ] as const) {
    const { page, errors } = await viewer.page("about:blank");
    const kept = hashOf({ shared: { layout: layoutOf(panels) } });
    await page.goto(`http://127.0.0.1:${port}/?url=recording.hcrp${kept}`);
    await untilOpen(page);
    await page.waitForTimeout(1500);
    asked.length = 0;
    const isDrawn = panels.some((panel) => panel === "scene");
    const { seeks, pointer } = await scrub(page, Number(seconds), isDrawn);
    console.log(`\n${what}, ${errors.length} errors`);
    told(isDrawn ? "seek to picture" : "seek to frame", seeks);
    told("pointer to one as new", pointer);
    paced(asked);
    await page.close();
  }
  server.closeAllConnections();
  server.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function demoIn(to: string): string {
  const cli = new URL("../packages/simtape/bin/simtape.js", import.meta.url).pathname;
  execFileSync(process.execPath, [cli, "demo", "hypercube", "-o", to, "--seconds", "600", "--entities", "24"]);
  return join(to, "race.hcrp");
}

/** The built page, and ranges of the file as `recording.hcrp`; notes when they are asked for. */
async function served(page: string, file: string, asked: number[]): Promise<Server> {
  const { size } = statSync(file);
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://any").pathname.slice(1) || "index.html";
    if (name !== "recording.hcrp") {
      try {
        const content = readFileSync(join(page, name));
        response.writeHead(200, { "Content-Type": TYPES[extname(name)] ?? "application/octet-stream" }).end(content);
      } catch {
        response.writeHead(404).end();
      }
      return;
    }
    asked.push(performance.now());
    const [, from = "0", to = ""] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    const start = Number(from);
    const end = Math.min(size, to === "" ? size : Number(to) + 1);
    setTimeout(() => {
      response.writeHead(206, {
        ETag: '"one"',
        "Content-Range": `bytes ${start}-${end - 1}/${size}`,
        "Content-Length": end - start,
        "Cache-Control": "no-store",
      });
      createReadStream(file, { start, end: end - 1 }).pipe(response);
    }, DELAY);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** Drags to and fro, slowly and by leaps. */
async function scrub(page: Page, length: number, isDrawn: boolean): Promise<Measured> {
  const timeline = page.getByRole("slider", { name: "Timeline" });
  const box = (await timeline.boundingBox())!;
  await page.evaluate((waitsForPicture) => {
    const measured = { seeks: [] as number[], pointer: [] as number[] };
    const pointers: number[] = [];
    const waiting = new Map<number, { readonly began: number; readonly pointers: number }>();
    const seek = simtape.seek.bind(simtape);
    simtape.seek = (time) => {
      waiting.set(Math.round(time), { began: performance.now(), pointers: pointers.length });
      return seek(time);
    };
    addEventListener("pointermove", () => pointers.push(performance.now()), true);
    addEventListener("shown", ({ detail: time }: CustomEventInit<number>) => {
      const found = waiting.get(time!);
      if (found === undefined) return;
      const now = performance.now();
      measured.seeks.push(now - found.began);
      for (const at of pointers.splice(0, found.pointers)) measured.pointer.push(now - at);
      for (const [other, { began, pointers: count }] of waiting) {
        if (began <= found.began) waiting.delete(other);
        else waiting.set(other, { began, pointers: Math.max(0, count - found.pointers) });
      }
    });
    if (waitsForPicture) {
      // the scene says of when it is as it hands it to the graphics card, which tells when it has drawn it
      const canvas = document.querySelector<HTMLCanvasElement>("canvas[data-time]")!;
      const context = canvas.getContext("webgl2")!;
      new MutationObserver(() => {
        const time = Number(canvas.dataset["time"]);
        const sync = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0)!;
        context.flush();
        const timer = setInterval(() => {
          if (context.getSyncParameter(sync, context.SYNC_STATUS) === context.UNSIGNALED) return;
          clearInterval(timer);
          context.deleteSync(sync);
          dispatchEvent(new CustomEvent("shown", { detail: time }));
        }, 2);
      }).observe(canvas, { attributeFilter: ["data-time"] });
    } else simtape.onFrame(({ time }) => dispatchEvent(new CustomEvent("shown", { detail: time })));
    Object.assign(globalThis, { measured });
  }, isDrawn);
  const y = box.y + 60;
  const x = (part: number): number => box.x + 128 + (box.width - 138) * part;
  await page.mouse.move(x(0.1), y);
  await page.mouse.down();
  // Straight to the browser: what drives it must not take the time that is measured.
  const input = await page.context().newCDPSession(page);
  const moves: Promise<unknown>[] = [];
  const began = performance.now();
  for (let leap = 0; performance.now() - began < length * 1000; ) {
    const t = (performance.now() - began) / 1000;
    if (Math.floor(t / 2) > leap) leap = Math.floor(t / 2);
    const middle = ((leap * 0.618) % 1) * 0.8 + 0.1;
    // sixty times in a second, as a mouse tells where it is: whatever the page makes of it
    const at = { x: x(middle + 0.1 * Math.sin(t * 3)), y };
    moves.push(input.send("Input.dispatchMouseEvent", { type: "mouseMoved", button: "left", buttons: 1, ...at }));
    await new Promise((resolve) => setTimeout(resolve, 1000 / 60));
  }
  await Promise.all(moves);
  await page.mouse.up();
  await page.waitForTimeout(500);
  return page.evaluate(() => (globalThis as unknown as { measured: Measured }).measured);
}

function told(name: string, milliseconds: readonly number[]): void {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN).toFixed(0);
  console.log(`${name.padEnd(24)} ${sorted.length} times, ms: p50 ${at(0.5)}  p95 ${at(0.95)}  max ${at(1)}`);
}

function paced(asked: readonly number[]): void {
  const apart = asked.slice(1).map((time, i) => time - asked[i]!);
  const most = Math.max(
    0,
    ...asked.map((time) => asked.filter((other) => other >= time && other < time + PACE).length),
  );
  console.log(
    `requests                 ${asked.length}, at most ${most} in ${PACE} ms; least apart ${Math.min(...apart).toFixed(0)} ms`,
  );
}
