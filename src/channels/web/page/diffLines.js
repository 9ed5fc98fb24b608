/**
 * The lines of a change, with what became of each; pure. A hunk comes with some unchanged lines around it: those are found
 * by the longest common subsequence; beyond a size, all are removed and all added.
 *
 * @typedef {readonly [sign: " " | "-" | "+", text: string]} Line
 */

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

/**
 * Changes of files, each with its lines.
 * @param {readonly import("./types.js").FileEdit[]} edits
 */
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
