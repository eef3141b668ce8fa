import { describe, expect, test } from "vitest";
import { type ByteSource, counted, LayoutError, memory, type SourceBundle, SourceError } from "../../src/index.ts";
import { ColumnBuilder, type Columns } from "../../src/model/messages/batch.ts";
import { readChunks, StatisticsCounter, summarize } from "../../src/model/chunks.ts";
import { RecordingError } from "../../src/model/error.ts";
import type { Format, SniffHint } from "../../src/model/format.ts";
import { openBundle, recognize } from "../../src/model/open.ts";
import type { Reader } from "../../src/model/reader.ts";
import type { Recording } from "../../src/model/recording.ts";
import type { Schema } from "../../src/model/values/value.ts";

/** A source that tells whether it was closed, and how often it was read. */
function watched(bytes: Uint8Array, name = "run.made"): { source: ByteSource; closed: () => number } {
  const inner = memory(bytes, name);
  let closed = 0;
  const source: ByteSource = {
    name,
    size: () => inner.size(),
    read: (offset, length, signal) => inner.read(offset, length, signal),
    close: () => {
      closed++;
      return inner.close();
    },
  };
  return { source, closed: () => closed };
}

function bundle(source: ByteSource | null, name: string | null = "run.made"): SourceBundle {
  return { name, open: async (sibling) => (sibling === undefined || sibling === name ? source : null) };
}

const TEXT: Schema<string> = { name: "text", decode: (payload) => new TextDecoder().decode(payload) };

/** Every byte is a message: times 10, 20, 30 …, channel 0 for even bytes and 1 for odd ones. */
function readerOf(source: ByteSource, bytes: Uint8Array, onClose: () => void = () => {}): Reader {
  const builder = new ColumnBuilder();
  for (let i = 0; i < bytes.length; i++) builder.add((i + 1) * 10, bytes[i]! % 2, i, i + 1, i === 0 ? 1 : 0);
  const batch: Columns = builder.build(bytes, 0);
  const chunk = { offset: 0, length: bytes.length, sequence: 0, ...summarize(batch) };
  const decode = async (): Promise<Columns> => {
    await source.read(0, bytes.length);
    return batch;
  };
  const counter = new StatisticsCounter();
  counter.add(batch);
  return {
    info: { format: "made", version: "1", bytes: bytes.length, seekIndex: "built", metadata: {} },
    channels: ["even", "odd"].map((name, id) => ({ id, name, metadata: {}, schema: TEXT })),
    state: {
      motion: 1,
      replacesState: () => false,
      interpolation: (path) => (path === "byte" ? "linear" : "hold"),
      apply: (state, of, i) => {
        const byte = of.payload(i)[0]!;
        if (byte === 0xff) throw new LayoutError("malformed", "not a byte", i);
        state.setValue("byte", byte);
      },
    },
    timeline: async () => ({ start: 10, end: bytes.length * 10, epoch: null, tick: null }),
    statistics: async () => counter.result(2),
    batches: (query) => readChunks([chunk], decode, query),
    keyframe: async () => null,
    records: async function* () {
      yield [{ kind: "all", offset: 0, bytes: await source.read(0, bytes.length) }];
    },
    close: async () => {
      onClose();
      await source.close();
    },
  };
}

function format(id: string, answer: ReturnType<Format["sniff"]> | Error, open?: Format["open"]): Format {
  return {
    id,
    name: `Format ${id}`,
    extensions: [],
    sniff: () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
    open:
      open ??
      (async (from) => {
        const source = (await from.open())!;
        return readerOf(source, await source.read(0, 100));
      }),
  };
}

const BYTES = new Uint8Array([2, 4, 3, 6, 5, 8]);

