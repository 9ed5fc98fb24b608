/**
 * The server's trees of blocks as elements. Links are taken only where they lead to the web or to mail, whatever the
 * server let through; a tree that is deeper than people read is cut.
 */
import { codeBlock } from "./codeBlock.js"
import { h, icon, unseen } from "./elements.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./types.js").Inline} Inline */

const deepest = 24
const webOrMail = /^(?:https?:\/\/[^\s/]|mailto:[^\s@]+@)/i

/** @param {Inline[]} list @param {number} [depth] @returns {(Node | string)[]} */
const inlines = (list, depth = 0) =>
  depth > deepest ? ["…"] : list.map((each) => (typeof each === "string" ? each : inline(each, depth + 1)))

/** @param {Exclude<Inline, string>} part @param {number} depth */
const inline = (part, depth) => {
  switch (part.t) {
    case "b":
      return h("strong", {}, ...inlines(part.c, depth))
    case "i":
      return h("em", {}, ...inlines(part.c, depth))
    case "s":
      return h("del", {}, ...inlines(part.c, depth))
    case "code":
      return h("code", { dir: "ltr" }, part.text)
    case "br":
      return h("br")
    case "a":
      return webOrMail.test(part.href)
        ? h("a", { href: part.href, target: "_blank", rel: "noopener noreferrer" }, ...inlines(part.c, depth))
        : h("span", {}, ...inlines(part.c, depth))
    default:
      return ""
  }
}

/** @param {import("./types.js").ListItem} item @param {number} depth */
const listItem = ({ task, c }, depth) => {
  const [first, ...rest] = c
  // A paragraph at the start of an item stands on its line.
  const inner = first?.t === "p" ? [...inlines(first.c, depth), ...blocks(rest, depth)] : blocks(c, depth)
  if (task === undefined) return h("li", {}, ...inner)
  const box = h(
    "span.box",
    { "data-done": task },
    icon(task ? "ok" : "other"),
    unseen(task ? words.itemDone : words.itemOpen)
  )
  return h("li.task", {}, box, h("span", {}, ...inner))
}

/** @param {Extract<Block, { t: "table" }>} table @param {number} depth */
const tableOf = ({ align, head, rows }, depth) => {
  const side = (/** @type {number} */ index) => ({ "data-align": align[index] ?? undefined })
  const headCells = head.map((cell, index) => h("th", { scope: "col", ...side(index) }, ...inlines(cell, depth)))
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      row.map((cell, index) => h("td", side(index), ...inlines(cell, depth)))
    )
  )
  const table = h("table", { dir: "auto" }, h("thead", {}, h("tr", {}, headCells)), h("tbody", {}, body))
  return h("div.table", { tabIndex: 0, role: "region", "aria-label": words.table }, table)
}

/** @param {Block} part @param {number} [depth] @returns {HTMLElement} */
export const block = (part, depth = 0) => {
  switch (part.t) {
    case "p":
      return h("p", { dir: "auto" }, ...inlines(part.c, depth))
    case "h":
      return h(`h${Math.min(6, part.n + 2)}`, { dir: "auto" }, ...inlines(part.c, depth))
    case "code":
      return codeBlock(part.text, part.lang)
    case "list": {
      const props = { dir: "auto", start: part.ordered ? (part.start ?? 1) : undefined }
      return h(part.ordered ? "ol" : "ul", props, ...part.items.map((item) => listItem(item, depth + 1)))
    }
    case "quote":
      return h("blockquote", { dir: "auto" }, ...blocks(part.c, depth + 1))
    case "table":
      return tableOf(part, depth)
    case "hr":
      return h("hr")
    default:
      return h("p", {})
  }
}

/** @param {Block[]} list @param {number} [depth] @returns {HTMLElement[]} */
export const blocks = (list, depth = 0) =>
  depth > deepest ? [h("p", {}, "…")] : list.map((each) => block(each, depth))

/** Blocks where the server sent them, else the text as it is. @param {Block[] | undefined} list @param {string} text */
export const prose = (list, text) =>
  h("div.prose", {}, ...(list ? blocks(list) : [h("p.plain-text", { dir: "auto" }, text)]))
