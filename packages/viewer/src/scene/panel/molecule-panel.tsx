import "./molecule-panel.css";
import { useEffect, useState } from "react";
import type { Thing } from "../../subject.ts";
import type { MoleculeFacts } from "../presenters/molecules/facts.ts";
import {
  type MoleculeColor,
  type MoleculePart,
  type MoleculeSettings,
  type MoleculeStyle,
  PARTS,
  STYLES,
} from "../presenters/molecules/settings.ts";
import { BACKBONE, C4, CA, NONE, type Structure } from "../presenters/molecules/structure.ts";
import type { SceneView } from "../scene-view.ts";

const COLORS: readonly (readonly [MoleculeColor, string])[] = [
  ["auto", "as usual"],
  ["element", "element"],
  ["chain", "chain"],
  ["residue", "residue"],
  ["secondary", "secondary structure"],
  ["charge", "charge"],
  ["b-factor", "B-factor"],
];
/** Residues in the list at most. */
const LISTED = 2000;
/** Between two looks at what is known of the molecules, milliseconds. */
const EVERY = 500;

/** Beside the scene: how molecules are drawn, what their colours mean, and their chains and residues. */
export function MoleculePanel({
  view,
  settings,
  subject,
  onChange,
  onSelect,
}: {
  readonly view: SceneView;
  readonly settings: MoleculeSettings;
  /** What is chosen. */
  readonly subject: Thing | null;
  readonly onChange: (changes: MoleculeSettings) => void;
  readonly onSelect: (thing: Thing) => void;
}) {
  const facts = useFacts(view, settings);
  if (facts === null) return null;
  const { structure } = facts;
  const part = settings.part ?? "atom";
  const row = subject?.set === "particles" ? Number(subject.id) : -1;
  const residue = structure.residueOf[row] ?? NONE;
  const choose = (atom: number, chosen: MoleculePart): void => {
    onChange({ part: chosen });
    onSelect({ set: "particles", id: atom });
  };
  return (
    <aside className="molecules" aria-label="Molecules">
      <label>
        <span>Style</span>
        <select
          className="field"
          value={settings.style ?? "auto"}
          onChange={({ currentTarget: { value } }) => onChange({ style: value as MoleculeStyle })}
        >
          <option value="auto">{`as usual: ${facts.style}`}</option>
          {STYLES.map((style) => (
            <option key={style}>{style}</option>
          ))}
        </select>
      </label>
      <label>
        <span>Colours</span>
        <select
          className="field"
          value={settings.color ?? "auto"}
          onChange={({ currentTarget: { value } }) => onChange({ color: value as MoleculeColor })}
        >
          {COLORS.map(([color, text]) => (
            <option key={color} value={color}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <ul className="molecules-legend" aria-label={`Colours by ${facts.color}`}>
        {facts.legend.map(({ text, color }) => (
          <li key={text}>
            <span style={{ background: color }} aria-hidden="true" />
            {text}
          </li>
        ))}
        {facts.force > 0 && (
          <li>
            <span className="molecules-force" aria-hidden="true" />
            {`force, up to ${facts.force.toFixed(0)} kJ/mol/nm`}
          </li>
        )}
      </ul>
      {structure.solvent.atoms > 0 && (
        <label className="molecules-switch">
          <input
            type="checkbox"
            checked={settings.solvent === true}
            onChange={({ currentTarget: { checked } }) => onChange({ solvent: checked })}
          />
          {`Solvent: ${structure.solvent.molecules} molecules`}
        </label>
      )}
      <label>
        <span>Choose</span>
        <select
          className="field"
          value={part}
          onChange={({ currentTarget: { value } }) => onChange({ part: value as MoleculePart })}
        >
          {PARTS.map((one) => (
            <option key={one} value={one}>
              {one === "atom" ? "atoms" : `whole ${one}s`}
            </option>
          ))}
        </select>
      </label>
      {structure.residues > 0 && (
        <select
          className="field molecules-list"
          size={8}
          aria-label="Chains and residues"
          value={residue === NONE ? "" : part === "chain" ? `c${structure.chainOf[residue]}` : `r${residue}`}
          onChange={({ currentTarget: { value } }) => {
            const index = Number(value.slice(1));
            const of = value.startsWith("c") ? structure.chainOf.indexOf(index) : index;
            choose(middleOf(structure, of), value.startsWith("c") ? "chain" : "residue");
          }}
        >
          {listed(structure).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </aside>
  );
}

/** What is known now: colours of secondary structure become others while it plays. */
function useFacts(view: SceneView, settings: MoleculeSettings): MoleculeFacts | null {
  const [facts, setFacts] = useState<MoleculeFacts | null>(view.facts);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at again when something was chosen
  useEffect(() => {
    let before = "";
    const look = (): void => {
      const now = view.facts;
      const key = JSON.stringify([now?.style, now?.color, now?.legend, now?.force.toFixed(0), now?.structure.count]);
      if (key === before) return;
      before = key;
      setFacts(now);
    };
    look();
    const timer = setInterval(look, EVERY);
    return () => clearInterval(timer);
  }, [view, settings]);
  return facts;
}

/** Chains, each with its residues; solvent is left out. */
function listed(structure: Structure): (readonly [value: string, text: string])[] {
  const lines: (readonly [string, string])[] = [];
  let chain = -1;
  for (let residue = 0; residue < structure.residues && lines.length < LISTED; residue++) {
    const first = structure.firstOf[residue]!;
    if (first === NONE || structure.isSolvent[first] === 1) continue;
    if (structure.chainOf[residue] !== chain) {
      chain = structure.chainOf[residue]!;
      const value = `c${chain}`;
      if (!lines.some(([known]) => known === value))
        lines.push([value, `Chain ${structure.chainNames[chain] ?? chain + 1}`]);
    }
    lines.push([`r${residue}`, `\u2003${structure.residueLabel(residue) || `residue ${residue + 1}`}`]);
  }
  return lines;
}

/** The atom that stands for a residue. */
function middleOf({ backbone, firstOf }: Structure, residue: number): number {
  const at = BACKBONE * residue;
  return [backbone[at + CA]!, backbone[at + C4]!, firstOf[residue]!].find((atom) => atom !== NONE) ?? 0;
}
