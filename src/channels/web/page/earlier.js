/** Earlier rows of the conversation: fetched when the reader comes near the top, or asks for them. */
import { button, byId } from "./elements.js"
import { getJson } from "./server.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").Row} Row */

/** So many are given at once: where fewer came there are no earlier ones. */
const turnsAtOnce = 200

/** @param {{ put: (rows: Row[]) => void }} options */
export const makeEarlier = ({ put }) => {
  const place = byId("earlier")
  let conversation = ""
  let first = 0
  /** Of the conversation, where it is known. */
  let oldest = 0
  let turns = 0
  let isLoading = false

  const isMore = () => first > 0 && (oldest > 0 ? first > oldest : turns >= turnsAtOnce)
  const draw = () => {
    place.hidden = !isMore()
    const props = { "aria-disabled": isLoading ? "true" : undefined }
    place.replaceChildren(
      button(isLoading ? words.loading : words.earlierTurns, () => void load(), "quiet.small", props)
    )
  }
  const load = async () => {
    if (isLoading || !isMore()) return
    isLoading = true
    const asked = conversation
    draw()
    const { answer } = await getJson(`rows?conversation=${encodeURIComponent(conversation)}&before=${first}`)
    isLoading = false
    if (asked !== conversation) return
    if (answer) take(/** @type {{ rows: Row[], oldest: number }} */ (answer))
    draw()
  }
  /** @param {{ rows: Row[], oldest: number }} answer */
  const take = ({ rows, oldest: limit }) => {
    first = Math.min(first, ...rows.map(({ id }) => id))
    // What gives none has none.
    oldest = rows.length === 0 ? first : limit
    if (rows.length > 0) put(rows)
  }
  return {
    /** @param {string} id */
    show: (id) => {
      conversation = id
      first = 0
      oldest = 0
      turns = 0
      draw()
    },
    /** A row from the stream. @param {Row} row */
    seen: ({ id, row }) => {
      if (row === "run") turns += 1
      if (first === 0) first = id
      else if (turns !== turnsAtOnce) return
      draw()
    },
    /** @param {number} id from which the stream begins, at least */
    hello: (id) => {
      if (first > 0 && id > 0 && id < first) oldest = id
      draw()
    },
    load: () => void load()
  }
}
