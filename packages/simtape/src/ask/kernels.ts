import { fits } from "./wildcard.ts";

/**
 * Operations over columns of `n` rows. A boolean is 1 or 0; NaN is unknown, in numbers as in booleans. A column may be shared
 * with the series that it came from, so inputs are never written.
 */
type Numbers = Float64Array;

export function scale(a: Numbers, k: number, out: Numbers, n: number): void {
  for (let i = 0; i < n; i++) out[i] = a[i]! * k;
}

export function one(name: string, a: Numbers, out: Numbers, n: number): void {
  switch (name) {
    case "-":
      for (let i = 0; i < n; i++) out[i] = -a[i]!;
      return;
    case "abs":
      for (let i = 0; i < n; i++) out[i] = Math.abs(a[i]!);
      return;
    case "acos":
      for (let i = 0; i < n; i++) out[i] = Math.acos(a[i]! > 1 ? 1 : a[i]! < -1 ? -1 : a[i]!);
      return;
    case "not":
      for (let i = 0; i < n; i++) out[i] = 1 - a[i]!;
      return;
    case "boolean":
      for (let i = 0; i < n; i++) out[i] = Number.isNaN(a[i]!) ? Number.NaN : a[i] === 0 ? 0 : 1;
      return;
    default:
      for (let i = 0; i < n; i++) out[i] = Number.isNaN(a[i]!) ? 0 : 1;
  }
}

export function two(name: string, a: Numbers, b: Numbers, out: Numbers, n: number): void {
  switch (name) {
    case "+":
      for (let i = 0; i < n; i++) out[i] = a[i]! + b[i]!;
      return;
    case "minus":
      for (let i = 0; i < n; i++) out[i] = a[i]! - b[i]!;
      return;
    case "*":
      for (let i = 0; i < n; i++) out[i] = a[i]! * b[i]!;
      return;
    case "/":
      for (let i = 0; i < n; i++) out[i] = a[i]! / b[i]!;
      return;
    case "min":
      for (let i = 0; i < n; i++) out[i] = Math.min(a[i]!, b[i]!);
      return;
    case "max":
      for (let i = 0; i < n; i++) out[i] = Math.max(a[i]!, b[i]!);
      return;
    case "and":
      for (let i = 0; i < n; i++) out[i] = a[i] === 0 || b[i] === 0 ? 0 : a[i]! * b[i]!;
      return;
    case "or":
      for (let i = 0; i < n; i++) out[i] = a[i] === 1 || b[i] === 1 ? 1 : a[i]! + b[i]!;
      return;
    case "else":
      for (let i = 0; i < n; i++) out[i] = Number.isNaN(a[i]!) ? b[i]! : a[i]!;
      return;
    case "where":
      for (let i = 0; i < n; i++) out[i] = a[i] === 1 ? b[i]! : Number.NaN;
      return;
    default:
      compare(name, a, b, out, n);
  }
}

function compare(name: string, a: Numbers, b: Numbers, out: Numbers, n: number): void {
  switch (name) {
    case "<":
      for (let i = 0; i < n; i++) out[i] = a[i]! < b[i]! ? 1 : 0;
      break;
    case "<=":
      for (let i = 0; i < n; i++) out[i] = a[i]! <= b[i]! ? 1 : 0;
      break;
    case ">":
      for (let i = 0; i < n; i++) out[i] = a[i]! > b[i]! ? 1 : 0;
      break;
    case ">=":
      for (let i = 0; i < n; i++) out[i] = a[i]! >= b[i]! ? 1 : 0;
      break;
    case "=":
      for (let i = 0; i < n; i++) out[i] = a[i] === b[i] ? 1 : 0;
      break;
    default:
      for (let i = 0; i < n; i++) out[i] = a[i] === b[i] ? 0 : 1;
  }
  for (let i = 0; i < n; i++) if (Number.isNaN(a[i]!) || Number.isNaN(b[i]!)) out[i] = Number.NaN;
}

export function hypot(inputs: readonly Numbers[], out: Numbers, n: number): void {
  out.fill(0, 0, n);
  for (const a of inputs) for (let i = 0; i < n; i++) out[i]! += a[i]! * a[i]!;
  for (let i = 0; i < n; i++) out[i] = Math.sqrt(out[i]!);
}

/** Whether texts, which are places in `texts`, fit a pattern. `known` keeps what was found of each: 0 not looked at, 1 no, 2 yes. */
export function like(
  a: Numbers,
  pattern: string,
  texts: readonly string[],
  known: number[],
  out: Numbers,
  n: number,
): void {
  for (let i = 0; i < n; i++) {
    const place = a[i]!;
    if (Number.isNaN(place)) {
      out[i] = Number.NaN;
      continue;
    }
    known[place] ??= fits(texts[place]!, pattern) ? 2 : 1;
    out[i] = known[place] === 2 ? 1 : 0;
  }
}

/** What an operation remembers from one batch to the next: of `still`, the place; of others, the time and the number. */
export interface Memory {
  time: number;
  last: number;
  held: number;
  readonly place: Float64Array;
}

