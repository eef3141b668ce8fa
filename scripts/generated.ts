/** Every file that `npm run schemas` makes from shapes and from the definitions of events, by its path. */
import { eventTypes } from "./event-types.ts";
import { lineProtocolPage } from "./event-table.ts";
import { javaConstants } from "./java-constants.ts";
import { cppSender, pythonSender } from "./sender-kinds.ts";
import { JSON_SCHEMAS } from "./json-schemas.ts";

const schemas = Object.entries(JSON_SCHEMAS).map(([name, schema]): [string, () => string] => [
  `docs/${name}`,
  () => JSON.stringify(schema, null, 2),
]);

export const GENERATED: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(schemas),
  "packages/simtape/src/record/events/live-event.ts": eventTypes,
  "docs/line-protocol.md": lineProtocolPage,
  "senders/java/src/simtape/Kind.java": javaConstants,
  "senders/cpp/simtape.hpp": cppSender,
  "senders/python/simtape_sender.py": pythonSender,
};
