/**
 * Measures how soon small files in the folder are in the catalog with their facts:
 * `npm run bench:ingest [-- --files 1000 --database postgres]`. It moves 1,000 different recordings of five seconds, of
 * all formats in turn, into the folder. Aim: 1,000 a minute.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DEMOS } from "../../packages/demo/dist/index.js";
import { toFile } from "../../packages/simtape/dist/io/node/index.js";
import { startPostgres } from "../../packages/server/test/support/postgres.ts";
import { later, print, quantile, useOf } from "./measure.ts";

const CLI = fileURLToPath(new URL("../../packages/simtape/bin/simtape.js", import.meta.url));
const SECONDS = 5;

const { values } = parseArgs({
  options: { files: { type: "string", default: "1000" }, database: { type: "string", default: "embedded" } },
});
const files = Number(values.files);
const folder = mkdtempSync(join(tmpdir(), "simtape-ingest-"));
const [made, library] = [join(folder, "made"), join(folder, "library")];
const postgres = values.database === "postgres" ? await startPostgres() : null;
let server: ChildProcess | null = null;
try {
  mkdirSync(made);
  mkdirSync(library);
  const bytes = await make();
  const words = postgres === null ? [] : ["--database", await postgres.database()];
  server = spawn(process.execPath, [CLI, "serve", library, "--port", "0", ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(server.stdout!, "data")) as [Buffer];
  const address = line.toString().trim();
  await later(3000);
  const before = useOf(server.pid!);
  const began = performance.now();
  // one rename on the same disk moves all of them at the same moment
  renameSync(made, join(library, "come"));
  const answers: number[] = [];
  let done = 0;
  while (done < files) {
    const asked = performance.now();
    done = await indexed(address);
    answers.push(performance.now() - asked);
    await later(500);
  }
  const seconds = (performance.now() - began) / 1000;
  const after = useOf(server.pid!);
  process.stdout.write(`${files} recordings of ${SECONDS} s, ${values.database}\n`);
  print({
    "kB each": bytes / files / 1000,
    "seconds until all have facts": seconds,
    "recordings a minute": (files / seconds) * 60,
    "of a core, %": ((after.cpu - before.cpu) / seconds) * 100,
    "memory, MiB": after.memory,
    "a page of the list, p50 ms": quantile(answers, 0.5),
    "a page of the list, p99 ms": quantile(answers, 0.99),
  });
} finally {
  if (server !== null) {
    server.kill();
    await once(server, "exit");
  }
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Makes the recordings, and gives the sum of their bytes. */
async function make(): Promise<number> {
  const demos = Object.entries(DEMOS);
  let bytes = 0;
  for (let n = 0; n < files; n++) {
    const [id, { load }] = demos[n % demos.length]!;
    const path = join(made, `${id}-${n}${endingOf(DEMOS[id]!.file)}`);
    const { demo } = await load();
    await demo({ seconds: SECONDS, entities: 3, seed: n + 1 }, toFile(path));
    bytes += statSync(path).size;
  }
  return bytes;
}

function endingOf(name: string): string {
  return name.slice(name.indexOf("."));
}

/** The number of recordings that have their facts. */
async function indexed(address: string): Promise<number> {
  const answer = await fetch(`${address}/api/facets?state=indexed`);
  return ((await answer.json()) as { readonly total: number }).total;
}
