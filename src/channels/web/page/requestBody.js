/**
 * What a request would do, whole: commands, changes, inputs and plans, wrapped, with invisible characters by number. Over
 * 40 lines wait behind a button, and with them the leave to allow; what cannot be shown at all cannot be allowed.
 */

import { prose } from "./blocks.js"
import { copyButton } from "./copyButton.js"
import { changesOf, sumOf } from "./diffLines.js"
import { changeNote, diffView, tally } from "./diffView.js"
import { button, fold, h } from "./elements.js"
import { exact } from "./exactText.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").PermissionRequest} PermissionRequest */

const mostLines = 40

/** A wrap is never taken for a line break, and no break follows a hyphen. @param {string} line @param {boolean} isLast */
const commandLine = (line, isLast) =>
  h(
    "span.row",
    {},
    ...line.split(/(\s+)/).flatMap((word) => (word.includes("-") ? [h("span.word", {}, ...exact(word))] : exact(word))),
    isLast ? "" : "\n"
  )

/** @param {string} text @param {string} what */
const wholeText = (text, what) => ({
  lines: text.split("\n"),
  /** @param {string[]} lines */
  view: (lines) => {
    const pre = h(
      "pre.whole",
      { dir: "ltr" },
      ...lines.map((line, index) => commandLine(line, index === lines.length - 1))
    )
    return h("div.command", {}, pre, copyButton(text, what))
  }
})

/** @param {PermissionRequest} event @param {import("./types.js").Block[] | undefined} plan */
const partsOf = (event, plan) => {
  const { command, edits = [], input } = event
  /** @type {{ lines: unknown[], view: (lines: any[]) => HTMLElement }[]} */
  const parts = []
  if (event.kind === "plan") {
    if (event.plan !== undefined) parts.push({ lines: [], view: () => prose(plan, event.plan ?? "") })
    return parts
  }
  if (command !== undefined) parts.push(wholeText(command, words.things.command))
  for (const change of changesOf(edits)) {
    const note = changeNote(change)
    const head = h(
      "p.path-line",
      { dir: "ltr" },
      h("code", {}, ...exact(change.edit.path)),
      note === "" ? "" : ` · ${note} `,
      " ",
      tally(sumOf([change]))
    )
    const view = (/** @type {any[]} */ lines) =>
      h("div.change", {}, head, lines.length > 0 ? diffView(change.edit.path, lines) : null)
    parts.push({ lines: [...change.lines], view })
  }
  if (parts.length === 0 && input !== undefined && input !== null) {
    parts.push(wholeText(JSON.stringify(input, null, 2), words.things.input))
  }
  return parts
}

/** The input beside what is shown of it: everything that the call has. @param {PermissionRequest} event */
const restOf = ({ command, edits = [], input, kind }) => {
  if (kind === "plan" || (command === undefined && edits.length === 0)) return null
  if (typeof input !== "object" || input === null || Object.keys(input).length < 2) return null
  const pre = h("pre.wrapped", { dir: "ltr" }, ...exact(JSON.stringify(input, null, 2)))
  return fold([words.wholeInput], [pre], {}, ".more")
}

/**
 * @param {PermissionRequest & { cut?: boolean }} event
 * @param {import("./types.js").Block[] | undefined} plan
 * @param {() => void} onOpened
 */
export const requestBody = (event, plan, onOpened) => {
  /** @type {HTMLElement[]} */
  const elements = []
  let closed = 0
  for (const { lines, view } of partsOf(event, plan)) {
    const shown = view(lines.slice(0, mostLines))
    elements.push(shown)
    if (lines.length <= mostLines) continue
    closed += 1
    const open = (/** @type {MouseEvent} */ press) => {
      const all = view(lines)
      shown.replaceWith(all)
      closed -= 1
      if (press.currentTarget instanceof Element) press.currentTarget.remove()
      onOpened()
      all.tabIndex = -1
      all.focus({ preventScroll: true })
    }
    elements.push(button(words.moreLines(lines.length - mostLines), open, "plain.more"))
  }
  const isCut = event.cut === true || (event.kind !== "plan" && elements.length === 0 && event.notShown !== undefined)
  const note = isCut ? words.notWhole : event.kind === "plan" && event.plan === undefined ? words.noPlan : undefined
  if (note) elements.push(h("p.problem", {}, note))
  const rest = restOf(event)
  if (rest) elements.push(rest)
  const tool = event.kind === "plan" ? undefined : event.toolName
  const paths = (event.paths ?? []).filter((path) => !(event.edits ?? []).some((edit) => edit.path === path))
  const facts = [
    [words.facts.tool, tool],
    [words.facts.directory, event.directory],
    [words.facts.files, paths.join("\n") || undefined]
  ]
  const known = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [h("dt", {}, name), h("dd", { dir: "ltr" }, ...exact(value))]
  )
  if (known.length > 0) elements.push(h("dl.facts", {}, ...known))
  return { elements, mayAllow: () => closed === 0 && note === undefined, isOpenable: note === undefined }
}
