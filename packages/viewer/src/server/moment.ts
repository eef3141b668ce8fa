import { WHEN } from "../ask/asking.ts";
import { hashOf } from "../kept.ts";
import { clock } from "../time.ts";
import { at } from "./api.ts";

/** The page of a recording at the time, in seconds, at which an expression is true first, with the expression in it. */
export function momentOf(recording: string, first: number | null, where: string | null): string {
  const hash = first === null ? "" : hashOf({ t: first, ...(where === null ? {} : { shared: { [WHEN]: where } }) });
  return at(`r/${recording}`) + hash;
}

/** `3 times, first at 0:12` */
export function timesText(count: number, first: number): string {
  return `${count.toLocaleString()} ${count === 1 ? "time" : "times"}, first at ${clock(first * 1e9, 0)}`;
}
