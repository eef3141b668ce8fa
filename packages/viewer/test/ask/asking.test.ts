import type { State } from "simtape";
import { describe, expect, test } from "vitest";
import { Asking, extremeText, lengthText, spanAt } from "../../src/ask/asking.ts";
import { examplesFor } from "../../src/ask/examples.ts";
import type { Answered, Span } from "../../src/protocol.ts";

const span = (from: number, until = from): Span => ({ from, until, extreme: null, at: null, thing: null });
const part = (...spans: Span[]): Answered => ({ spans, measure: null, isInstant: false, isEnd: true });

/** A session whose queries are answered by hand. */
function byHand() {
  const asked: {
    readonly text: string;
    readonly signal: AbortSignal;
    readonly report: (partial: Answered) => void;
    readonly answer: (found: unknown) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  const query = (
    _name: string,
    { text }: { text: string },
    { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: unknown) => void },
  ) =>
    new Promise((answer, fail) => {
      signal.addEventListener("abort", () => fail(signal.reason));
      const report = (partial: Answered): void => onProgress({ done: 1, total: 4, partial });
      asked.push({ text, signal, report, answer, fail });
    });
  const asking = new Asking({ query } as never, { opened: { recording: 3 } } as never);
  return { asking, asked, known: () => asking.known.value };
}

describe("what is asked of a recording", () => {
  test("is known as far as it is found, in order of time", async () => {
    const { asking, asked, known } = byHand();
    const asking1 = asking.ask("speed > 1");
    expect(known()).toMatchObject({ text: "speed > 1", phase: "reading", spans: [] });
    asked[0]!.report(part(span(5, 6), span(2, 9)));
    expect(known()).toMatchObject({ phase: "reading", part: 0.25 });
    asked[0]!.answer(part(span(3, 12)));
    await asking1;
    expect(known().spans.map(({ from }) => from)).toEqual([2, 3, 5]);
    expect(known().phase).toBe("complete");
    await asking.ask("speed > 1");
    expect(asked).toHaveLength(1);
  });

  test("is what was typed last: an answer that comes late does not count", async () => {
    const { asking, asked, known } = byHand();
    const first = asking.ask("a");
    const second = asking.ask("b");
    expect(asked[0]!.signal.aborted).toBe(true);
    asked[0]!.report(part(span(1)));
    asked[1]!.answer({ ...part(span(7)), isEnd: false });
    await Promise.all([first, second]);
    expect(known()).toMatchObject({ text: "b", phase: "cut", spans: [span(7)] });
    await asking.ask("");
    expect(known()).toMatchObject({ text: "", spans: [], phase: "complete" });
  });

  test("may be wrong, or fail, and says why", async () => {
    const { asking, asked, known } = byHand();
    const wrong = asking.ask("speed >");
    asked[0]!.answer({ message: "a number is missing", pointed: "speed >\n       ^", isNumber: false });
    await wrong;
    expect(known()).toMatchObject({ phase: "wrong", wrong: { message: "a number is missing" } });
    const failed = asking.ask("c");
    asked[1]!.fail(new Error("the file is gone"));
    await failed;
    expect(known()).toMatchObject({
      phase: "failed",
      wrong: { message: "the file is gone", pointed: "", isNumber: false },
    });
  });
});

test("the span at a time is the last that began", () => {
  const spans = [span(1, 2), span(4, 4), span(4, 9)];
  expect([0, 1, 3, 4, 20].map((time) => spanAt(spans, time))).toEqual([-1, 0, 0, 2, 2]);
  expect(spanAt([], 5)).toBe(-1);
});

test("a span says how long it is, and what was the greatest", () => {
  expect([0, 2.5e8, 1.25e9, 200e9].map((length) => lengthText({ from: 1e9, until: 1e9 + length }))).toEqual([
    "",
    "250 ms",
    "1.25 s",
    "3 min",
  ]);
  expect(extremeText({ extreme: 34.56789 }, { how: "max", unit: "km/h" })).toBe("max 34.57 km/h");
  expect(extremeText({ extreme: -2 }, { how: "min", unit: "" })).toBe("min -2");
  expect(extremeText({ extreme: null }, { how: "min", unit: "m" })).toBe("");
});

test("examples name what there is: things that move, events, numbers", () => {
  const columns = new Map([["position", {}]]);
  const state = {
    sets: new Map([
      ["vehicles", { columns }],
      ["lights", { columns: new Map() }],
    ]),
    values: new Map<string, unknown>([
      ["name", "x"],
      ["/position/altitude-ft", 3],
    ]),
  } as unknown as State;
  expect(examplesFor(state, ["collision", "of two"])).toEqual([
    "any vehicles (speed > 1 m/s for 200 ms)",
    "event(collision)",
    'event("of two")',
    "derivative(/position/altitude-ft) > 0",
  ]);
});
