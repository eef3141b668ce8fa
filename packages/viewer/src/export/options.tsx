import { type ReactNode, useId, useState } from "react";
import type { TargetOption } from "simtape";
import { useViewer } from "../hooks.ts";
import type { ExportAxes, ExportFits } from "../protocol.ts";
import { Button } from "../ui/button.tsx";
import { ColumnChoice } from "./column-choice.tsx";

/** What is chosen of an export besides what it is of, and when. */
export interface Chosen {
  /** Null: all of them. */
  readonly columns: readonly string[] | null;
  /** As typed. */
  readonly ids: string;
  /** Null: as recorded. */
  readonly axes: ExportAxes | null;
  readonly units: boolean;
  readonly time: "ns" | "s";
  /** Whether the files of the recording are carried inside; null: they are with a whole one, unless they are large. */
  readonly original: boolean | null;
}

export const ALL_OF_IT: Chosen = { columns: null, ids: "", axes: null, units: true, time: "s", original: null };

const AXES: readonly { readonly axes: ExportAxes; readonly name: string }[] = [
  { axes: ["right", "z"], name: "right-handed, z up: ROS, most robots" },
  { axes: ["right", "y"], name: "right-handed, y up: three.js, Maya" },
  { axes: ["left", "z"], name: "left-handed, z up: Unreal" },
  { axes: ["left", "y"], name: "left-handed, y up: Unity" },
];

/** Options that the target has a use for; nothing, where it has none. */
export function Options({
  recording,
  takes,
  of,
  isWhole,
  chosen,
  isDisabled,
  onChoose,
}: {
  readonly recording: number;
  readonly takes: readonly TargetOption[];
  /** Null: all that fits. */
  readonly of: ExportFits | null;
  /** All of the recording, for its whole time. */
  readonly isWhole: boolean;
  readonly chosen: Chosen;
  readonly isDisabled: boolean;
  readonly onChoose: (chosen: Chosen) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const choose = (some: Partial<Chosen>): void => onChoose({ ...chosen, ...some });
  const isSet = of?.kind !== "channel";
  const parts: { readonly name: string; readonly field: ReactNode }[] = [];
  if (takes.includes("columns") && of !== null)
    parts.push({
      name: "columns",
      field: (
        <ColumnChoice
          key="columns"
          recording={recording}
          of={of}
          isWanted={isOpen}
          chosen={chosen.columns}
          onChoose={(columns) => choose({ columns })}
        />
      ),
    });
  if (takes.includes("ids") && isSet)
    parts.push({
      name: "things",
      field: <Things key="things" of={of} ids={chosen.ids} onChoose={(ids) => choose({ ids })} />,
    });
  if (takes.includes("axes") && isSet)
    parts.push({
      name: "axes",
      field: (
        <div key="axes" className="export-line">
          <label htmlFor={`${id}-axes`}>Axes</label>
          <select
            id={`${id}-axes`}
            className="field"
            value={AXES.findIndex(({ axes }) => axes === chosen.axes)}
            onChange={(event) => choose({ axes: AXES[Number(event.currentTarget.value)]?.axes ?? null })}
          >
            <option value={-1}>as recorded</option>
            {AXES.map(({ name }, i) => (
              <option key={name} value={i}>
                {name}
              </option>
            ))}
          </select>
        </div>
      ),
    });
  if (takes.includes("time"))
    parts.push({
      name: "units",
      field: (
        <div key="units" className="export-line">
          <label htmlFor={`${id}-time`}>Times in</label>
          <span className="export-pair">
            <select
              id={`${id}-time`}
              className="field"
              value={chosen.time}
              onChange={(event) => choose({ time: event.currentTarget.value === "ns" ? "ns" : "s" })}
            >
              <option value="s">seconds</option>
              <option value="ns">nanoseconds</option>
            </select>
            <label>
              <input
                type="checkbox"
                checked={chosen.units}
                onChange={(event) => choose({ units: event.currentTarget.checked })}
              />{" "}
              units in headers
            </label>
          </span>
        </div>
      ),
    });
  if (takes.includes("original"))
    parts.push({
      name: "original",
      field: (
        <label key="original">
          <input
            type="checkbox"
            checked={chosen.original ?? isWhole}
            onChange={(event) => choose({ original: event.currentTarget.checked })}
          />{" "}
          the files of the recording inside, so that it can come back byte for byte
        </label>
      ),
    });
  if (parts.length === 0) return null;
  return (
    <details className="export-more" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Options: {parts.map(({ name }) => name).join(", ")}</summary>
      <fieldset className="export-options" disabled={isDisabled} aria-label="Options">
        {parts.map(({ field }) => field)}
      </fieldset>
    </details>
  );
}

function Things({
  of,
  ids,
  onChoose,
}: {
  readonly of: ExportFits | null;
  readonly ids: string;
  readonly onChoose: (ids: string) => void;
}) {
  const selection = useViewer((state) => state.selection);
  const id = useId();
  const isOfIt = selection?.kind === "thing" && (of === null || selection.set === of.name);
  return (
    <div className="export-line">
      <label htmlFor={id}>Things</label>
      <span className="export-pair">
        <input
          id={id}
          className="field"
          placeholder="all, or ids: 24, 31"
          value={ids}
          onChange={(event) => onChoose(event.currentTarget.value)}
        />
        {isOfIt && <Button onClick={() => onChoose(String(selection.id))}>Selected</Button>}
      </span>
    </div>
  );
}
