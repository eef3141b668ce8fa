import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ByteSource, memory, RecordingError, SourceError, StoreError } from "simtape";
import { describe, expect, test } from "vitest";
import { isRecording } from "../src/catalog/scan/is-recording.ts";
import type { Library } from "../src/library/library.ts";
import { isStorageAway, isUnreadable } from "../src/library/unreadable.ts";

const SRC = fileURLToPath(new URL("../src", import.meta.url));
const away = new SourceError("failed", "the server does not answer");

test.each([
  [true, false, new RecordingError("malformed", "a chunk of -1 bytes")],
  [true, false, new RecordingError("over-budget", "more than 256 MiB")],
  [false, true, new RecordingError("source-failed", "the server does not answer")],
  [false, false, new RecordingError("source-changed", "it has changed")],
  [false, true, away],
  [false, true, new StoreError("unavailable", "the server does not answer", "key")],
  [false, false, new StoreError("not-found", "no such object", "key")],
  [false, false, new Error("a fault of ours")],
])("the recording is at fault: %s, storage is away: %s, by %s", (isFault, isAway, error) => {
  expect([isUnreadable(error), isStorageAway(error)]).toEqual([isFault, isAway]);
});

describe("whether a file is a recording", () => {
  const group = { key: "run.hcrp", name: "run.hcrp", files: [{ key: "run.hcrp", bytes: 4096, etag: "1", changed: 0 }] };
  const library = (open: () => Promise<ByteSource | null>): Library =>
    ({ bundle: (name: string) => ({ name, open }) }) as unknown as Library;

  test("is said of what can be read", async () => {
    const text = memory(new TextEncoder().encode("no recording at all, but a text of some length"));
    const note = { key: "note.txt", name: "note.txt", files: [{ ...group.files[0]!, key: "note.txt" }] };
    expect(
      await isRecording(
        library(() => Promise.resolve(text)),
        note,
      ),
    ).toBe(false);
  });

  test.each([
    ["is opened", () => Promise.reject(away)],
    ["is asked for its size", () => Promise.resolve(failing("size"))],
    ["is read", () => Promise.resolve(failing("read"))],
  ] as const)("is not known where storage is away as it %s", async (_, open) => {
    expect(await isRecording(library(open), group)).toBeNull();
  });

  function failing(member: "size" | "read"): ByteSource {
    const source = memory(new Uint8Array(4096));
    return new Proxy(source, {
      get: (of, name) => {
        if (name === member) return () => Promise.reject(away);
        const value = Reflect.get(of, name, of) as unknown;
        return typeof value === "function" ? value.bind(of) : value;
      },
    });
  }
});

/** Where a recording that cannot be read and storage that is away come to the same, or are distinguished there. */
const TOGETHER = [
  "answers/answer.ts",
  "catalog/scan/is-recording.ts",
  "live/live-recording.ts",
  "live/segments.ts",
  "library/unreadable.ts",
  "outlets/served.ts",
  "sql/answer.ts",
];

test("elsewhere the one is never taken for the other", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const asking = files.filter((path) => readFileSync(join(SRC, path), "utf8").includes("RecordingError.is("));
  expect(asking.map((path) => path.replaceAll("\\", "/")).sort()).toEqual([...TOGETHER].sort());
});
