/** The list of conversations where the page is narrow: it slides in, and makes the rest inert meanwhile. */
import { byId } from "./elements.js"

const narrow = matchMedia("(max-width: 899px)")

export const isDrawerOpen = () => document.body.classList.contains("side-open")

/** @param {boolean} isOpen @param {{ focus?: boolean }} [how] */
export const showDrawer = (isOpen, { focus = true } = {}) => {
  document.body.classList.toggle("side-open", isOpen)
  byId("menu", "button").setAttribute("aria-expanded", String(isOpen))
  byId("side", "nav").inert = narrow.matches && !isOpen
  byId("body").inert = narrow.matches && isOpen
  if (narrow.matches && focus) byId(isOpen ? "side-close" : "menu", "button").focus()
}

export const isNarrow = () => narrow.matches

export const startDrawer = () => {
  byId("menu", "button").addEventListener("click", () => showDrawer(true))
  byId("side-close", "button").addEventListener("click", () => showDrawer(false))
  // Beside the drawer everything is inert: what is pressed there is the page itself.
  document.addEventListener("click", ({ target }) => {
    if (isDrawerOpen() && narrow.matches && (target === document.body || target === document.documentElement))
      showDrawer(false)
  })
  narrow.addEventListener("change", () => showDrawer(false, { focus: false }))
  showDrawer(false, { focus: false })
}
