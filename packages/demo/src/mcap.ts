import { type ChannelInfo, mcap, type SinkBundle, type Time, type Writer } from "simtape/making";
import { BEAMS, FIELD, Patrol, POSTS } from "./mcap-patrol.ts";
import { randomOf } from "./random.ts";

/** 2026-06-01T07:00:00Z. */
const EPOCH = 1_780_297_200_000_000_000n;
/** The corner where the patrol begins, and degrees of a metre there. */
const YARD = { latitude: 51.4912, longitude: 7.4125, altitude: 96 };
const DEGREES_NORTH = 1 / 111_200;
const DEGREES_EAST = DEGREES_NORTH / Math.cos((YARD.latitude * Math.PI) / 180);

/** Steps of a tenth of a second. */
const STEP = 0.1;
const STEP_NS = STEP * 1e9;
const SCAN_STEPS = 2;
const FIX_STEPS = 10;
const PERSON_STEPS = 5;
const CHARGE_STEPS = 50;
/** Seconds for which the robot remembers a person. */
const REMEMBERED = 1;

const TEXT = new TextEncoder();

/**
 * Robots on patrol in a yard, as robots of ROS log with Foxglove's schemas in JSON: a tree of transforms, poses in the
 * map and in the frame of a camera, a laser scan, satellite positions, people who are seen for a while, lines of a log,
 * and a battery. `entities` is the number of robots; the same seed gives the same bytes.
 */
