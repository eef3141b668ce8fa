import fc from "fast-check";

/** The same cases in every run, so that a failure can be had again; `FC_SEED=…` looks elsewhere. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env["FC_SEED"] ?? 20_261_121) });
