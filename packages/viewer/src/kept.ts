import type { TimeRange } from "simtape";
import type { Placement } from "./protocol.ts";
import type { Selection } from "./session.ts";

/** What the part of the address behind `#` says, as JSON; or `#t=12.5`, written by hand or by a program. */
export interface Kept {
  /** Seconds. */
  readonly t?: number;
  readonly rate?: number;
  readonly loop?: TimeRange;
  readonly selection?: Selection;
  readonly ghosts?: readonly (Placement & { readonly url: string })[];
  readonly shared?: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** What of `hash` can be used: it may have been cut, or changed by hand. */
export function keptIn(hash: string): Kept {
  const seconds = /^#t=(\d+(?:\.\d+)?)$/.exec(hash)?.[1];
  if (seconds !== undefined) return { t: Number(seconds) };
  let found: Fields;
  try {
    found = fieldsOf(JSON.parse(decodeURIComponent(hash.replace(/^#/, "")))) ?? {};
  } catch {
    return {};
  }
  const { t, rate } = found;
  const [loop, selection, shared] = [loopOf(found["loop"]), selectionOf(found["selection"]), fieldsOf(found["shared"])];
  const ghosts = Array.isArray(found["ghosts"]) ? found["ghosts"].flatMap((ghost) => ghostOf(ghost) ?? []) : [];
  return {
    ...(isNumber(t) ? { t } : {}),
    ...(isRate(rate) ? { rate } : {}),
    ...(loop === null ? {} : { loop }),
    ...(selection === null ? {} : { selection }),
    ...(ghosts.length === 0 ? {} : { ghosts }),
    ...(shared === null ? {} : { shared }),
  };
}

function loopOf(value: unknown): TimeRange | null {
  const { start, end } = fieldsOf(value) ?? {};
  return isNumber(start) && isNumber(end) && start < end ? { start, end } : null;
}

function selectionOf(value: unknown): Selection | null {
  const { kind, set, id, time, sequence, offset } = fieldsOf(value) ?? {};
  if (kind === "thing" && typeof set === "string" && (typeof id === "string" || isNumber(id))) return { kind, set, id };
  if (kind === "byte" && isNumber(offset)) return { kind, offset };
  return kind === "message" && isNumber(time) && isNumber(sequence) ? { kind, time, sequence } : null;
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
