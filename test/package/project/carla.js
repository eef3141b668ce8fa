import { open } from "simtape/core";
import { carla } from "simtape/formats/carla";

globalThis.opened = (address) => open(new URL(address, location.href), { formats: [carla] });
