/** Metres from the place of what is ridden to where who rides it sits, by the words of its kind; the first that fits. */
const SEATS: readonly (readonly [kind: RegExp, height: number])[] = [
  [/boat|raft/, 0.25],
  [/minecart/, 0.4],
  [/strider|camel|happy_ghast/, 1.5],
  [/horse|donkey|mule|llama/, 1.15],
  [/pig|spider|ravager|hoglin/, 0.8],
];
/** As high as an entity is drawn, and a player. */
const ENTITY = 0.9;
const PLAYER = 1.8;

/** Metres above the place of what is ridden. */
export function seatHeight(kind: string, isPlayer: boolean): number {
  if (isPlayer) return PLAYER;
  const name = kind.replace(/^[\w.-]+:/, "");
  return SEATS.find(([words]) => words.test(name))?.[1] ?? ENTITY;
}
