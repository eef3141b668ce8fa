import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { WORLD_ENDINGS } from "simtape/serving";
import { Companions } from "../catalog/companions.ts";
import type { Context } from "../context.ts";
import type { ClaimedJob } from "../jobs/queue.ts";
import { PermanentError, type Work } from "../jobs/worker.ts";
import type { Library } from "../library/library.ts";
import { exportFolder, type ExportedFile, runCommand } from "./export.ts";
import type { Render } from "./render-shapes.ts";

/**
 * Draws a recording with the command `simtape render`, in a process of its own, with the world that was uploaded for it or
 * lies beside it. The file lies where those of exports do.
 */
export async function renderRecording(
  context: Context,
  job: ClaimedJob,
  { signal }: Work,
): Promise<{ readonly files: readonly ExportedFile[]; readonly report: unknown }> {
  const { query, settings } = context;
  const { recording, ...asked } = job.input as { recording: string } & Render;
  const row = await query
    .selectFrom("recordings")
    .select(["key", "name", "files"])
    .where("id", "=", recording)
    .executeTakeFirst();
  if (row === undefined) throw new PermanentError("the recording is no longer there");
  const folder = exportFolder(settings, job.id);
  const work = `${folder}.work`;
  for (const path of [folder, work]) {
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true, mode: 0o700 });
  }
  try {
    const files = [await recordingIn(context, row, work), ...(await worldIn(context, recording, work))];
    const camera = join(work, "camera.json");
    if (asked.camera !== undefined) await writeFile(camera, JSON.stringify(asked.camera));
    const stem = basename(row.name).replace(/\.[^.]+$/, "");
    const words = ["render", ...files, "-o", join(folder, `${stem}.${asked.to}`), "--json", ...ofWhat(asked, camera)];
    const report = await runCommand(words, settings, signal);
    const [name = ""] = await readdir(folder);
    return { files: [{ name, bytes: (await stat(join(folder, name))).size }], report };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The options of `simtape render`. */
function ofWhat({ overlays = true, camera: path, ...single }: Render, camera: string): readonly string[] {
  const words = (["at", "from", "until", "size", "fps", "rate", "theme"] as const).flatMap((name) =>
    single[name] === undefined ? [] : [`--${name}=${single[name]}`],
  );
  return [...words, ...(overlays ? [] : ["--no-overlays"]), ...(path === undefined ? [] : [`--camera=${camera}`])];
}

/** The path of the main file; that of a bucket is copied with those that belong to it, and that show its world. */
async function recordingIn(
  { library, settings }: Context,
  { key, files }: { readonly key: string; readonly files: readonly { readonly name: string }[] },
  work: string,
): Promise<string> {
  if (!settings.store.startsWith("s3://")) return join(resolve(settings.store), key);
  const folder = dirname(key);
  const stem = basename(key).replace(/\.[^.]+$/, "");
  for (const name of [...files.map((file) => file.name), ...WORLD_ENDINGS.map((ending) => stem + ending)])
    await copied(library, folder === "." ? name : `${folder}/${name}`, join(work, name));
  return join(work, basename(key));
}

/** Names of files that others need beside them, and that show no world of their own. */
const PART = /\.(pgm|png|stl|obj|mtl|dae)$/i;
/** Those beside a description that may name them. */
const BODY = /\.(glb|gltf)$/i;
const NAMES_BODIES = /\.(models\.json|urdf)$/i;

/** Copies the companions that were uploaded for it; gives the paths of those that show a world of their own. */
async function worldIn(context: Context, recording: string, work: string): Promise<readonly string[]> {
  const companions = new Companions(context);
  const names: string[] = [];
  for (const { name } of await companions.of(recording)) {
    const found = await companions.find(recording, name);
    if (found !== null && (await copied(found.data, found.key, join(work, name)))) names.push(name);
  }
  const hasDescription = names.some((name) => NAMES_BODIES.test(name));
  const isPart = (name: string): boolean => PART.test(name) || (hasDescription && BODY.test(name));
  return names.filter((name) => !isPart(name)).map((name) => join(work, name));
}

/** False: it is no longer there. */
async function copied(from: Library, key: string, path: string): Promise<boolean> {
  const file = await from.open(key);
  if (file === null) return false;
  try {
    await mkdir(dirname(path), { recursive: true });
    await pipeline(file.stream(0, file.file.bytes), createWriteStream(path, { mode: 0o600 }));
    return true;
  } finally {
    await file.close();
  }
}
