import type { ReactNode } from "react";
import { useObservable } from "../hooks.ts";
import { choose, scheme } from "../theme.ts";
import { Button } from "../ui/button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { ask, at } from "./api.ts";
import { Bell } from "./bell.tsx";
import { useMe } from "./me.tsx";
import { go, Link, useRoute } from "./route.tsx";
import { hasRole, type Role } from "./shapes.ts";
import { useUnread } from "./unread.ts";

const PAGES: readonly { readonly path: string; readonly title: string; readonly role: Role }[] = [
  { path: "", title: "Library", role: "viewer" },
  { path: "reviews", title: "Reviews", role: "staff" },
  { path: "sql", title: "SQL", role: "staff" },
  { path: "admin", title: "Administration", role: "staff" },
];

/** Above the pages that show no recording: which there are, what the page adds, and who is signed in. */
export function SiteBar({ children }: { readonly children?: ReactNode }) {
  const me = useMe();
  const { pathname } = useRoute();
  const pages = PAGES.filter(({ role }) => hasRole(me, role));
  return (
    <header className="site-bar">
      <Link className="brand" href={at("")} aria-label="simtape, to the library">
        <img src={at("icon.svg")} alt="" width={22} height={22} /> simtape
      </Link>
      <nav aria-label="Pages" className="site-pages">
        {pages.map(({ path, title }) => (
          <Link key={path} href={at(path)} aria-current={pathname === at(path) ? "page" : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      <div className="site-bar-middle">{children}</div>
      {hasRole(me, "viewer") && <AlertsLink />}
      <SchemeButton />
      {me.via !== "open" && (
        <Menu label={me.name}>
          <MenuItem onSelect={() => go(at("account"))}>Your account</MenuItem>
          <MenuItem onSelect={() => void signOut()}>Sign out</MenuItem>
        </Menu>
      )}
    </header>
  );
}

function AlertsLink() {
  const count = useUnread() ?? 0;
  const { pathname } = useRoute();
  const name = count === 0 ? "Alerts" : `Alerts, ${count.toLocaleString()} unread`;
  return (
    <Link
      className="button button-bare alerts-link"
      href={at("alerts")}
      aria-label={name}
      title={name}
      aria-current={pathname === at("alerts") ? "page" : undefined}
    >
      <Bell isFilled={count > 0} />
      {count > 0 && <span className="alerts-count">{count > 99 ? "99+" : count}</span>}
    </Link>
  );
}

function SchemeButton() {
  const shown = useObservable(scheme, (value) => value);
  const next = shown === "dark" ? "light" : "dark";
  return (
    <Button kind="bare" label={next === "dark" ? "Dark colours" : "Light colours"} onClick={() => choose(next)}>
      {next === "dark" ? "☾" : "☀"}
    </Button>
  );
}

async function signOut(): Promise<void> {
  await ask("DELETE /api/session").catch(() => undefined);
  location.assign(at(""));
}
