import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Clock, type ConnectionEvents, type FromServer, positionAt, RoomClient } from "../../src/rooms/index.ts";

const CLOCK: Clock = { anchor: 3, wall: 1e12, rate: 1, speed: 1, loop: null, span: { start: 0, end: 600 } };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server whose time is that of the test and `ahead`, and which hears and is heard when the test says so. */
function room() {
  let now = 500;
  let ahead = 1e12 + 7000;
  let events: ConnectionEvents | null = null;
  let asked: number[] = [];
  const client = new RoomClient({
    ...{ url: "", name: "Ada", secret: "s", now: () => now },
    connect: (_, made) => {
      events = made;
      return {
        close: () => undefined,
        send: (text) => {
          const { type, sent } = JSON.parse(text) as { type: string; sent: number };
          if (type === "ping") asked.push(sent);
        },
      };
    },
  });
  const say = (message: unknown): void => events!.heard(JSON.stringify(message as FromServer));
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    vi.advanceTimersByTime(milliseconds);
  };
  return {
    client,
    pass,
    welcome: () => {
      events!.opened();
      say({
        type: "welcome",
        you: "a",
        lead: { clock: CLOCK, leader: null, generation: 1 },
        members: [],
        count: 1,
        notes: [],
      });
    },
    /** All that was asked is answered: heard by the server after `there` milliseconds, by a busy client after `back` more. */
    answer: (there: number, back: number) => {
      const sent = asked;
      asked = [];
      const times = sent.map((one) => ({ sent: one, time: now + there + ahead }));
      // a page that is busy does not ask meanwhile
      now += there + back;
      for (const one of times) say({ type: "pong", ...one });
    },
    /** Until the client asks, within a second. */
    untilAsked: () => {
      asked = [];
      for (let ms = 0; ms < 1000 && asked.length === 0; ms++) pass(1);
    },
    restart: (by: number) => {
      events!.closed(1006);
      ahead += by;
      pass(5000);
    },
    off: () => client.position()! - positionAt(CLOCK, now + ahead),
  };
}

test("one who comes is nowhere until the time of the server is known, and then exactly where all are", () => {
  const { client, welcome, answer, off } = room();
  welcome();
  expect(client.position()).toBe(null);
  answer(4, 4);
  expect(off()).toBe(0);
  client.close();
});

test("one whose page is busy as it comes asks again until it knows the time exactly", () => {
  const { client, welcome, answer, pass, untilAsked, off } = room();
  welcome();
  for (let ping = 0; ping < 8; ping++) {
    answer(2, 5400);
    pass(400);
  }
  expect(Math.abs(off())).toBeGreaterThan(2);
  untilAsked();
  answer(2, 2);
  expect(off()).toBe(0);
  client.close();
});

test("behind a restart the time of the new server counts, however well that of the old one was known", () => {
  const { client, welcome, answer, restart, off } = room();
  welcome();
  answer(1, 1);
  expect(off()).toBe(0);
  restart(-2200);
  // until it answers the clock goes on
  expect(off()).toBeCloseTo(2.2, 9);
  welcome();
  answer(9, 9);
  expect(off()).toBe(0);
  client.close();
});