export async function demo(
  options: { readonly seconds: number; readonly entities: number; readonly seed: number },
  to: SinkBundle,
): Promise<void> {
  const { create } = await mcap.writing();
  const writer = await create(to, { epoch: EPOCH, metadata: { profile: "" } });
  try {
    const count = Math.max(1, Math.round(options.entities));
    const random = randomOf(options.seed);
    const phase = random() * 10;
    const reporters = Array.from({ length: count }, (_, i) => {
      const name = count === 1 ? "" : `robot${i + 1}`;
      return new Reporter(writer, new Patrol(randomOf(options.seed * 7919 + i + 1), i), name);
    });
    reporters[0]!.tellPosts(0);
    const steps = Math.max(1, Math.round(options.seconds / STEP));
    for (let step = 0; step < steps; step++) {
      const people = peopleAt(step * STEP + phase);
      for (const reporter of reporters) reporter.step(step, people);
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

type People = readonly (readonly [x: number, y: number])[];

/** Two people who walk to and fro. */
function peopleAt(seconds: number): People {
  return [
    [7 + 6 * Math.sin(seconds / 7), 5.5],
    [11, 4 + 6 * Math.cos(seconds / 9)],
  ];
}

/** Writes the messages of one robot. */
class Reporter {
  readonly #writer: Writer;
  readonly #robot: Patrol;
  readonly #prefix: string;
  readonly #channels = new Map<string, ChannelInfo>();
  #reached = 0;

  /** `name`: empty where there is one robot only. */
  constructor(writer: Writer, robot: Patrol, name: string) {
    this.#writer = writer;
    this.#robot = robot;
    this.#prefix = name === "" ? "" : `${name}/`;
  }

  step(step: number, people: People): void {
    const time = step * STEP_NS;
    if (step === 0) this.#tellStart(time);
    this.#tellPose(time);
    if (step % SCAN_STEPS === 0) this.#tellScan(time + 4_000_000, people);
    if (step % PERSON_STEPS === 1) this.#tellPeople(time + 2_000_000, people);
    if (step % FIX_STEPS === 0) this.#tellFix(time + 6_000_000);
    if (step % CHARGE_STEPS === 0) {
      const percent = Math.round(this.#robot.charge * 100) / 100;
      this.#tell("battery", null, time, { percent, volts: Math.round((22 + percent / 25) * 100) / 100 });
    }
    if (this.#robot.reached > this.#reached) {
      this.#reached = this.#robot.reached;
      this.#log(time, 2, `corner ${this.#reached} reached`);
    }
    this.#robot.step(STEP);
  }

  /** What stands in the yard. */
  tellPosts(time: Time): void {
    const entities = POSTS.map(([x, y, radius], i) => ({
      ...this.#head(time, "map"),
      id: `post ${i + 1}`,
      lifetime: { sec: 0, nsec: 0 },
      frame_locked: false,
      metadata: [{ key: "label", value: `post ${i + 1}` }],
      cylinders: [
        {
          pose: poseOf(x, y, 0.5, 0),
          size: { x: 2 * radius, y: 2 * radius, z: 1 },
          bottom_scale: 1,
          top_scale: 1,
          color: GREY,
        },
      ],
    }));
    this.#tell("scene", "SceneUpdate", time, { deletions: [], entities });
  }

  /** The scanner and the camera do not move on the robot. */
  #tellStart(time: Time): void {
    const transforms = [
      { ...this.#moved(time, "base", "laser"), translation: { x: 0.25, y: 0, z: 0.2 }, rotation: turned(0) },
      { ...this.#moved(time, "base", "camera"), translation: { x: 0.2, y: 0, z: 0.6 }, rotation: turned(0) },
    ];
    this.#tell("tf_static", "FrameTransforms", time, { transforms });
    this.#log(time, 2, "the patrol begins");
  }

  #tellPose(time: Time): void {
    const { x, y, heading } = this.#robot;
    const moved = { ...this.#moved(time, "map", "base"), translation: { x, y, z: 0 }, rotation: turned(heading) };
    this.#tell("tf", "FrameTransforms", time, { transforms: [moved] });
    this.#tell("pose", "PoseInFrame", time + 1_000_000, { ...this.#head(time, "map"), pose: poseOf(x, y, 0, heading) });
  }

  #tellScan(time: Time, people: People): void {
    this.#tell("scan", "LaserScan", time, {
      ...this.#head(time, this.#frame("laser")),
      pose: poseOf(0, 0, 0, 0),
      start_angle: -FIELD / 2,
      end_angle: FIELD / 2,
      ranges: this.#robot.ranges(people),
      intensities: Array.from({ length: BEAMS }, () => 0),
    });
  }

  /** People before the robot: entities that end by themselves, and the nearest as a pose in the frame of the camera. */
  #tellPeople(time: Time, people: People): void {
    const { x, y, heading } = this.#robot;
    const seen = people
      .map((person, i) => ({ i, ahead: ahead(person, x, y, heading), person }))
      .filter(({ ahead: [forward, left] }) => forward > 0 && Math.hypot(forward, left) < 8);
    if (seen.length === 0) return;
    const entities = seen.map(({ i, person }) => ({
      ...this.#head(time, "map"),
      id: `${this.#prefix}person ${i + 1}`,
      lifetime: { sec: REMEMBERED, nsec: 0 },
      frame_locked: false,
      metadata: [
        { key: "kind", value: "person" },
        { key: "label", value: `person ${i + 1}` },
      ],
      cubes: [{ pose: poseOf(person[0], person[1], 0.9, 0), size: { x: 0.5, y: 0.5, z: 1.8 }, color: GREY }],
    }));
    this.#tell("people", "SceneUpdate", time, { deletions: [], entities });
    const [forward, left] = seen.reduce((a, b) => (a.ahead[0] < b.ahead[0] ? a : b)).ahead;
    const pose = poseOf(forward - 0.2, left, 0.3, 0);
    this.#tell("nearest", "PoseInFrame", time + 1_000_000, { ...this.#head(time, this.#frame("camera")), pose });
  }

  #tellFix(time: Time): void {
    const { x, y } = this.#robot;
    this.#tell("fix", "LocationFix", time, {
      ...this.#head(time, "gps"),
      latitude: YARD.latitude + y * DEGREES_NORTH,
      longitude: YARD.longitude + x * DEGREES_EAST,
      altitude: YARD.altitude,
      position_covariance: [4, 0, 0, 0, 4, 0, 0, 0, 9],
      position_covariance_type: 2,
    });
  }

  #log(time: Time, level: number, message: string): void {
    const line = { timestamp: stamp(time), level, message, name: `${this.#prefix}patrol`, file: "", line: 0 };
    this.#tell("log", "Log", time, line);
  }

  #frame(name: string): string {
    return name === "map" ? name : `${this.#prefix}${name}`;
  }

  #head(time: Time, frame: string): { readonly timestamp: object; readonly frame_id: string } {
    return { timestamp: stamp(time), frame_id: frame };
  }

  #moved(time: Time, parent: string, child: string): object {
    return { timestamp: stamp(time), parent_frame_id: this.#frame(parent), child_frame_id: this.#frame(child) };
  }

  #tell(topic: string, schema: string | null, time: Time, value: object): void {
    let channel = this.#channels.get(topic);
    if (channel === undefined) {
      const name = `/${this.#prefix}${topic}`;
      channel = this.#writer.channel({ name, schema: schema === null ? undefined : `foxglove.${schema}` });
      this.#channels.set(topic, channel);
    }
    this.#writer.write(channel, time, TEXT.encode(JSON.stringify(value)));
  }
}

const GREY = { r: 0.6, g: 0.6, b: 0.6, a: 1 };

function stamp(time: Time): { readonly sec: number; readonly nsec: number } {
  return { sec: Number(EPOCH / 1_000_000_000n) + Math.floor(time / 1e9), nsec: Math.round(time % 1e9) };
}

function turned(heading: number): object {
  return { x: 0, y: 0, z: Math.sin(heading / 2), w: Math.cos(heading / 2) };
}

function poseOf(x: number, y: number, z: number, heading: number): object {
  return { position: { x, y, z }, orientation: turned(heading) };
}

/** A place as the robot sees it: forward, and to the left. */
function ahead(
  [x, y]: readonly [x: number, y: number],
  fromX: number,
  fromY: number,
  heading: number,
): [number, number] {
  const [dx, dy] = [x - fromX, y - fromY];
  const [c, s] = [Math.cos(heading), Math.sin(heading)];
  return [dx * c + dy * s, dy * c - dx * s];
}
