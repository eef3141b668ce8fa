import { parseXml, type XmlElement } from "@rgrove/parse-xml";
import type { CompanionFinding } from "../companion.ts";
import { child, children, elementsOf } from "../elements.ts";
import type { Findings } from "../findings.ts";
import { type Piece, PlanView, type Shape } from "./geometry.ts";
import { type Cubic, Profile } from "./polynomial.ts";
import type { Lane, LaneSection, MarkLine, Outline, Road, RoadMark, RoadNet, RoadObject, Signal } from "./road.ts";

/** Metres: a longer road is a slip of the pen, or made to do harm. */
const LONGEST_ROAD = 200_000;
const MOST_ROADS = 100_000;
/** Coordinates beyond this, metres, are none of a road net. */
const FARTHEST = 1e8;
/** Radians that one element may turn. */
const MOST_TURNED = 1000;
/** Of a line where the file gives none, metres (ASAM OpenDRIVE 1.7 section 9.6: standard and bold). */
const MARK_WIDTH = 0.12;
const BOLD_WIDTH = 0.25;

/**
 * The road net that a text describes (ASAM OpenDRIVE 1.4 to 1.7). What cannot be used is left out, with a finding. Throws
 * what the XML parser throws for a text that is not well-formed.
 */
export function roadNetOf(text: string, findings: Findings): RoadNet | null {
  const root = parseXml(text).root;
  if (root === null || root.name !== "OpenDRIVE") {
    findings.add("damage", "no-opendrive", `the root is ${root?.name ?? "missing"}, expected OpenDRIVE`);
    return null;
  }
  const header = child(root, "header");
  const [major, minor] = [header?.attributes["revMajor"] ?? "?", header?.attributes["revMinor"] ?? "?"];
  if (header === undefined) findings.add("warning", "no-header", "there is no header");
  else if (major !== "1" || !/^[0-8]$/.test(minor))
    findings.add("warning", "unknown-version", `version ${major}.${minor}; 1.4 to 1.7 are read`);
  const elements = children(root, "road");
  if (elements.length > MOST_ROADS)
    findings.add("warning", "too-many", `${elements.length} roads; ${MOST_ROADS} of them are read`);
  const reader = new RoadReader(findings);
  return {
    version: `${major}.${minor}`,
    name: header?.attributes["name"] ?? "",
    geoReference: (header === undefined ? "" : (child(header, "geoReference")?.text ?? "")).trim(),
    roads: elements.slice(0, MOST_ROADS).flatMap((element) => reader.road(element) ?? []),
    junctions: children(root, "junction").map(({ attributes }) => attributes["id"] ?? ""),
  };
}

class RoadReader {
  readonly #findings: Findings;
  /** What is being read, for messages. */
  #where = "";

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  road(element: XmlElement): Road | null {
    const { attributes } = element;
    const id = attributes["id"] ?? "";
    this.#where = `road ${id === "" ? "without id" : id}`;
    const plan = this.#plan(element);
    if (plan === null) return null;
    const last = plan.pieces.at(-1)!;
    const planned = last.start + last.length;
    let length = this.#number(element, "length", planned);
    if (!(length > 0) || length > LONGEST_ROAD) {
      this.#say("warning", "bad-length", `a length of ${attributes["length"]} m; its geometry has ${planned}`);
      length = planned;
    }
    if (!(length > 0) || length > LONGEST_ROAD) return null;
    const lanes = child(element, "lanes");
    const sections = lanes === undefined ? [] : this.#sections(lanes, length);
    if (sections.length === 0) this.#say("warning", "no-lanes", "it has no lanes");
    const lateral = child(element, "lateralProfile");
    if (lateral !== undefined && children(lateral, "shape").length > 0)
      this.#say("note", "no-shape", "the lateral shape of its surface is not drawn");
    const junction = attributes["junction"] ?? "-1";
    return {
      id,
      name: attributes["name"] ?? "",
      length,
      junction: junction === "-1" ? "" : junction,
      plan,
      elevation: this.#profile(child(element, "elevationProfile"), "elevation", "s"),
      roll: this.#profile(lateral, "superelevation", "s"),
      laneOffset: this.#profile(lanes, "laneOffset", "s"),
      sections,
      signals: this.#inside(element, "signals", "signal").map((signal) => this.#signal(signal)),
      objects: this.#inside(element, "objects", "object").map((object) => this.#object(object)),
    };
  }

