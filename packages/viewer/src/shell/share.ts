import { addressOf } from "../address.ts";
import type { Session } from "../session.ts";

/** Copies the address of what is shown now. */
export async function share(session: Session): Promise<void> {
  const address = addressOf(session);
  history.replaceState(null, "", address);
  const isFile = session.state.value.decks[0]?.place.kind === "files";
  try {
    await navigator.clipboard.writeText(address);
    session.tell(
      isFile
        ? "Address copied. The file stays here: who opens it drops theirs."
        : "Address copied: it leads to this moment.",
    );
  } catch {
    session.tell("The address above leads to this moment: copy it from there");
  }
}
