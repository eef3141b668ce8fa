import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { s3Store, type Store, StoreError } from "../../src/index.ts";
import { directoryStore } from "../../src/io/node/index.ts";
import { type Recorder, record } from "../../src/record/live/recorder.ts";
import { applyRetention } from "../../src/record/retain/apply.ts";
import { decide } from "../../src/record/retain/decide.ts";
import type { Facts } from "../../src/record/retain/facts.ts";
import { parsePolicy } from "../../src/record/retain/policy.ts";
import { planRetention, undoRetention } from "../../src/record/retain/retain.ts";
import type { RetentionClass, RetentionPolicy } from "../../src/record/retain/schema.ts";
import { describeWithCeph } from "../support/ceph.ts";
import { faulty } from "../support/faulty-store.ts";
import {
  ALEX,
  DatedStore,
  DAY,
  KilledStore,
  keysOf,
  type Made,
  MAPS,
  make,
  makeClip,
  makeCompacted,
  NOW,
  STEVE,
  wholeRecordings,
} from "./retain-store.ts";

const HOUR = DAY / 24;
const DEFAULT = policyOf({});

function policyOf(one: Partial<RetentionClass>, rest: Partial<RetentionPolicy> = {}): RetentionPolicy {
  return parsePolicy({ version: 1, classes: [{ name: "all", ...one }], ...rest });
}

async function storeWith(recordings: Readonly<Record<string, Made>>): Promise<DatedStore> {
  const store = new DatedStore();
  for (const [id, made] of Object.entries(recordings)) await make(store, id, made);
  return store;
}

/** By id: the reason with `- ` before it for what goes. */
async function planned(store: Store, policy: RetentionPolicy, now = NOW): Promise<Record<string, string>> {
  const { rows } = await planRetention(store, policy, now);
  return Object.fromEntries(rows.map(({ id, decision, reason }) => [id, decision === "keep" ? reason : `- ${reason}`]));
}

async function applied(store: Store, policy: RetentionPolicy, now: number): Promise<Record<string, string>> {
  const { changes } = await applyRetention(store, policy, now);
  return Object.fromEntries(changes.map(({ id, did }) => [id, did]));
}

describe("a policy", () => {
  test.each([
    [[], "policy: expected an object, found []"],
    [{ version: 2, classes: [] }, "version: expected 1, found 2"],
    [{ version: 1 }, "classes: expected a list, found nothing"],
    [{ version: 1, classes: [] }, "classes: expected a list of one or more, found []"],
    [
      { version: 1, classes: [{ name: "a", days: "30" }] },
      'classes[0].days: expected a number from 0 or null, found "30"',
    ],
    [{ version: 1, classes: [{ name: "a", days: -1 }] }, "classes[0].days: expected a number from 0, found -1"],
    [
      { version: 1, classes: [{ name: "a", dayz: 1 }] },
      /^classes\[0\]: expected only name, match, days, .*, found "dayz"$/,
    ],
    [{ version: 1, classes: [{ name: "a", keepBest: 1 }] }, "classes[0].keepBest: expected true or false, found 1"],
    [
      { version: 1, classes: [{ name: "a", most: { count: 1, per: ["map"] } }] },
      'classes[0].most.per[0]: expected one of "subject", "world", found "map"',
    ],
    [{ version: 1, classes: [{ name: "a" }, { name: "a" }] }, 'classes[1].name: there is a class "a" already'],
    [
      { version: 1, hold: ["no spaces"], classes: [{ name: "a" }] },
      /^hold\[0\]: expected an id or a UUID: .*found "no spaces"$/,
    ],
    [
      { version: 1, classes: [{ name: "a", match: { world: ["lobby"] } }] },
      'classes[0].match.world[0]: expected a UUID, found "lobby"',
    ],
    [
      { version: 1, classes: [{ name: "a", outcomeDays: { open: 1 } }] },
      /^classes\[0\]\.outcomeDays: expected only completed, .*, found "open"$/,
    ],
  ])("that is wrong is refused in one sentence (%#)", (document, message) => {
    expect(() => parsePolicy(document)).toThrow(message);
  });
});

