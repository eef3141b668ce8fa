import { parseXml, type XmlElement } from "@rgrove/parse-xml";
import type { RobotJoint } from "../companion.ts";
import { child, children } from "../elements.ts";
import type { Findings } from "../findings.ts";

/** More than these are read of no file. */
const MOST_LINKS = 2000;
const MOST_VISUALS = 8000;
/** Metres: what lies or reaches farther is a slip of the pen, or made to do harm. */
const FARTHEST = 1e6;

/** A description of a robot, checked (wiki.ros.org/urdf/XML). */
export interface RobotDocument {
  readonly name: string;
  /** Parents stand before their children; the first has none. */
  readonly links: readonly LinkEntry[];
}

export interface LinkEntry {
  readonly name: string;
  readonly joint: RobotJoint | null;
  readonly visuals: readonly Visual[];
  /** What stands for its visuals where none of them can be drawn: bodies that it collides with, without meshes. */
  readonly collisions: readonly Visual[];
}

/** A shape in the axes of a link. */
export interface Visual {
  readonly at: Vector;
  readonly turn: Quaternion;
  readonly shape: VisualShape;
  readonly paint: Rgba | null;
}

export type VisualShape =
  | { readonly kind: "box"; readonly size: Vector }
  | { readonly kind: "cylinder"; readonly radius: number; readonly length: number }
  | { readonly kind: "sphere"; readonly radius: number }
  /** `file`: its plain name, whatever path it had. */
  | { readonly kind: "mesh"; readonly file: string; readonly scale: Vector };

export type Vector = readonly [number, number, number];
type Quaternion = readonly [number, number, number, number];
/** Of sRGB, 0 to 1. */
export type Rgba = readonly [number, number, number, number];

interface JointEntry extends Omit<RobotJoint, "parent" | "mimics"> {
  readonly parent: string;
  readonly child: string;
  readonly mimic: { readonly joint: string; readonly factor: number; readonly offset: number } | null;
}

/**
 * The robot that a text describes. What cannot be used is left out, with a finding; null: nothing is left. Throws what the
 * XML parser throws for a text that is not well-formed, or names entities of its own.
 */
export function robotOf(text: string, findings: Findings): RobotDocument | null {
  const { root } = parseXml(text);
  if (root === null || root.name !== "robot") {
    findings.add("damage", "no-urdf", `the root is ${root?.name ?? "missing"}, expected robot`);
    return null;
  }
  if (root.children.some((node) => node.type === "element" && (node as XmlElement).name.startsWith("xacro:")))
    findings.add("warning", "macros", "it has macros of xacro, which are not run: convert it with xacro first");
  return new RobotReader(root, findings).robot();
}

class RobotReader {
  readonly #root: XmlElement;
  readonly #findings: Findings;
  readonly #paints = new Map<string, Rgba>();
  #visuals = 0;

  constructor(root: XmlElement, findings: Findings) {
    this.#root = root;
    this.#findings = findings;
  }

