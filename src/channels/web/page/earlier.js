/** Earlier rows of the conversation: fetched when the reader comes near the top, or asks for them. */
import { button, byId } from "./elements.js"
import { getJson } from "./server.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").Row} Row */

/** @param {{ put: (rows: Row[]) => void }} options */
export const makeEarlier = ({ put }) => {
  const place = byId("earlier")
  let conversation = ""
  /** The first row in the page; 0: none yet. */
  let oldest = 0
  /** The first of the conversation. */
  let first = 0
  let isLoading = false

  const isMore = () => oldest > first && first > 0
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
    const current = conversation
    draw()
    const { answer } = await getJson(`rows?conversation=${encodeURIComponent(conversation)}&before=${oldest}`)
    isLoading = false
    if (current !== conversation) return
    if (answer) take(/** @type {{ rows: Row[] }} */ (answer))
    draw()
  }
  /** @param {{ rows: Row[] }} answer */
  const take = ({ rows }) => {
    // An empty page of rows means that the beginning is reached.
    oldest = rows.length === 0 ? first : Math.min(oldest, ...rows.map(({ id }) => id))
    if (rows.length > 0) put(rows)
  }
  return {
    /** @param {string} id */
    show: (id) => {
      conversation = id
      oldest = 0
      first = 0
      draw()
    },
    /** @param {import("./connection.js").Hello} hello a stream that goes on begins behind what is in the page */
    hello: (hello) => {
      first = hello.first
      if (oldest === 0) oldest = hello.oldest
      draw()
    },
    load: () => void load()
  }
}
