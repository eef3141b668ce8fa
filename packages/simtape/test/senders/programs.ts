import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The folder of the senders. */
export const SENDERS: string = fileURLToPath(new URL("../../../../senders/", import.meta.url));

/** Compilers of C++, with what a test says where one is missing; only the first is needed. */
export const COMPILERS = ["g++", "clang++"] as const;
export const NO_COMPILER = "no g++: apt-get install --no-install-recommends g++";
export const NO_PYTHON = "no python3";

export function has(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

/** As strict as the senders promise: every warning is an error. It throws what the compiler says. */
export async function compile(compiler: string, source: string, to: string): Promise<void> {
  await promisify(execFile)(compiler, [...wordsFor(source), "-o", to, "-pthread"]);
}

/** The same without a program. */
export async function checkCompiles(compiler: string, source: string): Promise<void> {
  await promisify(execFile)(compiler, [...wordsFor(source), "-fsyntax-only"]);
}

function wordsFor(source: string): string[] {
  const warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"];
  const includes = ["-I", `${SENDERS}cpp/test/stubs`, "-I", `${SENDERS}cpp`];
  return ["-std=c++17", "-O1", ...warnings, ...includes, source];
}
