/** The strip above the box: what runs, for how long, what it cost, whether it waits for you, and Stop. */
import { button, byId, h, icon } from "./elements.js"
import { duration, money, now } from "./format.js"
import { inKeys, shortcut } from "./keyboard.js"
import { words } from "./words.js"

/** @param {{ stop: () => void, goThere: () => void }} actions */
export const makeRunStrip = ({ stop, goThere }) => {
  const strip = byId("run", "section")
  const elapsed = h("span.num")
  const what = h("span.run-what")
  const facts = h("span.run-facts")
  const sign = h("span.run-sign")
  const goTo = button(words.goThere, goThere, "plain", { "aria-keyshortcuts": "Alt+A" })
  const stopButton = h("button.stop", {
    type: "button",
    "aria-keyshortcuts": shortcut("Control+."),
    on: { click: stop }
  })
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
