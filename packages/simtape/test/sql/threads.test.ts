import { cpSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqlSources } from "../../src/cli/input/sql-sources.ts";
import { writeAnswer } from "../../src/cli/serving.ts";
import { SqlSession } from "../../src/sql/index.ts";
import { simtapeProcess as simtape } from "../cli/run.ts";
import { MADE } from "./support.ts";

/** More than are read on one thread. */
const COPIES = 12;
/** So many times as many, one of them damaged: 300. */
const EACH = 25;

describe("many recordings, which threads read side by side", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-sql-threads-"));
  const [sound, damaged] = [join(folder, "sound"), join(folder, "damaged")];
  const broken = join(folder, "broken.log");
  beforeAll(() => {
    for (const one of [sound, damaged]) mkdirSync(one);
    for (let k = 0; k < COPIES; k++) {
      cpSync(MADE.carla, join(sound, `town-${k}.log`));
      cpSync(MADE.mira, join(sound, `robot-${k}.tape`));
      cpSync(MADE.flightgear, join(sound, `flight-${k}.fgtape`));
      for (let n = 0; n < EACH; n++) cpSync(MADE.carla, join(damaged, `town-${k}-${n}.log`));
    }
    truncateSync(join(damaged, "town-2-1.log"), 700);
    writeFileSync(broken, "no recording");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** As one thread answers it. */
  async function here(paths: readonly string[], sql: string): Promise<string> {
    await using session = await SqlSession.open(await sqlSources(paths, {}));
    let text = "";
    await writeAnswer(await session.query(sql), "csv", async (piece) => {
      text += typeof piece === "string" ? piece : new TextDecoder().decode(piece);
    });
    return text;
  }

  test.each([
    "SELECT e.recording, kind, text, who, ids, value, v.format FROM events e JOIN recordings v USING (recording) WHERE EXISTS (FROM vehicles x WHERE x.recording = e.recording) ORDER BY ALL",
    "FROM vehicles",
    "SELECT recording, id, avg(position_x) FROM vehicles GROUP BY ALL ORDER BY ALL",
    "SELECT v.recording, count(*), max(e.time) FROM vehicles v LEFT JOIN events e USING (recording) GROUP BY ALL ORDER BY ALL",
    "FROM aircraft",
    "SELECT * FROM vehicles WHERE time BETWEEN 0 AND 0.5",
    "FROM poses",
    "SELECT count(*) FROM vehicles",
  ])("%s: the answer of one thread, in its order", async (sql) => {
    const { exit, stdout, stderr } = await simtape(["sql", sound, sql, "--format", "csv"]);
    const answer = await here([sound], sql);
    expect(stdout, stderr).toBe(answer);
    expect(answer.split("\n").length).toBeGreaterThan(2);
    expect(exit).toBe(0);
  });

  test("damaged ones are findings, the others are answered", async () => {
    for (const sql of [
      "SELECT recording, count(*) FROM vehicles GROUP BY ALL ORDER BY ALL",
      "SELECT f.*, v.n FROM findings f LEFT JOIN (SELECT recording, count(*) AS n FROM vehicles GROUP BY ALL) v USING (recording) ORDER BY ALL",
    ]) {
      const { exit, stdout, stderr } = await simtape(["sql", damaged, broken, sql, "--format", "csv"]);
      expect(stdout, stderr).toBe(await here([damaged, broken], sql));
      expect(stderr).toContain("town-2-1.log is damaged");
      expect(stderr).toContain("broken.log");
      expect(exit).toBe(3);
    }
  });

  test("a name that none has is wrong usage, said once", async () => {
    const { exit, stdout, stderr } = await simtape(["sql", damaged, "FROM vehicle"]);
    expect(exit).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/no table "vehicle"/);
  });
});
