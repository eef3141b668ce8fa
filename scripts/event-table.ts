/** Makes the tables of events in `docs/line-protocol.md` from the definitions of the events. */
import { readFileSync } from "node:fs";
import { type Definition, EVENTS } from "../packages/simtape/src/record/events/definition.ts";
import { CONTROL } from "../packages/simtape/src/record/lines/commands.ts";

const DOCUMENT = new URL("../docs/line-protocol.md", import.meta.url);
/** Events with a section of their own. */
const APART = ["tick", "event"];

const { set, entities, sets, commit, snapshot, session, versions, reset, ...others } = EVENTS;
const world = Object.fromEntries(Object.entries(others).filter(([kind]) => !APART.includes(kind)));

/** The events of each table, by the mark that stands before the table in the document. */
const TABLES = {
  world,
  states: { set, entities, sets },
  control: { commit, snapshot, session, versions, reset, ...CONTROL },
} as Readonly<Record<string, Readonly<Record<string, Definition<unknown>>>>>;

/** The text of the document, with new tables. */
export function lineProtocolPage(): string {
  return readFileSync(DOCUMENT, "utf8").replaceAll(
    /(<!-- events: (\w+) -->\n)[\s\S]*?(?=<!-- end of events -->)/g,
    (_, mark: string, name: string) => `${mark}\n${tableOf(TABLES[name]!)}\n\n`,
  );
}

function tableOf(definitions: Readonly<Record<string, Definition<unknown>>>): string {
  const rows = Object.entries(definitions).map(([kind, definition]) => `| \`"${kind}"\` | ${wordsOf(definition)} |`);
  return ["| line | what happens, and fields; *optional* |", "|---|---|", ...rows].join("\n");
}

function wordsOf({ shape: { schema }, about, notes = {} }: Definition<unknown>): string {
  const { properties } = schema;
  if (schema["const"] === true) return `\`true\`: ${about}`;
  if (typeof properties !== "object" || properties === null) return about;
  const required = schema["required"] as readonly string[];
  const fields = Object.keys(properties).map((name) => {
    const note = (notes as Readonly<Record<string, string>>)[name];
    const field = required.includes(name) ? `\`${name}\`` : `*\`${name}\`*`;
    return note === undefined ? field : `${field} (${note})`;
  });
  const [sentence, ...rest] = about.split(". ");
  return [`${sentence}: ${fields.join(", ")}`, ...rest].join(". ");
}
