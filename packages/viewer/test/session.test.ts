import type { PlayerCommand, PlayerMessage, PlayerStatus } from "simtape";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addressOf } from "../src/address.ts";
import { hashOf, type Kept, keptIn } from "../src/kept.ts";
import type { Ask, PageMessage, Locator } from "../src/protocol.ts";
import { type OpenAt, Session } from "../src/session.ts";
import type { Thing } from "../src/subject.ts";
import { COMMANDS, shuttle } from "../src/transport/commands.ts";

const asked: Ask<"play">[] = [];

/** Opens whatever it is asked for, and plays nothing: no frame ever comes. */
class SilentWorker extends EventTarget {
  postMessage(message: PageMessage): void {
    if (message.type === "cancel") return;
    const { id, name, ask } = message;
    if (name === "play") asked.push(ask as Ask<"play">);
    const timeline = { start: 0, end: 9e9, epoch: 1_700_000_000_000_000_000n, tick: null };
    const answer = name === "open" ? { recording: id, timeline, showing: {} } : null;
    queueMicrotask(() => this.dispatchEvent(new MessageEvent("message", { data: { type: "answer", id, answer } })));
  }
}

/** A page without anything that a server can write into it. */
beforeEach(() => {
  vi.stubGlobal("document", { baseURI: "https://example.org/view/", querySelector: () => null });
  vi.stubGlobal("location", { href: "https://example.org/view/", origin: "https://example.org" });
});

afterEach(() => {
  for (const { port } of asked.splice(0)) (port as MessagePort).close();
  vi.unstubAllGlobals();
});

test("a ghost added before the first frame leaves time, rate and loop as they were asked for", async () => {
  vi.stubGlobal("Worker", SilentWorker);
  const session = new Session();
  const from = { at: 3.25e9, rate: -2, loop: { start: 1e9, end: 5e9 } };
  session.leaveAt(from);
  await session.open(placeOf("a"));
  await session.addGhost(placeOf("b"));
  await session.addGhost(placeOf("c"), { offset: 1e9 });
  expect(asked.map(({ at, rate, loop, ghosts }) => ({ at, rate, loop, ghosts: ghosts.length }))).toEqual(
    [0, 1, 2].map((ghosts) => ({ ...from, ghosts })),
  );
});

test("what plays plays on when two ghosts come at once, and both are there", async () => {
  vi.stubGlobal("Worker", SilentWorker);
  const session = new Session();
  await session.open(placeOf("a"));
  session.play();
  await Promise.all([session.addGhost(placeOf("b")), session.addGhost(placeOf("c"))]);
  expect(session.state.value).toMatchObject({ phase: "open", opening: null, isPlaying: true });
  expect(session.state.value.decks.map(({ place }) => place.name)).toEqual(["a", "b", "c"]);
  const { port } = asked.at(-1)!;
  const said = await new Promise((resolve) =>
    (port as MessagePort).addEventListener("message", ({ data }: MessageEvent<PlayerCommand>) => {
      if (data.type !== "omit-values") resolve(data);
    }),
  );
  expect(said).toEqual({ type: "play" });
});

test("every press of J, K and L counts, however late the player tells what it does", async () => {
  const { session, said, tell } = await opened({});
  const reported = { phase: "playing", time: 0, loop: null, bounds: null, error: null } as const;
  for (const _ of [1, 2, 3]) shuttle(session, 1);
  await tell({ ...reported, rate: 1 });
  expect(session.state.value).toMatchObject({ isPlaying: true, status: { phase: "playing", rate: 4 } });
  session.pause();
  await tell({ ...reported, rate: 4 });
  expect(session.isPlaying).toBe(false);
  shuttle(session, -1);
  await tell({ ...reported, phase: "paused", rate: 4 });
  shuttle(session, -1);
  expect(session.state.value).toMatchObject({ isPlaying: true, status: { rate: -2 } });
  await tell({ ...reported, phase: "ended", rate: -2 });
  expect(session.isPlaying).toBe(false);
  const rates = said().flatMap((command) => (command.type === "rate" ? [command.rate] : []));
  expect(rates).toEqual([1, 2, 4, -1, -2]);
});

