/** Agent, model, permissions and directory of the conversation: what is known, and what was chosen here since. */
import { byId } from "./elements.js"
import { here, parts } from "./parts.js"
import { post } from "./server.js"
import { keep } from "./tabMemory.js"

/** @typedef {import("./types.js").Choices} Choices */

/** @param {{ [Name in keyof Choices]: string | undefined } | undefined} some @returns {Choices} */
const present = ({ agent, model, mode, directory } = {}) =>
  Object.fromEntries(Object.entries({ agent, model, mode, directory }).filter(([, value]) => value !== undefined))

/** An empty choice is the server's own. @param {Choices} some */
export const asUsual = (some) =>
  Object.fromEntries(Object.entries(some).map(([name, value]) => [name, value === "" ? null : value]))

/** @param {string} of @param {Record<string, unknown>} change @returns what went wrong */
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
    // A model is one of its agent.
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
