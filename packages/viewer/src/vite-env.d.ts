/// <reference types="vite/client" />

/** Names of the formats that the page knows, as in a sentence; put in when the page is built. */
declare const FORMAT_NAMES: string;
