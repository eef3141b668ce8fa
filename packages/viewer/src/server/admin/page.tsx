import "../reviews/reviews.css";
import "./admin.css";
import { type ReactNode, useEffect } from "react";
import { at } from "../api.ts";
import { useMe } from "../me.tsx";
import { Link, useRoute } from "../route.tsx";
import { hasRole, type Role } from "../shapes.ts";
import { SiteBar } from "../site-bar.tsx";
import { Audit } from "./audit.tsx";
import { Collections } from "./collections.tsx";
import { Jobs } from "./jobs.tsx";
import { Overview } from "./overview.tsx";
import { People } from "./people.tsx";
import { Retention } from "./retention.tsx";
import { Subjects } from "./subjects.tsx";
import { Tokens } from "./tokens.tsx";

const PARTS: readonly {
  readonly id: string;
  readonly title: string;
  readonly role: Role;
  readonly show: () => ReactNode;
}[] = [
  { id: "overview", title: "Overview", role: "staff", show: () => <Overview /> },
  { id: "people", title: "People", role: "admin", show: () => <People /> },
  { id: "tokens", title: "Tokens", role: "staff", show: () => <Tokens /> },
  { id: "collections", title: "Collections", role: "staff", show: () => <Collections /> },
  { id: "jobs", title: "Jobs", role: "staff", show: () => <Jobs /> },
  { id: "retention", title: "Retention", role: "staff", show: () => <Retention /> },
  { id: "subjects", title: "Subjects", role: "admin", show: () => <Subjects /> },
  { id: "audit", title: "Audit", role: "staff", show: () => <Audit /> },
];

/** What those look after who run the server: as much of it as one's role may. */
export function AdminPage() {
  const me = useMe();
  const { searchParams } = useRoute();
  const parts = PARTS.filter(({ role }) => hasRole(me, role));
  const shown = parts.find(({ id }) => id === searchParams.get("part")) ?? parts[0];
  useEffect(() => {
    document.title = "Administration · simtape";
  }, []);
  return (
    <>
      <SiteBar />
      <main className="reviews admin">
        <nav className="site-pages" aria-label="Parts">
          {parts.map(({ id, title }) => (
            <Link key={id} href={`${at("admin")}?part=${id}`} aria-current={id === shown?.id ? "page" : undefined}>
              {title}
            </Link>
          ))}
        </nav>
        {shown === undefined ? <p className="site-empty">Nothing here is for you.</p> : shown.show()}
      </main>
    </>
  );
}
