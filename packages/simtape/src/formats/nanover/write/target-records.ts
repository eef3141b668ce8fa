import type { ByteSink } from "../../../io/sink/sink.ts";
import { RecordingError } from "../../../model/error.ts";
import type { Time } from "../../../model/values/time.ts";
import { CHANNEL_NAMES, FRAME, MICROSECOND, STATE } from "../layout/layout.ts";
import { type Content, VERSION, writeFileHeader } from "../layout/record.ts";
import { Outlet } from "./outlet.ts";
import type { Target } from "./target.ts";

/**
 * A v1 or v2 recording: the main file, and the one beside it when there are messages for it. Records are appended and
 * nothing else is ever written, so that a file cut at any place holds all messages before it (spec §5).
 */
export class RecordTarget implements Target {
  readonly #version: 1 | 2;
  readonly #main: number;
  /** By channel. */
  readonly #outlets: readonly [Outlet, Outlet];
  readonly #counts: [number, number] = [0, 0];

  /** `main` is what the main file holds; both sinks are taken over. */
  constructor(version: 1 | 2, main: Content, sink: ByteSink, beside: ByteSink) {
    this.#version = version;
    this.#main = main === "frame" ? FRAME : STATE;
    const outlets = [new Outlet(sink, false), new Outlet(beside, false)] as const;
    this.#outlets = main === "frame" ? outlets : [outlets[1], outlets[0]];
    if (version === VERSION) for (const { out } of outlets) writeFileHeader(out, VERSION);
  }

  put(channel: number, time: Time, bytes: Uint8Array, _view: DataView, start: number, end: number): void {
    const microseconds = Math.round(time / MICROSECOND);
    if (!(microseconds >= 0 && microseconds <= Number.MAX_SAFE_INTEGER)) {
      throw new RangeError(`NanoVer v${this.#version} cannot hold the time ${time} ns`);
    }
    const outlet = this.#outlets[channel]!;
    outlet.out
      .i64le(microseconds)
      .i64le(0)
      .i64le(end - start); // spec §1
    outlet.out.raw(bytes.subarray(start, end));
    outlet.spill();
    this.#counts[channel]!++;
  }

  announce(id: number, name: string): void {
    if (id < CHANNEL_NAMES.length) return;
    throw new RangeError(`NanoVer v${this.#version} has the channels frame and state, and no ${JSON.stringify(name)}`);
  }

  get ready(): Promise<void> | null {
    return this.#outlets[FRAME].ready ?? this.#outlets[STATE].ready;
  }

  async flush(): Promise<void> {
    await Promise.all(this.#outlets.map((outlet) => outlet.flush()));
  }

  /** The file beside takes its name first, so that no main file is ever without it. */
  async finish(): Promise<void> {
    const main = this.#outlets[this.#main]!;
    const beside = this.#outlets[1 - this.#main]!;
    if (main.position === 0) {
      const word = CHANNEL_NAMES[this.#main];
      const message = `NanoVer v1 files have no header: one without ${word} messages would be empty`;
      throw new RecordingError("unsupported", message, { format: "nanover" });
    }
    if (this.#counts[1 - this.#main] === 0) await beside.abort();
    else {
      await main.flush();
      await beside.close();
    }
    await main.close();
  }

  async abort(): Promise<void> {
    await Promise.all(this.#outlets.map((outlet) => outlet.abort()));
  }
}