describe("what stays", () => {
  test("row 32: personal best and reported are kept, others 30 days, the top of each map for ever", async () => {
    const [one, two] = MAPS;
    const store = await storeWith({
      "old-best": { ago: 300, map: one, subject: STEVE, took: 5000 },
      "old-slow": { ago: 299, map: one, subject: STEVE, took: 9000 },
      "other-map": { ago: 298, map: two, subject: STEVE, took: 9000 },
      "other-best": { ago: 297, map: one, subject: ALEX, took: 7000 },
      third: { ago: 296, map: one, subject: ALEX, took: 7500 },
      reported: { ago: 295, subject: ALEX, mark: ["report", 0] },
      cheat: { ago: 294, subject: ALEX, mark: ["anticheat", 3] },
      bookmarked: { ago: 293, subject: ALEX, mark: ["bookmark", 9] },
      given: { ago: 292, subject: ALEX, took: 1, outcome: "reset" },
      recent: { ago: 29, subject: STEVE },
    });
    const defaults = await planned(store, DEFAULT);
    expect(defaults).toEqual({
      "old-best": "personal best",
      "old-slow": "- older than 30 days",
      "other-map": "personal best",
      "other-best": "personal best",
      third: "- older than 30 days",
      reported: "flagged: report",
      cheat: "flagged: anticheat",
      bookmarked: "- older than 30 days",
      given: "- older than 30 days",
      recent: "not older than 30 days",
    });
    expect(await planned(store, policyOf({ keepTop: 3, keepBest: false, keepFlagged: { severity: 9 } }))).toMatchObject(
      {
        "old-best": "among the 3 shortest of its world",
        "old-slow": "- older than 30 days",
        "other-best": "among the 3 shortest of its world",
        third: "among the 3 shortest of its world",
        bookmarked: "flagged: severity 9",
      },
    );
    const strict = policyOf({ keepBest: false, keepFlagged: { kinds: ["report"], days: 200 }, days: 7 });
    expect(new Set(Object.values(await planned(store, strict)))).toEqual(new Set(["- older than 7 days"]));
  });

  test("row 33: two classes of worlds have policies of their own", async () => {
    const [parkour, survival] = MAPS;
    const store = await storeWith({
      "hub-1": { ago: 5, map: parkour },
      "hub-2": { ago: 40, map: parkour },
      "wild-1": { ago: 5, map: survival },
      "wild-2": { ago: 40, map: survival },
      elsewhere: { ago: 4000 },
    });
    const policy = parsePolicy({
      version: 1,
      classes: [
        { name: "hcrp", match: { world: [parkour.toUpperCase()] }, days: 90 },
        { name: "survival", match: { world: [survival] }, days: 3 },
      ],
    });
    expect(await planned(store, policy)).toEqual({
      "hub-1": "not older than 90 days",
      "hub-2": "not older than 90 days",
      "wild-1": "- older than 3 days",
      "wild-2": "- older than 3 days",
      elsewhere: "of no class",
    });
    const { rows } = await planRetention(store, policy, NOW);
    expect(rows.map((row) => row.class)).toEqual([null, "hcrp", "hcrp", "survival", "survival"]);
  });

  test("row 33: a class is reported by key, metadata or profile too", async () => {
    const store = await storeWith({
      "eu/run-1": { ago: 1 },
      "us/run-1": { ago: 1 },
      ghost: { ago: 1, profile: "ghost" },
      ranked: { ago: 1, metadata: { server: { mode: "ranked-2", season: 7, isCup: true } } },
    });
    const plan = async (match: object): Promise<string[]> => {
      const policy = parsePolicy({ version: 1, classes: [{ name: "it", match }] });
      return (await planRetention(store, policy, NOW)).rows.filter((row) => row.class === "it").map(({ id }) => id);
    };
    expect(await plan({ key: ["eu/*"] })).toEqual(["eu/run-1"]);
    expect(await plan({ key: ["*"] })).toEqual(["ghost", "ranked"]);
    expect(await plan({ key: ["**run-?"] })).toEqual(["eu/run-1", "us/run-1"]);
    expect(await plan({ profile: ["ghost", "cinema"] })).toEqual(["ghost"]);
    expect(await plan({ metadata: { "server.mode": ["ranked-*"], "server.season": [7] } })).toEqual(["ranked"]);
    expect(await plan({ metadata: { "server.mode": ["ranked-*"], "server.season": [8] } })).toEqual([]);
    expect(await plan({ metadata: { "server.isCup": [true] } })).toEqual(["ranked"]);
    expect(await plan({ key: ["r*"], profile: ["ghost"] })).toEqual([]);
  });

  test("how it ended, how many there are and how large they are count", async () => {
    const recordings = {
      a: { ago: 4, map: MAPS[0], subject: STEVE, outcome: "abandoned" },
      b: { ago: 5, map: MAPS[0], subject: STEVE, outcome: null },
      c: { ago: 6, map: MAPS[0], subject: STEVE },
      d: { ago: 7, map: MAPS[1], subject: STEVE },
      e: { ago: 8, map: MAPS[0], subject: ALEX },
      f: { ago: 9 },
    } as const;
    const store = await storeWith(recordings);
    expect(await planned(store, policyOf({ days: null, outcomeDays: { crashed: 4, abandoned: 5 } }))).toMatchObject({
      a: "abandoned, not older than 5 days",
      b: "- crashed, older than 4 days",
      c: "kept for ever",
    });
    const per = (...groups: string[]): Promise<Record<string, string>> =>
      planned(store, policyOf({ most: { count: 1, per: groups as ["world"] } }));
    const goes = (plan: Record<string, string>): string[] =>
      Object.keys(plan).filter((id) => plan[id]!.startsWith("-"));
    expect(goes(await per("subject"))).toEqual(["b", "c", "d"]);
    expect(goes(await per("world"))).toEqual(["b", "c", "e"]);
    expect(goes(await per("subject", "world"))).toEqual(["b", "c"]);
    const bytes = Object.fromEntries((await planRetention(store, DEFAULT, NOW)).rows.map((row) => [row.id, row.bytes]));
    expect(goes(await planned(store, policyOf({ quotaBytes: bytes["a"]! + bytes["b"]! + bytes["c"]! })))).toEqual([
      "d",
      "e",
      "f",
    ]);
    expect(goes(await planned(store, policyOf({}, { quotaBytes: 0, hold: ["d", "gone"] })))).toEqual([
      "a",
      "b",
      "c",
      "e",
      "f",
    ]);
    const { warnings } = await planRetention(store, policyOf({}, { quotaBytes: 0, hold: ["d", "gone"] }), NOW);
    expect(warnings).toEqual([
      "on hold, but not there: gone",
      `what is kept of the store has ${bytes["d"]} bytes, more than the 0 allowed`,
    ]);
  });

  test("clips are kept, and win no race; parts of a kept run stay together", async () => {
    const store = await storeWith({ run: { ago: 100, subject: STEVE, took: 5000, isCut: true } });
    await makeClip(store, "clips/report-1", 90);
    expect(await planned(store, DEFAULT)).toEqual({
      "clips/report-1": "a clip",
      run: "goes with run-2, which is kept",
      "run-2": "personal best",
    });
    expect(await planned(store, policyOf({ keepClips: { days: 80 }, keepTop: 1, keepBest: false }))).toEqual({
      "clips/report-1": "- older than 30 days",
      run: "goes with run-2, which is kept",
      "run-2": "among the 1 shortest of its world",
    });
  });

  test("two forms of a recording are one; two recordings under one id stay", async () => {
    const store = await storeWith({
      run: { ago: 90, subject: STEVE, took: 5, isCompacted: true },
      live: { ago: 0.1, outcome: null },
      twice: { ago: 90 },
    });
    const { etag } = (await store.get("run/meta.hcrp"))!;
    await makeClip(store, "twice", 90);
    const { rows } = await planRetention(store, DEFAULT, NOW);
    expect(rows.map(({ id, reason }) => [id, reason])).toEqual([
      ["live", "is being recorded"],
      ["run", "personal best"],
      ["twice", expect.stringMatching(/^cannot be judged: twice\/meta\.hcrp: different recordings under one id/)],
    ]);
    expect(rows[1]!.files.slice(1)).toMatchObject([{ key: "run/meta.hcrp", etag }, { key: "run/recording.hcrp" }]);
    expect(rows[1]!.bytes).toBe(await sizeOf(store, "run/"));
  });

  test("what is being recorded, or cannot be read, stays; so does what is none of ours", async () => {
    const store = await storeWith({ live: { ago: 0.9, outcome: null }, broken: { ago: 90 }, lost: { ago: 90 } });
    await make(store, "left", { ago: 1.1, outcome: null });
    const { bytes } = (await store.get("broken/meta.hcrp"))!;
    await store.put(
      "broken/meta.hcrp",
      bytes.map((byte, i) => (i > 300 && i < 340 ? byte ^ 0x55 : byte)),
    );
    for (const key of ["lost/meta.hcrp", "lost/meta.hcrp.bak"]) await store.delete(key);
    for (const key of ["lost/journal.hcj", "lost/writer.lock"]) {
      store.time = NOW - 90 * DAY;
      await store.put(key, bytes);
      store.time = NOW;
    }
    for (const key of ["notes.txt", "other/town.log", "meta.hcrp", "broken/thumbnail.png"]) await store.put(key, bytes);
    const before = await keysOf(store);
    const plan = await planned(store, policyOf({ days: 1 }));
    expect(plan).toEqual({
      broken: expect.stringMatching(/^cannot be judged: broken\/meta\.hcrp: metadata: the crc32 is wrong/),
      left: "- older than a day",
      live: "is being recorded",
      lost: "- older than a day",
    });
    expect(await keysOf(store)).toEqual(before);
    for (const now of [NOW, NOW + 2 * DAY]) await applyRetention(store, policyOf({ days: 1.5 }), now);
    expect((await keysOf(store)).filter((key) => !key.startsWith("trash/"))).toEqual(
      before.filter((key) => !key.startsWith("lost/")),
    );
  });
});

