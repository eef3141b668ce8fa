import { ByteBuilder, type ChannelInfo, mira, type SinkBundle, type Time, type Writer } from "simtape/making";
import { Room } from "./mira-room.ts";
import { BEAMS, FIELD, MAX_RANGE, MIN_RANGE, RANGE_NOISE, Robot, STEP } from "./mira-robot.ts";
import { randomOf } from "./random.ts";

/** 2026-05-04T08:30:00Z, in a zone two hours east of UTC. */
const EPOCH = 1_777_883_400_000_000_000n;
const ZONE = 7_200_000_000_000;
const STEP_NS = STEP * 1e9;
/** Steps between two messages. */
const ODOMETRY_STEPS = 5;
const SCAN_STEPS = 8;
const SECOND_STEPS = 100;
/** The scanner publishes a scan this long after it was made, ns. */
const SCAN_DELAY = 3_000_000;
/** Metres between two robots at the start. */
const APART = 0.7;

/** Bits of the drive's status, MIRA semantics §5: normal, front bumper activated, front bumper's status. */
const NORMAL = 1;
const BUMPER = (1 << 9) | (1 << 10);

/**
 * Robots with two driven wheels and a laser scanner that drive from goal to goal in a furnished room, avoid what their
 * scanners see, bump into the rest, and return to be charged. Odometry is computed from the wheels' encoders, and
 * drifts. `entities` is the number of robots; the same seed gives the same bytes.
 */
