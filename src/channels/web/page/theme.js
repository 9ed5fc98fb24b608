/** Light, dark, or as the system: kept for this browser. */
import { byId } from "./elements.js"
import { words } from "./words.js"

const themes = ["system", "light", "dark"]
const place = "reins.theme"

/** @param {string} theme */
const set = (theme) => {
  document.documentElement.dataset["theme"] = theme
  byId("theme", "button").setAttribute("aria-label", words.colours[theme] ?? theme)
}

export const startTheme = () => {
  const kept = localStorage.getItem(place) ?? "system"
  set(themes.includes(kept) ? kept : "system")
  byId("theme", "button").addEventListener("click", () => {
    const next =
      themes[(themes.indexOf(document.documentElement.dataset["theme"] ?? "system") + 1) % themes.length] ?? "system"
    localStorage.setItem(place, next)
    set(next)
  })
}
