import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseXml, XmlElement } from "@rgrove/parse-xml";
import type { ReadFix } from "./support.ts";

/** What the XML says that is wrong with it by the schema beside this file; "" when nothing is. */
export function complaints(text: string, schema: string): string {
  const path = fileURLToPath(new URL(schema, import.meta.url));
  const { status, stderr } = spawnSync("xmllint", ["--noout", "--huge", "--relaxng", path, "-"], {
    input: text,
    encoding: "utf8",
  });
  return status === 0 ? "" : stderr || `xmllint ended with ${status}`;
}

/** The tracks that gpsbabel reads, by name: a list of fixes for each track of its own. */
export function gpsbabelReads(text: string, format: "kml" | "gpx"): Map<string, ReadFix[][]> {
  const folder = mkdtempSync(join(tmpdir(), "simtape-gpsbabel-"));
  try {
    const path = join(folder, `in.${format}`);
    writeFileSync(path, text);
    const words = ["-t", "-i", format, "-f", path, "-o", "gpx,garminextensions=1", "-F", "-"];
    return gpxTracks(execFileSync("gpsbabel", words, { encoding: "utf8", maxBuffer: 2 ** 28 }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Tracks of a GPX file by name, and the points of each segment. */
export function gpxTracks(text: string): Map<string, ReadFix[][]> {
  const tracks = new Map<string, ReadFix[][]>();
  for (const track of elements(root(text), "trk")) {
    const name = content(track, "name");
    const segments = elements(track, "trkseg").map((segment) =>
      elements(segment, "trkpt").map((point) => ({
        time: Date.parse(content(point, "time")) + microseconds(content(point, "time")),
        latitude: Number(point.attributes["lat"]),
        longitude: Number(point.attributes["lon"]),
        height: Number(content(point, "ele")),
      })),
    );
    tracks.set(name, [...(tracks.get(name) ?? []), ...segments]);
  }
  return tracks;
}

/** What `Date` leaves of a time: the digits behind milliseconds, in milliseconds. */
export function microseconds(text: string): number {
  const digits = /\.\d{3}(\d+)Z$/.exec(text)?.[1];
  return digits === undefined ? 0 : Number(`0.${digits}`);
}

export function root(text: string): XmlElement {
  return parseXml(text).root!;
}

export function elements(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((child): child is XmlElement => child instanceof XmlElement && child.name === name);
}

export function content(parent: XmlElement, name: string): string {
  return elements(parent, name)[0]?.text ?? "";
}