describe("row 32: deletion is two-phase", () => {
  const policy = DEFAULT;
  const recordings = {
    old: { ago: 40 },
    compacted: { ago: 41, isCompacted: true },
    crashed: { ago: 42, outcome: null },
    young: { ago: 3 },
  } as const;

  test("a mark, a grace, and then it is gone; the plan alone changes nothing", async () => {
    const store = await storeWith(recordings);
    const before = await keysOf(store);
    await planRetention(store, policy, NOW);
    expect(await keysOf(store)).toEqual(before);
    expect(await applied(store, policy, NOW)).toEqual({ compacted: "marked", crashed: "marked", old: "marked" });
    expect(await keysOf(store, "trash/")).toHaveLength(3);
    expect(JSON.parse(new TextDecoder().decode((await store.get("trash/old/tombstone.json"))!.bytes))).toMatchObject({
      id: "old",
      state: "marked",
      marked: NOW,
      class: "all",
      reason: "older than 30 days",
      files: [{ key: "old/meta.hcrp.bak" }, { key: "old/meta.hcrp", etag: (await store.head("old/meta.hcrp"))!.etag }],
    });
    expect(await wholeRecordings(store)).toEqual(["compacted", "crashed", "old", "young"]);
    expect(await applied(store, policy, NOW + 23 * HOUR)).toEqual({
      compacted: "waiting",
      crashed: "waiting",
      old: "waiting",
    });
    expect(await applied(store, policy, NOW + 24 * HOUR)).toEqual({
      compacted: "deleted",
      crashed: "deleted",
      old: "deleted",
    });
    expect((await keysOf(store)).filter((key) => !key.startsWith("young/"))).toEqual([]);
    expect(await wholeRecordings(store)).toEqual(["young"]);
    expect(await applied(store, policy, NOW + 25 * HOUR)).toEqual({});
  });

  test("applying twice is applying once", async () => {
    const contents = async (store: Store): Promise<[string, string][]> => {
      const all: [string, string][] = [];
      for await (const { key } of store.list(""))
        all.push([key, Buffer.from((await store.get(key))!.bytes).toString("base64")]);
      return all;
    };
    const store = await storeWith(recordings);
    for (const now of [NOW, NOW + 25 * HOUR, NOW + 50 * HOUR]) {
      await applyRetention(store, policy, now);
      const once = await contents(store);
      await applyRetention(store, policy, now);
      expect(await contents(store)).toEqual(once);
    }
  });

  test("undo takes the mark off; the next time it gets another and a grace of its own", async () => {
    const store = await storeWith({ old: { ago: 40 } });
    expect(await undoRetention(store, "old")).toBe(false);
    await applyRetention(store, policy, NOW);
    expect(await undoRetention(store, "old")).toBe(true);
    expect(await keysOf(store, "trash/")).toEqual([]);
    expect(await applied(store, policy, NOW + 25 * HOUR)).toEqual({ old: "marked" });
    expect(await applied(store, policy, NOW + 26 * HOUR)).toEqual({ old: "waiting" });
    expect(await wholeRecordings(store)).toEqual(["old"]);
  });

  test("what the policy keeps in the end, or what is on hold, is not deleted", async () => {
    const store = await storeWith({ old: { ago: 40 }, held: { ago: 40 } });
    await applyRetention(store, policy, NOW);
    const meta = (await planRetention(store, policy, NOW)).rows.find(({ id }) => id === "held")!.recordingId!;
    const kinder = policyOf({ days: 60 });
    expect(await applied(store, kinder, NOW + 25 * HOUR)).toEqual({ held: "withdrawn", old: "withdrawn" });
    await applyRetention(store, policy, NOW + 26 * HOUR);
    const holding = policyOf({}, { hold: [meta.toUpperCase()] });
    expect(await applied(store, holding, NOW + 60 * HOUR)).toEqual({ held: "withdrawn", old: "deleted" });
    expect(await wholeRecordings(store)).toEqual(["held"]);
  });

  test("what is gone on with in its grace is not deleted, nor what was compacted", async () => {
    const store = await storeWith({ crashed: { ago: 40, outcome: null }, old: { ago: 40 } });
    await applyRetention(store, policy, NOW);
    store.time = NOW + HOUR;
    const recorder = await record(store, { id: "crashed", resume: true, now: () => NOW + HOUR });
    await makeCompacted(store, "old");
    expect(await applied(store, policy, NOW + 24.5 * HOUR)).toEqual({ crashed: "withdrawn", old: "withdrawn" });
    await recorder.close();
    expect(await wholeRecordings(store)).toContain("crashed");
  });

  test("what is gone on with at the very moment of its deletion stays whole", async () => {
    const store = await storeWith({ crashed: { ago: 40, outcome: null } });
    await applyRetention(store, policy, NOW);
    const remove = store.delete.bind(store);
    let recorder: Recorder | null = null;
    store.delete = async (key, options) => {
      store.time = NOW + 25 * HOUR;
      if (key === "crashed/meta.hcrp")
        recorder ??= await record(store, { id: "crashed", resume: true, now: () => store.time });
      await remove(key, options);
    };
    expect(await applied(store, policy, NOW + 25 * HOUR)).toEqual({ crashed: "skipped" });
    await recorder!.close();
    expect(await applied(store, policy, NOW + 26 * HOUR)).toEqual({ crashed: "withdrawn" });
    expect(await wholeRecordings(store)).toEqual(["crashed"]);
    expect(await keysOf(store, "trash/")).toEqual([]);
  });

  test("what is begun again under an id whose deletion was not finished is left alone", async () => {
    const ready = await storeWith({ run: { ago: 40 } });
    const { operations } = await counted(await marked(ready), NOW + 25 * HOUR);
    for (let lives = 1; lives < operations; lives++) {
      const again = await marked(ready);
      await applyRetention(new KilledStore(again, lives), policy, NOW + 25 * HOUR).catch(killed);
      if ((await again.head("run/meta.hcrp")) !== null || (await keysOf(again, "run/")).length > 0) continue;
      again.time = NOW + 26 * HOUR;
      const recorder = await record(again, { id: "run", now: () => again.time });
      recorder.world.join({ uuid: STEVE, name: "Steve" }, { x: 0, y: 0, z: 0, yaw: 0, pitch: 0 });
      recorder.endTick();
      await recorder.close();
      await applyRetention(again, policy, NOW + 27 * HOUR);
      expect(await wholeRecordings(again)).toEqual(["run"]);
      expect(await keysOf(again, "trash/")).toEqual([]);
    }
    expect.hasAssertions();
  });

  test("killed after any operation, what is left is whole, and the next time goes on", async () => {
    for (const now of [NOW, NOW + 25 * HOUR]) {
      const made = await storeWith(recordings);
      const ready = (): Promise<DatedStore> => (now > NOW ? marked(made) : made.copy());
      const { operations } = await counted(await ready(), now);
      for (let lives = 0; lives < operations; lives++) {
        const store = await ready();
        await expect(
          applyRetention(new KilledStore(store, lives), policy, now, { concurrency: 1 + (lives % 3) }),
        ).rejects.toMatchObject({ code: "unavailable" });
        const left = await wholeRecordings(store);
        expect(left).toContain("young");
        if (now === NOW) expect(left).toHaveLength(4);
        await applyRetention(store, policy, now);
        await applyRetention(store, policy, now + 25 * HOUR);
        expect(await wholeRecordings(store)).toEqual(["young"]);
        expect((await keysOf(store)).filter((key) => !key.startsWith("young/"))).toEqual([]);
      }
    }
  });

  test("a hold that comes when a deletion was begun saves what is whole, and touches nothing else", async () => {
    const ready = await storeWith({ old: { ago: 40 } });
    const { operations } = await counted(await marked(ready), NOW + 25 * HOUR);
    const holding = policyOf({}, { hold: ["old"] });
    for (let lives = 0; lives < operations; lives++) {
      const store = await marked(ready);
      await applyRetention(new KilledStore(store, lives), policy, NOW + 25 * HOUR).catch(killed);
      const whole = await wholeRecordings(store);
      const before = await keysOf(store, "old/");
      await applyRetention(store, holding, NOW + 60 * HOUR);
      expect(await keysOf(store, "old/")).toEqual(before);
      expect(await wholeRecordings(store)).toEqual(whole);
      if (whole.length > 0) expect(await keysOf(store, "trash/")).toEqual([]);
    }
  });

  test("several at once do what one does, on a store that fails now and then", async () => {
    const ready = await storeWith(recordings);
    for (let seed = 0; seed < 10; seed++) {
      const store = await ready.copy();
      for (const now of [NOW, NOW + 25 * HOUR]) {
        const several = [0, 1, 2].map((one) =>
          applyRetention(faulty(store, { seed: seed * 3 + one, rate: one * 0.05 }), policy, now),
        );
        for (const { status, reason } of (await Promise.allSettled(several)) as PromiseRejectedResult[])
          if (status === "rejected") expect(reason).toMatchObject({ code: "unavailable" });
        expect(await wholeRecordings(store)).toContain("young");
        await applyRetention(store, policy, now);
      }
      await applyRetention(store, policy, NOW + 50 * HOUR);
      expect((await keysOf(store)).filter((key) => !key.startsWith("young/"))).toEqual([]);
    }
  });

  test("an object that the store does not give away is reported, and the others go", async () => {
    const store = await storeWith({ locked: { ago: 40 }, old: { ago: 40 } });
    await applyRetention(store, policy, NOW);
    const remove = store.delete.bind(store);
    store.delete = (key, options) =>
      key.startsWith("locked/") ? Promise.reject(new StoreError("denied", "locked", key)) : remove(key, options);
    expect(await applied(store, policy, NOW + 25 * HOUR)).toEqual({ locked: "refused", old: "deleted" });
    expect(await wholeRecordings(store)).toEqual(["locked"]);
  });

  async function marked(store: DatedStore): Promise<DatedStore> {
    const copy = await store.copy();
    await applyRetention(copy, policy, NOW);
    return copy;
  }

  async function counted(store: Store, now: number): Promise<KilledStore> {
    const counting = new KilledStore(store);
    await applyRetention(counting, policy, now);
    return counting;
  }
});

