import fc from "fast-check";
import { describe, test } from "vitest";
import { type Format, FORMATS } from "../../src/index.ts";
import { describeFormat as describeFor, type Specimen } from "../../src/testing/index.ts";
import { tries } from "../soak.ts";
import { bundleOfFiles, mutate, mutation, readsOrRefuses } from "./mutate.ts";

export { bundleOfFiles, type Specimen };

/** What every format must do with every recording of its own, and more damage than others need. */
export function describeFormat(format: Format, specimens: readonly Specimen[]): void {
  const copies = tries(12, 40);
  const large = specimens.filter(({ files }) => Object.values(files)[0]!.length > 100_000);
  describeFor(
    format,
    specimens.filter((specimen) => !large.includes(specimen)),
    { describe, test },
    { formats: FORMATS, copies },
  );
  describeFor(format, large, { describe, test }, { formats: FORMATS, copies: tries(3, copies) });

  test.each(specimens)("$name survives random mutations", async ({ files }) => {
    const [name, bytes] = Object.entries(files)[0]!;
    await fc.assert(
      fc.asyncProperty(fc.array(mutation(bytes.length), { minLength: 1, maxLength: 4 }), async (mutations) => {
        await readsOrRefuses({ ...files, [name]: mutate(bytes, mutations) });
      }),
      { numRuns: large.some((one) => one.files === files) ? tries(2, 25) : tries(15, 25) },
    );
  });
}
