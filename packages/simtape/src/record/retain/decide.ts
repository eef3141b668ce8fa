import type { Facts } from "./facts.ts";
import { DAY, graceOf, isHeld } from "./policy.ts";
import type { RetentionClass, RetentionPolicy } from "./schema.ts";

/** What is to become of a recording, and why. */
export interface Decision {
  readonly decision: "keep" | "delete";
  readonly reason: string;
}

/**
 * Decides over all recordings together, in the order of `all`, which has no influence. Whatever keeps a recording wins
 * over everything that would let it go; what is not known lets nothing go.
 */
export function decide(all: readonly Facts[], policy: RetentionPolicy, now: number): Decision[] {
  const kept = reasonsToKeep(all, policy, now);
  const going = new Map<Facts, string>();
  const staying = (): Facts[] => all.filter((facts) => facts.class >= 0 && !going.has(facts));
  for (const facts of all) {
    if (facts.class < 0 || kept.has(facts)) continue;
    const reason = tooOld(facts, policy.classes[facts.class]!, now);
    if (reason !== null) going.set(facts, reason);
  }
  for (const [index, one] of policy.classes.entries()) {
    const its = staying().filter((facts) => facts.class === index);
    for (const [facts, reason] of beyondMost(its, one)) if (!kept.has(facts)) going.set(facts, reason);
  }
  for (const [index, { name, quotaBytes }] of policy.classes.entries()) {
    if (quotaBytes === undefined) continue;
    const its = staying().filter((facts) => facts.class === index);
    for (const facts of beyondQuota(its, quotaBytes, kept))
      going.set(facts, `beyond the ${quotaBytes} bytes of ${name}, and older than the rest`);
  }
  if (policy.quotaBytes !== undefined) {
    for (const facts of beyondQuota(staying(), policy.quotaBytes, kept))
      going.set(facts, `beyond the ${policy.quotaBytes} bytes of the store, and older than the rest`);
  }
  return all.map((facts) => {
    const reason = going.get(facts);
    if (reason !== undefined) return { decision: "delete", reason };
    return { decision: "keep", reason: kept.get(facts) ?? stillTime(facts, policy.classes[facts.class]!) };
  });
}

/** True while it may still be recorded: no end yet, and a change within the grace, or within a day. */
export function isProgressing({ isOpen, modified }: Facts, policy: RetentionPolicy, now: number): boolean {
  return isOpen && now - modified <= Math.max(graceOf(policy), DAY);
}

// ── what keeps ──────────────────────────────────────────────────────────

function reasonsToKeep(all: readonly Facts[], policy: RetentionPolicy, now: number): Map<Facts, string> {
  const kept = new Map<Facts, string>();
  const keep = (facts: Facts, reason: string): void => {
    if (!kept.has(facts)) kept.set(facts, reason);
  };
  for (const facts of all) {
    if (isHeld(policy, facts.id, facts.recordingId)) keep(facts, "on hold");
    if (facts.problem !== null) keep(facts, `cannot be judged: ${facts.problem}`);
    if (isProgressing(facts, policy, now)) keep(facts, "is being recorded");
    const one = policy.classes[facts.class];
    if (one === undefined) keep(facts, "of no class");
    else {
      const age = now - facts.end;
      if (facts.flagged !== null && age <= limitOf(one.keepFlagged)) keep(facts, `flagged: ${facts.flagged}`);
      if (facts.isClip && age <= limitOf(one.keepClips)) keep(facts, "a clip");
    }
  }
  for (const [index, one] of policy.classes.entries()) {
    const runs = all.filter((facts) => facts.class === index && facts.durationMs !== null);
    for (const facts of best(runs, one)) keep(facts, "personal best");
    for (const facts of top(runs, one)) keep(facts, `among the ${one.keepTop} shortest of its world`);
  }
  keepLinked(all, kept);
  return kept;
}

/** For how many milliseconds a rule keeps what it holds for; negative infinity: it is switched off. */
function limitOf(rule: boolean | { readonly days?: number | null } = true): number {
  if (rule === false) return Number.NEGATIVE_INFINITY;
  const days = rule === true ? null : (rule.days ?? null);
  return days === null ? Number.POSITIVE_INFINITY : days * DAY;
}

