/** The page follows its end only for a reader who is there; near its top, what was before is fetched. */
import { byId } from "./elements.js"

const nearEnd = 60

/** @param {{ nearTop: () => void }} on */
export const makeScrolling = ({ nearTop }) => {
  const scroll = byId("scroll", "main")
  const latest = byId("latest", "button")
  let isPinned = true
  let last = 0

  const follow = () => {
    if (isPinned) scroll.scrollTop = scroll.scrollHeight
    latest.hidden = isPinned
  }
  const toEnd = () => {
    isPinned = true
    follow()
  }
  scroll.addEventListener(
    "scroll",
    () => {
      const left = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight
      // What grows leaves the reader behind; only who goes up has left the end.
      if (left < nearEnd) isPinned = true
      else if (scroll.scrollTop < last) isPinned = false
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

  /** What the reader sees stays where it is while something is put before it. @param {() => void} change */
  const keepPlace = (change) => {
    const top = scroll.getBoundingClientRect().top
    const anchor = [...byId("log").querySelectorAll("article")].find(
      (each) => each.getBoundingClientRect().bottom > top
    )
    const before = anchor?.getBoundingClientRect().top ?? 0
    change()
    if (anchor) scroll.scrollTop += anchor.getBoundingClientRect().top - before
  }
  return { follow, toEnd, keepPlace, isNearTop: () => scroll.scrollTop < scroll.clientHeight }
}
