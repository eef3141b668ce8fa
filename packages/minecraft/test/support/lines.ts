import type { LiveEvent } from "simtape/record";

/** A line of the line protocol, which tests are shorter with. */
export type Line = Readonly<Record<string, unknown>>;

export function lineOf({ kind, value }: LiveEvent): Line {
  return { [kind]: value };
}

export function eventOf(line: object): LiveEvent {
  const [kind, value] = Object.entries(line)[0]!;
  return { kind, value } as LiveEvent;
}
