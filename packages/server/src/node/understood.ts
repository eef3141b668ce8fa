import { SourceError } from "simtape";
import { UsageError } from "simtape/command";
import { BusError } from "../bus/bus.ts";
import { LockedError } from "../database/lock.ts";
import { UnpackError } from "../database/unpack.ts";
import { OutletError } from "../outlets/offers.ts";
import { AccessError } from "../people/openness.ts";
import type { Settings } from "../settings.ts";

/** Why a server does not start, in words that say what to do. */
export function understood(error: unknown, { port, host }: Settings): unknown {
  if (error instanceof AccessError || error instanceof OutletError) return new UsageError(error.message);
  if (error instanceof RangeError || error instanceof LockedError || error instanceof BusError)
    return new UsageError(error.message);
  if (error instanceof UnpackError) return new SourceError("failed", error.message, { cause: error });
  const { code, syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  if (syscall !== "listen" && hostname !== host) return error;
  if (code === "EADDRINUSE") return new UsageError(`port ${port} is in use by another program: choose another --port`);
  if (code === "EACCES") return new UsageError(`not allowed: ${(error as Error).message}`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return new UsageError(`${host} is no address of this machine`);
  return error;
}
