export { FORMATS } from "../src/formats.ts";
