/** A thing that has places on the earth. */
export interface Thing {
  /** In the order in which they were met, from 0. */
  readonly index: number;
  readonly set: string;
  readonly id: number | string;
  /** The number of its colour: 0 is that of the thing that a recording is about, if the format names one. */
  readonly colour: number;
  /** The last texts that were not empty; "" where there was none. */
  label: string;
  kind: string;
}

/** What a thing is, as far as icons and types of other programs distinguish things. */
export type Sort = "plane" | "helicopter" | "car" | "motorcycle" | "bicycle" | "person" | "sign" | "other";

const HELICOPTERS =
  /heli|rotor|bo105|ec1[34]|uh-?[16]0?|ch-?(47|53)|ah-?[16]|r22|r44|s-?76|bell-?\d|alouette|ka-?50|mi-?24/i;
const BICYCLES = /crossbike|century|omafiets|bicycle/i;
const MOTORCYCLES = /harley|kawasaki|yamaha|vespa|motor-?(cycle|bike)/i;
/** By names of sets, of which `docs/state.md` lists those of the formats. */
const SORTS: ReadonlyMap<string, Sort> = new Map([
  ["aircraft", "plane"],
  ["vehicles", "car"],
  ["walkers", "person"],
  ["players", "person"],
  ["avatars", "person"],
  ["traffic-lights", "sign"],
  ["traffic-signs", "sign"],
]);

/** By the set, and within it by words in the kind. */
export function sortOf({ set, kind }: Thing): Sort {
  const sort = SORTS.get(set) ?? "other";
  if (sort === "plane" && HELICOPTERS.test(kind)) return "helicopter";
  if (sort === "car" && BICYCLES.test(kind)) return "bicycle";
  return sort === "car" && MOTORCYCLES.test(kind) ? "motorcycle" : sort;
}

/** The kind without the folders and the ending of a model's file. */
export function modelOf({ kind }: Thing): string {
  const last = kind.slice(kind.lastIndexOf("/") + 1);
  return last.replace(/\.(?:xml|ac|osgb?|3ds)$/i, "") || kind;
}

/** A name for each thing, by its index: the label, or the kind; where several have the same, the id is behind it. */
export function namesOf(things: readonly Thing[]): string[] {
  const names = things.map((thing) => thing.label || modelOf(thing) || thing.set);
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name, index) => (counts.get(name)! > 1 ? `${name} ${things[index]!.id}` : name));
}

/** A colour as red, green, blue, and the word of Tacview for the one that is nearest. */
export interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly word: string;
}

/** Six that the eye distinguishes on a photograph of the ground. */
const COLOURS: readonly Colour[] = [
  { red: 51, green: 136, blue: 255, word: "Blue" },
  { red: 255, green: 64, blue: 64, word: "Red" },
  { red: 64, green: 224, blue: 64, word: "Green" },
  { red: 255, green: 160, blue: 0, word: "Orange" },
  { red: 0, green: 224, blue: 224, word: "Cyan" },
  { red: 200, green: 80, blue: 255, word: "Violet" },
];

export function colourOf({ colour }: Thing): Colour {
  return COLOURS[colour % COLOURS.length]!;
}
