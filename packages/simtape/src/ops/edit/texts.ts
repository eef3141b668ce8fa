import { LayoutError } from "../../bytes/error.ts";
import type { MessageBatch } from "../../model/messages/batch.ts";
import type { Reader } from "../../model/reader.ts";
import type { Channel, Value } from "../../model/values/value.ts";
import type { PayloadSet } from "./payload-set.ts";

/** Bytes of a value below this cannot be distinguished from other bytes. */
const LEAST_BYTES = 8;
/** Of longer ones the first tell enough. */
const MOST_BYTES = 64;

/**
 * Everything that a message says in words, and values of bytes as text of one character for each; `all`: also what is
 * in it for others to refer to.
 */
export function textsOf(
  { schema }: Channel,
  batch: MessageBatch,
  i: number,
  which: "said" | "all" = "said",
): Set<string> {
  const found = new Set<string>();
  const payload = batch.payload(i);
  try {
    const isSaid = which === "said" && schema.said !== undefined;
    const value = isSaid ? schema.said!(payload, batch.context) : schema.decode(payload, batch.context);
    addTexts(found, value, new PayloadText(payload));
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    addBytes(found, payload);
  }
  return found;
}

function addTexts(found: Set<string>, value: Value, payload: PayloadText): void {
  if (typeof value === "string") {
    if (value !== "") found.add(value);
  } else if (value instanceof Uint8Array) addBytes(found, value);
  else if (Array.isArray(value)) for (const item of value as readonly Value[]) addTexts(found, item, payload);
  else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
    for (const [key, item] of Object.entries(value)) {
      // names of the schema's own are not in the message
      if (key !== "" && payload.has(key)) found.add(key);
      addTexts(found, item as Value, payload);
    }
  }
}

function addBytes(found: Set<string>, bytes: Uint8Array): void {
  if (bytes.length < LEAST_BYTES) return;
  const head = bytes.subarray(0, MOST_BYTES);
  if (new Set(head).size > 3) found.add(LATIN.decode(head));
}

/** Names that are looked up: a schema has few. */
const MOST_NAMES = 4096;

/** A payload in which names are looked for, once one is asked for. */
class PayloadText {
  readonly #bytes: Uint8Array;
  /** One character for each byte. */
  #text: string | null = null;
  /** Whether names are in it: those of the schema come again with each thing. */
  readonly #found = new Map<string, boolean>();
  /** Names mostly come in the order of the payload: the next one is looked for behind the last. */
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  has(text: string): boolean {
    let isFound = this.#found.get(text);
    if (isFound === undefined) {
      isFound = this.#find(LATIN.decode(UTF8.encode(text)));
      if (this.#found.size < MOST_NAMES) this.#found.set(text, isFound);
    }
    return isFound;
  }

  #find(pattern: string): boolean {
    this.#text ??= LATIN.decode(this.#bytes);
    let at = this.#text.indexOf(pattern, this.#at);
    if (at < 0) at = this.#text.indexOf(pattern);
    if (at < 0) return false;
    this.#at = at;
    return true;
  }
}

const UTF8 = new TextEncoder();
const LATIN = new TextDecoder("latin1");

/** Takes the texts of all messages of `reader` out of `texts`, and their payloads out of `payloads`. */
export async function takeOut(texts: Set<string>, payloads: PayloadSet, reader: Reader): Promise<void> {
  for await (const batch of reader.batches({})) {
    for (let i = 0; i < batch.length && texts.size > 0; i++)
      for (const text of textsOf(reader.channels[batch.channel[i]!]!, batch, i)) texts.delete(text);
    for (let i = 0; i < batch.length; i++) payloads.delete(batch.bytes, batch.start[i]!, batch.end[i]!);
    if (texts.size === 0 && payloads.size === 0) return;
  }
}
