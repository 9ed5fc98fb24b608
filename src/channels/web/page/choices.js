/** Agent, model, permissions and directory of the conversation: present values, choices made here, and the selects below the box. */
import { byId, h } from "./elements.js"
import { here, parts } from "./parts.js"
import { post } from "./server.js"
import { isReady } from "./start.js"
import { keep } from "./tabMemory.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").Choices} Choices */

/** @param {{ [Name in keyof Choices]: string | undefined } | undefined} some @returns {Choices} */
const present = ({ agent, model, mode, directory } = {}) =>
  Object.fromEntries(Object.entries({ agent, model, mode, directory }).filter(([, value]) => value !== undefined))

/** An empty choice is the server's default. @param {Choices} some */
export const asUsual = (some) =>
  Object.fromEntries(Object.entries(some).map(([name, value]) => [name, value === "" ? null : value]))

/** @param {string} of @param {Record<string, unknown>} change @returns the failure */
export const changeConversation = async (of, change) => {
  const { failure } = await post(`conversations/${encodeURIComponent(of)}`, change)
  return failure?.error
}

export const makeChoosing = () => {
  /** The server's defaults, the last run, and choices made here since. @returns {Choices} */
  const choices = () => {
    const turn = parts.conversation.turn()
    const known = {
      ...present(here.state?.conversations.find((each) => each.id === here.id)),
      ...present({ agent: turn?.agent, model: turn?.model, mode: turn?.mode }),
      ...here.chosen
    }
    // A model belongs to its agent.
    const { model, ...others } = here.state?.defaults ?? {}
    const isOther = known.agent !== undefined && known.agent !== others.agent
    return { ...others, ...(isOther || model === undefined ? {} : { model }), ...known }
  }
  /** @param {Choices} chosen */
  const set = (chosen) => {
    here.chosen = chosen
    keep(`choices.${here.id}`, chosen)
    parts.drawing.around()
  }
  /** @param {Choices} change */
  const choose = async (change) => {
    const before = here.chosen
    set({ ...before, ...change })
    if (here.isNew) return
    const error = await changeConversation(here.id, asUsual(change))
    if (error === undefined) return
    byId("problem", "p").textContent = error
    set(before)
  }
  return { choices, choose }
}

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
    /** @type {[string, string][]} */
    const unknown = words.modes[mode] ? [] : [[mode, mode]]
    fill("mode", [...Object.entries(words.modes), ...unknown], mode)
  }
  return { draw }
}
