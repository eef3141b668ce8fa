import type { ByteSink, SinkBundle } from "../../io/sink/sink.ts";

/** Characters after which text is handed on. */
const FULL = 65536;
const ENCODER = new TextEncoder();

/** Text on its way to a sink, in pieces of some size. */
export class TextOut {
  readonly #sink: ByteSink;
  #text = "";

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Waits for the sink now and then; null: more may be put. */
  put(text: string): Promise<void> | null {
    this.#text += text;
    return this.#text.length >= FULL ? this.flush() : null;
  }

  async flush(): Promise<void> {
    const bytes = ENCODER.encode(this.#text);
    this.#text = "";
    if (bytes.length > 0) await this.#sink.write(bytes);
  }
}

/** Opens the main file, has `write` fill it, and closes it; when that fails, the file is thrown away. */
export async function toMain<T>(to: SinkBundle, write: (out: TextOut) => Promise<T>): Promise<T> {
  const sink = await to.open();
  try {
    const out = new TextOut(sink);
    const result = await write(out);
    await out.flush();
    await sink.close();
    return result;
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

/** So many digits behind the point, without zeros at the end, and no minus before a zero. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  let end = text.length;
  while (text.charCodeAt(end - 1) === ZERO) end--;
  if (text.charCodeAt(end - 1) === POINT) end--;
  const short = text.slice(0, end);
  return short === "-0" ? "0" : short;
}

const ZERO = "0".charCodeAt(0);
const POINT = ".".charCodeAt(0);

/** Degrees of a place, to a tenth of a millimetre; of an angle; metres. */
export const DEGREE_DIGITS = 9;
export const ANGLE_DIGITS = 3;
export const METRE_DIGITS = 3;

/** Control characters, halves of surrogate pairs and two that are no characters: XML 1.0 has few of them (Char). */
const DOUBTFUL = /\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;
const SPECIAL: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};

/** A text as the content of an element or attribute; what no XML can hold is U+FFFD. */
export function xml(text: string): string {
  const sound = text.replace(DOUBTFUL, (mark) => (/[\t\n\r\u007f-\u009f]/.test(mark) ? mark : "\ufffd"));
  return sound.replace(/[&<>"\r]/g, (mark) => SPECIAL[mark]!);
}
