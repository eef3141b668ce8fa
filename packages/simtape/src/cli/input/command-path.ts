import { lstat, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { directoryStore } from "../../io/node/directory-store.ts";
import { fileSpool, fromFile, toFile } from "../../io/node/index.ts";
import { s3Store } from "../../io/s3/s3.ts";
import { shownUrl } from "../../io/source/shown-url.ts";
import type { SinkBundle } from "../../io/sink/sink.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import type { Store } from "../../io/store/store.ts";
import { isKey } from "../../io/store/store-key.ts";
import { storeBundle } from "../../io/store/store-bundle.ts";
import { UsageError } from "../run/failure.ts";
import { toServers } from "./timeout.ts";
import { UNFINISHED } from "../run/unfinished.ts";

/** A file or folder that is named on the command line, there or not: on disk or in a bucket. */
export interface CommandPath {
  kind(): Promise<"file" | "folder" | null>;
  /** The recording whose main file it is. */
  readonly source: SourceBundle;
  /**
   * The same to write; in a bucket nothing is overwritten without `force`, even if it appears meanwhile. `mode` is that
   * of a new file on disk.
   */
  sink(force: boolean, mode?: number): SinkBundle;
  /** A small file, whole. Rejects when it is not there. */
  read(): Promise<Uint8Array>;
  /** Takes the file away; nothing happens when it is not there. */
  remove(): Promise<void>;
}

/** Throws `UsageError` for `-`, for what can be no name in S3, and for other addresses: those are only read. */
export function commandPath(name: string): CommandPath {
  refuseAddress(name);
  return isInS3(name) ? pathInS3(name) : pathOnDisk(name);
}

/** Throws `UsageError` for `-`, which has no folder and cannot be changed in place. */
export function mustBeNamed(name: string): void {
  if (name === "-") throw new UsageError("- will not do here: say the name of a file or folder");
}

/** A name in a folder. */
export function under(folder: string, name: string): string {
  return isInS3(folder) ? `${folder.replace(/\/?$/, "/")}${name}` : join(folder, name);
}

/** The folder of a name. */
export function folderOf(name: string): string {
  return isInS3(name) ? name.slice(0, name.lastIndexOf("/")) : dirname(name);
}

export function isInS3(name: string): boolean {
  return /^s3:\/\//i.test(name);
}

/** The store whose keys are the names in a folder; `shared`: on disk others may read what is made in it. */
export function storeAt(folder: string, shared = false): Store {
  refuseAddress(folder);
  if (!isInS3(folder)) return directoryStore(folder, { shared });
  const [, bucket, prefix = ""] = /^s3:\/\/([^/]+)(?:\/(.*))?$/is.exec(folder) ?? [];
  if (bucket === undefined) throw new UsageError(`a folder in S3 is s3://bucket/prefix, not ${folder}`);
  return storeOf(bucket, prefix, folder);
}

/** As a path it would make folders that are called like it. */
function refuseAddress(name: string): void {
  mustBeNamed(name);
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(name) && !isInS3(name))
    throw new UsageError(`a file, a folder or s3://bucket/key is needed here, not ${shownUrl(name)}`);
}

function pathOnDisk(path: string): CommandPath {
  return {
    source: fromFile(path),
    sink: (force, mode) => toFile(path, { keep: !force, unfinished: UNFINISHED, mode }),
    read: () => readFile(path),
    remove: () => rm(path, { force: true }),
    kind: async () => {
      // a link to what is not there is something, too
      const found = await stat(path).catch(() => lstat(path).catch(() => null));
      if (found === null) return null;
      return found.isDirectory() ? "folder" : "file";
    },
  };
}

function pathInS3(url: string): CommandPath {
  const [, bucket, folder = "", file = ""] = /^s3:\/\/([^/]+)(?:\/(.*\/)?([^/]*))?$/is.exec(url) ?? [];
  if (bucket === undefined) throw new UsageError(`a place in S3 is s3://bucket/key, not ${url}`);
  if (file !== "" && !isKey(file))
    throw new UsageError(`names of files in S3 are letters, digits and . _ - here, at most 128: ${url}`);
  const store = storeOf(bucket, folder, url);
  return {
    source: storeBundle(store, file).source,
    sink: (force) =>
      storeBundle(store, file, { condition: force ? undefined : { absent: true }, spool: fileSpool() }).sink,
    read: async () => {
      const found = await store.get(file);
      if (found === null) throw Object.assign(new Error(`nothing there: ${url}`), { code: "ENOENT" });
      return found.bytes;
    },
    remove: () => store.delete(file),
    kind: async () => {
      if (file === "") return "folder";
      if ((await store.head(file)) !== null) return "file";
      for await (const _ of store.list(`${file}/`)) return "folder";
      return null;
    },
  };
}

function storeOf(bucket: string, prefix: string, url: string): Store {
  const given = (name: string): string | undefined => process.env[name] || undefined;
  const accessKeyId = given("AWS_ACCESS_KEY_ID");
  const secretAccessKey = given("AWS_SECRET_ACCESS_KEY");
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new UsageError("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together");
  const isSigned = accessKeyId !== undefined && secretAccessKey !== undefined;
  try {
    const { fetch, timeout } = toServers();
    return s3Store({
      fetch,
      // who is silent is given up before
      timeout: timeout + 1000,
      bucket,
      prefix,
      endpoint: given("AWS_ENDPOINT_URL_S3") ?? given("AWS_ENDPOINT_URL"),
      region: given("AWS_REGION") ?? given("AWS_DEFAULT_REGION"),
      credentials: isSigned ? { accessKeyId, secretAccessKey, sessionToken: given("AWS_SESSION_TOKEN") } : null,
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${error.message}: ${url}`);
    throw error;
  }
}
