import { FORMATS } from "simtape";
import { formatsAt } from "../engine/formats.ts";
import type { Session } from "../session.ts";
import { placesOf } from "./files.ts";
import { formatAddresses } from "./formats.ts";

/** Opens the first recording, and says that there were others; or lays all of them over what plays. */
export async function openFiles(session: Session, files: readonly File[], as: "main" | "ghosts"): Promise<void> {
  const isDictionary = ({ name }: File): boolean => name.endsWith(".dict");
  const dictionaries = files.filter(isDictionary);
  // One that cannot be loaded is told when a recording is opened.
  const others = await formatsAt(formatAddresses()).catch(() => []);
  const places = placesOf(
    files.filter((file) => !isDictionary(file)),
    [...FORMATS, ...others],
  );
  session.giveDictionaries(dictionaries);
  if (places.length === 0 && dictionaries.length > 0) {
    if (session.state.value.failure !== null) await session.tryAgain();
    else session.tell(`${namesOf(dictionaries)} will be used for what is opened next`);
    return;
  }
  if (as === "ghosts") {
    for (const place of places) await session.addGhost(place);
    return;
  }
  const [first, ...more] = places;
  if (first === undefined) return;
  await session.open(first);
  if (more.length > 0) {
    session.tell(`Opened ${first.name}. One recording plays at a time: ${namesOf(more)} can be added as ghosts.`);
  }
}

function namesOf(named: readonly { readonly name: string }[]): string {
  return named.map(({ name }) => name).join(", ");
}
