import type { AnswerOf, AskedOf } from "simtape-client";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ask, at, messageOf } from "../api.ts";
import { momentText } from "../dates.ts";
import { Link } from "../route.tsx";
import { Table } from "./table.tsx";
import { useList } from "./use-list.ts";

type Lines = AnswerOf<"GET /api/audit">;
type Query = NonNullable<AskedOf<"GET /api/audit">["query"]>;

/** Who did what, the newest first. */
export function Audit() {
  const [who, setWho] = useState("");
  const [about, setAbout] = useState("");
  const [action, setAction] = useState("");
  const [recording, setRecording] = useState("");
  const [from, setFrom] = useState("");
  const [until, setUntil] = useState("");
  const [search, setSearch] = useState<Query>({});
  const words = new URLSearchParams(search as Readonly<Record<string, string>>).toString();
  return (
    <>
      <form
        className="reviews-head"
        onSubmit={(event) => {
          event.preventDefault();
          const range = { from: instantOf(from), until: instantOf(until) };
          const asked = Object.entries({ who, about, action, recording, ...range })
            .map(([key, value]) => [key, value.trim()])
            .filter(([, value]) => value !== "");
          setSearch(Object.fromEntries(asked) as Query);
        }}
      >
        <label>
          Who <input className="field" value={who} onChange={(event) => setWho(event.currentTarget.value)} />
        </label>
        <label>
          did what <input className="field" value={action} onChange={(event) => setAction(event.currentTarget.value)} />
        </label>
        <label>
          about{" "}
          <input
            className="field"
            placeholder="name of a person"
            value={about}
            onChange={(event) => setAbout(event.currentTarget.value)}
          />
        </label>
        <label>
          with{" "}
          <input
            className="field"
            placeholder="id of a recording"
            value={recording}
            onChange={(event) => setRecording(event.currentTarget.value)}
          />
        </label>
        <MomentField title="from" value={from} onChange={setFrom} />
        <MomentField title="until" value={until} onChange={setUntil} />
        <Button type="submit">Search</Button>
        <a className="button" href={at(`api/audit.csv?${words}`)} download>
          Download as CSV
        </a>
      </form>
      <Found key={words} search={search} />
    </>
  );
}

function MomentField({
  title,
  value,
  onChange,
}: {
  readonly title: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <label>
      {title}{" "}
      <input
        className="field"
        type="datetime-local"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

/** What is typed is of the clock here. */
function instantOf(local: string): string {
  return local === "" ? "" : new Date(local).toISOString();
}

function Found({ search }: { readonly search: Query }) {
  const query = { limit: 100, ...search };
  const { list, failure } = useList("GET /api/audit", null, { query });
  const [more, setMore] = useState<Lines | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const cursor = more === null ? (list?.cursor ?? null) : more.cursor;
  const next = async (): Promise<void> => {
    try {
      const page = await ask("GET /api/audit", { query: { ...query, cursor: cursor! } });
      setMore({ lines: [...(more?.lines ?? []), ...page.lines], cursor: page.cursor });
    } catch (error) {
      setWrong(messageOf(error));
    }
  };
  const lines = list === null ? null : [...list.lines, ...(more?.lines ?? [])];
  const rows = lines?.map(({ id, at: time, who, name, action, recording, address, details }) => ({
    key: String(id),
    cells: [
      momentText(time),
      name ?? who ?? "not signed in",
      action,
      recording === null ? (
        ""
      ) : (
        <Link key="recording" href={at(`r/${recording}`)}>
          {recording}
        </Link>
      ),
      address ?? "",
      <small key="details">{textOf(details)}</small>,
    ],
  }));
  return (
    <>
      <Table
        columns={["When", "Who", "Did what", "With", "From", "More"]}
        rows={rows ?? null}
        failure={wrong ?? failure}
        none="Nothing was done that fits."
      />
      {cursor !== null && <Button onClick={() => void next()}>Earlier</Button>}
    </>
  );
}

function textOf(details: unknown): string {
  if (typeof details !== "object" || details === null) return "";
  return Object.entries(details)
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
