import type { TimeRange } from "simtape";
import type { Placement } from "./protocol.ts";
import type { Selection } from "./session.ts";
import type { Thing } from "./subject.ts";

/** What the part of the address behind `#` says, as JSON; or `#t=12.5`, written by hand or by a program. */
export interface Kept {
  /** Seconds. */
  readonly t?: number;
  readonly rate?: number;
  readonly loop?: TimeRange;
  readonly selection?: Selection;
  /** Where that is not what is selected. */
  readonly subject?: Thing;
  readonly ghosts?: readonly (Placement & { readonly url: string })[];
  readonly shared?: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The part of an address behind `#`, with the sign; `keptIn` is its inverse. What an address cannot hold is left out:
 * what `keptIn` would not take, and in `shared` what JSON has no form for.
 */
export function hashOf(kept: Kept): string {
  return `#${encodeURIComponent(JSON.stringify(usable(kept as Fields)))}`;
}

/** What of `hash` can be used: it may have been cut, or changed by hand. */
export function keptIn(hash: string): Kept {
  const seconds = /^#t=(\d+(?:\.\d+)?)$/.exec(hash)?.[1];
  if (seconds !== undefined) return { t: Number(seconds) };
  try {
    return usable(fieldsOf(JSON.parse(decodeURIComponent(hash.replace(/^#/, "")))) ?? {});
  } catch {
    return {};
  }
}

function usable(found: Fields): Kept {
  const { t, rate } = found;
  const subject = thingOf(found["subject"]);
  const [loop, selection, shared] = [
    loopOf(found["loop"]),
    selectionOf(found["selection"]),
    fieldsOf(plainOf(found["shared"])),
  ];
  const ghosts = Array.isArray(found["ghosts"]) ? found["ghosts"].flatMap((ghost) => ghostOf(ghost) ?? []) : [];
  return {
    ...(isNumber(t) ? { t } : {}),
    ...(isRate(rate) ? { rate } : {}),
    ...(loop === null ? {} : { loop }),
    ...(selection === null ? {} : { selection }),
    ...(subject === null ? {} : { subject }),
    ...(ghosts.length === 0 ? {} : { ghosts }),
    ...(shared === null ? {} : { shared }),
  };
}

function loopOf(value: unknown): TimeRange | null {
  const { start, end } = fieldsOf(value) ?? {};
  return isNumber(start) && isNumber(end) && start < end ? { start, end } : null;
}

/** As JSON has it; undefined: it has no form for it. */
function plainOf(value: unknown): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (Array.isArray(value)) return value.map((part) => plainOf(part) ?? null);
  const parts = Object.entries(fieldsOf(value) ?? {}).map(([name, part]) => [name, plainOf(part)] as const);
  return fieldsOf(value) === null ? undefined : Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}

function selectionOf(value: unknown): Selection | null {
  const { kind, time, sequence, offset } = fieldsOf(value) ?? {};
  const thing = thingOf(value);
  if (kind === "thing" && thing !== null) return { kind, ...thing };
  if (kind === "byte" && isNumber(offset)) return { kind, offset };
  return kind === "message" && isNumber(time) && isNumber(sequence) ? { kind, time, sequence } : null;
}

function thingOf(value: unknown): Thing | null {
  const { set, id } = fieldsOf(value) ?? {};
  return typeof set === "string" && (typeof id === "string" || isNumber(id)) ? { set, id } : null;
}

function ghostOf(value: unknown): (Placement & { readonly url: string }) | null {
  const { url, offset, rate, align } = fieldsOf(value) ?? {};
  const { main, ghost } = fieldsOf(align) ?? {};
  if (typeof url !== "string") return null;
  return {
    url,
    ...(isNumber(offset) ? { offset } : {}),
    ...(isRate(rate) && rate > 0 ? { rate } : {}),
    ...(isNumber(main) && isNumber(ghost) ? { align: { main, ghost } } : {}),
  };
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isRate(value: unknown): value is number {
  return isNumber(value) && value !== 0 && Math.abs(value) <= 64;
}
