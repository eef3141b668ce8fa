/** simtape without its formats: `open` reads only the formats that it is given. */
export { exportTo, type FittingTarget, fittingTargets } from "./export/export-to.ts";
export type {
  Exporter,
  ExportOptions,
  ExportReport,
  ExportTarget,
  OriginalFiles,
  TargetOption,
} from "./export/exporter.ts";
export { EXPORT_TARGETS, targetCalled, targetOfName } from "./export/targets.ts";
export * from "./library.ts";
