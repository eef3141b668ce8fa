import type { Exporter } from "../exporter.ts";
export declare const exporter: Exporter;
