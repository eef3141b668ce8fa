import type { Outline } from "../protocol.ts";
import type { Query } from "./query.ts";
import { Breather } from "./breather.ts";
import { MOST_FIELDS, named } from "./named.ts";

/** Between two reports of what was found, milliseconds. */
const REPORT_EVERY = 200;

/** Records of the file from its beginning. Progress is those since the last one, the answer those since then. */
export const outline: Query<"outline"> = async (engine, { recording, limit, end }, signal, report) => {
  const breather = new Breather(signal);
  let some = new Growing();
  let count = 0;
  let reported = performance.now();
  for await (const records of engine.recording(recording).records(signal)) {
    for (const { kind, offset, bytes } of records) {
      if (count++ === limit || offset >= end) return some.outline(false);
      some.add(kind, offset, bytes.length);
    }
    await breather.breathe();
    if (performance.now() - reported < REPORT_EVERY) continue;
    reported = performance.now();
    report({ done: count, total: null, partial: some.outline(false) });
    some = new Growing();
  }
  return some.outline(true);
};

/** One record with its fields; walks there from the beginning of the file. */
export const record: Query<"record"> = async (engine, { recording: id, index }, signal) => {
  const recording = engine.recording(id);
  const breather = new Breather(signal);
  let before = 0;
  for await (const records of recording.records(signal)) {
    const found = records[index - before];
    if (found !== undefined) {
      const dissector = await recording.dissector();
      const { fields, contents } = await dissector.record(found, { most: MOST_FIELDS, signal });
      const { kind, offset, bytes } = found;
      const inflated = contents === null ? null : { note: contents.note, ...named(contents.bytes, contents.fields) };
      return { kind, offset, ...named(bytes, fields), contents: inflated };
    }
    before += records.length;
    await breather.breathe();
  }
  return null;
};

class Growing {
  readonly #kind: string[] = [];
  readonly #offset: number[] = [];
  readonly #length: number[] = [];

  add(kind: string, offset: number, length: number): void {
    this.#kind.push(kind);
    this.#offset.push(offset);
    this.#length.push(length);
  }

  outline(isEnd: boolean): Outline {
    return {
      kind: this.#kind,
      offset: Float64Array.from(this.#offset),
      length: Uint32Array.from(this.#length),
      isEnd,
    };
  }
}
