import type { ReactNode } from "react";
import { sizeText } from "../../size.ts";
import { at } from "../api.ts";
import { momentText } from "../dates.ts";
import { Link } from "../route.tsx";
import { useList } from "./use-list.ts";

/** Between two looks, milliseconds. */
const LOOK_EVERY = 5000;
/** Of a disk: less room than that is said in red. */
const LITTLE = 0.1;

/** What the server does now, in words. */
export function Overview() {
  const { list, failure } = useList("GET /api/overview", LOOK_EVERY);
  if (list === null) return failure === null ? null : <Wrong>{failure}</Wrong>;
  const { recordings, bytes, live, rooms, viewers, jobs, oldest, reviews, disks, memory, seconds } = list;
  const { indexed = 0, new: unread = 0, failed = 0 } = recordings;
  const { waiting = 0, running = 0, failed: wrongJobs = 0 } = jobs;
  return (
    <>
      {failure !== null && <Wrong>{failure}</Wrong>}
      <dl className="overview">
        <Fact title="Recordings">
          {many(indexed + unread + failed + live, "recording")}, {sizeText(bytes)}
          {unread > 0 && <>, {unread} not indexed yet</>}
          {failed > 0 && <Bad>, {failed} that cannot be read</Bad>}
        </Fact>
        <Fact title="Live">
          {live === 0 ? "nothing is being recorded" : `${many(live, "recording")} being made now`}
        </Fact>
        <Fact title="Rooms">
          {many(rooms, "room")}, {many(viewers, "viewer")} by way of this node
        </Fact>
        <Fact title="Jobs">
          <Link href={`${at("admin")}?part=jobs`}>
            {running} running, {waiting} waiting
          </Link>
          {wrongJobs > 0 && <Bad>, {wrongJobs} failed</Bad>}
          {oldest !== null && <>; the first of them could have begun {momentText(oldest)}</>}
        </Fact>
        <Fact title="Reviews">
          <Link href={at("reviews")}>{many(reviews, "report")} without a verdict</Link>
        </Fact>
        {disks.map(({ what, free, bytes: size }) => (
          <Fact key={what} title={`Disk of the ${what}`}>
            {free < size * LITTLE ? (
              <Bad>
                {sizeText(free)} of {sizeText(size)} free
              </Bad>
            ) : (
              `${sizeText(free)} of ${sizeText(size)} free`
            )}
          </Fact>
        ))}
        <Fact title="This node">
          {sizeText(memory)} of memory, running for {durationText(seconds)}
        </Fact>
      </dl>
    </>
  );
}

function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Wrong({ children }: { readonly children: ReactNode }) {
  return (
    <p role="alert" className="wrong">
      {children}
    </p>
  );
}

function Bad({ children }: { readonly children: ReactNode }) {
  return <span className="wrong">{children}</span>;
}

function many(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** "2 d 3 h", "5 min" */
function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return `${seconds} s`;
  if (hours < 1) return `${minutes} min`;
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
