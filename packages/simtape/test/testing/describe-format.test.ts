import { describe, expect, test } from "vitest";
import { carla } from "../../src/formats/carla/format.ts";
import { type Format, LayoutError, type Reader } from "../../src/index.ts";
import { describeFormat } from "../../src/testing/index.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";

const SPECIMEN = { name: "town", files: { "town.log": makeTown(RELEASES[5]!, 10) } };

/** Runs what `describeFormat` describes; gives the names of tests that fail, with what they say. */
async function failing(format: Format, isDamaged = false): Promise<Map<string, string>> {
  const tests: (readonly [name: string, run: () => Promise<void>])[] = [];
  const runner = {
    describe: (_: string, define: () => void): void => define(),
    test: (name: string, run: () => Promise<void>): void => void tests.push([name, run]),
  };
  describeFormat(format, [{ ...SPECIMEN, isDamaged }], runner, { copies: 3 });
  const failed = new Map<string, string>();
  for (const [name, run] of tests) await run().catch((error: unknown) => failed.set(name, String(error)));
  expect(tests.length).toBe(13);
  return failed;
}

/** CARLA, but for what its readers do otherwise. */
function wrong(change: (reader: Reader) => Partial<Reader>): Format {
  return {
    ...carla,
    open: async (from, report, options) => {
      const reader = await carla.open(from, report, options);
      return new Proxy(reader, {
        get: (of, name) => {
          const changed = change(reader) as Readonly<Record<string | symbol, unknown>>;
          const value: unknown = name in changed ? changed[name] : Reflect.get(of, name, of);
          return typeof value === "function" ? (value.bind(of) as unknown) : value;
        },
      });
    },
  };
}

test("a format that does what it must passes", async () => {
  expect(await failing(carla)).toEqual(new Map());
});

describe("a format that does not is reported what it does instead", () => {
  test.each<readonly [what: string, format: Format, failed: string, said: RegExp]>([
    [
      "is known by nothing",
      { ...carla, sniff: () => null },
      "is recognised by this format alone",
      /formats that know its first bytes: .*expected/,
    ],
    [
      "leaves out a record",
      wrong((reader) => ({
        records: async function* () {
          for await (const records of reader.records()) yield records.slice(1);
        },
      })),
      "gives back every byte as records",
      /bytes of the record .* at 0/,
    ],
    [
      "finds what is not wrong",
      {
        ...carla,
        open: (from, report, options) => {
          report.report({ code: "test:odd", severity: "damage", message: "it looks odd" });
          return carla.open(from, report, options);
        },
      },
      "reports findings exactly when it is damaged",
      /test:odd: it looks odd\): expected false, found true/,
    ],
    [
      "counts wrongly",
      wrong((reader) => ({
        statistics: async () => (await reader.statistics()).map((of) => ({ ...of, messages: of.messages + 1 })),
      })),
      "decodes every message, and its statistics count them",
      /messages by channel: 0: expected \d+, found \d+/,
    ],
    [
      "forgets the end of a range",
      wrong((reader) => ({ batches: (query) => reader.batches({ ...query, end: undefined }) })),
      "answers ranges and channels as a filtered scan does, and backwards in reverse",
      /expected \d+ messages, found \d+/,
    ],
    [
      "takes a message for all there is",
      wrong(({ state }) => ({
        state: {
          motion: state.motion,
          replacesState: () => true,
          apply: (to, batch, row) => state.apply(to, batch, row),
        },
      })),
      "state at any time is the fold from the start",
      /state at \d+: (sets|values)\./,
    ],
    [
      "reads columns that it does not have",
      wrong(({ state }) => ({
        state: {
          motion: state.motion,
          replacesState: (channel) => state.replacesState(channel),
          apply: (to, batch, row) => state.apply(to, batch, row),
          columns: (wanted) => ({
            accepts: wanted.map(() => true),
            begin: () => undefined,
            read: ({ count }) => count,
            settle: () => undefined,
          }),
        },
      })),
      "reads series by columns as they are folded",
      /series of .*/,
    ],
    [
      "makes a keyframe up",
      wrong(() => ({ keyframe: async () => ({ time: 0, sequence: 0, channels: null }) })),
      "gives keyframes that are messages at or before the time asked for",
      /whether there is a keyframe: expected false, found true/,
    ],
    [
      "names too little",
      wrong(() => ({
        dissector: async () => ({ record: async () => ({ fields: [], contents: null }), message: () => [] }),
      })),
      "names every byte of its records and messages",
      /fields of record header at 0: where they end: expected \d+, found 0/,
    ],
    [
      "writes nothing",
      {
        ...carla,
        writing: async () => {
          const writing = await carla.writing!();
          const create: typeof writing.create = async (...words) =>
            Object.assign(await writing.create(...words), { append: () => undefined });
          return { ...writing, create };
        },
      },
      "writes what it reads, and makes damaged recordings whole",
      /what was written has other messages/,
    ],
    [
      "throws what is no RecordingError",
      wrong(() => ({
        timeline: () => {
          throw new TypeError("oh");
        },
      })),
      "survives damage",
      /seed 1: .*TypeError: oh/,
    ],
  ])("%s", async (_, format, failed, said) => {
    expect((await failing(format)).get(failed)).toMatch(said);
  });

  test("opens what is damaged without a word", async () => {
    expect([...(await failing(carla, true)).keys()]).toEqual(["reports findings exactly when it is damaged"]);
  });

  test("does not decode what is sound", async () => {
    const refusing = wrong(({ channels }) => ({
      channels: channels.map((channel) => ({
        ...channel,
        schema: {
          ...channel.schema,
          decode: () => {
            throw new LayoutError("malformed", "not like this", 7);
          },
        },
      })),
    }));
    const said = (await failing(refusing)).get("decodes every message, and its statistics count them");
    expect(said).toMatch(/message 0 of frame-start does not decode: not like this at 0x7/);
  });
});
