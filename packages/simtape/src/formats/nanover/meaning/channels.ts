import type { Value } from "../../../model/values/value.ts";
import type { StateUpdate } from "../layout/layout.ts";

/**
 * What the messages of a NanoVer recording decode to, by channel. A message of a zip may have further parts: each is a
 * channel of its own, which decodes to what the part holds (spec §4.1).
 */
export interface NanoverChannels {
  readonly frame: NanoverFrame;
  readonly state: StateUpdate;
  /** Requests, answers and registrations of commands, as they were sent (semantics §5.3). */
  readonly command: Value;
}

/**
 * A frame, or what changed in it: any keys, those of `NanoverKeys` among them. Coordinates are right-handed, z up. The
 * file says of each key what it holds; the types are what NanoVer's own programs write, and are not checked.
 */
export type NanoverFrame = NanoverKeys & { readonly [key: string]: Value };

/**
 * The keys that NanoVer's programs write (spec §3.3). Arrays have one cell, or as many as said, for each of N
 * particles, R residues, C chains or B bonds.
 */
export interface NanoverKeys {
  /** 0 begins a new simulation: what earlier frames said is gone. */
  readonly "frame.index"?: number;
  readonly "particle.count"?: number;
  /** 3N: x, y, z in nm. */
  readonly "particle.positions"?: Float32Array;
  /** 3N, nm/ps. */
  readonly "particle.velocities"?: Float32Array;
  /** 3N, kJ/mol/nm, with the forces of users. */
  readonly "particle.forces"?: Float32Array;
  /** 3N, kJ/mol/nm, without the forces of users. */
  readonly "particle.forces.system"?: Float32Array;
  /** N atomic numbers; 0 is unknown. Bytes in a zip. */
  readonly "particle.elements"?: Uint32Array | Uint8Array;
  readonly "particle.names"?: readonly string[];
  /** N indices of residues. */
  readonly "particle.residues"?: Uint32Array;
  readonly "particle.types"?: readonly string[];
  /** 4N: red, green, blue, alpha, 0 to 255. */
  readonly "particle.colors"?: Uint8Array;
  readonly "residue.names"?: readonly string[];
  /** Texts of the Python server, numbers of the one in Rust, float64 in a zip. */
  readonly "residue.ids"?: readonly string[] | Float32Array | Float64Array;
  /** R indices of chains. */
  readonly "residue.chains"?: Uint32Array;
  readonly "residue.count"?: number;
  readonly "chain.names"?: readonly string[];
  readonly "chain.count"?: number;
  /** 2B indices of particles; a bond may be there twice. */
  readonly "bond.pairs"?: Uint32Array;
  /** B: 1, 2, 3. Bytes in a zip. */
  readonly "bond.orders"?: Float32Array | Uint8Array;
  /** 9 or none: the vectors a, b, c of the cell in nm, one after another. */
  readonly "system.box.vectors"?: Float32Array;
  /** ps. */
  readonly "system.simulation.time"?: number;
  /** One more with each simulation that is loaded. */
  readonly "system.simulation.counter"?: number;
  readonly "system.simulation.name"?: string;
  /** What users were shown when it failed. */
  readonly "system.simulation.exception"?: string;
  /** One more with each reset. */
  readonly "system.reset.counter"?: number;
  /** K. */
  readonly "system.temperature"?: number;
  /** kJ/mol, as all energies. */
  readonly "energy.kinetic"?: number;
  readonly "energy.potential"?: number;
  readonly "energy.potential_corrected"?: number;
  readonly "energy.total"?: number;
  /** Sum of the potentials of all interactions. */
  readonly "energy.user.total"?: number;
  /** Particles that feel the force of a user. */
  readonly "forces.user.index"?: Uint32Array;
  /** kJ/mol/nm, three for each of `forces.user.index`. */
  readonly "forces.user.sparse"?: Float32Array;
  /** kJ/mol, since the simulation began. */
  readonly "forces.user.work_done"?: number;
  /** Seconds of the server's monotonic clock, which began anywhere. */
  readonly "server.timestamp"?: number;
}

export type { StateUpdate } from "../layout/layout.ts";
