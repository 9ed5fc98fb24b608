/** Changes as lines with signs and colours; in a changed line, what is equal at both ends is quiet and the middle marked. */
import { h, unseen } from "./elements.js"
import { exact } from "./exactText.js"
import { words } from "./words.js"

/** @typedef {import("./diffLines.js").Line} Line */
/** @typedef {import("./diffLines.js").Change} Change */

/** Below this share of equal characters a line is another one. */
const alike = 0.3

/** @param {string} text @param {string | undefined} other */
const marked = (text, other) => {
  if (other === undefined || text === "") return exact(text)
  const least = Math.min(text.length, other.length)
  let head = 0
  while (head < least && text[head] === other[head]) head += 1
  let tail = 0
  while (tail < least - head && text.at(-1 - tail) === other.at(-1 - tail)) tail += 1
  if (head + tail < text.length * alike) return exact(text)
  const end = text.length - tail
  return [...exact(text.slice(0, head)), h("mark", {}, ...exact(text.slice(head, end))), ...exact(text.slice(end))]
}

/** The other side of each changed line, where a change has as many lines out as in. @param {readonly Line[]} lines */
const pairsOf = (lines) => {
  /** @type {Map<Line, string>} */
  const pairs = new Map()
  /** @type {Line[]} */
  let change = []
  for (const line of [...lines, /** @type {Line} */ ([" ", ""])]) {
    if (line[0] !== " ") {
      change.push(line)
      continue
    }
    const out = change.filter(([sign]) => sign === "-")
    const into = change.filter(([sign]) => sign === "+")
    if (out.length === into.length) {
      out.forEach((each, index) => {
        const other = into[index]
        if (!other) return
        pairs.set(each, other[1])
        pairs.set(other, each[1])
      })
    }
    change = []
  }
  return pairs
}

const tags = {
  "+": /** @type {const} */ ("ins.line"),
  "-": /** @type {const} */ ("del.line"),
  " ": /** @type {const} */ ("span.line")
}
const signs = { "+": "+", "-": "−", " ": " " }

/** @param {string} path @param {readonly Line[]} lines */
export const diffView = (path, lines) => {
  const pairs = pairsOf(lines)
  const rows = lines.map((line) => {
    const [sign, text] = line
    const label = sign === " " ? null : unseen(sign === "+" ? words.added : words.removed)
    const signOf = h("span.sign", { "aria-hidden": "true" }, signs[sign])
    return h(tags[sign], {}, signOf, label, h("span.words", {}, ...marked(text, pairs.get(line))), "\n")
  })
  return h("pre.diff", { tabIndex: 0, dir: "ltr", role: "region", "aria-label": words.change(path) }, ...rows)
}

/** Text beside the lines of a change: its place, and other operations on the file. @param {Change} change */
export const changeNote = ({ edit }) =>
  [
    edit.line === undefined ? undefined : words.lineAt(edit.line),
    edit.everywhere ? words.everywhere : undefined,
    edit.movedTo === undefined ? undefined : words.movedTo(edit.movedTo)
  ]
    .filter((each) => each !== undefined)
    .join(" · ")

/** @param {{ added: number, removed: number }} sum */
export const tally = ({ added, removed }) =>
  h(
    "span.tally",
    { dir: "ltr" },
    added > 0 || removed === 0 ? h("span.plus", {}, unseen(words.linesAdded), `+${added}`) : null,
    added > 0 && removed > 0 ? " " : null,
    removed > 0 ? h("span.minus", {}, unseen(words.linesRemoved), `−${removed}`) : null
  )
