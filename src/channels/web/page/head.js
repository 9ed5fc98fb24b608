/** The bar and the title of the tab: which conversation it is, where it works, what is spent, and whether something asks. */
import { meter } from "./budget.js"
import { byId, h } from "./elements.js"
import { exact } from "./exactText.js"
import { words } from "./words.js"

let drawn = ""

/** @param {import("./types.js").State | undefined} state @param {string} title @param {import("./types.js").Choices} choices @param {string | undefined} page another one that has it */
export const drawHead = (state, title, choices, page) => {
  // Directories of this machine are not those of another.
  const directory = page === undefined ? state?.directories.find(({ name }) => name === choices.directory) : undefined
  const at = page === undefined ? undefined : words.atPage(page)
  const place = at ?? [directory?.path, directory?.branch].filter((each) => each).join(" · ")
  const now = JSON.stringify([title, place, state?.budget, state?.title])
  if (now === drawn) return
  drawn = now
  byId("title", "h1").replaceChildren(...exact(title))
  byId("where", "p").replaceChildren(h("bdi", { dir: "ltr" }, ...exact(place)))
  byId("budget").replaceChildren(...(state?.budget ? [meter(state.budget, "bar-budget")] : []))
  byId("brand", "span").textContent = state?.title ?? "Reins"
}

/** @param {string} title @param {string} program @param {{ asks: boolean, works: boolean }} marks */
export const drawTabTitle = (title, program, { asks, works }) => {
  const said = `${asks ? words.asks : works ? words.works : ""}${title} · ${program}`
  if (document.title !== said) document.title = said
}
