/** The server's trees of blocks as elements. Only links to the web or to mail are kept; very deep trees are cut. */
import { copyButton, h, icon, unseen } from "./elements.js"
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
  // A paragraph at the start of an item is on its line.
  const inner = first?.t === "p" ? [...inlines(first.c, depth), ...blocks(rest, depth)] : blocks(c, depth)
  if (task === undefined) return h("li", {}, ...inner)
  const sign = [icon(task ? "ok" : "other"), unseen(task ? words.itemDone : words.itemOpen)]
  return h("li.task", {}, h("span.box", { "data-done": task }, ...sign), h("span", {}, ...inner))
}

/** @param {Extract<Block, { t: "table" }>} table @param {number} depth */
const tableOf = ({ align, head, rows }, depth) => {
  const side = (/** @type {number} */ index) => ({ "data-align": align[index] ?? undefined })
  const headCells = head.map((cell, index) => h("th", { scope: "col", ...side(index) }, ...inlines(cell, depth)))
  const bodyRow = (/** @type {Inline[][]} */ row) =>
    row.map((cell, index) => h("td", side(index), ...inlines(cell, depth)))
  const body = rows.map((row) => h("tr", {}, bodyRow(row)))
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

/** Blocks if the server sent them, else the text as it is. @param {Block[] | undefined} list @param {string} text */
export const prose = (list, text) =>
  h("div.prose", {}, ...(list ? blocks(list) : [h("p.plain-text", { dir: "auto" }, text)]))

const tokens =
  /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\b(const|let|var|function|return|if|else|for|while|import|export|from|as|type|interface|class|new|await|async|yield|throw|try|catch|null|undefined|true|false)\b|\b(\d[\d_.]*)\b/g

const mostColoured = 20_000

/** @param {string} language */
export const isColoured = (language) => /^(ts|tsx|js|jsx|mjs|json|typescript|javascript)$/i.test(language)

/** @param {string} text @param {string} language */
const coloured = (text, language) => {
  if (!isColoured(language) || text.length > mostColoured) return [text]
  const nodes = []
  let from = 0
  for (const match of text.matchAll(tokens)) {
    const kind = match[1] ? "comment" : match[2] ? "string" : match[3] ? "word" : "number"
    nodes.push(text.slice(from, match.index), h(/** @type {"span.c"} */ (`span.c-${kind}`), {}, match[0]))
    from = match.index + match[0].length
  }
  return [...nodes, text.slice(from)]
}

/** @param {string} text @param {string} [language] */
const codeBlock = (text, language = "") => {
  const props = { tabIndex: 0, dir: "ltr", role: "region", "aria-label": words.code(language) }
  const pre = h("pre", props, h("code", {}, ...coloured(text, language)))
  const toggle = () => wrap.setAttribute("aria-pressed", String(pre.classList.toggle("wrapped")))
  const wrap = h("button.quiet.small", { type: "button", "aria-pressed": "false", on: { click: toggle } }, words.wrap)
  const head = h("div.code-head", {}, h("span.language", {}, language || words.plainText), wrap)
  head.append(copyButton(() => pre.textContent ?? "", words.things.code))
  return h("div.code", {}, head, pre)
}
