import { useEffect, useState } from "react";
import { useSession } from "../../hooks.ts";
import { followWorld, type NamedWorld } from "./follow-world.ts";

/** The world that what plays was made in; null: it names none. */
export function useWorld(): NamedWorld | null {
  const session = useSession();
  const [world, setWorld] = useState<NamedWorld | null>(null);
  useEffect(() => followWorld(session, setWorld), [session]);
  return world;
}
