import { expect, test } from "vitest";
import { type Keeper, Session } from "../../src/live/session.ts";

/** Keeps the times of messages. */
class Times implements Keeper {
  readonly kept: number[] = [];
  readonly ready = null;
  channel(): number {
    return 0;
  }
  write(_channel: number, _arrival: number, time: number): void {
    this.kept.push(time);
  }
  describe(): void {}
  gap(): void {}
  lost(): void {}
}

test.each([
  ["by a second is late", 1e9, 0, [0, 2e9, 1e9]],
  ["by more than a second has begun again", 1e9 + 1, 1, [0, 2e9, 3e9]],
])("a clock of the source that falls back %s", (_, back, falls, times) => {
  const keeper = new Times();
  let now = 0;
  const session = new Session(keeper, () => now);
  const payload = new Uint8Array(1);
  session.write(0, payload, 50e9);
  now = 2e9;
  session.write(0, payload, 52e9);
  now = 3e9;
  session.write(0, payload, 52e9 - back);
  expect(session.clockFalls).toBe(falls);
  expect(keeper.kept).toEqual(times);
});
