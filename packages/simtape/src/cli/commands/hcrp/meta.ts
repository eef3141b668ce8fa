import { readFile } from "node:fs/promises";
import { text as textOf } from "node:stream/consumers";
import type { Command } from "commander";
import type { Value } from "../../../model/values/value.ts";
import { openBundle } from "../../../model/open.ts";
import { changeMetadata } from "../../../record/compact/change-metadata.ts";
import type { VisitorMark } from "../../../record/compact/visitors.ts";
import { collected } from "../../input/collected.ts";
import { EXIT, UsageError } from "../../run/failure.ts";
import { allFormats } from "../../input/formats.ts";
import { gated, soundAs } from "../../output/gated.ts";
import { toJson } from "../../../model/values/json.ts";
import { counted, Output } from "../../run/terminal.ts";
import { commandPath, under } from "../../input/command-path.ts";
import { budgetOf, type ReadOptions, reads, withGiven } from "../../input/recordings.ts";
import { withRecording } from "../../input/with-recording.ts";

interface SetOptions extends ReadOptions {
  readonly unset?: readonly string[];
  readonly marks?: string;
  readonly json?: boolean;
}

export function addMeta(program: Command): void {
  const meta = program.command("meta").summary("the metadata of an HCRP recording: read, change");
  reads(meta.command("get"))
    .description("Prints the metadata as JSON: all of it, or the value at a path.")
    .argument("<file>", "path, folder, URL, or - for standard input")
    .argument("[path]", "names with dots between them, as hcrp.marks")
    .option("--json", "what it always prints is JSON; a failure is, too")
    .addHelpText("after", "\nExample:\n  $ simtape meta get run.hcrp hcrp.marks")
    .action(async (file: string, path: string | undefined, options: ReadOptions) => {
      const out = new Output();
      await withRecording(file, options, async ({ info }) => {
        const found = (path?.split(".") ?? []).reduce<unknown>(inner, info.metadata["metadata"] ?? {});
        if (found === undefined) throw new UsageError(`no metadata ${path} in ${file}`);
        await out.line(toJson(found));
      });
      await out.flush();
    });
  reads(meta.command("set"))
    .description(
      "Changes the metadata of a finished HCRP recording in place; its chunks stay as they are. A value is JSON, or text. Of hcrp only outcome, duration_ms and analysis can be set, and marks can be added. The file is written to a temporary name and then renamed.",
    )
    .argument("<file>", "path, folder or s3://bucket/key")
    .argument("[path=value...]", "as server.mode=hardcore or hcrp.analysis.cheats='{\"flags\":3}'")
    .option("--unset <path>", "remove this value (may be given more than once)", collected)
    .option("--marks <file>", "add marks, one JSON object per line: tick, kind, label, entity, severity; - is stdin")
    .option("--json", "one JSON object")
    .addHelpText("after", "\nExample:\n  $ simtape meta set run.hcrp reviewed=true --marks flags.ndjson")
    .action(async (file: string, changes: readonly string[], options: SetOptions) => {
      const place = commandPath((await commandPath(file).kind()) === "folder" ? under(file, "meta.hcrp") : file);
      const values = valuesOf(changes, options.unset ?? []);
      const marks = options.marks === undefined ? [] : await marksFrom(options.marks);
      const change = { values, marks, budget: budgetOf(options) };
      const source = withGiven(place.source, options);
      await using before = await openBundle(source, allFormats(), { budget: budgetOf(options) });
      const report = await gated(
        { path: file, sink: place.sink(true), written: place.source },
        options,
        (to) => changeMetadata(source, to, change),
        soundAs(before),
      ).catch((error: unknown) => {
        throw error instanceof RangeError ? new UsageError(error.message) : error;
      });
      const out = new Output();
      if (options.json === true) await out.line(toJson({ file, ...report }));
      else await out.line(`${file}: ${counted(report.marks, "mark")}, ${counted(report.bytesAfter, "byte")}`);
      await out.flush();
      process.exitCode = EXIT.done;
    });
}

function inner(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

interface Tree {
  [name: string]: Value | Tree;
}

function valuesOf(changes: readonly string[], unset: readonly string[]): Readonly<Record<string, Value>> {
  const values = Object.create(null) as Tree;
  for (const change of changes) {
    const at = change.indexOf("=");
    if (at <= 0) throw new UsageError(`expected PATH=VALUE, found ${JSON.stringify(change)}`);
    put(values, change.slice(0, at), parsed(change.slice(at + 1)));
  }
  for (const path of unset) put(values, path, null);
  return values as Readonly<Record<string, Value>>;
}

function put(values: Tree, path: string, value: Value): void {
  const names = path.split(".");
  const last = names.pop()!;
  let at = values;
  for (const name of names) {
    const next = Object.hasOwn(at, name) ? at[name] : undefined;
    if (next !== undefined && (typeof next !== "object" || next === null))
      throw new UsageError(`${path} is given twice, once as a value`);
    at = at[name] = (next ?? Object.create(null)) as Tree;
  }
  at[last] = value;
}

function parsed(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}

async function marksFrom(path: string): Promise<VisitorMark[]> {
  const text = path === "-" ? await textOf(process.stdin) : await readFile(path, "utf8").catch(unreadable(path));
  return text.split("\n").flatMap((line, i) => (line.trim() === "" ? [] : [markOf(line, i + 1)]));
}

function unreadable(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw new UsageError(`cannot be read (${error.code ?? ""}): ${path}`);
  };
}

function markOf(line: string, number: number): VisitorMark {
  const found = parsed(line);
  const { tick, kind, label = "", entity = null, severity = 0 } = (found ?? {}) as Partial<VisitorMark>;
  const isWhole = (value: unknown, most: number): boolean =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
  const wrong = !isWhole(tick, 0x7fff_ffff)
    ? "tick: a whole number from 0"
    : typeof kind !== "string" || kind === ""
      ? "kind: text"
      : typeof label !== "string"
        ? "label: text"
        : entity !== null && !isWhole(entity, 0x7fff_ffff)
          ? "entity: a whole number from 0, or null"
          : isWhole(severity, 127)
            ? null
            : "severity: a whole number from 0 to 127";
  if (wrong !== null) throw new UsageError(`marks, line ${number}: expected ${wrong}; found ${line.slice(0, 100)}`);
  return { tick: tick!, kind: kind!, label, entity, severity };
}