describe("decisions about any recordings", () => {
  const facts: fc.Arbitrary<Facts> = fc
    .record({
      bytes: fc.integer({ min: 0, max: 1000 }),
      ago: fc.integer({ min: -2, max: 60 }),
      class: fc.constantFrom(-1, 0, 0, 1),
      world: fc.constantFrom(null, ...MAPS),
      subjects: fc.uniqueArray(fc.constantFrom(STEVE, ALEX), { maxLength: 2 }),
      isOpen: fc.boolean(),
      outcome: fc.constantFrom("completed", "crashed", "open", ""),
      durationMs: fc.option(fc.integer({ min: 1, max: 5 })),
      flagged: fc.option(fc.constant("report"), { freq: 5 }),
      isClip: fc.boolean(),
      links: fc.array(fc.constantFrom("r0", "r1", "r2", "r3"), { maxLength: 2 }),
      problem: fc.option(fc.constant("broken"), { freq: 9 }),
    })
    .map(({ ago, ...rest }) => ({
      ...rest,
      id: "",
      recordingId: null,
      end: NOW - ago * DAY,
      modified: NOW - ago * DAY,
    }));
  const some = fc.array(facts, { maxLength: 12 }).map((all) => all.map((one, i) => ({ ...one, id: `r${i}` })));
  const days = fc.option(fc.integer({ min: 0, max: 40 }));
  const onOrDays = fc.oneof(fc.boolean(), fc.record({ days }));
  const quota = { quotaBytes: fc.integer({ min: 0, max: 4000 }) };
  const one = fc.record(
    {
      name: fc.uuid(),
      days,
      outcomeDays: fc.record({ crashed: days, completed: days }, { requiredKeys: [] }),
      most: fc.record({
        count: fc.integer({ min: 1, max: 3 }),
        per: fc.uniqueArray(fc.constantFrom("subject" as const, "world" as const), { minLength: 1 }),
      }),
      ...quota,
      keepTop: fc.integer({ min: 0, max: 3 }),
      keepBest: fc.boolean(),
      keepFlagged: onOrDays,
      keepClips: onOrDays,
    },
    { requiredKeys: ["name"] },
  );
  const policies = fc
    .record({
      classes: fc.tuple(one, one),
      hold: fc.uniqueArray(fc.constantFrom("r0", "r3", "r5"), { maxLength: 2 }),
      ...quota,
    })
    .map((rest) => parsePolicy(JSON.parse(JSON.stringify({ version: 1, ...rest }))));

  test("row 32: keep wins: nothing goes that any rule keeps, and nothing goes that no rule lets go", () => {
    fc.assert(
      fc.property(some, policies, (all, policy) => {
        const decisions = decide(all, policy, NOW);
        for (const [i, it] of all.entries()) {
          const rules = policy.classes[it.class];
          const isKept = keepers(it, rules, policy, all);
          const { decision, reason } = decisions[i]!;
          if (isKept || rules === undefined) expect(decision, `${it.id}: ${reason}`).toBe("keep");
          if (decision === "delete") expect(lets(it, rules!, policy), `${it.id}: ${reason}`).toBe(true);
          expect(reason).not.toBe("");
        }
      }),
    );
  });

  test("do not depend on the order of the listing", () => {
    fc.assert(
      fc.property(
        some.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        policies,
        ([all, shuffled], policy) => {
          const byId = (them: readonly Facts[]): unknown => {
            const decisions = decide(them, policy, NOW);
            return Object.fromEntries(them.map(({ id }, i) => [id, decisions[i]]));
          };
          expect(byId(shuffled)).toEqual(byId(all));
        },
      ),
    );
  });

  test("stay what they were for what is left when the rest is gone", () => {
    fc.assert(
      fc.property(some, policies, (all, policy) => {
        const decisions = decide(all, policy, NOW);
        const left = all.filter((_, i) => decisions[i]!.decision === "keep");
        expect(decide(left, policy, NOW).every(({ decision }) => decision === "keep")).toBe(true);
      }),
    );
  });

  /** Said again in other words than the code's. */
  function keepers(
    it: Facts,
    rules: RetentionClass | undefined,
    { hold = [] }: RetentionPolicy,
    all: readonly Facts[],
  ): boolean {
    if (hold.includes(it.id) || it.problem !== null || (it.isOpen && NOW - it.modified <= DAY)) return true;
    if (rules === undefined) return false;
    const { keepFlagged = true, keepClips = true, keepTop = 0, keepBest = true } = rules;
    const lasts = (rule: boolean | { days?: number | null }): boolean =>
      rule === true || (rule !== false && (rule.days ?? Number.POSITIVE_INFINITY) * DAY >= NOW - it.end);
    if ((it.flagged !== null && lasts(keepFlagged)) || (it.isClip && lasts(keepClips))) return true;
    if (it.durationMs === null) return false;
    const faster = all.filter(
      (other) =>
        other.class === it.class &&
        other.world === it.world &&
        other.durationMs !== null &&
        (other.durationMs < it.durationMs! ||
          (other.durationMs === it.durationMs && (other.end < it.end || (other.end === it.end && other.id < it.id)))),
    );
    if (faster.length < keepTop) return true;
    return keepBest && it.subjects.some((subject) => !faster.some(({ subjects }) => subjects.includes(subject)));
  }

  function lets(it: Facts, rules: RetentionClass, { quotaBytes }: RetentionPolicy): boolean {
    if (rules.quotaBytes !== undefined || quotaBytes !== undefined) return true;
    const ended = it.isOpen || it.outcome === "open" ? "crashed" : it.outcome;
    const special = rules.outcomeDays?.[ended as "crashed"];
    const most = special === undefined ? (rules.days === undefined ? 30 : rules.days) : special;
    if (most !== null && NOW - it.end > most * DAY) return true;
    const { per } = rules.most ?? {};
    if (per === undefined) return false;
    return !(per.includes("world") && it.world === null) && !(per.includes("subject") && it.subjects.length === 0);
  }
});