export async function demo(
  options: { readonly seconds: number; readonly entities: number; readonly seed: number },
  to: SinkBundle,
): Promise<void> {
  const { create } = await mira.writing();
  const writer = await create(to, { epoch: EPOCH, metadata: { zoneOffsetNs: ZONE } });
  try {
    const random = randomOf(options.seed);
    const room = new Room(random);
    const count = Math.max(1, Math.round(options.entities));
    const reporters: Reporter[] = [];
    const robots: Robot[] = [];
    for (let i = 0; i < count; i++) {
      const robot = robotOf(i, room, options.seed);
      robots.push(robot);
      const isAlone = count === 1;
      reporters.push(
        new Reporter(writer, robot, isAlone ? "/robot" : `/robot${i + 1}`, isAlone ? "" : `/robot${i + 1}`),
      );
    }
    const others = robots.map((robot) => robots.filter((other) => other !== robot));
    const steps = Math.max(1, Math.round(options.seconds / STEP));
    for (let step = 0; step < steps; step++) {
      const time = step * STEP_NS;
      for (let i = 0; i < count; i++) reporters[i]!.tell(step, time);
      if (step % SCAN_STEPS === 2) {
        for (let i = 0; i < count; i++) {
          robots[i]!.scan(others[i]!);
          reporters[i]!.tellScan(time + SCAN_DELAY);
        }
      }
      for (let i = 0; i < count; i++) robots[i]!.step(others[i]!);
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** The room of a seed, and its first robot as it begins. */
export function beginningOf(seed: number): { readonly room: Room; readonly robot: Robot } {
  const room = new Room(randomOf(seed));
  return { room, robot: robotOf(0, room, seed) };
}

function robotOf(i: number, room: Room, seed: number): Robot {
  const { x, y } = startOf(i, room);
  return new Robot(room, randomOf(seed * 7919 + i + 1), x, y);
}

/** Robots begin around the middle, in rings, where there is room. */
function startOf(i: number, room: Room): { x: number; y: number } {
  let left = i;
  for (let ring = 0; ring < 12; ring++) {
    const places = ring === 0 ? 1 : 6 * ring;
    for (let place = 0; place < places; place++) {
      const angle = (2 * Math.PI * place) / places;
      const x = APART * ring * Math.cos(angle);
      const y = APART * ring * Math.sin(angle);
      if (room.clearance(x, y) > 0.3 && left-- === 0) return { x, y };
    }
  }
  throw new RangeError(`there is no room for ${i + 1} robots`);
}

/** Writes the messages of one robot; a value that changes rarely is written only when it changes. */
class Reporter {
  readonly #writer: Writer;
  readonly #robot: Robot;
  readonly #odometry: ChannelInfo;
  readonly #scan: ChannelInfo;
  readonly #bumper: ChannelInfo;
  readonly #status: ChannelInfo;
  readonly #mileage: ChannelInfo;
  readonly #voltage: ChannelInfo;
  readonly #level: ChannelInfo;
  readonly #event: ChannelInfo;
  readonly #out = new ByteBuilder(2048);
  #wasBumped: boolean | null = null;
  #lastLevel = -1;
  #lastTask = "";

  /** `name` is the prefix of the robot's own channels, `namespace` that of its navigation. */
  constructor(writer: Writer, robot: Robot, name: string, namespace: string) {
    this.#writer = writer;
    this.#robot = robot;
    const channel = (path: string, schema: string, metadata: Record<string, string> = {}): ChannelInfo =>
      writer.channel({ name: name + path, schema, metadata });
    const body = { frame: `${name}/RobotFrame` };
    this.#odometry = channel("/Odometry", "mira::robot::Odometry2", { frame: `${name}/OdometryFrame` });
    this.#scan = channel("/RangeFinder/Front", "mira::robot::RangeScan", {
      frame: `${name}/RangeFinder/FrontFrame`,
      compression: "zlib",
    });
    this.#bumper = channel("/Bumper", "bool", body);
    this.#status = channel("/DriveStatusPlain", "uint32", body);
    this.#mileage = channel("/Mileage", "float");
    this.#voltage = channel("/charger/Voltage", "float");
    this.#level = channel("/charger/Level", "uint8");
    this.#event = writer.channel({ name: `${namespace}/navigation/PilotEvent`, schema: "std::string" });
  }

  tell(step: number, time: Time): void {
    const { odometry, isBumped, task, level, mileage, voltage } = this.#robot;
    if (step % ODOMETRY_STEPS === 0) {
      const { x, y, phi, speed, turn } = odometry;
      this.#floats(this.#odometry, time, x, y, phi, speed, 0, turn);
    }
    if (isBumped !== this.#wasBumped) {
      this.#wasBumped = isBumped;
      this.#write(this.#bumper, time, this.#out.u8(isBumped ? 1 : 0));
      this.#write(this.#status, time, this.#out.u32le(isBumped ? BUMPER : NORMAL));
    }
    if (task !== this.#lastTask) {
      this.#lastTask = task;
      this.#write(this.#event, time, this.#out.u32le(task.length).utf8(task));
    }
    if (step % SECOND_STEPS === 0) {
      this.#floats(this.#mileage, time, mileage);
      this.#floats(this.#voltage, time, voltage);
    }
    if (level !== this.#lastLevel) {
      this.#lastLevel = level;
      this.#write(this.#level, time, this.#out.u8(level));
    }
  }

  /** Members in the order of MIRA semantics §5, without class version and scan time; angles in degrees. */
  tellScan(time: Time): void {
    const out = this.#out;
    const { ranges } = this.#robot;
    const degrees = (FIELD * 180) / Math.PI;
    for (const value of [-degrees / 2, degrees / (BEAMS - 1), 1, 0.01, RANGE_NOISE, MIN_RANGE, MAX_RANGE])
      out.f32le(value);
    out.u32le(BEAMS);
    for (const range of ranges) out.f32le(range);
    out.u32le(BEAMS);
    // 0 valid, 2 above the maximum.
    for (const range of ranges) out.u16le(range >= MAX_RANGE ? 2 : 0);
    out.u32le(0).u32le(0);
    this.#write(this.#scan, time, out);
  }

  #floats(channel: ChannelInfo, time: Time, ...values: readonly number[]): void {
    for (const value of values) this.#out.f32le(value);
    this.#write(channel, time, this.#out);
  }

  #write(channel: ChannelInfo, time: Time, out: ByteBuilder): void {
    this.#writer.write(channel, time, out.take());
  }
}
