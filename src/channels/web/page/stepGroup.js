/** Neighbouring steps stand in one group: while they run the newest six, afterwards one line that counts them. */
import { tally } from "./diffView.js"
import { button, fold, h, icon } from "./elements.js"
import { words } from "./words.js"

/** @typedef {{ kind: string, state: string, item: HTMLElement, added?: number, removed?: number }} Grouped */

const newest = 6
/** Fewer have no line of their own. */
const few = 3

/** @param {readonly Grouped[]} steps */
const countsOf = (steps) => {
  /** @type {Map<string, number>} */
  const kinds = new Map()
  for (const { kind } of steps) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  return [...kinds].map(([kind, n]) => words.counted(kind, n)).join(", ")
}

/** @param {HTMLElement} parent */
export const makeGroup = (parent) => {
  const list = h("ol.steps")
  const line = h("span.line-text")
  const earlier = h("li.earlier", { hidden: true })
  const details = h("details.group", { open: true }, h("summary", {}, icon("chevron", "turn-icon"), line), list)
  /** @type {Grouped[]} */
  const steps = []
  let isTouched = false
  let isWhole = false
  details.firstElementChild?.addEventListener("click", () => {
    isTouched = true
  })
  list.append(earlier)
  parent.append(details)

  /** @param {boolean} isOver nothing more comes into this group */
  const draw = (isOver) => {
    const failed = steps.filter(({ state }) => state === "failed").length
    const added = steps.reduce((sum, step) => sum + (step.added ?? 0), 0)
    const removed = steps.reduce((sum, step) => sum + (step.removed ?? 0), 0)
    line.replaceChildren(
      countsOf(steps),
      ...(added + removed > 0 ? [" ", tally({ added, removed })] : []),
      ...(failed > 0 ? [h("span.failed", {}, words.failedSteps(failed))] : [])
    )
    details.classList.toggle("few", steps.length < few)
    const isFolded = isOver && steps.length >= few && !steps.some(({ state }) => state === "running")
    if (!isTouched) details.open = !isFolded
    const hide = isOver || isWhole ? 0 : Math.max(0, steps.length - newest)
    for (const [index, step] of steps.entries()) step.item.hidden = index < hide
    earlier.hidden = hide === 0
    if (hide === 0) return
    const all = () => {
      isWhole = true
      draw(false)
    }
    earlier.replaceChildren(button(words.earlierSteps(hide), all, "quiet.small"))
  }

  /** @param {Grouped} step */
  const add = (step) => {
    steps.push(step)
    list.append(step.item)
    draw(false)
  }
  return { add, draw, last: () => steps.at(-1) }
}

/** What the model thought, behind one line. */
export const makeThought = () => {
  const text = h("div.thinking", { dir: "auto" })
  const label = h("span.label", {}, h("span.verb", {}, words.thought))
  const details = fold([label], [h("div.step-body", {}, text)])
  const item = h("li.step.k-thinking", { "data-state": "done" }, h("span.mark", {}, icon("think")), details)
  let source = ""
  /** @param {string} more @param {number | undefined} offset where it begins */
  const add = (more, offset) => {
    const isMore = offset === undefined || offset === source.length
    source = isMore ? source + more : source.slice(0, offset) + more
    if (isMore) text.append(more)
    else text.textContent = source
  }
  return { kind: "thinking", state: "done", item, add }
}
