/** A button that copies a text, and says whether it did. */
import { tell } from "./announce.js"
import { h, icon } from "./elements.js"
import { words } from "./words.js"

/** @param {string | (() => string)} text @param {string} what */
export const copyButton = (text, what) => {
  const self = h("button.quiet.square.copy", { type: "button", "aria-label": words.copy(what) }, icon("copy"))
  self.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "function" ? text() : text)
      self.replaceChildren(icon("ok"))
      tell(words.copied)
    } catch {
      self.replaceChildren(icon("bad"))
      tell(words.copyRefused, true)
    }
    setTimeout(() => self.replaceChildren(icon("copy")), 1500)
  })
  return self
}
