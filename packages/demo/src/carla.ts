import {
  type Attribute,
  carlaWriting as writing,
  type Dialect,
  FrameWriter,
  releaseOf,
  type SinkBundle,
  type Vector,
  writeAnimVehicle,
  writeAnimWalker,
  writeBox,
  writeCollision,
  writeEventAdd,
  writeEventDel,
  writeEventParent,
  writeKinematics,
  writePhysicsControl,
  writePosition,
  writeSceneLight,
  writeState,
  writeTrafficLightTime,
  writeVehicleLight,
  writeVehicleWheels,
  writeWalkerBones,
} from "simtape/making";
import {
  angleBetween,
  type Car,
  CAR_LENGTH,
  CAR_WIDTH,
  type Crash,
  GREEN,
  type Pose,
  Town,
  type Walker,
  YELLOW,
} from "./carla-town.ts";
import { mapOf } from "./carla-map.ts";
import { randomOf } from "./random.ts";

export interface DemoOptions {
  /** Simulated seconds. */
  readonly seconds: number;
  /** Number of cars; there is one walker for every two cars. */
  readonly entities: number;
  readonly seed: number;
}

/** The release of CARLA whose recordings these imitate. */
const DIALECT = "0.9.15";
/** Seconds of a tick: an f32 in the engine (CARLA spec §4.0). */
const DELTA: number = Math.fround(0.05);
/** 2026-01-01 12:00 UTC. */
const EPOCH = 1_767_268_800_000_000_000n;
const NO_ACTOR = 0;
const DEGREES = 180 / Math.PI;
const [OTHER, VEHICLE, WALKER, LIGHT, SENSOR] = [0, 1, 2, 3, 5] as const;
/** Bits of a vehicle's lights (CARLA spec §4.10). */
const [LOW_BEAM, BRAKE, RIGHT, LEFT] = [0x2, 0x8, 0x10, 0x20] as const;
const WHEEL_RADIUS = 0.355;
/** Average seconds that a walker lives. */
const WALK = 45;
const MODELS = ["tesla.model3", "audi.a2", "lincoln.mkz_2017", "nissan.micra", "seat.leon", "toyota.prius"] as const;
const COLORS = ["180,30,30", "20,60,140", "230,230,225", "30,30,34", "90,110,70", "200,140,20"] as const;
const STRING = 3;
const COLOR = 4;

/** A participant in the recording. */
interface Actor {
  readonly id: number;
  readonly type: number;
  readonly blueprint: string;
  readonly attributes: readonly Attribute[];
}

/**
 * A recording of traffic on a grid of roads: cars that follow each other and stop at lights, now and then one that runs
 * into another, people around the blocks, and sensors on the cars. The same options give the same bytes.
 */
