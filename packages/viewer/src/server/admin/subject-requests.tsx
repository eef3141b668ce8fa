import type { AnswerOf } from "simtape-client";
import { Button } from "../../ui/button.tsx";
import { at } from "../api.ts";
import { momentText } from "../dates.ts";
import { Link } from "../route.tsx";
import { Table } from "./table.tsx";
import { useList } from "./use-list.ts";

type Request = AnswerOf<"GET /api/subjects/requests">["requests"][number];

/** Between two looks, milliseconds. */
const LOOK_EVERY = 2000;

/** Exports and erasures, with what became of them. */
export function SubjectRequests() {
  const { list, failure, change } = useList("GET /api/subjects/requests", LOOK_EVERY);
  const rows = list?.requests.map((request) => ({
    key: request.id,
    cells: [
      request.kind === "export" ? "export" : "erasure",
      request.state,
      momentText(request.made),
      <Became key="became" request={request} />,
      request.state === "failed" ? (
        <Button
          key="retry"
          onClick={() =>
            void change("POST /api/subjects/requests/{request}/retry", { params: { request: request.id } })
          }
        >
          Try again
        </Button>
      ) : request.url === null ? null : (
        <span key="buttons" className="form-line">
          <a className="button" href={at(request.url.slice(1))} download>
            Download
          </a>
          <Button
            onClick={() => void change("DELETE /api/subjects/requests/{request}", { params: { request: request.id } })}
          >
            Delete the copy
          </Button>
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
  if (!("outcomes" in report)) {
    const { recordings, missing } = report;
    return `${recordings} recordings${missing > 0 ? `; ${missing} files are no longer there` : ""}`;
  }
  const { outcomes, remains = [], isComplete } = report;
  const left = outcomes.filter(({ isWhole }) => !isWhole);
  const rows = remains.filter(({ recording }) => !left.some((one) => one.recording === recording));
  const count = (did: (typeof outcomes)[number]["did"]): number => outcomes.filter((one) => one.did === did).length;
  return (
    <>
      {count("deleted")} deleted, {count("redacted")} redacted, {count("kept")} kept
      {isComplete === true ? "." : ". Not erased, look here:"}
      {left.length + rows.length > 0 && (
        <ul className="plain-list">
          {left.map(({ recording, why }) => (
            <li key={recording}>
              <Link href={at(`r/${recording}`)}>{recording}</Link>: {why}
            </li>
          ))}
          {rows.map(({ where, id, why, next }) => (
            <li key={`${where} ${id}`}>
              {where} {id}: {why}. {next}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
