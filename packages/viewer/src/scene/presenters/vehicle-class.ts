import type { Value } from "simtape";

/** What a vehicle is drawn as. */
export type VehicleClass = "car" | "pickup" | "van" | "bus" | "truck" | "motorcycle" | "bicycle";

export const VEHICLE_CLASSES: readonly VehicleClass[] = [
  "car",
  "pickup",
  "van",
  "bus",
  "truck",
  "motorcycle",
  "bicycle",
];

/** What stands on its roof: a bar of blue lamps, the sign of a taxi, or nothing. */
export type Roof = "bar" | "sign" | null;

export interface VehicleKind {
  readonly shape: VehicleClass;
  readonly roof: Roof;
}

/** What CARLA's blueprints are that are no cars, by a part of their names. */
const CLASSES: readonly (readonly [VehicleClass, RegExp])[] = [
  ["bicycle", /crossbike|omafiets|century|bicycle|bike$/],
  ["motorcycle", /low_rider|ninja|yzf|vespa|zx125|motorcycle|harley|kawasaki|yamaha/],
  ["pickup", /cybertruck|pickup/],
  ["bus", /fusorosa|\bbus\b|coach/],
  ["truck", /carlacola|firetruck|truck|hgv/],
  ["van", /ambulance|\bt2\b|t2_|sprinter|van$/],
];
const ROOFS: readonly (readonly [NonNullable<Roof>, RegExp])[] = [
  ["bar", /ambulance|firetruck|police|emergency/],
  ["sign", /taxi/],
];

/**
 * By the recorded attributes where they tell (`base_type`, `special_type`, `number_of_wheels`), else by the blueprint's
 * name: recordings before 0.9.14 have no types.
 */
export function vehicleKind(blueprint: string, attributes: Value | undefined): VehicleKind {
  const recorded = attributes as Readonly<Record<string, unknown>> | undefined;
  const word = (name: string): string => {
    const text = recorded?.[name];
    return typeof text === "string" ? text.toLowerCase() : "";
  };
  const name = `${word("base_type")} ${blueprint.toLowerCase()}`;
  const shape =
    CLASSES.find(([, words]) => words.test(name))?.[0] ??
    (String(recorded?.["number_of_wheels"]) === "2" ? "motorcycle" : "car");
  const roof = ROOFS.find(([, words]) => words.test(`${word("special_type")} ${name}`))?.[0] ?? null;
  return { shape, roof: shape === "motorcycle" || shape === "bicycle" ? null : roof };
}
