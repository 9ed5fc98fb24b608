/** Earlier rows of the conversation: fetched when the reader comes near the top, or asks for them. */
import { button, byId } from "./elements.js"
import { getJson } from "./server.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").Row} Row */

/** @param {{ put: (rows: Row[]) => void }} options */
export const makeEarlier = ({ put }) => {
  const place = byId("earlier")
  let conversation = ""
  let first = 0
  let oldest = 0
  let isLoading = false

  const draw = () => {
    place.hidden = first === 0 || first <= oldest
    place.replaceChildren(
      button(isLoading ? words.loading : words.earlierTurns, () => void load(), "quiet.small", {
        "aria-disabled": isLoading ? "true" : undefined
      })
    )
  }
  const load = async () => {
    if (isLoading || first === 0 || first <= oldest) return
    isLoading = true
    const asked = conversation
    draw()
    const { answer } = await getJson(`rows?conversation=${encodeURIComponent(conversation)}&before=${first}`)
    isLoading = false
    if (asked !== conversation) return
    const { rows, oldest: limit } = /** @type {{ rows: Row[], oldest: number }} */ (answer ?? { rows: [], oldest })
    oldest = limit
    if (rows.length > 0) {
      first = Math.min(first, ...rows.map(({ id }) => id))
      put(rows)
    } else if (answer) oldest = first
    draw()
  }
  return {
    /** @param {string} id */
    show: (id) => {
      conversation = id
      first = 0
      oldest = 0
      draw()
    },
    /** @param {number} id of a row that is in the page */
    seen: (id) => {
      if (first !== 0) return
      first = id
      draw()
    },
    /** @param {number} id */
    setOldest: (id) => {
      oldest = id
      draw()
    },
    load: () => void load()
  }
}