/** The shortest of each subject in each world; a recording of several subjects counts for each of them. */
function best(runs: readonly Facts[], { keepBest = true }: RetentionClass): Iterable<Facts> {
  const found = new Map<string, Facts>();
  if (!keepBest) return found.values();
  for (const facts of runs) {
    for (const subject of facts.subjects) {
      const group = groupKey(facts.world, subject);
      const other = found.get(group);
      if (other === undefined || byDuration(facts, other) < 0) found.set(group, facts);
    }
  }
  return found.values();
}

function top(runs: readonly Facts[], { keepTop = 0 }: RetentionClass): Facts[] {
  return [...grouped(runs, ({ world }) => [groupKey(world)]).values()].flatMap((group) =>
    group.sort(byDuration).slice(0, keepTop),
  );
}

/** Parts of one run stay together: what a limit cut is worth nothing without the rest. */
function keepLinked(all: readonly Facts[], kept: Map<Facts, string>): void {
  const byId = new Map(all.map((facts) => [facts.id, facts]));
  const reached = all.filter((facts) => facts.class >= 0 && facts.links.length > 0 && kept.has(facts));
  reached.sort((a, b) => compare(a.id, b.id));
  for (const facts of reached) {
    for (const id of facts.links) {
      const other = byId.get(id);
      if (other === undefined || kept.has(other)) continue;
      kept.set(other, `goes with ${facts.id}, which is kept`);
      reached.push(other);
    }
  }
}

// ── what lets go ────────────────────────────────────────────────────────

function daysOf({ isOpen, outcome }: Facts, { days = 30, outcomeDays = {} }: RetentionClass): [number | null, string] {
  const ended = isOpen || outcome === "open" ? "crashed" : outcome;
  const special = (outcomeDays as Readonly<Record<string, number | null>>)[ended];
  return special === undefined ? [days, ""] : [special, `${ended}, `];
}

function tooOld(facts: Facts, one: RetentionClass, now: number): string | null {
  const [days, ended] = daysOf(facts, one);
  return days !== null && now - facts.end > days * DAY ? `${ended}older than ${daysText(days)}` : null;
}

function stillTime(facts: Facts, one: RetentionClass): string {
  const [days, ended] = daysOf(facts, one);
  return days === null ? `${ended}kept for ever` : `${ended}not older than ${daysText(days)}`;
}

/** Those that are not among the newest in any of their groups. */
function beyondMost(its: readonly Facts[], { most }: RetentionClass): [Facts, string][] {
  if (most === undefined) return [];
  const { count, per } = most;
  const ofSubject = per.includes("subject");
  const ofWorld = per.includes("world");
  const groups = grouped(its, ({ world, subjects }) => {
    if (ofWorld && world === null) return [];
    return ofSubject ? subjects.map((subject) => groupKey(ofWorld ? world : null, subject)) : [groupKey(world)];
  });
  const within = new Set<Facts>();
  const beyond = new Set<Facts>();
  for (const group of groups.values()) {
    group.sort(byAge).reverse();
    for (const [i, facts] of group.entries()) (i < count ? within : beyond).add(facts);
  }
  const what = [...new Set(per)].sort().join(" and ");
  return [...beyond]
    .filter((facts) => !within.has(facts))
    .map((facts) => [facts, `not of the newest ${count} per ${what}`]);
}

/** The oldest, as many as must go; those that are kept count too. */
function beyondQuota(its: readonly Facts[], quota: number, kept: ReadonlyMap<Facts, string>): Facts[] {
  let excess = its.reduce((sum, { bytes }) => sum + bytes, 0) - quota;
  const going: Facts[] = [];
  for (const facts of its.filter((one) => !kept.has(one)).sort(byAge)) {
    if (excess <= 0) break;
    going.push(facts);
    excess -= facts.bytes;
  }
  return going;
}

// ── orders and groups ───────────────────────────────────────────────────

function grouped(its: readonly Facts[], keysOf: (facts: Facts) => readonly string[]): Map<string, Facts[]> {
  const groups = new Map<string, Facts[]>();
  for (const facts of its) {
    for (const key of new Set(keysOf(facts))) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [facts]);
      else group.push(facts);
    }
  }
  return groups;
}

function groupKey(world: string | null, subject = ""): string {
  return `${world ?? ""}\n${subject}`;
}

function byDuration(a: Facts, b: Facts): number {
  return a.durationMs! - b.durationMs! || byAge(a, b);
}

/** Oldest first; never 0 for two recordings, so that no order depends on that of the listing. */
function byAge(a: Facts, b: Facts): number {
  return a.end - b.end || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function daysText(days: number): string {
  return days === 1 ? "a day" : `${days} days`;
}
