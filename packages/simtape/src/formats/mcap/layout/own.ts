import type { MetadataRecord } from "../../../codec/mcap/data.ts";

/** Name of the metadata record that simtape adds where time 0 is another than that of the first message. */
const NAME = "simtape";
const EPOCH = "epoch";

/** The record: Unix nanoseconds at time 0, in decimal digits. */
export function epochRecord(epoch: bigint): MetadataRecord {
  return { name: NAME, texts: new Map([[EPOCH, String(epoch)]]) };
}

/** Unix nanoseconds at time 0, as a record states it; null: it is another record. */
export function epochIn({ name, texts }: MetadataRecord): bigint | null {
  const text = texts.get(EPOCH);
  if (name !== NAME || texts.size !== 1 || text === undefined || !/^\d{1,20}$/.test(text)) return null;
  return BigInt.asUintN(64, BigInt(text));
}
