/** The address of all parts of the demo. */
export const HOST = "127.0.0.1";
/** Version of the game. */
export const VERSION = "1.16.5";
