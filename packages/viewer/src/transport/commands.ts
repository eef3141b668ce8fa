import type { Session } from "../session.ts";

/** Something the user can do, by key, by the palette, by a button. */
export interface Command {
  readonly title: string;
  /** As `KeyboardEvent.key` gives them, with `Ctrl+` before; the first is shown. */
  readonly keys: readonly string[];
  /** Whether a key that is held down does it again and again. */
  readonly repeats?: boolean;
  readonly run: (session: Session) => void;
}

/** Rates that are gone through step by step. */
export const RATES: readonly number[] = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];

export const COMMANDS: readonly Command[] = [
  { title: "Play or pause", keys: [" "], run: toggle },
  { title: "Play backwards, faster each time", keys: ["j"], run: (session) => shuttle(session, -1) },
  { title: "Pause", keys: ["k"], run: (session) => session.pause() },
  { title: "Play forwards, faster each time", keys: ["l"], run: (session) => shuttle(session, 1) },
  { title: "One step back", keys: [","], repeats: true, run: (session) => void session.step(-1) },
  { title: "One step forward", keys: ["."], repeats: true, run: (session) => void session.step(1) },
  { title: "One message back", keys: ["<"], repeats: true, run: (session) => void session.step(-1, "message") },
  { title: "One message forward", keys: [">"], repeats: true, run: (session) => void session.step(1, "message") },
  { title: "One second back", keys: ["ArrowLeft"], repeats: true, run: (session) => seekBy(session, -1e9) },
  { title: "One second forward", keys: ["ArrowRight"], repeats: true, run: (session) => seekBy(session, 1e9) },
  { title: "Ten seconds back", keys: ["Shift+ArrowLeft"], repeats: true, run: (session) => seekBy(session, -10e9) },
  { title: "Ten seconds forward", keys: ["Shift+ArrowRight"], repeats: true, run: (session) => seekBy(session, 10e9) },
  { title: "Faster", keys: ["ArrowUp"], repeats: true, run: (session) => changeRate(session, 1) },
  { title: "Slower", keys: ["ArrowDown"], repeats: true, run: (session) => changeRate(session, -1) },
  { title: "To the start", keys: ["Home"], run: (session) => void session.seek(session.bounds.start) },
  { title: "To the end", keys: ["End"], run: (session) => void session.seek(session.bounds.end) },
  { title: "Loop from here", keys: ["["], run: (session) => setEdge(session, "start") },
  { title: "Loop until here", keys: ["]"], run: (session) => setEdge(session, "end") },
  { title: "No loop", keys: ["\\"], run: (session) => session.setLoop(null) },
];

export function toggle(session: Session): void {
  if (session.isPlaying) session.pause();
  else session.play();
}

/** Plays in a direction; when it does already, at the next faster rate. */
export function shuttle(session: Session, direction: 1 | -1): void {
  const { rate } = session.state.value.status;
  const isSo = session.isPlaying && Math.sign(rate) === direction;
  session.setRate(isSo ? direction * nextRate(Math.abs(rate), 1) : direction);
  session.play();
}

export function nextRate(rate: number, by: 1 | -1): number {
  const found = by > 0 ? RATES.find((step) => step > rate) : RATES.findLast((step) => step < rate);
  return found ?? RATES.at(by > 0 ? -1 : 0)!;
}

/** How a key is written in `Command.keys`. */
export function keyOf({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  const isNamed = key.length > 1 || /[a-z]/i.test(key);
  const name = key.length === 1 && !shiftKey ? key.toLowerCase() : key;
  return `${ctrlKey || metaKey ? "Ctrl+" : ""}${altKey ? "Alt+" : ""}${shiftKey && isNamed ? "Shift+" : ""}${name}`;
}

function seekBy(session: Session, by: number): void {
  void session.seek((session.time ?? 0) + by);
}

function changeRate(session: Session, by: 1 | -1): void {
  const { rate } = session.state.value.status;
  session.setRate(Math.sign(rate) * nextRate(Math.abs(rate), by));
}

/** Puts one edge of the loop here; the other stays where it can. */
function setEdge(session: Session, edge: "start" | "end"): void {
  const here = session.time ?? 0;
  const { start, end } = session.bounds;
  const before = session.state.value.status.loop;
  const loop =
    edge === "start"
      ? { start: here, end: before?.end !== undefined && before.end > here ? before.end : end }
      : { start: before?.start !== undefined && before.start < here ? before.start : start, end: here };
  if (loop.start < loop.end) session.setLoop(loop);
}
