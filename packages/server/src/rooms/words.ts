import { Ajv, type ValidateFunction } from "ajv";
import { type Static, Type } from "typebox";
import { LONGEST, type FromClient } from "./protocol.ts";

const number = Type.Number();
const text = (longest: number) => Type.String({ minLength: 1, maxLength: longest });
const thing = Type.Union([Type.String({ maxLength: LONGEST.thing }), Type.Null()]);
const exactly = <const T extends Parameters<typeof Type.Object>[0]>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
const move = Type.Union([
  exactly({ move: Type.Literal("play") }),
  exactly({ move: Type.Literal("pause") }),
  exactly({ move: Type.Literal("rate"), rate: number }),
  exactly({ move: Type.Literal("seek"), time: number }),
  exactly({
    move: Type.Literal("loop"),
    range: Type.Union([exactly({ start: number, end: number }), Type.Null()]),
  }),
]);

/** Messages of clients by their type: a message of another type is refused. */
const SHAPES = {
  hello: exactly({
    type: Type.Literal("hello"),
    name: Type.String({ maxLength: LONGEST.name }),
    secret: Type.String({ minLength: 16, maxLength: 200 }),
  }),
  ping: exactly({ type: Type.Literal("ping"), sent: number }),
  control: exactly({ type: Type.Literal("control"), move }),
  lead: Type.Union([
    exactly({ type: Type.Literal("lead"), lead: Type.Union([Type.Literal("take"), Type.Literal("release")]) }),
    exactly({ type: Type.Literal("lead"), lead: Type.Literal("give"), to: Type.String({ maxLength: 64 }) }),
  ]),
  pointer: exactly({
    type: Type.Literal("pointer"),
    at: Type.Union([Type.Array(number, { minItems: 3, maxItems: 3 }), Type.Null()]),
    thing,
    camera: Type.Union([Type.Array(number, { minItems: 6, maxItems: 6 }), Type.Null()]),
  }),
  chat: exactly({ type: Type.Literal("chat"), text: text(LONGEST.chat) }),
  note: exactly({
    type: Type.Literal("note"),
    recording: Type.Optional(Type.String({ maxLength: 64 })),
    time: number,
    thing,
    text: text(LONGEST.note),
  }),
  follow: exactly({ type: Type.Literal("follow") }),
  free: exactly({ type: Type.Literal("free") }),
} as const;

/** A message of a client; null: it is not valid. */
export function wordOf(data: string): FromClient | null {
  let word: unknown;
  try {
    word = JSON.parse(data);
  } catch {
    return null;
  }
  if (typeof word !== "object" || word === null) return null;
  const { type } = word as { type?: unknown };
  if (typeof type !== "string" || !Object.hasOwn(SHAPES, type)) return null;
  const kind = type as keyof typeof SHAPES;
  return checkOf(kind)(word) ? (word as Static<(typeof SHAPES)[typeof kind]> as FromClient) : null;
}

const ajv = new Ajv();
const checks = new Map<string, ValidateFunction>();

/** Compiled when the first message of the type arrives. */
function checkOf(kind: keyof typeof SHAPES): ValidateFunction {
  let check = checks.get(kind);
  if (check === undefined) {
    check = ajv.compile(SHAPES[kind]);
    checks.set(kind, check);
  }
  return check;
}
