import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { journalFile } from "../../src/cli/serving.ts";
import { check } from "../../src/index.ts";
import { directoryStore } from "../../src/io/node/index.ts";
import { record, recover } from "../../src/record/index.ts";
import { tries } from "../soak.ts";
import { expectAt, openRecording } from "../record/walk.ts";

const KILLS = Number(process.env["CRASH_KILLS"] ?? tries(6, 500));
/** Ticks between commits, and between mirrorings: of the child. */
const COMMIT = 100;
const MIRROR = 20;
/** Ticks that may pass while a disk does what it was asked to: the child's time runs fast, and machines are busy. */
const DISK = Number(process.env["CRASH_DISK_TICKS"] ?? 240);

const child = fileURLToPath(new URL("crash-child.ts", import.meta.url));
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "simtape-crash-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Kills a recorder some time after its first tick; gives the last tick that it reported. */
function killed(path: string, journal: boolean, after: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, ["--import", "tsx", child, path, journal ? "yes" : "no"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let reported = "";
    let failure = "";
    process_.stdout.on("data", (bytes: Buffer) => {
      if (reported === "") setTimeout(() => process_.kill("SIGKILL"), after);
      reported += bytes.toString();
    });
    process_.stderr.on("data", (bytes: Buffer) => {
      failure += bytes.toString();
    });
    process_.on("exit", (_, signal) => {
      if (signal === "SIGKILL") resolve(Number(reported.trim().split("\n").at(-1)));
      else reject(new Error(failure));
    });
  });
}

describe("row 23: a recorder that is killed", () => {
  const kills = Array.from({ length: KILLS }, (_, n) => ({
    kill: n,
    journal: n % 2 === 0,
    after: Math.round(((n * 0.618_033_988_7) % 1) * 2600),
  }));
  test.each(kills)(
    "leaves what it committed, and with a journal all but the last second: kill $kill, journal $journal",
    async ({ kill, journal, after }) => {
      const path = join(folder, String(kill));
      const store = directoryStore(path);
      const reported = await killed(path, journal, after);
      let committed = 0;
      {
        // at once, as it is
        await using recording = await openRecording(store, "run");
        const { findings } = await check(recording);
        expect(findings.filter(({ code, severity }) => severity === "damage" && code !== "uncommitted-chunks")).toEqual(
          [],
        );
        committed = (await recording.timeline()).tick!.count;
        expect(reported - committed).toBeLessThanOrEqual(COMMIT + DISK);
        for (let tick = 0; tick < committed; tick += 29) await expectAt(recording, 2, tick);
      }
      const file = journal ? journalFile(join(path, "run", "journal.hcj")) : undefined;
      const isResumed = kill % 3 === 2;
      let ticks = 0;
      if (isResumed) {
        const recorder = await record(store, { id: "run", resume: true, keepsPrevious: true, journal: file });
        ticks = recorder.tick;
        await recorder.close();
      } else {
        const report = await recover(store, "run", { journal: file, keepsPrevious: true });
        expect(report.status).toBe("recovered");
        expect(report.committed + report.fromSegments).toBe(committed);
        expect(report.ticks).toBe(committed + report.fromJournal);
        ({ ticks } = report);
      }
      if (journal) expect(reported - ticks).toBeLessThanOrEqual(MIRROR + DISK);
      await using recording = await openRecording(store, "run");
      expect((await check(recording)).findings).toEqual([]);
      expect((await recording.timeline()).tick!.count).toBe(ticks);
      expect(recording.info.metadata).toMatchObject({ finished: true });
      for (let tick = 0; tick < ticks; tick += 13) await expectAt(recording, 2, tick);
      expect(await file?.read()).toBeFalsy();
    },
  );
});
