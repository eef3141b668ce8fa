import { simtape } from "../../../simtape/test/cli/run.ts";

/** What a command prints that is carried out in this process. Rejects unless it exits with 0. */
export async function printed(words: readonly string[], input = ""): Promise<string> {
  const { exit, stdout, stderr } = await simtape(words, Buffer.from(input));
  if (exit !== 0) throw new Error(`simtape ${words.join(" ")} exits with ${exit}: ${stderr}`);
  return stdout;
}
