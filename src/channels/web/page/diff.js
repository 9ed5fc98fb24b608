/**
 * Changes of files as lines with signs and colours. Unchanged lines are found by the longest common subsequence; beyond a
 * size, all lines count as removed and added. In a changed line the differing middle is marked.
 *
 * @typedef {readonly [sign: " " | "-" | "+", text: string]} Line
 */
import { exact, h, unseen } from "./elements.js"
import { words } from "./words.js"

const mostCells = 250_000

/** A line break at the end starts no line. @param {string | undefined} text */
const linesOf = (text) => {
  if (text === undefined || text === "") return []
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return lines
}

/** @param {string[]} a @param {string[]} b */
const commonLengths = (a, b) => {
  const width = b.length + 1
  const table = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        a[i] === b[j]
          ? (table[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0)
    }
  }
  return (/** @type {number} */ i, /** @type {number} */ j) => table[i * width + j] ?? 0
}

/** @param {string | undefined} before @param {string | undefined} after @returns {Line[]} */
const diffLines = (before, after) => {
  const a = linesOf(before)
  const b = linesOf(after)
  /** @returns {Line[]} */
  const all = () => [
    ...a.map((text) => /** @type {Line} */ (["-", text])),
    ...b.map((text) => /** @type {Line} */ (["+", text]))
  ]
  if (a.length === 0 || b.length === 0 || a.length * b.length > mostCells) return all()
  const common = commonLengths(a, b)
  /** @type {Line[]} */
  const lines = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const out = a[i]
    const into = b[j]
    if (out !== undefined && out === into) {
      lines.push([" ", out])
      i += 1
      j += 1
    } else if (out !== undefined && (into === undefined || common(i + 1, j) >= common(i, j + 1))) {
      lines.push(["-", out])
      i += 1
    } else {
      lines.push(["+", into ?? ""])
      j += 1
    }
  }
  return lines
}

/** @param {readonly Line[]} lines @param {"-" | "+"} sign */
const countOf = (lines, sign) => lines.filter(([each]) => each === sign).length

/** @param {readonly import("./types.js").FileEdit[]} edits */
export const changesOf = (edits) =>
  edits.map((edit) => {
    const lines = diffLines(edit.before, edit.after)
    return { edit, lines, added: countOf(lines, "+"), removed: countOf(lines, "-") }
  })

/** @typedef {ReturnType<typeof changesOf>[number]} Change */

/** @param {readonly Change[]} changes */
export const sumOf = (changes) => ({
  added: changes.reduce((sum, each) => sum + each.added, 0),
  removed: changes.reduce((sum, each) => sum + each.removed, 0)
})

/** Below this share of equal characters nothing is marked. */
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

/** Pairs removed and added lines of changes that have as many of each. @param {readonly Line[]} lines */
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

/** The place of a change, and other operations on the file. @param {Change} change */
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
