import { describe, expect, test } from "vitest";
import {
  FORMATS,
  MemoryFiles,
  open as openRecording,
  type Recording,
  type Time,
  type WritingFormat,
} from "../../src/index.ts";
import { after } from "../../src/kit.ts";
import { check } from "../../src/ops/check.ts";
import { convert, type ConversionReport } from "../../src/ops/convert.ts";
import { ShiftedReader } from "../../src/ops/edit/readers.ts";
import { writeEdited } from "../../src/ops/edit/write.ts";
import { repair } from "../../src/ops/repair.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";

const NAMES = [
  ["hcrp", "run.hcrp"],
  ["nanover", "run.nanover.zip"],
  ["nanover", "run.traj"],
  ["carla", "run.log"],
  ["flightgear", "run.fgtape"],
  ["mcap", "run.mcap"],
  ["mira", "run.tape"],
] as const;

function writingOf(id: string): Promise<WritingFormat> {
  return FORMATS.find((format) => format.id === id)!.writing!();
}

function bundleOf(files: MemoryFiles): ReturnType<typeof bundleOfFiles> {
  const others = [...files.files].filter(([name]) => name !== files.name);
  return bundleOfFiles(Object.fromEntries([[files.name, files.bytes], ...others]));
}

function open(files: MemoryFiles): Promise<Recording> {
  return openRecording(bundleOf(files));
}

/** A tape in which a thing is somewhere else at each of these times. */
async function tapeOf(times: readonly Time[]): Promise<MemoryFiles> {
  const files = new MemoryFiles("source.tape");
  const writer = await (await writingOf("mira")).create(files, { epoch: 0n });
  const channel = writer.channel({ name: "/robot/Pose", schema: "mira::RigidTransform<double,3>" });
  for (const [x, time] of times.entries())
    writer.write(channel, time, new Uint8Array(Float64Array.of(x + 1, 0, 0, 0, 0, 0).buffer));
  await writer.close();
  return files;
}

async function converted(
  times: readonly Time[],
  id: string,
  name: string,
  strict = false,
): Promise<readonly [MemoryFiles, ConversionReport]> {
  await using source = await open(await tapeOf(times));
  const to = new MemoryFiles(name);
  const verify = { reopen: (written: Parameters<typeof openRecording>[0]) => openRecording(written) };
  return [to, await convert(source, await writingOf(id), to, { verify, strict })];
}

async function endOf(files: MemoryFiles): Promise<Time> {
  await using recording = await open(files);
  expect((await check(recording)).status).toBe("sound");
  return (await recording.timeline()).end;
}

describe.each(NAMES)("%s, %s", (id, name) => {
  const domain = writingOf(id).then((writing) => writing.times!(name, {}));

  test("the first and the last of its times come through", async () => {
    const { last, step } = await domain;
    // as far apart as frames are believed to be, and at the end
    const times = id === "hcrp" ? [0, 1e9, 3600e9] : [0, 1e9, 3e14, Math.min(last, 2 ** 63 - 1024)];
    const [files, report] = await converted(times, id, name);
    expect(report.lost.filter(({ path, reason }) => path !== "time" && /time/.test(reason))).toEqual([]);
    expect(report.verified).toBe(true);
    const end = id === "hcrp" ? (await endOf(files)) - 50e6 : await endOf(files);
    expect(Math.abs(end - times.at(-1)!)).toBeLessThanOrEqual(Math.max(step, times.at(-1)! * Number.EPSILON));
  });

  test("what lies behind the last is left out and counted, and strictly nothing is written", async () => {
    const { last } = await domain;
    // a tape of FlightGear has more times than a tape of MIRA can say; MIRA itself has all of its own
    if (last >= 2 ** 63) return;
    for (const late of [after(last), 2 ** 63]) {
      const [files, report] = await converted([0, 1e9, late], id, name);
      expect(report.lost).toContainEqual(
        expect.objectContaining({
          path: "/robot/Pose",
          count: 1,
          reason: expect.stringContaining("the format holds times from"),
        }),
      );
      expect(report.moments).toBe(2);
      expect(report.verified).toBe(true);
      expect(await endOf(files)).toBeLessThanOrEqual(2e9);
      const [none, refused] = await converted([0, 1e9, late], id, name, true);
      expect([...none.files.keys()]).toEqual([]);
      expect(refused.lost.length).toBeGreaterThan(0);
    }
  });

  test("one message from long before time 0 takes nothing of the others", async () => {
    const { last } = await domain;
    const [files, report] = await converted([-(2 ** 63), 0, 1e9, 2e9], id, name);
    if (last <= 2 ** 63) {
      expect(report.moments).toBe(3);
      expect(report.lost).toContainEqual(expect.objectContaining({ path: "/robot/Pose", count: 1 }));
      expect(await endOf(files)).toBeLessThanOrEqual(3e9);
    }
    expect(report.verified).toBe(true);
  });

  test("messages that are shifted out of its times are left out and counted; all of them are refused", async () => {
    const { first, last } = await domain;
    const [files] = await converted([0, 1e9, 2e9, 3e9], id, name);
    const writing = await writingOf(id);
    // 3.4 years of HCRP are 179,000 chunks
    const ends: [by: Time, isLeft: boolean][] = id === "hcrp" ? [] : [[last - 1e9, true]];
    for (const [by, isLeft] of [[first - 1e9, true], ...ends, [first - 1e18, false], [last + 1e18, false]] as const) {
      if (Math.abs(by) > 4e18) continue;
      await using source = await open(files);
      const to = new MemoryFiles(name);
      const written = writeEdited(new ShiftedReader(source.reader, by), writing, to);
      if (isLeft) {
        const { lost } = await written;
        expect(
          lost.some(({ reason }) => reason.startsWith("the format holds times from")),
          `${by}`,
        ).toBe(true);
        await endOf(to);
      } else await expect(written).rejects.toMatchObject({ code: "unsupported" });
    }
  });
});

test.each([2 ** 63, -(2 ** 63)])("a tape of MIRA with a message at %s is repaired with all messages", async (far) => {
  const files = await tapeOf([0, 1e9, far]);
  const torn = { "torn.tape": files.bytes.slice(0, files.bytes.length - 30) };
  await using source = await openRecording(bundleOfFiles(torn));
  const to = new MemoryFiles("whole.tape");
  const report = await repair(source, bundleOfFiles(torn), await writingOf("mira"), to, (written) =>
    openRecording(written),
  );
  expect(report).toMatchObject({ status: "repaired", messagesKept: 3 });
  await using whole = await open(to);
  const { start, end } = await whole.timeline();
  expect(Math.max(-start, end)).toBe(2 ** 63);
});
