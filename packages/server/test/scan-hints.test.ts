import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { scanHandler } from "../src/catalog/scan/scan-job.ts";
import { folderLibrary } from "../src/library/folder.ts";

describe("a new file in a folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-hints-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is reported by the folder once it was listed", async () => {
    const library = await folderLibrary(folder);
    const { promise, resolve } = newPromise();
    const stop = library.watch(resolve);
    for await (const _ of library.list());
    writeFileSync(join(folder, "fresh.hcrp"), "");
    await promise;
    stop();
  });
});

describe("a job that scans", () => {
  afterEach(() => void vi.useRealTimers());

  test("runs a tenth of a second after a report, once for several", async () => {
    vi.useFakeTimers();
    const ran: number[] = [];
    const watch = vi.fn<(changed: () => void) => void>();
    const library = { watch };
    const jobs = { add: () => Promise.resolve(), runNow: () => Promise.resolve(void ran.push(Date.now())) };
    const scan = scanHandler({ query: {}, library, jobs } as unknown as Parameters<typeof scanHandler>[0]);
    // it watches from its first run on, whatever becomes of that
    await Promise.resolve(scan({} as never, { signal: new AbortController().signal } as never)).catch(() => undefined);
    const began = Date.now();
    const [report] = watch.mock.calls[0]!;
    report();
    report();
    await vi.advanceTimersByTimeAsync(99);
    expect(ran).toEqual([]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(ran).toEqual([began + 100]);
  });
});

function newPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
