import { memory, open, type Recording, type State } from "simtape";
import { describeFormat, type Specimen } from "simtape/testing";
import { describe, expect, test } from "vitest";
import { bytesOf, format, harbourRun, MMSI, otherAt, ownAt, sealed, SECONDS, sizeReport, START } from "./sample.ts";

const run = harbourRun();
const text = new TextDecoder().decode(run);
const lines = text.split("\r\n").slice(0, -1);
const broken = run.slice();
// Not the same as before under any checksum.
broken.fill(0xee, 5000, 5004);

const specimen = (name: string, bytes: Uint8Array, isDamaged = false): Specimen => ({
  name,
  files: { "run.nmea": bytes },
  isDamaged,
});

/** Sentences without a checksum, a date and a second half of their line endings. */
const BARE = bytesOf(
  Array.from(
    { length: 20 },
    (_, i) => `$GPGGA,1200${String(i).padStart(2, "0")},5419.8,N,01009.6,E,1,08,1.0,2.0,M,41.0,M,,`,
  ),
  "\n",
);
const TIMELESS = bytesOf([
  sealed("HEHDT,12.5,T"),
  sealed("WIMWV,045.0,R,12.0,N,A"),
  sealed("SDDBT,20.0,f,6.1,M,3.3,F"),
]);
const LOGGED = new TextEncoder().encode(
  lines
    .slice(0, 200)
    .map((line, i) => (i % 7 === 0 ? `# note ${i}\n2024-05-31 ${line}\n` : `${line}\r\n`))
    .join(""),
);

describeFormat(
  format,
  [
    specimen("a run over midnight", run),
    specimen("lines that end with LF", harbourRun("\n")),
    specimen("lines that end with CR", harbourRun("\r")),
    specimen("without checksums and dates", BARE),
    specimen("without any time", TIMELESS),
    specimen("lines of a logger between them", LOGGED),
    specimen("cut off", run.slice(0, -10), true),
    specimen("overwritten", broken, true),
  ],
  { describe, test },
);

const opened = (bytes: Uint8Array): Promise<Recording> => open(memory(bytes), { formats: [format] });

/** Numbers of one row. */
function cells(state: State, set: string, column: string, id: number | string): number[] {
  const entities = state.sets.get(set)!;
  const { data, width } = entities.columns.get(column)!;
  const row = entities.ids.indexOf(id);
  return [...data.slice(row * width, (row + 1) * width)].map(Number);
}

describe("what is read", () => {
  test("is where the vessel was, over midnight, and how it went", async () => {
    await using recording = await opened(run);
    expect(await recording.timeline()).toMatchObject({
      start: 0,
      end: SECONDS * 1e9,
      epoch: BigInt(START) * 1_000_000n,
    });
    for (const second of [0, 59, 60, 61, 120, 150]) {
      const state = await recording.state(second * 1e9);
      const expected = ownAt(second);
      const [latitude, longitude, height] = cells(state, "vessel", "geodetic", "self");
      // Five digits of a minute are 2 cm.
      expect(latitude).toBeCloseTo(expected.latitude, 6);
      expect(longitude).toBeCloseTo(expected.longitude, 6);
      expect(height).toBeCloseTo(44.7, 9);
      expect(cells(state, "vessel", "course", "self")[0]).toBeCloseTo(expected.course, 0);
      expect(cells(state, "vessel", "rotation", "self")[2]).toBeCloseTo(expected.course - 2, 0);
      expect(cells(state, "vessel", "speed", "self")).toEqual([expected.speed]);
      expect(cells(state, "vessel", "depth", "self")[0]).toBeCloseTo(expected.depth, 2);
    }
    const { sets } = await recording.state(30e9);
    expect(sets.get("vessel")!.columns.get("depth")!.unit).toBe("m");
    expect(sets.get("vessel")!.columns.get("speed")!.unit).toBe("kt");
  });

  test("is what a small parser of its own finds in every line", async () => {
    await using recording = await opened(run);
    const found: [string, string][] = [];
    for await (const { value } of recording.messages()) {
      const { talker, formatter, ...fields } = value as Readonly<Record<string, string>>;
      const { report: _, ...texts } = fields;
      found.push([`${talker}${formatter}`, Object.values(texts).join(",")]);
    }
    const expected = lines.map((line) => {
      const body = line.slice(1, line.lastIndexOf("*"));
      const comma = body.indexOf(",");
      return [body.slice(0, comma), body.slice(comma + 1)];
    });
    expect(found).toEqual(expected);
  });

  test("is where another vessel reports to be, its name and size", async () => {
    await using recording = await opened(run);
    const state = await recording.state(66e9);
    const [latitude, longitude, height] = cells(state, "vessels", "geodetic", MMSI);
    const expected = otherAt(66);
    expect(latitude).toBeCloseTo(expected.latitude, 5);
    expect(longitude).toBeCloseTo(expected.longitude, 5);
    // On the sea, as the receiver says how high that is.
    expect(height).toBe(41.5);
    expect([cells(state, "vessels", "speed", MMSI), cells(state, "vessels", "course", MMSI)]).toEqual([[5.5], [180]]);
    expect(state.sets.get("vessels")!.columns.get("label")!.data).toEqual(["FAEHRE"]);
    await using sized = await opened(bytesOf([sizeReport()]));
    expect(cells(await sized.state(0), "vessels", "size", MMSI)).toEqual([30, 8, Number.NaN]);
  });

  test("south and west are negative", async () => {
    const line = sealed("GPGLL,3352.50,S,07036.00,W,101500,A");
    await using recording = await opened(bytesOf([line]));
    expect(cells(await recording.state(0), "vessel", "geodetic", "self")).toEqual([-33.875, -70.6, 0]);
  });
});

