import type { Finding } from "../../model/error.ts";
import { EXIT } from "./failure.ts";
import { say } from "./terminal.ts";

/** Signals that end what runs until it is ended: Ctrl-C, `kill`, and the terminal that is closed. */
export const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What holds for the command line that is being carried out: there is one at a time, as there is one exit code. */
let heeded = new Map<string, Heeded>();
let deliveries: (() => Promise<void>)[] = [];
let leftovers: (() => Promise<void>)[] = [];

/** A source of the command: a recording, as a rule. */
export interface Heeded {
  /** As far as it was read. */
  readonly findings: readonly Finding[];
}

/** Of a source of the command: what is broken or missing in it. */
export interface SourceFinding extends Finding {
  readonly file: string;
}

/** Before a command line is carried out. */
export function begin(): void {
  heeded = new Map();
  deliveries = [];
  leftovers = [];
}

/** Every recording that is opened goes through here: what is damaged or lost in it is said when the command ends. */
export function heed(name: string, source: Heeded): void {
  heeded.set(name, source);
}

/** Findings of a source that was heeded, which is forgotten: they are said elsewhere. */
export function findingsSoFar(name: string): readonly Finding[] {
  const findings = heeded.get(name)?.findings ?? [];
  heeded.delete(name);
  return findings;
}

/** For the commands whose result is what is wrong with the recording: it is not said twice, and they give the exit code. */
export function tellsItself(source: Heeded): void {
  for (const [name, other] of heeded) if (other === source) heeded.delete(name);
}

/** What was found damaged or lost so far in everything that was opened. */
export function damage(): SourceFinding[] {
  return [...heeded].flatMap(([file, { findings }]) => damageIn(findings).map((finding) => ({ file, ...finding })));
}

/** Those findings that say that something is damaged or lost. */
export function damageIn(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ severity }) => severity === "damage" || severity === "loss");
}

/** Done when the command has succeeded, before it ends. */
export function whenDone(work: () => Promise<void>): void {
  deliveries.push(work);
}

/** Done when the command is over, however it ends. */
export function whenOver(work: () => Promise<void>): void {
  leftovers.push(work);
}

/**
 * Ends a command that has succeeded: says of which sources the seek index was not used, and what is damaged in them, and
 * gives the exit code. Where something is damaged, that is never 0.
 */
export async function end(exit: number): Promise<number> {
  for (const work of deliveries) await work();
  tellUnusedIndexes();
  for (const [name, { findings }] of heeded) {
    const called = calledOf(name);
    const bad = damageIn(findings);
    if (bad.length === 0) continue;
    const more = bad.length > 1 ? ` (and ${bad.length - 1} more)` : "";
    const [{ code, message }] = bad as [Finding];
    // of a question to many: what cannot be opened is not therefore damaged
    if (code.endsWith(":source-failed")) say(`simtape: ${called} was left out: ${message}${more}`);
    else say(`simtape: ${called} is damaged: ${message}${more}. See: simtape check`);
    if (exit === EXIT.done) exit = EXIT.lossy;
  }
  return exit;
}

/** One line for each reason, as of many recordings most are alike. */
function tellUnusedIndexes(): void {
  const byReason = new Map<string, string[]>();
  for (const [name, { findings }] of heeded) {
    const ignored = findings.find(({ code }) => code === "seek-index-ignored");
    if (ignored === undefined) continue;
    const names = byReason.get(ignored.message);
    if (names === undefined) byReason.set(ignored.message, [name]);
    else names.push(name);
  }
  for (const [reason, [first, ...others]] of byReason) {
    const more = others.length > 0 ? ` (and ${others.length} more)` : "";
    say(`simtape: ${calledOf(first!)}${more}: ${reason}`);
  }
}

function calledOf(name: string): string {
  return name === "-" ? "standard input" : name;
}

/** Behind the end, and behind every failure. */
export async function over(): Promise<void> {
  for (const work of leftovers.splice(0)) await work().catch(() => undefined);
}
