import "./site.css";
import type { ReactNode } from "react";
import { Library } from "./library/library.tsx";
import { SignedIn } from "./me.tsx";
import { Link, useRoute } from "./route.tsx";
import { serverRoot } from "./root.ts";
import { SiteBar } from "./site-bar.tsx";
import { late } from "../ui/late.tsx";

const RecordingPage = late(async () => (await import("./recording/page.tsx")).RecordingPage);
const AccountPage = late(async () => (await import("./account.tsx")).AccountPage);
const AdminPage = late(async () => (await import("./admin/page.tsx")).AdminPage);
const ReviewsPage = late(async () => (await import("./reviews/page.tsx")).ReviewsPage);
const AlertsPage = late(async () => (await import("./alerts/page.tsx")).AlertsPage);
const SqlPage = late(async () => (await import("./sql/page.tsx")).SqlPage);
const SharedPage = late(async () => (await import("./shared/page.tsx")).SharedPage);
const RoomPage = late(async () => (await import("./room/page.tsx")).RoomPage);

/** The pages of a server, by path. What one needs is loaded when it is shown. */
export function Site() {
  const { pathname } = useRoute();
  const [kind = "", id = ""] = pathname.slice((serverRoot() ?? "/").length).split("/");
  // a link needs no account
  if (kind === "s") return <SharedPage key={id} secret={id} />;
  return <SignedIn>{pageOf(kind, id)}</SignedIn>;
}

function pageOf(kind: string, id: string): ReactNode {
  switch (kind) {
    case "":
      return <Library />;
    case "r":
      return <RecordingPage key={id} id={id} />;
    case "account":
      return <AccountPage />;
    case "admin":
      return <AdminPage />;
    case "reviews":
      return <ReviewsPage />;
    case "alerts":
      return <AlertsPage />;
    case "sql":
      return <SqlPage />;
    case "room":
      return <RoomPage key={id} id={id} />;
    default:
      return (
        <>
          <SiteBar />
          <main className="site-empty">
            <h1>Nothing is at this address.</h1>
            <Link className="button" href={serverRoot() ?? "/"}>
              To the library
            </Link>
          </main>
        </>
      );
  }
}
