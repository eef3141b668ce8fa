import { FORMATS, type Format } from "simtape";
import { formatsAt } from "../engine/formats.ts";
import type { Session } from "../session.ts";
import type { Locator } from "../protocol.ts";
import { kindOf } from "../world/registry.ts";
import { locatorsOf, regionsOf } from "./grouping.ts";
import { formatAddresses } from "./formats.ts";

/**
 * Opens the first recording, with its companions, and says that there were others; or lays all of them over what plays.
 * Companions that come alone are those of what plays.
 */
export async function openFiles(session: Session, files: readonly File[], as: "main" | "ghosts"): Promise<void> {
  // One that cannot be loaded is reported when a recording is opened.
  const formats = [...FORMATS, ...(await formatsAt(formatAddresses()).catch(() => []))];
  const endings = formats.flatMap(({ options }) => options ?? []).map(({ ending }) => ending);
  const isGiven = ({ name }: File): boolean => endings.some((ending) => name.endsWith(ending));
  const given = files.filter(isGiven);
  const others = files.filter((file) => !isGiven(file));
  const { companions, rest } = companionsOf(others, formats);
  const places = locatorsOf(rest, formats);
  session.give(given);
  if (places.length === 0 && companions.length > 0) {
    if (session.state.value.decks.length > 0) session.accompany(companions);
    else session.tell(`${namesOf(companions)} shows the world of a recording: drop them together`);
    return;
  }
  if (places.length === 0 && given.length > 0) {
    if (session.state.value.failure !== null) await session.tryAgain();
    else session.tell(`${namesOf(given)} will be used for the next recording`);
    return;
  }
  if (as === "ghosts") {
    session.accompany(companions);
    for (const place of places) await session.addGhost(place);
    return;
  }
  const [first, ...more] = places;
  if (first === undefined) return;
  session.bring(companions);
  await session.open(first);
  if (more.length > 0) {
    session.tell(`Opened ${first.name}. Only one recording plays at a time: you can add ${namesOf(more)} as ghosts.`);
  }
}

/** Files that show a world, each with those that it may need beside it; and all others. */
function companionsOf(
  given: readonly File[],
  formats: readonly Format[],
): { readonly companions: Locator[]; readonly rest: readonly File[] } {
  const { regions, rest: files } = regionsOf(given, formats);
  const parts = new Set(files.flatMap(({ name }) => kindOf(name)?.parts ?? []));
  const isPart = ({ name }: File): boolean => [...parts].some((ending) => name.toLowerCase().endsWith(ending));
  const beside = files.filter(isPart);
  const own = files.filter((file) => kindOf(file.name) !== undefined && !isPart(file));
  return {
    companions: [
      ...regions,
      ...own.map((file): Locator => ({ kind: "files", name: file.name, files: [file, ...beside] })),
    ],
    rest: files.filter((file) => kindOf(file.name) === undefined && !isPart(file)),
  };
}

function namesOf(named: readonly { readonly name: string }[]): string {
  return named.map(({ name }) => name).join(", ");
}
