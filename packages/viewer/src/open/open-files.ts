import { FORMATS, type Format } from "simtape";
import { formatsAt } from "../engine/formats.ts";
import type { Session } from "../session.ts";
import type { Locator } from "../protocol.ts";
import { companionsAmong, kindOf } from "../world/registry.ts";
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
  const packs = await packsIn(others);
  const { companions, rest } = companionsOf(others, formats, packs);
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
  packs: ReadonlySet<File>,
): { readonly companions: Locator[]; readonly rest: readonly File[] } {
  const { regions, rest: files } = regionsOf(given, formats);
  const names = files.map(({ name }) => name);
  const { own, parts } = companionsAmong(names, (name) => files.some((file) => file.name === name && packs.has(file)));
  const called = (some: readonly string[]): readonly File[] => files.filter(({ name }) => some.includes(name));
  return {
    companions: [
      ...regions,
      ...called(own).map((file): Locator => ({ kind: "files", name: file.name, files: [file, ...called(parts)] })),
    ],
    rest: files.filter(({ name }) => !own.includes(name) && !parts.includes(name)),
  };
}

/** Bytes at the end of a zip that are looked at: the last of its members are named there. */
const TAIL = 1 << 16;

/** Resource packs of Minecraft, which are zips as some recordings are. */
async function packsIn(files: readonly File[]): Promise<ReadonlySet<File>> {
  const zips = files.filter(({ name }) => kindOf(name)?.id === "textures");
  const packs = new Set<File>();
  for (const file of zips) {
    const tail = new TextDecoder("latin1").decode(await file.slice(-TAIL).arrayBuffer());
    if (/assets\/[\w.-]+\/|pack\.mcmeta/.test(tail)) packs.add(file);
  }
  return packs;
}

function namesOf(named: readonly { readonly name: string }[]): string {
  return named.map(({ name }) => name).join(", ");
}
