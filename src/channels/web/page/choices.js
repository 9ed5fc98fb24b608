/** Who answers, with which model and permissions: the selects below the box, and what they say for the conversation. */
import { byId, h } from "./elements.js"
import { isReady } from "./start.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").Choices} Choices */
/** @typedef {import("./types.js").State} State */

/** @param {"agent" | "model" | "mode"} id @param {[value: string, label: string, isOff?: boolean][]} list @param {string} chosen */
const fill = (id, list, chosen) => {
  const select = byId(id, "select")
  const state = JSON.stringify([list, chosen])
  if (select.dataset["state"] === state) return
  select.dataset["state"] = state
  select.replaceChildren(
    ...list.map(([value, label, isOff]) => h("option", { value, selected: value === chosen, disabled: isOff }, label))
  )
}

/** @param {{ changed: (change: Choices) => void }} on */
export const makeChoices = ({ changed }) => {
  for (const id of /** @type {const} */ (["agent", "model", "mode"])) {
    const select = byId(id, "select")
    select.addEventListener("change", () => {
      delete select.dataset["state"]
      changed(id === "agent" ? { agent: select.value, model: "" } : { [id]: select.value })
    })
  }
  /** @param {State} state @param {Choices} choices */
  const draw = (state, { agent = "", model = "", mode = "default" }) => {
    const found = state.agents.find(({ id }) => id === agent)
    /** @type {[string, string, boolean?][]} */
    const agents = state.agents.map((each) => [each.id, each.id, !isReady(each) && each.id !== agent])
    fill("agent", found ? agents : [[agent, agent], ...agents], agent)
    const models = found?.models ?? []
    const named = models.includes(model) || model === "" ? models : [model, ...models]
    fill("model", [["", words.defaultModel], ...named.map((id) => /** @type {[string, string]} */ ([id, id]))], model)
    fill(
      "mode",
      [...Object.entries(words.modes), ...(words.modes[mode] ? [] : [/** @type {[string, string]} */ ([mode, mode])])],
      mode
    )
  }
  return { draw }
}
