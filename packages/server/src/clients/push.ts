import { createHash } from "node:crypto";
import { createReadStream, openAsBlob } from "node:fs";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import {
  SourceError,
  byteSize,
  cacheFolder,
  EXIT,
  type Failure,
  failureOf,
  Output,
  Progress,
  say,
  toJson,
  UsageError,
} from "simtape/command";
import type { Outgoing, OutgoingFile } from "./files.ts";
import { Remote, refused } from "./remote.ts";
import { type Begun, send } from "./send.ts";

/** Milliseconds within which a placed file appears in the catalog. */
const LISTED_WITHIN = 15_000;
const LOOK = 200;

interface Item {
  readonly id: string;
  readonly page: string;
}

/** A companion that the server has; an earlier release says no digest. */
interface Companion {
  readonly name: string;
  readonly digest?: string | null;
}

export function addPush(program: Command): void {
  program
    .command("push")
    .summary("send recordings to a server")
    .description(
      "Sends recordings to the library of a server, with the files that belong to them, except those that the server has.\nFiles that show their world go with them: those beside a recording that have its name, and those that are named.\nContinues where an earlier run ended. The token comes from SIMTAPE_SERVER_TOKEN. Exit 3: recordings of a folder that cannot be read were left out.",
    )
    .argument("<file...>", "files and folders, then the address of the server")
    .option("--json", "one JSON object for each recording")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape push run.hcrp http://127.0.0.1:8000\n  $ simtape push recordings/ tapes/town.log https://tapes.example.org\n  $ simtape push town.log maps/Town01.xodr https://tapes.example.org",
    )
    .action(async (words: readonly string[], { json = false }: { json?: boolean }) => {
      // these lead to all formats: other commands do not wait for them
      const { failureLine, forEach, showsWorld } = await import("simtape/serving");
      const { outgoing, worldsOf } = await import("./files.ts");
      const address = words.at(-1)!;
      const places = words.slice(0, -1).filter((word) => !showsWorld(word));
      const worlds = words.slice(0, -1).filter(showsWorld);
      if (places.length === 0)
        throw new UsageError("push takes files or folders of recordings, and the address of the server at last");
      const remote = new Remote(address);
      const output = new Output();
      const unsent = new Set(worlds);
      const failed = async (file: string, failure: Failure): Promise<void> => {
        if (json) await output.line(toJson({ file, error: failure }));
        say(`simtape: ${failureLine(file, failure)}`);
      };
      let exit = await forEach(
        places,
        async (path, named, among) => {
          const recording = await outgoing(path, named);
          const given = worldsOf(recording, worlds, places.length === 1 && among === 1);
          for (const world of given) unsent.delete(world);
          const companions = [...new Set([...recording.companions, ...given])];
          await pushOne(remote, address, { ...recording, companions }, json, output);
          return EXIT.done;
        },
        failed,
      );
      if (exit === EXIT.done && unsent.size > 0) {
        for (const path of unsent)
          await failed(
            path,
            failureOf(new UsageError(`${path} shows a world, and no recording that is sent has its name`)),
          );
        exit = EXIT.failed;
      }
      await output.flush();
      process.exitCode = exit;
    });
}

async function pushOne(
  remote: Remote,
  address: string,
  recording: Outgoing,
  json: boolean,
  output: Output,
): Promise<void> {
  const { path, main, files, companions } = recording;
  const digests = new Map<string, string>();
  for (const file of files) digests.set(file.path, await digestOf(file.path));
  const all = [...digests.values()].join("\n");
  const batch = createHash("sha256")
    .update(`${resolve(path)}\n${all}`)
    .digest("base64url")
    .slice(0, 22);
  // a recording of several files is there only when all its files are
  const has = await Promise.all([...digests.values()].map((digest) => find(remote, { digest })));
  const there = has.every((item) => item !== null) ? has[files.indexOf(main)]! : null;
  let bytes = 0;
  let item = there;
  if (item === null) {
    const keys = new Map<OutgoingFile, string>();
    for (const file of files) {
      const { size } = await stat(file.path);
      const progress = new Progress(file.name);
      const of = `${address} ${batch} ${file.name}`;
      const onProgress = (sent: number): void => progress.show(sent, size);
      keys.set(file, await send(remote, file.path, { name: file.name, batch, of, begun: BEGUN, onProgress }));
      progress.end();
      bytes += size;
    }
    item = await listed(remote, keys.get(main)!);
  }
  if (item !== null) bytes += await accompany(remote, item.id, companions);
  const page = item === null ? null : remote.at(item.page);
  const isThere = there !== null;
  if (json) await output.line(toJson({ file: path, recording: item?.id ?? null, page, bytes, isThere }));
  else
    await output.line(
      `${path}: ${isThere ? "there already" : byteSize(bytes)}, ${page ?? "not a recording that the server knows"}`,
    );
  await output.flush();
}

/** Sends files that show the world of a recording, but those that the server has; returns the bytes that were sent. */
async function accompany(remote: Remote, recording: string, paths: readonly string[]): Promise<number> {
  if (paths.length === 0) return 0;
  const { companions } = await remote.json<{ companions: readonly Companion[] }>(`api/recordings/${recording}`);
  const known = new Map(companions.map(({ name, digest }) => [name, digest]));
  let bytes = 0;
  for (const path of paths) {
    const there = known.get(basename(path));
    if (there != null && there === (await digestOf(path).catch(() => null))) continue;
    bytes += await sendCompanion(remote, recording, path);
  }
  return bytes;
}

async function sendCompanion(remote: Remote, recording: string, path: string): Promise<number> {
  const body = await openAsBlob(path).catch((error: NodeJS.ErrnoException) => Promise.reject(unreadable(path, error)));
  const name = encodeURIComponent(basename(path));
  const answer = await remote.ask("PUT", `api/recordings/${recording}/companions/${name}`, {}, body);
  if (!answer.ok) throw await refused(answer);
  await answer.body?.cancel();
  return body.size;
}

async function listed(remote: Remote, key: string): Promise<Item | null> {
  for (const end = Date.now() + LISTED_WITHIN; Date.now() < end; await setTimeout(LOOK)) {
    const item = await find(remote, { key });
    if (item !== null) return item;
  }
  return null;
}

async function find(remote: Remote, by: Record<string, string>): Promise<Item | null> {
  const query = new URLSearchParams({ ...by, limit: "1" });
  const { recordings } = await remote.json<{ recordings: Item[] }>(`api/recordings?${query}`);
  return recordings[0] ?? null;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  const stream = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    for await (const part of stream) hash.update(part as Buffer);
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException);
  }
  return hash.digest("hex");
}

function unreadable(path: string, { code }: NodeJS.ErrnoException): SourceError {
  return new SourceError("failed", `cannot be read (${code ?? "no such file"}): ${path}`);
}

/** Kept in the cache folder; without it an upload starts from the beginning. */
const BEGUN: Begun = {
  get: (of) => readFile(begunAt(of), "utf8").catch(() => null),
  set: async (of, upload) => {
    const path = begunAt(of);
    if (upload === null) await rm(path, { force: true });
    else {
      await mkdir(dirname(path), { recursive: true }).catch(() => undefined);
      await writeFile(path, upload, { mode: 0o600 }).catch(() => undefined);
    }
  },
};

function begunAt(of: string): string {
  return join(dirname(cacheFolder()), "uploads", createHash("sha256").update(of).digest("hex"));
}