export async function demo(options: DemoOptions, to: SinkBundle): Promise<void> {
  const writer = await writing.create(to, { dialect: DIALECT, epoch: EPOCH, metadata: { map: "GridTown" } });
  try {
    const scene = new Scene(options, new FrameWriter(writer, releaseOf(DIALECT), true));
    const frames = Math.max(1, Math.round(options.seconds / DELTA));
    for (let frame = 0; frame < frames; frame++) {
      scene.frame();
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** The map of the town that `demo` simulates with the same options, as OpenDRIVE. */
export function world({ entities, seed }: DemoOptions): Uint8Array {
  return new TextEncoder().encode(mapOf(townOf(entities, randomOf(seed))));
}

function townOf(entities: number, random: () => number): Town {
  const cars = Math.max(1, Math.floor(entities));
  return new Town(cars, Math.ceil(cars / 2), random);
}

class Scene {
  readonly #town: Town;
  readonly #frames: FrameWriter;
  readonly #dialect: Dialect;
  readonly #random: () => number;
  readonly #cars: readonly Actor[];
  readonly #walkers: Actor[];
  readonly #lights: readonly Actor[];
  readonly #props: readonly { readonly actor: Actor; readonly pose: Pose }[];
  /** Sensors by car, for cars that have one. */
  readonly #collisionSensors: (Actor | null)[];
  #lastId = 0;
  #elapsed = 0;
  #platformTime = 0;
  #collisions = 0;
  readonly #headings: number[] = [];

  constructor({ entities, seed }: DemoOptions, frames: FrameWriter) {
    this.#random = randomOf(seed);
    this.#frames = frames;
    this.#dialect = frames.lists.release.dialect;
    this.#town = townOf(entities, this.#random);
    const town = this.#town;
    const make = (type: number, blueprint: string, attributes: readonly Attribute[] = []): Actor => ({
      id: ++this.#lastId,
      type,
      blueprint,
      attributes,
    });
    const spectator = { actor: make(OTHER, "spectator"), pose: town.center };
    this.#lights = town.lights.map(() => make(LIGHT, "traffic.traffic_light"));
    const benches = town.corners().map((pose) => ({ actor: make(OTHER, "static.prop.bench01"), pose }));
    this.#props = [spectator, ...benches];
    this.#cars = town.cars.map((_, i) => {
      const model = MODELS[Math.floor(this.#random() * MODELS.length)]!;
      const color = COLORS[Math.floor(this.#random() * COLORS.length)]!;
      return make(VEHICLE, `vehicle.${model}`, [
        { type: COLOR, id: "color", value: color },
        { type: STRING, id: "role_name", value: i === 0 ? "hero" : "autopilot" },
      ]);
    });
    this.#walkers = town.walkers.map(() => this.#makeWalker());
    this.#collisionSensors = this.#cars.map(() => null);
  }

  /** Writes the present frame and advances to the next one. */
  frame(): void {
    const isFirst = this.#frames.frame === 0;
    if (isFirst) this.#addAll();
    if (this.#frames.frame === 1) this.#addSensors();
    if (!isFirst) this.#replaceWalkers();
    const crashes = this.#town.step(DELTA);
    for (const crash of crashes) this.#crash(crash);
    for (const [i, car] of this.#town.cars.entries()) this.#car(car, this.#cars[i]!, i);
    for (const [i, walker] of this.#town.walkers.entries()) this.#walker(walker, this.#walkers[i]!);
    for (const { actor, pose } of this.#props) this.#place(actor, pose, actor.blueprint === "spectator" ? 40 : 0);
    for (const [i, light] of this.#town.lights.entries()) {
      const { color, since } = light.at(this.#town.time);
      const state = { id: this.#lights[i]!.id, isFrozen: false, elapsedTime: since, state: color };
      writeState(this.#frames.lists.add("state"), state);
    }
    this.#frames.lists.visualTime = 30 + this.#elapsed;
    this.#frames.lists.platformTime = this.#platformTime;
    this.#frames.write(Math.round(this.#elapsed * 1e9), this.#elapsed);
    this.#elapsed += DELTA;
    // The host takes a little longer for a tick than the tick lasts, by a varying time.
    this.#platformTime += DELTA * (1.02 + 0.1 * this.#random());
  }

  #addAll(): void {
    const { lists } = this.#frames;
    const town = this.#town;
    for (const { actor, pose } of this.#props) {
      this.#add(actor, vectorOf(pose, actor.blueprint === "spectator" ? 40 : 0), rotationOf(pose));
      this.#box(actor, [0, 0, 0], [0, 0, 0]);
    }
    for (const [i, light] of town.lights.entries()) {
      const actor = this.#lights[i]!;
      this.#add(actor, vectorOf(light.pose), rotationOf(light.pose));
      const times = { id: actor.id, green: GREEN, yellow: YELLOW, red: light.redTime };
      writeTrafficLightTime(lists.add("traffic-light-time"), times);
      const trigger = { id: actor.id, origin: vectorOf(light.trigger, 1), extent: [300, 175, 100] as Vector };
      writeBox(lists.add("trigger-volume"), trigger, this.#dialect);
    }
    for (const [i, car] of town.cars.entries()) {
      const actor = this.#cars[i]!;
      this.#add(actor, vectorOf(car.pose), rotationOf(car.pose));
      this.#box(actor, [0, 0, 75], [(CAR_LENGTH / 2) * 100, (CAR_WIDTH / 2) * 100, 75]);
      this.#physics(actor, car);
    }
    for (const [i, walker] of town.walkers.entries()) this.#addWalker(this.#walkers[i]!, walker);
    const dusk = [1, 0.82, 0.6, 1] as const;
    for (const id of town.corners().keys()) {
      writeSceneLight(lists.add("scene-light"), { id, intensity: 350, color: dusk, isOn: true, type: 2 });
    }
  }

  /**
   * On the second frame: a sensor that is attached while recording is recorded relative to its parent (CARLA spec
   * §4.2).
   */
  #addSensors(): void {
    const attach = (car: Actor, blueprint: string, place: Vector): Actor => {
      const actor = { id: ++this.#lastId, type: SENSOR, blueprint, attributes: [] };
      this.#add(actor, place, [0, 0, 0]);
      this.#box(actor, [0, 0, 0], [0, 0, 0]);
      writeEventParent(this.#frames.lists.add("event-parent"), { id: actor.id, parent: car.id });
      return actor;
    };
    for (const [i, car] of this.#cars.entries()) {
      if (i === 0) {
        attach(car, "sensor.camera.rgb", [150, 0, 240]);
        attach(car, "sensor.lidar.ray_cast", [0, 0, 260]);
        attach(car, "sensor.other.gnss", [100, 0, 280]);
      }
      if (i % 2 === 0) this.#collisionSensors[i] = attach(car, "sensor.other.collision", [0, 0, 0]);
    }
  }

  #makeWalker(): Actor {
    const look = String(1 + Math.floor(this.#random() * 48)).padStart(4, "0");
    const attributes = [{ type: STRING, id: "role_name", value: "pedestrian" }];
    return { id: ++this.#lastId, type: WALKER, blueprint: `walker.pedestrian.${look}`, attributes };
  }

  #addWalker(actor: Actor, walker: Walker): void {
    this.#add(actor, vectorOf(walker.pose, 0.93), rotationOf(walker.pose));
    this.#box(actor, [0, 0, 0], [19, 19, 93]);
  }

  /** People go into houses, and others come out. */
  #replaceWalkers(): void {
    for (const [i, actor] of this.#walkers.entries()) {
      if (this.#random() >= DELTA / WALK) continue;
      writeEventDel(this.#frames.lists.add("event-del"), actor.id);
      this.#town.replaceWalker(i);
      this.#walkers[i] = this.#makeWalker();
      this.#addWalker(this.#walkers[i], this.#town.walkers[i]!);
    }
  }

  #add(actor: Actor, location: Vector, rotation: Vector): void {
    const event = { ...actor, location, rotation, uid: actor.type * 100 + actor.blueprint.length };
    writeEventAdd(this.#frames.lists.add("event-add"), event, this.#dialect);
  }

  #box(actor: Actor, origin: Vector, extent: Vector): void {
    writeBox(this.#frames.lists.add("bounding-box"), { id: actor.id, origin, extent }, this.#dialect);
  }

  #place(actor: Actor, pose: Pose, height = 0): void {
    const position = { id: actor.id, location: vectorOf(pose, height), rotation: rotationOf(pose) };
    writePosition(this.#frames.lists.add("position"), position, this.#dialect);
  }

  #move(actor: Actor, pose: Pose, speed: number, turning: number): void {
    const linearVelocity: Vector = [Math.cos(pose.heading) * speed, Math.sin(pose.heading) * speed, 0];
    const kinematics = { id: actor.id, linearVelocity, angularVelocity: [0, 0, turning * DEGREES] as Vector };
    writeKinematics(this.#frames.lists.add("kinematics"), kinematics, this.#dialect);
  }

  #car(car: Car, actor: Actor, i: number): void {
    const { lists } = this.#frames;
    const { pose, acceleration, speed } = car;
    this.#place(actor, pose);
    const before = this.#headings[i] ?? pose.heading;
    this.#headings[i] = pose.heading;
    this.#move(actor, pose, speed, angleBetween(before, pose.heading) / DELTA);
    const isStanding = speed < 0.05;
    const brake = isStanding ? 1 : Math.min(1, Math.max(0, -acceleration / 8));
    writeAnimVehicle(lists.add("anim-vehicle"), {
      id: actor.id,
      steering: Math.max(-1, Math.min(1, (car.steering * DEGREES) / 70)),
      throttle: isStanding ? 0 : Math.min(1, Math.max(0, 0.25 + acceleration / 4)),
      brake,
      handbrake: false,
      gear: isStanding ? 0 : 1 + Math.min(4, Math.floor(speed / 4)),
    });
    const blinkers = car.isStunned(this.#town.time) ? RIGHT | LEFT : [LEFT, 0, RIGHT][car.blinker + 1]!;
    const lights = LOW_BEAM | (brake > 0.05 ? BRAKE : 0) | blinkers;
    writeVehicleLight(lists.add("vehicle-light"), { id: actor.id, lights });
    const rotation = (((car.driven / WHEEL_RADIUS) * DEGREES) % 360) - 180;
    const steering = car.steering * DEGREES;
    const wheels = [0, 1, 2, 3].map((location) => ({ location, steering: location < 2 ? steering : 0, rotation }));
    writeVehicleWheels(lists.add("vehicle-wheels"), { id: actor.id, wheels });
  }

  #walker(walker: Walker, actor: Actor): void {
    const { lists } = this.#frames;
    const { pose, speed } = walker;
    this.#place(actor, pose, 0.93);
    this.#move(actor, pose, speed, 0);
    writeAnimWalker(lists.add("anim-walker"), { id: actor.id, speed: speed * 100 });
    const swing = speed === 0 ? 0 : 28 * Math.sin((2 * Math.PI * walker.walked) / 1.4);
    const bone = (
      name: string,
      location: Vector,
      pitch: number,
    ): { name: string; location: Vector; rotation: Vector } => ({
      name,
      location,
      rotation: [0, pitch, 0],
    });
    const bones = [
      bone("crl_root", [0, 0, 0], 0),
      bone("crl_hips__C", [0, 0, 95], 0),
      bone("crl_thigh__L", [0, -9, -6], swing),
      bone("crl_thigh__R", [0, 9, -6], -swing),
      bone("crl_leg__L", [0, 0, -42], Math.max(0, -swing)),
      bone("crl_leg__R", [0, 0, -42], Math.max(0, swing)),
      bone("crl_arm__L", [0, -18, 45], -swing),
      bone("crl_arm__R", [0, 18, 45], swing),
    ];
    writeWalkerBones(lists.add("walker-bones"), { id: actor.id, bones }, this.#dialect);
  }

  /** Only a car with a collision sensor reports what it touches (CARLA spec §4.5). */
  #crash({ first, second }: Crash): void {
    for (const [own, other] of [
      [first, second],
      [second, first],
    ] as const) {
      if (this.#collisionSensors[own] === null) continue;
      writeCollision(this.#frames.lists.add("collision"), {
        collision: this.#collisions++,
        id1: this.#cars[own]!.id,
        id2: this.#cars[other]?.id ?? NO_ACTOR,
        isHero1: own === 0,
        isHero2: other === 0,
      });
    }
  }

  #physics(actor: Actor, car: Car): void {
    const { x, y } = car.pose;
    const wheel = (dx: number, dy: number, maxSteerAngle: number, maxHandbrakeTorque: number) => ({
      tireFriction: 3.5,
      dampingRate: 0.25,
      maxSteerAngle,
      radius: WHEEL_RADIUS * 100,
      maxBrakeTorque: 1500,
      maxHandbrakeTorque,
      stiffness: [2, 17, 1000] as Vector,
      position: [x * 100 + dx, y * 100 + dy, 36] as Vector,
    });
    writePhysicsControl(this.#frames.lists.add("physics-control"), {
      id: actor.id,
      maxRpm: 5800,
      moi: 1,
      dampingRateFullThrottle: 0.15,
      dampingRateZeroThrottleClutchEngaged: 2,
      dampingRateZeroThrottleClutchDisengaged: 0.35,
      useGearAutobox: true,
      clutchStrength: 10,
      finalRatio: 4,
      mass: 1600,
      dragCoefficient: 0.3,
      centerOfMass: [0.45, 0, -0.3],
      torqueCurve: [
        [0, 400],
        [1890, 500],
        [5730, 400],
      ],
      forwardGears: [
        { ratio: 4.25, downRatio: 0.5, upRatio: 0.65 },
        { ratio: 2.52, downRatio: 0.5, upRatio: 0.65 },
        { ratio: 1.66, downRatio: 0.5, upRatio: 0.65 },
        { ratio: 1.22, downRatio: 0.5, upRatio: 0.65 },
        { ratio: 1, downRatio: 0.5, upRatio: 0.65 },
      ],
      steeringCurve: [
        [0, 1],
        [20, 0.9],
        [60, 0.8],
        [120, 0.7],
      ],
      wheels: [wheel(140, -80, 70, 0), wheel(140, 80, 70, 0), wheel(-140, -80, 0, 3000), wheel(-140, 80, 0, 3000)],
    });
  }
}

/** Metres to centimetres. */
function vectorOf({ x, y }: Pose, height = 0): Vector {
  return [x * 100, y * 100, height * 100];
}

function rotationOf({ heading }: Pose): Vector {
  return [0, 0, angleBetween(0, heading) * DEGREES];
}
