import { once } from "node:events";
import pc from "picocolors";

/** Results go here: collected into large writes, waiting when the reader is slow. */
export class Output {
  #pending = "";

  async line(text: string): Promise<void> {
    this.#pending += `${text}\n`;
    if (this.#pending.length > 65536) await this.flush();
  }

  async text(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length > 65536) await this.flush();
  }

  async flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = "";
    if (text !== "" && !process.stdout.write(text)) await once(process.stdout, "drain");
  }
}

/** Talk, warnings and progress: standard error. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Colours for standard output; none when it is not a terminal or `NO_COLOR` is set. */
export const paint: ReturnType<typeof pc.createColors> = pc.createColors(
  process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined,
);

/** `1,234,567`. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** `1 chunk`, `1,234 chunks`. */
export function counted(value: number, one: string, many: string = `${one}s`): string {
  return `${grouped(value)} ${value === 1 ? one : many}`;
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
    process.stderr.write(`\r\x1b[K${this.#what}: ${unit(done)}${share}`);
  }

  end(): void {
    if (this.#shown > 0) process.stderr.write("\r\x1b[K");
  }
}