  #plan(element: XmlElement): PlanView | null {
    const pieces = this.#inside(element, "planView", "geometry").flatMap((geometry) => this.#piece(geometry) ?? []);
    if (pieces.length > 0) return new PlanView(pieces);
    this.#say("warning", "no-geometry", "it has no geometry that can be drawn");
    return null;
  }

  #piece(geometry: XmlElement): Piece | null {
    const of = (name: string): number => this.#number(geometry, name, 0);
    const piece = { start: of("s"), length: of("length"), x: of("x"), y: of("y"), heading: of("hdg") };
    const { start, length, x, y } = piece;
    if (!(length >= 0) || start < 0 || start + length > LONGEST_ROAD || Math.abs(x) + Math.abs(y) > FARTHEST) {
      this.#say("warning", "bad-geometry", `at s ${start} an element of ${length} m at ${x}, ${y}`);
      return null;
    }
    const shape = this.#shape(geometry, length);
    return shape === null ? null : { ...piece, shape };
  }

  #shape(geometry: XmlElement, length: number): Shape | null {
    const found = elementsOf(geometry).find(({ name }) => name !== "userData" && name !== "include");
    const of = (name: string): number => (found === undefined ? 0 : this.#number(found, name, 0));
    const isCalm = (curvature: number): boolean => {
      if (Math.abs(curvature) * length <= MOST_TURNED) return true;
      this.#say("warning", "bad-geometry", `a curvature of ${curvature} over ${length} m`);
      return false;
    };
    switch (found?.name) {
      case "line":
        return { kind: "line" };
      case "arc": {
        const curvature = of("curvature");
        return isCalm(curvature) ? { kind: "arc", curvature } : null;
      }
      case "spiral": {
        const [from, to] = [of("curvStart"), of("curvEnd")];
        return isCalm(from) && isCalm(to) ? { kind: "spiral", from, to } : null;
      }
      case "poly3":
        return { kind: "poly3", a: of("a"), b: of("b"), c: of("c"), d: of("d") };
      case "paramPoly3": {
        const four = (axis: string) => [of(`a${axis}`), of(`b${axis}`), of(`c${axis}`), of(`d${axis}`)] as const;
        const isNormalized = found.attributes["pRange"] !== "arcLength";
        return { kind: "paramPoly3", u: [...four("U")], v: [...four("V")], isNormalized };
      }
      default:
        this.#say("warning", "unknown-geometry", `an element ${found?.name ?? "of no kind"}, drawn as a line`);
        return { kind: "line" };
    }
  }

  #sections(lanes: XmlElement, length: number): LaneSection[] {
    const found = children(lanes, "laneSection")
      .map((element) => ({ element, start: Math.max(0, this.#number(element, "s", 0)) }))
      .filter(({ start }) => start < length)
      .toSorted((a, b) => a.start - b.start);
    return found.map(({ element, start }, i) => {
      const middle = child(element, "center");
      const zero = middle === undefined ? undefined : children(middle, "lane")[0];
      return {
        start,
        end: found[i + 1]?.start ?? length,
        left: this.#lanes(element, "left", 1),
        right: this.#lanes(element, "right", -1),
        middle: zero === undefined ? [] : this.#marks(zero),
      };
    });
  }

  #lanes(section: XmlElement, side: "left" | "right", sign: number): Lane[] {
    return this.#inside(section, side, "lane")
      .map((element) => this.#lane(element))
      .filter(({ id }) => id * sign > 0)
      .toSorted((a, b) => Math.abs(a.id) - Math.abs(b.id));
  }

  #lane(element: XmlElement): Lane {
    const { attributes } = element;
    const id = this.#number(element, "id", 0);
    const widths = children(element, "width");
    const borders = children(element, "border");
    if (widths.length + borders.length === 0) this.#say("warning", "no-width", `its lane ${id} has no width`);
    return {
      id,
      type: attributes["type"] ?? "none",
      isLevel: attributes["level"] === "true" || attributes["level"] === "1",
      width: this.#profileOf(widths, "sOffset"),
      border: widths.length === 0 && borders.length > 0 ? this.#profileOf(borders, "sOffset") : null,
      heights: children(element, "height")
        .map((height) => ({
          start: this.#number(height, "sOffset", 0),
          inner: this.#number(height, "inner", 0),
          outer: this.#number(height, "outer", 0),
        }))
        .toSorted((a, b) => a.start - b.start),
      marks: this.#marks(element),
    };
  }

  #marks(lane: XmlElement): RoadMark[] {
    return children(lane, "roadMark")
      .map((element) => {
        const { attributes } = element;
        const usual = attributes["weight"] === "bold" ? BOLD_WIDTH : MARK_WIDTH;
        const width = this.#number(element, "width", usual);
        return {
          start: this.#number(element, "sOffset", 0),
          type: attributes["type"] ?? "none",
          color: attributes["color"] ?? "standard",
          width: width > 0 && width < 5 ? width : usual,
          lines: this.#inside(element, "type", "line").map((line) => this.#line(line, width)),
        };
      })
      .toSorted((a, b) => a.start - b.start);
  }

  #line(line: XmlElement, width: number): MarkLine {
    return {
      length: this.#number(line, "length", 0),
      space: Math.max(0, this.#number(line, "space", 0)),
      across: this.#number(line, "tOffset", 0),
      offset: this.#number(line, "sOffset", 0),
      width: this.#number(line, "width", width),
    };
  }

  #signal(element: XmlElement): Signal {
    const { attributes } = element;
    return {
      ...this.#placed(element, "hOffset"),
      orientation: attributes["orientation"] ?? "none",
      isDynamic: attributes["dynamic"] === "yes",
    };
  }

  #object(element: XmlElement): RoadObject {
    const outlines = [...children(element, "outline"), ...this.#inside(element, "outlines", "outline")];
    return {
      ...this.#placed(element, "hdg"),
      length: this.#number(element, "length", 0),
      outlines: outlines.flatMap((outline) => this.#outline(outline) ?? []),
    };
  }

  #placed(element: XmlElement, heading: string): Omit<Signal, "orientation" | "isDynamic"> {
    const { attributes } = element;
    const of = (name: string): number => this.#number(element, name, 0);
    return {
      id: attributes["id"] ?? "",
      name: attributes["name"] ?? "",
      type: attributes["type"] ?? "",
      s: of("s"),
      t: of("t"),
      over: of("zOffset"),
      heading: of(heading),
      width: of("width"),
      height: of("height"),
    };
  }

  #outline(outline: XmlElement): Outline | null {
    const [local, road] = [children(outline, "cornerLocal"), children(outline, "cornerRoad")];
    const isOfRoad = road.length > local.length;
    const names = isOfRoad ? (["s", "t", "dz"] as const) : (["u", "v", "z"] as const);
    const corners = (isOfRoad ? road : local).map((corner) => {
      const [a, b, c] = names.map((name) => this.#number(corner, name, 0));
      return [a!, b!, c!] as const;
    });
    return corners.length < 3 ? null : { isOfRoad, corners };
  }

  #profile(parent: XmlElement | undefined, name: string, by: string): Profile {
    return this.#profileOf(parent === undefined ? [] : children(parent, name), by);
  }

  #profileOf(elements: readonly XmlElement[], by: string): Profile {
    return new Profile(
      elements.map((element): Cubic => {
        const of = (name: string): number => this.#number(element, name, 0);
        return { start: of(by), a: of("a"), b: of("b"), c: of("c"), d: of("d") };
      }),
    );
  }

  #inside(parent: XmlElement, group: string, name: string): XmlElement[] {
    return children(parent, group).flatMap((found) => children(found, name));
  }

  /** A finite number; `fallback` where there is none, with a finding where there is something else. */
  #number({ name, attributes }: XmlElement, attribute: string, fallback: number): number {
    const text = attributes[attribute];
    if (text === undefined || text === "") return fallback;
    const value = Number(text);
    if (Number.isFinite(value)) return value;
    this.#say("warning", "no-number", `${attribute} of ${name} is ${JSON.stringify(text.slice(0, 40))}`);
    return fallback;
  }

  #say(severity: CompanionFinding["severity"], code: string, message: string): void {
    this.#findings.add(severity, code, `${this.#where}: ${message}`);
  }
}
