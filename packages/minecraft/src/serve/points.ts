import { readFile } from "node:fs/promises";
import { open, type Recording, type Time } from "simtape";
import { fromFile } from "simtape/node";
import type { Stored } from "../stored/recordings.ts";

/** The kind of a player's report. */
export const REPORT = "report";

/** A moment of a recording to go to: a mark, a report, or a note. */
export interface Point {
  /** Nanoseconds since the start. */
  readonly at: Time;
  readonly kind: string;
  readonly text: string;
  /** The player that it is about, as the recording names it; "" when the recording does not say. */
  readonly about: string;
  /** Belongs to a review without a verdict: only reviewers see it. */
  readonly isOpen?: boolean;
}

/** Why a viewer may see a recording: it is open to all, the viewer is in it, or has a ticket. */
export type Role = "public" | "subject" | "reviewer";

/**
 * All points of a recording, ascending, read from its files at each call: a note that another program wrote a moment
 * ago is included. No message is read. Rejects like `open`.
 */
export async function pointsOf(stored: Stored): Promise<readonly Point[]> {
  await using recording = await open(fromFile(stored.path));
  return await pointsIn(recording, stored);
}

/** The same for an open recording: its marks are those at the time of opening, its notes are the present ones. */
export async function pointsIn(recording: Recording, { root }: Stored): Promise<readonly Point[]> {
  const points: Point[] = [];
  for await (const events of recording.events({ listed: true }))
    for (const { time: at, kind, text, who } of events) points.push({ at, kind, text, about: who[0]?.label ?? "" });
  for (const old of await listed(root))
    if (!points.some(({ at, text }) => at === old.at && text === old.text)) points.push(old);
  return points.sort((a, b) => a.at - b.at);
}

/** Viewers who see a recording only because they are in it do not see the reports of others. */
export function isFor(
  { kind, isOpen = false }: Pick<Point, "kind" | "isOpen">,
  { role }: { readonly role: Role },
): boolean {
  return isOpen ? role === "reviewer" : kind !== REPORT || role !== "subject";
}

/**
 * Notes of the edit list `NAME.marks.json`, which earlier replay servers have written; entries that are no notes are
 * skipped.
 */
async function listed(root: string): Promise<readonly Point[]> {
  try {
    const text = await readFile(`${root.replace(/\.hcrp$/, "")}.marks.json`, "utf8");
    const { operations } = JSON.parse(text) as { readonly operations?: unknown };
    return Array.isArray(operations) ? operations.flatMap(pointIn) : [];
  } catch {
    return [];
  }
}

function pointIn(operation: unknown): Point[] {
  const { op, at, text, kind } = (operation ?? {}) as Readonly<Record<string, unknown>>;
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(at)) ?? [];
  if (op !== "annotate" || seconds === undefined || typeof text !== "string") return [];
  return [{ at: Math.round(Number(seconds) * 1e9), kind: typeof kind === "string" ? kind : "note", text, about: "" }];
}
