import { afterEach, expect, test, vi } from "vitest";
import type { Ask, PageMessage, Place } from "../src/protocol.ts";
import { Session } from "../src/session.ts";

const asked: Ask<"play">[] = [];

/** Opens whatever it is asked for, and plays nothing: no frame ever comes. */
class SilentWorker extends EventTarget {
  postMessage(message: PageMessage): void {
    if (message.type === "cancel") return;
    const { id, name, ask } = message;
    if (name === "play") asked.push(ask as Ask<"play">);
    const answer = name === "open" ? { recording: id, timeline: { start: 0, end: 9e9 } } : null;
    queueMicrotask(() => this.dispatchEvent(new MessageEvent("message", { data: { type: "answer", id, answer } })));
  }
}

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

function placeOf(name: string): Place {
  return { kind: "url", name, url: `https://example.org/${name}` };
}
