import { kindName } from "../events/event-list.ts";
import { extremeText, type Known, lengthText } from "../ask/asking.ts";
import type { ChannelFacts, Mark, Span } from "../protocol.ts";
import { mainTime } from "../placement.ts";
import type { Deck, Session } from "../session.ts";
import type { Activity } from "./activity.ts";
import type { Window } from "./window.ts";

/** A line of the picture: a channel, the marks, or where a ghost lies. */
export type Lane =
  | { readonly kind: "channel"; readonly name: string; readonly channel: number }
  | { readonly kind: "marks"; readonly name: string; readonly marks: readonly Mark[] }
  /** All channels together; whether each has a lane below, null: no more is known. */
  | { readonly kind: "all"; readonly name: string; readonly isUnfolded: boolean | null }
  | { readonly kind: "ghost"; readonly name: string; readonly window: Window }
  /** When the expression that is asked is true, ascending. */
  | { readonly kind: "spans"; readonly name: string; readonly spans: readonly LabelledSpan[] }
  /** How large something is in equal parts of a window. */
  | { readonly kind: "curve"; readonly name: string; readonly window: Window; readonly values: readonly number[] };

/** A span that says what it is. */
export interface LabelledSpan extends Pick<Span, "from" | "until"> {
  readonly label: string;
}

/** Where it is kept whether all messages together have one lane, or each channel its own. */
export const UNFOLDED = "channels";

/** What is asked of the recordings, and shown above all else. */
export interface Questions {
  /** When an expression is true; text "": none is asked. */
  readonly asked: Pick<Known, "text" | "wrong" | "spans" | "measure" | "isInstant">;
  /** How far a path is from that of a ghost; null: nothing is compared, or nothing differs. */
  readonly differing: { readonly window: Window; readonly curve: readonly number[] } | null;
}

/** Gives each channel a lane, or takes these away again. */
export function unfoldMessages(session: Pick<Session, "share" | "state">): void {
  session.share(UNFOLDED, session.state.value.shared[UNFOLDED] === true ? undefined : true);
}

/** From the top down: what happened, ghosts, and all messages, on demand by channel. While another recording opens, the activity may still be that of the one before. */
export function lanesOf(
  { channels, marks, spread }: Pick<Activity, "channels" | "marks" | "spread">,
  [main, ...ghosts]: readonly Deck[],
  isUnfolded = false,
  questions: Questions | null = null,
): Lane[] {
  const kinds = new Map<string, Mark[]>();
  for (const mark of marks) {
    const found = kinds.get(mark.kind);
    if (found === undefined) kinds.set(mark.kind, [mark]);
    else found.push(mark);
  }
  return [
    ...(questions === null ? [] : lanesOfQuestions(questions)),
    ...[...kinds].map(([name, found]) => ({ kind: "marks", name: kindName(name), marks: found }) as const),
    ...ghosts.map(
      (ghost) => ({ kind: "ghost", name: `ghost ${ghost.place.name}`, window: ghostWindow(ghost, main!) }) as const,
    ),
    ...(channels.length > 0 || spread !== null ? [allOf(channels.length > 1 ? isUnfolded : null)] : []),
    ...(isUnfolded && channels.length > 1 ? channels.flatMap((channel) => laneOf(channel, kinds)) : []),
  ];
}

function lanesOfQuestions({ asked, differing }: Questions): Lane[] {
  return [
    ...(asked.text === "" || asked.wrong !== null ? [] : [askedLane(asked)]),
    ...(differing === null
      ? []
      : [{ kind: "curve", name: "differs", window: differing.window, values: differing.curve } as const]),
  ];
}

/** The times that were asked for; instants are marks. */
function askedLane({ spans, measure, isInstant }: Pick<Known, "spans" | "measure" | "isInstant">): Lane {
  const labelled = spans.map((span) => {
    const parts = [lengthText(span), extremeText(span, measure), span.thing ?? ""];
    return { from: span.from, until: span.until, label: parts.filter(Boolean).join(", ") };
  });
  if (!isInstant) return { kind: "spans", name: "find", spans: labelled };
  return {
    kind: "marks",
    name: "find",
    marks: labelled.map(({ from, label }) => ({ time: from, kind: "find", label })),
  };
}

function allOf(isUnfolded: boolean | null): Lane {
  const sign = isUnfolded === null ? "" : isUnfolded ? "▾ " : "▸ ";
  return { kind: "all", name: `${sign}messages`, isUnfolded };
}

/** What marks of the same name show is not shown again. */
function laneOf({ id, name }: ChannelFacts, kinds: ReadonlyMap<string, unknown>): Lane[] {
  return kinds.has(name) ? [] : [{ kind: "channel", name, channel: id }];
}

/** Where a ghost lies on the time of what is played. */
function ghostWindow(ghost: Deck, main: Deck): Window {
  const { start, end } = ghost.opened.timeline;
  return { start: mainTime(start, ghost, main), end: mainTime(end, ghost, main) };
}
