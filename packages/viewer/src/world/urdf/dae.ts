import { parseXml, type XmlElement } from "@rgrove/parse-xml";
import { Color, Matrix3, Matrix4, Quaternion, SRGBColorSpace, Vector3 } from "three";
import type { Solid } from "../companion.ts";
import { child, children, elementsOf } from "../elements.ts";
import { checkCount, facesOf, type Mesh, PLAIN } from "./mesh.ts";

/** Nodes inside of one another at most. */
const DEEPEST = 64;

type Look = Pick<Solid, "color" | "opacity">;

/**
 * Reads meshes of a COLLADA file (1.4.1 and 1.5) where its scene places them, with the plain colours of their materials.
 * Lengths are in the unit that it states; as in RViz its axis that is up is not, as URDF has its own. Throws `Error`, in words,
 * for what is none.
 */
export function readDae(bytes: Uint8Array, most: number): Mesh {
  const root = parseXml(new TextDecoder().decode(bytes)).root;
  if (root?.name !== "COLLADA") throw new Error("it is no COLLADA");
  const file = new Collada(root, most);
  const unit = Number(find(root, "asset", "unit")?.attributes["meter"] ?? 1);
  if (!(unit > 0)) throw new Error("its unit is no length");
  const place = new Matrix4().makeScale(unit, unit, unit);
  const wanted = find(root, "scene", "instance_visual_scene")?.attributes["url"] ?? "";
  const scene = file.at(wanted) ?? find(root, "library_visual_scenes", "visual_scene");
  if (scene === undefined) for (const geometry of file.geometries) file.add(geometry, place, new Map());
  else for (const node of children(scene, "node")) file.addNode(node, place, 0);
  checkCount(file.count, most);
  return { solids: file.solids, wears: file.hasColors ? "own unless painted" : "paint" };
}

/** What one file shows, as far as it was gone through. */
class Collada {
  readonly solids: Solid[] = [];
  count = 0;
  hasColors = false;
  readonly #most: number;
  readonly #byId = new Map<string, XmlElement>();

  constructor(root: XmlElement, most: number) {
    this.#most = most;
    const all = [root];
    for (let element = all.pop(); element !== undefined; element = all.pop()) {
      const { id } = element.attributes;
      if (id !== undefined) this.#byId.set(id, element);
      all.push(...elementsOf(element));
    }
  }

  /** What an address within the file names. */
  at(url: string | undefined): XmlElement | undefined {
    return url?.startsWith("#") === true ? this.#byId.get(url.slice(1)) : undefined;
  }

