import type { Traits } from "../../model/traits.ts";
import { unitOf } from "./units.ts";

export const traits: Traits = { unitOf };
