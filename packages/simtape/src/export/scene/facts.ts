import type { ExportTarget } from "../exporter.ts";

export const GLTF: Omit<ExportTarget, "load"> = {
  ...{
    id: "gltf",
    name: "glTF, things that move in a scene, for Blender and three.js",
    carries: "things with a place",
    takes: ["ids", "origin"],
  },
  ...{ extensions: ["glb", "gltf"], mediaType: "model/gltf-binary" },
};