describe("times", () => {
  const rmc = (time: string, date: string, status = "A"): string =>
    sealed(`GPRMC,${time},${status},5419.80,N,01009.60,E,5.0,90.0,${date},,`);
  const timesOf = async (...sentences: string[]): Promise<number[]> => {
    await using recording = await opened(bytesOf(sentences));
    const times: number[] = [];
    for await (const batch of recording.batches()) times.push(...batch.time.subarray(0, batch.length));
    return times.map((time) => time / 1e9);
  };

  test("a sentence without a time has that of the one before", async () => {
    const hdt = sealed("HEHDT,12.5,T");
    expect(await timesOf(hdt, rmc("100000", "010124"), hdt, rmc("100001.5", "010124"), hdt)).toEqual([
      0, 0, 0, 1.5, 1.5,
    ]);
  });

  test("go over midnight without a date, and over days with one", async () => {
    const gga = (time: string): string => sealed(`GPGGA,${time},5419.80,N,01009.60,E,1,08,1.0,,M,,M,,`);
    expect(await timesOf(gga("235959"), gga("000001"))).toEqual([0, 2]);
    expect(await timesOf(rmc("100000", "280224"), rmc("100000", "010324"))).toEqual([0, 2 * 86_400]);
  });

  test("never go back, and a date that is not valid yet does not count", async () => {
    expect(await timesOf(rmc("100005", "010124"), rmc("100003", "010124"), rmc("100007", "010124"))).toEqual([0, 0, 2]);
    expect(await timesOf(rmc("100000", "060180", "V"), rmc("100001", "010124"))).toEqual([0, 1]);
    await using recording = await opened(bytesOf([rmc("100000", "060180", "V"), rmc("100001", "010124")]));
    expect((await recording.timeline()).epoch).toBe(BigInt(Date.UTC(2024, 0, 1, 10)) * 1_000_000n);
  });

  test("that no sentence says are one note, and everything is at 0", async () => {
    await using recording = await opened(TIMELESS);
    expect(await recording.timeline()).toMatchObject({ start: 0, end: 0, epoch: null });
    expect(recording.findings.map(({ code, severity }) => [code, severity])).toEqual([["nmea:no-time", "note"]]);
  });
});

describe("damage", () => {
  test("costs the sentences that it hits", async () => {
    await using whole = await opened(run);
    await using hit = await opened(broken);
    const count = async (of: Recording): Promise<number> =>
      (await of.statistics()).reduce((sum, { messages }) => sum + messages, 0);
    expect(await count(whole)).toBe(lines.length);
    expect(await count(hit)).toBe(lines.length - 1);
  });

  test("a sentence behind the half of another is read", async () => {
    const bytes = new TextEncoder().encode(`$GPGGA,1200${sealed("HEHDT,12.5,T")}\r\n`);
    await using recording = await opened(bytes);
    expect((await recording.statistics()).map(({ messages }) => messages).filter((count) => count > 0)).toEqual([1]);
    expect(recording.findings.map(({ code, offset, length }) => [code, offset, length])).toContainEqual([
      "damaged-bytes",
      0,
      11,
    ]);
  });
});

test("events: the position is lost and found, and a gap", async () => {
  const gga = (time: string, quality: number): string =>
    sealed(`GPGGA,${time},5419.80,N,01009.60,E,${quality},08,1.0,,M,,M,,`);
  await using recording = await opened(
    bytesOf([gga("100000", 1), gga("100001", 0), gga("100002", 2), gga("101002", 1)]),
  );
  const events: [number, string][] = [];
  for await (const some of recording.events()) for (const { time, kind } of some) events.push([time / 1e9, kind]);
  expect(events).toEqual([
    [1, "fix-lost"],
    [2, "fix"],
    [602, "gap"],
  ]);
  const later: string[] = [];
  for await (const some of recording.events({ start: 100e9 })) later.push(...some.map(({ kind }) => kind));
  expect(later).toEqual(["gap"]);
});