  robot(): RobotDocument | null {
    const links = new Map<string, XmlElement>();
    const elements = children(this.#root, "link");
    if (elements.length > MOST_LINKS)
      this.#say("warning", "too-many", `${elements.length} links; ${MOST_LINKS} of them are read`);
    for (const element of elements.slice(0, MOST_LINKS)) {
      const name = element.attributes["name"] ?? "";
      if (name === "" || links.has(name))
        this.#say("warning", "bad-name", `link ${quoted(name)} is there twice, or has no name`);
      else links.set(name, element);
    }
    for (const element of children(this.#root, "material")) this.#paintOf(element);
    // a visual may define what others name
    for (const link of links.values())
      for (const visual of children(link, "visual")) {
        const material = child(visual, "material");
        if (material !== undefined && child(material, "color") !== undefined) this.#paintOf(material);
      }
    const joints = this.#joints(links);
    const order = this.#order([...links.keys()], joints);
    if (order.length === 0) {
      this.#say("damage", "no-links", links.size === 0 ? "it has no links" : "its joints go in circles");
      return null;
    }
    const rows = new Map(order.map((name, row) => [name, row]));
    const byName = new Map([...joints.values()].map((joint) => [joint.name, joint]));
    return {
      name: this.#root.attributes["name"] ?? "",
      links: order.map((name): LinkEntry => {
        const joint = joints.get(name);
        const element = links.get(name)!;
        return {
          name,
          joint: joint === undefined ? null : this.#placed(joint, rows, byName),
          visuals: this.#shapes(element, "visual", name),
          collisions: this.#shapes(element, "collision", name).filter(({ shape }) => shape.kind !== "mesh"),
        };
      }),
    };
  }

  /** By the link that each holds. */
  #joints(links: ReadonlyMap<string, XmlElement>): ReadonlyMap<string, JointEntry> {
    const joints = new Map<string, JointEntry>();
    const names = new Set<string>();
    for (const element of children(this.#root, "joint").slice(0, MOST_LINKS)) {
      const name = element.attributes["name"] ?? "";
      const where = `joint ${quoted(name)}`;
      const [parent, held] = ["parent", "child"].map((one) => child(element, one)?.attributes["link"] ?? "") as [
        string,
        string,
      ];
      const lost = [parent, held].find((link) => !links.has(link));
      if (lost !== undefined) {
        this.#say("warning", "no-link", `${where}: there is no link ${quoted(lost)}`);
        continue;
      }
      if (name === "" || names.has(name)) this.#say("warning", "bad-name", `${where} is there twice, or has no name`);
      if (joints.has(held)) {
        this.#say("warning", "two-joints", `${where}: ${quoted(joints.get(held)!.name)} holds ${quoted(held)} already`);
        continue;
      }
      names.add(name);
      const place = this.#origin(element, where);
      const axis = unit(this.#vector(child(element, "axis")?.attributes["xyz"], [1, 0, 0], `${where}: axis`));
      if (axis === null) this.#say("warning", "bad-axis", `${where}: its axis has no length; it does not move`);
      const mimic = child(element, "mimic");
      joints.set(held, {
        name,
        parent,
        child: held,
        kind: axis === null ? "fixed" : this.#kindOf(element.attributes["type"] ?? "", where),
        ...place,
        axis: axis ?? [1, 0, 0],
        mimic:
          mimic === undefined
            ? null
            : {
                joint: mimic.attributes["joint"] ?? "",
                factor: this.#number(mimic.attributes["multiplier"], 1, `${where}: multiplier`),
                offset: this.#number(mimic.attributes["offset"], 0, `${where}: offset`),
              },
      });
    }
    return joints;
  }

  #kindOf(type: string, where: string): RobotJoint["kind"] {
    if (type === "fixed") return "fixed";
    if (type === "revolute" || type === "continuous") return "turning";
    if (type === "prismatic") return "sliding";
    this.#say("note", "joint-kind", `${where}: ${type === "" ? "it has no type" : `what is ${type}`} is held fast`);
    return "fixed";
  }

  /** Names of links from the one that nothing holds on, parents before children; empty: there is none. */
  #order(names: readonly string[], joints: ReadonlyMap<string, JointEntry>): string[] {
    const first = names.find((name) => !joints.has(name));
    if (first === undefined) return [];
    const held = new Map<string, string[]>();
    for (const { parent, child: name } of joints.values()) held.set(parent, [...(held.get(parent) ?? []), name]);
    const order = [first];
    // each link has one parent, so that none comes twice
    for (let at = 0; at < order.length; at++) order.push(...(held.get(order[at]!) ?? []));
    const there = new Set(order);
    for (const name of names)
      if (!there.has(name))
        this.#say("warning", "not-joined", `link ${quoted(name)} is not held by ${quoted(first)}: it is left out`);
    return order;
  }

  #placed(
    { name, kind, at, turn, axis, parent, mimic }: JointEntry,
    rows: ReadonlyMap<string, number>,
    byName: ReadonlyMap<string, JointEntry>,
  ): RobotJoint {
    const row = mimic === null ? undefined : rows.get(byName.get(mimic.joint)?.child ?? "");
    if (mimic !== null && row === undefined)
      this.#say("warning", "bad-mimic", `joint ${quoted(name)}: there is no joint ${quoted(mimic.joint)} to follow`);
    const mimics =
      mimic === null || row === undefined ? null : { link: row, factor: mimic.factor, offset: mimic.offset };
    return { name, parent: rows.get(parent)!, kind, at, turn, axis, mimics };
  }

  #shapes(link: XmlElement, name: "visual" | "collision", of: string): Visual[] {
    return children(link, name).flatMap((element): Visual[] => {
      const where = `link ${quoted(of)}`;
      if (++this.#visuals > MOST_VISUALS) {
        this.#say("warning", "too-many", `${where}: more than ${MOST_VISUALS} shapes are not read`);
        return [];
      }
      const shape = this.#shape(child(element, "geometry"), where);
      if (shape === null) return [];
      const material = child(element, "material");
      return [
        {
          ...this.#origin(element, where),
          shape,
          paint: material === undefined ? null : this.#paintOf(material),
        },
      ];
    });
  }

