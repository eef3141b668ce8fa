import type { Column, Recording, Value } from "../../../src/index.ts";

/** What the page shows of a recording, as text. */
export interface Summary {
  readonly format: string;
  readonly timeline: string;
  /** How many messages were decoded, and a hash of their values. */
  readonly decoded: string;
  readonly findings: string;
  /** Name and count of each. */
  readonly channels: readonly (readonly [string, string])[];
  readonly state: string;
}

/** Reads a recording whole and says what is in it. Runs alike in a page and in Node. */
export async function summarize(recording: Recording): Promise<Summary> {
  const { start, end, epoch, tick } = await recording.timeline();
  const statistics = await recording.statistics();
  const hash = new Hash();
  let decoded = 0;
  for await (const message of recording.messages()) {
    hash.add(json({ channel: message.channel.name, time: message.time, value: message.value }));
    decoded++;
  }
  const state = await recording.state(Math.round(start + (end - start) / 2));
  const sets = Array.from(state.sets, ([name, { ids, columns }]) => {
    const cells = Array.from(columns, ([column, { data, width, unit }]) => [column, { width, unit, data: few(data) }]);
    return [name, { ids: ids.slice(0, 8), columns: Object.fromEntries(cells) }];
  });
  const values = [...state.values].slice(0, 20).map(([path, value]) => [path, hashOf(json(value))]);
  return {
    format: `${recording.info.format} ${recording.info.version}`,
    timeline: json({ start, end, epoch, tick }),
    decoded: `${decoded} (${hash.toString()})`,
    findings: recording.findings.map(({ code, message }) => `${code}: ${message}`).join("\n"),
    channels: recording.channels.map(({ id, name }) => [name, String(statistics[id]?.messages)]),
    state: json({ time: state.time, sets: Object.fromEntries(sets), values: Object.fromEntries(values) }),
  };
}

/** The first cells, to nine digits: engines differ in the last bit of sines, which attached things are placed with. */
function few(data: Column["data"]): (number | string)[] {
  return Array.from(data as ArrayLike<number | string>)
    .slice(0, 12)
    .map((cell) => (typeof cell === "number" ? Number(cell.toPrecision(9)) : cell));
}

function json(value: unknown): string {
  return JSON.stringify(value, (_, part: Value) => {
    if (typeof part === "bigint") return `${part}n`;
    if (typeof part === "number" && !Number.isFinite(part)) return String(part);
    return ArrayBuffer.isView(part) ? Array.from(part as Exclude<typeof part, DataView>) : part;
  });
}

function hashOf(text: string): string {
  const hash = new Hash();
  hash.add(text);
  return hash.toString();
}

/** FNV-1a over UTF-16 code units. */
class Hash {
  #value = 0x811c9dc5;

  add(text: string): void {
    let value = this.#value;
    for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    this.#value = value >>> 0;
  }

  toString(): string {
    return this.#value.toString(16).padStart(8, "0");
  }
}
