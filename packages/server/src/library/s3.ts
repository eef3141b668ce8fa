import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { type ByteSource, type S3Options, type Store, s3Store, storeBundle, StoreError } from "simtape";
import { fileSpool } from "simtape/node";
import { s3Presigner } from "simtape/serving";
import { Remembered } from "../remembered.ts";
import type { Library, OpenFile } from "./library.ts";
import type { Settings } from "../settings.ts";

const PIECE = 1 << 20;
/** Seconds for which a presigned address is valid; the server gives it out for a fifth of that time. */
const EXPIRES = 300;

/** The library in an S3 bucket, below a prefix. Throws `RangeError` when the address or the keys are missing. */
export function s3Library({ store: address, s3Endpoint, s3Region, s3Key, s3Secret, direct }: Settings): Library {
  const found = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(address);
  if (found === null) throw new RangeError(`s3://BUCKET/PREFIX is expected, not ${address}`);
  if (s3Key === null || s3Secret === null) throw new RangeError("s3: an access key and its secret are needed");
  const [, bucket, prefix] = found as unknown as [string, string, string];
  const optionsOf = (folder: string): S3Options => ({
    bucket,
    prefix: [prefix, folder].filter((part) => part !== "").join("/"),
    ...(s3Endpoint === null ? {} : { endpoint: s3Endpoint }),
    region: s3Region,
    credentials: { accessKeyId: s3Key, secretAccessKey: s3Secret },
  });
  const below = (folder: string): Store => s3Store(optionsOf(folder));
  const store = below("");
  const presigner = s3Presigner(optionsOf(""));
  const presigned = new Remembered(EXPIRES * 200, 10_000, (key) => presigner(key, EXPIRES));
  return {
    name: store.name,
    async *list(signal, folder) {
      for await (const { key, size, etag } of store.list(folder === undefined ? "" : `${folder}/`, signal))
        if (!key.split("/").some((part) => part.startsWith(".")))
          yield { key, bytes: size, etag: plain(etag), changed: null };
    },
    open: async (key) => {
      const [head, source] = await Promise.all([store.head(key), store.source(key)]);
      if (head === null || source === null) return null;
      return openOf(key, head.size, plain(head.etag), source);
    },
    bundle: (key) => storeBundle(store, key, { spool: fileSpool() }).source,
    sink: (key) => storeBundle(store, key, { spool: fileSpool(), condition: { absent: true } }).sink,
    put: async (path, key) => {
      if ((await store.head(key)) !== null) return false;
      const sink = await storeBundle(store, key, { spool: fileSpool(), condition: { absent: true } }).sink.open();
      try {
        for await (const piece of createReadStream(path, { highWaterMark: PIECE })) await sink.write(piece as Buffer);
        await sink.close();
      } catch (error) {
        await sink.abort();
        if (error instanceof StoreError && error.code === "conflict") return false;
        throw error;
      }
      await rm(path, { force: true });
      return true;
    },
    watch: () => () => undefined,
    replacement: (key) => storeBundle(store, key, { spool: fileSpool() }).sink,
    store: below,
    presigned: (key) => (direct === "on" ? presigned.get(key) : Promise.resolve(null)),
    remove: (key) => store.delete(key),
    folders: () => Promise.resolve([]),
    removeFolder: () => Promise.resolve(),
  };
}

function openOf(key: string, bytes: number, etag: string, source: ByteSource): OpenFile {
  return {
    file: { key, bytes, etag, changed: null },
    now: () => ({ key, bytes, etag, changed: null }),
    read: (start, end) => source.read(start, end - start),
    stream: (start, end) => Readable.from(pieces(source, start, end), { objectMode: false }),
    close: () => source.close(),
  };
}

async function* pieces(source: ByteSource, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += PIECE) yield await source.read(at, Math.min(PIECE, end - at));
}

function plain(etag: string): string {
  return etag.replaceAll('"', "");
}
