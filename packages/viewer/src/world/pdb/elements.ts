/** Symbols in the order of atomic numbers, from hydrogen on (IUPAC), in capital letters as a PDB has them. */
const SYMBOLS = (
  "H HE LI BE B C N O F NE NA MG AL SI P S CL AR K CA SC TI V CR MN FE CO NI CU ZN GA GE AS SE BR KR RB SR Y ZR NB MO " +
  "TC RU RH PD AG CD IN SN SB TE I XE CS BA LA CE PR ND PM SM EU GD TB DY HO ER TM YB LU HF TA W RE OS IR PT AU HG TL " +
  "PB BI PO AT RN FR RA AC TH PA U NP PU AM CM BK CF ES FM MD NO LR RF DB SG BH HS MT DS RG CN NH FL MC LV TS OG"
).split(" ");

/** Atomic number of a symbol, in letters of any size; 0: there is no such element. */
export function atomicNumber(symbol: string): number {
  const wanted = symbol.toUpperCase();
  // deuterium
  return wanted === "D" ? 1 : SYMBOLS.indexOf(wanted) + 1;
}
