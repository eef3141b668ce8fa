import { AXES as HCRP } from "../../src/formats/hcrp/meaning/scene.ts";
import { type Axes, standardAxes, type State, type StateModel, type Value } from "../../src/index.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame } from "../../src/play/frame.ts";
import { Patcher, patched, type StatePatch } from "../../src/play/patch.ts";
import { type Player, play, type PlayerStatus } from "../../src/play/player.ts";
import type { PlayerMessage, Port } from "../../src/play/protocol.ts";
import { connectPlayer, type RemotePlayer } from "../../src/play/remote.ts";
import { servePlayer } from "../../src/play/serve.ts";
import { SOUND } from "../specimens.ts";
import { CountingReader, lastOf, recordingOf, STEP } from "./fake.ts";
import { ManualClock, settled } from "./manual-clock.ts";
import { expectSame, opened } from "./truth.ts";

interface Pair {
  readonly clock: ManualClock;
  readonly local: Player;
  readonly remote: RemotePlayer;
  /** Settles when the watcher has left. */
  readonly served: Promise<void>;
  readonly messages: PlayerMessage[];
  close(): void;
}

/** Counts, and says so in values of which one is in a group. */
class BulkReader extends CountingReader {
  override readonly state: StateModel;

  constructor(count: number) {
    super(count);
    const counting = new CountingReader(0).state;
    this.state = {
      ...counting,
      apply: (state, batch, i) => {
        counting.apply(state, batch, i);
        const last = (state.value("count") as number) - 1;
        state.setValue("bulk/last", [last]);
        state.setValue("bulky", last);
      },
    };
  }
}

/** A player, and one at the other end of a real channel. */
function pairOf(local: Player, clock: ManualClock): Pair {
  const { port1, port2 } = new MessageChannel();
  const messages: PlayerMessage[] = [];
  port2.addEventListener("message", ({ data }) => void messages.push(data as PlayerMessage));
  const served = servePlayer(local, port1);
  const remote = connectPlayer(port2);
  return { clock, local, remote, served, messages, close: () => port1.close() };
}

/** Goes on in small steps, so that messages cross the channel in between. */
async function advance(clock: ManualClock, span: number): Promise<void> {
  for (let gone = 0; gone < span; gone += 20e6) {
    await clock.advance(20e6);
    await settled(4);
  }
}

const ROOM: Axes = { ...standardAxes("left", "y"), own: { forward: "z", up: "y" }, tickRate: 90 };

