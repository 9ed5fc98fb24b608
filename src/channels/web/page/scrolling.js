/** Scrolling: follows the end only for a reader who is there, and fetches earlier rows near the top. */
import { button, byId } from "./elements.js"
import { getJson } from "./server.js"
import { words } from "./words.js"

const nearEnd = 60
const byHandMs = 1500
/** Time in which the browser draws prepended content. */
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
      // Changing content moves the viewport, too: only scrolling up by hand leaves the end.
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
  /** Follows the growth of prepended content, which the browser's own anchor ignores at first. @param {HTMLElement} added */
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
  /** Keeps the viewport in place. @param {() => HTMLElement} change prepends the returned element */
  const keepPlace = (change) => {
    const top = scroll.getBoundingClientRect().top
    const articles = [...byId("log").querySelectorAll("article")]
    const anchor = articles.find((each) => each.getBoundingClientRect().bottom > top)
    const before = anchor?.getBoundingClientRect().top ?? 0
    const added = change()
    if (!anchor) return
    scroll.scrollTop += anchor.getBoundingClientRect().top - before
    hold(added)
  }
  return { follow, toEnd, keepPlace, isAtEnd: () => isPinned }
}

/** @typedef {import("./types.js").Row} Row */

/** Earlier rows of the conversation, fetched on demand. @param {{ put: (rows: Row[]) => void }} options */
export const makeEarlier = ({ put }) => {
  const place = byId("earlier")
  let conversation = ""
  /** The first row in the page; 0 at first. */
  let oldest = 0
  /** The first row of the conversation. */
  let first = 0
  let isLoading = false

  const isMore = () => oldest > first && first > 0
  const draw = () => {
    place.hidden = !isMore()
    const props = { "aria-disabled": isLoading ? "true" : undefined }
    const label = isLoading ? words.loading : words.earlierTurns
    place.replaceChildren(button(label, () => void load(), "quiet.small", props))
  }
  const load = async () => {
    if (isLoading || !isMore()) return
    isLoading = true
    const current = conversation
    draw()
    const { answer } = await getJson(`rows?conversation=${encodeURIComponent(conversation)}&before=${oldest}`)
    isLoading = false
    if (current !== conversation) return
    if (answer) take(/** @type {{ rows: Row[] }} */ (answer))
    draw()
  }
  /** @param {{ rows: Row[] }} answer */
  const take = ({ rows }) => {
    // An empty answer means that the beginning is reached.
    oldest = rows.length === 0 ? first : Math.min(oldest, ...rows.map(({ id }) => id))
    if (rows.length > 0) put(rows)
  }
  return {
    /** @param {string} id */
    show: (id) => {
      conversation = id
      oldest = 0
      first = 0
      draw()
    },
    /** @param {import("./connection.js").Hello} hello a resumed stream begins behind the rows of the page */
    hello: (hello) => {
      first = hello.first
      if (oldest === 0) oldest = hello.oldest
      draw()
    },
    load: () => void load()
  }
}
