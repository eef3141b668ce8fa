import { type Command, InvalidArgumentError } from "commander";
import { fieldText } from "../../bytes/field-text.ts";
import type { Field } from "../../bytes/fields.ts";
import type { Dissection } from "../../model/dissector.ts";
import type { NativeRecord } from "../../model/native-record.ts";
import { collected } from "../input/collected.ts";
import { toJson } from "../../model/values/json.ts";
import { counted, grouped, Output, paint } from "../run/terminal.ts";
import { type ReadOptions, reads } from "../input/recordings.ts";
import { withRecording } from "../input/with-recording.ts";

interface RecordsOptions extends ReadOptions {
  readonly kind?: readonly string[];
  readonly limit?: number;
  readonly hex?: boolean;
  readonly fields?: boolean;
  readonly json?: boolean;
}

/** Bytes of a field that are shown beside it, and widths of columns. */
const MOST_BYTES = 8;
const NAME_WIDTH = 32;
/** Fields of one record, so that memory has an end. */
const MOST_FIELDS = 1 << 20;

export function addRecords(program: Command): void {
  reads(program.command("records"))
    .summary("the records of a file, every byte")
    .description(
      "Lists the records of the format's own framing in file order: headers, chunks, packets, frames, gaps, and damaged bytes. Together they are every byte. Offsets are those of the file, or of the inflated stream of a compressed one.",
    )
    .argument("<file>", "path, folder, URL, or - for standard input")
    .option("-k, --kind <kind>", "only this kind (may be given more than once)", collected)
    .option("-n, --limit <n>", "at most this many", countOf)
    .option("--fields", "what every byte of them means, also of their compressed content")
    .option("--hex", "their bytes, too")
    .option("--json", "one JSON object per record")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape records run.hcrp\n  $ simtape records town.log --kind position --limit 1 --fields\n  $ simtape records town.log --kind damaged --hex\n  $ simtape records robot.tape --json | jq .kind | sort | uniq -c",
    )
    .action(async (file: string, options: RecordsOptions) => {
      const { kind: kinds, limit = Number.POSITIVE_INFINITY, hex = false, json = false } = options;
      const output = new Output();
      let count = 0;
      await withRecording(file, options, async (recording) => {
        const dissector = options.fields === true ? await recording.dissector() : null;
        for await (const records of recording.records()) {
          for (const record of records) {
            if (kinds !== undefined && !kinds.includes(record.kind)) continue;
            if (++count > limit) return;
            const dissection = dissector === null ? null : await dissector.record(record, { most: MOST_FIELDS });
            if (json) await output.line(recordToJson(record, dissection, hex));
            else for (const line of tellRecord(record, dissection, hex)) await output.line(line);
          }
        }
      });
      await output.flush();
    });
}

/** `{ offset, kind, length, bytes?, fields?, contents? }`; offsets of fields are those of the file, of contents their own. */
function recordToJson({ offset, kind, bytes }: NativeRecord, dissection: Dissection | null, hex: boolean): string {
  const length = bytes.length;
  const digits = hex ? digitsOf(bytes) : undefined;
  if (dissection === null) return toJson({ offset, kind, length, bytes: digits });
  const { fields, contents } = dissection;
  const inflated =
    contents === null
      ? null
      : {
          note: contents.note,
          length: contents.bytes.length,
          bytes: hex ? digitsOf(contents.bytes) : undefined,
          fields: contents.fields.map((field) => fieldToPlain(field, 0)),
        };
  const named = fields.map((field) => fieldToPlain(field, offset));
  return toJson({ offset, kind, length, bytes: digits, fields: named, contents: inflated });
}

function fieldToPlain({ name, start, end, role, value, note }: Field, origin: number): unknown {
  const plain = value instanceof Uint8Array ? digitsOf(value) : value;
  return { offset: origin + start, length: end - start, name, role, value: plain, note: note ?? undefined };
}

function* tellRecord(record: NativeRecord, dissection: Dissection | null, hex: boolean): Generator<string> {
  const { kind, offset, bytes } = record;
  const head = `${String(offset).padStart(12)}  ${grouped(bytes.length).padStart(12)}  ${kind}`;
  yield dissection === null ? head : paint.bold(head);
  if (dissection === null) {
    if (hex) yield* hexDump(bytes, offset);
    return;
  }
  const { fields, contents } = dissection;
  for (const field of fields) yield tellField(field, offset, hex ? bytes : null);
  if (contents === null) return;
  yield `${" ".repeat(14)}${paint.bold(`inflated: ${contents.note}, ${counted(contents.bytes.length, "byte")}`)}`;
  for (const field of contents.fields) yield tellField(field, 0, hex ? contents.bytes : null);
}

/** Offset, length, name, value and what it means; with its first bytes when there are any to show. */
function tellField(field: Field, origin: number, bytes: Uint8Array | null): string {
  const { name, start, end, role, note } = field;
  const place = `${String(origin + start).padStart(12)}  ${grouped(end - start).padStart(12)}`;
  const named = name.padEnd(NAME_WIDTH);
  const said = `${fieldText(field)}${note === null ? "" : paint.dim(`  (${note})`)}`;
  const shown = bytes === null ? "" : `${dump(bytes.subarray(start, end))}  `;
  const painted = role === "frame" ? paint.dim(named) : role === "unknown" ? paint.red(named) : named;
  return `${paint.dim(place)}    ${shown}${painted}  ${said}`;
}

/** The first bytes, in as many columns as the most of them take. */
function dump(bytes: Uint8Array): string {
  const digits = Array.from(bytes.subarray(0, MOST_BYTES), two).join(" ");
  return (bytes.length > MOST_BYTES ? `${digits} …` : digits).padEnd(MOST_BYTES * 3 + 1);
}

/** Sixteen bytes in a line, with the place of the first and with their text. */
function* hexDump(bytes: Uint8Array, origin: number): Generator<string> {
  for (let at = 0; at < bytes.length; at += 16) {
    const line = bytes.subarray(at, at + 16);
    const digits = Array.from(line, (byte, i) => (i === 8 ? ` ${two(byte)}` : two(byte))).join(" ");
    const text = Array.from(line, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    yield `  ${(origin + at).toString(16).padStart(10, "0")}  ${digits.padEnd(48)}  ${text}`;
  }
}

function two(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

function digitsOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new InvalidArgumentError("a whole number from 0");
}
