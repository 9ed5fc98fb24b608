/**
 * The changed files of a conversation: a list that is drawn piece by piece as it is scrolled, with the difference of each file
 * behind it, which is read and drawn when it is opened.
 *
 * @typedef {import("./types.js").ChangedFile} ChangedFile
 * @typedef {import("./diff.js").Line} Line
 */
import { diffView, tally } from "./diff.js"
import { button, exact, h, icon, unseen, visible } from "./elements.js"
import { getJson } from "./server.js"
import { words } from "./words.js"

const filesAtOnce = 50
const linesAtOnce = 600

/**
 * A difference of git as parts, each with its first line in the new file.
 * @param {string} text
 * @returns {{ from: number, lines: Line[] }[]}
 */
const hunksOf = (text) => {
  /** @type {{ from: number, lines: Line[] }[]} */
  const hunks = []
  const all = text.split("\n")
  // The last line ends with a line break.
  if (all.at(-1) === "") all.pop()
  for (const line of all) {
    const head = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    const sign = line[0]
    if (head) hunks.push({ from: Number(head[1]), lines: [] })
    else if (sign === "+" || sign === "-" || sign === " ") hunks.at(-1)?.lines.push([sign, line.slice(1)])
    else if (sign === "\\") hunks.at(-1)?.lines.push([" ", words.noNewline])
  }
  return hunks
}

/** Draws the first lines, and more of them when they are asked for. @param {string} path @param {{ from: number, lines: Line[] }[]} hunks */
const diffParts = (path, hunks) => {
  const place = h("div.file-diff")
  /** @param {{ from: number, lines: Line[] }[]} rest */
  const draw = (rest) => {
    let room = linesAtOnce
    /** @type {{ from: number, lines: Line[] }[]} */
    const later = []
    for (const { from, lines } of rest) {
      const now = lines.slice(0, room)
      room -= now.length
      if (now.length > 0) place.append(h("p.soft.small-text", {}, words.lineAt(from)), diffView(visible(path), now))
      const inNew = now.filter(([sign]) => sign !== "-").length
      if (now.length < lines.length) later.push({ from: from + inNew, lines: lines.slice(now.length) })
    }
    const count = later.reduce((sum, { lines }) => sum + lines.length, 0)
    if (count === 0) return
    const more = button(
      words.moreDiff(count),
      () => {
        const at = place.childElementCount - 1
        more.remove()
        draw(later)
        const next = place.children[at + 1]
        if (next instanceof HTMLElement) next.focus({ preventScroll: true })
      },
      "quiet.small"
    )
    place.append(more)
  }
  draw(hunks)
  return place
}

/** @param {ChangedFile} file @param {Record<string, unknown>} answer */
const diffOf = ({ path, added = 0, deleted = 0 }, { isText, text }) => {
  const note = (/** @type {string} */ about) => h("p.soft.small-text", {}, about)
  if (isText !== true) return note(words.notText)
  if (typeof text !== "string") return note(words.tooLargeDiff)
  const hunks = hunksOf(text)
  if (hunks.length > 0) return diffParts(path, hunks)
  return note(added + deleted === 0 ? words.noLines : words.noDiff)
}

const signs = { added: "A", changed: "M", deleted: "D" }

/** The directory gives way to the name. @param {string} path */
const pathView = (path) => {
  const at = path.lastIndexOf("/", path.length - 2) + 1
  const directory = at === 0 ? null : h("span.path-dir", {}, ...exact(path.slice(0, at)))
  const name = h("span.path-name", {}, ...exact(path.slice(at)))
  return h("span.file-path", { dir: "ltr", title: visible(path) }, directory, name)
}

/**
 * @param {{ root: HTMLElement, isStale: () => void }} options `isStale`: called when a file can no longer be shown as listed
 */
