import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Lost } from "../../model/writer.ts";
import { withoutSecrets } from "./secrets.ts";
import { visible, visibleLine } from "../../model/values/visible.ts";

/**
 * Results go here: collected into large writes, waiting when the reader is slow. Whatever is in them, a terminal gets
 * text and our own colours only.
 */
export class Output {
  #pending = "";

  /** One line; an end of a line inside of it is shown as `\n`. */
  async line(text: string): Promise<void> {
    await this.#add(`${cleaned(text, visibleLine)}\n`);
  }

  async lines(texts: Iterable<string>): Promise<void> {
    for (const text of texts) await this.line(text);
  }

  /** Text with ends of lines of its own. */
  async text(text: string): Promise<void> {
    await this.#add(cleaned(text, visible));
  }

  async flush(): Promise<void> {
    const text = withoutSecrets(this.#pending);
    this.#pending = "";
    if (text !== "" && !process.stdout.write(text)) await once(process.stdout, "drain");
  }

  async #add(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length > 65536) await this.flush();
  }
}

/** Talk and warnings: standard error, one line. */
export function say(text: string): void {
  talk(`${visibleLine(text)}\n`);
}

/** Text of several lines on standard error. */
export function talk(text: string): void {
  process.stderr.write(withoutSecrets(visible(text)));
}

/** A line of standard error that the next one takes the place of; only on a terminal. */
export function sayForNow(text: string): void {
  if (process.stderr.isTTY === true) process.stderr.write(`\r\x1b[K${withoutSecrets(visibleLine(text))}`);
}

type Painter = (text: string) => string;

/** Stands for the beginning of a colour until the text around it is made visible: nothing that is read can have it. */
const MARK = `\x1b${randomBytes(12).toString("hex")}`;

/** Colours for standard output; none when it is not a terminal or `NO_COLOR` is set. */
export const paint: Readonly<Record<"bold" | "dim" | "red" | "green" | "yellow", Painter>> = {
  bold: painter(1, 22),
  dim: painter(2, 22),
  red: painter(31, 39),
  green: painter(32, 39),
  yellow: painter(33, 39),
};

function painter(begin: number, end: number): Painter {
  const isColoured = process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;
  return isColoured ? (text) => `${MARK}${begin}m${text}${MARK}${end}m` : (text) => text;
}

function cleaned(text: string, clean: (text: string) => string): string {
  if (!text.includes(MARK)) return clean(text);
  const [first = "", ...painted] = text.split(MARK);
  return (
    clean(first) +
    painted.map((piece) => piece.replace(/^(\d+m)(.*)$/s, (_, code, rest) => `\x1b[${code}${clean(rest)}`)).join("")
  );
}

/** Of a whole number: `1,234,567`. The tables of all languages, which do the same, take 30 ms to load. */
export function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 chunk`, `1,234 chunks`. */
export function counted(value: number, one: string, many: string = `${one}s`): string {
  return `${grouped(value)} ${value === 1 ? one : many}`;
}

/** A line for each reason why things were not carried: the first few of them, and how many more there are. */
export function tellLost(lost: readonly Lost[], what: string = paint.red("lost")): string[] {
  const [mostLines, mostPaths] = [20, 3];
  const byReason = new Map<string, Lost[]>();
  for (const one of lost) {
    const same = byReason.get(one.reason);
    if (same === undefined) byReason.set(one.reason, [one]);
    else same.push(one);
  }
  const lines = [...byReason].slice(0, mostLines).map(([reason, same]) => {
    // One more is named rather than counted.
    const shown = same.length === mostPaths + 1 ? same : same.slice(0, mostPaths);
    const others = same.slice(shown.length);
    const paths = shown.map(({ path, count }) => `${path} (${grouped(count)})`).join(", ");
    const more = others.reduce((sum, { count }) => sum + count, 0);
    return `  ${what} ${paths}${others.length > 0 ? ` and ${grouped(others.length)} more (${grouped(more)})` : ""}: ${reason}`;
  });
  if (byReason.size > mostLines) lines.push(`  … for ${byReason.size - mostLines} more reasons; --json has all`);
  return lines;
}

/** `1.2 MB`, powers of a thousand. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** A line on the terminal that says how far long work has come; shown after half a second, wiped at the end. */
export class Progress {
  readonly #what: string;
  readonly #began = Date.now();
  #shown = 0;

  constructor(what: string) {
    this.#what = what;
  }

  show(done: number, total: number | null, unit: (value: number) => string = byteSize): void {
    const now = Date.now();
    if (process.stderr.isTTY !== true || now - this.#began < 500 || now - this.#shown < 100) return;
    this.#shown = now;
    const share = total === null || total === 0 ? "" : ` of ${unit(total)}, ${Math.floor((100 * done) / total)}%`;
    sayForNow(`${this.#what}: ${unit(done)}${share}`);
  }

  end(): void {
    if (this.#shown > 0) sayForNow("");
  }
}

/** All of the terminal, beside what was on it before: the lines that changed are written, and `close` brings back what was there. */
export class FullScreen {
  #shown: readonly string[] = [];
  #isOpen = false;
  readonly #restore = (): void => this.close();

  open(): void {
    this.#isOpen = true;
    // another buffer, without a cursor (xterm, "Control Sequences", DECSET 1049 and 25)
    process.stdout.write("\x1b[?1049h\x1b[?25l\x1b[2J");
    process.once("exit", this.#restore);
  }

  /** Whether the terminal has taken what was shown before. */
  get isReady(): boolean {
    return !process.stdout.writableNeedDrain;
  }

  /** One text for each row, from the first one on. */
  show(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    let text = "";
    for (const [row, line] of lines.entries())
      if (line !== this.#shown[row]) text += `\x1b[${row + 1};1H${cleaned(line, visibleLine)}`;
    this.#shown = lines;
    if (text !== "") process.stdout.write(withoutSecrets(text));
  }

  /** Everything is written again: the terminal has another size. */
  clear(): void {
    this.#shown = [];
    if (this.#isOpen) process.stdout.write("\x1b[2J");
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.off("exit", this.#restore);
    process.stdout.write("\x1b[?25h\x1b[?1049l");
  }
}
