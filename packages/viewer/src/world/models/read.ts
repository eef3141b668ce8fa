import type { CompanionFinding, CompanionReader } from "../companion.ts";
import { findingsOf } from "../gltf/read.ts";
import { type Shape, solidsOf } from "../gltf/solids.ts";
import { documentOf } from "./document.ts";

/** Reads a file that says what things look like, and the glTF files that it names. One that cannot be read is a finding. */
export const read: CompanionReader = async (bytes, beside) => {
  const { models, scenery } = documentOf(new TextDecoder().decode(bytes));
  const findings: CompanionFinding[] = [];
  const shapes = new Map<string, Shape>();
  const names = new Set([...models, ...scenery].map(({ file }) => file));
  for (const name of names) {
    try {
      const shape = await solidsOf(await beside(name));
      shapes.set(name, shape);
      findings.push(...findingsOf(shape, name));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = why.startsWith(name) ? why : `${name}: ${why}`;
      findings.push({ severity: "warning", code: "not-read", message });
    }
  }
  const triangles = [...shapes.values()].reduce((sum, shape) => sum + shape.triangles, 0);
  const bodies = scenery.flatMap(({ file, ...place }) => {
    const shape = shapes.get(file);
    return shape === undefined ? [] : [{ solids: shape.solids, ...place }];
  });
  return {
    findings,
    description:
      bodies.length === 0 ? "" : `${bodies.length === 1 ? "a scene" : `${bodies.length} scenes`} beside the recording`,
    facts: [
      ["models", String(models.length)],
      ["files", `${shapes.size} of ${names.size} read`],
      ["triangles", triangles.toLocaleString("en")],
    ],
    parts: [],
    bodies,
    models: models.flatMap(({ file, ...look }) => {
      const shape = shapes.get(file);
      return shape === undefined ? [] : [{ solids: shape.solids, ...look }];
    }),
    middle: [0, 0, 0],
    ground: null,
  };
};
