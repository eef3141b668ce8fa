/** Removes the build of simtape, so that a package has no file of an earlier build. */
import { rmSync } from "node:fs";

rmSync(new URL("../packages/simtape/dist", import.meta.url), { recursive: true, force: true });
