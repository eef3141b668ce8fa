import type { Session } from "../session.ts";
import { serverRoot } from "../server/root.ts";

/** Files that the system opens with the page (File Handling API); the types of the page do not have it. */
interface LaunchQueue {
  setConsumer(consumer: (launch: { readonly files?: readonly FileSystemFileHandle[] }) => void): void;
}

/** Makes the page an application: it takes files that the system opens, and opens without its server. */
export function start(session: Session): void {
  const { launchQueue } = globalThis as { launchQueue?: LaunchQueue };
  launchQueue?.setConsumer(({ files = [] }) => {
    if (files.length > 0) void import("./launch.ts").then(({ openLaunched }) => openLaunched(session, files));
  });
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  // Of `simtape view`: its address ends with it, so its files are stored once the page is installed.
  const isPassing = document.querySelector('meta[name="simtape-offline"][content="installed"]') !== null;
  if (isPassing && matchMedia("(display-mode: browser)").matches) addEventListener("appinstalled", register);
  else whenRead(session, register);
}

/** Calls back when nothing is being opened: that comes before what is stored for later. */
function whenRead(session: Session, done: () => void): void {
  const look = (): boolean => session.state.value.opening === null;
  if (look()) {
    done();
    return;
  }
  const unsubscribe = session.state.subscribe(() => {
    if (!look()) return;
    unsubscribe();
    done();
  });
}

/** Where the browser lets a page store nothing, all else works as before. */
function register(): void {
  const address = new URL(`${serverRoot() ?? ""}sw.js`, document.baseURI);
  navigator.serviceWorker.register(address, { updateViaCache: "none" }).catch(() => undefined);
}
