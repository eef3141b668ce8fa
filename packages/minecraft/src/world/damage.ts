/** Why a chunk of the game is rejected: it is damaged, too large, or missing. */
export class Damage extends Error {}
