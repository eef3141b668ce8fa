import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Budget } from "../../../bytes/budget.ts";
import { isSameBytes } from "../../../bytes/same-bytes.ts";
import type { Reporter } from "../../../model/error.ts";
import { type ChannelRecord, readChannel, readSchema, type SchemaRecord } from "../../../codec/mcap/data.ts";

/** Memory of one schema or channel beside its texts, with what stands for it in a reader, about. */
const MEMORY = 1024;

/** Schemas and channels by their ids in the file. The first record of an id counts (spec §4.3, §4.4). */
export class Definitions {
  readonly schemas: Map<number, SchemaRecord> = new Map();
  readonly channels: Map<number, ChannelRecord> = new Map();
  readonly #budget: Budget;
  readonly #report: Reporter;
  /** Ids whose later records differ, as far as they were reported. */
  readonly #reported = new Set<string>();

  constructor(budget: Budget, report: Reporter) {
    this.#budget = budget;
    this.#report = report;
  }

  /** Takes the content `[start, end)` of a schema; `offset` is the place of its record. Throws `LayoutError`. */
  schema(bytes: Uint8Array, start: number, end: number, offset: number): void {
    const record = readSchema(new ByteCursor(bytes, start, end, offset - start));
    if (record.id === 0) throw new LayoutError("malformed", "a schema with the id 0", offset);
    const known = this.schemas.get(record.id);
    if (known !== undefined) {
      this.#compare("schema", record.id, isSameSchema(known, record), offset);
      return;
    }
    this.#budget.hold("its schemas", MEMORY + record.data.length);
    this.schemas.set(record.id, { ...record, data: record.data.slice() });
  }

  /** Takes the content of a channel, likewise. */
  channel(bytes: Uint8Array, start: number, end: number, offset: number): void {
    const record = readChannel(new ByteCursor(bytes, start, end, offset - start));
    const known = this.channels.get(record.id);
    if (known !== undefined) {
      this.#compare("channel", record.id, isSameChannel(known, record), offset);
      return;
    }
    this.#budget.hold("its channels", MEMORY + end - start);
    this.channels.set(record.id, record);
  }

  #compare(what: string, id: number, isSame: boolean, offset: number): void {
    if (isSame || this.#reported.has(`${what} ${id}`)) return;
    this.#reported.add(`${what} ${id}`);
    const message = `the ${what} ${id} is defined twice, and not alike: the first definition counts`;
    this.#report.report({ code: "duplicate-channel-info", severity: "damage", message, offset });
  }
}

function isSameSchema(a: SchemaRecord, b: SchemaRecord): boolean {
  return a.name === b.name && a.encoding === b.encoding && isSameBytes(a.data, b.data);
}

function isSameChannel(a: ChannelRecord, b: ChannelRecord): boolean {
  if (a.schema !== b.schema || a.topic !== b.topic || a.encoding !== b.encoding) return false;
  if (a.metadata.size !== b.metadata.size) return false;
  for (const [key, value] of a.metadata) if (b.metadata.get(key) !== value) return false;
  return true;
}
