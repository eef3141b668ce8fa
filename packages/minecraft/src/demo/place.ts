/** Where all of the demo is. */
export const HOST = "127.0.0.1";
/** Of the game that is played. */
export const VERSION = "1.16.5";
