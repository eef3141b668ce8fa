import { addressOf } from "../../address.ts";
import type { Session } from "../../session.ts";

/** Copies the address of what is shown now. */
export async function share(session: Session): Promise<void> {
  const address = addressOf(session);
  history.replaceState(null, "", address);
  const isFile = session.state.value.decks[0]?.place.kind === "files";
  try {
    await navigator.clipboard.writeText(address);
    session.tell(
      isFile
        ? "Address copied. The file is not in it: the reader drops their own copy."
        : "Address copied: it leads to this moment.",
    );
  } catch {
    session.tell("Cannot copy: take it from the address bar");
  }
}
