/** What molecules are drawn with where balls and sticks in the colours of elements do not do: loaded on use. */
export { Cartoon } from "./cartoon.ts";
export { painter } from "./colors.ts";
export { Lines } from "./lines.ts";
export { secondary } from "./secondary.ts";
