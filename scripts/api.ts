/** npm run api: writes what every entry of simtape exports, from its built declarations, into docs/api. */
import { fileURLToPath } from "node:url";
import { writeApiReports } from "../packages/simtape/test/support/api-reports.ts";

for (const name of writeApiReports(fileURLToPath(new URL("../docs/api", import.meta.url))))
  console.log(`docs/api/${name}`);
