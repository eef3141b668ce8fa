import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check, FORMATS, open, RecordingError } from "../../src/index.ts";
import { bundleOfFiles, mutate, mutation } from "../conformance/mutate.ts";
import {
  counted,
  type Files,
  faultsOfRepair,
  messagesOf,
  type Placed,
  placesOf,
  repaired,
  taken,
} from "../conformance/repairs.ts";
import { CORPUS } from "../../../../scripts/make-corpus.ts";
import { loadCorpus, type CorpusIndex } from "../../src/testing/index.ts";
import { tries } from "../soak.ts";

const read = async (path: string): Promise<Uint8Array> => new Uint8Array(readFileSync(new URL(path, CORPUS)));
const index = JSON.parse(readFileSync(new URL("index.json", CORPUS), "utf8")) as CorpusIndex;
const sound: { readonly id: string; readonly format: string; readonly files: Files }[] = [];
for await (const { case: of, files } of loadCorpus(read, index))
  if (of.damage === null) sound.push({ id: of.id, format: of.format, files });

describe.each(FORMATS.map(({ id }) => id))("%s", (format) => {
  const own = sound.filter((of) => of.format === format);

  test("whatever happens to a file, its repair is sound, adds up and invents nothing, or is one typed error", {
    timeout: 0,
  }, async () => {
    const runs = tries(40, 100_000);
    for (let run = 0; run < runs; run++) {
      const { id, files } = own[run % own.length]!;
      const names = Object.keys(files);
      const name = names[Math.floor(run / own.length) % names.length]!;
      const bytes = files[name]!;
      const most = [1, 2, 4, 8, 16][run % 5]!;
      const several = fc.array(mutation(bytes.length), { minLength: 1, maxLength: most });
      const mutations = fc.sample(several, { seed: run, numRuns: 1 })[0]!;
      const faults = await faultsOfRepair({ ...files, [name]: mutate(bytes, mutations) });
      expect(faults, `${id} ${name} ${JSON.stringify(mutations)}`).toEqual([]);
    }
  });
});

/** Formats whose messages are records of the file, one behind the other. */
describe.each(["carla", "mira", "nanover"])("%s", (format) => {
  const own = sound.filter(({ id, files, ...of }) => {
    const isFlat = Object.keys(files).length === 1 && !id.includes("zip");
    return of.format === format && isFlat;
  });

  test("bytes that are changed cost no message beside them", { timeout: 0 }, async () => {
    const places = new Map<string, readonly Placed[]>();
    const runs = tries(20, 20_000);
    let chances = 0;
    for (let run = 0; run < runs; run++) {
      const { id, files } = own[run % own.length]!;
      const [name, bytes] = Object.entries(files)[0]!;
      if (!places.has(id)) places.set(id, await placesOf(files));
      const span = fc.tuple(fc.nat(bytes.length - 1), fc.uint8Array({ minLength: 1, maxLength: 40 }));
      const [at, noise] = fc.sample(span, { seed: run, numRuns: 1 })[0]!;
      const changed = bytes.slice();
      changed.set(noise.subarray(0, bytes.length - at), at);
      const result = await repaired({ ...files, [name]: changed });
      if (result.error !== null) continue;
      const left = counted((await messagesOf(result.files)).map(({ channel, content }) => `${channel} ${content}`));
      const lost = places
        .get(id)!
        .filter(({ from, to }) => to <= at || from >= at + noise.length)
        // before a gap, such a record is taken for the beginning of the gap
        .filter(({ to, text }) => to !== at || !isOfNoWorld(text))
        .filter(({ text }) => !taken(left, text) && !isGuessed(text));
      // once in some 3,000 times a packet of no known id ends where another begins: a sound file, by all that it says
      if (lost.length > 0 && result.report.status === "sound") chances++;
      else expect(lost, `${id} ${at} ${JSON.stringify([...noise])}`).toEqual([]);
    }
    expect(chances).toBeLessThanOrEqual(runs / 1500);
  });
});

/** Packets of CARLA whose ids mean one thing or another, or nothing, by what else a file holds. */
function isGuessed(text: string): boolean {
  return /^(packet-\d+|vehicle-wheels|vehicle-door|biker|weather) /.test(text);
}

/** A list of boxes or speeds of CARLA whose last record has numbers that no world has. */
function isOfNoWorld(text: string): boolean {
  const [kind, payload = ""] = text.split(" ");
  if (!/^(bounding-box|trigger-volume|kinematics)$/.test(kind!)) return false;
  const bytes = Buffer.from(payload, "base64").subarray(-24);
  return [0, 4, 8, 12, 16, 20].some((at) => {
    const value = at + 4 > bytes.length ? 0 : Math.abs(bytes.readFloatLE(at));
    return !(value === 0 || (value > 1e-20 && value < 1e12));
  });
}

describe("files on which repair went wrong once", () => {
  const fault = (path: string): Uint8Array =>
    new Uint8Array(readFileSync(new URL(`../fixtures/faults/${path}`, import.meta.url)));
  const whole: Readonly<Record<string, Files>> = {
    "a negative time near 0": { "town.log": fault("carla-negative-time.log") },
    "a time that its neighbours contradict": { "town.log": fault("carla-contradicted-time.log") },
    "messages that some entries name": { "run.nanover.zip": fault("nanover-named-twice.nanover.zip") },
    "a lone file of v1": { "headerless.traj": fault("headerless.traj") },
    "a pair of v1": { "headerless.traj": fault("headerless.traj"), "headerless.state": fault("headerless.state") },
    "an impossible time": { "multi.tape": fault("mira-impossible-time.tape") },
  };

  test.each(Object.keys(whole))("%s", async (name) => {
    const result = await repaired(whole[name]!);
    expect(result.error).toBeNull();
    expect(await faultsOfRepair(whole[name]!)).toEqual([]);
  });

  test("a tape whose index says when: check tells, and repair takes the time of the index", async () => {
    const files = { "flip.tape": mutate(fault("../mira/patrol.tape"), []) };
    const at = timeAt(files["flip.tape"]);
    files["flip.tape"][at + 7] = 0x40;
    await using damaged = await open(bundleOfFiles(files));
    const found = await check(damaged);
    expect(found.status).toBe("damaged");
    expect(found.findings.map(({ code }) => code)).toContain("index-mismatch");
    const result = await repaired(files);
    if (result.error !== null) throw result.error;
    expect(result.report).toMatchObject({ status: "repaired", lost: [] });
    await using whole = await open(bundleOfFiles(result.files));
    await using before = await open(bundleOfFiles({ "a.tape": fault("../mira/patrol.tape") }));
    expect(await whole.timeline()).toEqual(await before.timeline());
  });

  test.each([
    ["holds nothing", { "a.traj": new Uint8Array(0) }],
    ["would be empty, which is no recording of v1", { "headerless.state": fault("headerless.state") }],
  ])("a file that %s is one typed error", async (_, files) => {
    const { error } = await repaired(files);
    expect(RecordingError.is(error)).toBe(true);
  });
});

/** Place of the time of a message in the middle of a tape. */
function timeAt(bytes: Uint8Array): number {
  const name = Buffer.from(bytes).indexOf("/robot/Odometry", bytes.length >> 3);
  // Time, length of the name: what stands in front of it.
  return name - 12;
}