  get geometries(): readonly XmlElement[] {
    return [...this.#byId.values()].filter(({ name }) => name === "geometry");
  }

  addNode(node: XmlElement, above: Matrix4, depth: number): void {
    if (depth > DEEPEST) throw new Error(`its nodes are more than ${DEEPEST} deep`);
    const place = above.clone();
    for (const element of elementsOf(node)) {
      const step = stepOf(element);
      if (step !== null) place.multiply(step);
    }
    for (const instance of children(node, "instance_geometry")) {
      const geometry = this.at(instance.attributes["url"]);
      if (geometry !== undefined) this.add(geometry, place, this.#looksOf(instance));
    }
    for (const instance of children(node, "instance_node")) {
      const other = this.at(instance.attributes["url"]);
      if (other !== undefined) this.addNode(other, place, depth + 1);
    }
    for (const inner of children(node, "node")) this.addNode(inner, place, depth + 1);
  }

  add(geometry: XmlElement, place: Matrix4, looks: ReadonlyMap<string, Look>): void {
    const mesh = child(geometry, "mesh");
    for (const part of mesh === undefined ? [] : elementsOf(mesh)) {
      if (!["triangles", "polylist", "polygons"].includes(part.name)) continue;
      const solid = this.#solidOf(part, place);
      if (solid === null) continue;
      this.count += solid.index.length / 3;
      if (this.count > this.#most) checkCount(this.count, this.#most);
      const look = looks.get(part.attributes["material"] ?? "");
      if (look !== undefined) this.hasColors = true;
      this.solids.push({ ...solid, ...look });
    }
  }

  /** By the names that parts of a mesh have for them. */
  #looksOf(instance: XmlElement): Map<string, Look> {
    const looks = new Map<string, Look>();
    const common = find(instance, "bind_material", "technique_common");
    for (const { attributes } of common === undefined ? [] : children(common, "instance_material")) {
      const material = this.at(attributes["target"]);
      const effect = material && this.at(child(material, "instance_effect")?.attributes["url"]);
      const technique = effect && find(effect, "profile_COMMON", "technique");
      const shading = technique && elementsOf(technique).find(({ name }) => SHADINGS.has(name));
      const color = shading && find(shading, "diffuse", "color");
      const [red, green, blue, alpha = 1] = color === undefined ? [] : numbersOf(color);
      if (![red, green, blue].every(Number.isFinite)) continue;
      const { r, g, b } = new Color().setRGB(red!, green!, blue!, SRGBColorSpace);
      const opacity = alpha > 0 && alpha <= 1 ? alpha : 1;
      looks.set(attributes["symbol"] ?? "", { color: [r, g, b], opacity });
    }
    return looks;
  }

  /** Corner by corner, faces cut into triangles around their first corner; null: it has no places. */
  #solidOf(part: XmlElement, place: Matrix4): Solid | null {
    const inputs = children(part, "input").map(({ attributes }) => ({
      semantic: attributes["semantic"] ?? "",
      source: this.at(attributes["source"]),
      offset: Number(attributes["offset"] ?? 0),
    }));
    const stride = 1 + Math.max(0, ...inputs.map(({ offset }) => offset));
    const vertex = inputs.find(({ semantic }) => semantic === "VERTEX");
    const within = vertex?.source === undefined ? [] : children(vertex.source, "input");
    const ofVertex = (semantic: string): XmlElement | undefined =>
      this.at(within.find(({ attributes }) => attributes["semantic"] === semantic)?.attributes["source"]);
    const points = this.#threes(ofVertex("POSITION"));
    if (vertex === undefined || points === null) return null;
    const direct = inputs.find(({ semantic }) => semantic === "NORMAL");
    const ownNormals = this.#threes(direct?.source ?? ofVertex("NORMAL"));
    const normalOffset = direct?.offset ?? vertex.offset;
    const corners: number[] = [];
    const normals: number[] = [];
    const put = (p: readonly number[], corner: number): void => {
      const at = 3 * p[corner * stride + vertex.offset]!;
      if (!(at >= 0 && at + 2 < points.length)) throw new Error("it names a corner that it does not have");
      corners.push(points[at]!, points[at + 1]!, points[at + 2]!);
      if (ownNormals === null) return;
      const turned = 3 * p[corner * stride + normalOffset]!;
      normals.push(ownNormals[turned] ?? 0, ownNormals[turned + 1] ?? 0, ownNormals[turned + 2] ?? 1);
    };
    for (const [p, counts] of facesIn(part, stride)) {
      let first = 0;
      for (const count of counts) {
        for (let i = 1; i + 1 < count; i++) for (const corner of [0, i, i + 1]) put(p, first + corner);
        first += count;
        if (corners.length / 9 > this.#most) checkCount(corners.length / 9, this.#most);
      }
    }
    return moved(Float32Array.from(corners), ownNormals === null ? null : Float32Array.from(normals), place);
  }

  #threes(source: XmlElement | undefined): readonly number[] | null {
    const array = source && child(source, "float_array");
    if (array === undefined) return null;
    const numbers = numbersOf(array);
    if (!numbers.every(Number.isFinite)) throw new Error("it has places that are no numbers");
    const stride = Number(find(source!, "technique_common", "accessor")?.attributes["stride"] ?? 3);
    return stride === 3 || !(stride > 3) ? numbers : numbers.filter((_, i) => i % stride < 3);
  }
}

const SHADINGS: ReadonlySet<string> = new Set(["phong", "lambert", "blinn", "constant"]);

/** Indices of faces, and how many corners each has. */
function* facesIn(part: XmlElement, stride: number): Generator<readonly [number[], readonly number[]]> {
  const lists = children(part, "p");
  const counts = child(part, "vcount");
  for (const list of lists) {
    const p = numbersOf(list);
    if (part.name === "polygons") yield [p, [p.length / stride]];
    else if (part.name === "triangles") yield [p, new Array<number>(Math.floor(p.length / stride / 3)).fill(3)];
    else if (counts !== undefined) yield [p, numbersOf(counts)];
  }
}

/** One step of the place of a node; null: it is none. */
function stepOf(element: XmlElement): Matrix4 | null {
  const numbers = numbersOf(element);
  const wanted = STEPS[element.name];
  if (wanted === undefined) return null;
  if (numbers.length !== wanted || !numbers.every(Number.isFinite))
    throw new Error(`a ${element.name} of it has ${numbers.length} numbers`);
  const [x, y, z, angle] = numbers as [number, number, number, number];
  switch (element.name) {
    case "matrix":
      return new Matrix4().fromArray(numbers).transpose();
    case "translate":
      return new Matrix4().makeTranslation(x, y, z);
    case "rotate":
      return new Matrix4().makeRotationFromQuaternion(
        new Quaternion().setFromAxisAngle(new Vector3(x, y, z).normalize(), (angle * Math.PI) / 180),
      );
    default:
      return new Matrix4().makeScale(x, y, z);
  }
}

/** Elements that place a node, and how many numbers they have. */
const STEPS: Readonly<Record<string, number>> = { matrix: 16, translate: 3, rotate: 4, scale: 3 };

function moved(positions: Float32Array, normals: Float32Array | null, place: Matrix4): Solid {
  const turned = new Matrix3().getNormalMatrix(place);
  for (let at = 0; at < positions.length; at += 3) {
    POINT.fromArray(positions, at).applyMatrix4(place).toArray(positions, at);
    if (normals !== null) POINT.fromArray(normals, at).applyMatrix3(turned).normalize().toArray(normals, at);
  }
  const index = Uint32Array.from({ length: positions.length / 3 }, (_, i) => i);
  // what mirrors turns faces inside out
  if (place.determinant() < 0)
    for (let i = 0; i < index.length; i += 3) [index[i + 1], index[i + 2]] = [index[i + 2]!, index[i + 1]!];
  return { ...PLAIN, positions, normals: normals ?? facesOf(positions), index };
}

function numbersOf(element: XmlElement): number[] {
  return element.text.trim().split(/\s+/).map(Number);
}

/** The first element of a name in the first one of another. */
function find(parent: XmlElement, ...names: readonly string[]): XmlElement | undefined {
  let found: XmlElement | undefined = parent;
  for (const name of names) found = found && child(found, name);
  return found;
}

const POINT = new Vector3();
