import { ByteBuilder, nanover, type SinkBundle, type Value, writeMessage, writeZipState } from "simtape/making";
import { Molecules, STEP } from "./nanover-molecules.ts";
import { User } from "./nanover-user.ts";
import { randomOf } from "./random.ts";

/** Frames, and updates of the shared state, in a second: the most that a server sends. */
const RATE = 30;
/** Steps of the simulation from one frame to the next. */
const STEPS = 10;
/** Microseconds by which messages come earlier or later than they should, and after the recorder began. */
const JITTER = 1500;
const BEGIN = 3000;

/**
 * Octane and argon, simulated atom by atom, with a user in the room who pulls at a particle now and then. `entities` is
 * the number of particles; the same seed gives the same bytes. The name of `to` decides between a zip and a pair of
 * files.
 */
export async function demo(
  options: { readonly seconds: number; readonly entities: number; readonly seed: number },
  to: SinkBundle,
): Promise<void> {
  const writing = await nanover.writing!();
  const writer = await writing.create(to, {});
  try {
    const random = randomOf(options.seed);
    const molecules = new Molecules(Math.round(options.entities), random);
    const user = new User(molecules, random);
    const frames = writer.channel({ name: "frame" });
    const states = writer.channel({ name: "state" });
    const builder = new ByteBuilder(4096);
    const count = Math.max(1, Math.round(options.seconds * RATE));
    let shared: string | null = null;
    let wasPulled = false;
    for (let n = 0; n < count; n++) {
      const seconds = n / RATE;
      const time = (BEGIN + Math.round((n * 1e6) / RATE + random() * JITTER)) * 1000;
      user.step(seconds, 1 / RATE);
      const { pull } = user;
      if (n > 0) for (let step = 0; step < STEPS; step++) molecules.step(pull);

      const updates: { [key: string]: Value } = {
        [`avatar.${user.id}`]: user.avatar(seconds),
        [`update.index.${user.id}`]: n,
      };
      const removals: string[] = [];
      if (n === 0) Object.assign(updates, beginning(user));
      if (pull !== null) {
        shared = `interaction.${user.interaction}`;
        updates[shared] = user.shared(pull);
      } else if (shared !== null) {
        removals.push(shared);
        shared = null;
      }
      writeZipState(builder, { updates, removals });
      writer.write(states, time, builder.take());

      const frame = {
        "frame.index": n,
        ...(n === 0 ? topology(molecules) : {}),
        ...motion(molecules, seconds),
        ...(pull !== null || wasPulled || n === 0 ? pulled(molecules, pull?.particle ?? null) : {}),
      };
      wasPulled = pull !== null;
      writeMessage(builder, { frame });
      writer.write(frames, time + 2_000_000, builder.take(), n === 0);
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** The shared state of a server when a client connects. */
function beginning(user: User): { [key: string]: Value } {
  return {
    scene: user.scene,
    "simulation.name": "octane and argon",
    "simulation.index": 0,
    "imd.velocity_reset_available": false,
    [`playarea.${user.id}`]: { A: [-1.5, 0, -1.5], B: [-1.5, 0, 1.5], C: [1.5, 0, 1.5], D: [1.5, 0, -1.5] },
  };
}

function topology(molecules: Molecules): { [key: string]: Value } {
  const { count, box, moleculeNames } = molecules;
  return {
    "system.simulation.counter": 0,
    "system.simulation.name": "octane and argon",
    "particle.count": count,
    "particle.elements": molecules.elements,
    "particle.names": molecules.names,
    "particle.residues": molecules.molecules,
    "residue.count": moleculeNames.length,
    "residue.names": moleculeNames,
    "residue.ids": moleculeNames.map((_, i) => String(i + 1)),
    "residue.chains": new Uint32Array(moleculeNames.length),
    "chain.count": 1,
    "chain.names": ["A"],
    "bond.pairs": molecules.bonds,
    "bond.orders": new Uint8Array(molecules.bonds.length / 2).fill(1),
    "system.box.vectors": Float32Array.of(box, 0, 0, 0, box, 0, 0, 0, box),
  };
}

function motion(molecules: Molecules, seconds: number): { [key: string]: Value } {
  return {
    "particle.positions": Float32Array.from(molecules.positions),
    "system.simulation.time": Math.round(molecules.time / STEP) * STEP,
    "system.temperature": molecules.temperature,
    "energy.kinetic": molecules.kinetic,
    "energy.potential": molecules.potential,
    "server.timestamp": 5000 + seconds,
  };
}

function pulled(molecules: Molecules, particle: number | null): { [key: string]: Value } {
  return {
    "forces.user.index": particle === null ? new Uint32Array(0) : Uint32Array.of(particle),
    "forces.user.sparse": particle === null ? new Float32Array(0) : Float32Array.from(molecules.pullForce),
    "energy.user.total": particle === null ? 0 : molecules.pullEnergy,
    "forces.user.work_done": molecules.work,
  };
}