describe("a player at the other end of a channel", () => {
  test("is the same as one at hand: commands, status and frames", async () => {
    const clock = new ManualClock();
    const reader = new CountingReader(1000);
    const ghosts = [{ recording: recordingOf(new CountingReader(500)), rate: 0.5 }];
    const pair = pairOf(play(recordingOf(reader), { clock, ghosts, interpolate: false }), clock);
    const { remote } = pair;
    const frames: Frame[] = [];
    const statuses: PlayerStatus[] = [];
    remote.subscribe((frame) => void frames.push(frame));
    remote.onStatus((status) => void statuses.push(status));
    expect(remote.status.phase).toBe("loading");
    await advance(clock, 20e6);
    expect(remote.status).toEqual(pair.local.status);
    remote.setRate(2);
    remote.setLoop({ start: 1e9, end: 2e9 });
    expect(await remote.seek(1.5e9)).toBe(true);
    expect(await remote.step(-1)).toBe(true);
    expect(remote.status.time).toBe(1.5e9 - STEP);
    remote.play();
    await advance(clock, 2e9);
    remote.pause();
    await advance(clock, 0.1e9);
    expect(remote.status).toEqual(pair.local.status);
    expect(remote.status).toMatchObject({ phase: "paused", rate: 2, loop: { start: 1e9, end: 2e9 } });
    expect(frames.length).toBeGreaterThan(50);
    for (const {
      time,
      state,
      ghosts: [ghost],
    } of frames) {
      expect(lastOf(state)).toBe(Math.floor(time / STEP));
      expect(lastOf(ghost!)).toBe(Math.floor(Math.round(time / 2) / STEP));
    }
    expect(frames.filter(({ cause }) => cause === "loop").length).toBe(4);
    expect(statuses.map(({ phase }) => phase)).toContain("playing");
    await remote.close();
    await pair.served;
    expect(remote.status.phase).toBe("closed");
    expect(pair.local.status.phase).toBe("paused");
    expect(await remote.seek(0)).toBe(false);
    pair.close();
  });

  test.each(SOUND.map((sound) => ({ ...sound, toString: () => sound.name })))(
    "of %s gets what was recorded beside what moves between the moments",
    async (sound) => {
      await using recording = await opened(sound);
      const { start, end } = await recording.timeline();
      const clock = new ManualClock();
      const pair = pairOf(play(recording, { clock }), clock);
      const frames: Frame[] = [];
      const remote: Frame[] = [];
      pair.local.subscribe((frame) => void frames.push(frame));
      pair.remote.subscribe((frame) => void remote.push(frame));
      for (const part of [0.31, 0.62, 0.63, 0.07, 1]) {
        const time = Math.round(start + part * (end - start));
        await pair.remote.seek(time);
        await settled(6);
        for (const shown of [frames.at(-1)!, remote.at(-1)!]) {
          expect(shown.time).toBe(time);
          expectSame(shown.recorded, await recording.state(time), `recorded at ${time}`);
          expectSame(shown.state, await recording.state(time, { interpolate: true }), `shown at ${time}`);
        }
      }
      pair.close();
    },
  );

  test("gets the newest frame when it has taken the last, and never a queue of them", async () => {
    const clock = new ManualClock();
    const pair = pairOf(play(recordingOf(new CountingReader(1000)), { clock, interpolate: false }), clock);
    const times: number[] = [];
    let take: () => void = () => undefined;
    pair.remote.subscribe(({ time }) => {
      times.push(time);
      return new Promise((resolve) => {
        take = resolve;
      });
    });
    const watched: number[] = [];
    pair.local.subscribe(({ time }) => void watched.push(time));
    pair.local.play();
    await advance(clock, 1e9);
    expect(watched.length).toBeGreaterThan(40);
    expect(pair.messages.filter(({ type }) => type === "frame")).toHaveLength(1);
    take();
    await settled(6);
    take();
    await settled(6);
    expect(times[1]).toBeGreaterThan(0.9e9);
    pair.close();
  });

  test("need not get all values: of those it spares it has the names, and gets them again when it wants them", async () => {
    const clock = new ManualClock();
    const pair = pairOf(play(recordingOf(new BulkReader(1000)), { clock, interpolate: false }), clock);
    const frames: Frame[] = [];
    pair.remote.subscribe((frame) => void frames.push(frame));
    pair.remote.omitValues(["bulk"]);
    await advance(clock, 20e6);
    await pair.remote.seek(0.5e9);
    const spared = new Map<string, unknown>([
      ["count", 51],
      ["sum", 1275],
      ["bulk/last", undefined],
      ["bulky", 50],
    ]);
    expect(frames.at(-1)!.state.values).toEqual(spared);
    expect([...frames.at(-1)!.state.values.keys()]).toContain("bulk/last");
    pair.remote.omitValues([]);
    await settled(6);
    const { time, since, cause, state } = frames.at(-1)!;
    expect(state.values).toEqual(new Map(spared).set("bulk/last", [50]));
    // nothing has been anywhere else meanwhile
    expect({ time, since, cause }).toEqual({ time: 0.5e9, since: 0.5e9, cause: "play" });
    const count = frames.length;
    pair.remote.omitValues(["bulk"]);
    pair.remote.play();
    await advance(clock, 1e9);
    expect(frames.length).toBeGreaterThan(count + 40);
    for (const { state } of frames.slice(count)) {
      expect(state.values.get("bulk/last")).toBe(undefined);
      expect(state.values.get("bulky")).toBe(lastOf(state));
    }
    const sent = pair.messages.slice(-20).filter((message) => message.type === "frame");
    expect(sent.flatMap(({ recorded }) => recorded.values.put.map(([name]) => name))).not.toContain("bulk/last");
    pair.close();
  });

  test("that spares while a frame is not taken still gets one at a time", async () => {
    const clock = new ManualClock();
    const pair = pairOf(play(recordingOf(new BulkReader(1000)), { clock, interpolate: false }), clock);
    const takes: (() => void)[] = [];
    pair.remote.subscribe(() => new Promise((resolve) => void takes.push(resolve)));
    pair.local.play();
    await advance(clock, 0.1e9);
    pair.remote.omitValues(["bulk"]);
    pair.remote.omitValues([]);
    await advance(clock, 0.1e9);
    for (let n = 0; n < 20; n++) {
      const before = pair.messages.filter(({ type }) => type === "frame").length;
      takes.shift()?.();
      await advance(clock, 0.1e9);
      const after = pair.messages.filter(({ type }) => type === "frame").length;
      expect(after - before).toBeLessThanOrEqual(n === 0 ? 3 : 1);
      if (n > 3) expect(after).toBe(before + 1);
    }
    pair.close();
  });

  test("lets the player go on when it leaves in the middle of a frame", async () => {
    const clock = new ManualClock();
    const pair = pairOf(play(recordingOf(new CountingReader(1000)), { clock }), clock);
    pair.remote.subscribe(() => new Promise(() => undefined));
    pair.remote.play();
    await advance(clock, 0.2e9);
    const seek = pair.remote.seek(1e9);
    await pair.remote.close();
    expect(await seek).toBe(false);
    await pair.served;
    await advance(clock, 1e9);
    expect(pair.local.status.time).toBeGreaterThan(0.9e9);
    pair.close();
  });

  test("is left when the server says so", async () => {
    const leaving = new AbortController();
    const { port1, port2 } = new MessageChannel();
    const player = play(recordingOf(new CountingReader(10)), { clock: new ManualClock() });
    const served = servePlayer(player, port1, leaving.signal);
    leaving.abort();
    await served;
    await servePlayer(player, port1, leaving.signal);
    port1.close();
    port2.close();
  });

  test("is reported of commands that are none, which change nothing", async () => {
    const clock = new ManualClock();
    const pair = pairOf(play(recordingOf(new CountingReader(10)), { clock }), clock);
    expect(() => pair.remote.setRate(0)).toThrow(RangeError);
    expect(() => pair.remote.seek(Number.NaN)).toThrow(RangeError);
    const said: unknown[] = [];
    let hear: (event: Event) => void = () => undefined;
    const port: Port = {
      postMessage: (message) => void said.push(message),
      addEventListener: (_, listener) => {
        hear = listener;
      },
      removeEventListener: () => undefined,
    };
    void servePlayer(pair.local, port);
    for (const data of [
      { type: "rate", rate: "fast" },
      { type: "seek", id: 1, time: null },
      { type: "omit-values", groups: 7 },
      { type: "dance" },
      null,
    ]) {
      hear(new MessageEvent("message", { data }));
    }
    expect(said.filter((message) => (message as PlayerMessage).type === "refused")).toHaveLength(5);
    expect(pair.local.status.rate).toBe(1);
    pair.close();
  });
});

