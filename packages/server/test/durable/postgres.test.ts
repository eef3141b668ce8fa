import { describe } from "vitest";
import { isSoak } from "../../../simtape/test/soak.ts";
import { newPostgres } from "../support/databases.ts";
import { withoutPostgres } from "../support/postgres.ts";
import { testKept } from "./kept.ts";

describe.skipIf(!isSoak || withoutPostgres !== null)("what was kept is brought to its end, PostgreSQL", () =>
  testKept(newPostgres),
);
