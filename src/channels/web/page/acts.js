/** User actions: messages and presses go to the outboxes, and are shown as pending at once. */

import { asUsual } from "./choices.js"
import { byId, tell } from "./elements.js"
import { here, isRunning, parts } from "./parts.js"
import { newId } from "./server.js"
import { showInAddress } from "./tabMemory.js"

/** @typedef {import("./types.js").Press} Press */
/** @typedef {{ error?: string, text?: string, blocks?: import("./types.js").Block[] }} PressAnswer */

const stopMs = 20_000

export const makeActs = () => {
  /** @param {Press} press @returns {Promise<PressAnswer>} */
  const ask = async (press) => {
    const body = { id: newId(), conversation: here.id, press }
    const { answer, failure } = await parts.presses.send("press", here.id, body)
    const reply = /** @type {PressAnswer} */ (answer ?? {})
    if (failure || reply.text) tell(failure?.error ?? reply.text ?? "", failure !== undefined)
    return failure ? { error: failure.error } : reply
  }
  /** A press whose failure is shown below the box. @param {Press} press */
  const pressPlainly = async (press) => {
    const { error } = await ask(press)
    if (error !== undefined) byId("problem", "p").textContent = error
    return error === undefined ? {} : { error }
  }
  const stopAgain = () => {
    here.isStopping = false
    parts.painter.schedule()
  }
  const stop = async () => {
    if (!isRunning() || here.isStopping) return
    here.isStopping = true
    parts.painter.schedule()
    const turn = parts.conversation.turnId()
    // The id of a turn that a message began ensures that a late press stops no other turn.
    const { error } = await pressPlainly({ do: "stop", ...(turn?.startsWith("bridge-") ? { turn } : {}) })
    if (error !== undefined) here.isStopping = false
    // Enables the button again if the turn has not ended.
    else setTimeout(stopAgain, stopMs)
    parts.painter.schedule()
  }
  /** Moves to the oldest open request, or to the box. */
  const next = () => {
    const { requests } = parts.conversation
    const asking = [...requests.values()].find(({ element }) => !element.querySelector(".buttons > .spin"))
    if (!asking) return parts.composer.focus()
    asking.element.focus({ preventScroll: true })
    asking.element.scrollIntoView({ block: "nearest" })
  }
  /** @param {import("./composer.js").Written} written */
  const send = ({ text, files, isQueued }) => {
    const id = newId()
    const isAttached = files.length > 0
    const body = {
      ...{ id, conversation: here.id, text },
      ...(isAttached ? { files: files.map(({ fileId }) => fileId) } : {}),
      ...(isRunning() ? { how: isQueued ? "queue" : "steer" } : {}),
      ...(here.isNew ? asUsual(here.chosen) : {})
    }
    parts.conversation.addUnsent({ id, text, ...(isAttached ? { files } : {}) })
    showInAddress(here.id, { replace: here.isNew })
    void parts.messages.send("messages", here.id, body)
    parts.scrolling.toEnd()
    parts.drawing.around()
  }
  return { ask, pressPlainly, stop, next, send }
}
