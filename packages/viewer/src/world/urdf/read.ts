import {
  BoxGeometry,
  type BufferGeometry,
  Color,
  CylinderGeometry,
  Matrix4,
  Matrix3,
  Quaternion,
  SphereGeometry,
  SRGBColorSpace,
  Vector3,
} from "three";
import type { Beside, CompanionReader, Robot, Scenery, Solid } from "../companion.ts";
import { Findings } from "../findings.ts";
import { solidsOf } from "../gltf/solids.ts";
import { type LinkEntry, type Rgba, type RobotDocument, robotOf, type Visual } from "./document.ts";
import { type Mesh, PLAIN } from "./mesh.ts";
import { readStl } from "./stl.ts";

/** Triangles of a robot at most. */
const MOST_TRIANGLES = 2_000_000;
/** What has no colour of its own. */
const USUAL: Rgba = [0.72, 0.74, 0.76, 1];
/** Of bodies that stand for meshes that are not there. */
const GHOSTLY: Rgba = [0.55, 0.6, 0.65, 0.45];

/** Reads the description of a robot, and the meshes that it names. A mesh that cannot be read is a finding. */
export const read: CompanionReader = async (bytes, beside) => {
  const findings = new Findings();
  const document = robotOf(new TextDecoder().decode(bytes).replace(/^\uFEFF/, ""), findings);
  const maker = new RobotMaker(beside, findings);
  const robot = document === null ? null : await maker.robot(document);
  const moving = robot?.links.filter(({ joint }) => joint !== null && joint.kind !== "fixed").length ?? 0;
  if (robot !== null && maker.triangles === 0) findings.add("damage", "empty", "nothing of it can be drawn");
  return {
    findings: findings.list,
    description: "",
    facts:
      robot === null
        ? []
        : [
            ["robot", robot.name],
            ["links", String(robot.links.length)],
            ["joints that move", String(moving)],
            ["triangles", maker.triangles.toLocaleString("en")],
          ],
    parts: [],
    robots: robot === null || maker.triangles === 0 ? [] : [robot],
    middle: [0, 0, 0],
    ground: null,
  } satisfies Scenery;
};

/** Makes what is drawn of a document. */
class RobotMaker {
  triangles = 0;
  readonly #beside: Beside;
  readonly #findings: Findings;
  /** By the name of the file; null: it cannot be read. */
  readonly #meshes = new Map<string, Mesh | null>();

  constructor(beside: Beside, findings: Findings) {
    this.#beside = beside;
    this.#findings = findings;
  }

