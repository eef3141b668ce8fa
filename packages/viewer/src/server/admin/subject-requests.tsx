import { Button } from "../../ui/button.tsx";
import { at } from "../api.ts";
import { momentText } from "../dates.ts";
import { Link } from "../route.tsx";
import { Table } from "./table.tsx";
import { useList } from "./use-list.ts";

interface Outcome {
  readonly recording: string;
  readonly did: "deleted" | "redacted" | "kept";
  readonly why: string;
  readonly isWhole: boolean;
}
interface Mention {
  readonly what: string;
  readonly id: string;
  readonly recording: string | null;
}
interface Request {
  readonly id: string;
  readonly kind: "export" | "erase";
  readonly state: "waiting" | "done" | "failed";
  readonly report: {
    readonly recordings?: number;
    readonly missing?: number;
    readonly outcomes?: readonly Outcome[];
    readonly mentions?: readonly Mention[];
    readonly isComplete?: boolean;
  } | null;
  readonly error: string | null;
  readonly made: string;
  readonly url: string | null;
}

/** Between two looks, milliseconds. */
const LOOK_EVERY = 2000;

/** Exports and erasures, with what became of them. */
export function SubjectRequests() {
  const { list, failure, change } = useList<{ readonly requests: readonly Request[] }>(
    "api/subjects/requests",
    LOOK_EVERY,
  );
  const rows = list?.requests.map((request) => ({
    key: request.id,
    cells: [
      request.kind === "export" ? "export" : "erasure",
      request.state,
      momentText(request.made),
      <Became key="became" request={request} />,
      request.state === "failed" ? (
        <Button key="retry" onClick={() => void change(`api/subjects/requests/${request.id}/retry`, "POST")}>
          Try again
        </Button>
      ) : request.url === null ? null : (
        <span key="buttons" className="form-line">
          <a className="button" href={at(request.url.slice(1))} download>
            Download
          </a>
          <Button onClick={() => void change(`api/subjects/requests/${request.id}`, "DELETE")}>Delete the copy</Button>
        </span>
      ),
    ],
  }));
  return (
    <Table
      columns={["What", "State", "Since", "What became of it", ""]}
      rows={rows ?? null}
      failure={failure}
      none="Nothing was asked for."
    />
  );
}

function Became({ request: { report, error } }: { readonly request: Request }) {
  if (error !== null) return <span className="wrong">{error}</span>;
  if (report === null) return null;
  const { outcomes, mentions = [], isComplete, recordings = 0, missing = 0 } = report;
  if (outcomes === undefined)
    return `${recordings} recordings${missing > 0 ? `; ${missing} files are no longer there` : ""}`;
  const left = outcomes.filter(({ isWhole }) => !isWhole);
  const count = (did: Outcome["did"]): number => outcomes.filter((one) => one.did === did).length;
  return (
    <>
      {count("deleted")} deleted, {count("redacted")} redacted, {count("kept")} kept
      {isComplete === true ? "." : ". Not erased, look here:"}
      {left.length + mentions.length > 0 && (
        <ul className="plain-list">
          {left.map(({ recording, why }) => (
            <li key={recording}>
              <Link href={at(`r/${recording}`)}>{recording}</Link>: {why}
            </li>
          ))}
          {mentions.map(({ what, id, recording }) => (
            <li key={`${what} ${id}`}>
              {what} {recording === null ? id : <Link href={at(`r/${recording}`)}>{id}</Link>}: others have written of
              them
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
