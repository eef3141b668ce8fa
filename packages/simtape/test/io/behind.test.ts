import { describe, expect, test } from "vitest";
import { WriteBehind } from "../../src/io/sink/behind.ts";
import { type ByteSink, MemoryFiles } from "../../src/io/sink/sink.ts";

/** Lets what waits only for its turn begin. */
function begun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A sink whose writes end when the test says so. */
class HeldSink implements ByteSink {
  readonly name = "held";
  position = 0;
  readonly calls: string[] = [];
  #release: (() => void)[] = [];
  failure: Error | null = null;

  write(bytes: Uint8Array): Promise<void> {
    this.position += bytes.length;
    return this.#held(`write ${bytes.length}`);
  }

  writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#held(`writeAt ${offset} ${bytes.length}`);
  }

  async flush(): Promise<void> {
    this.calls.push("flush");
  }

  async close(): Promise<void> {
    this.calls.push("close");
  }

  async abort(): Promise<void> {
    this.calls.push("abort");
  }

  /** Lets the write under way end. */
  async release(): Promise<void> {
    await begun();
    this.#release.shift()!();
    await begun();
  }

  #held(call: string): Promise<void> {
    this.calls.push(call);
    return new Promise((resolve, reject) => {
      this.#release.push(() => (this.failure === null ? resolve() : reject(this.failure)));
    });
  }
}

describe("writing behind", () => {
  test("gives the sink one write after the other, in the order of the calls", async () => {
    const sink = new HeldSink();
    const behind = new WriteBehind(sink);
    behind.write(new Uint8Array(3));
    behind.writeAt(1, new Uint8Array(2));
    behind.write(new Uint8Array(4));
    expect(behind.position).toBe(7);
    await begun();
    expect(sink.calls).toEqual(["write 3"]);
    await sink.release();
    expect(sink.calls).toEqual(["write 3", "writeAt 1 2"]);
    await sink.release();
    await sink.release();
    expect(sink.calls).toEqual(["write 3", "writeAt 1 2", "write 4"]);
    await behind.close();
    expect(sink.calls.at(-1)).toBe("close");
  });

  test("asks the caller to wait while more than the limit waits", async () => {
    const sink = new HeldSink();
    const behind = new WriteBehind(sink, 10);
    behind.write(new Uint8Array(10));
    expect(behind.ready).toBe(null);
    behind.write(new Uint8Array(6));
    const { ready } = behind;
    expect(ready).not.toBe(null);
    expect(behind.ready).toBe(ready);
    let isReady = false;
    void ready!.then(() => {
      isReady = true;
    });
    await begun();
    expect(isReady).toBe(false);
    await sink.release();
    expect(behind.ready).toBe(null);
    await sink.release();
    expect(isReady).toBe(true);
  });

  test("has given the sink its next write when a caller who waited goes on, who may keep the thread", async () => {
    const sink = new HeldSink();
    const behind = new WriteBehind(sink, 10);
    for (let n = 0; n < 3; n++) behind.write(new Uint8Array(5));
    const calls = behind.ready!.then(() => [...sink.calls]);
    await sink.release();
    expect(await calls).toEqual(["write 5", "write 5"]);
  });

  test("tells a failed write to all that wait, and writes nothing more", async () => {
    const sink = new HeldSink();
    const behind = new WriteBehind(sink, 1);
    behind.write(new Uint8Array(5));
    behind.write(new Uint8Array(6));
    const { ready } = behind;
    sink.failure = new Error("disk full");
    await sink.release();
    await expect(ready).rejects.toBe(sink.failure);
    await expect(behind.ready).rejects.toBe(sink.failure);
    await expect(behind.flush()).rejects.toBe(sink.failure);
    await expect(behind.close()).rejects.toBe(sink.failure);
    behind.write(new Uint8Array(1));
    await behind.abort();
    expect(sink.calls).toEqual(["write 5", "abort"]);
  });

  test("what is aborted waits for the write under way and leaves nothing; what is closed stays", async () => {
    const sink = new HeldSink();
    const behind = new WriteBehind(sink);
    behind.write(new Uint8Array(5));
    behind.write(new Uint8Array(5));
    await begun();
    const aborted = behind.abort();
    await sink.release();
    await aborted;
    await behind.abort();
    await behind.close();
    expect(sink.calls).toEqual(["write 5", "abort"]);
    const files = new MemoryFiles("a");
    const closed = new WriteBehind(await files.open());
    closed.write(Uint8Array.of(1, 2));
    closed.writeAt(0, Uint8Array.of(7));
    await closed.close();
    await closed.abort();
    await closed.close();
    expect(files.bytes).toEqual(Uint8Array.of(7, 2));
  });

  test("gives the memory of a piece back when the sink is done with it, and not before", async () => {
    const sink = new HeldSink();
    const behind = new WriteBehind(sink);
    const piece = new Uint8Array(64);
    behind.writeOwn(piece);
    await begun();
    expect(behind.memory(64)).toBe(64);
    await sink.release();
    await begun();
    expect(behind.memory(65), "too small for that").toBe(65);
    expect(behind.memory(64)).toBe(piece.buffer);
    expect(behind.memory(64), "once").toBe(64);
  });
});
