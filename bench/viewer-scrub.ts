/**
 * Measures dragging along the timeline of a recording behind HTTP, with 30 ms before each answer, in a real Chromium:
 * `npm run bench:scrub -- FILE [SECONDS]`. Without a file it uses ten minutes of the demo race. Prints the time from a
 * seek to its frame, the time from a move of the pointer to a frame that is as new, and how requests follow each other:
 * once without the scene, and once with the scene until its picture is drawn, here in software. Beside them is the
 * limit: a page that reads as much from the same server, and draws nothing but an empty canvas of that size.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { builtPage } from "../packages/viewer/test/support/build.ts";
import { hashOf, layoutOf } from "../packages/viewer/test/support/viewer.ts";
import { Chromium } from "./chromium.ts";

/** Delay before each answer, milliseconds. */
const DELAY = 30;
/** In any span of so many milliseconds there must be at most one request. */
const PACE = 50;
/** Bytes that the limit reads for a picture, and milliseconds from one picture to the next. */
const READ = 65_536;
const BETWEEN = 67;
const SIZE = { width: 900, height: 520 };
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

/** What the page measures for this benchmark. */
declare global {
  var measured: Measured;
}

const [named, seconds = "15"] = process.argv.slice(2);
const length = Number(seconds) * 1000;
const folder = mkdtempSync(join(tmpdir(), "simtape-scrub-"));
try {
  const file = named ?? demoIn(folder);
  const asked: number[] = [];
  const server = await served(await builtPage(), file, asked);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { size } = statSync(file);
  console.log(`${file}, ${(size / 1e6).toFixed(0)} MB, ${DELAY} ms before each answer`);
  {
    await using chromium = new Chromium(SIZE);
    await chromium.open(`${address}/none.html`, () => document.readyState === "complete");
    const limit = await chromium.run(bareReads, { address, size, read: READ, between: BETWEEN, length });
    console.log("\nthe limit");
    report("request to empty picture", limit);
  }
  for (const panel of ["state", "scene"]) {
    await using chromium = new Chromium(SIZE);
    const kept = hashOf({ shared: { layout: layoutOf([panel]) } });
    await chromium.open(`${address}/?url=recording.hcrp${kept}`, isOpen, panel);
    await later(1500);
    asked.length = 0;
    const before = stolenSeconds();
    const { seeks, pointer } = await scrub(chromium, panel === "scene");
    const stolen = stolenSeconds() - before;
    const wrong = await chromium.errors();
    console.log(`\n${panel === "scene" ? "with" : "without"} the scene, ${wrong.length} errors${shareOf(stolen)}`);
    report(panel === "scene" ? "seek to picture" : "seek to frame", seeks);
    report("pointer to one as new", pointer);
    paced(asked);
  }
  server.closeAllConnections();
  server.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function demoIn(to: string): string {
  const cli = new URL("../packages/simtape/bin/simtape.js", import.meta.url).pathname;
  execFileSync(process.execPath, [cli, "demo", "hcrp", "-o", to, "--seconds", "600", "--entities", "24"]);
  return join(to, "race.hcrp");
}

/** The built page, and ranges of the file as `recording.hcrp`; notes when they are asked for. */
async function served(page: string, file: string, asked: number[]): Promise<Server> {
  const { size } = statSync(file);
  const descriptor = openSync(file, "r");
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://any").pathname.slice(1) || "index.html";
    if (name === "none.html") {
      response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html>");
      return;
    }
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
      response.end(readFully(descriptor, start, end));
    }, DELAY);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** In the page: whether it shows a recording, and has drawn the scene if that is the panel. */
function isOpen(panel: string): boolean {
  const isThere = typeof simtape === "object" && simtape.state.value.phase === "open" && simtape.frame !== null;
  return isThere && (panel !== "scene" || document.querySelector("canvas[data-time]") !== null);
}