export const makeChangedFiles = ({ root, isStale }) => {
  const list = h("ul.changed-files")
  const more = button("", () => drawMore(true), "quiet.small", { class: "more-files quiet small" })
  root.append(list, more)
  /** @type {{ id: string, commit: string, count: number, files: readonly ChangedFile[] }} */
  let now = { id: "", commit: "", count: 0, files: [] }
  let drawn = 0
  /** @type {Set<string>} paths of open files */
  const open = new Set()

  /** @param {ChangedFile} file */
  const item = (file) => {
    const { path, status, added, deleted = 0 } = file
    const label = [
      h("span.file-sign", { "data-status": status, "aria-hidden": "true" }, signs[status]),
      unseen(`${words.fileStates[status]} `),
      pathView(path),
      added === undefined ? h("span.soft.small-text", {}, words.binary) : tally({ added, removed: deleted })
    ]
    const place = h("div.file-body", { hidden: true })
    const head = h(
      "button.file-head",
      { type: "button", "aria-expanded": "false" },
      icon("chevron", "turn-icon"),
      ...label
    )
    const { id, commit } = now
    let isRead = false
    const read = async () => {
      isRead = true
      place.replaceChildren(h("p.soft.small-text", {}, words.loading))
      const query = new URLSearchParams({ commit, path })
      const { answer, failure } = await getJson(`conversations/${encodeURIComponent(id)}/changes?${query}`)
      if (failure) {
        isRead = false
        place.replaceChildren(h("p.problem", {}, ...exact(failure.error)))
        if (failure.status === 409) isStale()
        return
      }
      // Written by the server.
      place.replaceChildren(diffOf(file, /** @type {Record<string, unknown>} */ (answer)))
    }
    const show = (/** @type {boolean} */ isOpen) => {
      head.setAttribute("aria-expanded", String(isOpen))
      place.hidden = !isOpen
      if (isOpen) open.add(path)
      else open.delete(path)
      if (isOpen && !isRead) void read()
    }
    head.addEventListener("click", () => show(head.getAttribute("aria-expanded") !== "true"))
    if (open.has(path)) show(true)
    return h("li.changed-file", { "data-path": path }, head, place)
  }

  /** @param {boolean} [byHand] then the focus goes to the first new file */
  const drawMore = (byHand = false) => {
    const next = now.files.slice(drawn, drawn + filesAtOnce)
    const first = list.childElementCount
    list.append(...next.map(item))
    drawn += next.length
    const rest = now.files.length - drawn
    more.hidden = rest === 0
    more.textContent = words.moreFiles(rest)
    if (byHand) list.children[first]?.querySelector("button")?.focus()
  }
  const nearEnd = new IntersectionObserver(
    (entries) => {
      if (more.hidden || !entries.some(({ isIntersecting }) => isIntersecting)) return
      drawMore()
      // It may still be near the end: without a new start, the observer reports only a change.
      nearEnd.unobserve(more)
      nearEnd.observe(more)
    },
    { root, rootMargin: "600px" }
  )
  nearEnd.observe(more)

  return {
    /** Opened files and the focus stay. @param {typeof now} next */
    set: (next) => {
      if (next.id === now.id && next.commit === now.commit && next.count === now.count) return
      if (next.id !== now.id) open.clear()
      const { activeElement } = document
      const focused = activeElement?.closest(".changed-file")
      const path = focused instanceof HTMLElement ? focused.dataset["path"] : undefined
      const { scrollTop } = root
      now = next
      drawn = 0
      list.replaceChildren()
      const left = next.count - next.files.length
      drawMore()
      while (
        path !== undefined &&
        drawn < next.files.length &&
        next.files.findIndex((each) => each.path === path) >= drawn
      )
        drawMore()
      root.querySelector(".files-left")?.remove()
      if (left > 0) root.append(h("p.soft.small-text.files-left", {}, words.filesLeft(left)))
      root.scrollTop = scrollTop
      if (path === undefined) return
      const again = [...list.children].find((each) => each instanceof HTMLElement && each.dataset["path"] === path)
      again?.querySelector("button")?.focus({ preventScroll: true })
    }
  }
}
