/** What stands around the conversation: once for each change of its surroundings, the rest at most once a frame. */
import { drawCountdowns } from "./countdowns.js"
import { byId } from "./elements.js"
import { drawHead, drawTabTitle } from "./head.js"
import { here, isRunning, parts } from "./parts.js"
import { drawRail } from "./rail.js"
import { drawExpired, drawMissing, drawStart } from "./start.js"
import { words } from "./words.js"

const listed = () => here.state?.conversations.find(({ id }) => id === here.id)
const title = () => listed()?.title ?? (here.state ? words.newTitle : "Reins")

export const makeDrawing = () => {
  const drawPlaceOfStart = () => {
    const { state, link } = here
    const { choosing, composer, conversation } = parts
    const isShut = link.state === "missing" || (link.state === "expired" && state === undefined)
    const isThere = here.isNew || (link.state === "open" && here.replayUntil === 0)
    const isEmpty = conversation.isEmpty() && isThere
    byId("foot").hidden = isShut
    byId("start").hidden = !isShut && !(isEmpty && state !== undefined)
    if (link.state === "missing") return drawMissing()
    if (isShut) return drawExpired()
    if (!state || !isEmpty) return
    const chooseDirectory = (/** @type {string} */ directory) => void choosing.choose({ directory })
    drawStart(state, choosing.choices(), { suggest: composer.put, chooseDirectory })
  }
  const around = () => {
    drawPlaceOfStart()
    if (here.state) parts.list.set(here.state.conversations, here.id)
    parts.painter.schedule()
  }
  const paint = () => {
    const { state } = here
    const { choosing, composer, conversation, scrolling, selects, strip } = parts
    const { requests, changed } = conversation
    const turn = conversation.turn()
    const choices = choosing.choices()
    if (!isRunning()) here.isStopping = false
    strip.draw({ turn, asking: requests.size, isStopping: here.isStopping })
    drawHead(state, title(), choices, listed()?.page)
    if (state) selects.draw(state, choices)
    composer.ask(choices.agent ?? "")
    if (state) drawRail(state, choices, { turn, changed })
    const asks = requests.size > 0 || state?.conversations.some((each) => each.state === "asking") === true
    drawTabTitle(title(), state?.title ?? "Reins", { asks, works: isRunning() })
    if (!conversation.isEmpty()) byId("start").hidden = here.link.state !== "missing"
    drawCountdowns(requests.values())
    scrolling.follow()
  }
  return { around, paint }
}
