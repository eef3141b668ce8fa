import type { Time } from "simtape";
import type { Alignment, Comparison, Divergence, PathDifference } from "simtape/compare";
import { LongQueries } from "../long-query.ts";
import type { Deck, Session } from "../session.ts";
import { thingNamed } from "../subject.ts";

/** Where it is kept how the recording is compared with its ghost. */
export const COMPARING = "compare";

/** How two recordings are compared. */
export interface Wanted {
  /** Place among the ghosts, from 0. */
  readonly ghost: number;
  readonly align: Alignment;
  /** As typed: with semicolons between them. */
  readonly rules: string;
  /** The path whose error is shown; "": the first. */
  readonly path: string;
}

export const USUAL: Wanted = { ghost: 0, align: "start", rules: "", path: "" };

export function wantedIn(shared: Readonly<Record<string, unknown>>): Wanted {
  const kept = (shared[COMPARING] ?? {}) as Partial<Record<keyof Wanted, unknown>>;
  return {
    ghost: typeof kept.ghost === "number" && Number.isInteger(kept.ghost) && kept.ghost >= 0 ? kept.ghost : USUAL.ghost,
    align: typeof kept.align === "string" ? (kept.align as Alignment) : USUAL.align,
    rules: typeof kept.rules === "string" ? kept.rules : USUAL.rules,
    path: typeof kept.path === "string" ? kept.path : USUAL.path,
  };
}

/** The comparison of what a deck plays with a ghost. */
export const comparisons: LongQueries<Comparison> = new LongQueries<Comparison>();

/** Compares, unless that is what was compared. */
export function startComparing(session: Session, main: Deck, ghost: Deck, { align, rules }: Wanted): void {
  const list = rules
    .split(";")
    .map((rule) => rule.trim())
    .filter((rule) => rule !== "");
  const ask = { recording: main.opened.recording, other: ghost.opened.recording, align, rules: list };
  void comparisons.of(main).ask(JSON.stringify(ask), (options) => session.query("compare", ask, options));
}

/** The path whose error is shown: the one that is wanted, else the first that differs. */
export function shownPath({ paths }: Comparison, wanted: string): PathDifference | null {
  return paths.find(({ path }) => path === wanted) ?? paths.find(({ differs }) => differs) ?? null;
}

/** A part of the range in which a path differs by more than it may. */
export interface Apart {
  readonly start: Time;
  readonly end: Time;
  /** The greatest error in it. */
  readonly error: number;
}

/** The parts of the range in which a path has an error beyond what its first difference may have; touching ones are one. */
export function partsApart({ range }: Comparison, { curve, first }: PathDifference): readonly Apart[] {
  const found: Apart[] = [];
  const least = first?.tolerance ?? 0;
  const each = (range.end - range.start) / Math.max(1, curve.length);
  for (const [i, error] of curve.entries()) {
    if (!(error > least)) continue;
    const start = Math.max(range.start + i * each, first?.time ?? 0);
    const end = range.start + (i + 1) * each;
    const last = found.at(-1);
    if (last !== undefined && start - last.end < each / 2)
      found[found.length - 1] = { ...last, end, error: Math.max(last.error, error) };
    else found.push({ start, end: Math.max(start, end), error });
  }
  return found;
}

/** Goes to the next part in which the shown path differs, or back to the one before. */
export function goToDifference(session: Session, direction: 1 | -1): void {
  const { decks, shared } = session.state.value;
  const { time } = session;
  const main = decks[0];
  const comparison = main === undefined ? null : comparisons.of(main).run.value.answer;
  if (comparison === null || time === null) {
    session.tell("Compare with a ghost first, in the panel Compare");
    return;
  }
  const path = shownPath(comparison, wantedIn(shared).path);
  const parts = path === null ? [] : partsApart(comparison, path);
  const found = direction > 0 ? parts.find(({ start }) => start > time) : parts.findLast(({ start }) => start < time);
  if (found === undefined) session.tell(`No difference ${direction > 0 ? "after" : "before"} this moment`);
  else void session.seek(found.start);
}

/** Shows where two values differ, and selects what they are of. */
export async function showDivergence(
  session: Session,
  { time, thing }: Pick<Divergence, "time" | "thing">,
): Promise<void> {
  await session.seek(time);
  if (thing !== null) session.select({ kind: "thing", ...thing });
}

/** Shows where a path is the farthest apart, and selects what it is of. */
export async function showGreatest(session: Session, { max }: PathDifference): Promise<void> {
  await session.seek(max.time);
  const state = session.frame?.recorded;
  const name = max.path.split("/").slice(0, 2).join("/");
  const thing = state === undefined ? null : thingNamed(state, name);
  if (thing !== null) session.select({ kind: "thing", ...thing });
}
