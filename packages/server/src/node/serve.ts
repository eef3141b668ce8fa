import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { feedAt } from "simtape/serving";
import { alertRoutes } from "../alerts/routes.ts";
import { answerRoutes } from "../answers/routes.ts";
import { localBus } from "../bus/local.ts";
import { openBus } from "../bus/open.ts";
import { collectionRoutes } from "../catalog/collection-routes.ts";
import { facetRoutes } from "../catalog/search/facets.ts";
import { companionRoutes } from "../catalog/companion-routes.ts";
import { deleteRoutes } from "../catalog/delete-routes.ts";
import { catalogRoutes } from "../catalog/routes.ts";
import { worldRoutes } from "../catalog/world-routes.ts";
import { searchRoutes } from "../catalog/search/search-routes.ts";
import { tagRoutes } from "../catalog/tag-routes.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { ghostRoutes } from "../ghosts/routes.ts";
import { createApp, type Routes } from "../http/app.ts";
import { liveRoutes } from "../live/routes.ts";
import { programRoutes } from "../live/program-routes.ts";
import { Programs } from "../live/programs.ts";
import { Jobs } from "../jobs/queue.ts";
import { Threads } from "./threads.ts";
import type { Library } from "../library/library.ts";
import { lakeStore } from "../lake/store.ts";
import { openLibrary } from "../library/open.ts";
import { sharingOpenFiles } from "../library/open-files.ts";
import { logTo } from "../log-output.ts";
import { analysisRoutes } from "../operations/analysis-routes.ts";
import { exportRoutes } from "../operations/export-routes.ts";
import { jobRoutes } from "../operations/job-routes.ts";
import { renderRoutes } from "../operations/render-routes.ts";
import { operationRoutes } from "../operations/routes.ts";
import { outletRoutes } from "../outlets/routes.ts";
import { Outlets } from "../outlets/outlets.ts";
import { overviewRoutes } from "../operations/overview.ts";
import { pageRoutes } from "../pages/routes.ts";
import { opennessOf } from "../people/openness.ts";
import { peopleRoutes } from "../people/routes.ts";
import { roomRoutes } from "../rooms/routes.ts";
import { retentionRoutes } from "../retention/routes.ts";
import { reviewRoutes } from "../review/routes.ts";
import type { Settings } from "../settings.ts";
import { findRoutes } from "../subjects/find.ts";
import { sqlRoutes } from "../sql/routes.ts";
import { subjectRoutes } from "../subjects/routes.ts";
import { shareRoutes } from "../shares/routes.ts";
import { uploadRoutes } from "../uploads/routes.ts";

/** A running node. */
export interface Node {
  /** Its address: `http://127.0.0.1:8000`. */
  readonly address: string;
  /** Whether every client that reached it was an administrator when it started. */
  readonly isOpen: boolean;
  /** Settles when the node has ended. */
  readonly ended: Promise<void>;
  /** Ends the node after it has answered the requests that it is answering. */
  close(): Promise<void>;
}

/** Milliseconds for requests that are being answered when a node ends. */
const LAST = 30_000;

/** Starts a node of a server. Throws when its settings, its database or its port are wrong. */
export async function serve(settings: Settings): Promise<Node> {
  const pages = await pageRoutes(settings);
  // a wrong address is found now, not by a job
  lakeStore(settings);
  const library = sharingOpenFiles(await openLibrary(settings));
  const database = await openDatabase(settings.database);
  try {
    return await started(settings, library, database, pages);
  } catch (error) {
    // otherwise the open sockets would keep the process running
    await database.close();
    throw error;
  }
}

async function started(settings: Settings, library: Library, database: Database, pages: Routes): Promise<Node> {
  const log = logTo(settings.log);
  const openness = await opennessOf(settings, database.query);
  const threads = new Threads((topic, message) => local?.receive(topic, message), log);
  const local = settings.bus === "local" ? localBus((topic, message) => threads.tell(topic, message)) : null;
  const bus = local ?? (await openBus(settings.bus, database));
  const jobs = new Jobs(database.query, bus);
  // a wrong address is found before anything listens
  const feeds = await Promise.all(settings.from.map(async (place) => ({ ...place, feed: await feedAt(place) })));
  const context = { settings, database, query: database.query, bus, jobs, library, log };
  const programs = new Programs(context, feeds);
  const outlets = new Outlets(context, openness);
  await outlets.start();
  const parts: readonly Routes[] = [
    operationRoutes,
    overviewRoutes,
    jobRoutes,
    exportRoutes,
    renderRoutes,
    analysisRoutes,
    catalogRoutes,
    worldRoutes,
    answerRoutes,
    sqlRoutes,
    facetRoutes,
    tagRoutes,
    companionRoutes,
    deleteRoutes,
    collectionRoutes,
    searchRoutes,
    alertRoutes,
    peopleRoutes,
    await shareRoutes(settings),
    liveRoutes,
    uploadRoutes,
    roomRoutes,
    programRoutes(programs),
    outletRoutes(outlets),
    reviewRoutes,
    retentionRoutes,
    ghostRoutes,
    findRoutes,
    subjectRoutes,
    pages,
  ];
  const app = await createApp(context, openness, parts);
  await app.listen({ host: settings.host, port: settings.port }).catch(async (error: unknown) => {
    await outlets.stop();
    throw error;
  });
  await jobs.add("scan", "library");
  await jobs.add("reconcile", "");
  await jobs.runNow("reconcile", "");
  await jobs.add("sweep", "");
  await jobs.add("sweep-jobs", "jobs");
  if (settings.lake !== null) await jobs.add("lake-sweep", "library");
  threads.start(settings, database.address);
  programs.start();
  const { port } = app.server.address() as AddressInfo;
  const name = settings.host.includes(":") ? `[${settings.host}]` : settings.host;
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    app.isDraining.value = true;
    await setTimeout(settings.drain * 1000);
    await programs.close();
    await outlets.stop();
    const last = global.setTimeout(() => app.server.closeAllConnections(), LAST);
    await app.close();
    clearTimeout(last);
    await threads.stop();
    await bus.close();
    await database.close();
  };
  const ended = new Promise<void>((resolve, reject) => {
    database.ended.catch(reject);
    app.server.once("close", () => void closing?.then(resolve, reject));
  });
  ended.catch(() => undefined);
  return {
    address: settings.publicOrigin ?? `http://${name}:${port}`,
    isOpen: await openness.isOpen(),
    ended,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
