/// <reference types="vite/client" />

/** Names of the formats that the page knows, as in a sentence; put in when the page is built. */
declare const FORMAT_NAMES: string;
/** Names of formats for people, by id. */
declare const FORMAT_TITLES: Readonly<Record<string, string>>;