/** Marks and deletes in a store that has dates of its own. */
async function lifeIn(store: Store): Promise<void> {
  await make(store, "old", { ago: 40, isCompacted: true });
  await make(store, "left", { ago: 40, outcome: null });
  await make(store, "best", { ago: 40, map: MAPS[0], subject: STEVE, took: 1000 });
  const later = Date.now() + 40 * DAY;
  expect(await applied(store, DEFAULT, later)).toEqual({ left: "marked", old: "marked" });
  expect(await applied(store, DEFAULT, later + HOUR)).toEqual({ left: "waiting", old: "waiting" });
  expect(await undoRetention(store, "left")).toBe(true);
  expect(await applied(store, DEFAULT, later + DAY)).toEqual({ left: "marked", old: "deleted" });
  expect(await wholeRecordings(store)).toEqual(["best", "left"]);
  const both = [1, 2].map(() => applyRetention(store, DEFAULT, later + 2 * DAY));
  await Promise.all(both);
  await applyRetention(store, DEFAULT, later + 2 * DAY);
  expect(await wholeRecordings(store)).toEqual(["best"]);
  expect((await keysOf(store)).filter((key) => !key.startsWith("best/"))).toEqual([]);
}

test("row 32: two-phase deletion in a real directory", async () => {
  const folder = await mkdtemp(join(tmpdir(), "simtape-retain-"));
  try {
    await lifeIn(directoryStore(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
});

describeWithCeph("row 32: on a real S3 server", (bucket) => {
  test("two-phase deletion", async () => {
    await lifeIn(s3Store({ ...bucket(), prefix: "retained" }));
  });
});

async function sizeOf(store: Store, prefix: string): Promise<number> {
  let sum = 0;
  for await (const { size } of store.list(prefix)) sum += size;
  return sum;
}

function killed(error: unknown): void {
  expect(error).toMatchObject({ code: "unavailable", message: "killed" });
}
