import { Problem } from "../problem.ts";

const MOST_FOLDERS = 4;
const LONGEST = 200;

/** Parses the metadata of tus: names, each with its value in base64. Throws `Problem`. */
export function metadataOf(header: string | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of (header ?? "").split(",").filter((one) => one.trim() !== "")) {
    const [name, value = "", more] = pair.trim().split(/ +/);
    if (more !== undefined || !/^[A-Za-z0-9+/]*={0,2}$/.test(value))
      throw new Problem(400, "upload-metadata: NAME BASE64, …");
    found.set(name!, Buffer.from(value, "base64").toString("utf8"));
  }
  return found;
}

/**
 * Returns a name with its folders as the library allows it. Throws `Problem` for a name that leads out of the library
 * or is empty.
 */
export function checkedName(name: string): string {
  const parts = name.split("/");
  const isGood = (part: string): boolean =>
    part !== "" && !part.startsWith(".") && part.length <= LONGEST && !/[\p{Cc}\p{Surrogate}\\:*?"<>|]/u.test(part);
  if (parts.length > MOST_FOLDERS || !parts.every(isGood))
    throw new Problem(400, `a file cannot have this name here: ${JSON.stringify(name.slice(0, LONGEST))}`);
  return parts.join("/");
}

/** The names that are tried: `race.hcrp`, `race-2.hcrp`, `race-3.hcrp`. */
export function numbered(key: string, number: number): string {
  if (number === 1) return key;
  const slash = key.lastIndexOf("/");
  const dot = key.indexOf(".", slash + 2);
  return dot < 0 ? `${key}-${number}` : `${key.slice(0, dot)}-${number}${key.slice(dot)}`;
}