/** In a bare page: milliseconds from the request of a random place until an empty picture is drawn after its answer. */
async function bareReads(options: {
  readonly address: string;
  readonly size: number;
  readonly read: number;
  readonly between: number;
  readonly length: number;
}): Promise<number[]> {
  const canvas = document.body.appendChild(document.createElement("canvas"));
  Object.assign(canvas, { width: 900, height: 380 });
  const context = canvas.getContext("webgl2")!;
  const times: number[] = [];
  for (const began = performance.now(); performance.now() - began < options.length; ) {
    const from = performance.now();
    const at = Math.floor(Math.random() * (options.size - options.read));
    const headers = { Range: `bytes=${at}-${at + options.read - 1}` };
    await (await fetch(`${options.address}/recording.hcrp`, { headers })).arrayBuffer();
    context.clearColor(Math.random(), 0, 0, 1);
    context.clear(context.COLOR_BUFFER_BIT);
    const sync = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0)!;
    context.flush();
    while (context.getSyncParameter(sync, context.SYNC_STATUS) === context.UNSIGNALED) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    times.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, from + options.between - performance.now())));
  }
  return times;
}

/**
 * In the page: notes the time from each seek, and from each move of the pointer, until its frame or picture is shown.
 */
function measure(waitsForPicture: boolean): void {
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
    // the scene writes its time when it hands a picture to the graphics card, and the card reports when it has drawn it
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
}

/** Reads at once, because only the delay of the server should count. */
function readFully(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  readSync(descriptor, bytes, 0, bytes.length, start);
  return bytes;
}

/** Drags to and fro, slowly and by leaps. */
async function scrub(chromium: Chromium, isDrawn: boolean): Promise<Measured> {
  const box = await chromium.run(() => {
    const { x, y, width } = document.querySelector('[role="slider"][aria-label="Timeline"]')!.getBoundingClientRect();
    return { x, y, width };
  });
  await chromium.run(measure, isDrawn);
  const y = box.y + 60;
  const x = (part: number): number => box.x + 128 + (box.width - 138) * part;
  await chromium.mouse("mousePressed", x(0.1), y);
  const moves: Promise<void>[] = [];
  const began = performance.now();
  for (let leap = 0; performance.now() - began < length; ) {
    const t = (performance.now() - began) / 1000;
    if (Math.floor(t / 2) > leap) leap = Math.floor(t / 2);
    const middle = ((leap * 0.618) % 1) * 0.8 + 0.1;
    // sixty moves a second, as a mouse reports them, however fast the page is
    moves.push(chromium.mouse("mouseMoved", x(middle + 0.1 * Math.sin(t * 3)), y));
    await later(1000 / 60);
  }
  await Promise.all(moves);
  await chromium.mouse("mouseReleased", x(0.5), y);
  await later(500);
  return chromium.run(() => globalThis.measured);
}

/**
 * Stolen time of a virtual machine: seconds of one core that its host has given to others so far; 0 if the system does
 * not report it.
 */
function stolenSeconds(): number {
  if (!existsSync("/proc/stat")) return 0;
  return Number(readFileSync("/proc/stat", "utf8").split(/\s+/, 9)[8]) / 100;
}

function shareOf(seconds: number): string {
  const share = seconds / (length / 1000);
  return share < 0.02 ? "" : `; the host took ${(share * 100).toFixed(0)} % of one core for others meanwhile`;
}

function report(name: string, milliseconds: readonly number[]): void {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN).toFixed(0);
  console.log(`${name.padEnd(25)} ${sorted.length} times, ms: p50 ${at(0.5)}  p95 ${at(0.95)}  max ${at(1)}`);
}

function paced(asked: readonly number[]): void {
  const apart = asked.slice(1).map((time, i) => time - asked[i]!);
  const most = Math.max(
    0,
    ...asked.map((time) => asked.filter((other) => other >= time && other < time + PACE).length),
  );
  console.log(
    `requests                  ${asked.length}, at most ${most} in ${PACE} ms; least apart ${Math.min(...apart).toFixed(0)} ms`,
  );
}
