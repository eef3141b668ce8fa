import { open, type FileHandle } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { SinkError, SourceError } from "simtape/command";
import { type Remote, refused } from "./remote.ts";

/** Most bytes of a request. */
const PIECE = 8 << 20;
/** Milliseconds between tries after a connection broke or a server was gone: about two minutes in all. */
const WAITS = [250, 500, 1000, 2000, 4000, 8000, 15_000, 30_000, 60_000];
/** Milliseconds between checks whether the upload is placed, and in all. */
const LOOK = 100;
const PLACED_WITHIN = 600_000;
const VERSION = { "tus-resumable": "1.0.0" };

/** The addresses of uploads that were begun, so that another run of the command continues them. */
export interface Begun {
  readonly get: (of: string) => Promise<string | null>;
  readonly set: (of: string, upload: string | null) => Promise<void>;
}

export interface SendOptions {
  readonly name: string;
  readonly batch: string;
  /** The key is the same for the same content of the same file. */
  readonly of: string;
  readonly begun: Begun;
  readonly onProgress: (sent: number) => void;
}

/** Sends a file by tus, from where an earlier try ended; returns its key in the library. Rejects with `SourceError`. */
export async function send(remote: Remote, path: string, options: SendOptions): Promise<string> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    const upload = (await known(remote, size, options)) ?? (await begin(remote, size, options));
    await options.begun.set(options.of, upload);
    await sendAll(remote, handle, size, upload, options);
    const key = await placed(remote, upload);
    await options.begun.set(options.of, null);
    return key;
  } finally {
    await handle.close();
  }
}

async function known(remote: Remote, size: number, { of, begun }: SendOptions): Promise<string | null> {
  const upload = await begun.get(of);
  if (upload === null) return null;
  const answer = await remote.ask("HEAD", upload, VERSION);
  return answer.ok && answer.headers.get("upload-length") === String(size) ? upload : null;
}

async function begin(remote: Remote, size: number, { name, batch }: SendOptions): Promise<string> {
  const metadata = Object.entries({ filename: name, batch })
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
    .join(",");
  const headers = { ...VERSION, "upload-length": String(size), "upload-metadata": metadata };
  const answer = await remote.ask("POST", "api/uploads", headers);
  const location = answer.headers.get("location");
  if (!answer.ok || location === null) throw await refused(answer);
  return `api/uploads/${location.split("/").at(-1)!}`;
}

async function sendAll(
  remote: Remote,
  handle: FileHandle,
  size: number,
  upload: string,
  { onProgress }: SendOptions,
): Promise<void> {
  let sent = await offsetOf(remote, upload);
  for (let tries = 0; sent < size; ) {
    onProgress(sent);
    try {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, size - sent));
      const { bytesRead } = await handle.read(piece, 0, piece.length, sent);
      if (bytesRead < piece.length) throw new SourceError("changed", "the file became shorter while it was sent");
      const headers = { ...VERSION, "upload-offset": String(sent), "content-type": "application/offset+octet-stream" };
      const answer = await remote.ask("PATCH", upload, headers, piece);
      if (!answer.ok) {
        const error = await refused(answer);
        // another try may succeed after these answers
        throw [409, 429, 500, 502, 503, 504, 507].includes(answer.status) ? error : new FinalError(error);
      }
      sent = Number(answer.headers.get("upload-offset"));
      tries = 0;
    } catch (error) {
      if (error instanceof FinalError) throw error.cause;
      const wait = WAITS[tries++];
      if (wait === undefined || !(error instanceof SourceError) || error.reason === "changed") throw error;
      await setTimeout(wait);
      sent = await offsetOf(remote, upload).catch(() => sent);
    }
  }
  onProgress(size);
}

/** An error after which another try makes no sense. */
class FinalError extends Error {
  constructor(cause: SourceError) {
    super(cause.message, { cause });
  }
}

async function offsetOf(remote: Remote, upload: string): Promise<number> {
  const answer = await remote.ask("HEAD", upload, VERSION);
  if (!answer.ok) throw await refused(answer);
  return Number(answer.headers.get("upload-offset"));
}

async function placed(remote: Remote, upload: string): Promise<string> {
  const end = Date.now() + PLACED_WITHIN;
  for (;;) {
    const { state, key } = await remote.json<{ state: string; key: string | null }>(upload);
    if (state === "placed" && key !== null) return key;
    if (Date.now() > end) throw new SinkError("the file was sent, but the server has not put it into the library yet");
    await setTimeout(LOOK);
  }
}
