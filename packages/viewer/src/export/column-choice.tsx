import { useEffect, useState } from "react";
import { useSession } from "../hooks.ts";
import type { ExportColumn, ExportFits } from "../protocol.ts";
import { Button } from "../ui/button.tsx";

/** Columns that go together: `position` has `position.x` and those beside it. */
interface Group {
  readonly name: string;
  /** What is said of it: its parts and its unit. */
  readonly about: string;
}

/** The columns of a set or channel, to be ticked. They are asked for when they are wanted first. */
export function ColumnChoice({
  recording,
  of,
  isWanted,
  chosen,
  onChoose,
}: {
  readonly recording: number;
  readonly of: ExportFits;
  readonly isWanted: boolean;
  /** Names of groups; null: all. */
  readonly chosen: readonly string[] | null;
  readonly onChoose: (chosen: readonly string[] | null) => void;
}) {
  const { groups, failure } = useGroups(recording, of, isWanted);
  if (failure !== null)
    return (
      <p role="alert" className="start-failure">
        {failure}
      </p>
    );
  if (groups === null) return <p role="status">Reading which columns there are …</p>;
  const all = groups.map(({ name }) => name);
  const ticked = new Set(chosen ?? all);
  const tick = (name: string, isTicked: boolean): void => {
    const next = all.filter((each) => (each === name ? isTicked : ticked.has(each)));
    onChoose(next.length === all.length ? null : next);
  };
  return (
    <fieldset className="export-columns">
      <legend>Columns</legend>
      <div className="export-column-list">
        {groups.map(({ name, about }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={ticked.has(name)}
              onChange={(event) => tick(name, event.currentTarget.checked)}
            />{" "}
            {name} <span className="faint">{about}</span>
          </label>
        ))}
      </div>
      {chosen?.length === 0 && <p className="export-wrong">Tick at least one column.</p>}
      <div className="row">
        <Button onClick={() => onChoose(null)}>All</Button>
        <Button onClick={() => onChoose([])}>None</Button>
      </div>
    </fieldset>
  );
}

function useGroups(
  recording: number,
  { kind, name }: ExportFits,
  isWanted: boolean,
): { readonly groups: readonly Group[] | null; readonly failure: string | null } {
  const session = useSession();
  const [groups, setGroups] = useState<readonly Group[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    setGroups(null);
    setFailure(null);
    if (!isWanted) return;
    const controller = new AbortController();
    session
      .query("columns", { recording, of: { kind, name } }, { signal: controller.signal })
      .then((columns) => setGroups(groupsOf(columns)))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
      });
    return () => controller.abort();
  }, [session, recording, kind, name, isWanted]);
  return { groups, failure };
}

/** Columns with the same name before the first point are one group. */
function groupsOf(columns: readonly ExportColumn[]): readonly Group[] {
  const groups = new Map<string, ExportColumn[]>();
  for (const column of columns) {
    const [name] = column.name.split(".", 1) as [string];
    groups.set(name, [...(groups.get(name) ?? []), column]);
  }
  return [...groups].map(([name, members]) => {
    const parts = members.map((member) => member.name.slice(name.length + 1)).filter((part) => part !== "");
    const units = new Set(members.map(({ unit }) => unit));
    const [unit] = units;
    const unitText = units.size === 1 && unit != null ? `[${unit}]` : "";
    return { name, about: [shortened(parts), unitText].filter((text) => text !== "").join(" ") };
  });
}

function shortened(parts: readonly string[]): string {
  return parts.length <= 4 ? parts.join(", ") : `${parts.slice(0, 3).join(", ")} and ${parts.length - 3} more`;
}
