import "../../ui/findings.css";
import { useState } from "react";
import { useSession } from "../../hooks.ts";
import { sizeText } from "../../size.ts";
import { clock } from "../../time.ts";
import { Button } from "../../ui/button.tsx";
import { ask, at, messageOf } from "../api.ts";
import { momentText } from "../dates.ts";
import { useMe } from "../me.tsx";
import { Link } from "../route.tsx";
import { type Details, hasRole } from "../shapes.ts";
import { CollectionChoice } from "./collection-choice.tsx";
import { NoteList } from "./note-list.tsx";
import type { Notes } from "./use-notes.ts";
import { WorldFiles } from "./world-files.tsx";

/** Things and kinds of events that are named; of the others there is a number. */
const MOST = 24;

/** What the server knows of a recording, what users have said of it, and its files. */
export function DetailsPanel({
  details,
  notes,
  onChange,
  onClose,
}: {
  readonly details: Details;
  readonly notes: Notes;
  readonly onChange: () => void;
  readonly onClose: () => void;
}) {
  const { format, seconds, started, added, bytes, summary, files, findingList, entities, events, owner } = details;
  const who = [...new Set(entities.flatMap(({ label, name }) => (label === "" || label === name ? [] : [label])))];
  const me = useMe();
  const folder = details.url.slice(0, details.url.lastIndexOf("/") + 1);
  return (
    <aside className="side" aria-label="Details">
      <div className="side-head">
        <h2>Details</h2>
        <span className="spring" />
        <Button kind="bare" label="Close the details" onClick={onClose}>
          ✕
        </Button>
      </div>
      <p className="side-summary">{summary}</p>
      <dl className="facts">
        <Fact name="Format">{format === null ? null : (FORMAT_TITLES[format] ?? format)}</Fact>
        <Fact name="Length">{seconds === null ? null : clock(seconds * 1e9, 1)}</Fact>
        <Fact name="Recorded">{started === null ? null : momentText(started)}</Fact>
        <Fact name="Added">{momentText(added)}</Fact>
        <Fact name="Size">{sizeText(bytes)}</Fact>
        <Fact name="Owner">{owner}</Fact>
      </dl>
      <h3>Tags</h3>
      <Tags details={details} onChange={onChange} />
      {hasRole(me, "staff") && <CollectionChoice details={details} onChange={onChange} />}
      {notes.list !== null && <NoteList notes={notes} />}
      {findingList.length > 0 && (
        <>
          <h3>Findings</h3>
          <ul className="findings">
            {findingList.map(({ code, severity, message }) => (
              <li key={code + message} className={`finding finding-${severity}`}>
                <b>{severity}</b> {message}
              </li>
            ))}
          </ul>
        </>
      )}
      <Names title="In it" names={who} to={(name) => at(`?q=${encodeURIComponent(`"${name}"`)}`)} />
      <Names
        title="Events"
        names={events.map(({ kind }) => kind)}
        text={(kind) => {
          const event = events.find((one) => one.kind === kind)!;
          return `${event.title} ${event.count.toLocaleString()}`;
        }}
        to={(kind) => at(`?event=${encodeURIComponent(kind)}`)}
      />
      <h3>Files</h3>
      <ul className="side-files">
        {files.map((file) => (
          <li key={file.name}>
            <a href={folder + encodeURIComponent(file.name)} download={file.name}>
              {file.name}
            </a>{" "}
            <span className="faint">{sizeText(file.bytes)}</span>
          </li>
        ))}
      </ul>
      <WorldFiles details={details} onChange={onChange} />
    </aside>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: string | null }) {
  if (children === null || children === "") return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Each leads to the recordings that have it, too. */
function Names({
  title,
  names,
  text = (name) => name,
  to,
}: {
  readonly title: string;
  readonly names: readonly string[];
  readonly text?: (name: string) => string;
  readonly to: (name: string) => string;
}) {
  if (names.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <p className="side-names">
        {names.slice(0, MOST).map((name) => (
          <Link key={name} className="tag" href={to(name)}>
            {text(name)}
          </Link>
        ))}
        {names.length > MOST && <span className="faint">and {(names.length - MOST).toLocaleString()} more</span>}
      </p>
    </>
  );
}

/** Words by which users find it again. */
function Tags({ details: { id, tags }, onChange }: { readonly details: Details; readonly onChange: () => void }) {
  const session = useSession();
  const [draft, setDraft] = useState("");
  const keep = (next: readonly string[]): void => {
    ask("PUT /api/recordings/{id}/tags", { params: { id }, body: { tags: next } })
      .then(onChange)
      .catch((error: unknown) => session.tell(messageOf(error)));
  };
  return (
    <form
      className="side-names"
      onSubmit={(event) => {
        event.preventDefault();
        keep([...new Set([...tags, draft.trim()])]);
        setDraft("");
      }}
    >
      {tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}{" "}
          <button
            type="button"
            aria-label={`Remove the tag ${tag}`}
            onClick={() => keep(tags.filter((one) => one !== tag))}
          >
            ✕
          </button>
        </span>
      ))}
      <input
        className="field side-tag"
        aria-label="A new tag"
        placeholder="Add a tag"
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
      />
      {draft.trim() !== "" && <Button type="submit">Add</Button>}
    </form>
  );
}
