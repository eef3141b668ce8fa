import { type CompanionFinding, type CompanionReader, refused } from "../companion.ts";
import { type Shape, solidsOf } from "./solids.ts";

/** Reads a glTF file as what stands at the zero of the recording's world. */
export const read: CompanionReader = async (bytes) => {
  const shape = await solidsOf(bytes);
  if (shape.triangles === 0) return refused("empty", "it has no triangles");
  return {
    findings: findingsOf(shape),
    description: `a scene of ${shape.triangles.toLocaleString("en")} triangles`,
    facts: [["triangles", shape.triangles.toLocaleString("en")]],
    parts: [],
    bodies: [{ solids: shape.solids, at: [0, 0, 0], isGeodetic: false, turn: 0, scale: 1 }],
    middle: [0, 0, 0],
    ground: null,
  };
};

/** What of a shape is not shown; `name`: of its file, where there are several. */
export function findingsOf({ left }: Shape, name?: string): CompanionFinding[] {
  const of = name === undefined ? "" : `${name}: `;
  return left.map((what) => ({ severity: "note", code: "not-shown", message: `${of}${what} are not shown` }));
}
