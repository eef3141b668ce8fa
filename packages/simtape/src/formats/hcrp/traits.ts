import type { Traits } from "../../model/traits.ts";

export const traits: Traits = {};
