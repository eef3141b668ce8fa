import { describe, expect, it } from "vitest";
import { mcap } from "../../../src/export/mcap/exporter.ts";
import { targetCalled, targetOfName } from "../../../src/export/targets.ts";
import { type ByteSink, MemoryFiles, open, type Recording, RecordingError } from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { everyRecording } from "../../recordings.ts";
import { SOUND } from "../../specimens.ts";
import { BOMBS } from "../../support/bombs.ts";
import { chunkSizes, streamed, valueIn } from "./judge.ts";
import { exported, opened } from "./make.ts";

function of(format: string): Promise<Recording> {
  return opened(SOUND.find((each) => each.format === format)!);
}

describe("what of a recording is exported", () => {
  it("is one channel where it is asked for", async () => {
    const recording = await of("mira");
    const { bytes, report } = await exported(recording, { channel: "/robot/Mileage" });
    const { messages } = await streamed(bytes);
    expect(new Set(messages.map(({ topic }) => topic))).toEqual(new Set(["/robot/Mileage"]));
    const statistics = await recording.statistics();
    expect(messages.length).toBe(statistics[recording.channel("/robot/Mileage").id]!.messages);
    expect(report).toMatchObject({ of: ["/robot/Mileage"], count: messages.length, unit: "message", lost: [] });
    await recording.close();
  });

  it("is one set where it is asked for, and nothing of the others", async () => {
    const recording = await of("carla");
    const { bytes, report } = await exported(recording, { set: "vehicles" });
    const { messages } = await streamed(bytes);
    expect(new Set(messages.map(({ topic }) => topic))).toEqual(
      new Set(["/state/tf/vehicles", "/state/poses/vehicles", "/state/scene/vehicles"]),
    );
    expect(report.of).toEqual(["vehicles"]);
    await recording.close();
  });

  it("is a range, which begins with the state at its start", async () => {
    const recording = await of("carla");
    const { epoch } = await recording.timeline();
    const [start, end] = [500_000_001, 900_000_000];
    const { messages } = await streamed((await exported(recording, { start, end })).bytes);
    for (const { logTime } of messages) {
      expect(logTime >= epoch! + BigInt(start) && logTime < epoch! + BigInt(end)).toBe(true);
    }
    const first = messages.find(({ topic }) => topic === "/state/tf/vehicles")!;
    expect(first.logTime).toBe(epoch! + BigInt(start));
    const { sets } = await recording.state(start);
    const position = sets.get("vehicles")!.columns.get("position")!.data as Float64Array;
    expect(valueIn(first).transforms[0].translation.x).toBeCloseTo(position[0]! / 100, 9);
    await recording.close();
  });

  it("has states at steps, while channels keep every message", async () => {
    const recording = await of("hcrp");
    const every = 500_000_000;
    const { messages } = await streamed((await exported(recording, { every })).bytes);
    const { epoch, start } = await recording.timeline();
    const states = messages.filter(({ topic }) => topic.startsWith("/state/tf/"));
    expect(states.length).toBeGreaterThan(10);
    for (const { logTime } of states) expect(Number(logTime - epoch! - BigInt(start)) % every).toBe(0);
    const statistics = await recording.statistics();
    const all = statistics.reduce((sum, each) => sum + each.messages, 0);
    expect(messages.filter(({ topic }) => !topic.startsWith("/state/")).length).toBe(all);
    await recording.close();
  });

  it("fits: sets with places, those that it is about first, and all channels", async () => {
    const recording = await of("nanover");
    expect(await mcap.fitting(recording)).toEqual(["particles", "avatars", "interactions", "frame", "state"]);
    await recording.close();
  });
});

describe("a moment of very many messages and events", () => {
  it("is in chunks of 4 MiB, and whole", async () => {
    const { file, make } = BOMBS.find(({ name }) => name === "hcrp: chat of one tick")!;
    const recording = await open(bundleOfFiles({ [file]: make(0.15) }));
    const { bytes, report } = await exported(recording);
    const { messages } = await streamed(bytes);
    expect(report.count).toBe(messages.length);
    expect(new Set(messages.map(({ logTime }) => logTime)).size).toBe(1);
    for (const [topic, first] of [
      ["/chat", 1],
      ["/state/events", 0],
    ] as const) {
      const own = messages.filter((message) => message.topic === topic);
      expect(own.length, topic).toBe(60_000);
      expect(
        own.findIndex(({ sequence }, i) => sequence !== first + i),
        topic,
      ).toBe(-1);
    }
    const sizes = await chunkSizes(bytes);
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThan(4.1 * 2 ** 20);
    await recording.close();
  });
});

