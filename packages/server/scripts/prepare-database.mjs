/** Makes the database that a first start begins with: all tables, no rows. Skipped when it is newer than what it is made of. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { openDatabase } from "../dist/database/database.js";

const result = fileURLToPath(new URL("../dist/prepared-database.tar.gz", import.meta.url));
const sources = fileURLToPath(new URL("../src/database/migrations", import.meta.url));
const changed = existsSync(sources)
  ? Math.max(...readdirSync(sources).map((name) => statSync(join(sources, name)).mtimeMs))
  : 0;
if (!existsSync(result) || statSync(result).mtimeMs < changed) {
  rmSync(result, { force: true });
  const folder = mkdtempSync(join(tmpdir(), "simtape-prepare-"));
  try {
    const database = await openDatabase(`embedded:${folder}`);
    await database.close();
    const made = await PGlite.create({ dataDir: join(folder, "data") });
    const packed = await made.dumpDataDir("gzip");
    await made.close();
    await writeFile(result, Buffer.from(await packed.arrayBuffer()));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