test("two edges of a loop that are set at once are one loop", async () => {
  const { session } = await opened({ at: 2e9 });
  const edges = COMMANDS.filter(({ keys }) => keys.includes("[") || keys.includes("]"));
  edges[0]!.run(session);
  void session.seek(4e9);
  edges[1]!.run(session);
  expect(session.state.value.status.loop).toEqual({ start: 2e9, end: 4e9 });
});

test("a loop without a length is refused with a notice, and the loop before it stays", async () => {
  const { session, said } = await opened({});
  const loop = { start: 2e9, end: 5e9 };
  session.setLoop(loop);
  session.setLoop({ start: 3e9, end: 3e9 });
  expect(session.state.value).toMatchObject({ notice: expect.stringContaining("only one moment"), status: { loop } });
  session.setLoop(null);
  await turn();
  expect(session.state.value.status.loop).toBe(null);
  expect(said().flatMap((command) => (command.type === "loop" ? [command.range] : []))).toEqual([loop, null]);
});

test.each([
  ["behind it", 7e9, 1, 2e9],
  ["behind it, backwards", 1e9, -1, 5e9],
  ["in it", 3e9, 1, null],
  ["at its end", 5e9, 1, null],
  ["before it", 1e9, 1, null],
])("playing enters the loop from %s", async (_, at, rate, entry) => {
  const { session, said } = await opened({ at, rate, loop: { start: 2e9, end: 5e9 } });
  session.play();
  await turn();
  const seeks = said().flatMap((command) => (command.type === "seek" ? [command.time] : []));
  expect(seeks).toEqual(entry === null ? [] : [entry]);
  expect(said().at(-1)).toEqual({ type: "play" });
});

test("what already plays behind the loop plays on there", async () => {
  const { session, said } = await opened({ at: 7e9, loop: { start: 8e9, end: 9e9 } });
  session.play();
  session.setLoop({ start: 2e9, end: 5e9 });
  shuttle(session, 1);
  await turn();
  expect(said().filter(({ type }) => type === "seek")).toEqual([]);
});

test("the address has the time before the first frame, and everything else that was asked for", async () => {
  vi.stubGlobal("Worker", SilentWorker);
  const session = new Session();
  await session.open(placeOf("a"), { at: 3.25e9, rate: -2, loop: { start: 1e9, end: 5e9 } });
  await session.addGhost({ kind: "url", name: "b", url: "https://example.org/view/b" }, { offset: 1e9 });
  const address = new URL(addressOf(session));
  expect(address.searchParams.get("url")).toBe("https://example.org/a");
  const kept = { t: 3.25, rate: -2, loop: { start: 1e9, end: 5e9 }, ghosts: [{ offset: 1e9, url: "b" }] };
  expect(keptIn(address.hash)).toEqual(kept);
  expect(session.time).toBe(3.25e9);
});

test.each([
  ["nothing", "", {}],
  ["no JSON", "#%7Bt", {}],
  ["wrong percent signs", "#%E0%A4%A", {}],
  ["a list", "#[1]", {}],
  [
    "parts of the wrong kind",
    '#{"t":"1","rate":0,"loop":{"start":2,"end":1},"ghosts":[{}],"selection":{"kind":"thing"}}',
    {},
  ],
  ["one part of use", '#{"t":1.5,"rate":65,"shared":[]}', { t: 1.5 }],
])("of an address with %s behind the # only what can be used is taken", (_, hash, kept) => {
  expect(keptIn(hash)).toEqual(kept);
});

test("the loop over everything stands in the address as times", async () => {
  const { session } = await opened({});
  session.setLoop(session.bounds);
  expect(keptIn(new URL(addressOf(session)).hash).loop).toEqual({ start: 0, end: 9e9 });
});

