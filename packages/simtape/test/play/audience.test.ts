import { describe, expect, test, vi } from "vitest";
import type { State } from "../../src/index.ts";
import { Audience, type Picture } from "../../src/play/audience.ts";
import type { Frame } from "../../src/play/frame.ts";
import type { Cause } from "../../src/play/transport.ts";
import { settled } from "./manual-clock.ts";

function picture(time: number, cause: Cause = "play"): Picture {
  const state: State = { time, values: new Map(), sets: new Map() };
  return { time, cause, state, recorded: state, ghosts: [] };
}

/** A listener that takes a frame when it is let. */
class SlowListener {
  readonly frames: Frame[] = [];
  #take: () => void = () => undefined;

  readonly listen = (frame: Frame): Promise<void> => {
    this.frames.push(frame);
    return new Promise((resolve) => {
      this.#take = resolve;
    });
  };

  async take(): Promise<void> {
    this.#take();
    await settled();
  }
}

describe("an audience", () => {
  test("gives a slow listener the newest frame when it is ready, and holds no other up", async () => {
    const audience = new Audience();
    const slow = new SlowListener();
    const quick: number[] = [];
    audience.join(slow.listen);
    audience.join(({ time }) => void quick.push(time));
    for (let time = 0; time < 100; time++) {
      audience.show(picture(time));
      await settled(1);
    }
    expect(slow.frames.map(({ time }) => time)).toEqual([0]);
    await slow.take();
    expect(slow.frames.map(({ time }) => time)).toEqual([0, 99]);
    expect(quick).toEqual(Array.from({ length: 100 }, (_, time) => time));
  });

  test("tells each listener since when it has seen everything pass, and where it has not", async () => {
    const audience = new Audience();
    const slow = new SlowListener();
    audience.join(slow.listen);
    audience.show(picture(1, "seek"));
    audience.show(picture(2));
    audience.show(picture(3));
    await slow.take();
    audience.show(picture(50, "seek"));
    audience.show(picture(51));
    await slow.take();
    audience.show(picture(52));
    await slow.take();
    expect(slow.frames.map(({ time, since, cause }) => [time, since, cause])).toEqual([
      [1, null, "seek"],
      [3, 1, "play"],
      [51, null, "seek"],
      [52, 51, "play"],
    ]);
  });

  test("shows who comes late what is there", () => {
    const audience = new Audience();
    audience.show(picture(7));
    const frames: Frame[] = [];
    audience.join((frame) => void frames.push(frame));
    expect(frames).toMatchObject([{ time: 7, since: null, cause: "seek" }]);
  });

  test("is free when one of them is, or one leaves, or none is there", async () => {
    const audience = new Audience();
    expect(audience.whenFree()).toBeNull();
    const a = new SlowListener();
    const b = new SlowListener();
    audience.join(a.listen);
    const leave = audience.join(b.listen);
    audience.show(picture(1));
    const free = vi.fn<() => void>();
    void audience.whenFree()!.then(free);
    await settled();
    expect(free).not.toHaveBeenCalled();
    await a.take();
    expect(free).toHaveBeenCalledOnce();
    audience.show(picture(2));
    void audience.whenFree()!.then(free);
    leave();
    await settled();
    expect(free).toHaveBeenCalledTimes(2);
  });

  test("gives nothing to who has left, though it waited", async () => {
    const audience = new Audience();
    const slow = new SlowListener();
    const leave = audience.join(slow.listen);
    audience.show(picture(1));
    audience.show(picture(2));
    leave();
    await slow.take();
    expect(slow.frames).toHaveLength(1);
  });
});
