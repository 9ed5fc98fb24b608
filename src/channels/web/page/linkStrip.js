/** The connection, under the bar, only while something is wrong with it or has just been. */
import { button, byId, h, icon } from "./elements.js"
import { exact } from "./exactText.js"
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
  /** @param {import("./connection.js").Link} next @param {boolean} isUsed whether there is something in the page yet */
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