describe("recognising", () => {
  const from = (formats: readonly Format[], bytes = BYTES): Promise<Format> =>
    recognize(memory(bytes, "run.made"), "run.made", formats);

  test("takes the one format that is certain, though others find it possible", async () => {
    const certain = format("a", "certain");
    expect(await from([format("b", "possible"), certain, format("c", "possible"), format("d", null)])).toBe(certain);
  });

  test("takes the one format that finds it possible when none is certain", async () => {
    const possible = format("a", "possible");
    expect(await from([format("b", null), possible])).toBe(possible);
  });

  test.each(["certain", "possible"] as const)("names the candidates when two are %s", async (answer) => {
    const formats = [format("a", answer), format("b", null), format("c", answer)];
    await expect(from(formats)).rejects.toMatchObject({
      code: "ambiguous-format",
      message: "could be any of a, c: run.made",
    });
  });

  test("tells how the content begins when no format knows it", async () => {
    await expect(from([format("a", null), format("b", null)])).rejects.toMatchObject({
      code: "unknown-format",
      offset: 0,
      message: "not a recording of Format a, Format b (begins 02 04 03 06 05 08): run.made",
    });
  });

  test("says so when the file is empty", async () => {
    await expect(from([format("a", null)], new Uint8Array(0))).rejects.toMatchObject({
      code: "unknown-format",
      message: expect.stringContaining("the file is empty"),
    });
  });

  test("takes content that a format trips over for not its own, and no other error", async () => {
    const good = format("a", "possible");
    expect(await from([format("b", new LayoutError("truncated", "x", 0)), good])).toBe(good);
    await expect(from([format("b", new TypeError("a mistake")), good])).rejects.toThrow(TypeError);
  });

  test("shows formats the first 4 KiB, the file's name and its size", async () => {
    const seen: [number, SniffHint][] = [];
    const asking: Format = {
      ...format("a", null),
      sniff: (head, hint) => {
        seen.push([head.length, hint]);
        return "certain";
      },
    };
    await from([asking], new Uint8Array(10_000));
    expect(seen).toEqual([[4096, { name: "run.made", size: 10_000 }]]);
  });
});

describe("opening", () => {
  test("gives the format the source that is open already", async () => {
    const { source } = watched(BYTES);
    const opened: (ByteSource | null)[] = [];
    const made = format("made", "certain", async (from) => {
      opened.push(await from.open(), await from.open("run.made"), await from.open("run.other"));
      return readerOf(source, BYTES);
    });
    await using recording = await openBundle(bundle(source), [made]);
    expect(opened).toEqual([source, source, null]);
    expect(recording.info.format).toBe("made");
  });

  test.each<[string, Format[], string, string]>([
    ["no format knows it", [format("a", null)], "unknown-format", "recording"],
    ["it is ambiguous", [format("a", "certain"), format("b", "certain")], "ambiguous-format", "recording"],
    [
      "its layout is broken",
      [format("a", "certain", () => Promise.reject(new LayoutError("malformed", "broken", 3)))],
      "malformed",
      "a",
    ],
    [
      "its source fails",
      [format("a", "certain", () => Promise.reject(new SourceError("changed", "other content")))],
      "source-changed",
      "a",
    ],
  ])("fails with a typed error and closes the source when %s", async (_, formats, code, of) => {
    const { source, closed } = watched(BYTES);
    const failure: unknown = await openBundle(bundle(source), formats).catch((error: unknown) => error);
    expect(RecordingError.is(failure)).toBe(true);
    expect(failure).toMatchObject({ code });
    if (code !== "unknown-format" && code !== "ambiguous-format") expect(failure).toMatchObject({ format: of });
    expect(closed()).toBe(1);
  });

  test("passes on what is no fault of the file, and closes the source even so", async () => {
    const { source, closed } = watched(BYTES);
    const mistake = new TypeError("a mistake");
    const opening = openBundle(bundle(source), [format("a", "certain", () => Promise.reject(mistake))]);
    await expect(opening).rejects.toBe(mistake);
    expect(closed()).toBe(1);
  });

  test("tells when there is nothing there", async () => {
    await expect(openBundle(bundle(null), [])).rejects.toMatchObject({
      code: "source-failed",
      message: "nothing there: run.made",
    });
  });

  test("ends with the reason of an aborted signal", async () => {
    const { source, closed } = watched(BYTES);
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(openBundle(bundle(source), [format("a", "certain")], { signal })).rejects.toBe(reason);
    expect(closed()).toBe(1);
  });

  test("keeps what the format reports as findings of the recording", async () => {
    const { source } = watched(BYTES);
    const made = format("made", "certain", async (_, report) => {
      report.report({ code: "odd-metadata", severity: "note", message: "odd" });
      return readerOf(source, BYTES);
    });
    await using recording = await openBundle(bundle(source), [made]);
    expect(recording.findings).toEqual([{ code: "odd-metadata", severity: "note", message: "odd" }]);
  });
});

