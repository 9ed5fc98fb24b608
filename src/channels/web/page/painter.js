/** Drawing at most once a frame, and in a tab that is not seen a few times a second, so that its title stays true. */
const unseenMs = 250

/** @param {() => void} paint called after what was asked for */
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
  // A frame that was asked for while the tab was seen does not come once it is hidden.
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
