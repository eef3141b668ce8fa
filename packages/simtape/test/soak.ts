/** Whether this is the long run, `npm run soak`: every count as large as is worth waiting for. */
export const isSoak = process.env["SIMTAPE_SOAK"] === "1";

/** How often to try something: a few times usually, many in the long run. */
export function tries(usual: number, soak: number): number {
  return isSoak ? soak : usual;
}
