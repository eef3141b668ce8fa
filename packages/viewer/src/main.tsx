import "./theme.ts";
import "./ui/colors.css";
import "./ui/controls.css";
import "./viewer.css";
import "./touch.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { SessionContext } from "./hooks.ts";
import { Session } from "./session.ts";

const session = new Session();

// For the browser's console: `simtape.seek(12.5e9)`, `simtape.frame.recorded`, and `simtape.read(null)` for all of its values.
Object.assign(globalThis, { simtape: session });

const said = new URL(location.href).searchParams;
if (said.has("render")) {
  // `simtape render` drives this page, which shows nothing.
  void import("./video/remote.ts").then(({ serveVideos }) => serveVideos(session));
} else if (said.has("embed")) {
  void import("./player/page.ts").then(({ showEmbedded }) => showEmbedded(session));
} else {
  createRoot(document.getElementById("root")!).render(
    <SessionContext value={session}>
      <App />
    </SessionContext>,
  );
  addEventListener("load", () => void import("./offline/start.ts").then(({ start }) => start(session)));
}
