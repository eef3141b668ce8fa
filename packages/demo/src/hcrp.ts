import {
  createHcrpWriter as createWriter,
  eventsOfProfile as eventsOf,
  NBT,
  type NbtTag,
  nbtText,
  Notes,
  type SinkBundle,
  World,
  WorldSink,
  WorldSnapshots,
} from "simtape/making";
import { Runner } from "./hcrp-runner.ts";
import { DATA_VERSION, LAMP_OFF, Tower } from "./hcrp-tower.ts";
import { randomOf } from "./random.ts";

export interface DemoOptions {
  readonly seconds: number;
  /** Players. */
  readonly entities: number;
  readonly seed: number;
}

const TICKS_PER_SECOND = 20;
/** 2026-04-10T18:00:00Z in Unix nanoseconds. */
const EPOCH = 1_775_844_000_000_000_000n;
/** Ticks before a race, and after its end. */
const WARM_UP = 60;
const CELEBRATION = 120;
/** A race ends after this many ticks, even when some players have not finished. */
const RACE_TICKS = 2400;

/**
 * Players race up a spiral tower, jump by jump with the game's own physics: checkpoints, falls, chat, sounds, lamps
 * that light up. One race follows another until the time is over. The same seed gives the same bytes.
 */
export async function demo(options: DemoOptions, to: SinkBundle): Promise<void> {
  const { seconds, entities, seed } = options;
  const notes = new Notes();
  const snapshots: WorldSnapshots = new WorldSnapshots(() => world);
  const metadata = {
    worldId: uuid(seed, 0),
    worldVersion: "spiral-tower",
    recordingId: uuid(seed, 1),
    dataVersion: DATA_VERSION,
    metadata: { map: "Spiral Tower" },
  };
  const writer = await createWriter(to, { epoch: EPOCH, metadata }, snapshots);
  const sink = new WorldSink(writer, snapshots, (mark) => notes.mark(mark));
  const world: World = new World(sink, eventsOf("cinema"));
  try {
    const race = new Race(world, notes, Math.max(1, entities), seed);
    const ticks = Math.max(1, Math.round(seconds * TICKS_PER_SECOND));
    for (let tick = 0; tick < ticks; tick++) {
      race.step(tick);
      if (writer.ready !== null) await writer.ready;
    }
    world.settle();
    writer.extend(ticks);
    notes.nextEntity = world.nextEntity;
    for (const [name, tag] of [...notes.reserved(), ...race.outcome()]) writer.note(name, tag);
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

const LAMP_ON = "minecraft:redstone_lamp[lit=true]";
const FIREWORK = "minecraft:entity.firework_rocket.launch";
const PLACES = ["first", "second", "third"] as const;

class Race {
  readonly #world: World;
  readonly #notes: Notes;
  readonly #course: Tower;
  readonly #runners: Runner[];
  readonly #bat: number;
  readonly #points = new Map<number, number>();
  readonly #lit = new Set<number>();
  #round = 0;
  #start = WARM_UP;
  #over: number | null = null;
  #finished = 0;
  #best: number | null = null;

  constructor(world: World, notes: Notes, players: number, seed: number) {
    this.#world = world;
    this.#notes = notes;
    const random = randomOf(seed);
    this.#course = new Tower(random);
    const names = new Set<string>();
    this.#runners = Array.from({ length: players }, (_, i) => {
      let name = nameOf(random);
      if (names.has(name)) name += i + 1;
      names.add(name);
      return new Runner(i + 1, name, uuid(seed, i + 2), this.#course, randomOf(seed * 7919 + i));
    });
    this.#bat = players + 1;
  }

  step(tick: number): void {
    const world = this.#world;
    world.goTo(tick);
    if (tick === 0) this.#build();
    if (this.#over !== null && tick === this.#over) this.#again(tick);
    this.#countDown(tick);
    for (const runner of this.#runners) this.#run(runner, tick);
    if (tick % 2 === 0) world.move(this.#bat, batAt(tick));
    const isOver = this.#finished === this.#runners.length || tick - this.#start >= RACE_TICKS;
    if (this.#over === null && isOver) {
      this.#over = tick + CELEBRATION;
      world.chat(`Race ${this.#round + 1} is over`);
    }
  }

  /** The result of the race, for the metadata. */
  outcome(): [string, NbtTag][] {
    if (this.#best === null) return [["outcome", nbtText("abandoned")]];
    const duration = BigInt((this.#best * 1000) / TICKS_PER_SECOND);
    return [
      ["outcome", nbtText("completed")],
      ["duration_ms", { type: NBT.long, value: duration }],
    ];
  }

  #build(): void {
    const world = this.#world;
    world.dimension("minecraft:overworld");
    world.world(6000, 0);
    for (const [at, name] of this.#course.blocks()) world.block(at, name);
    for (const runner of this.#runners) {
      const { entity, uuid: id, name } = runner;
      world.join({ uuid: id, name }, runner.stance);
      world.equipment(entity, { [BOOTS]: "minecraft:leather_boots" });
      world.vitals(entity, 20, 20, 0);
      this.#notes.subject({ entity, uuid: id, name });
    }
    world.spawn("minecraft:bat", batAt(0));
    this.#world.mark("bookmark", "warm-up");
  }

  #countDown(tick: number): void {
    const left = this.#start - tick;
    if (left === 40 || left === 20) this.#world.sound("minecraft:block.note_block.hat", this.#course.platforms[0]!);
    if (left !== 0) return;
    this.#world.chat(`Race ${this.#round + 1}: go!`);
    this.#world.sound("minecraft:block.note_block.pling", this.#course.platforms[0]!);
    this.#world.mark("bookmark", `race ${this.#round + 1}`);
  }

  #run(runner: Runner, tick: number): void {
    const world = this.#world;
    const { entity } = runner;
    const isRacing = tick >= this.#start && !runner.isDone;
    if (!isRacing) {
      runner.idle(tick);
      world.move(entity, runner.stance);
      world.state(entity, 0, 0);
      if (runner.isDone && (tick + entity * 7) % 24 === 0) world.swing(entity);
      return;
    }
    const news = runner.step();
    if (news === "fell") {
      runner.reset();
      world.teleport(entity, runner.stance);
      const at = this.#course.numberOf(runner.checkpoint);
      world.chat(`${runner.name} fell and is back at ${at === 0 ? "the start" : `checkpoint ${at}`}`);
      this.#world.mark("bookmark", `${runner.name}: reset`, entity);
      return;
    }
    world.move(entity, runner.stance);
    world.state(entity, 0, SPRINTING);
    if (news === "checkpoint") this.#checkpoint(runner);
    if (news === "finish") this.#finish(runner, tick);
  }

  #checkpoint(runner: Runner): void {
    const { checkpoint, entity } = runner;
    const [x, y, z] = this.#course.platforms[checkpoint]!;
    if (!this.#lit.has(checkpoint)) this.#world.block([x, y, z], LAMP_ON);
    this.#lit.add(checkpoint);
    this.#world.sound("minecraft:entity.experience_orb.pickup", [x, y + 1, z]);
    this.#score(entity, 1);
    this.#world.mark("checkpoint", `${runner.name}: checkpoint ${this.#course.numberOf(checkpoint)}`, entity);
  }

  #finish(runner: Runner, tick: number): void {
    const ticks = tick - this.#start;
    this.#finished++;
    if (this.#best === null || ticks < this.#best) this.#best = ticks;
    const place = PLACES[this.#finished - 1] ?? `${this.#finished}th`;
    const top = this.#course.platforms.at(-1)!;
    this.#world.chat(`${runner.name} finishes ${place} in ${(ticks / TICKS_PER_SECOND).toFixed(2)} s`);
    this.#world.sound(FIREWORK, top);
    this.#world.particles("minecraft:happy_villager", [top[0], top[1] + 2, top[2]], 30);
    this.#score(runner.entity, this.#finished === 1 ? 5 : 2);
    this.#world.mark("checkpoint", `${runner.name}: finish`, runner.entity);
  }

  /** All players return to the start, and the lamps go off. */
  #again(tick: number): void {
    for (const runner of this.#runners) {
      runner.restart();
      this.#world.teleport(runner.entity, runner.stance);
    }
    for (const lamp of this.#lit) this.#world.block(this.#course.platforms[lamp]!, LAMP_OFF);
    this.#lit.clear();
    this.#round++;
    this.#finished = 0;
    this.#over = null;
    this.#start = tick + WARM_UP;
  }

  #score(entity: number, points: number): void {
    const sum = (this.#points.get(entity) ?? 0) + points;
    this.#points.set(entity, sum);
    this.#world.vitals(entity, 20, 20, sum);
  }
}

const SPRINTING = 8;
/** The slot of boots: 0 and 1 are the hands, 2 to 5 boots, leggings, chestplate and helmet. */
const BOOTS = 2;

function batAt(tick: number): { x: number; y: number; z: number; yaw: number; pitch: number; onGround: boolean } {
  const angle = tick / 37;
  const y = 78 + 7 * Math.sin(tick / 61) + 0.4 * Math.sin(tick / 3);
  const yaw = (Math.atan2(5 * Math.sin(angle), 6.5 * Math.cos(angle * 1.3)) * 180) / Math.PI;
  return { x: 5 * Math.cos(angle), y, z: 5 * Math.sin(angle * 1.3), yaw, pitch: 0, onGround: false };
}

const FIRST = ["Am", "Bo", "Ce", "Do", "El", "Fi", "Gu", "Hana", "Iv", "Jo", "Ka", "Lu", "Mi", "No", "Ola", "Pe"];
const SECOND = ["ra", "ris", "dar", "lin", "ka", "nor", "vi", "sam", "tek", "wen", "yo", "zel", "fox", "jump"];

function nameOf(random: () => number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)]!;
  return `${pick(FIRST)}${pick(SECOND)}`;
}

/** A UUID of version 4 for the n-th thing of a seed. */
function uuid(seed: number, n: number): string {
  const random = randomOf(seed * 31 + n * 1_000_003);
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  digits[12] = "4";
  digits[16] = "89ab"[Math.floor(random() * 4)]!;
  const text = digits.join("");
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}
