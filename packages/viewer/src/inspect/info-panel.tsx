import "../ui/findings.css";
import "./inspect.css";
import type { Finding } from "simtape";
import { useEffect, useState } from "react";
import { preview } from "../engine/preview.ts";
import { useObservable, useSession, useViewer } from "../hooks.ts";
import { useWorld } from "../scene/surroundings/use-world.ts";
import { clock } from "../time.ts";
import type { CompanionKind, Scenery } from "../world/companion.ts";

/** What the recording is, what its file says of itself, and what was found wrong with it. */
export function InfoPanel() {
  const session = useSession();
  const opened = useViewer(({ decks }) => decks[0]?.opened);
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  useEffect(() => {
    if (opened === undefined) return;
    const controller = new AbortController();
    session
      .query("findings", { recording: opened.recording }, { signal: controller.signal })
      .then(setFindings)
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, opened]);
  const world = useWorld();
  const companions = useObservable(session.companions, (all) => all);
  const problems = useObservable(session.blockProblems, (all) => all);
  if (opened === undefined) return null;
  const { info, timeline } = opened;
  const ofCompanions = companions.flatMap(({ name, scenery }) =>
    scenery.findings.map((finding) => ({ ...finding, message: `${name}: ${finding.message}` })),
  );
  const ofBlocks = problems.map((message) => ({ severity: "damage", code: "chunk", message }) as const);
  const facts: (readonly [string, string])[] = [
    ["format", `${info.format} ${info.version}`],
    ["length", clock(timeline.end - timeline.start)],
    ...(timeline.tick === null ? [] : [[`${timeline.tick.name}s`, timeline.tick.count.toLocaleString("en")] as const]),
    ...(info.bytes === null ? [] : [["bytes", info.bytes.toLocaleString("en")] as const]),
    ...(world === null
      ? []
      : [
          [
            "world",
            world.base === null ? "not found beside the recording" : "found beside the recording, shown in the scene",
          ] as const,
        ]),
    ...companions.flatMap(({ name, kind, scenery }) => [
      ["world", `${name}, a ${kind.name}, ${sightOf(kind, scenery)}`] as const,
      ...scenery.facts,
    ]),
    ...Object.entries(info.metadata).map(([name, value]) => [name, preview(value, 400)] as const),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <div className="panel-scroll" tabIndex={0}>
      <ul className="findings" aria-label="Findings">
        {findings.length + ofCompanions.length + ofBlocks.length === 0 && <li className="finding-none">no findings</li>}
        {[...findings, ...ofCompanions, ...ofBlocks].map((finding) => (
          <FindingRow
            key={`${finding.code} ${"offset" in finding ? finding.offset : ""} ${finding.message}`}
            finding={finding}
          />
        ))}
      </ul>
      <dl className="facts">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** A finding; a click goes to its time, and shows its bytes. */
function FindingRow({
  finding: { severity, message, offset, length, time },
}: {
  readonly finding: Pick<Finding, "severity" | "message" | "offset" | "length" | "time">;
}) {
  const session = useSession();
  const where = [
    ...(time === undefined ? [] : [`at ${clock(time)}`]),
    ...(offset === undefined ? [] : [`byte ${offset.toLocaleString("en")}`]),
    ...(length === undefined ? [] : [`${length.toLocaleString("en")} bytes`]),
  ];
  const go = (): void => {
    if (time !== undefined) void session.seek(time);
    if (offset === undefined) return;
    session.select({ kind: "byte", offset });
    session.showPanel("bytes");
  };
  const text = (
    <>
      <b>{severity}</b> {message} <span className="finding-where">{where.join(", ")}</span>
    </>
  );
  return (
    <li className={`finding finding-${severity}`}>
      {time === undefined && offset === undefined ? (
        text
      ) : (
        <button
          type="button"
          className="finding-go"
          title={offset === undefined ? "Go there" : "Show its bytes"}
          onClick={go}
        >
          {text}
        </button>
      )}
    </li>
  );
}

function sightOf(
  { whole, stream }: CompanionKind,
  { parts, bodies, models, robots, molecules, skins }: Scenery,
): string {
  if (whole === null && stream === undefined) return "shown around what is looked at";
  if (skins !== undefined) return "shown on blocks";
  return [parts, bodies, models, robots, molecules].some((list) => list?.length) ? "shown in the scene" : "not shown";
}
