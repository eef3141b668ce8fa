import { expect, test } from "vitest";
import type { Opened } from "../../src/protocol.ts";
import type { Deck, Session } from "../../src/session.ts";
import { Activity } from "../../src/timeline/activity.ts";
import { lanesOf } from "../../src/timeline/lanes.ts";

test("what is reported by marks has no second lane of the same name", () => {
  const opened = openedWith(["pose", "chat"]);
  const marks = [{ time: 1e9, kind: "chat", label: "hello" }];
  const lanes = lanesOf({ channels: opened.channels, marks, spread: null }, [deckOf(opened)], true);
  expect(lanes.map(({ kind, name }) => [kind, name])).toEqual([
    ["marks", "chat"],
    ["all", "▾ messages"],
    ["channel", "pose"],
  ]);
});

test("all messages have one lane behind what happened, until they are wanted by channel", () => {
  const marks = [{ time: 1e9, kind: "chat", label: "hello" }];
  const reported = (names: readonly string[], spread: Float64Array | null = null): unknown[] => {
    const opened = openedWith(names);
    return lanesOf({ channels: opened.channels, marks, spread }, [deckOf(opened)]).map(({ name }) => name);
  };
  expect(reported(["pose", "lidar"])).toEqual(["chat", "▸ messages"]);
  expect(reported(["pose"])).toEqual(["chat", "messages"]);
  expect(reported([], new Float64Array(4))).toEqual(["chat", "messages"]);
  expect(reported([])).toEqual(["chat"]);
});

test("lanes can be reported while the activity is still that of a recording with more channels", async () => {
  const [before, after] = [openedWith(["frames", "actors", "lights"]), openedWith(["pose"])];
  const session = { query: answer };
  function answer(name: string, { columns }: { columns: number }): Promise<unknown> {
    return name === "density" ? counted(before, columns) : new Promise(() => undefined);
  }
  const activity = await new Promise<Activity>((resolve) => {
    const made: Activity = new Activity(
      session as unknown as Session,
      before,
      { kind: "files", name: "", files: [] },
      () => resolve(made),
    );
  });
  const names = (opened: Opened): string[] => lanesOf(activity, [deckOf(opened)], true).map(({ name }) => name);
  expect(names(before)).toEqual(["▾ messages", "frames", "actors", "lights"]);
  expect(names(after)).toEqual(["▾ messages", "frames", "actors", "lights"]);
});

function counted({ channels }: Opened, columns: number): Promise<Uint32Array> {
  return Promise.resolve(new Uint32Array(channels.length * columns).fill(1));
}

function deckOf(opened: Opened): Deck {
  return { opened, place: { kind: "files", name: "any", files: [] }, placement: {} };
}

function openedWith(names: readonly string[]): Opened {
  const channels = names.map((name, id) => ({ id, name, schema: "", metadata: {} }));
  return { recording: 0, info: {}, timeline: { start: 0, end: 1e9 }, channels, motion: null, findings: [] } as never;
}
