import type { Session } from "../session.ts";
import { type Command, keyOf } from "../transport/commands.ts";

/**
 * Runs the commands whose keys were pressed while they were being loaded, and from then on, until `signal` aborts: the list
 * that the page listens by has them a moment later, when it is drawn again. A key that something else has used is left.
 */
export function runEarly(
  events: readonly Event[],
  commands: readonly Command[],
  session: Session,
  signal: AbortSignal,
): void {
  const run = (event: Event): void => {
    if (!(event instanceof KeyboardEvent) || event.defaultPrevented || isInside(event.target)) return;
    const command = commands.find(({ keys }) => keys.includes(keyOf(event)));
    if (command === undefined) return;
    event.preventDefault();
    if (!event.repeat || command.repeats === true) command.run(session);
  };
  for (const event of events) run(event);
  addEventListener("keydown", run, { signal });
}

/** Something that takes keys itself. */
function isInside(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, dialog, [popover]") !== null;
}
