import { Color } from "three";
import type { State, Value } from "simtape";
import { color, colorOf } from "../../drawing/look.ts";
import { elementColor } from "./elements.ts";
import type { LegendLine } from "./facts.ts";
import type { DrawnColor } from "./settings.ts";
import { NONE, type Structure } from "./structure.ts";

/** By what a residue is part of: as Jmol and Mol* have them; a bridge as a strand. */
const SECONDARY: readonly (readonly [text: string, color: Color])[] = [
  ["coil", color("#ffffff")],
  ["α helix", color("#ff0080")],
  ["3-10 helix", color("#a00080")],
  ["π helix", color("#600080")],
  ["strand", color("#ffc800")],
  ["strand", color("#ffc800")],
  ["turn", color("#6080ff")],
];
/** By residue, after the "amino" colours of RasMol. */
const AMINO: Readonly<Record<string, string>> = {
  ...{ ASP: "#e60a0a", GLU: "#e60a0a", CYS: "#e6e600", MET: "#e6e600", LYS: "#145aff", ARG: "#145aff" },
  ...{ SER: "#fa9600", THR: "#fa9600", PHE: "#3232aa", TYR: "#3232aa", ASN: "#00dcdc", GLN: "#00dcdc" },
  ...{ GLY: "#ebebeb", LEU: "#0f820f", VAL: "#0f820f", ILE: "#0f820f", ALA: "#c8c8c8", TRP: "#b45ab4" },
  ...{ HIS: "#8282d2", HID: "#8282d2", HIE: "#8282d2", HIP: "#8282d2", PRO: "#dc9682" },
  ...{ A: "#a0a0ff", DA: "#a0a0ff", C: "#ff8c4b", DC: "#ff8c4b", G: "#ff7070", DG: "#ff7070" },
  ...{ T: "#a0ffa0", DT: "#a0ffa0", U: "#ff8080" },
};
const GREY = color("#b0b8be");
const [LOW, MIDDLE, HIGH] = [color("#d62f2f"), color("#f4f4f4"), color("#2f5fd6")];
/** Where a number for each atom may be recorded. */
const NUMBERS: Readonly<Record<"charge" | "b-factor", RegExp>> = {
  charge: /^(particle\.)?charges?$/i,
  "b-factor": /^(particle\.)?(b[-_.]?factors?|beta|temperature[-_.]?factors?)$/i,
};
const SYMBOLS: Readonly<Record<number, string>> = {
  ...{ 0: "unknown", 1: "H", 5: "B", 6: "C", 7: "N", 8: "O", 9: "F", 11: "Na", 12: "Mg", 14: "Si", 15: "P", 16: "S" },
  ...{ 17: "Cl", 18: "Ar", 19: "K", 20: "Ca", 25: "Mn", 26: "Fe", 29: "Cu", 30: "Zn", 34: "Se", 35: "Br", 53: "I" },
};
/** Lines of a legend at most. */
const LINES = 24;

/** Colours of atoms by one of the schemes. `secondary` has what each residue is part of. */
export function painter(
  scheme: DrawnColor,
  structure: Structure,
  secondary: Uint8Array,
  state: State | null,
): { readonly paint: (row: number) => Color; readonly legend: readonly LegendLine[] } {
  const { residueOf, elements } = structure;
  switch (scheme) {
    case "chain":
      return named(structure, (row) => {
        const chain = structure.chainOfAtom(row);
        return chain === NONE ? null : [structure.chainNames[chain] || `chain ${chain + 1}`, colorOf(chain)];
      });
    case "residue":
      return named(structure, (row) => {
        const name = structure.residueNames[residueOf[row]!];
        return name === undefined ? null : [name, AMINO[name] === undefined ? colorOf(name) : color(AMINO[name])];
      });
    case "secondary":
      return named(structure, (row) => {
        const residue = residueOf[row]!;
        if (structure.polymer[residue] === 2) return ["nucleic acid", NUCLEIC];
        return structure.polymer[residue] === 1 ? SECONDARY[secondary[residue] ?? 0]! : null;
      });
    case "charge":
    case "b-factor":
      return ofNumbers(scheme, numbersOf(scheme, structure.count, state));
    default:
      return named(structure, (row) => [
        SYMBOLS[elements[row]!] ?? `element ${elements[row]}`,
        elementColor(elements[row]!),
      ]);
  }
}

const NUCLEIC = color("#ae00fe");

/** The numbers of that kind, one for each atom; null where none are recorded. */
export function numbersOf(kind: "charge" | "b-factor", count: number, state: State | null): ArrayLike<number> | null {
  const name = NUMBERS[kind];
  for (const [column, { data, width }] of state?.sets.get("particles")?.columns ?? [])
    if (name.test(column) && width === 1 && typeof data[0] === "number") return data as ArrayLike<number>;
  for (const [path, value] of state?.values ?? [])
    if (name.test(path) && isNumbers(value) && value.length === count) return value;
  return null;
}

function isNumbers(value: Value): value is Value & ArrayLike<number> {
  const list = value as ArrayLike<unknown> | null;
  return (Array.isArray(value) || ArrayBuffer.isView(value)) && typeof list?.[0] === "number";
}

/** With one colour for each name. */
function named(
  structure: Structure,
  nameOf: (row: number) => readonly [text: string, color: Color] | null,
): ReturnType<typeof painter> {
  const lines = new Map<string, Color>();
  const all = Array.from({ length: structure.count }, (_, row) => {
    const found = nameOf(row) ?? OTHERS;
    if (lines.size < LINES && structure.isSolvent[row] === 0) lines.set(found[0], found[1]);
    return found[1];
  });
  const legend = [...lines].map(([text, { r, g, b }]) => ({ text, color: new Color(r, g, b).getStyle() }));
  return { paint: (row) => all[row]!, legend };
}

const OTHERS = ["others", GREY] as const;

/** From red over white to blue: of charges about 0, of others about their middle. */
function ofNumbers(scheme: "charge" | "b-factor", numbers: ArrayLike<number> | null): ReturnType<typeof painter> {
  if (numbers === null)
    return { paint: () => GREY, legend: [{ text: `no ${scheme} is recorded`, color: GREY.getStyle() }] };
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < numbers.length; i++) {
    if (!Number.isFinite(numbers[i])) continue;
    least = Math.min(least, numbers[i]!);
    most = Math.max(most, numbers[i]!);
  }
  if (scheme === "charge") {
    most = Math.max(Math.abs(least), Math.abs(most));
    least = -most;
  }
  // Large B are red, and so are negative charges.
  const [from, to] = scheme === "charge" ? [LOW, HIGH] : [HIGH, LOW];
  const shade = (value: number, out: Color): Color => {
    const part = most > least ? (value - least) / (most - least) : 0.5;
    if (!(part >= 0)) return out.copy(GREY);
    return part < 0.5 ? out.lerpColors(from, MIDDLE, 2 * part) : out.lerpColors(MIDDLE, to, 2 * part - 1);
  };
  const legend = [least, (least + most) / 2, most].map((value) => ({
    text: value.toPrecision(3),
    color: shade(value, new Color()).getStyle(),
  }));
  const own = new Color();
  return { paint: (row) => shade(numbers[row] ?? Number.NaN, own), legend };
}
