import { Color, type Mesh as ThreeMesh, SRGBColorSpace } from "three";
import { OBJLoader } from "three/addons/loaders/OBJLoader.js";
import type { Beside, Solid } from "../companion.ts";
import { checkCount, facesOf, type Mesh, PLAIN } from "./mesh.ts";

/** Colour and opacity of a material. */
type Look = Pick<Solid, "color" | "opacity">;

/**
 * Reads an OBJ file (Wavefront, appendix B1), and the colours of the materials that it names where their file lies beside it.
 * Its axes are those of the link. Throws `Error`, in words, for what is none.
 */
export async function readObj(bytes: Uint8Array, beside: Beside, most: number): Promise<Mesh> {
  const text = new TextDecoder().decode(bytes);
  const faces = text.match(/^[ \t]*f[ \t]/gm)?.length ?? 0;
  if (faces === 0) throw new Error("it is no OBJ: it has no faces");
  checkCount(faces, most);
  const looks = await looksOf(text, beside);
  const solids: Solid[] = [];
  let count = 0;
  for (const object of new OBJLoader().parse(text).children) {
    if (!("isMesh" in object)) continue;
    const { geometry, material } = object as ThreeMesh;
    const positions = geometry.getAttribute("position");
    const own = geometry.getAttribute("normal");
    const materials = Array.isArray(material) ? material : [material];
    const groups =
      geometry.groups.length === 0 ? [{ start: 0, count: positions.count, materialIndex: 0 }] : geometry.groups;
    for (const group of groups) {
      const part = (array: ArrayLike<number>): Float32Array =>
        Float32Array.from({ length: 3 * group.count }, (_, i) => array[3 * group.start + i]!);
      const corners = part(positions.array);
      if (!corners.every(Number.isFinite)) throw new Error("a corner of it is no number");
      const normals = own === undefined ? facesOf(corners) : part(own.array);
      const index = Uint32Array.from({ length: group.count }, (_, i) => i);
      const look = looks.get(materials[group.materialIndex ?? 0]?.name ?? "") ?? {};
      solids.push({ ...PLAIN, positions: corners, normals, index, ...look });
      count += group.count / 3;
    }
  }
  checkCount(count, most);
  return { solids, wears: looks.size > 0 ? "own unless painted" : "paint" };
}

/** Of the materials of the file that it names, by their names; none where that is not there. */
async function looksOf(text: string, beside: Beside): Promise<ReadonlyMap<string, Look>> {
  const name = /^[ \t]*mtllib[ \t]+(.+?)[ \t]*$/m.exec(text)?.[1]?.split(/[/\\]/).at(-1);
  const looks = new Map<string, Look>();
  if (name === undefined) return looks;
  const bytes = await beside(name).catch(() => null);
  let material = "";
  for (const line of bytes === null ? [] : new TextDecoder().decode(bytes).split("\n")) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === "newmtl") material = rest.join(" ");
    const before = looks.get(material) ?? { color: [0.8, 0.8, 0.8], opacity: 1 };
    const numbers = rest.map(Number);
    if (word === "Kd" && numbers.length >= 3 && numbers.every(Number.isFinite)) {
      const { r, g, b } = new Color().setRGB(numbers[0]!, numbers[1]!, numbers[2]!, SRGBColorSpace);
      looks.set(material, { ...before, color: [r, g, b] });
    } else if ((word === "d" || word === "Tr") && numbers[0]! >= 0 && numbers[0]! <= 1)
      looks.set(material, { ...before, opacity: word === "d" ? numbers[0]! : 1 - numbers[0]! });
  }
  return looks;
}
