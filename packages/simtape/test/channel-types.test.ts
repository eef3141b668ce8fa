import { expect, expectTypeOf, test } from "vitest";
import { type Channel, open, type Recording, type Value } from "../src/index.ts";
import { type CarlaChannels, carla } from "../src/formats/carla/format.ts";
import { type FlightGearChannels, flightgear } from "../src/formats/flightgear/format.ts";
import {
  createHcrp,
  type HcrpChannels,
  type HcrpEvents,
  hcrp,
  type ProductionSpawn,
  type SpawnEvent,
} from "../src/formats/hcrp/format.ts";
import {
  type CompressedPayload,
  createMira,
  type MiraTypes,
  mira,
  type Odometry2,
  type UnreadPayload,
} from "../src/formats/mira/format.ts";
import { type NanoverChannels, nanover } from "../src/formats/nanover/format.ts";
import { SOUND } from "./specimens.ts";

/** The first specimen of a format. */
function bytesOf(format: string): Uint8Array {
  return Object.values(SOUND.find((recording) => recording.format === format)!.files)[0]!;
}

/** Interfaces are made of values, too, though they have no index signature. */
type Plain<T> = T extends Value ? T : { readonly [Key in keyof T]: Plain<T[Key]> };

test("what channels decode to is made of values", () => {
  expectTypeOf<Plain<CarlaChannels[keyof CarlaChannels]>>().toExtend<Value>();
  expectTypeOf<Plain<FlightGearChannels[keyof FlightGearChannels]>>().toExtend<Value>();
  expectTypeOf<Plain<HcrpChannels[keyof HcrpChannels]>>().toExtend<Value>();
  expectTypeOf<Plain<NanoverChannels["state"]>>().toExtend<Value>();
  expectTypeOf<Plain<MiraTypes[keyof MiraTypes]>>().toExtend<Value>();
});

test("a recording of one format has the types of its channels, and its id", async () => {
  await using run = await open(bytesOf("nanover"), { formats: [nanover] });
  expectTypeOf(run.info.format).toEqualTypeOf<"nanover">();
  for await (const { value } of run.messages("frame")) {
    expectTypeOf(value["particle.positions"]).toEqualTypeOf<Float32Array | undefined>();
    expectTypeOf(value["something.else"]).toEqualTypeOf<Value | undefined>();
    if (value["particle.positions"] === undefined) continue;
    expect(value["particle.positions"].length).toBeGreaterThan(0);
    break;
  }
  await using flight = await open(bytesOf("flightgear"), { formats: [flightgear] });
  expectTypeOf(flight.info.format).toEqualTypeOf<"flightgear">();
  for await (const { value } of flight.messages("multiplayer")) {
    if (!("position" in value)) continue;
    expectTypeOf(value.position).toEqualTypeOf<Float64Array>();
    expect(value.position).toHaveLength(3);
  }
  await using race = await open(bytesOf("hcrp"), { formats: [hcrp] });
  expectTypeOf(race.info.format).toEqualTypeOf<"hcrp">();
  expectTypeOf(race.channel("chat").schema.decode).returns.toEqualTypeOf<HcrpChannels["chat"]>();
  expectTypeOf(race.channel("spawn").schema.decode).returns.toEqualTypeOf<SpawnEvent | ProductionSpawn>();
  expectTypeOf(() => race.channel("race:lap")).returns.toEqualTypeOf<Channel>();
});

test("an HCRP recording of which more is known has narrower types", async () => {
  const own = createHcrp<HcrpEvents & { readonly "race:lap": Uint8Array }>();
  await using race = await open(bytesOf("hcrp"), { formats: [own] });
  expectTypeOf(race.channel("spawn").schema.decode).returns.toEqualTypeOf<SpawnEvent>();
  expectTypeOf(() => race.channel("race:lap")).returns.toEqualTypeOf<Channel<Uint8Array>>();
});

test("channels of a tape are values until they are named, and may always be unread", async () => {
  await using tape = await open(bytesOf("mira"), { formats: [mira] });
  expectTypeOf(tape.info.format).toEqualTypeOf<"mira">();
  expectTypeOf(tape.channel("/robot/Odometry")).toEqualTypeOf<Channel>();
  const own = createMira<{ "/robot/Odometry": Odometry2; "/robot/Mileage": MiraTypes["float"] }>();
  await using named = await open(bytesOf("mira"), { formats: [own] });
  for await (const { value } of named.messages("/robot/Odometry")) {
    expectTypeOf(value).toEqualTypeOf<Odometry2 | UnreadPayload | CompressedPayload>();
    if (!("pose" in value)) continue;
    expect(value.pose.x).toBeTypeOf("number");
    break;
  }
  expectTypeOf(() => named.channel("/robot/Camera")).returns.toEqualTypeOf<Channel>();
});

test("a recording of one of several formats has the channels that all of them have, until it is asked which", async () => {
  await using recording = await open(bytesOf("hcrp"), { formats: [carla, hcrp] });
  expectTypeOf(recording.info.format).toEqualTypeOf<"carla" | "hcrp">();
  expectTypeOf(recording.channel("state").schema.decode).returns.toEqualTypeOf<
    CarlaChannels["state"] | HcrpChannels["state"]
  >();
  expectTypeOf(recording.channel("move")).toEqualTypeOf<Channel>();
  if (recording.is(carla)) expectTypeOf(recording).toEqualTypeOf<Recording<CarlaChannels, "carla">>();
  else if (recording.is(hcrp)) {
    expectTypeOf(recording).toEqualTypeOf<Recording<HcrpChannels, "hcrp">>();
    expect(recording.info.format).toBe("hcrp");
  } else expect.unreachable();
});

test("a recording of any format has no types, until it is asked which", async () => {
  await using recording = await open(bytesOf("flightgear"));
  expectTypeOf(recording).toEqualTypeOf<Recording>();
  if (recording.is(carla)) expect.unreachable();
  else if (recording.is(flightgear)) {
    expectTypeOf(recording.channel("signals").schema.decode).returns.toEqualTypeOf<FlightGearChannels["signals"]>();
    expect(recording.channel("signals").schema.name).toBe("flightgear/signals");
  } else expect.unreachable();
});
