import { createHash, timingSafeEqual } from "node:crypto";
import { LONGEST_LINE } from "../../../record/lines/lines.ts";
import type { Sender } from "./sender.ts";

/** Who may send. */
export interface DoorOptions {
  /** What a sender must say first, `{"token":"…"}`; absent: nothing. */
  readonly token?: string | undefined;
  /** Milliseconds until the first line must have come; default ten seconds. */
  readonly timeout?: number | undefined;
}

/** Milliseconds. */
const TIMEOUT = 10_000;

const [LINE_FEED, BRACE] = [0x0a, 0x7b];
/** Before the first line there may be spaces, empty lines and a byte order mark. */
const BEFORE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * The sender as it is let in, with all its lines but that of its token: it has sent one in time, and begins as lines of
 * JSON do. A text: why it is not. Null: it has gone, and sent nothing.
 */
export async function letIn(sender: Sender, options: DoorOptions): Promise<Sender | string | null> {
  const { token, timeout = TIMEOUT } = options;
  const rest = sender.bytes[Symbol.asyncIterator]();
  const deadline = new Deadline(timeout);
  try {
    const head = await firstLine(rest, deadline);
    if (head === null || typeof head === "string") return head;
    const received = tokenIn(head);
    if (token !== undefined && (received === null || !isSame(received, token)))
      return received === null ? 'say {"token":"…"} first' : "a wrong token";
    return { ...sender, bytes: joined(received === null ? head : head.subarray(head.indexOf(LINE_FEED) + 1), rest) };
  } finally {
    deadline.stop();
  }
}

/** What came up to the end of the first line, or more; a text: what is wrong with it. */
async function firstLine(rest: AsyncIterator<Uint8Array>, deadline: Deadline): Promise<Uint8Array | string | null> {
  let head: Uint8Array = new Uint8Array(0);
  for (;;) {
    const next = await Promise.race([rest.next(), deadline.passed]);
    if (next === null) return "no line has come in time";
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
    const start = head.findIndex((byte) => !BEFORE.has(byte));
    if (start < 0) {
      if (head.length > LONGEST_LINE) return "no line has come";
      continue;
    }
    if (head[start] !== BRACE) return `${kindOf(head.subarray(start))}, not lines of JSON`;
    if (head.includes(LINE_FEED, start) || head.length > LONGEST_LINE) return head.subarray(start);
  }
  return head.some((byte) => !BEFORE.has(byte)) ? head : null;
}

function kindOf(head: Uint8Array): string {
  if (head[0] === 0x16 && (head.length < 2 || head[1] === 0x03)) return "that is TLS";
  return /^[A-Z]+(?: |$)/.test(String.fromCharCode(...head.subarray(0, 20)))
    ? "that is HTTP"
    : "that is something else";
}

/** The token that the first line is; null: it is something else. */
function tokenIn(head: Uint8Array): string | null {
  const end = head.indexOf(LINE_FEED);
  try {
    const line = JSON.parse(new TextDecoder().decode(end < 0 ? head : head.subarray(0, end))) as Record<
      string,
      unknown
    >;
    const { token } = line;
    return typeof token === "string" && Object.keys(line).length === 1 ? token : null;
  } catch {
    return null;
  }
}

/** In a time that tells nothing about either. */
function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one!, other!);
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** Resolves with null when the time is over, unless it is stopped. */
class Deadline {
  readonly passed: Promise<null>;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(milliseconds: number) {
    this.passed = new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve(null), milliseconds);
    });
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}
