/** Types of every kind that those of channels are made of; see `type-shape.test.ts`. */
export interface Samples {
  readonly text: string;
  readonly count: number | bigint;
  readonly isOn: boolean;
  readonly nothing: null;
  readonly mode: "slow" | "fast" | 7 | true | null;
  readonly place: readonly [number, number, number];
  readonly bytes: Uint8Array;
  readonly cells: Float64Array | readonly string[];
  readonly maybe?: number;
  readonly list: readonly { readonly id: number; readonly name?: string }[];
  readonly either: { readonly kind: string; readonly id: number } | { readonly name: string };
  readonly open: Tree;
  readonly keyed: { readonly known: string; readonly [key: `section${number}`]: number };
  readonly both: { readonly a: number } & { readonly [key: string]: number | string };
}

type Tree = number | readonly Tree[] | { readonly [key: string]: Tree };
