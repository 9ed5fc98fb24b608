/** Which of its performances a start of a fake CLI gives: each but the last is given once. Used by the player. */
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"

/** The process that creates the folder of a turn owns it, so that concurrent starts have different turns. */
const take = (folder: string): boolean => {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** `file` has the performances. */
export const takeTurn = <Turn>(file: string, turns: readonly [Turn, ...ReadonlyArray<Turn>]): Turn => {
  const nth = turns.slice(0, -1).findIndex((_, index) => take(join(dirname(file), `turn-${index}`)))
  return turns.at(nth) ?? turns[0]
}
