/** The strip of the connection under the bar, during and shortly after problems, and the strip of the run above the box. */
import { button, byId, exact, h, icon } from "./elements.js"
import { duration, inKeys, money, now, shortcut } from "./format.js"
import { words } from "./words.js"

const shownBackMs = 3000

/** @param {{ retry: () => void }} actions */
export const makeLinkStrip = ({ retry }) => {
  const strip = byId("link")
  const count = h("span.num")
  const now = button(words.now, retry, "quiet.small")
  /** @type {import("./connection.js").Link} */
  let link = { state: "connecting" }
  let wasLost = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  /** @param {string} state @param {...(Node | string)} content */
  const show = (state, ...content) => {
    clearTimeout(timer)
    if (strip.dataset["state"] === state && !strip.hidden) return
    strip.dataset["state"] = state
    strip.hidden = content.length === 0
    strip.replaceChildren(...content)
  }
  const tick = () => {
    if ("at" in link) count.textContent = words.againIn(Math.max(0, Math.ceil((link.at - Date.now()) / 1000)))
  }
  /** @param {import("./connection.js").Link} next @param {boolean} isUsed false while the page is empty */
  const set = (next, isUsed) => {
    link = next
    tick()
    if ("at" in link) wasLost = true
    if (link.state === "lost")
      return show("lost", h("span.spin", { "aria-hidden": "true" }), h("span", {}, words.lost), count, now)
    if (link.state === "offline") return show("offline", icon("warn"), h("span", {}, words.offline), count, now)
    if (link.state === "refused")
      return show(`refused: ${link.why}`, icon("warn"), h("span", {}, ...exact(link.why)), count, now)
    if (link.state === "expired" && isUsed) return show("expired", icon("warn"), h("span", {}, words.expiredLink))
    if (link.state === "open" && wasLost) {
      wasLost = false
      show("back", icon("ok"), h("span", {}, words.back))
      timer = setTimeout(() => show("open"), shownBackMs)
      return
    }
    if (link.state !== "connecting" || !wasLost) show(link.state)
  }
  return { set, tick }
}

/** State, duration and cost of the run, and Stop. @param {{ stop: () => void, goThere: () => void }} actions */
export const makeRunStrip = ({ stop, goThere }) => {
  const strip = byId("run", "section")
  const elapsed = h("span.num")
  const what = h("span.run-what")
  const facts = h("span.run-facts")
  const sign = h("span.run-sign")
  const goTo = button(words.goThere, goThere, "plain", { "aria-keyshortcuts": "Alt+A" })
  const stopProps = { type: "button", "aria-keyshortcuts": shortcut("Control+."), on: { click: stop } }
  const stopButton = h("button.stop", stopProps)
  strip.append(sign, what, facts, goTo, stopButton)
  let drawn = ""

  /** @param {{ turn: import("./turn.js").Turn | undefined, asking: number, isStopping: boolean }} state */
  const draw = ({ turn, asking, isStopping }) => {
    const isRunning = turn !== undefined && !turn.isOver
    strip.hidden = !isRunning
    byId("queue", "button").hidden = !isRunning
    byId("send-label", "span").textContent = isRunning ? words.steer : words.send
    byId("hint", "p").textContent = inKeys(isRunning ? words.hintRunning : words.hintIdle)
    if (!isRunning) return
    elapsed.textContent = duration(Math.max(0, now() - turn.at))
    const text = asking > 0 ? words.waiting(asking) : turn.last
    const state = JSON.stringify([turn.turn, asking, isStopping, text, turn.steps, turn.cost])
    if (state === drawn) return
    drawn = state
    strip.dataset["asking"] = String(asking > 0)
    sign.replaceChildren(asking > 0 ? icon("pause") : h("span.spin", { "aria-hidden": "true" }))
    what.textContent = text
    facts.replaceChildren(
      h("span.fact-agent", {}, [turn.agent, turn.model].filter((each) => each).join(" · ")),
      elapsed,
      ...(turn.steps > 0 ? [h("span.num", {}, words.steps(turn.steps))] : []),
      ...(turn.cost ? [h("span.num", {}, money(turn.cost))] : [])
    )
    goTo.hidden = asking === 0
    stopButton.replaceChildren(icon("stop"), isStopping ? words.stopping : words.stop)
    stopButton.setAttribute("aria-disabled", String(isStopping))
  }
  return { draw }
}
