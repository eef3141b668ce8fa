/** Whether this is the long run, `npm run soak` (vitest's mode): every count as large as is worth waiting for. */
const isSoak = process.env["MODE"] === "soak";

/** How often to try something: a few times usually, many in the long run. */
export function tries(usual: number, soak: number): number {
  return isSoak ? soak : usual;
}
