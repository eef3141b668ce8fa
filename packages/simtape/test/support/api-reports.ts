import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CompilerState, Extractor, ExtractorConfig } from "@microsoft/api-extractor";

const home = fileURLToPath(new URL("../..", import.meta.url));
const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Declarations of each entry, by its name: `simtape`, `record`, `formats-carla`; and of the package of the client. */
function entries(): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly types?: string }>>;
  };
  const found = new Map<string, string>();
  for (const [entry, target] of Object.entries(exports)) {
    // simtape has all of core
    if (typeof target === "string" || target.types === undefined || entry === "./core") continue;
    const name = entry === "." ? "simtape" : entry.slice(2).replaceAll("/", "-");
    if (!entry.includes("*")) {
      found.set(name, join(home, target.types));
      continue;
    }
    const [before, behind] = target.types.split("*") as [string, string];
    for (const folder of readdirSync(join(home, before))) {
      found.set(name.replace("*", folder), join(home, before + folder + behind));
    }
  }
  return found.set("client", join(root, "packages/client/dist/index.d.ts"));
}

/** The report of each entry by its name, of the declarations as they were built last. Throws when they do not compile. */
export function apiReports(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "simtape-api-"));
  const reports = new Map<string, string>();
  const files = entries();
  let compiled: CompilerState | undefined;
  try {
    for (const [name, file] of files) {
      const config = configOf(name, file, [...files.values()], folder);
      compiled ??= CompilerState.create(config, { additionalEntryPoints: [...files.values()] });
      const { succeeded } = Extractor.invoke(config, {
        localBuild: true,
        compilerState: compiled,
        messageCallback: (message) => {
          // that a report is new in the temporary folder is no news
          message.handled = message.category === "console";
        },
      });
      if (!succeeded) throw new Error(`${file} does not compile`);
      reports.set(name, tidied(readFileSync(join(folder, `${name}.api.md`), "utf8"), name));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return reports;
}

/** Writes the reports into `folder` in place of what is there; their names. */
export function writeApiReports(folder: string): string[] {
  const reports = apiReports();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, report] of reports) writeFileSync(join(folder, `${name}.api.md`), report);
  return [...reports.keys()].map((name) => `${name}.api.md`);
}

function configOf(name: string, file: string, files: readonly string[], folder: string): ExtractorConfig {
  const quiet = { default: { logLevel: "none" } } as const;
  const compilerOptions = {
    strict: true,
    target: "es2023",
    lib: ["es2023", "dom"],
    module: "nodenext",
    moduleResolution: "nodenext",
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: home,
      mainEntryPointFilePath: file,
      newlineKind: "lf",
      compiler: { overrideTsconfig: { compilerOptions, files } },
      apiReport: { enabled: true, reportFileName: name, reportFolder: folder, reportTempFolder: join(folder, "new") },
      messages: {
        compilerMessageReporting: { default: { logLevel: "error" } },
        extractorMessageReporting: quiet,
        tsdocMessageReporting: quiet,
      },
    } as never,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(home, "package.json"),
  });
}

/** With the entry as its title, and without what is the same in every report. */
function tidied(report: string, name: string): string {
  const entry = name === "simtape" ? name : name === "client" ? "simtape-client" : `simtape/${name.replace("-", "/")}`;
  return report
    .replace(/^## API Report.*$/m, `# ${entry}`)
    .replace(/^> Do not edit.*$/m, "> Made by `npm run api`: what a program can import, and its types. Do not edit.")
    .replace(/^\/\/ \(No @packageDocumentation.*\n\n?/m, "");
}
