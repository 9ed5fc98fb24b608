/** What screen readers say once: streamed pieces are not read, finished paragraphs, failures and requests are. */
import { byId } from "./elements.js"

let quiet = true

/** While rows are replayed nothing is said. @param {boolean} is */
export const setQuiet = (is) => {
  quiet = is
}

export const isQuiet = () => quiet

const longest = 300

/** @param {string} text @param {boolean} [urgent] interrupts what is being said */
export const tell = (text, urgent = false) => {
  if (quiet || text === "") return
  const region = byId(urgent ? "urgent" : "polite")
  region.textContent = ""
  // An equal text is said again only where the region was empty in between.
  setTimeout(() => {
    region.textContent = text.slice(0, longest)
  }, 50)
}
