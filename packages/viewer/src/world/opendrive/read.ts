import { XmlError } from "@rgrove/parse-xml";
import { refused, type Scenery } from "../companion.ts";
import { Crossing } from "./crossing.ts";
import { Findings } from "../findings.ts";
import { roadNetOf } from "./document.ts";
import { furnish } from "./furniture.ts";
import { landOf } from "./land.ts";
import { markSection } from "./marks.ts";
import { Meshes, TooLarge } from "./meshes.ts";
import type { RoadNet } from "./road.ts";
import { Cross } from "./section.ts";
import { paveSection, stationsOf } from "./surface.ts";

/** Reads an OpenDRIVE file, 1.4 to 1.7, and makes what is drawn of it. */
export function read(bytes: Uint8Array): Scenery {
  const findings = new Findings();
  let net: RoadNet | null;
  try {
    net = roadNetOf(new TextDecoder().decode(bytes), findings);
  } catch (error) {
    if (error instanceof XmlError) return refused("not-well-formed", firstLine(error.message));
    // nested so deeply that the parser's stack does not hold it
    if (error instanceof RangeError) return refused("not-well-formed", "elements are nested too deeply");
    throw error;
  }
  return net === null ? { ...refused("", ""), findings: findings.list } : sceneryOf(net, findings);
}

function sceneryOf(net: RoadNet, findings: Findings): Scenery {
  const [first] = net.roads;
  if (first === undefined) findings.add("warning", "no-roads", "there are no roads that can be drawn");
  const start = first?.plan.pieces[0];
  const meshes = new Meshes([Math.round(start?.x ?? 0), Math.round(start?.y ?? 0), 0]);
  const crossings = new Map<string, Crossing>();
  let [crosswalks, signals, length] = [0, 0, 0];
  let ground = Number.POSITIVE_INFINITY;
  try {
    for (const road of net.roads) {
      length += road.length;
      const crossing = crossingOf(crossings, road.junction);
      for (const section of road.sections) {
        const cross = new Cross(road, section);
        const stations = stationsOf(road, section, cross);
        for (const s of stations) ground = Math.min(ground, heightAt(cross, s));
        paveSection(road, section, stations, meshes, findings, crossing === null ? null : (quad) => crossing.add(quad));
        markSection(road, section, stations, meshes);
      }
      const made = furnish(road, meshes);
      crosswalks += made.crosswalks;
      signals += made.signals;
    }
    for (const crossing of crossings.values()) crossing.fill("fill", meshes);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    findings.add("warning", "too-large", "it is too large to be drawn whole: a part of it is missing");
  }
  const made = meshes.take();
  const land = landOf(made);
  const parts = land === null ? made : [...made, land];
  const counts = [
    counted(net.roads.length, "road"),
    ...(net.junctions.length > 0 ? [counted(net.junctions.length, "junction")] : []),
  ];
  return {
    findings: findings.list,
    description: parts.length === 0 ? "" : counts.join(", "),
    facts: [
      ["version", `OpenDRIVE ${net.version}`],
      ...(net.name === "" ? [] : [["name", net.name] as const]),
      ["roads", `${counts.join(", ")}, ${(length / 1000).toFixed(1)} km`],
      ["beside them", `${counted(signals, "signal")}, ${counted(crosswalks, "crosswalk")}`],
      ...(net.geoReference === "" ? [] : [["geographic reference", net.geoReference] as const]),
    ],
    parts,
    middle: meshes.middle,
    ground: Number.isFinite(ground) ? ground : null,
  };
}

function crossingOf(crossings: Map<string, Crossing>, id: string): Crossing | null {
  if (id === "") return null;
  let found = crossings.get(id);
  if (found === undefined) {
    found = new Crossing();
    crossings.set(id, found);
  }
  return found;
}

function heightAt(cross: Cross, s: number): number {
  cross.to(s).place(0, 0, PLACE);
  return PLACE[2]!;
}

function counted(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : `${one}s`}`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}

const PLACE = new Float64Array(3);
