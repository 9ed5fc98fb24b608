/** The page follows its end only for a reader who is there; near its top, what was before is fetched. */
import { byId } from "./elements.js"

const nearEnd = 60
const byHandMs = 1500
/** Within this time what was put in is drawn. */
const drawnMs = 300

/** @param {{ nearTop: () => void }} on */
export const makeScrolling = ({ nearTop }) => {
  const scroll = byId("scroll", "main")
  const latest = byId("latest", "button")
  let isPinned = true
  let last = 0
  let touchedAt = Number.NEGATIVE_INFINITY

  const follow = () => {
    if (isPinned) scroll.scrollTop = scroll.scrollHeight
    latest.hidden = isPinned
  }
  const toEnd = () => {
    isPinned = true
    follow()
  }
  for (const type of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    const touched = () => {
      touchedAt = performance.now()
    }
    document.addEventListener(type, touched, { passive: true, capture: true })
  }
  scroll.addEventListener(
    "scroll",
    () => {
      const left = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight
      // Growing or changing content moves the viewport, too: only scrolling up by hand leaves the end.
      const isByHand = scroll.scrollTop < last && performance.now() - touchedAt < byHandMs
      if (left < nearEnd) isPinned = true
      else if (isByHand) isPinned = false
      if (isByHand) touchedAt = performance.now()
      last = scroll.scrollTop
      latest.hidden = isPinned
      if (scroll.scrollTop < scroll.clientHeight) nearTop()
    },
    { passive: true }
  )
  latest.addEventListener("click", () => {
    toEnd()
    byId("prompt", "textarea").focus()
  })
  const resized = new ResizeObserver(follow)
  resized.observe(scroll)
  resized.observe(byId("log"))

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let holding
  /**
   * Prepended content grows while the browser draws it, and the browser's own anchor does not include it yet. @param
   * {HTMLElement} added
   */
  const hold = (added) => {
    let height = added.getBoundingClientRect().height
    const grown = new ResizeObserver(() => {
      const now = added.getBoundingClientRect().height
      scroll.scrollTop += now - height
      height = now
    })
    grown.observe(added)
    clearTimeout(holding)
    scroll.style.overflowAnchor = "none"
    holding = setTimeout(() => {
      scroll.style.overflowAnchor = ""
    }, drawnMs)
    setTimeout(() => grown.disconnect(), drawnMs)
  }
  /**
   * Keeps the viewport in place while content is prepended. @param {() => HTMLElement} change returns the prepended
   * element
   */
  const keepPlace = (change) => {
    const top = scroll.getBoundingClientRect().top
    const anchor = [...byId("log").querySelectorAll("article")].find(
      (each) => each.getBoundingClientRect().bottom > top
    )
    const before = anchor?.getBoundingClientRect().top ?? 0
    const added = change()
    if (!anchor) return
    scroll.scrollTop += anchor.getBoundingClientRect().top - before
    hold(added)
  }
  return { follow, toEnd, keepPlace, isAtEnd: () => isPinned }
}
