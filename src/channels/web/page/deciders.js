/** Who decided, in words: a person by name and place, the reader as "you", else what decided by itself. */
import { words } from "./words.js"

/** @type {string | undefined} */
let reader

/** @param {string | undefined} name of the person who reads this page */
export const setReader = (name) => {
  reader = name
}

/** @param {{ by: string, person?: string, where?: string }} decision */
export const deciderOf = ({ by, person, where }) => {
  if (person === undefined) return words.deciders[by] ?? by
  return person === reader && (where === undefined || where === "web")
    ? (words.deciders["caller"] ?? person)
    : words.personAt(person, where)
}
