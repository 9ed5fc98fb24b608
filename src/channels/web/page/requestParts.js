/**
 * The parts of a request's effect, each a number of lines and a view of some of them; no input is left out. Wrapped commands
 * cannot be mistaken for several lines; invisible characters are shown by number.
 *
 * @typedef {{ count: number, view: (most: number) => HTMLElement }} Part
 */
import { prose } from "./blocks.js"
import { changeNote, changesOf, diffView, sumOf, tally } from "./diff.js"
import { copyButton, exact, h } from "./elements.js"
import { words } from "./words.js"

/** @type {string | undefined} */
let reader

/** @param {string | undefined} name of the reader of this page */
export const setReader = (name) => {
  reader = name
}

/** @param {{ by: string, person?: string, where?: string }} decision */
export const deciderOf = ({ by, person, where }) => {
  if (person === undefined) return words.deciders[by] ?? by
  return person === reader && (where === undefined || where === "web")
    ? (words.deciders["caller"] ?? person)
    : words.personAt(person, where)
}

/** @typedef {import("./types.js").PermissionRequest & { cut?: boolean }} Request */

/** No break follows a hyphen: `--` and `minify` on two lines would read as two words. @param {string} line @param {boolean} isLast */
const commandLine = (line, isLast) => {
  const parts = line.split(/(\s+)/)
  const pieces = parts.flatMap((word) => (word.includes("-") ? [h("span.word", {}, ...exact(word))] : exact(word)))
  return h("span.row", {}, ...pieces, isLast ? "" : "\n")
}

/** @param {string} text @param {string} what @returns {Part} */
const textPart = (text, what) => {
  const lines = text.split("\n")
  const view = (/** @type {number} */ most) => {
    const visibleLines = lines.slice(0, most)
    const rows = visibleLines.map((line, index) => commandLine(line, index === visibleLines.length - 1))
    return h("div.command", {}, h("pre.whole", { dir: "ltr" }, ...rows), copyButton(text, what))
  }
  return { count: lines.length, view }
}

/** @param {import("./diff.js").Change} change @returns {Part} */
const changePart = (change) => {
  const { path } = change.edit
  const note = changeNote(change)
  const pieces = note === "" ? "" : ` · ${note}`
  const view = (/** @type {number} */ most) => {
    const content = [h("code", {}, ...exact(path)), ...exact(pieces), " ", tally(sumOf([change]))]
    const lines = change.lines.length > 0 ? diffView(path, change.lines.slice(0, most)) : null
    return h("div.change", {}, h("p.path-line", { dir: "ltr" }, ...content), lines)
  }
  return { count: change.lines.length, view }
}

/** The input that is not shown elsewhere. @param {Request} event */
const restOf = ({ command, edits = [], input, plan }) => {
  if (typeof input !== "object" || input === null) return input ?? undefined
  const shownElsewhere = edits.flatMap(({ path, before, after, movedTo }) => [path, before, after, movedTo])
  const visible = new Set([command, plan, ...shownElsewhere])
  const rest = Object.entries(input).filter(([, value]) => typeof value !== "string" || !visible.has(value))
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

/** A request that is not shown completely cannot be allowed. @param {Request} event */
export const isHidden = ({ cut, notShown, preview }) =>
  notShown !== undefined || (cut === true && preview === undefined)

/** @param {Request} event @param {import("./types.js").Block[] | undefined} blocks of a plan @returns {Part[]} */
export const partsOf = (event, blocks) => {
  const { command, edits = [], plan, preview } = event
  // The preview of a cut request is complete, or says how much it leaves out.
  if ((event.cut === true || event.notShown !== undefined) && preview !== undefined)
    return [textPart(preview, words.things.input)]
  const rest = restOf(event)
  return [
    ...(plan === undefined ? [] : [{ count: 0, view: () => prose(blocks, plan) }]),
    ...(command === undefined ? [] : [textPart(command, words.things.command)]),
    ...changesOf(edits).map(changePart),
    ...(rest === undefined ? [] : [textPart(JSON.stringify(rest, null, 2), words.things.input)])
  ]
}