  #shape(geometry: XmlElement | undefined, where: string): VisualShape | null {
    const length = (of: XmlElement, name: string): number => {
      const value = this.#number(of.attributes[name], Number.NaN, `${where}: ${name}`);
      return value > 0 ? value : Number.NaN;
    };
    const box = geometry && child(geometry, "box");
    const cylinder = geometry && child(geometry, "cylinder");
    const sphere = geometry && child(geometry, "sphere");
    const mesh = geometry && child(geometry, "mesh");
    let shape: VisualShape | null = null;
    let numbers: readonly number[] = [];
    if (box !== undefined) {
      const size = this.#vector(box.attributes["size"], [Number.NaN, 0, 0], `${where}: size`);
      [shape, numbers] = [{ kind: "box", size }, size];
    } else if (cylinder !== undefined) {
      const [radius, along] = [length(cylinder, "radius"), length(cylinder, "length")];
      [shape, numbers] = [{ kind: "cylinder", radius, length: along }, [radius, along]];
    } else if (sphere !== undefined) {
      const radius = length(sphere, "radius");
      [shape, numbers] = [{ kind: "sphere", radius }, [radius]];
    } else if (mesh !== undefined) {
      const file = plainName(mesh.attributes["filename"] ?? "");
      const scale = this.#vector(mesh.attributes["scale"], [1, 1, 1], `${where}: scale`);
      if (file !== "") return { kind: "mesh", file, scale };
    }
    if (shape !== null && numbers.every((each) => each > 0)) return shape;
    this.#say("warning", "bad-geometry", `${where}: a shape of it is none that can be drawn`);
    return null;
  }

  /** Null: it names none that is there. */
  #paintOf(material: XmlElement): Rgba | null {
    const name = material.attributes["name"] ?? "";
    if (child(material, "texture") !== undefined)
      this.#say("note", "no-texture", `material ${quoted(name)}: its picture is not shown`);
    const text = child(material, "color")?.attributes["rgba"];
    if (text === undefined) return this.#paints.get(name) ?? null;
    const numbers = numbersOf(text);
    if (numbers.length !== 4 || !numbers.every(Number.isFinite)) {
      this.#say("warning", "bad-color", `material ${quoted(name)}: ${quoted(text)} is no colour`);
      return this.#paints.get(name) ?? null;
    }
    const paint = numbers.map((each) => Math.min(1, Math.max(0, each))) as [number, number, number, number];
    // the first of a name holds
    if (name !== "" && !this.#paints.has(name)) this.#paints.set(name, paint);
    return paint;
  }

  #origin(element: XmlElement, where: string): { readonly at: Vector; readonly turn: Quaternion } {
    const origin = child(element, "origin");
    const at = this.#vector(origin?.attributes["xyz"], [0, 0, 0], `${where}: xyz`);
    const [roll, pitch, yaw] = this.#vector(origin?.attributes["rpy"], [0, 0, 0], `${where}: rpy`);
    return { at, turn: turnOf(roll, pitch, yaw) };
  }

  #vector(text: string | undefined, usual: Vector, what: string): Vector {
    if (text === undefined) return usual;
    const numbers = numbersOf(text);
    if (numbers.length === 3 && numbers.every((each) => Math.abs(each) <= FARTHEST))
      return numbers as [number, number, number];
    this.#say("warning", "bad-number", `${what} is to be three numbers, not ${quoted(text)}`);
    return usual;
  }

  #number(text: string | undefined, usual: number, what: string): number {
    if (text === undefined) return usual;
    const [value, ...more] = numbersOf(text);
    if (value !== undefined && more.length === 0 && Math.abs(value) <= FARTHEST) return value;
    this.#say("warning", "bad-number", `${what} is to be a number, not ${quoted(text)}`);
    return usual;
  }

  #say(severity: "damage" | "warning" | "note", code: string, message: string): void {
    this.#findings.add(severity, code, message);
  }
}

/** Roll about x, then pitch about y, then yaw about z, all of the axes that stay (wiki.ros.org/urdf/XML/joint). */
export function turnOf(roll: number, pitch: number, yaw: number): Quaternion {
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((angle) => [
    Math.cos(angle / 2),
    Math.sin(angle / 2),
  ]) as [number, number, number, number, number, number];
  return [
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ];
}

/** Of length 1; null: it has no length. */
function unit([x, y, z]: Vector): Vector | null {
  const length = Math.hypot(x, y, z);
  return length > 1e-9 ? [x / length, y / length, z / length] : null;
}

/** `package://arm/meshes/base.stl` is `base.stl`: paths are of the machine that made it. */
function plainName(path: string): string {
  return path.trim().split(/[/\\]/).at(-1)!;
}

function numbersOf(text: string): number[] {
  const words = text.trim();
  return words === "" ? [] : words.split(/\s+/).map(Number);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)} …` : text);
}