describe("the note on time", () => {
  it("says that times are those since the start where the epoch is unknown", async () => {
    const recording = await of("flightgear");
    const { bytes, report } = await exported(recording);
    expect((await recording.timeline()).epoch).toBeNull();
    expect(report.notes[0]).toContain("times are those since its start");
    const { messages, metadata } = await streamed(bytes);
    expect(messages[0]!.logTime).toBe(BigInt((await recording.timeline()).start));
    expect(metadata[0]!.metadata.get("log-time-at-0")).toBe("0");
    await recording.close();
  });

  it("is not there where the epoch is known", async () => {
    const recording = await of("carla");
    const { report } = await exported(recording);
    expect(report.notes.join()).not.toContain("times are");
    await recording.close();
  });
});

describe("options that do not fit", () => {
  it.each([
    ["a set and a channel", { set: "vehicles", channel: "position" }, TypeError],
    ["columns", { columns: ["position"] }, TypeError],
    ["things", { ids: [1] }, TypeError],
    ["an unknown channel", { channel: "nothing" }, RangeError],
    ["an unknown set", { set: "nothing" }, RangeError],
    ["a step of 0", { every: 0 }, RangeError],
  ])("are refused, and no file is left: %s", async (_, options, type) => {
    const recording = await of("carla");
    const files = new MemoryFiles("x.mcap");
    const exporter = await targetCalled("mcap")!.load();
    await expect(exporter.write(recording, files, options)).rejects.toThrow(type);
    expect(files.files.size).toBe(0);
    await recording.close();
  });

  it("are no reason to go on once it is aborted", async () => {
    const recording = await of("carla");
    const files = new MemoryFiles("x.mcap");
    const reason = new Error("enough");
    await expect(mcap.write(recording, files, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(files.files.size).toBe(0);
    await recording.close();
  });
});

describe("a sink that fails", () => {
  it("ends the export with its error, wherever it fails, and is aborted", async () => {
    const recording = await of("mira");
    for (let failing = 0; failing < 12; failing++) {
      let writes = 0;
      let aborted = 0;
      const full = new Error("the disk is full");
      const inner = await new MemoryFiles("x.mcap").open();
      const sink: ByteSink = {
        name: "x.mcap",
        get position() {
          return inner.position;
        },
        write: (bytes) => (writes++ === failing ? Promise.reject(full) : inner.write(bytes)),
        writeAt: (offset, bytes) => inner.writeAt(offset, bytes),
        flush: () => inner.flush(),
        close: () => inner.close(),
        abort: () => {
          aborted++;
          return inner.abort();
        },
      };
      const done = mcap.write(recording, { name: "x.mcap", open: () => Promise.resolve(sink) }, {});
      const error = await done.then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error === null) break;
      expect(error).toBe(full);
      expect(aborted).toBe(1);
      expect(failing).toBeLessThan(11);
    }
    await recording.close();
  });
});

describe("damaged recordings", () => {
  it("are exported as far as they are read, or refused with a typed error", async () => {
    let count = 0;
    for (const { files, isDamaged } of await everyRecording()) {
      if (!isDamaged) continue;
      const recording = await open(bundleOfFiles(files)).catch(() => null);
      if (recording === null) continue;
      count++;
      try {
        const { bytes, report } = await exported(recording);
        expect((await streamed(bytes)).messages.length).toBe(report.count);
      } catch (error) {
        expect(error).toSatisfy(RecordingError.is);
      }
      await recording.close();
    }
    expect(count).toBeGreaterThan(10);
  });
});

describe("the target", () => {
  it("is found by its id and by the ending of a name", async () => {
    expect(targetOfName("Town.MCAP")).toBe(targetCalled("mcap"));
    const exporter = await targetCalled("mcap")!.load();
    const { id, name, extensions, mediaType, carries } = exporter;
    expect(targetCalled("mcap")).toMatchObject({ id, name, extensions, mediaType, carries });
  });
});
