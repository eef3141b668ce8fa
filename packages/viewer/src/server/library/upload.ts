import { problemOf } from "simtape-client";
import { at, Refusal } from "../api.ts";

/** Bytes that are sent at once: what is lost of them when a connection breaks is sent again. */
const PIECE = 8 << 20;
/** Waits between tries after a lost connection, milliseconds. */
const WAITS = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];
const VERSION = { "tus-resumable": "1.0.0" };

/**
 * Sends a file into the library by tus (https://tus.io/protocols/resumable-upload), from where an earlier try of the same
 * file ended. Those of one `batch` lie side by side there, so that a pair is one recording. Returns the address of the upload. Rejects with
 * `Refusal`, or with the signal's reason.
 */
export async function upload(
  file: File,
  batch: string,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const key = `simtape-upload ${file.name} ${file.size} ${file.lastModified}`;
  const { address, offset } = (await continued(recall(key), signal)) ?? {
    address: await begin(file, batch, signal),
    offset: 0,
  };
  remember(key, address);
  let sent = offset;
  let tries = 0;
  onProgress(sent);
  while (sent < file.size) {
    try {
      sent = await send(address, file, sent, signal);
      tries = 0;
      onProgress(sent);
    } catch (error) {
      signal.throwIfAborted();
      const wait = WAITS[tries++];
      if (wait === undefined || (error instanceof Refusal && isFinal(error.status))) {
        remember(key, null);
        throw error;
      }
      await pause(wait, signal);
      const found = await continued(address, signal).catch(() => null);
      if (found !== null) sent = found.offset;
    }
  }
  remember(key, null);
  return address;
}

async function begin(file: File, batch: string, signal: AbortSignal): Promise<string> {
  const name = btoa(String.fromCharCode(...new TextEncoder().encode(file.name)));
  const answer = await reach(at("api/uploads"), {
    method: "POST",
    signal,
    headers: {
      ...VERSION,
      "upload-length": String(file.size),
      "upload-metadata": `filename ${name},batch ${btoa(batch)}`,
    },
  });
  if (!answer.ok) throw await refusalOf(answer);
  const location_ = answer.headers.get("location");
  if (location_ === null) throw new Refusal(answer.status, "The server does not say where the file goes");
  // on this server, whatever a proxy makes of its name
  return new URL(location_, location.href).pathname;
}

async function send(address: string, file: File, sent: number, signal: AbortSignal): Promise<number> {
  const answer = await reach(address, {
    method: "PATCH",
    signal,
    headers: { ...VERSION, "upload-offset": String(sent), "content-type": "application/offset+octet-stream" },
    body: file.slice(sent, sent + PIECE),
  });
  if (!answer.ok) throw await refusalOf(answer);
  return Number(answer.headers.get("upload-offset"));
}

/** How much of it is there; null: nothing is known of it. */
async function continued(
  address: string | null,
  signal: AbortSignal,
): Promise<{ readonly address: string; readonly offset: number } | null> {
  if (address === null) return null;
  const answer = await reach(address, { method: "HEAD", signal, headers: VERSION });
  return answer.ok ? { address, offset: Number(answer.headers.get("upload-offset")) } : null;
}

async function refusalOf(answer: Response): Promise<Refusal> {
  const { status, message } = await problemOf(answer);
  return new Refusal(status, message);
}

async function reach(address: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (error) {
    request.signal?.throwIfAborted();
    throw new Refusal(0, `The server cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Not what is over when the connection or the server is back: conflicts are those of an older offset. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 409 && status !== 423 && status !== 429;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key: string, address: string | null): void {
  try {
    if (address === null) localStorage.removeItem(key);
    else localStorage.setItem(key, address);
  } catch {
    // a page that may keep nothing begins again after a reload
  }
}