describe("a recording", () => {
  const open = (bytes: Uint8Array = BYTES): Promise<Recording> =>
    openBundle(bundle(watched(bytes).source), [format("made", "certain")]);

  test("gives messages one by one, of one channel or all, and backwards", async () => {
    await using recording = await open();
    const seen = async (channel?: string, reverse = false): Promise<unknown[]> => {
      const of = channel === undefined ? undefined : recording.channel(channel);
      const list: unknown[] = [];
      for await (const message of recording.messages(of, { reverse }))
        list.push([message.time, message.sequence, message.channel.name, message.payload[0], message.keyframe]);
      return list;
    };
    const all = [
      [10, 0, "even", 2, true],
      [20, 1, "even", 4, false],
      [30, 2, "odd", 3, false],
      [40, 3, "even", 6, false],
      [50, 4, "odd", 5, false],
      [60, 5, "even", 8, false],
    ];
    expect(await seen()).toEqual(all);
    expect(await seen(undefined, true)).toEqual(all.toReversed());
    expect(await seen("odd")).toEqual([all[2], all[4]]);
  });

  test("decodes by the channel's schema or by another, once for each message", async () => {
    await using recording = await open();
    let decoded = 0;
    const schema: Schema<{ byte: number }> = {
      name: "byte",
      decode: (payload) => {
        decoded++;
        return { byte: payload[0]! };
      },
    };
    for await (const message of recording.messages(recording.channel("odd", schema), { end: 40 })) {
      expect(message.value).toEqual({ byte: 3 });
      expect(message.value).toBe(message.value);
    }
    expect(decoded).toBe(1);
    for await (const message of recording.messages(recording.channel("odd"), { start: 50 }))
      expect(message.value).toBe("\x05");
  });

  test("names the channels there are when asked for another", async () => {
    await using recording = await open();
    expect(() => recording.channel("none")).toThrow(new RangeError('no channel "none"; there are: even, odd'));
  });

  test("knows state at a time as recorded, or between two messages of the motion channel", async () => {
    await using recording = await open();
    expect(recording.motion?.name).toBe("odd");
    const byte = async (time: number, interpolate = false): Promise<unknown> => {
      const state = await recording.state(time, { interpolate });
      expect(state.time).toBe(time);
      return state.values.get("byte");
    };
    expect([await byte(9), await byte(10), await byte(29.5), await byte(30), await byte(1000)]).toEqual([
      undefined,
      2,
      4,
      3,
      8,
    ]);
    // Motion lies at 30 and 50; the value at 40 goes towards what holds at 50.
    expect([await byte(30, true), await byte(45, true), await byte(50, true)]).toEqual([3, 5.25, 5]);
    expect([await byte(25, true), await byte(55, true)]).toEqual([4, 5]);
  });

  test("counts no message a fraction of a nanosecond too early", async () => {
    await using recording = await open();
    expect((await recording.state(19.999)).values.get("byte")).toBe(2);
  });

  test("turns what its reader throws into typed errors, in iteration too", async () => {
    await using recording = await open(new Uint8Array([1, 0xff]));
    await expect(recording.state(20)).rejects.toMatchObject({ code: "malformed", format: "made" });
    expect((await recording.state(10)).values.get("byte")).toBe(1);
  });

  test("rejects everything once it is closed, and closes its reader once", async () => {
    const { source, closed } = watched(BYTES);
    const recording = await openBundle(bundle(source), [format("made", "certain")]);
    const reading = recording.batches();
    await recording.close();
    await recording.close();
    expect(closed()).toBe(1);
    const isClosed = { name: "RecordingError", code: "closed", format: "made" };
    const late: readonly (() => Promise<unknown>)[] = [
      () => recording.timeline(),
      () => recording.statistics(),
      () => recording.state(10),
      () => recording.keyframe(10),
      () => recording.records().next(),
      () => recording.batches().next(),
      () => recording.messages().next(),
      () => reading.next(),
    ];
    for (const ask of late) await expect(Promise.resolve().then(ask)).rejects.toMatchObject(isClosed);
  });

  test("that is closed between two batches ends their reading", async () => {
    const recording = await open();
    const reading = recording.batches();
    expect((await reading.next()).done).toBe(false);
    await recording.close();
    await expect(reading.next()).rejects.toMatchObject({ code: "closed" });
  });

  test("reads a chunk once for the state at a time", async () => {
    const inner = counted(memory(BYTES));
    await using recording = await openBundle(bundle(inner), [format("made", "certain")]);
    const before = inner.bytes;
    await recording.state(10);
    expect(inner.bytes - before).toBe(BYTES.length);
  });
});
