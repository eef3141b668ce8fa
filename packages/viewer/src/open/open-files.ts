import { FORMATS } from "simtape";
import { formatsAt } from "../engine/formats.ts";
import type { Session } from "../session.ts";
import { locatorsOf } from "./grouping.ts";
import { formatAddresses } from "./formats.ts";

/** Opens the first recording, and says that there were others; or lays all of them over what plays. */
export async function openFiles(session: Session, files: readonly File[], as: "main" | "ghosts"): Promise<void> {
  // One that cannot be loaded is reported when a recording is opened.
  const formats = [...FORMATS, ...(await formatsAt(formatAddresses()).catch(() => []))];
  const endings = formats.flatMap(({ options }) => options ?? []).map(({ ending }) => ending);
  const isGiven = ({ name }: File): boolean => endings.some((ending) => name.endsWith(ending));
  const given = files.filter(isGiven);
  const places = locatorsOf(
    files.filter((file) => !isGiven(file)),
    formats,
  );
  session.give(given);
  if (places.length === 0 && given.length > 0) {
    if (session.state.value.failure !== null) await session.tryAgain();
    else session.tell(`${namesOf(given)} will be used for the next recording`);
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
    session.tell(`Opened ${first.name}. Only one recording plays at a time: you can add ${namesOf(more)} as ghosts.`);
  }
}

function namesOf(named: readonly { readonly name: string }[]): string {
  return named.map(({ name }) => name).join(", ");
}
