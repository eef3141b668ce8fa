/**
 * Plays recordings unattended in a real Chromium, at rate 8 with loop: `npm run soak:viewer [-- MINUTES [FILE…]]`, by
 * default ten minutes of each demo recording, one after another. Prints the memory of page and worker after a
 * collection of garbage, the numbers of elements, objects of WebGL and errors, and a verdict. Exit 1: something grew or
 * went wrong.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { startViewer, untilOpen, type Viewer } from "../packages/viewer/test/support/viewer.ts";

const RATE = 8;
const SAMPLES = 12;
/** Share of the samples at the beginning that does not count as growth, because caches fill. */
const WARM_UP = 0.25;
/** Bytes by which a heap may vary between two samples. */
const SLACK = 6 << 20;

interface Sample {
  readonly seconds: number;
  readonly page: number;
  readonly worker: number;
  readonly elements: number;
  readonly gpu: number;
  readonly frames: number;
  readonly errors: number;
}

const [minutes = "10", ...named] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "simtape-soak-"));
try {
  const files = named.length > 0 ? named : demos(folder);
  await using viewer = await startViewer(files);
  const verdicts: string[] = [];
  for (const { name } of viewer.entries) verdicts.push(`${name}: ${await soak(viewer, name, Number(minutes) * 60)}`);
  console.log(`\n${verdicts.join("\n")}`);
  if (verdicts.some((verdict) => !verdict.endsWith("sound"))) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function demos(to: string): string[] {
  const cli = new URL("../packages/simtape/bin/simtape.js", import.meta.url).pathname;
  execFileSync(process.execPath, [cli, "demo", "-o", to]);
  return [to];
}

async function soak(viewer: Viewer, name: string, seconds: number): Promise<string> {
  const { page, errors } = await viewer.page("about:blank");
  try {
    await page.addInitScript(countObjects);
    await page.goto(viewer.address(name));
    await untilOpen(page);
    const cdp = await page.context().newCDPSession(page);
    const worker = await attached(cdp);
    await page.evaluate((rate) => {
      Object.assign(globalThis, { drawn: 0 });
      simtape.onFrame(() => (globalThis as unknown as { drawn: number }).drawn++);
      simtape.setRate(rate);
      simtape.setLoop(simtape.bounds);
      simtape.play();
    }, RATE);
    console.log(`\n${name}, rate ${RATE}, ${seconds} s\n    s  page MB  worker MB  elements  WebGL   frames  errors`);
    const samples: Sample[] = [];
    const began = performance.now();
    for (let n = 0; n <= SAMPLES; n++) {
      await page.waitForTimeout(Math.max(0, began + (n / SAMPLES) * seconds * 1000 - performance.now()));
      const sample = await measure(page, cdp, worker, errors.length, (performance.now() - began) / 1000);
      samples.push(sample);
      console.log(rowOf(sample));
    }
    for (const error of errors) console.log(error);
    const isPlaying = await page.evaluate(() => simtape.isPlaying);
    return verdictOn(samples, isPlaying);
  } finally {
    await page.close();
  }
}

/** Objects of WebGL made and not deleted, counted from the first on. */
function countObjects(): void {
  const counts = { alive: 0 };
  Object.assign(globalThis, { gpu: counts });
  const methods = WebGL2RenderingContext.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const kind of ["Buffer", "Texture", "Program", "Shader", "Framebuffer", "Renderbuffer", "VertexArray"]) {
    const { [`create${kind}`]: create, [`delete${kind}`]: remove } = methods;
    methods[`create${kind}`] = function (this: unknown, ...args) {
      counts.alive++;
      return create!.apply(this, args);
    };
    methods[`delete${kind}`] = function (this: unknown, ...args) {
      if (args[0] !== null && args[0] !== undefined) counts.alive--;
      return remove!.apply(this, args);
    };
  }
}

/** Sends a command to the page's worker. */
type Say = (method: string) => Promise<Record<string, number>>;

async function attached(cdp: CDPSession): Promise<Say> {
  const found = new Promise<string>((resolve) => {
    cdp.on("Target.attachedToTarget", ({ sessionId }) => resolve(sessionId));
  });
  const waiting = new Map<number, (result: Record<string, number>) => void>();
  cdp.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result } = JSON.parse(message) as { id: number; result: Record<string, number> };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await cdp.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const sessionId = await found;
  let count = 0;
  return async (method) => {
    const id = ++count;
    const answered = new Promise<Record<string, number>>((resolve) => waiting.set(id, resolve));
    await cdp.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method }) });
    return answered;
  };
}

async function measure(page: Page, cdp: CDPSession, worker: Say, errors: number, seconds: number): Promise<Sample> {
  await cdp.send("HeapProfiler.collectGarbage");
  await worker("HeapProfiler.collectGarbage");
  const { nodes } = await cdp.send("Memory.getDOMCounters");
  const inPage = await cdp.send("Runtime.getHeapUsage");
  const inWorker = await worker("Runtime.getHeapUsage");
  const { alive, drawn } = await page.evaluate(() => {
    const { gpu, drawn } = globalThis as unknown as { gpu: { alive: number }; drawn: number };
    return { alive: gpu.alive, drawn };
  });
  return {
    seconds,
    page: heapOf(inPage as unknown as Record<string, number>),
    worker: heapOf(inWorker),
    elements: nodes,
    gpu: alive,
    frames: drawn,
    errors,
  };
}

/** Bytes of the objects, and of the buffers that they hold. */
function heapOf({ usedSize = 0, backingStorageSize = 0 }: Record<string, number>): number {
  return usedSize + backingStorageSize;
}

function rowOf({ seconds, page, worker, elements, gpu, frames, errors }: Sample): string {
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  return [
    seconds.toFixed(0).padStart(5),
    megabytes(page).padStart(8),
    megabytes(worker).padStart(10),
    String(elements).padStart(9),
    String(gpu).padStart(6),
    String(frames).padStart(8),
    String(errors).padStart(7),
  ].join(" ");
}

/** What grew from the first to the second half of the samples after the beginning. */
function verdictOn(samples: readonly Sample[], isPlaying: boolean): string {
  const rest = samples.slice(Math.ceil(samples.length * WARM_UP));
  const half = rest.length >> 1;
  const grown = (of: (sample: Sample) => number): number =>
    Math.min(...rest.slice(half).map(of)) - Math.max(...rest.slice(0, half).map(of));
  const faults = [
    ...(["page", "worker"] as const)
      .filter((heap) => grown((sample) => sample[heap]) > SLACK)
      .map((heap) => `${heap} heap grows`),
    ...(["elements", "gpu"] as const)
      .filter((count) => grown((sample) => sample[count]) > 0)
      .map((count) => `${count} grow`),
    ...(samples.at(-1)!.errors > 0 ? ["errors"] : []),
    ...(isPlaying ? [] : ["it stands still"]),
  ];
  return faults.length === 0 ? "sound" : faults.join(", ");
}
