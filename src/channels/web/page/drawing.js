/** Draws the parts around the conversation after changes, at most once a frame. */ import {
  byId,
  exact,
  h
} from "./elements.js"
import { countdown, now } from "./format.js"
import { here, isRunning, parts } from "./parts.js"
import { drawRail, meter } from "./rail.js"
import { drawExpired, drawMissing, drawStart } from "./start.js"
import { words } from "./words.js"

let drawn = ""

/** The bar. @param {import("./types.js").State | undefined} state @param {string} title @param {import("./types.js").Choices} choices @param {string | undefined} page another one that has it */
const drawHead = (state, title, choices, page) => {
  // The directories are those of this machine.
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
const drawTabTitle = (title, program, { asks, works }) => {
  const text = `${asks ? words.asks : works ? words.works : ""}${title} · ${program}`
  if (document.title !== text) document.title = text
}

const soonMs = 60_000

/** Draws the remaining time of open requests, by the server's clock. @param {Iterable<import("./turn.js").Card>} cards */
const drawCountdowns = (cards) => {
  for (const { deadlineMs, left, isQuestion } of cards) {
    if (deadlineMs === undefined) continue
    const ms = Math.max(0, deadlineMs - now())
    left.textContent =
      ms === 0 ? words.timeOver : isQuestion ? words.leftIn(countdown(ms)) : words.deniedIn(countdown(ms))
    left.dataset["soon"] = String(ms < soonMs)
  }
}

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
    strip.draw({ turn, asking: requests.size, isStopping: here.isStopping || turn?.isStopping === true })
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

/** Pause between drawings in a hidden tab, whose title stays up to date. */
const unseenMs = 250

/** Draws at most once a frame. @param {() => void} paint called after the requested drawings */
export const makePainter = (paint) => {
  /** @type {Set<() => void>} */
  let due = new Set()
  let isDue = false

  const flush = () => {
    isDue = false
    const draws = due
    due = new Set()
    for (const draw of draws) draw()
    paint()
  }
  const schedule = () => {
    if (isDue) return
    isDue = true
    if (document.hidden) setTimeout(flush, unseenMs)
    else requestAnimationFrame(flush)
  }
  // A hidden tab gets no frame, even if it was requested before.
  document.addEventListener("visibilitychange", () => {
    if (isDue) setTimeout(flush, 0)
  })
  return {
    /** @param {() => void} draw */
    soon: (draw) => {
      due.add(draw)
      schedule()
    },
    schedule
  }
}
