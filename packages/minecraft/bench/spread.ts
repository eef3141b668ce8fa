import type { RawViewer } from "./raw-viewer.ts";

/** Milliseconds between the first viewer and the last that got the same move. */
export interface Spread {
  readonly moves: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** Whether all viewers got the same bytes in the same order. */
  readonly isSame: boolean;
}

/** Looks at the moves that all viewers have got. */
export function spreadOf(viewers: readonly RawViewer[]): Spread {
  const moves = Math.min(...viewers.map((viewer) => viewer.moves.length));
  const spreads: number[] = [];
  let isSame = true;
  for (let i = 0; i < moves; i++) {
    const times = viewers.map((viewer) => viewer.moves[i]!.at);
    spreads.push(Math.max(...times) - Math.min(...times));
    isSame &&= new Set(viewers.map((viewer) => viewer.moves[i]!.bytes)).size === 1;
  }
  spreads.sort((a, b) => a - b);
  const part = (share: number): number => spreads[Math.min(moves - 1, Math.floor(share * moves))] ?? Number.NaN;
  return { moves, p50: part(0.5), p95: part(0.95), p99: part(0.99), max: part(1), isSame };
}
