import type { Session } from "../session.ts";
import { type Command, keyOf } from "../transport/commands.ts";

/** Runs the commands whose keys were pressed while they were being loaded, unless something else has used a key. */
export function runEarly(events: readonly Event[], commands: readonly Command[], session: Session): void {
  for (const event of events) {
    if (!(event instanceof KeyboardEvent) || event.defaultPrevented || isInside(event.target)) continue;
    commands.find(({ keys }) => keys.includes(keyOf(event)))?.run(session);
  }
}

/** Something that takes keys itself. */
function isInside(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, dialog, [popover]") !== null;
}
