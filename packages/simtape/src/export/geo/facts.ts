import type { ExportTarget, TargetOption } from "../exporter.ts";

type Facts = Omit<ExportTarget, "load">;

const carries = "things with a place on the earth, or on a plane that an origin lays on the earth";
const takes: readonly TargetOption[] = ["ids", "origin"];

export const KML: Facts = {
  id: "kml",
  name: "KML, for Google Earth",
  extensions: ["kml"],
  mediaType: "application/vnd.google-earth.kml+xml",
  carries,
  takes,
};

export const GPX: Facts = {
  id: "gpx",
  name: "GPX, for maps and GPS programs",
  extensions: ["gpx"],
  mediaType: "application/gpx+xml",
  carries,
  takes,
};

export const CZML: Facts = {
  id: "czml",
  name: "CZML, for Cesium",
  extensions: ["czml"],
  mediaType: "application/vnd.czml+json",
  carries,
  takes,
};

export const ACMI: Facts = {
  id: "acmi",
  name: "ACMI 2.2, for Tacview",
  extensions: ["acmi"],
  mediaType: "text/plain",
  carries,
  takes,
};
