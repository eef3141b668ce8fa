/** Why a chunk of the game cannot be taken: it is not whole, or too much, or not there. */
export class Damage extends Error {}
