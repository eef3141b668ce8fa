import { ByteBuilder } from "../../packages/simtape/src/bytes/builder.ts";
import { writeFrameResponse } from "../../packages/simtape/src/formats/nanover/layout/protobuf.ts";
import { writeFileHeader, writeRecord } from "../../packages/simtape/src/formats/nanover/layout/record.ts";
import { type Atom, backbone, moved } from "../../packages/viewer/test/support/peptide.ts";

/** Residues of a chain: a helix, a turn, a strand and a turn, again and again. */
const CHAIN = 100;
const [HELIX, STRAND, TURN] = [
  [-57, -47],
  [-120, 130],
  [60, 30],
] as const;
const [FRAMES, EVERY] = [150, 33_333];
/** Distance between chains, and how far atoms move, nm. */
const [APART, SWAY] = [3, 0.02];

/** A v2 trajectory of five seconds: chains of residues side by side, which have about `atoms` atoms in all. */
export function proteinOf(atoms: number): Uint8Array {
  const chains = Math.max(1, Math.round(atoms / (4 * CHAIN)));
  const wide = Math.ceil(Math.sqrt(chains));
  const turns = Array.from({ length: CHAIN }, (_, i) =>
    i % 40 < 18 ? HELIX : i % 40 < 22 || i % 40 > 36 ? TURN : STRAND,
  );
  const all = Array.from({ length: chains }, (_, chain) =>
    moved(backbone(turns, chain * CHAIN), ([x, y, z]) => [
      x + APART * (chain % wide),
      y + APART * Math.floor(chain / wide),
      z,
    ]),
  ).flat();
  const out = new ByteBuilder(1 << 21);
  writeFileHeader(out, 2);
  for (let index = 0; index < FRAMES; index++) {
    const positions = Float32Array.from(
      all.flatMap(({ place }, i) => place.map((value, k) => value + SWAY * Math.sin(i + k + index / 10))),
    );
    const frame = {
      "frame.index": index,
      "particle.positions": positions,
      ...(index === 0 ? topologyOf(all, chains) : {}),
    };
    const payload = new ByteBuilder(1 << 18);
    writeFrameResponse(payload, frame);
    writeRecord(out, index * EVERY, payload.take());
  }
  return out.take();
}

function topologyOf(all: readonly Atom[], chains: number): Readonly<Record<string, unknown>> {
  const residues = Array.from({ length: chains * CHAIN }, (_, i) => i);
  return {
    "particle.count": all.length,
    "particle.elements": Uint32Array.from(all, ({ element }) => element),
    "particle.names": all.map(({ name }) => name),
    "particle.residues": Uint32Array.from(all, ({ residue }) => residue),
    "residue.names": residues.map(() => "ALA"),
    "residue.ids": residues.map((i) => String((i % CHAIN) + 1)),
    "residue.chains": Uint32Array.from(residues, (i) => Math.floor(i / CHAIN)),
    "residue.count": residues.length,
    "chain.names": Array.from({ length: chains }, (_, i) => String(i)),
    "chain.count": chains,
  };
}