export function memory(): Memory {
  return { time: Number.NaN, last: Number.NaN, held: Number.NaN, place: new Float64Array(4).fill(Number.NaN) };
}

/** The instants at which a column becomes `to` from the other boolean; with NaN, at which it changes. */
export function edges(a: Numbers, to: number, kept: Memory, out: Numbers, n: number): void {
  let last = kept.last;
  for (let i = 0; i < n; i++) {
    const now = a[i]!;
    // what was or is unknown did not change
    out[i] = !Number.isNaN(now) && !Number.isNaN(last) && now !== last && (Number.isNaN(to) || now === to) ? 1 : 0;
    last = now;
  }
  kept.last = last;
}

/** Differences from one moment of the clock to the next, a second; they hold until then. */
export function derivative(a: Numbers, time: Numbers, fresh: Uint8Array, kept: Memory, out: Numbers, n: number): void {
  let { time: since, last, held } = kept;
  for (let i = 0; i < n; i++) {
    if (fresh[i] === 1) {
      const now = a[i]!;
      held = ((now - last) / (time[i]! - since)) * 1e9;
      last = now;
      since = time[i]!;
    }
    out[i] = held;
  }
  kept.time = since;
  kept.last = last;
  kept.held = held;
}

/** Whether a place is nearer than `k` to where it was when it moved that far last. */
export function still(
  inputs: readonly Numbers[],
  k: number,
  fresh: Uint8Array,
  kept: Memory,
  out: Numbers,
  n: number,
): void {
  const { place } = kept;
  let held = kept.held;
  for (let i = 0; i < n; i++) {
    if (fresh[i] === 1) {
      let squares = 0;
      let known = 0;
      for (let d = 0; d < inputs.length; d++) {
        const way = inputs[d]![i]! - place[d]!;
        squares += way * way;
        known += inputs[d]![i]!;
      }
      if (Number.isNaN(known)) {
        held = Number.NaN;
        place.fill(Number.NaN);
      } else if (Math.sqrt(squares) < k) held = 1;
      else {
        held = 0;
        for (let d = 0; d < inputs.length; d++) place[d] = inputs[d]![i]!;
      }
    }
    out[i] = held;
  }
  kept.held = held;
}

/** Over the things that are there. `any`: an unknown one leaves false unknown; `all`: true, and none at all is unknown. */
export function overBooleans(
  name: "any" | "all" | "count",
  inputs: readonly Numbers[],
  present: readonly Numbers[],
  out: Numbers,
  n: number,
): void {
  out.fill(name === "all" ? Number.NaN : 0, 0, n);
  if (name === "count") {
    for (let t = 0; t < inputs.length; t++) {
      const [a, there] = [inputs[t]!, present[t]!];
      for (let i = 0; i < n; i++) if (there[i] === 1 && a[i] === 1) out[i]!++;
    }
    return;
  }
  if (name === "any") {
    for (let t = 0; t < inputs.length; t++) {
      const [a, there] = [inputs[t]!, present[t]!];
      for (let i = 0; i < n; i++)
        if (there[i] === 1 && out[i] !== 1 && a[i] !== 0) out[i] = a[i] === 1 ? 1 : Number.NaN;
    }
    return;
  }
  // 2: one was unknown
  for (let t = 0; t < inputs.length; t++) {
    const [a, there] = [inputs[t]!, present[t]!];
    for (let i = 0; i < n; i++) {
      if (there[i] !== 1 || out[i] === 0) continue;
      if (a[i] === 0) out[i] = 0;
      else if (a[i] !== 1) out[i] = 2;
      else if (out[i] !== 2) out[i] = 1;
    }
  }
  for (let i = 0; i < n; i++) if (out[i] === 2) out[i] = Number.NaN;
}

/** Over the things that are there and of which the number is known; unknown where there is none. */
export function overNumbers(
  name: "least" | "greatest" | "sum",
  inputs: readonly Numbers[],
  present: readonly Numbers[],
  out: Numbers,
  n: number,
): void {
  out.fill(Number.NaN, 0, n);
  for (let t = 0; t < inputs.length; t++) {
    const [a, there] = [inputs[t]!, present[t]!];
    for (let i = 0; i < n; i++) {
      const now = a[i]!;
      if (there[i] !== 1 || Number.isNaN(now)) continue;
      const so = out[i]!;
      if (Number.isNaN(so)) out[i] = now;
      else if (name === "sum") out[i] = so + now;
      else if (name === "least" ? now < so : now > so) out[i] = now;
    }
  }
}

/** Which of the things has the least, or the greatest; NaN: none. */
export function which(
  isLeast: boolean,
  inputs: readonly Numbers[],
  present: readonly Numbers[],
  out: Numbers,
  n: number,
): void {
  out.fill(Number.NaN, 0, n);
  for (let t = 0; t < inputs.length; t++) {
    const [a, there] = [inputs[t]!, present[t]!];
    for (let i = 0; i < n; i++) {
      const now = a[i]!;
      if (there[i] !== 1 || Number.isNaN(now)) continue;
      const so = out[i]!;
      if (Number.isNaN(so) || (isLeast ? now < inputs[so]![i]! : now > inputs[so]![i]!)) out[i] = t;
    }
  }
}