test("the subject is what was selected last, stays when something else is, and gives way only when it was not chosen", async () => {
  const { session } = await opened({});
  const [amaya, dov] = [1, 2].map((id) => ({ set: "players", id })) as [Thing, Thing];
  const subject = (): unknown => session.state.value.subject;
  expect(subject()).toBe(null);
  session.regard(amaya);
  expect(subject()).toEqual({ ...amaya, isChosen: false });
  session.select({ kind: "thing", ...dov });
  session.regard(amaya);
  session.select({ kind: "byte", offset: 7 });
  expect(subject()).toEqual({ ...dov, isChosen: true });
  expect(keptIn(new URL(addressOf(session)).hash)).toMatchObject({ selection: { kind: "byte" }, subject: dov });
  session.select(null);
  expect(subject()).toBe(null);
  session.regard(amaya);
  expect(subject()).toEqual({ ...amaya, isChosen: false });
  await session.open(placeOf("b"), { selection: { kind: "byte", offset: 7 }, subject: dov });
  expect(subject()).toEqual({ ...dov, isChosen: true });
  await session.open(placeOf("c"), { selection: { kind: "thing", ...amaya } });
  expect(subject()).toEqual({ ...amaya, isChosen: true });
});

/** All that an address can hold. */
const KEPT: fc.Arbitrary<Kept> = (() => {
  const time = fc.integer({ min: -(2 ** 50), max: 2 ** 50 });
  const rate = fc.double({ min: 1e-3, max: 64, noNaN: true });
  const url = fc.string({ unit: "binary" });
  const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  const selection = fc.oneof(
    fc.record({ kind: fc.constant("thing" as const), set: url, id: fc.oneof(url, time) }),
    fc.record({ kind: fc.constant("message" as const), time, sequence: fc.nat() }),
    fc.record({ kind: fc.constant("byte" as const), offset: fc.nat() }),
  );
  const align = fc.record({ main: time, ghost: time });
  const ghost = fc.record({ url, offset: time, rate, align }, { requiredKeys: ["url"] });
  const loop = fc.tuple(time, fc.integer({ min: 1, max: 2 ** 40 })).map(([start, by]) => ({ start, end: start + by }));
  const kept = {
    t: time.map((at) => at / 1e9),
    rate: fc.oneof(
      rate,
      rate.map((one) => -one),
    ),
    loop,
    selection,
    subject: fc.record({ set: url, id: fc.oneof(url, time) }),
    ghosts: fc.array(ghost, { minLength: 1, maxLength: 3 }),
    shared: fc.dictionary(url, json),
  };
  return fc.record(kept, { requiredKeys: [] });
})();

test("what is written into an address is read from it again; what it cannot hold is left out", () => {
  const through = (kept: Kept): Kept => {
    const url = new URL("https://example.org/view/");
    url.hash = hashOf(kept);
    return keptIn(url.hash);
  };
  fc.assert(
    fc.property(KEPT, (kept) => {
      expect(through(kept)).toEqual(kept);
      expect(Math.round((through(kept).t ?? 0) * 1e9) / 1e9).toBe(kept.t ?? 0);
    }),
  );
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
  });
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("t", "rate", "loop", "selection", "subject", "ghosts", "shared"), anything),
      (bad) => {
        const once = through(bad as Kept);
        expect(through(once)).toEqual(once);
      },
    ),
  );
});

/** A session with one recording of nine seconds, what it says to the player, and the player's own words. */
async function opened(from: OpenAt) {
  vi.stubGlobal("Worker", SilentWorker);
  const session = new Session();
  await session.open(placeOf("a"), from);
  const port = asked.at(-1)!.port as MessagePort;
  const commands: PlayerCommand[] = [];
  port.addEventListener("message", ({ data }: MessageEvent<PlayerCommand>) => void commands.push(data));
  port.start();
  const tell = async (status: PlayerStatus): Promise<void> => {
    port.postMessage({ type: "status", status } satisfies PlayerMessage);
    await turn();
  };
  return { session, said: () => commands, tell };
}

/** Until messages under way have come. */
async function turn(): Promise<void> {
  for (let n = 0; n < 3; n++) await new Promise((resolve) => setTimeout(resolve));
}

function placeOf(name: string): Locator {
  return { kind: "url", name, url: `https://example.org/${name}` };
}