  async robot({ name, links }: RobotDocument): Promise<Robot> {
    const made: Robot["links"][number][] = [];
    for (const { name: link, joint, visuals, collisions } of links)
      made.push({ name: link, joint, solids: await this.#solidsOf({ visuals, collisions }) });
    return { name, links: made };
  }

  async #solidsOf({ visuals, collisions }: Pick<LinkEntry, "visuals" | "collisions">): Promise<Solid[]> {
    const solids: Solid[] = [];
    for (const visual of visuals) solids.push(...(await this.#drawn(visual)));
    if (solids.length === 0 && visuals.length > 0)
      for (const body of collisions) solids.push(...(await this.#drawn({ ...body, paint: GHOSTLY })));
    return joined(solids);
  }

  async #drawn({ at, turn, shape, paint }: Visual): Promise<Solid[]> {
    const place = new Matrix4().compose(
      new Vector3(...at),
      new Quaternion(...turn),
      shape.kind === "mesh" ? new Vector3(...shape.scale) : new Vector3(1, 1, 1),
    );
    const mesh = shape.kind === "mesh" ? await this.#meshAt(shape.file) : PAINTED;
    if (mesh === null) return [];
    const solids = shape.kind === "mesh" ? mesh.solids : [solidOf(geometryOf(shape))];
    const count = solids.reduce((sum, { index }) => sum + index.length / 3, 0);
    if (this.triangles + count > MOST_TRIANGLES) {
      this.#findings.add(
        "warning",
        "too-large",
        `more than ${MOST_TRIANGLES.toLocaleString("en")} triangles are not drawn`,
      );
      return [];
    }
    this.triangles += count;
    const keeps = mesh.wears === "own" || (mesh.wears === "own unless painted" && paint === null);
    return solids.map((solid) => ({ ...placed(solid, place), ...(keeps ? {} : painted(paint ?? USUAL)) }));
  }

  async #meshAt(name: string): Promise<Mesh | null> {
    let mesh = this.#meshes.get(name);
    if (mesh === undefined) {
      try {
        mesh = await this.#readMesh(name);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#findings.add("warning", "not-read", why.startsWith(name) ? why : `${name}: ${why}`);
        mesh = null;
      }
      this.#meshes.set(name, mesh);
    }
    return mesh;
  }

  /** What reads a kind of mesh is loaded with the first of them. */
  async #readMesh(name: string): Promise<Mesh> {
    const ending = /\.(stl|obj|dae|glb|gltf)$/i.exec(name)?.[1]?.toLowerCase();
    if (ending === undefined) throw new Error("meshes are read from .stl, .obj, .dae and .glb: convert it");
    const bytes = await this.#beside(name);
    switch (ending) {
      case "stl": {
        const { positions, normals } = readStl(bytes, MOST_TRIANGLES);
        const index = Uint32Array.from({ length: positions.length / 3 }, (_, i) => i);
        return { solids: [{ ...PLAIN, positions, normals, index }], wears: "paint" };
      }
      case "obj":
        return (await import("./obj.ts")).readObj(bytes, this.#beside, MOST_TRIANGLES);
      case "dae":
        return (await import("./dae.ts")).readDae(bytes, MOST_TRIANGLES);
      default: {
        const { solids, left } = await solidsOf(bytes);
        for (const what of left) this.#findings.add("note", "not-shown", `${name}: ${what} are not shown`);
        return { solids: solids.map((solid) => placed(solid, Z_UP)), wears: "own" };
      }
    }
  }
}

/** glTF has y up, and a link z. */
const Z_UP = new Matrix4().makeRotationX(Math.PI / 2);

const PAINTED: Mesh = { solids: [], wears: "paint" };

function geometryOf(shape: Exclude<Visual["shape"], { readonly kind: "mesh" }>): BufferGeometry {
  switch (shape.kind) {
    case "box":
      return new BoxGeometry(...shape.size);
    case "cylinder":
      // along z
      return new CylinderGeometry(shape.radius, shape.radius, shape.length, 32).rotateX(Math.PI / 2);
    case "sphere":
      return new SphereGeometry(shape.radius, 32, 20);
    default:
      return shape satisfies never;
  }
}

function solidOf(geometry: BufferGeometry): Solid {
  return {
    ...PLAIN,
    positions: Float32Array.from(geometry.getAttribute("position").array),
    normals: Float32Array.from(geometry.getAttribute("normal").array),
    index: Uint32Array.from(geometry.getIndex()!.array),
    isDoubleSided: false,
  };
}

function painted([red, green, blue, alpha]: Rgba): Pick<Solid, "color" | "opacity"> {
  const { r, g, b } = new Color().setRGB(red, green, blue, SRGBColorSpace);
  return { color: [r, g, b], opacity: alpha };
}

/** A solid moved, with arrays of its own. */
function placed(solid: Solid, place: Matrix4): Solid {
  const positions = solid.positions.slice();
  const normals = solid.normals.slice();
  const index = solid.index.slice();
  const turned = new Matrix3().getNormalMatrix(place);
  for (let at = 0; at < positions.length; at += 3) {
    POINT.fromArray(positions, at).applyMatrix4(place).toArray(positions, at);
    POINT.fromArray(normals, at).applyMatrix3(turned).normalize().toArray(normals, at);
  }
  // what mirrors turns faces inside out
  if (place.determinant() < 0)
    for (let i = 0; i < index.length; i += 3) [index[i + 1], index[i + 2]] = [index[i + 2]!, index[i + 1]!];
  return { ...solid, positions, normals, index };
}

/** Those that look alike as one: a draw each. */
function joined(solids: readonly Solid[]): Solid[] {
  const alike = new Map<string, Solid[]>();
  for (const [i, solid] of solids.entries()) {
    const { picture, color, opacity, cutoff, isDoubleSided } = solid;
    const key = picture === null ? [...color, opacity, cutoff, isDoubleSided].join() : `picture ${i}`;
    alike.set(key, [...(alike.get(key) ?? []), solid]);
  }
  return [...alike.values()].map((all) => (all.length === 1 ? all[0]! : merged(all)));
}

function merged(solids: readonly Solid[]): Solid {
  const total = (of: (solid: Solid) => ArrayLike<number>): number =>
    solids.reduce((sum, solid) => sum + of(solid).length, 0);
  const positions = new Float32Array(total((solid) => solid.positions));
  const normals = new Float32Array(positions.length);
  const index = new Uint32Array(total((solid) => solid.index));
  let [corner, at] = [0, 0];
  for (const solid of solids) {
    positions.set(solid.positions, 3 * corner);
    normals.set(solid.normals, 3 * corner);
    for (const each of solid.index) index[at++] = each + corner;
    corner += solid.positions.length / 3;
  }
  return { ...solids[0]!, positions, normals, places: null, index };
}

const POINT = new Vector3();