describe("a patch", () => {
  test.each(SOUND.map((sound) => ({ ...sound, toString: () => sound.name })))(
    "from any state of %s to any other survives the clone, and says only what is new",
    async (sound) => {
      await using recording = await opened(sound);
      const { start, end } = await recording.timeline();
      const patcher = new Patcher();
      let state: State | null = null;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: start, max: end }), fc.boolean(), async (time, interpolate) => {
          const next = await recording.state(time, { interpolate });
          const transfer: ArrayBuffer[] = [];
          const patch = structuredClone(patcher.next(next, transfer), { transfer });
          const before: State | null = structuredClone(state);
          const after = patched(state, patch);
          expectSame(after, next, `at ${time}`);
          expect(after.time).toBe(time);
          if (state !== null) expectSame(state, before!, "the one before");
          state = after;
          const again = patcher.next(await recording.state(time, { interpolate }), []);
          expect(again.sets).toEqual({ put: [], drop: [] });
        }),
        { numRuns: 6 },
      );
    },
  );

  test("says of values that are spared only that they are there, whatever is spared when", () => {
    const names = ["a/1", "a/2", "ab/1", "b/1/x", "b"];
    const values = fc
      .dictionary(fc.constantFrom(...names), fc.integer({ min: 0, max: 2 }))
      .map((members) => new Map<string, Value>(Object.entries(members).map(([name, number]) => [name, [number]])));
    const beginnings = fc.subarray(["a/", "b/"]);
    fc.assert(
      fc.property(fc.array(fc.tuple(values, beginnings), { maxLength: 12 }), (steps) => {
        const patcher = new Patcher();
        let shown: State | null = null;
        for (const [time, [values, spared]] of steps.entries()) {
          patcher.omitValues(spared);
          const state: State = { time, values, sets: new Map() };
          shown = patched(shown, structuredClone(patcher.next(state, [])));
          const wanted = [...values].map(([name, value]) => {
            return [name, spared.some((beginning) => name.startsWith(beginning)) ? undefined : value] as const;
          });
          expect(shown.values).toEqual(new Map<string, unknown>(wanted));
          expect(new Set(shown.values.keys())).toEqual(new Set(values.keys()));
          const again = patcher.next(state, []);
          expect(again.values).toEqual({ put: [], drop: [] });
          patcher.omitValues([]);
          shown = patched(shown, structuredClone(patcher.next(state, [])));
          expect(shown.values).toEqual(values);
        }
      }),
    );
  });

  test("transfers copies: what the recording holds stays whole", () => {
    const data = new Float32Array([1, 2, 3]);
    const bytes = new Uint8Array(1000).subarray(10, 13);
    const position = { data, width: 3, unit: "m", interpolation: "linear" } as const;
    const state: State = {
      time: 1,
      values: new Map([["map", { image: bytes, list: [bytes, 1, null] }]]),
      sets: new Map([["cars", { ids: [7], axes: ROOM, columns: new Map([["position", position]]) }]]),
    };
    const transfer: ArrayBuffer[] = [];
    const patch = new Patcher().next(state, transfer);
    const sent: StatePatch = structuredClone(patch, { transfer });
    expect(transfer).toHaveLength(1);
    expect([...data]).toEqual([1, 2, 3]);
    const image = (sent.values.put[0]![1] as { image: Uint8Array }).image;
    expect(image.buffer.byteLength).toBe(3);
    expect(patched(null, sent)).toEqual(state);
  });

  test("says once what the numbers of a set mean", () => {
    const at = (x: number, axes: Axes): State => {
      const position = { data: Float64Array.of(x, 0, 0), width: 3, unit: "m", interpolation: "linear" } as const;
      return {
        time: x,
        values: new Map(),
        sets: new Map([["cars", { ids: [7], axes, columns: new Map([["position", position]]) }]]),
      };
    };
    const patcher = new Patcher();
    const next = (shown: State | null, state: State): State => patched(shown, structuredClone(patcher.next(state, [])));
    const first = next(null, at(1, ROOM));
    const second = next(first, at(2, ROOM));
    const third = next(second, at(3, HCRP));
    expect([first, second, third]).toEqual([at(1, ROOM), at(2, ROOM), at(3, HCRP)]);
    expect(second.sets.get("cars")!.axes).toBe(first.sets.get("cars")!.axes);
  });
});
