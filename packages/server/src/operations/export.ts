import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Query } from "../database/database.ts";
import type { ClaimedJob } from "../jobs/queue.ts";
import { PermanentError, type Work } from "../jobs/worker.ts";
import type { Settings } from "../settings.ts";

/** Contents of an export: the recording in another format, the things in it as rows, or a file for other programs. */
export type Export =
  | { readonly format: string }
  | (TableOf & { readonly table: "csv" | "ndjson" | "parquet" })
  | ExportTo;

/** A file for other programs: `to` is the id of a target. */
export type ExportTo = TableOf & { readonly to: string };

/** What the rows show; without a set and a channel, the set that the recording is about, if it has one. */
export interface TableOf {
  readonly set?: string;
  readonly channel?: string;
  /** Only these columns; `position` is `position.x`, `.y` and `.z`. */
  readonly columns?: readonly string[];
  /** Only these things of a set. */
  readonly ids?: readonly string[];
  /** Times as commands take them. */
  readonly from?: string;
  readonly until?: string;
  readonly time?: "s" | "ns";
  readonly every?: string;
  readonly axes?: string;
  /** Where a local plane touches the earth: `lat,lon,alt,heading`. */
  readonly origin?: string;
}

/** A file of an export. */
export interface ExportedFile {
  readonly name: string;
  readonly bytes: number;
}

const COMMAND = join(dirname(fileURLToPath(import.meta.resolve("simtape/package.json"))), "bin", "simtape.js");
/** Exit codes of the command: `done`, wrong usage, and done with losses, which its report names. */
const [DONE, USAGE, LOSSY] = [0, 2, 3];

/** Thrown where the command refuses what it was asked for: there is no such set, or the target does not fit. */
export class RefusedError extends PermanentError {}

/** Kinds of jobs that make files of a recording. */
export const FILE_JOBS: readonly string[] = ["export", "render"];

/** Folder of the files of one job; they are deleted after a day. */
export function exportFolder({ data }: Settings, job: number): string {
  return join(resolve(data), "exports", String(job));
}

/** Makes an export as a job. */
export function exportRecording(
  query: Query,
  settings: Settings,
  job: ClaimedJob,
  { signal }: Work,
): Promise<{ readonly files: readonly ExportedFile[]; readonly report: unknown }> {
  const { recording, ...input } = job.input as { recording: string } & Export;
  return exportInto(query, settings, recording, input, exportFolder(settings, job.id), signal);
}

/**
 * Makes an export with the command `simtape`, in a process of its own, whose memory is given back when it ends. The folder
 * is made new, and removed when this rejects.
 */
export async function exportInto(
  query: Query,
  settings: Settings,
  recording: string,
  input: Export,
  folder: string,
  signal: AbortSignal,
): Promise<{ readonly files: readonly ExportedFile[]; readonly report: unknown }> {
  const row = await query.selectFrom("recordings").select("key").where("id", "=", recording).executeTakeFirst();
  if (row === undefined) throw new PermanentError("the recording is no longer there");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const from = settings.store.startsWith("s3://")
    ? `${settings.store.replace(/\/$/, "")}/${row.key}`
    : join(resolve(settings.store), row.key);
  try {
    const report = await runCommand([...wordsOf(from, input, folder), "--json"], settings, signal);
    const files = await Promise.all(
      (await readdir(folder))
        .sort()
        .map(async (file) => ({ name: file, bytes: (await stat(join(folder, file))).size })),
    );
    return { files, report };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The command that makes an export. */
function wordsOf(from: string, input: Export, folder: string): readonly string[] {
  if ("format" in input) return ["convert", from, "--to", input.format, "-o", `${folder}/`];
  if ("to" in input) return ["export", from, "--to", input.to, "-o", `${folder}/`, ...ofWhat(input)];
  const name = from
    .split("/")
    .at(-1)!
    .replace(/\.[^.]+$/, "");
  return ["table", from, "-o", join(folder, `${name}.${input.table}`), ...ofWhat(input)];
}

/** The options of `simtape table` and `simtape export`. */
export function ofWhat({ columns = [], ids = [], ...single }: TableOf): readonly string[] {
  const words = (["set", "channel", "from", "until", "time", "every", "axes", "origin"] as const).flatMap((name) =>
    single[name] === undefined ? [] : [`--${name}=${single[name]}`],
  );
  return [...words, ...columns.map((name) => `--columns=${name}`), ...ids.map((id) => `--id=${id}`)];
}

/** Runs `simtape`; gives the report that the command prints. Throws `PermanentError` with the error that the command reports. */
export async function runCommand(words: readonly string[], settings: Settings, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const { s3Endpoint, s3Region, s3Key, s3Secret } = settings;
  const keys = {
    AWS_ENDPOINT_URL: s3Endpoint,
    AWS_REGION: s3Region,
    AWS_ACCESS_KEY_ID: s3Key,
    AWS_SECRET_ACCESS_KEY: s3Secret,
  };
  const given = Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== null));
  const child = spawn(process.execPath, [COMMAND, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(given as NodeJS.ProcessEnv), NO_COLOR: "1" },
    signal,
  });
  const [said, wrong] = [textOf(child.stdout), textOf(child.stderr)];
  const [code] = (await once(child, "close")) as [number | null];
  const report = withoutPlaces(await said, settings);
  if (code === DONE || code === LOSSY) return JSON.parse(report || "null");
  const message =
    failureIn(report) ??
    withoutPlaces(await wrong, settings)
      .trim()
      .split("\n")
      .at(-1) ??
    "";
  if (/no space left|ENOSPC/i.test(message)) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
  throw new (code === USAGE ? RefusedError : PermanentError)(
    message === "" ? `simtape ${words[0]} ended with ${code}` : message,
  );
}

/** With the names that files have for users: where they lie on this machine, or in a bucket, is the operator's concern. */
function withoutPlaces(text: string, { data, store }: Settings): string {
  const root = store.startsWith("s3://") ? store.replace(/\/$/, "") : resolve(store);
  const [first = "", ...others] = text.split(`${join(resolve(data), "exports")}/`);
  // the folder of a job
  const named = [first, ...others.map((part) => part.replace(/^\d+(\.work)?\//, ""))].join("");
  return named.replaceAll(`${root}/`, "").replaceAll(`${resolve(data)}/`, "");
}

/** The output of `--json`. */
function failureIn(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string } };
    return error?.message ?? null;
  } catch {
    return null;
  }
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const piece of stream.setEncoding("utf8")) if (text.length < 1 << 20) text += piece as string;
  return text;
}
