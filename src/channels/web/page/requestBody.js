/**
 * What a request would do, whole. Over 40 lines of a part wait behind a button, and with them the leave to allow; what
 * cannot be shown at all cannot be allowed.
 */
import { button, h } from "./elements.js"
import { exact } from "./exactText.js"
import { isHidden, partsOf } from "./requestParts.js"
import { words } from "./words.js"

const mostLines = 40

/** @param {import("./requestParts.js").Request} event */
const factsOf = ({ kind, toolName, directory, paths = [], edits = [] }) => {
  const others = paths.filter((path) => !edits.some((edit) => edit.path === path))
  const facts = [
    [words.facts.tool, kind === "plan" ? undefined : toolName],
    [words.facts.directory, directory],
    [words.facts.files, others.length === 0 ? undefined : others.join("\n")]
  ]
  const known = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [h("dt", {}, name), h("dd", { dir: "ltr" }, ...exact(value))]
  )
  return known.length === 0 ? [] : [h("dl.facts", {}, ...known)]
}

/**
 * @param {import("./requestParts.js").Request} event
 * @param {import("./types.js").Block[] | undefined} plan
 * @param {() => void} onOpened
 */
export const requestBody = (event, plan, onOpened) => {
  /** @type {HTMLElement[]} */
  const elements = []
  let closed = 0
  for (const { count, view } of partsOf(event, plan)) {
    const shown = view(mostLines)
    elements.push(shown)
    if (count <= mostLines) continue
    closed += 1
    const open = (/** @type {MouseEvent} */ press) => {
      const all = view(count)
      shown.replaceWith(all)
      closed -= 1
      if (press.currentTarget instanceof Element) press.currentTarget.remove()
      onOpened()
      all.tabIndex = -1
      all.focus({ preventScroll: true })
    }
    elements.push(button(words.moreLines(count - mostLines), open, "plain.more"))
  }
  const isPlanless = event.kind === "plan" && event.plan === undefined
  const obstacle = isHidden(event) ? words.notWhole : isPlanless ? words.noPlan : undefined
  if (obstacle !== undefined) elements.push(h("p.problem", {}, obstacle))
  elements.push(...factsOf(event))
  return { elements, obstacle, mayAllow: () => closed === 0 && obstacle === undefined }
}
