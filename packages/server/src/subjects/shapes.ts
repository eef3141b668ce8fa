import { Type } from "typebox";

export const SUBJECT = Type.Object({
  id: Type.String({ minLength: 3, maxLength: 200, description: "name, UUID or account" }),
});

export const OTHERS = Type.Array(Type.String({ minLength: 3, maxLength: 200 }), {
  maxItems: 50,
  default: [],
  description: "further names and UUIDs of the same",
});

export const ASKED_FOR = Type.Object({ also: OTHERS });

const TEXT = Type.Union([Type.String(), Type.Null()]);

/** A request, and what became of it. */
export const REQUEST_SHOWN = Type.Object({
  id: Type.String(),
  kind: Type.String({ description: "export or erase" }),
  state: Type.String({ description: "waiting, done or failed" }),
  report: Type.Unknown({ description: "what was done with what; null until then" }),
  error: TEXT,
  made: Type.String(),
  ended: TEXT,
  url: Type.Union([Type.String(), Type.Null()], { description: "of the zip" }),
});
